// An object file (ELF, x86-64) that the compiler has made, as code that can be called: its sections are laid into pages
// of their own, with a page on each side that cannot be touched, references between them are resolved, and the pages
// become readable and executable and are never written again. What refers to anything outside of itself is refused.
#ifndef SHOAL_NATIVE_OBJECT_H
#define SHOAL_NATIVE_OBJECT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct object_t {
  void *pages; // the whole mapping
  size_t size_bytes;
  void *entry;
} object_t;

// Finds `name`, a function. False with a message: nothing is mapped then. `bytes` may be anything.
bool object_map(object_t *out, const void *bytes, size_t size_bytes, const char *name, error_t *error);
void object_unmap(object_t *o);

#endif
