#version 330 core
// Adds the bloom to the scene and maps the result to the range of the screen. The bloom of large bright areas is limited,
// because it would hide their edges. Values up to 0.8 are unchanged; larger values approach 1, and very bright colours
// turn white. Noise hides the steps in dark gradients; black stays black.
uniform sampler2D image;
uniform sampler2D glow;
uniform vec2 corner;
uniform vec2 glow_texel;
uniform float strength;
out vec4 result;
void main() {
  vec2 p = gl_FragCoord.xy - corner;
  vec3 light = texture(glow, p * 0.25 * glow_texel).rgb;
  light *= 2.6 / (1.0 + 3.2 * max(light.r, max(light.g, light.b)));
  vec3 c = texelFetch(image, ivec2(p), 0).rgb + light * strength;
  float m = max(c.r, max(c.g, c.b));
  float x = min(max(m - 0.8, 0.0) * 5.0, 2.0);
  float bent = min(m, 0.8) + 0.2 * (x - x * x * 0.25);
  c *= bent / max(m, 1e-4);
  c = mix(c, vec3(bent), clamp((m - 1.0) * 0.5, 0.0, 0.8));
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  result = vec4(c + (noise - 0.5) / 255.0, 1.0);
}
