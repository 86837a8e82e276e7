#version 330 core
// Smooths a level of the bloom: at twice its size (scale 0.5), to be added to the larger level, or at the same size
// (scale 1) for the final glow.
uniform sampler2D image;
uniform vec2 texel;
uniform float weight;
uniform float scale;
out vec4 result;
void main() {
  vec2 at = gl_FragCoord.xy * scale * texel;
  vec2 h = texel * 0.5;
  vec3 sum = texture(image, at - h).rgb + texture(image, at + h).rgb;
  sum += texture(image, at + vec2(h.x, -h.y)).rgb + texture(image, at + vec2(-h.x, h.y)).rgb;
  result = vec4(sum * 0.25 * weight, 1.0);
}
