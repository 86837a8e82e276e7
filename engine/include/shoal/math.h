// Elementary functions that return the same bits on every processor and in every build. Scripts (math.sin) and the host
// use them, too. The functions of libm give different results on different processors, which would make worlds diverge.
//
// On Linux, SHOAL_PLUGIN also redirects calls to the C library's versions, such as sin and qsort, to these functions:
// the calls in the plugin and in its static libraries (SHOAL_MATH_NAMES below). Prefer shoal_sin: it works on every
// system, and the compiler cannot compute its result in advance, as it does for sin(1). sqrt, fabs, floor, ceil, trunc,
// fmod and similar functions are exact everywhere and not listed here.
//
// Arguments and results are as in C11, with angles in radians. All NaN results have the same bits. errno is not
// changed. Any thread, in all of a plugin's code except the library's constructors. Part of the public plugin headers:
// C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_MATH_H
#define SHOAL_MATH_H

#include <stddef.h>
#include <stdint.h>

// clang-format off
// F(name, name in the C library)
#define SHOAL_MATH_UNARY(F)                                                                                            \
  F(sin, sin) F(cos, cos) F(tan, tan) F(asin, asin) F(acos, acos) F(atan, atan) F(sinh, sinh) F(cosh, cosh)            \
  F(tanh, tanh) F(asinh, asinh) F(acosh, acosh) F(atanh, atanh) F(exp, exp) F(exp2, exp2) F(exp10, exp10)              \
  F(expm1, expm1) F(ln, log) F(log2, log2) F(log10, log10) F(log1p, log1p) F(cbrt, cbrt) F(erf, erf) F(erfc, erfc)     \
  F(tgamma, tgamma) F(lgamma, lgamma)
#define SHOAL_MATH_BINARY(F) F(atan2, atan2) F(hypot, hypot) F(pow, pow)
// clang-format on

// The order of the members is part of the binary interface. Append new functions.
#define SHOAL_MATH_UNARY_POINTER(name_, c_name_) double (*name_)(double x);
#define SHOAL_MATH_BINARY_POINTER(name_, c_name_) double (*name_)(double x, double y);
typedef int shoal_compare_fn(const void *a, const void *b);
typedef struct shoal_math {
  SHOAL_MATH_UNARY(SHOAL_MATH_UNARY_POINTER)
  SHOAL_MATH_BINARY(SHOAL_MATH_BINARY_POINTER)
  void (*qsort)(void *items, size_t count, size_t size_bytes, shoal_compare_fn *compare); // a stable sort
} shoal_math;

// The host's functions: one pointer per library, set by the host before it calls the plugin.
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__) && !defined(__ELF__) && !defined(__MACH__) // for Windows: the linker keeps one definition
__attribute__((selectany)) const shoal_math *shoal_math_functions = 0;
#elif defined(__GNUC__)
__attribute__((weak, visibility("hidden"))) const shoal_math *shoal_math_functions = 0;
#else
static const shoal_math *shoal_math_functions = 0; // one pointer per translation unit
#endif
#ifdef __cplusplus
}
#endif

// Defines double shoal_sin(double x), float shoal_sinf(float x) (the rounded double result) and so on. The natural
// logarithm is shoal_ln, because shoal_log writes to the log.
#define SHOAL_MATH_UNARY_CALL(name_, c_name_)                                                                          \
  static inline double shoal_##name_(double x) {                                                                       \
    return shoal_math_functions->name_(x);                                                                             \
  }                                                                                                                    \
  static inline float shoal_##name_##f(float x) {                                                                      \
    return (float)shoal_math_functions->name_((double)x);                                                              \
  }
#define SHOAL_MATH_BINARY_CALL(name_, c_name_)                                                                         \
  static inline double shoal_##name_(double x, double y) {                                                             \
    return shoal_math_functions->name_(x, y);                                                                          \
  }                                                                                                                    \
  static inline float shoal_##name_##f(float x, float y) {                                                             \
    return (float)shoal_math_functions->name_((double)x, (double)y);                                                   \
  }
SHOAL_MATH_UNARY(SHOAL_MATH_UNARY_CALL)
SHOAL_MATH_BINARY(SHOAL_MATH_BINARY_CALL)

