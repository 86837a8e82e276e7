// Locks of the processes that serve a world on this machine.
#include "room/world_lock.h"

#include "base/file_system.h"
#include "match/match_files.h"

#include <errno.h>
#include <string.h>

#define MAX_PATH_BYTES 8192u

int world_lock_open(const char *world_path, error_info_t *error) {
  char path[MAX_PATH_BYTES];
  if (!match_files_find_beside(world_path, ".lock", path, sizeof path, error))
    return -1;
  int file = file_system_open_private(path);
  if (file < 0)
    error_set(error, "cannot open %s: %s", path, strerror(errno));
  return file;
}

void world_lock_close(int file) {
  if (file >= 0)
    file_system_close(file);
}

bool world_lock_take(int file, int64_t lock) {
  return file_system_lock_byte(file, (uint64_t)lock);
}

void world_lock_release(int file, int64_t lock) {
  file_system_unlock_byte(file, (uint64_t)lock);
}

int world_lock_find_holder(int file, int64_t lock) {
  return (int)file_system_find_lock_holder(file, (uint64_t)lock);
}
