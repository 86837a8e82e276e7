#version 330 core
// First level of the bloom: the picture at a quarter of its size, weighted by brightness so that a dark background does
// not glow.
uniform sampler2D image;
uniform vec2 texel;
out vec4 result;
vec3 bright(vec2 at) {
  vec3 c = texture(image, at).rgb;
  return c * min(max(c.r, max(c.g, c.b)), 4.0);
}
void main() {
  vec2 at = gl_FragCoord.xy * 4.0 * texel;
  result = vec4(0.25 * (bright(at - texel) + bright(at + texel) + bright(at + vec2(texel.x, -texel.y)) +
                        bright(at + vec2(-texel.x, texel.y))), 1.0);
}
