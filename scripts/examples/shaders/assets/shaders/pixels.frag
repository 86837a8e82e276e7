// Pixelation: squares of a single colour.
void main() {
  vec2 square = edge * texel;
  result = texture(image, (floor(at / square) + 0.5) * square);
}
