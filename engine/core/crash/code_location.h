// Locates plugin code: a table of loaded libraries with their bytes, and descriptions of addresses in these libraries.
// Libraries are added before they are opened, so that a crash in a constructor can be located.
//
// Libraries are added and removed on one thread; the table is read on any thread, including in signal handlers.
#ifndef SHOAL_CRASH_CODE_LOCATION_H
#define SHOAL_CRASH_CODE_LOCATION_H

#include "crash/symbols.h"

typedef struct crash_library_t {
  const char *name;      // name of the plugin; like all members, borrowed until the library is removed
  const char *path;      // path of the plugin's original file
  const char *copy_path; // path of the loaded copy of the file
  const uint8_t *bytes;
  size_t size;
  uint64_t loaded_tick; // tick in which this library replaced its previous version; 0: loaded at the start
} crash_library_t;

// Maximum number of libraries; reports do not locate code in additional libraries.
#define CRASH_MAX_LIBRARIES 512u
void crash_library_add(const crash_library_t *library);
void crash_library_remove(const char *copy_path);

// Returns the i-th library of the table, in no particular order; NULL after the last library. May be called in a signal
// handler.
const crash_library_t *crash_library_get(uint32_t i);

typedef struct code_location_t {
  char plugin[64];
  char library[256];    // path of the library, as in crash_library_t
  const uint8_t *bytes; // bytes of the library; borrowed
  size_t size;
  symbols_location_t code;
} code_location_t;

// Describes the location of `code`. Returns true on success, or false if no library in the table contains `code`.
bool code_location_find(const void *code, code_location_t *out);
// Finds the innermost location in a library of the table on this thread's stack, starting at `code`. May be called in
// the signal handler of a fault at `code`. Returns true on success, or false if the stack contains no such location.
bool code_location_find_on_stack(const void *code, code_location_t *out);

// Writes "grow at heat.c:12" or, without a line, "grow in heat.so (no line numbers: compile with -g)". Returns `out`.
char *code_location_format(const code_location_t *location, char *out, size_t bytes);

#endif
