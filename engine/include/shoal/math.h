// Elementary functions that return the same bits on every processor and in every build. Scripts (math.sin) and the host
// use them, too. The functions of libm give different results on different processors, which would make worlds diverge.
//
// The host also binds a plugin's calls to sin(x) to these functions, where the system allows it. Prefer shoal_sin: it
// works on every system, and the compiler cannot compute its result in advance, as it does for sin(1). sqrt, fabs,
// floor, ceil, trunc, fmod and similar functions are exact everywhere and not listed here.
//
// Arguments and results are as in C11, with angles in radians. All NaN results have the same bits. errno is not
// changed. Any thread, in all of a plugin's code except the library's constructors. Part of the public plugin headers:
// C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_MATH_H
#define SHOAL_MATH_H

#include <stdint.h>

// clang-format off
#define SHOAL_MATH_UNARY(F)                                                                                            \
  F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(exp) F(exp2)       \
  F(exp10) F(expm1) F(ln) F(log2) F(log10) F(log1p) F(cbrt) F(erf) F(erfc) F(tgamma) F(lgamma)
#define SHOAL_MATH_BINARY(F) F(atan2) F(hypot) F(pow)
// clang-format on

// The order of the members is part of the binary interface; append new functions.
#define SHOAL_MATH_UNARY_POINTER(name_) double (*name_)(double x);
#define SHOAL_MATH_BINARY_POINTER(name_) double (*name_)(double x, double y);
typedef struct shoal_math {
  SHOAL_MATH_UNARY(SHOAL_MATH_UNARY_POINTER)
  SHOAL_MATH_BINARY(SHOAL_MATH_BINARY_POINTER)
} shoal_math;

// The host's functions: one pointer per library, set by the host before it calls the plugin.
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
__attribute__((weak, visibility("hidden"))) const shoal_math *shoal_math_here = 0;
#else
static const shoal_math *shoal_math_here = 0; // one per translation unit
#endif
#ifdef __cplusplus
}
#endif

// Defines double shoal_sin(double x), float shoal_sinf(float x) (the rounded double result) and so on. The natural
// logarithm is shoal_ln, because shoal_log writes to the log.
#define SHOAL_MATH_UNARY_CALL(name_)                                                                                   \
  static inline double shoal_##name_(double x) {                                                                       \
    return shoal_math_here->name_(x);                                                                                  \
  }                                                                                                                    \
  static inline float shoal_##name_##f(float x) {                                                                      \
    return (float)shoal_math_here->name_((double)x);                                                                   \
  }
#define SHOAL_MATH_BINARY_CALL(name_)                                                                                  \
  static inline double shoal_##name_(double x, double y) {                                                             \
    return shoal_math_here->name_(x, y);                                                                               \
  }                                                                                                                    \
  static inline float shoal_##name_##f(float x, float y) {                                                             \
    return (float)shoal_math_here->name_((double)x, (double)y);                                                        \
  }
SHOAL_MATH_UNARY(SHOAL_MATH_UNARY_CALL)
SHOAL_MATH_BINARY(SHOAL_MATH_BINARY_CALL)

#endif
