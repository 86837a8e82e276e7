// Elementary functions: all SLEEF variants of this processor give the same bits, also for special values; results that
// must be exact are exact; and the C library's names are bound to these functions.
#include "base/exact_math.h"
#include "base/sort.h"
#include "test.h"

#include <float.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>
#include <sleef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM 20000u

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x == x ? bits : 0x7ff8000000000000u;
}

static const double special[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 -0.5,
                                 2.0,
                                 3.0,
                                 -3.0,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 5e-324,
                                 -5e-324,
                                 1e-310,
                                 -1e-310,
                                 DBL_MIN,
                                 1e-20,
                                 1e16,
                                 1e22,
                                 -1e22,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 709.7,
                                 710.5,
                                 -745.2,
                                 -746.0,
                                 1e308,
                                 0.1,
                                 M_PI,
                                 M_PI_2,
                                 -M_PI,
                                 1e5,
                                 2147483648.0,
                                 -9007199254740992.0,
                                 9007199254740993.0,
                                 1.0000000000000002};
#define SPECIAL (sizeof special / sizeof *special)

static uint64_t stream;

static double random_uniform(double low, double high) {
  stream = stream * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(stream >> 11) * 0x1p-53;
}

// Returns argument i: special values first, then random values, half of them from -10 to 10 and half of any magnitude.
static double choose_argument(uint32_t i) {
  if (i < SPECIAL)
    return special[i];
  return i % 2 ? random_uniform(-10, 10) : ldexp(random_uniform(-1, 1), (int)random_uniform(-1080, 1024));
}

// --- all variants give the same bits

// Returns true if exact_cos handles x as a special case, because SLEEF's variants differ there (exact_math.c).
static bool is_tiny(double x) {
  return fabs(x) < 0x1p-27;
}

#define SCALAR1(name_, accuracy_, x_) Sleef_cinz_##name_##d1_##accuracy_##purec(x_)
#define SCALAR2(name_, accuracy_, x_, y_) Sleef_cinz_##name_##d1_##accuracy_##purec(x_, y_)

