// Array versions of the functions in base/exact_math.h: AVX computes four values at a time, AVX-512 eight. With the
// corrections of exact_math.c, SLEEF's vector functions return the same bits as its scalar functions (design/0015).
#include "base/exact_math_arrays.h"

#include "base/exact_math.h"

#include <math.h>

#define ONE_BY_ONE(name_)                                                                                              \
  static SYSV_ABI void each_##name_(double *a, const double *b, int64_t count) {                                       \
    (void)b;                                                                                                           \
    for (int64_t i = 0; i < count; ++i)                                                                                \
      a[i] = exact_##name_(a[i]);                                                                                      \
  }
#define PAIR_BY_PAIR(name_)                                                                                            \
  static SYSV_ABI void each_##name_(double *a, const double *b, int64_t count) {                                       \
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

// canonical_4 replaces every NaN with the canonical NaN. near_one_4 sets the cosine of arguments with a magnitude
// below 2^-27 to 1, because SLEEF's variants differ there.
__attribute__((target("avx"))) static __m256d canonical_4(__m256d v) {
  return _mm256_blendv_pd(v, _mm256_set1_pd((double)NAN), _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
}

__attribute__((target("avx"))) static __m256d near_one_4(__m256d x, __m256d v) {
  __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  return _mm256_blendv_pd(v, _mm256_set1_pd(1), _mm256_cmp_pd(size, _mm256_set1_pd(0x1p-27), _CMP_LT_OQ));
}

__attribute__((target("avx512f"))) static __m512d canonical_8(__m512d v) {
  return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), v, _mm512_set1_pd((double)NAN));
}

__attribute__((target("avx512f"))) static __m512d near_one_8(__m512d x, __m512d v) {
  __mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(0x1p-27), _CMP_LT_OQ);
  return _mm512_mask_blend_pd(small, v, _mm512_set1_pd(1));
}

#define AS_IT_IS(x_, v_) (v_)

// Defines a function that computes `lanes_` values at a time; `rest_` computes the remaining values. Declares SLEEF's
// functions, because SLEEF's header declares them only if the whole file is compiled for processors with these
// instructions.
#define MANY(lanes_, bits_, target_, name_, sleef_, result_, rest_)                                                    \
  __m##bits_##d sleef_(__m##bits_##d);                                                                                 \
  __attribute__((target(target_))) static SYSV_ABI void many_##name_##_##lanes_(double *a, const double *b,            \
                                                                                int64_t count) {                       \
    int64_t i = 0;                                                                                                     \
    for (; i + lanes_ <= count; i += lanes_) {                                                                         \
      __m##bits_##d x = _mm##bits_##_loadu_pd(a + i);                                                                  \
      _mm##bits_##_storeu_pd(a + i, result_(x, canonical_##lanes_(sleef_(x))));                                        \
    }                                                                                                                  \
    rest_(a + i, b, count - i);                                                                                        \
  }
#define MANY_PAIRS(lanes_, bits_, target_, name_, sleef_, rest_)                                                       \
  __m##bits_##d sleef_(__m##bits_##d, __m##bits_##d);                                                                  \
  __attribute__((target(target_))) static SYSV_ABI void many_##name_##_##lanes_(double *a, const double *b,            \
                                                                                int64_t count) {                       \
    int64_t i = 0;                                                                                                     \
    for (; i + lanes_ <= count; i += lanes_)                                                                           \
      _mm##bits_##_storeu_pd(a + i,                                                                                    \
                             canonical_##lanes_(sleef_(_mm##bits_##_loadu_pd(a + i), _mm##bits_##_loadu_pd(b + i))));  \
    rest_(a + i, b + i, count - i);                                                                                    \
  }
