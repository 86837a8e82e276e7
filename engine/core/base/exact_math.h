// Sine, exponential, power and other elementary functions with identical bits on every processor. They are SLEEF's
// deterministic functions (Shibata and Petrogalli, "SLEEF: A Portable Vectorized Library of C Standard Mathematical
// Functions", 2020), which do not use fused multiply-add. glibc selects implementations with different results on
// processors without FMA or AVX2.
//
// All code that a simulation can reach uses these functions. The program defines the C library's names (exact_libm.c),
// so that calls from SQLite, SDL and LuaJIT's ffi.C reach these functions. premake5.lua links static libraries with
// --wrap. shoal/math.h provides these functions to plugins. In engine code, sin(x) and exact_sin(x) are the same
// function. Reasons and measurements: design/0015.
//
// Arguments and results are as in C11 (radians; domain errors give NaN, poles infinities); errno is not set. A NaN
// result is always the canonical NaN, 0x7ff8000000000000. Any thread.
#ifndef SHOAL_BASE_EXACT_MATH_H
#define SHOAL_BASE_EXACT_MATH_H

#define EXACT_UNARY(name_, accuracy_)                                                                                  \
  double exact_##name_(double x);                                                                                      \
  float exact_##name_##f(float x);
#define EXACT_BINARY(name_, accuracy_)                                                                                 \
  double exact_##name_(double x, double y);                                                                            \
  float exact_##name_##f(float x, float y);
// The float versions round the double result once.
#include "base/exact_names.h"

// exact_pow is exact in these cases: x^0 is 1, x^1 is x, x^2 is x * x, and x^0.5 is sqrt(x) for x ≥ 0. LuaJIT's trace
// compiler replaces some of these calls with the plain operation, and both must have the same result. Integer powers of
// integers are exact below 2^53.

// These functions compute sine and cosine of the same angle, with the same bits as the separate functions.
void exact_sincos(double x, double *sin_x, double *cos_x);
void exact_sincosf(float x, float *sin_x, float *cos_x);

// Returns an id of the arithmetic: a name and a digest of results for fixed arguments. Programs with the same id
// compute the same results; recordings and saves contain the id. The string is static, with at most 63 characters.
const char *exact_math_id(void);

#endif
