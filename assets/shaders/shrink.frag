#version 330 core
// A level of the bloom: the previous level at half its size.
uniform sampler2D image;
uniform vec2 texel;
out vec4 result;
void main() {
  vec2 at = gl_FragCoord.xy * 2.0 * texel;
  vec3 sum = texture(image, at).rgb * 4.0;
  sum += texture(image, at - texel).rgb + texture(image, at + texel).rgb;
  sum += texture(image, at + vec2(texel.x, -texel.y)).rgb + texture(image, at + vec2(-texel.x, texel.y)).rgb;
  result = vec4(sum * 0.125, 1.0);
}
