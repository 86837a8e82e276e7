// Elementary functions with identical results everywhere: one lane of SLEEF's vector functions, which are faster than
// its scalar functions.
#include "base/exact_math.h"

#include "base/hash.h"

#include <math.h>
#include <pthread.h>
#include <sleef.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#define IN(x_) _mm_set_sd(x_)
#define CALL(name_, accuracy_, ...) _mm_cvtsd_f64(Sleef_cinz_##name_##d2_##accuracy_##sse2(__VA_ARGS__))
#elif defined(__aarch64__)
#define IN(x_) vdupq_n_f64(x_)
#define CALL(name_, accuracy_, ...) vgetq_lane_f64(Sleef_cinz_##name_##d2_##accuracy_##advsimdnofma(__VA_ARGS__), 0)
#else
#error "exact_math: add SLEEF's functions without fused multiply-add for this processor"
#endif

// Returns the canonical NaN for any NaN, because LuaJIT interprets different bit patterns of NaN as values of different
// types.
static double canonicalize_nan(double x) {
  return x == x ? x : (double)NAN;
}

// Returns true if the result must be exactly 1: SLEEF's variants of cos_u35 differ for tiny arguments, and some return
// the number just below 1. Callers of the vector variants must do the same check.
static bool rounds_to_one(const char *name, double x) {
  return strcmp(name, "cos") == 0 && fabs(x) < 0x1p-27;
}

#define EXACT_UNARY(name_, accuracy_)                                                                                  \
  double exact_##name_(double x) {                                                                                     \
    return rounds_to_one(#name_, x) ? 1 : canonicalize_nan(CALL(name_, accuracy_, IN(x)));                             \
  }                                                                                                                    \
  float exact_##name_##f(float x) {                                                                                    \
    return (float)exact_##name_((double)x);                                                                            \
  }
#define EXACT_BINARY(name_, accuracy_)                                                                                 \
  static double general_##name_(double x, double y) {                                                                  \
    return canonicalize_nan(CALL(name_, accuracy_, IN(x), IN(y)));                                                     \
  }                                                                                                                    \
  float exact_##name_##f(float x, float y) {                                                                           \
    return (float)exact_##name_((double)x, (double)y);                                                                 \
  }
#include "base/exact_names.h"

double exact_atan2(double y, double x) {
  return general_atan2(y, x);
}

double exact_hypot(double x, double y) {
  return general_hypot(x, y);
}

double exact_pow(double x, double y) {
  if (y == 2)
    return canonicalize_nan(x * x);
  if (y == 0.5 && x >= 0)
    return sqrt(x) + 0.0; // + 0.0, because pow(-0, 0.5) is +0, but sqrt(-0) is -0
  if (y == 1)
    return canonicalize_nan(x);
  return general_pow(x, y); // returns 1 for y = 0
}

void exact_sincos(double x, double *sin_x, double *cos_x) {
  *sin_x = exact_sin(x);
  *cos_x = exact_cos(x);
}

void exact_sincosf(float x, float *sin_x, float *cos_x) {
  *sin_x = exact_sinf(x);
  *cos_x = exact_cosf(x);
}

// --- identification

#define ID_SAMPLES 64

// Returns an argument with a magnitude from 1e-6 to 1e6, alternating in sign, that is not a round number.
static double sample_argument(int i) {
  double x = 1.2345678901234567e-6;
  for (int k = 0; k < i / 2; ++k)
    x *= 2.4201;
  return i % 2 ? -x : x;
}

static char id[64];

static void compute_id(void) {
  uint64_t digest = 0;
  for (int i = 0; i < ID_SAMPLES; ++i) {
    const double x = sample_argument(i), y = sample_argument((i * 7 + 3) % ID_SAMPLES);
    const double results[] = {
#define EXACT_UNARY(name_, accuracy_) exact_##name_(x),
#define EXACT_BINARY(name_, accuracy_) exact_##name_(x, y),
#include "base/exact_names.h"
    };
    digest = hash_bytes(results, sizeof results, digest);
  }
  (void)snprintf(id, sizeof id, "sleef-cinz-%016llx", (unsigned long long)digest);
}

const char *exact_math_id(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, compute_id);
  return id;
}
