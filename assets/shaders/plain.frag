#version 330 core
flat in vec4 v_colour;
in vec2 v_texel;
uniform sampler2D image;
out vec4 result;
void main() {
  result = texture(image, v_texel) * v_colour;
}