#define EXACT_UNARY(name_, accuracy_)                                                                                  \
  static void check_##name_(void) {                                                                                    \
    for (uint32_t i = 0; i < RANDOM; ++i) {                                                                            \
      double x = choose_argument(i);                                                                                   \
      if (!is_tiny(x) || exact_##name_(x) != 1)                                                                        \
        assert_int_equal(bits_of(exact_##name_(x)), bits_of(SCALAR1(name_, accuracy_, x)));                            \
    }                                                                                                                  \
  }
// Powers that are handled as special cases are tested below.
#define EXACT_BINARY(name_, accuracy_)                                                                                 \
  static void check_##name_(void) {                                                                                    \
    for (uint32_t i = 0; i < RANDOM; ++i) {                                                                            \
      double x = choose_argument(i < SPECIAL * SPECIAL ? i % SPECIAL : i),                                             \
             y = choose_argument(i < SPECIAL * SPECIAL ? i / SPECIAL : i + 1);                                         \
      if (y != 0.5 && y != 1 && y != 2)                                                                                \
        assert_int_equal(bits_of(exact_##name_(x, y)), bits_of(SCALAR2(name_, accuracy_, x, y)));                      \
    }                                                                                                                  \
  }
#include "base/exact_names.h"

TEST(scalar_and_vector_functions_give_the_same_bits) {
#define EXACT_UNARY(name_, accuracy_) check_##name_();
#define EXACT_BINARY(name_, accuracy_) check_##name_();
#include "base/exact_names.h"
}

#ifdef __x86_64__
// <sleef.h> declares only the variants for the processor that the compiler targets.
#define WIDE(F)                                                                                                        \
  F(sin, u35)                                                                                                          \
  F(cos, u35)                                                                                                          \
  F(tan, u35)                                                                                                          \
  F(atan, u35)                                                                                                         \
  F(exp, u10)                                                                                                          \
  F(log, u10)                                                                                                          \
  F(log10, u10)
#define DECLARE(name_, accuracy_)                                                                                      \
  __m256d Sleef_cinz_##name_##d4_##accuracy_##avx(__m256d x);                                                          \
  __m512d Sleef_cinz_##name_##d8_##accuracy_##avx512fnofma(__m512d x);
WIDE(DECLARE)

#define AVX(name_, accuracy_)                                                                                          \
  assert_int_equal(bits_of(exact_##name_(x)),                                                                          \
                   bits_of(_mm256_cvtsd_f64(Sleef_cinz_##name_##d4_##accuracy_##avx(_mm256_set1_pd(x)))));
#define AVX512(name_, accuracy_)                                                                                       \
  assert_int_equal(bits_of(exact_##name_(x)),                                                                          \
                   bits_of(_mm512_cvtsd_f64(Sleef_cinz_##name_##d8_##accuracy_##avx512fnofma(_mm512_set1_pd(x)))));

__attribute__((target("avx"))) static void check_avx(void) {
  for (uint32_t i = 0; i < RANDOM; ++i) {
    double x = choose_argument(i);
    if (!is_tiny(x)) {
      WIDE(AVX)
    }
  }
}

__attribute__((target("avx512f"))) static void check_avx512(void) {
  for (uint32_t i = 0; i < RANDOM; ++i) {
    double x = choose_argument(i);
    if (!is_tiny(x)) {
      WIDE(AVX512)
    }
  }
}
#endif

TEST(wide_vector_functions_give_the_same_bits) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx"))
    check_avx();
  if (__builtin_cpu_supports("avx512f"))
    check_avx512();
  if (__builtin_cpu_supports("avx"))
    return;
#endif
  skip();
}

// --- exact results

TEST(integer_powers_are_exact) {
  for (int x = -300; x <= 300; ++x) {
    double power = 1;
    for (int y = 0; y < 54 && fabs(power) <= 0x1p53; ++y, power *= x)
      assert_true(exact_pow(x, y) == power);
  }
  for (int y = -1074; y < 1024; ++y)
    assert_true(exact_pow(2, y) == ldexp(1, y));
}

TEST(powers_that_luajit_simplifies_give_the_simplified_result) {
  for (uint32_t i = 0; i < RANDOM; ++i) {
    double x = choose_argument(i);
    assert_int_equal(bits_of(exact_pow(x, 2)), bits_of(x * x));
    assert_int_equal(bits_of(exact_pow(x, 1)), bits_of(x));
    assert_true(exact_pow(x, 0) == 1);
    if (x > 0)
      assert_int_equal(bits_of(exact_pow(x, 0.5)), bits_of(sqrt(x)));
  }
  assert_int_equal(bits_of(exact_pow(-0.0, 0.5)), 0);
  assert_true(isinf(exact_pow(-INFINITY, 0.5)) && exact_pow(-INFINITY, 0.5) > 0);
  assert_int_equal(bits_of(exact_pow(-4, 0.5)), bits_of(NAN));
}

TEST(math_functions_are_exact_at_well_known_values) {
  assert_true(exact_cos(0) == 1 && exact_sin(M_PI_2) == 1 && exact_cos(M_PI) == -1 && exact_exp(0) == 1 &&
              exact_log(1) == 0);
  assert_true(exact_atan2(0, -1) == M_PI && exact_atan2(1, 1) == M_PI_4 && exact_acos(-1) == M_PI &&
              exact_asin(1) == M_PI_2);
  assert_true(exact_cos(4e-16) == 1 && exact_cos(1e-300) == 1 && exact_cos(0x1p-28) == 1);
  assert_true(exact_hypot(3, 4) == 5 && exact_cbrt(27) == 3 && exact_tanh(1e3) == 1);
  for (int i = 0; i <= 22; ++i) {
    assert_true(exact_log10(exact_pow(10, i)) == i);
    assert_true(exact_log2(ldexp(1, i)) == i);
  }
}

TEST(nan_results_are_canonical) {
  const double results[] = {exact_sin(INFINITY), exact_cos(-INFINITY), exact_log(-1),   exact_asin(2),
                            exact_acos(-2),      exact_pow(-8, 1.5),   exact_tan(-NAN), exact_exp(-NAN),
                            exact_pow(-NAN, 2),  exact_pow(-NAN, 1),   exact_sinh(-NAN)};
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
    uint64_t bits;
    memcpy(&bits, &results[i], sizeof bits);
    assert_int_equal(bits, 0x7ff8000000000000u);
  }
}

// --- bindings of the C names

TEST(c_math_names_are_bound_to_the_exact_functions) {
  for (uint32_t i = 0; i < 200; ++i) {
    double x = choose_argument(i + (uint32_t)SPECIAL), y = choose_argument(i + (uint32_t)SPECIAL + 1), s, c;
    float xf = (float)x, yf = (float)y, sf, cf;
#define EXACT_UNARY(name_, accuracy_)                                                                                  \
  assert_int_equal(bits_of(name_(x)), bits_of(exact_##name_(x)));                                                      \
  assert_int_equal(bits_of((double)name_##f(xf)), bits_of((double)(float)exact_##name_((double)xf)));
#define EXACT_BINARY(name_, accuracy_)                                                                                 \
  assert_int_equal(bits_of(name_(x, y)), bits_of(exact_##name_(x, y)));                                                \
  assert_int_equal(bits_of((double)name_##f(xf, yf)), bits_of((double)(float)exact_##name_((double)xf, (double)yf)));
#include "base/exact_names.h"
    sincos(x, &s, &c);
    sincosf(xf, &sf, &cf);
    assert_true(bits_of(s) == bits_of(exact_sin(x)) && bits_of(c) == bits_of(exact_cos(x)));
    assert_int_equal(bits_of((double)sf), bits_of((double)exact_sinf(xf)));
    assert_int_equal(bits_of((double)cf), bits_of((double)exact_cosf(xf)));
  }
}

// Change this id only for a SLEEF version whose results differ: hashes change, recordings no longer replay, and loaded
// saves may continue differently.
TEST(exact_math_id_is_unchanged) {
  assert_string_equal(exact_math_id(), "sleef-cinz-7e04e054eb1fe3d6");
}

// --- stable sorting

typedef struct item_t {
  uint32_t key, place;
  uint8_t more[300];
} item_t;

static int compare_keys(const void *a, const void *b) {
  uint32_t ka = ((const item_t *)a)->key, kb = ((const item_t *)b)->key;
  return (ka > kb) - (ka < kb);
}

TEST(qsort_is_stable) {
  const size_t sizes[] = {8, 12, 64,
                          // the last size exceeds the block that insertion sort moves in one step
                          sizeof(item_t)};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (uint32_t count = 0; count < 700; count += 1 + count / 3) {
      uint8_t *items = calloc(count + 1, sizes[s]);
      for (uint32_t i = 0; i < count; ++i)
        memcpy(items + i * sizes[s], (uint32_t[]){(uint32_t)random_uniform(0, 9), i}, 8);
      qsort(items, count, sizes[s], compare_keys);
      for (uint32_t i = 1; i < count; ++i) {
        const item_t *a = (const void *)(items + (i - 1) * sizes[s]), *b = (const void *)(items + i * sizes[s]);
        assert_true(a->key < b->key || (a->key == b->key && a->place < b->place));
      }
      free(items);
    }
}
