// Elementary functions of many values at a time, with the same bits as the functions of base/exact_math.h.
#ifndef SHOAL_BASE_EXACT_MATH_ARRAYS_H
#define SHOAL_BASE_EXACT_MATH_ARRAYS_H

#include "base/calling_convention.h"

#include <stdint.h>

// Indices of the functions, as in scripts/shoal/compile/symbolic_exec.lua.
typedef enum exact_array_function_t {
  EXACT_ARRAY_SIN,
  EXACT_ARRAY_COS,
  EXACT_ARRAY_TAN,
  EXACT_ARRAY_ASIN,
  EXACT_ARRAY_ACOS,
  EXACT_ARRAY_ATAN,
  EXACT_ARRAY_SINH,
  EXACT_ARRAY_COSH,
  EXACT_ARRAY_TANH,
  EXACT_ARRAY_EXP,
  EXACT_ARRAY_LOG10,
  EXACT_ARRAY_LOG,
  EXACT_ARRAY_ATAN2,
  EXACT_ARRAY_POW,
  EXACT_ARRAY_COUNT
} exact_array_function_t;

typedef void(SYSV_ABI *exact_array_t)(double *a, const double *b, int64_t count); // sets a[i] to f(a[i], b[i])

// Returns the fastest functions for this processor, in an array of EXACT_ARRAY_COUNT elements. The results are the same
// on all processors.
const exact_array_t *exact_math_arrays(void);

#endif
