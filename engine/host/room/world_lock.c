// Locks of the processes that serve a world on this machine.
#include "room/world_lock.h"

#include "match/match_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAX_PATH_BYTES 8192u

int world_lock_open(const char *world_path, error_info_t *error) {
  char path[MAX_PATH_BYTES];
  if (!match_files_find_beside(world_path, ".lock", path, sizeof path, error))
    return -1;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    error_set(error, "cannot open %s: %s", path, strerror(errno));
  return file;
}

void world_lock_close(int file) {
  if (file >= 0)
    close(file);
}

bool world_lock_take(int file, int64_t lock) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)lock, .l_len = 1};
  return fcntl(file, F_SETLK, &range) == 0;
}

void world_lock_release(int file, int64_t lock) {
  struct flock range = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = (off_t)lock, .l_len = 1};
  (void)fcntl(file, F_SETLK, &range); // cannot fail: no process prevents the release of another process's lock
}

int world_lock_find_holder(int file, int64_t lock) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)lock, .l_len = 1};
  return fcntl(file, F_GETLK, &range) == 0 && range.l_type != F_UNLCK && range.l_pid > 0 ? (int)range.l_pid : 0;
}
