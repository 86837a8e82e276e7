// The random number generators xoshiro128** and splitmix64, after Blackman and Vigna (prng.di.unimi.it).
#include "base/random.h"

static uint64_t splitmix64(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

void random_seed(random_t *r, uint64_t seed) {
  for (int i = 0; i < 4; i += 2) {
    uint64_t z = splitmix64(&seed);
    r->s[i] = (uint32_t)z;
    r->s[i + 1] = (uint32_t)(z >> 32);
  }
}

static uint32_t rotate_left(uint32_t x, int bits) {
  return (x << bits) | (x >> (32 - bits));
}

uint32_t random_u32(random_t *r) {
  uint32_t *s = r->s;
  uint32_t result = rotate_left(s[1] * 5, 7) * 9;
  uint32_t t = s[1] << 9;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 11);
  return result;
}

double random_unit(random_t *r) {
  return random_u32(r) * (1.0 / 4294967296.0);
}