#define FOUR(name_, accuracy_, result_)                                                                                \
  MANY(4, 256, "avx", name_, Sleef_cinz_##name_##d4_##accuracy_##avx, result_, each_##name_)
#define EIGHT(name_, accuracy_, result_)                                                                               \
  MANY(8, 512, "avx512f", name_, Sleef_cinz_##name_##d8_##accuracy_##avx512fnofma, result_, many_##name_##_4)

FOUR(sin, u35, AS_IT_IS)
FOUR(cos, u35, near_one_4)
FOUR(tan, u35, AS_IT_IS)
FOUR(asin, u35, AS_IT_IS)
FOUR(acos, u35, AS_IT_IS)
FOUR(atan, u35, AS_IT_IS)
FOUR(sinh, u35, AS_IT_IS)
FOUR(cosh, u35, AS_IT_IS)
FOUR(tanh, u35, AS_IT_IS)
FOUR(exp, u10, AS_IT_IS)
FOUR(log10, u10, AS_IT_IS)
FOUR(log, u10, AS_IT_IS)
MANY_PAIRS(4, 256, "avx", atan2, Sleef_cinz_atan2d4_u35avx, each_atan2)

// Computes the special cases of exact_pow exactly: x^2, the square root of nonnegative x, and x^1.
__m256d Sleef_cinz_powd4_u10avx(__m256d, __m256d);
__attribute__((target("avx"))) static SYSV_ABI void many_pow_4(double *a, const double *b, int64_t count) {
  const __m256d zero = _mm256_setzero_pd(), half = _mm256_set1_pd(0.5);
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256d x = _mm256_loadu_pd(a + i), y = _mm256_loadu_pd(b + i), v = Sleef_cinz_powd4_u10avx(x, y);
    __m256d is_root = _mm256_and_pd(_mm256_cmp_pd(y, half, _CMP_EQ_OQ), _mm256_cmp_pd(x, zero, _CMP_GE_OQ));
    v = _mm256_blendv_pd(v, _mm256_mul_pd(x, x), _mm256_cmp_pd(y, _mm256_set1_pd(2), _CMP_EQ_OQ));
    v = _mm256_blendv_pd(v, _mm256_add_pd(_mm256_sqrt_pd(x), zero), is_root);
    v = _mm256_blendv_pd(v, x, _mm256_cmp_pd(y, _mm256_set1_pd(1), _CMP_EQ_OQ));
    _mm256_storeu_pd(a + i, canonical_4(v));
  }
  each_pow(a + i, b + i, count - i);
}

// No EIGHT(pow): SLEEF's version for eight values rounds some results differently.
EIGHT(sin, u35, AS_IT_IS)
EIGHT(cos, u35, near_one_8)
EIGHT(tan, u35, AS_IT_IS)
EIGHT(asin, u35, AS_IT_IS)
EIGHT(acos, u35, AS_IT_IS)
EIGHT(atan, u35, AS_IT_IS)
EIGHT(sinh, u35, AS_IT_IS)
EIGHT(cosh, u35, AS_IT_IS)
EIGHT(tanh, u35, AS_IT_IS)
EIGHT(exp, u10, AS_IT_IS)
EIGHT(log10, u10, AS_IT_IS)
EIGHT(log, u10, AS_IT_IS)
MANY_PAIRS(8, 512, "avx512f", atan2, Sleef_cinz_atan2d8_u35avx512fnofma, many_atan2_4)

static const exact_array_t avx_functions[] = {many_sin_4,   many_cos_4,  many_tan_4,   many_asin_4, many_acos_4,
                                              many_atan_4,  many_sinh_4, many_cosh_4,  many_tanh_4, many_exp_4,
                                              many_log10_4, many_log_4,  many_atan2_4, many_pow_4};
static const exact_array_t avx512_functions[] = {many_sin_8,   many_cos_8,  many_tan_8,   many_asin_8, many_acos_8,
                                                 many_atan_8,  many_sinh_8, many_cosh_8,  many_tanh_8, many_exp_8,
                                                 many_log10_8, many_log_8,  many_atan2_8, many_pow_4};
#endif

static const exact_array_t scalar_functions[] = {each_sin,   each_cos,  each_tan,   each_asin, each_acos,
                                                 each_atan,  each_sinh, each_cosh,  each_tanh, each_exp,
                                                 each_log10, each_log,  each_atan2, each_pow};

const exact_array_t *exact_math_arrays(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") ? avx512_functions
         : __builtin_cpu_supports("avx2")  ? avx_functions
                                           : scalar_functions;
#else
  return scalar_functions;
#endif
}
