// Computes the exact elementary functions (base/exact_math.h) of many numbers, one by one and as arrays, and prints a
// hash of all results. scenarios/windows.sh compares the hashes of Linux and of Windows.
#include "base/exact_math.h"
#include "base/exact_math_arrays.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 1000

static uint64_t random_state = 88172645463325252u;
static uint64_t digest;
static uint64_t result_count;

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

// Returns a number of a magnitude from 1e-12 to 1e12, or rarely any bit pattern.
static double next_number(void) {
  const uint64_t bits = next_random();
  if (bits % 64 == 0) {
    const uint64_t any = next_random();
    double number;
    memcpy(&number, &any, sizeof number);
    return number;
  }
  double number = (double)(int64_t)(bits >> 11) / 9007199254740992.0 - 0.5;
  for (uint64_t i = bits % 25; i > 12; --i)
    number *= 10;
  for (uint64_t i = bits % 25; i < 12; ++i)
    number /= 10;
  return number;
}

static void add_results(const double *results, size_t count) {
  digest = hash_bytes(results, count * sizeof *results, digest);
  result_count += count;
}

static void compute_scalars(size_t blocks) {
  static double x[BLOCK], y[BLOCK], results[BLOCK];
  for (size_t block = 0; block < blocks; ++block) {
    for (size_t i = 0; i < BLOCK; ++i) {
      x[i] = next_number();
      y[i] = next_number();
    }
#define EXACT_UNARY(name_, accuracy_)                                                                                  \
  for (size_t i = 0; i < BLOCK; ++i)                                                                                   \
    results[i] = exact_##name_(x[i]);                                                                                  \
  add_results(results, BLOCK);
#define EXACT_BINARY(name_, accuracy_)                                                                                 \
  for (size_t i = 0; i < BLOCK; ++i)                                                                                   \
    results[i] = exact_##name_(x[i], y[i]);                                                                            \
  add_results(results, BLOCK);
#include "base/exact_names.h"
  }
}

// Returns the number of results that differ from the results of the functions for one number.
static uint64_t compute_arrays(size_t blocks) {
  static double (*const unary[])(double) = {exact_sin,  exact_cos,  exact_tan,  exact_asin, exact_acos,  exact_atan,
                                            exact_sinh, exact_cosh, exact_tanh, exact_exp,  exact_log10, exact_log};
  static double (*const binary[])(double, double) = {exact_atan2, exact_pow};
  const size_t unary_count = sizeof unary / sizeof *unary, binary_count = sizeof binary / sizeof *binary;
  const exact_array_t *functions = exact_math_arrays();
  static double x[BLOCK], y[BLOCK], results[BLOCK];
  uint64_t different = 0;
  for (size_t block = 0; block < blocks; ++block) {
    for (size_t k = 0; k < unary_count + binary_count; ++k) {
      for (size_t i = 0; i < BLOCK; ++i) {
        x[i] = results[i] = next_number();
        y[i] = next_number();
      }
      functions[k](results, y, BLOCK);
      add_results(results, BLOCK);
      for (size_t i = 0; i < BLOCK; ++i) {
        const double one = k < unary_count ? unary[k](x[i]) : binary[k - unary_count](x[i], y[i]);
        different += memcmp(&one, &results[i], sizeof one) != 0;
      }
    }
  }
  return different;
}

// exact COUNT: computes each function of COUNT thousand numbers.
int main(int argc, char **argv) {
  const size_t blocks = argc > 1 ? (size_t)atoi(argv[1]) : 1;
  compute_scalars(blocks);
  printf("%llu results one by one: %016llx\n", (unsigned long long)result_count, (unsigned long long)digest);
  result_count = digest = 0;
  const uint64_t different = compute_arrays(blocks);
  printf("%llu results in arrays: %016llx; %llu differ\n", (unsigned long long)result_count, (unsigned long long)digest,
         (unsigned long long)different);
  printf("%s\n", exact_math_id());
  return different ? 1 : 0;
}
