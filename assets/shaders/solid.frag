#version 330 core
in vec4 v_colour;
out vec4 result;
void main() {
  result = v_colour;
}
