// Vectors of doubles, and SLEEF's functions for them. These are the functions that Shoal calls: they return the same
// bits on every processor. Loops need no remainder, because memory() pads columns to whole vectors.
#ifndef SHOAL_BENCH_LANES_H
#define SHOAL_BENCH_LANES_H

#include <sleef.h>

// A loop over vectors.
#define LANE_LOOP __attribute__((noinline)) static

#if defined(__AVX512F__)
enum { LANES = 8 };
#define SLEEF(name_, accuracy_) Sleef_cinz_##name_##d8_##accuracy_##avx512fnofma
#elif defined(__AVX__)
enum { LANES = 4 };
#define SLEEF(name_, accuracy_) Sleef_cinz_##name_##d4_##accuracy_##avx
#elif defined(__aarch64__)
enum { LANES = 2 };
#define SLEEF(name_, accuracy_) Sleef_cinz_##name_##d2_##accuracy_##advsimdnofma
#else
enum { LANES = 2 };
#define SLEEF(name_, accuracy_) Sleef_cinz_##name_##d2_##accuracy_##sse2
#endif

typedef double lanes_t __attribute__((vector_size(8 * LANES)));
typedef float floats_t __attribute__((vector_size(4 * LANES)));

static inline lanes_t lanes_load(const double *from) {
  return *(const lanes_t *)from;
}

static inline lanes_t lanes_load_floats(const float *from) {
  return __builtin_convertvector(*(const floats_t *)from, lanes_t);
}

static inline void lanes_store(double *to, lanes_t value) {
  *(lanes_t *)to = value;
}

static inline void lanes_store_floats(float *to, lanes_t value) {
  *(floats_t *)to = __builtin_convertvector(value, floats_t);
}

#endif
