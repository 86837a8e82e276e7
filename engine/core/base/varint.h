// Variable-length integers (LEB128): seven bits per byte, least significant first; all bytes but the last have bit 7
// set.
#ifndef SHOAL_BASE_VARINT_H
#define SHOAL_BASE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VARINT_BYTES 10

// Writes `value` to `out`. Returns the number of bytes written.
static inline size_t varint_write(uint64_t value, uint8_t out[VARINT_BYTES]) {
  size_t size = 0;
  for (; value > 127; value >>= 7)
    out[size++] = (uint8_t)(value | 128);
  out[size++] = (uint8_t)value;
  return size;
}

// Reads a value from `in`. Returns the number of bytes read, or 0 if the value is truncated or longer than
// VARINT_BYTES. Bits above the lowest 64 are lost.
static inline size_t varint_read(const uint8_t *in, size_t size, uint64_t *out) {
  *out = 0;
  for (size_t i = 0; i < size && i < VARINT_BYTES; ++i) {
    *out |= (uint64_t)(in[i] & 127) << 7 * i;
    if (!(in[i] & 128))
      return i + 1;
  }
  return 0;
}

// Like varint_read, but also returns 0 if the value has a shorter encoding, or more than 64 bits.
static inline size_t varint_read_shortest(const uint8_t *in, size_t size, uint64_t *out) {
  size_t bytes = varint_read(in, size, out);
  bool is_shortest = bytes < 2 || (in[bytes - 1] != 0 && (bytes < VARINT_BYTES || in[bytes - 1] == 1));
  return is_shortest ? bytes : 0;
}

#endif
