#version 330 core
float a[100000000];
void main() { }