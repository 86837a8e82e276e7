// Colour grading: saturation, contrast, temperature, and a vignette.
void main() {
  vec3 c = texture(image, at).rgb;
  float grey = dot(c, vec3(0.299, 0.587, 0.114));
  c = mix(vec3(grey), c, saturation);
  c = (c - 0.5) * contrast + 0.5;
  c *= vec3(1.0 + 0.18 * warmth, 1.0, 1.0 - 0.18 * warmth);
  vec2 off = at - 0.5;
  result = vec4(c * (1.0 - 0.7 * dot(off, off)), 1.0);
}
