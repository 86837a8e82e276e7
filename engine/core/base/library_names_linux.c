// File names of libraries on Linux, with the versions of their binary interfaces.
#include "base/library_names.h"

#include "base/assert.h"

#include <stdio.h>

const char *library_name(library_name_t name) {
  static const char *const NAMES[LIBRARY_NAME_COUNT] = {
      [LIBRARY_NAME_SDL] = "libSDL2-2.0.so.0",
      [LIBRARY_NAME_ALSA] = "libasound.so.2",
      [LIBRARY_NAME_ARCHIVE] = "libarchive.so.13",
      [LIBRARY_NAME_POSTGRES] = "libpq.so.5",
  };
  shoal_assert((size_t)name < LIBRARY_NAME_COUNT, "library %d is out of range", (int)name);
  return NAMES[name];
}

bool library_name_of_llvm(size_t index, unsigned version, char *out, size_t out_bytes) {
  switch (index) {
  case 0: return snprintf(out, out_bytes, "libLLVM-%u.so.1", version) > 0;
  case 1: return snprintf(out, out_bytes, "libLLVM.so.%u.1", version) > 0;
  case 2: return snprintf(out, out_bytes, "libLLVM-%u.so", version) > 0;
  default: return false;
  }
}

const char *library_hint_of_llvm(void) {
  return "install libllvm15 with ./shoal deps";
}

const char *library_suffix(void) {
  return ".so";
}
