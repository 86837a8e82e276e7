// Maps a compiled object (ELF, x86-64) as executable code: copies its sections to new pages between two inaccessible
// guard pages, resolves references between sections, and makes the pages read-only and executable. Objects with
// external references are rejected.
#ifndef SHOAL_NATIVE_OBJECT_FILE_H
#define SHOAL_NATIVE_OBJECT_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct object_t {
  void *pages; // the whole mapping, including guard pages
  size_t size_bytes;
  void *entry;
} object_t;

// Maps the object and finds the function `name`. Returns true on success. On failure, returns false with a message and
// maps nothing. Safe for any bytes.
bool object_map(object_t *out, const void *bytes, size_t size_bytes, const char *name, error_info_t *error);
void object_unmap(object_t *object);

#endif
