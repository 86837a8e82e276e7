// Elementary functions with the same bits on every processor and in every build: what scripts get from math.sin, and
// the host computes with. libm's own differ by processor, so that a world that depends on them is another one
// elsewhere.
//
// A plugin that calls sin(x) gets these, too, when the program that runs it is Shoal's: its names come before libm's.
// shoal_sin also holds in a tool that opened Shoal as a library, and the compiler does not work out shoal_sin(1) by
// itself. sqrt, fabs, floor, ceil, trunc, fmod and the like are exact everywhere and not here.
//
// Arguments and results as in C11, radians; NaN results are always the same one; errno is left alone. Any thread,
// from `open` on. Part of the public plugin headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_MATH_H
#define SHOAL_MATH_H

#include <stdint.h>

// clang-format off
#define SHOAL_MATH_UNARY(F)                                                                                            \
  F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(exp) F(exp2)       \
  F(exp10) F(expm1) F(ln) F(log2) F(log10) F(log1p) F(cbrt) F(erf) F(erfc) F(tgamma) F(lgamma)
#define SHOAL_MATH_BINARY(F) F(atan2) F(hypot) F(pow)
// clang-format on

// In this order for ever; new ones come behind.
#define SHOAL_MATH_UNARY_POINTER(name_) double (*name_)(double x);
#define SHOAL_MATH_BINARY_POINTER(name_) double (*name_)(double x, double y);
typedef struct shoal_math {
  SHOAL_MATH_UNARY(SHOAL_MATH_UNARY_POINTER)
  SHOAL_MATH_BINARY(SHOAL_MATH_BINARY_POINTER)
} shoal_math;

// The host's functions: one pointer for the whole library, set by the host before it calls anything.
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
__attribute__((weak, visibility("hidden"))) const shoal_math *shoal_math_here = 0;
#else
static const shoal_math *shoal_math_here = 0; // of one file
#endif
#ifdef __cplusplus
}
#endif

// double shoal_sin(double x), float shoal_sinf(float x) (the double result, rounded), …; the natural logarithm is
// shoal_ln, since shoal_log writes into the log.
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
