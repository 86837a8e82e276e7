// File names of libraries on Windows. SDL2 is linked into the program, so no package contains its DLL.
#include "base/library_names.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

const char *library_name(library_name_t name) {
  static const char *const NAMES[LIBRARY_NAME_COUNT] = {
      [LIBRARY_NAME_SDL] = "SDL2.dll",
      [LIBRARY_NAME_ALSA] = NULL, // Linux only
      [LIBRARY_NAME_ARCHIVE] = "archive.dll",
      [LIBRARY_NAME_POSTGRES] = "libpq.dll",
  };
  shoal_assert((size_t)name < LIBRARY_NAME_COUNT, "library %d is out of range", (int)name);
  return NAMES[name];
}

// The installer of LLVM gives the library the same name in all versions, and does not add its folder to the folders in
// which Windows searches.
bool library_name_of_llvm(size_t index, unsigned version, char *out, size_t out_bytes) {
  (void)version;
  const char *programs = getenv("ProgramFiles");
  switch (index) {
  case 0: return snprintf(out, out_bytes, "LLVM-C.dll") > 0;
  case 1: return programs && (size_t)snprintf(out, out_bytes, "%s/LLVM/bin/LLVM-C.dll", programs) < out_bytes;
  default: return false;
  }
}

const char *library_hint_of_llvm(void) {
  return "install LLVM, or copy LLVM-C.dll into the program's folder";
}

const char *library_suffix(void) {
  return ".dll";
}
