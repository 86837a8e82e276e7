// Locates addresses in plugin libraries. Signal handlers read the table of libraries, so an entry is written completely
// before `in_use` is set.
#include "crash/code_location.h"

#include "base/assert.h"

#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

// --- the file mapped at an address. The dynamic loader is not used, because the crashed thread may hold its lock.

typedef struct mapping_t {
  uint64_t begin, offset;
  char path[600];
} mapping_t;

static uint64_t read_hex(const char **cursor) {
  uint64_t value = 0;
  for (; strchr("0123456789abcdef", **cursor) && **cursor; ++*cursor)
    value = value * 16 + (uint64_t)(**cursor <= '9' ? **cursor - '0' : **cursor - 'a' + 10);
  return value;
}

// Parses a line such as "7f00-7f10 r-xp 00001000 08:01 1234 /tmp/heat.so (deleted)". Returns true if the line maps a
// file and contains `address`.
static bool read_mapping(const char *line, uint64_t address, mapping_t *out) {
  const char *cursor = line;
  out->begin = read_hex(&cursor);
  if (*cursor++ != '-' || address < out->begin || address >= read_hex(&cursor))
    return false;
  cursor += strcspn(cursor + (*cursor != '\0'), " ") + 1; // skips the permissions
  cursor += *cursor == ' ';
  out->offset = read_hex(&cursor);
  const char *path = strchr(cursor, '/');
  snprintf(out->path, sizeof out->path, "%s", path ? path : "");
  char *suffix = strstr(out->path, " (deleted)");
  if (suffix)
    *suffix = '\0';
  return path != NULL;
}

static bool find_mapping(uint64_t address, mapping_t *out) {
  char line[1024];
  size_t length = 0;
  char buffer[4096];
  bool found = false;
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t count; file >= 0 && !found && (count = read(file, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < count && !found; ++i) {
      if (buffer[i] != '\n') {
        if (length + 1 < sizeof line)
          line[length++] = buffer[i];
        continue;
      }
      line[length] = '\0';
      length = 0;
      found = read_mapping(line, address, out);
    }
  if (file >= 0)
    close(file);
  return found;
}

static const crash_library_t *find_library(const char *path) {
  for (uint32_t i = 0; i < CRASH_MAX_LIBRARIES; ++i)
    if (atomic_load(&libraries[i].in_use) && strcmp(libraries[i].copy_path, path) == 0)
      return &libraries[i].library;
  return NULL;
}

bool code_location_find(const void *code, code_location_t *out) {
  uint64_t address = (uint64_t)(uintptr_t)code, shift = 0;
  mapping_t mapping;
  memset(out, 0, sizeof *out);
  if (!code || !find_mapping(address, &mapping))
    return false;
  const crash_library_t *library = find_library(mapping.path);
  if (!library)
    return false;
  snprintf(out->plugin, sizeof out->plugin, "%s", library->name);
  snprintf(out->library, sizeof out->library, "%s", library->path);
  out->bytes = library->bytes;
  out->size = library->size;
  uint64_t offset = address - mapping.begin + mapping.offset;
  if (symbols_find_shift(library->bytes, library->size, offset, &shift))
    symbols_find_location(library->bytes, library->size, offset + shift, &out->code);
  return true;
}

bool code_location_find_on_stack(const void *code, code_location_t *out) {
  void *frames[64];
  if (code_location_find(code, out))
    return true;
  int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i)
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
