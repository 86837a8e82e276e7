// A cathode-ray tube: curved glass, scan lines, and colour fringes at the edges.
void main() {
  vec2 off = at * 2.0 - 1.0;
  vec2 bent = off * (1.0 + bend * dot(off.yx, off.yx) * 0.5) / (1.0 + bend * 0.35);
  vec2 p = bent * 0.5 + 0.5, aside = off * dot(off, off) * fringe * 0.004;
  vec3 c = vec3(texture(image, p + aside).r, texture(image, p).g, texture(image, p - aside).b);
  float line = 0.5 + 0.5 * sin(p.y * size.y * 2.0944);
  c *= 1.0 - lines * 0.5 * line;
  vec2 inside = smoothstep(vec2(0.0), vec2(0.004), p) * smoothstep(vec2(0.0), vec2(0.004), 1.0 - p);
  result = vec4(c * (1.0 + 0.25 * lines) * inside.x * inside.y, 1.0);
}
