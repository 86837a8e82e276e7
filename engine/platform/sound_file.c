#include "platform/sound_file.h"

#include <stdint.h>
#include <string.h>

static uint32_t little_endian(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// The samples alone are asked for: tools that stream leave wrong sizes elsewhere. 0 and ~0 are theirs for "up to the end".
static bool wav_is_whole(const uint8_t *bytes, size_t size_bytes) {
  for (size_t at = 12; at + 8 <= size_bytes;) {
    uint64_t length = little_endian(bytes + at + 4);
    if (memcmp(bytes + at, "data", 4) == 0)
      return length == UINT32_MAX || at + 8 + length <= size_bytes;
    at += 8 + (size_t)(length + (length & 1));
  }
  return false;
}

// Pages follow one another; the last one must fit.
static bool ogg_is_whole(const uint8_t *bytes, size_t size_bytes) {
  size_t at = 0;
  while (at + 27 <= size_bytes && memcmp(bytes + at, "OggS", 4) == 0) {
    size_t segments = bytes[at + 26], next = at + 27 + segments;
    if (next > size_bytes)
      return false;
    for (size_t i = 0; i < segments; i++)
      next += bytes[at + 27 + i];
    if (next > size_bytes)
      return false;
    at = next;
  }
  return size_bytes - at < 4 || memcmp(bytes + at, "OggS", 4) != 0;
}

bool sound_file_is_whole(const char *bytes, size_t size_bytes) {
  const uint8_t *at = (const uint8_t *)bytes;
  if (size_bytes >= 12 && memcmp(bytes, "RIFF", 4) == 0)
    return wav_is_whole(at, size_bytes);
  if (size_bytes >= 4 && memcmp(bytes, "OggS", 4) == 0)
    return ogg_is_whole(at, size_bytes);
  return size_bytes > 12;
}
