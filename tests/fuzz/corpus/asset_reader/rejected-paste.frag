#version 330 core
void main() { for (int i = 0; i < 9; --i) { } }