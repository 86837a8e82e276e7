// Squares of one colour each.
void main() {
  vec2 square = edge * texel;
  result = texture(image, (floor(at / square) + 0.5) * square);
}
