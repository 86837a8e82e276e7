// File names of the libraries that are opened at run time (base/dynamic_library.h). One table per system.
#ifndef SHOAL_BASE_LIBRARY_NAMES_H
#define SHOAL_BASE_LIBRARY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum library_name_t {
  LIBRARY_NAME_SDL, // scripts/build/package.sh adds this file to packages
  LIBRARY_NAME_ALSA,
  LIBRARY_NAME_ARCHIVE,
  LIBRARY_NAME_POSTGRES,
  LIBRARY_NAME_COUNT
} library_name_t;

// Returns the file name of a library, or NULL if the system has no such library.
const char *library_name(library_name_t name);
// Writes a possible file name or path of this LLVM version's library to `out`. `index`: 0 for the most likely name.
// Returns true on success, or false if the system has no more names.
bool library_name_of_llvm(size_t index, unsigned version, char *out, size_t out_bytes);
const char *library_hint_of_llvm(void); // returns how to install LLVM, as a part of a sentence
const char *library_suffix(void);       // returns the suffix of a library's file name, such as ".so"

#endif
