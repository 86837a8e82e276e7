// Definitions that are generated when the library is linked (scripts/build/install.sh): the engine's functions by name,
// as in abi.h, and the prefix of the installation.
#ifndef SHOAL_LIBRARY_NAMES_H
#define SHOAL_LIBRARY_NAMES_H

#include <stdint.h>

typedef struct library_name_t {
  const char *name;
  void *function;
} library_name_t;

extern const library_name_t library_names[];
extern const uint32_t library_name_count;

extern const char library_prefix[]; // prefix of the installation, such as /usr/local

#endif
