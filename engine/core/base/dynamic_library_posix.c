// Opens libraries with dlopen.
#include "base/dynamic_library.h"

#include <dlfcn.h>
#include <stddef.h>

void *dynamic_library_open(const char *name) {
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void dynamic_library_close(void *library) {
  dlclose(library);
}

void *dynamic_library_find(void *library, const char *symbol) {
  return dlsym(library, symbol);
}

const char *dynamic_library_error(void) {
  const char *message = dlerror();
  return message ? message : "unknown reason";
}

const char *dynamic_library_path(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fname : NULL;
}

const char *dynamic_library_symbol(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_sname : NULL;
}
