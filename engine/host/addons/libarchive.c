// Opens libarchive and resolves its functions by name.
#include "addons/libarchive.h"

#include <dlfcn.h>
#include <stdbool.h>

static const char NAME[] = "libarchive.so.13";

const libarchive_t *libarchive_load(error_info_t *error) {
  static libarchive_t functions;
  static bool loaded;
  void *library = loaded ? NULL : dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
  bool found = library != NULL;
#define FIND(name_)                                                                                                    \
  if (found)                                                                                                           \
    found = (*(void **)&functions.name_ = dlsym(library, "archive_" #name_)) != NULL;
  LIBARCHIVE_FUNCTIONS(FIND)
#undef FIND
  loaded = loaded || found;
  if (!loaded)
    error_set(error, "cannot read archives: %s: run ./shoal deps", dlerror());
  return loaded ? &functions : NULL;
}
