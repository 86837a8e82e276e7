#version 330 core
// An image with a flash, an outline and dissolved parts. The result is premultiplied, like that of image.frag.
flat in vec4 v_limits;
flat in vec4 v_colour;
flat in vec4 v_flash;
flat in vec4 v_outline;
flat in vec4 v_edge;
flat in vec3 v_amounts;
in vec2 v_texel;
uniform sampler2D image;
out vec4 result;

vec4 at(vec2 texel, vec2 size) {
  vec2 inside = step(v_limits.xy, texel) * step(texel, v_limits.zw);
  if (v_amounts.z > 0.0)
    texel = floor(texel) + 0.5;
  vec2 held = clamp(texel, v_limits.xy + 0.5, v_limits.zw - 0.5);
  return textureLod(image, held / size, 0.0) * inside.x * inside.y;
}

// Returns a random number, 0 … 1, that depends only on the texel.
float noise(vec2 texel) {
  vec2 p = floor(texel);
  return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453);
}

void main() {
  vec2 size = vec2(textureSize(image, 0));
  vec4 here = at(v_texel, size);
  float width = v_amounts.x, dissolve = v_amounts.y, around = 0.0;
  if (width > 0.0) {
    for (int i = 0; i < 16; ++i) {
      float angle = 6.2831853 * float(i) / 16.0;
      around = max(around, at(v_texel + width * vec2(cos(angle), sin(angle)), size).a);
    }
  }
  vec4 lit = vec4(mix(here.rgb, v_flash.rgb * here.a, v_flash.w), here.a) * v_colour;
  if (dissolve > 0.0) {
    float left = noise(v_texel - v_limits.xy) - dissolve * 1.0001;
    float edge = v_edge.w * (1.0 - smoothstep(0.0, 0.12, left));
    lit.rgb = mix(lit.rgb, v_edge.rgb * lit.a, edge);
    lit *= step(0.0, left);
    around *= 1.0 - dissolve;
  }
  float line = max(around - here.a, 0.0) * v_outline.w * (v_colour.a > 0.0 ? v_colour.a : 1.0);
  result = lit + vec4(v_outline.rgb, 1.0) * line;
}
