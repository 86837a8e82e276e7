#version 330 core
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 colour;
out vec4 v_colour;
void main() {
  v_colour = colour;
  gl_Position = at;
}
