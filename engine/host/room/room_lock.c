// One process per room on this machine: a lock on a byte of a file, which the system releases when the process ends. A
// process that was stopped (SIGSTOP) outlives its supervisor, because SIGTERM has no effect until it continues. The
// process can no longer write to the database, but keeps the room's port.
#include "room/room_internal.h"

#include "base/now.h"
#include "match/match_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GRACE_US 3000000 // time in which a running process notices at a commit that it has lost the room, and ends
#define LOCK_US 8000000  // maximum time until a killed process has ended
#define STEP_NS 10000000

// Returns the id of the process that holds the lock, or 0 if the lock is free.
static pid_t find_holder(int file, off_t at) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0 ? lock.l_pid : 0;
}

static bool try_lock(int file, off_t at) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
  return fcntl(file, F_SETLK, &lock) == 0;
}

static void kill_holder(const room_o *r, pid_t process) {
  log_warn(r->host->session.log, "room %s: killed its former process %d, which did not end", r->name, (int)process);
  process_kill(process);
}

bool room_lock(room_o *r) {
  char path[sizeof r->world_path + 8];
  error_info_t error = {0};
  pid_t killed = 0;
  if (!match_files_find_beside(r->world_path, ".lock", path, sizeof path, &error))
    return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
  r->lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (r->lock_file < 0) {
    error_set(&error, "cannot open %s: %s", path, strerror(errno));
    return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
  }
  int64_t start_us = room_now_us();
  while (room_now_us() - start_us < LOCK_US) {
    if (try_lock(r->lock_file, (off_t)r->claim.number))
      return true;
    pid_t holder = find_holder(r->lock_file, (off_t)r->claim.number);
    if (holder != 0 && holder != killed && room_now_us() - start_us >= GRACE_US) {
      kill_holder(r, holder);
      killed = holder;
    }
    nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
  }
  error_set(&error, "a former process of the room does not end: end process %d", (int)killed);
  return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
}
