// Random numbers: xoshiro128** (Blackman and Vigna), which is fast and has a small state that can be stored in a
// snapshot.
#ifndef SHOAL_BASE_RANDOM_H
#define SHOAL_BASE_RANDOM_H

#include <stdint.h>

typedef struct random_t {
  uint32_t s[4];
} random_t;

// Seeds the generator. Any seed is valid, including 0: splitmix64 computes the state.
void random_seed(random_t *r, uint64_t seed);
// Returns the next 32 random bits.
uint32_t random_u32(random_t *r);
// Returns a number in [0, 1) with 32 random bits.
double random_unit(random_t *r);

#endif
