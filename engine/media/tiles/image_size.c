// Reads sizes from the headers of PNG, BMP and JPEG files.
#include "tiles/image_size.h"

#include <string.h>

#define MAX_SIDE 1000000u

static uint32_t read_big_endian(const uint8_t *bytes, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i)
    value = value << 8 | bytes[i];
  return value;
}

static uint32_t read_little_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool set_size(uint32_t x, uint32_t y, int32_t *width, int32_t *height) {
  bool ok = x > 0 && y > 0 && x <= MAX_SIDE && y <= MAX_SIDE;
  *width = ok ? (int32_t)x : 0;
  *height = ok ? (int32_t)y : 0;
  return ok;
}

// Reads the size from the frame header of a JPEG file (markers C0 to CF, except the tables C4, C8 and CC). Returns true
// on success, or false if the header is missing or contains an invalid size.
static bool read_jpeg(const uint8_t *bytes, size_t count, int32_t *width, int32_t *height) {
  for (size_t at = 2; at + 9 < count && bytes[at] == 0xFF;) {
    uint8_t marker = bytes[at + 1];
    if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC)
      return set_size(read_big_endian(bytes + at + 7, 2), read_big_endian(bytes + at + 5, 2), width, height);
    at += 2 + read_big_endian(bytes + at + 2, 2);
  }
  return false;
}

bool image_size_read(const uint8_t *bytes, size_t count, int32_t *width, int32_t *height) {
  static const uint8_t PNG[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (count >= 24 && memcmp(bytes, PNG, sizeof PNG) == 0)
    return set_size(read_big_endian(bytes + 16, 4), read_big_endian(bytes + 20, 4), width, height);
  if (count >= 26 && bytes[0] == 'B' && bytes[1] == 'M') { // a negative height means top-down rows
    uint32_t y = read_little_endian(bytes + 22);
    return set_size(read_little_endian(bytes + 18), y > INT32_MAX ? 0u - y : y, width, height);
  }
  return count >= 4 && bytes[0] == 0xFF && bytes[1] == 0xD8 && read_jpeg(bytes, count, width, height);
}
