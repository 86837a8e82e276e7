// Recently received sequence numbers: rejects replayed datagrams, and lists received numbers.
#ifndef SHOAL_LINK_SEQUENCE_WINDOW_H
#define SHOAL_LINK_SEQUENCE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SEQUENCE_WINDOW_SIZE 1024u // number of sequence numbers in the window; a power of two

// A window of sequence numbers, which start at 1. Empty when zero-initialized.
typedef struct sequence_window_t {
  uint64_t highest;
  // one bit for each received number, indexed by the number modulo SEQUENCE_WINDOW_SIZE
  uint64_t bits[SEQUENCE_WINDOW_SIZE / 64];
} sequence_window_t;

// Returns true if the number has not been received, and is above the highest number or inside the window below it.
static inline bool sequence_window_is_new(const sequence_window_t *w, uint64_t number) {
  if (number > w->highest)
    return true;
  if (number == 0 || w->highest - number >= SEQUENCE_WINDOW_SIZE)
    return false;
  return (w->bits[number % SEQUENCE_WINDOW_SIZE / 64] >> (number % 64) & 1) == 0;
}

// Marks a new number as received.
static inline void sequence_window_add(sequence_window_t *w, uint64_t number) {
  if (number > w->highest && number - w->highest >= SEQUENCE_WINDOW_SIZE) {
    memset(w->bits, 0, sizeof w->bits);
    w->highest = number;
  }
  while (w->highest < number) {
    ++w->highest;
    w->bits[w->highest % SEQUENCE_WINDOW_SIZE / 64] &= ~(UINT64_C(1) << (w->highest % 64));
  }
  w->bits[number % SEQUENCE_WINDOW_SIZE / 64] |= UINT64_C(1) << (number % 64);
}

// Returns the number whose low 32 bits are `low` and which is closest to the highest received number, or 0 if the
// result would be negative.
static inline uint64_t sequence_window_expand(const sequence_window_t *w, uint32_t low) {
  int64_t difference = (int32_t)(low - (uint32_t)w->highest);
  return difference < 0 && w->highest < (uint64_t)-difference ? 0 : w->highest + (uint64_t)difference;
}

#endif
