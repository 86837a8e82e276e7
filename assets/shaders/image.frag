#version 330 core
flat in vec4 v_limits;
flat in vec4 v_colour;
flat in vec4 v_half;
in vec2 v_p;
in vec2 v_texel;
uniform sampler2D image;
out vec4 result;
void main() {
  vec2 d = abs(v_p) - v_half.xy;
  float cover = v_half.z > 0.0 ? clamp(0.5 - max(d.x, d.y), 0.0, 1.0) : 1.0;
  vec2 at = v_texel;
  if (v_half.w > 0.0) { // sharp texels: sample the centre of the texel, blend within one pixel at its edges
    vec2 size = vec2(textureSize(image, 0)), p = at * size, wide = min(fwidth(p), vec2(1.0));
    vec2 off = p - floor(p) - 0.5;
    at = (floor(p) + 0.5 + sign(off) * max((abs(off) - 0.5) / wide + 0.5, 0.0)) / size;
  }
  result = texture(image, clamp(at, v_limits.xy, v_limits.zw)) * v_colour * cover;
}
