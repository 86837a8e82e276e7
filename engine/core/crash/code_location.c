// Locates addresses in plugin libraries. Signal handlers read the table of libraries, so an entry is written completely
// before `in_use` is set.
#include "crash/code_location.h"

#include "base/assert.h"
#include "crash/call_stack.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct {
  // Copied from library.copy_path: a signal handler may still compare the path when the caller frees its string.
  char copy_path[600];
  crash_library_t library;
  _Atomic bool in_use;
} libraries[CRASH_MAX_LIBRARIES];

void crash_library_add(const crash_library_t *library) {
  shoal_assert(library->copy_path && library->bytes, "copy_path and bytes must not be NULL");
  shoal_assert(library->name && library->path, "name and path must not be NULL");
  for (uint32_t i = 0; i < CRASH_MAX_LIBRARIES; ++i) {
    if (atomic_load(&libraries[i].in_use))
      continue;
    snprintf(libraries[i].copy_path, sizeof libraries[i].copy_path, "%s", library->copy_path);
    libraries[i].library = *library;
    atomic_store(&libraries[i].in_use, true);
    return;
  }
}

void crash_library_remove(const char *copy_path) {
  shoal_assert(copy_path && copy_path[0], "copy_path must not be empty");
  for (uint32_t i = 0; i < CRASH_MAX_LIBRARIES; ++i)
    if (atomic_load(&libraries[i].in_use) && strcmp(libraries[i].copy_path, copy_path) == 0)
      atomic_store(&libraries[i].in_use, false);
}

const crash_library_t *crash_library_get(uint32_t i) {
  for (uint32_t k = 0; k < CRASH_MAX_LIBRARIES; ++k)
    if (atomic_load(&libraries[k].in_use) && i-- == 0)
      return &libraries[k].library;
  return NULL;
}

// --- locations

static const crash_library_t *find_library(const char *path) {
  for (uint32_t i = 0; i < CRASH_MAX_LIBRARIES; ++i)
    if (atomic_load(&libraries[i].in_use) && strcmp(libraries[i].copy_path, path) == 0)
      return &libraries[i].library;
  return NULL;
}

bool code_location_find(const void *code, code_location_t *out) {
  uint64_t offset = 0, shift = 0;
  char path[600];
  memset(out, 0, sizeof *out);
  if (!code || !call_stack_find_file(code, path, sizeof path, &offset))
    return false;
  const crash_library_t *library = find_library(path);
  if (!library)
    return false;
  snprintf(out->plugin, sizeof out->plugin, "%s", library->name);
  snprintf(out->library, sizeof out->library, "%s", library->path);
  out->bytes = library->bytes;
  out->size = library->size;
  if (symbols_find_shift(library->bytes, library->size, offset, &shift))
    symbols_find_location(library->bytes, library->size, offset + shift, &out->code);
  return true;
}

bool code_location_find_on_stack(const void *code, code_location_t *out) {
  void *frames[64];
  if (code_location_find(code, out))
    return true;
  uint32_t count = call_stack_capture(frames, 64);
  for (uint32_t i = 0; i < count; ++i)
    if (code_location_find((const char *)frames[i] - 1, out)) // the call precedes the return address
      return true;
  return false;
}

char *code_location_format(const code_location_t *location, char *out, size_t bytes) {
  shoal_assert(out && bytes > 0, "out must not be NULL, and bytes must not be 0");
  const char *slash = strrchr(location->library, '/'), *base = slash ? slash + 1 : location->library;
  const char *function = location->code.function[0] ? location->code.function : "an unnamed function";
  if (location->code.line > 0)
    snprintf(out, bytes, "%s at %s:%u", function, location->code.file, location->code.line);
  else
    snprintf(out, bytes, "%s in %s (no line numbers: compile with -g)", function, base);
  return out;
}
