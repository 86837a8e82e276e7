// File names of libraries on Windows. SDL2 is linked into the program, so no package contains its DLL.
#include "base/library_names.h"

#include "base/assert.h"

#include <stdio.h>

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

// The installer of LLVM always gives the library this name.
bool library_name_of_llvm(size_t index, unsigned version, char *out, size_t out_bytes) {
  (void)version;
  return index == 0 && snprintf(out, out_bytes, "LLVM-C.dll") > 0;
}

const char *library_suffix(void) {
  return ".dll";
}
