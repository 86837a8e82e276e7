#version 330 core
flat in vec4 v_texels;
flat in vec4 v_colour;
uniform sampler2D image;
out vec4 result;
void main() {
  result = texture(image, mix(v_texels.xy, v_texels.zw, gl_PointCoord)) * v_colour;
}