// Defines the C library's names of these functions, their float versions, sincos, sincosf and qsort, hidden in the
// plugin. The linker binds the calls in the plugin and in its static libraries to these definitions. The definitions
// are weak, so that a plugin can define a function itself. The library's constructors run before the host sets
// shoal_math_functions. Until then, the definitions call the functions of the C library. Expanded by SHOAL_PLUGIN. Only
// ELF linkers bind calls in this way.
#if defined(__GNUC__) && defined(__ELF__)
#ifdef __cplusplus
#define SHOAL_LIBM_LINKAGE extern "C"
#else
#define SHOAL_LIBM_LINKAGE extern
#endif
#define SHOAL_LIBM_DECLARE(type_, name_, parameters_)                                                                  \
  SHOAL_LIBM_LINKAGE type_ shoal_libm_##name_ parameters_ __asm__(#name_)                                              \
      __attribute__((weak, visibility("hidden"), used));
// Address of the host's function or, before the host has set shoal_math_functions, of the C library's function. NULL is
// RTLD_DEFAULT.
#define SHOAL_LIBM_ADDRESS(member_, c_name_, ...)                                                                      \
  (shoal_math_functions ? shoal_math_functions->member_ : (__VA_ARGS__)(uintptr_t)shoal_libm_find(NULL, #c_name_))
#define SHOAL_LIBM_UNARY(name_, c_name_)                                                                               \
  SHOAL_LIBM_DECLARE(double, c_name_, (double x))                                                                      \
  double shoal_libm_##c_name_(double x) {                                                                              \
    return SHOAL_LIBM_ADDRESS(name_, c_name_, double (*)(double))(x);                                                  \
  }                                                                                                                    \
  SHOAL_LIBM_DECLARE(float, c_name_##f, (float x))                                                                     \
  float shoal_libm_##c_name_##f(float x) {                                                                             \
    return (float)SHOAL_LIBM_ADDRESS(name_, c_name_, double (*)(double))((double)x);                                   \
  }
#define SHOAL_LIBM_BINARY(name_, c_name_)                                                                              \
  SHOAL_LIBM_DECLARE(double, c_name_, (double x, double y))                                                            \
  double shoal_libm_##c_name_(double x, double y) {                                                                    \
    return SHOAL_LIBM_ADDRESS(name_, c_name_, double (*)(double, double))(x, y);                                       \
  }                                                                                                                    \
  SHOAL_LIBM_DECLARE(float, c_name_##f, (float x, float y))                                                            \
  float shoal_libm_##c_name_##f(float x, float y) {                                                                    \
    return (float)SHOAL_LIBM_ADDRESS(name_, c_name_, double (*)(double, double))((double)x, (double)y);                \
  }
#define SHOAL_LIBM_SINCOS(type_, name_)                                                                                \
  SHOAL_LIBM_DECLARE(void, name_, (type_ x, type_ * sin_x, type_ * cos_x))                                             \
  void shoal_libm_##name_(type_ x, type_ *sin_x, type_ *cos_x) {                                                       \
    *sin_x = (type_)SHOAL_LIBM_ADDRESS(sin, sin, double (*)(double))((double)x);                                       \
    *cos_x = (type_)SHOAL_LIBM_ADDRESS(cos, cos, double (*)(double))((double)x);                                       \
  }
#define SHOAL_MATH_NAMES                                                                                               \
  SHOAL_LIBM_LINKAGE void *shoal_libm_find(void *handle, const char *name) __asm__("dlsym");                           \
  SHOAL_MATH_UNARY(SHOAL_LIBM_UNARY)                                                                                   \
  SHOAL_MATH_BINARY(SHOAL_LIBM_BINARY)                                                                                 \
  SHOAL_LIBM_SINCOS(double, sincos)                                                                                    \
  SHOAL_LIBM_SINCOS(float, sincosf)                                                                                    \
  SHOAL_LIBM_DECLARE(void, qsort, (void *items, size_t count, size_t size_bytes, shoal_compare_fn *compare))           \
  void shoal_libm_qsort(void *items, size_t count, size_t size_bytes, shoal_compare_fn *compare) {                     \
    SHOAL_LIBM_ADDRESS(qsort, qsort, void (*)(void *, size_t, size_t, shoal_compare_fn *))                             \
    (items, count, size_bytes, compare);                                                                               \
  }
#else
#define SHOAL_MATH_NAMES
#endif

#endif
