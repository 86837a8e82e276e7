// One process per room on this machine: a lock on a byte of a file, which the system releases when the process ends. A
// process that was stopped (SIGSTOP) outlives its supervisor, because SIGTERM has no effect until it continues. The
// process can no longer write to the database, but keeps the room's port. A process on a different machine or in a
// different container is not killed, because its id is not valid here.
#include "room/room_internal.h"

#include "base/now.h"
#include "room/world_lock.h"

#include <time.h>

#define GRACE_US 3000000 // time in which a running process notices at a commit that it has lost the room, and ends
#define LOCK_US 8000000  // maximum time until a killed process has ended
#define STEP_NS 10000000

static void kill_holder(const room_o *r, int process) {
  log_warn(r->host->session.log, "room %s: killed its former process %d, which did not end", r->name, process);
  process_kill(process);
}

bool room_lock(room_o *r) {
  error_info_t error = {0};
  world_lock_holder_t holder = {0};
  char text[WORLD_LOCK_HOLDER_BYTES];
  int killed = 0;
  int64_t lock = WORLD_LOCK_ROOM(r->claim.number);
  r->lock_file = world_lock_open(r->world_path, &error);
  if (r->lock_file < 0)
    return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
  int64_t start_us = room_now_us();
  while (room_now_us() - start_us < LOCK_US) {
    if (world_lock_take(r->lock_file, lock))
      return true;
    bool is_held = world_lock_find_holder(r->lock_file, lock, &holder);
    if (is_held && holder.is_here && holder.process != killed && room_now_us() - start_us >= GRACE_US) {
      kill_holder(r, holder.process);
      killed = holder.process;
    }
    nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
  }
  error_set(&error, "a former process of the room does not end: end %s", world_lock_describe(&holder, text));
  return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
}
