// xoshiro128** (Blackman, Vigna): small, fast, plain data, so that a snapshot holds it.
#ifndef SHOAL_BASE_RANDOM_H
#define SHOAL_BASE_RANDOM_H

#include <stdint.h>

typedef struct random_t {
  uint32_t s[4];
} random_t;

// Any seed is fine, 0 too (spread by splitmix64).
void random_seed(random_t *r, uint64_t seed);
uint32_t random_u32(random_t *r);
double random_unit(random_t *r); // 0 ≤ x < 1, 32 bits of it

#endif
