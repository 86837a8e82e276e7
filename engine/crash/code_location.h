// Where code of a plugin is: the libraries that are open, with their bytes, and what a report says of an address in
// one of them. Libraries are known before they are opened, so that a crash in a constructor has a place, too.
//
// Told and forgotten on one thread; asked on any, also in a signal handler.
#ifndef SHOAL_CRASH_CODE_LOCATION_H
#define SHOAL_CRASH_CODE_LOCATION_H

#include "crash/symbols.h"

typedef struct crash_library_t {
  const char *name; // of the plugin; all of this borrowed, until it is forgotten
  const char *path; // of the file that it was copied from
  const char *copy; // what the system has loaded
  const uint8_t *bytes;
  size_t size;
} crash_library_t;

// More than these at once have no names in reports.
#define CRASH_MAX_LIBRARIES 512u
void crash_library_add(const crash_library_t *library);
void crash_library_remove(const char *copy);

typedef struct crash_place_t {
  char plugin[64];
  char library[256]; // its path
  symbols_place_t code;
} crash_place_t;

// False when `code` lies in no library that is known.
bool crash_place_find(const void *code, crash_place_t *out);
// The innermost place of the stack of this thread, which has begun at `code` or is in the handler of a signal that
// came there. False when no library that is known takes part.
bool crash_place_of_stack(const void *code, crash_place_t *out);

// "grow at heat.c:12", "grow, in heat.so, which was built without lines (-g)". Returns `out`.
char *crash_place_words(const crash_place_t *place, char *out, size_t bytes);

#endif
