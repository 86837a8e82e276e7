// The functions of base/exact_math.h for many numbers, by the numbers that scripts/shoal/compile/front.lua gives them.
#include "base/exact_math.h"
#include "native/loop.h"

#define UNARY(name_)                                                                                                   \
  static void many_##name_(double *a, const double *b, int64_t count) {                                                \
    (void)b;                                                                                                           \
    for (int64_t i = 0; i < count; ++i)                                                                                \
      a[i] = exact_##name_(a[i]);                                                                                      \
  }
#define BINARY(name_)                                                                                                  \
  static void many_##name_(double *a, const double *b, int64_t count) {                                                \
    for (int64_t i = 0; i < count; ++i)                                                                                \
      a[i] = exact_##name_(a[i], b[i]);                                                                                \
  }

UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(exp)
UNARY(log10)
UNARY(log)
BINARY(atan2)
BINARY(pow)

const native_exact_t native_exact[] = {many_sin,  many_cos,  many_tan, many_asin,  many_acos, many_atan,  many_sinh,
                                       many_cosh, many_tanh, many_exp, many_log10, many_log,  many_atan2, many_pow};
