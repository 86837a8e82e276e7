#version 330 core
#define N 9
const int M = 4;
float f(float x) { return x * x; }
void main() { float a[3 ]; for (int i = 0; i < N; ++i) { a[i] = f(float(i