// Defines qsort and the C library's names of the functions in exact_math.h. Each function is defined twice. Shared
// libraries and LuaJIT's ffi.C bind to the function's own name, because the program precedes libm in the search order.
// In statically linked code, the linker substitutes __wrap_…, so that the binding also holds in a library that is
// opened at run time.
#include "base/exact_math.h"
#include "base/sort.h"

// <math.h> and <stdlib.h> are not included, because the attributes of their declarations would be wrong for these
// definitions.
#define DEFINE(type_, name_, exact_, parameters_, arguments_)                                                          \
  type_ name_ parameters_;                                                                                             \
  type_ __wrap_##name_ parameters_ __attribute__((alias(#name_)));                                                     \
  type_ name_ parameters_ {                                                                                            \
    return exact_ arguments_;                                                                                          \
  }
#define EXACT_UNARY(name_, accuracy_)                                                                                  \
  DEFINE(double, name_, exact_##name_, (double x), (x))                                                                \
  DEFINE(float, name_##f, exact_##name_##f, (float x), (x))
#define EXACT_BINARY(name_, accuracy_)                                                                                 \
  DEFINE(double, name_, exact_##name_, (double x, double y), (x, y))                                                   \
  DEFINE(float, name_##f, exact_##name_##f, (float x, float y), (x, y))
#include "base/exact_names.h"

DEFINE(void, sincos, exact_sincos, (double x, double *sin_x, double *cos_x), (x, sin_x, cos_x))
DEFINE(void, sincosf, exact_sincosf, (float x, float *sin_x, float *cos_x), (x, sin_x, cos_x))
DEFINE(void, qsort, sort_stable, (void *items, size_t count, size_t size_bytes, sort_compare_t *compare),
       (items, count, size_bytes, compare))
