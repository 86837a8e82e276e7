// Locks of the processes that serve a world on this machine: locked bytes in the world's .lock file. The system
// releases the locks of a process when it ends.
#ifndef SHOAL_ROOM_WORLD_LOCK_H
#define SHOAL_ROOM_WORLD_LOCK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Lock of a room's process; `number` is at least 1.
#define WORLD_LOCK_ROOM(number) ((int64_t)(number))
// Lock of the world's owner while it uses this UDP port. The offset is above all room numbers.
#define WORLD_LOCK_PORT(port) ((INT64_C(1) << 40) + (port))
// Lock of the room that proves a snapshot.
#define WORLD_LOCK_PROOF (INT64_C(1) << 41)

// Opens the file, or creates it. `world_path`: base path of the world's files (game/world_files.h). Returns its
// descriptor, or -1 with a message. Open it only once per process: closing any descriptor of it releases all its locks.
int world_lock_open(const char *world_path, error_info_t *error);
void world_lock_close(int file); // accepts -1
// Returns true if the process now holds the lock, or false if a different process holds it.
bool world_lock_take(int file, int64_t lock);
void world_lock_release(int file, int64_t lock);
// Returns the id of a different process that holds the lock, or 0 if no different process holds it.
int world_lock_find_holder(int file, int64_t lock);

#endif
