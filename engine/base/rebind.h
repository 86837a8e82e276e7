// Replaces functions that a shared library calls by name. In the program, the search order suffices: its own sin()
// precedes the C library's. libshoal does not export these names, so the libraries that compute for a world are rebound
// here instead (exact_math.h).
#ifndef SHOAL_BASE_REBIND_H
#define SHOAL_BASE_REBIND_H

#include <stdint.h>

typedef struct rebind_t {
  const char *name;
  void *function;
} rebind_t;

// Rebinds the library that contains the address `inside`, and its direct dependencies, except system libraries. Returns
// the number of changed relocations: 0 if they already refer to these functions, or if the system does not expose its
// relocations.
uint32_t rebind_functions(const void *inside, const rebind_t *list, uint32_t count);

// Calls rebind_functions with the exact functions of exact_names.h (exact_libm.c).
uint32_t rebind_exact_libm(const void *inside);

#endif
