// Replaces functions that a shared library calls by name.
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

#endif
