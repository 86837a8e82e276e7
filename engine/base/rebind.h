// Other functions in the place of those that a shared library calls by name. In the program the order of search does
// it: its own sin() comes before the C library's. Inside libshoal, which shows no such name to anybody, the libraries
// that compute for a world are bound here instead (exact_math.h).
#ifndef SHOAL_BASE_REBIND_H
#define SHOAL_BASE_REBIND_H

#include <stdint.h>

typedef struct rebind_t {
  const char *name;
  void *function;
} rebind_t;

// Of the library that `inside` lies in and of those that it names itself, but for the system's own. Returns how many
// places have changed: none where they call these already, or where the system does not say how it loads.
uint32_t rebind(const void *inside, const rebind_t *list, uint32_t count);

// The same with the exact functions of exact_names.h. (exact_libm.c)
uint32_t rebind_exact(const void *inside);

#endif
