// Sine, exponential, power and their kin, with the same bits on every processor: SLEEF's deterministic functions
// (Shibata and Petrogalli, "SLEEF: A Portable Vectorized Library of C Standard Mathematical Functions", 2020), none
// of which uses a fused multiply-add. glibc picks another implementation, with other bits, where FMA or AVX2 is
// missing.
//
// Everything that the simulation can reach is bound to these: the program defines the C library's names
// (exact_libm.c), so that LuaJIT, Chipmunk, SQLite, plugins and LuaJIT's ffi.C find them, and premake5.lua links what
// is linked statically with
// --wrap. New code of the engine may write sin(x) or exact_sin(x): it is the same function. Why, and what was measured:
// design/0015.
//
// Arguments and results as in C11 (radians; domain errors give NaN, poles infinities); errno is left alone. A NaN
// result is always the canonical one, 0x7ff8000000000000. Any thread.
#ifndef SHOAL_BASE_EXACT_MATH_H
#define SHOAL_BASE_EXACT_MATH_H

#define EXACT_UNARY(name_, accuracy_)                                                                                  \
  double exact_##name_(double x);                                                                                      \
  float exact_##name_##f(float x);
#define EXACT_BINARY(name_, accuracy_)                                                                                 \
  double exact_##name_(double x, double y);                                                                            \
  float exact_##name_##f(float x, float y);
// The forms for float are the double result, rounded once.
#include "base/exact_names.h"

// exact_pow: x^0 is 1, x^1 is x, x^2 is x * x, and x^0.5 is the root for x ≥ 0, each exactly, since LuaJIT's trace
// compiler replaces some of these calls by such operations. Whole powers of whole numbers are exact while they are
// below 2^53.

// sin and cos of the same angle: the bits that the two functions give.
void exact_sincos(double x, double *sin_x, double *cos_x);
void exact_sincosf(float x, float *sin_x, float *cos_x);

// Which arithmetic this is: a name and a digest of what the functions return for fixed arguments. Two programs with
// the same id compute the same; recordings and saves carry it. Static storage, at most 63 characters.
const char *exact_math_id(void);

#endif
