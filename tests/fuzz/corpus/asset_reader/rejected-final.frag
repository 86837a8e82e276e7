#version 330 core
out vec4 result;
void main() { while (true) { } }