// Mirrors the picture above the shore in the water and distorts it by waves.
void main() {
  float shore = 1.0 - height;
  result = texture(image, at);
  if (at.y < shore) {
    float depth = (shore - at.y) / shore;
    float wave = sin(at.y * 240.0 / (0.3 + depth) + time * 2.6) + 0.6 * sin(at.x * 34.0 + at.y * 90.0 - time * 1.7);
    vec2 mirrored = vec2(at.x + wave * waves * (0.002 + 0.012 * depth), 2.0 * shore - at.y + wave * waves * 0.004);
    vec3 seen = texture(image, clamp(mirrored, 0.0, 1.0)).rgb;
    float crest = smoothstep(1.25, 1.6, wave) * waves * (1.0 - depth) * 0.3;
    result = vec4(mix(seen, seen * tint.rgb, 0.5 + 0.4 * depth) + crest * tint.rgb, 1.0);
  }
}
