// Opens libpq.
#include "served/postgres_library.h"

#include "base/dynamic_library.h"
#include "base/library_names.h"

#include <pthread.h>

static postgres_library_t functions;
static bool is_loaded;

static void load(void) {
  void *library =
      dynamic_library_open(library_name(LIBRARY_NAME_POSTGRES)); // never closed, because OpenSSL cannot be unloaded
  bool found = library != NULL;
#define FIND(result_, name_, arguments_)                                                                               \
  if (found)                                                                                                           \
    found = (*(void **)&functions.name_ = dynamic_library_find(library, "PQ" #name_)) != NULL;
  POSTGRES_FUNCTIONS(FIND)
#undef FIND
  is_loaded = found;
}

const postgres_library_t *postgres_library_load(error_info_t *error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!is_loaded)
    error_set(error, "a world on PostgreSQL needs %s: install libpq5 (on Debian: apt-get install libpq5)",
              library_name(LIBRARY_NAME_POSTGRES));
  return is_loaded ? &functions : NULL;
}
