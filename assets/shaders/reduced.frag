#version 330 core
// Averages samples of the image itself, without mipmaps, and limits each sample to the part.
flat in vec4 v_limits;
flat in vec4 v_colour;
flat in vec3 v_half;
flat in vec4 v_taps;
in vec2 v_p;
in vec2 v_texel;
uniform sampler2D image;
out vec4 result;
void main() {
  vec2 d = abs(v_p) - v_half.xy;
  float cover = v_half.z > 0.0 ? clamp(0.5 - max(d.x, d.y), 0.0, 1.0) : 1.0;
  vec4 sum = vec4(0.0);
  for (int y = 0; y < 4; ++y) {
    if (float(y) >= v_taps.y)
      break;
    for (int x = 0; x < 4; ++x) {
      if (float(x) >= v_taps.x)
        break;
      sum += texture(image, clamp(v_texel + vec2(float(x), float(y)) * v_taps.zw, v_limits.xy, v_limits.zw));
    }
  }
  result = sum / (v_taps.x * v_taps.y) * v_colour * cover;
}
