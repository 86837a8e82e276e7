// Walks a JPEG's segments and counts the symbols of its Huffman tables.
#include "vet/jpeg_check.h"

#include "base/assert.h"

#define SYMBOLS 256 // that a Huffman table can have

enum { TABLES = 0xC4, END = 0xD9, SCAN = 0xDA };

// The tables of one segment, read as the decoder does: its length bounds nothing but the number of tables. `at` is
// behind the marker.
static bool tables_are_sound(const uint8_t *bytes, size_t size_bytes, size_t at) {
  if (at + 2 > size_bytes)
    return true;
  int left = (bytes[at] << 8 | bytes[at + 1]) - 2;
  at += 2;
  while (left > 0 && at + 17 <= size_bytes) {
    int symbols = 0;
    for (size_t i = 1; i <= 16; ++i)
      symbols += bytes[at + i];
    if (symbols > SYMBOLS)
      return false;
    at += 17 + (size_t)symbols;
    left -= 17 + symbols;
  }
  // A table that the file ends in the middle of counts the sizes that it has: the rest are read as 0.
  int symbols = 0;
  for (size_t i = at + 1; left > 0 && i < size_bytes; ++i)
    symbols += bytes[i];
  return symbols <= SYMBOLS;
}

bool jpeg_check(const uint8_t *bytes, size_t size_bytes) {
  shoal_assert(bytes || size_bytes == 0, "%zu bytes are nowhere", size_bytes);
  if (size_bytes < 4 || bytes[0] != 0xFF || bytes[1] != 0xD8)
    return true;
  size_t at = 2;
  // Segment by segment up to the picture: what lies inside others (a thumbnail) is not read by the decoder.
  while (at + 4 <= size_bytes) {
    if (bytes[at] != 0xFF || bytes[at + 1] == 0xFF) {
      at++;
      continue;
    }
    if (bytes[at + 1] == SCAN || bytes[at + 1] == END)
      break;
    if (bytes[at + 1] == TABLES && !tables_are_sound(bytes, size_bytes, at + 2))
      return false;
    at += 2 + (size_t)(bytes[at + 2] << 8 | bytes[at + 3]);
  }
  // From there on anything that looks like tables may be taken for some.
  for (; at + 4 <= size_bytes; ++at)
    if (bytes[at] == 0xFF && bytes[at + 1] == TABLES && !tables_are_sound(bytes, size_bytes, at + 2))
      return false;
  return true;
}
