// Circular bit array indexed by positions that only grow: one bit for each byte of a circular buffer.
#ifndef SHOAL_LINK_BIT_RING_H
#define SHOAL_LINK_BIT_RING_H

#include <stdbool.h>
#include <stdint.h>

// `bits`: size / 64 words, caller's memory. `size`: a power of two, at least 64.
typedef struct bit_ring_t {
  uint64_t *bits;
  uint64_t size;
} bit_ring_t;

// Returns a mask of the bits in [position, position + *count) that are in the first word, and reduces *count to the
// number of these bits.
static inline uint64_t bit_ring_mask(uint64_t position, uint64_t *count) {
  uint64_t first = position % 64, fits = 64 - first;
  *count = *count < fits ? *count : fits;
  return (*count == 64 ? UINT64_MAX : (UINT64_C(1) << *count) - 1) << first;
}

// Sets the bits in [from, to) to `value`. At most `size` bits.
static inline void bit_ring_set(const bit_ring_t *ring, uint64_t from, uint64_t to, bool value) {
  for (uint64_t count; from < to; from += count) {
    count = to - from;
    uint64_t mask = bit_ring_mask(from, &count), *word = &ring->bits[from % ring->size / 64];
    *word = value ? *word | mask : *word & ~mask;
  }
}

// Returns the end of the run of bits with `value` that starts at `from`; at most `to`.
static inline uint64_t bit_ring_find_end(const bit_ring_t *ring, uint64_t from, uint64_t to, bool value) {
  for (uint64_t count; from < to; from += count) {
    count = to - from;
    uint64_t mask = bit_ring_mask(from, &count), word = ring->bits[from % ring->size / 64];
    uint64_t others = (value ? ~word : word) & mask;
    if (others != 0)
      return from + (uint64_t)__builtin_ctzll(others) - from % 64;
  }
  return to;
}

#endif
