// The function tables of <shoal/world.h> for the standalone entity system: for the program, for the functions of its
// managers, and for parts of its parallel loops. Managers run while rows change, and parts run on several threads, so
// both may call only some functions.
#include "library/ecs_library.h"

#include "access/last_error.h"
#include "base/file_system.h"
#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// --- what managers and parts may call, from the `where` of a function in shoal/functions.h

enum {
  ALLOWED_ALWAYS = ECS_MANAGER | ECS_PART,
  ALLOWED_ANY_THREAD = ECS_MANAGER | ECS_PART,
  ALLOWED_ANY = ECS_MANAGER | ECS_PART,
  ALLOWED_READ_PARALLEL = ECS_PART,
  ALLOWED_COMMAND = ECS_PART, // commands of parts are queued
  ALLOWED_READ = 0,
  ALLOWED_WRITE = 0,
  ALLOWED_QUERY = 0,
  ALLOWED_INTERN = 0,
  ALLOWED_SPAWN = 0,
  ALLOWED_EVENTS = 0,
  ALLOWED_HOST_ONLY = 0
};

// Returns true for the functions that declare components, or add bindings to the program's declarations.
#define DECLARES(name_)                                                                                                \
  (offsetof(shoal_world_api, name_) == offsetof(shoal_world_api, declare) ||                                           \
   offsetof(shoal_world_api, name_) == offsetof(shoal_world_api, find_component))

// --- world state

static bool world_access_restore(shoal_world *w, const void *bytes, size_t size) {
  return access_restore_snapshot(access_of(w), bytes, size);
}

// --- files: a hash of the bytes, followed by the bytes. Does not use base/files.h, which depends on zlib.

static bool write_bytes(const char *path, const void *bytes, size_t size) {
  char temporary[4096];
  uint64_t hash = hash_bytes(bytes, size, 0);
  if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
    return access_fail("the path %.200s… is too long (at most %zu bytes): shorten it", path,
                       sizeof temporary - sizeof ".new");
  FILE *file = fopen(temporary, "wb");
  bool ok = file && fwrite(&hash, sizeof hash, 1, file) == 1 && fwrite(bytes, 1, size, file) == size;
  ok = (!file || fclose(file) == 0) && ok && file_system_rename(temporary, path);
  return ok || access_fail("cannot write %s: %s", path, strerror(errno));
}

static bool world_access_save(shoal_world *w, const char *path) {
  access_o *a = access_of(w);
  size_t size = path ? world_access_snapshot(w, NULL, 0) : 0;
  if (size == 0)
    return path ? false : access_fail("path must not be NULL");
  void *bytes = alloc_resize(&a->memory, NULL, 0, size);
  bool ok = world_access_snapshot(w, bytes, size) == size && write_bytes(path, bytes, size);
  alloc_resize(&a->memory, bytes, size, 0);
  return ok;
}

static bool restore_file(access_o *a, const char *path, FILE *file, size_t size) {
  uint64_t hash = 0;
  void *bytes = alloc_resize(&a->memory, NULL, 0, size);
  bool ok = fread(&hash, sizeof hash, 1, file) == 1 && fread(bytes, 1, size, file) == size &&
            hash == hash_bytes(bytes, size, 0);
  ok = ok ? access_restore_snapshot(a, bytes, size)
          : access_fail("cannot load %s: the file is damaged, or not a saved world", path);
  alloc_resize(&a->memory, bytes, size, 0);
  return ok;
}

static bool world_access_load(shoal_world *w, const char *path) {
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file)
    return path ? access_fail("cannot open %s: %s", path, strerror(errno)) : access_fail("path must not be NULL");
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) - (long)sizeof(uint64_t) : 0;
  bool ok = size > 0 && fseek(file, 0, SEEK_SET) == 0
                ? restore_file(access_of(w), path, file, (size_t)size)
                : access_fail("cannot load %s: the file is not a saved world", path);
  fclose(file);
  return ok;
}

// --- function tables

// Returns true for the functions that do not depend on the rows of destroyed entities.
#define KEEPS_MARKS(name_)                                                                                             \
  (offsetof(shoal_world_api, name_) == offsetof(shoal_world_api, destroy_many) ||                                      \
   offsetof(shoal_world_api, name_) == offsetof(shoal_world_api, is_alive))

// Returns true for the functions that ecs_can_read admits.
#define ONLY_READS(name_)                                                                                              \
  (offsetof(shoal_world_api, name_) == offsetof(shoal_world_api, has) ||                                               \
   offsetof(shoal_world_api, name_) == offsetof(shoal_world_api, get_struct) ||                                        \
   offsetof(shoal_world_api, name_) == offsetof(shoal_world_api, get_instance))

// clang-format off
// check_NAME is not inline, so that the common case of a reading function needs no stack frame.
#define GUARD(name_, result_, otherwise_, where_, parameters_, arguments_, words_)                                     \
  __attribute__((noinline)) static result_ check_##name_ parameters_ {                                                 \
    ecs_t *ecs = KEEPS_MARKS(name_) ? ecs_check_destroying_call(w, "shoal_" #name_)                                    \
                                    : ecs_check_call(w, "shoal_" #name_);                                              \
    if (!ecs)                                                                                                          \
      return otherwise_;                                                                                               \
    result_ result = world_access_##name_ arguments_;                                                                  \
    if (ecs_end_call(ecs, "shoal_" #name_))                                                                            \
      return result;                                                                                                   \
    return otherwise_;                                                                                                 \
  }                                                                                                                    \
  static result_ guard_##name_ parameters_ {                                                                           \
    if (offsetof(shoal_world_api, name_) == 0 || (ONLY_READS(name_) && ecs_can_read(w)))                               \
      return world_access_##name_ arguments_;                                                                          \
    return check_##name_ arguments_;                                                                                   \
  }
#define CALLEE_GUARD(name_, result_, otherwise_, where_, parameters_, arguments_, words_)                              \
  static result_ guard_callee_##name_ parameters_ {                                                                    \
    if (offsetof(shoal_world_api, name_) == 0 ||                                                                       \
        ecs_check_callee_call(w, "shoal_" #name_, DECLARES(name_) ? 0 : ALLOWED_##where_))                             \
      return world_access_##name_ arguments_;                                                                          \
    return otherwise_;                                                                                                 \
  }
#define ALL_FUNCTIONS(F) SHOAL_WORLD_FUNCTIONS(F) SHOAL_STATE_FUNCTIONS(F)
ALL_FUNCTIONS(GUARD)
ALL_FUNCTIONS(CALLEE_GUARD)

#define ENTRY(name_, ...) .name_ = guard_##name_,
#define CALLEE_ENTRY(name_, ...) .name_ = guard_callee_##name_,
const shoal_world_api ecs_world_api = {ALL_FUNCTIONS(ENTRY)};
const shoal_world_api ecs_callee_world_api = {ALL_FUNCTIONS(CALLEE_ENTRY)};
// clang-format on
