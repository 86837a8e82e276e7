// The functions of base/exact_math.h for many numbers, by the numbers that scripts/shoal/compile/front.lua gives them.
// Where there is AVX, four at a time: SLEEF's forms give the same bits (design/0015), with what exact_math.c does
// before and behind them.
#include "base/exact_math.h"
#include "native/loop.h"

#include <math.h>

#define ONE_BY_ONE(name_)                                                                                              \
  static void each_##name_(double *a, const double *b, int64_t count) {                                                \
    (void)b;                                                                                                           \
    for (int64_t i = 0; i < count; ++i)                                                                                \
      a[i] = exact_##name_(a[i]);                                                                                      \
  }
#define PAIR_BY_PAIR(name_)                                                                                            \
  static void each_##name_(double *a, const double *b, int64_t count) {                                                \
    for (int64_t i = 0; i < count; ++i)                                                                                \
      a[i] = exact_##name_(a[i], b[i]);                                                                                \
  }

ONE_BY_ONE(sin)
ONE_BY_ONE(cos)
ONE_BY_ONE(tan)
ONE_BY_ONE(asin)
ONE_BY_ONE(acos)
ONE_BY_ONE(atan)
ONE_BY_ONE(sinh)
ONE_BY_ONE(cosh)
ONE_BY_ONE(tanh)
ONE_BY_ONE(exp)
ONE_BY_ONE(log10)
ONE_BY_ONE(log)
PAIR_BY_PAIR(atan2)
PAIR_BY_PAIR(pow)

#if defined(__x86_64__)
#include <immintrin.h>

enum { AT_ONCE = 4 };

// SLEEF's header has these only for what is compiled for AVX throughout.
#define DECLARE(name_, accuracy_) __m256d Sleef_cinz_##name_##d4_##accuracy_##avx(__m256d);
__m256d Sleef_cinz_atan2d4_u35avx(__m256d, __m256d);

// NaN has one form; and the cosine rounds to 1 below 2^-27, where the forms of SLEEF's differ.
__attribute__((target("avx"))) static __m256d canonical(__m256d v) {
  return _mm256_blendv_pd(v, _mm256_set1_pd((double)NAN), _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
}

__attribute__((target("avx"))) static __m256d near_one(__m256d x, __m256d v) {
  __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  return _mm256_blendv_pd(v, _mm256_set1_pd(1), _mm256_cmp_pd(size, _mm256_set1_pd(0x1p-27), _CMP_LT_OQ));
}

#define MANY(name_, accuracy_, result_)                                                                                \
  DECLARE(name_, accuracy_)                                                                                            \
  __attribute__((target("avx"))) static void many_##name_(double *a, const double *b, int64_t count) {                 \
    int64_t i = 0;                                                                                                     \
    (void)b;                                                                                                           \
    for (; i + AT_ONCE <= count; i += AT_ONCE) {                                                                       \
      __m256d x = _mm256_loadu_pd(a + i), v = canonical(Sleef_cinz_##name_##d4_##accuracy_##avx(x));                   \
      _mm256_storeu_pd(a + i, result_);                                                                                \
    }                                                                                                                  \
    for (; i < count; ++i)                                                                                             \
      a[i] = exact_##name_(a[i]);                                                                                      \
  }

MANY(sin, u35, v)
MANY(cos, u35, near_one(x, v))
MANY(tan, u35, v)
MANY(asin, u35, v)
MANY(acos, u35, v)
MANY(atan, u35, v)
MANY(sinh, u35, v)
MANY(cosh, u35, v)
MANY(tanh, u35, v)
MANY(exp, u10, v)
MANY(log10, u10, v)
MANY(log, u10, v)

__attribute__((target("avx"))) static void many_atan2(double *a, const double *b, int64_t count) {
  int64_t i = 0;
  for (; i + AT_ONCE <= count; i += AT_ONCE)
    _mm256_storeu_pd(a + i, canonical(Sleef_cinz_atan2d4_u35avx(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i))));
  for (; i < count; ++i)
    a[i] = exact_atan2(a[i], b[i]);
}

static const native_exact_t fours[] = {many_sin,  many_cos,  many_tan, many_asin,  many_acos, many_atan,  many_sinh,
                                       many_cosh, many_tanh, many_exp, many_log10, many_log,  many_atan2, each_pow};
#endif

static const native_exact_t singles[] = {each_sin,  each_cos,  each_tan, each_asin,  each_acos, each_atan,  each_sinh,
                                         each_cosh, each_tanh, each_exp, each_log10, each_log,  each_atan2, each_pow};

const native_exact_t *native_exact(void) {
#if defined(__x86_64__)
  return codegen_best() >= CODEGEN_AVX2 ? fours : singles;
#else
  return singles;
#endif
}
