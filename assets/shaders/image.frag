#version 330 core
flat in vec4 v_limits;
flat in vec4 v_colour;
flat in vec3 v_half;
in vec2 v_p;
in vec2 v_texel;
uniform sampler2D image;
out vec4 result;
void main() {
  vec2 d = abs(v_p) - v_half.xy;
  float cover = v_half.z > 0.0 ? clamp(0.5 - max(d.x, d.y), 0.0, 1.0) : 1.0;
  result = texture(image, clamp(v_texel, v_limits.xy, v_limits.zw)) * v_colour * cover;
}
