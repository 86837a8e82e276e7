// Locks of the processes that serve a world on this machine: locked bytes in the world's .lock file. The system
// releases the locks of a process when it ends.
//
// The file may be on a network file system, or shared by containers. The id that the system returns for the holder of a
// lock may then belong to a different process here. Each holder therefore stores its id and its place in the file, and
// only an id from the same place identifies a process.
#ifndef SHOAL_ROOM_WORLD_LOCK_H
#define SHOAL_ROOM_WORLD_LOCK_H

#include "base/error.h"
#include "process/process_place.h"

#include <stdbool.h>
#include <stdint.h>

// Lock of a room's process. `number`: number of the room, at least 1.
#define WORLD_LOCK_ROOM(number) ((int64_t)(number))
// Lock of the world's owner while it uses this UDP port. The offset is above all room numbers.
#define WORLD_LOCK_PORT(port) ((INT64_C(1) << 40) + (port))
// Lock of the room that proves a snapshot. Its holder is not stored.
#define WORLD_LOCK_PROOF (INT64_C(1) << 41)

typedef struct world_lock_holder_t {
  int process;        // id of the process at its place; 0: unknown
  bool is_here;       // true if the id is valid here: both processes run on one machine, in one pid namespace
  bool has_same_host; // true if the name of the holder's host is the name of this host
  char host[PROCESS_HOST_BYTES]; // name of the holder's machine or container; empty if unknown
} world_lock_holder_t;

#define WORLD_LOCK_HOLDER_BYTES 160u // maximum size of a holder's description

// Opens the file, or creates it. `world_path`: base path of the world's files (game/world_files.h). Returns its
// descriptor, or -1 with a message. Open it once per process: closing any of its descriptors releases all locks.
int world_lock_open(const char *world_path, error_info_t *error);
void world_lock_close(int file); // accepts -1
// Takes a lock, and stores this process as its holder. Returns true on success, or false if a different process holds
// the lock.
bool world_lock_take(int file, int64_t lock);
void world_lock_release(int file, int64_t lock); // does nothing if this process does not hold the lock
// Returns true and describes the holder in `out` if a different process holds the lock, otherwise false.
bool world_lock_find_holder(int file, int64_t lock, world_lock_holder_t *out);
// Writes a description such as "process 12", "process 12 on host db2" if `is_here` is false, or "an unknown process".
// Returns `out`.
const char *world_lock_describe(const world_lock_holder_t *holder, char out[WORLD_LOCK_HOLDER_BYTES]);

#endif
