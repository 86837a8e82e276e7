// Locks of the processes that serve a world on this machine.
//
// Contents of the file: an entry of ENTRY_BYTES for each holder, which contains text, padded with zeros. Entry 0
// describes the latest owner of the world, and entry N the latest process of room N.
#include "room/world_lock.h"

#include "base/file_system.h"
#include "base/process_id.h"
#include "match/match_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_PATH_BYTES 8192u
#define ENTRY_BYTES 256u
#define ENTRIES 4096 // number of entries; the holders of further rooms are unknown

// The lock is part of the entry, because the owner's entry may belong to a different port.
#define ENTRY_FORMAT "lock %" PRId64 " process %d space %s host %s\n"
#define ENTRY_PATTERN "lock %" SCNd64 " process %d space %79s host %64s"
_Static_assert(PROCESS_SPACE_BYTES == 80 && PROCESS_HOST_BYTES == 65,
               "the field widths in ENTRY_PATTERN must match the sizes");

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

// Returns the position of the entry for a lock's holder, or -1 if the lock has no entry.
static int64_t get_position(int64_t lock) {
  int64_t entry = lock == WORLD_LOCK_PROOF ? ENTRIES : lock >= WORLD_LOCK_PORT(0) ? 0 : lock;
  return entry < ENTRIES ? entry * ENTRY_BYTES : -1;
}

// Stores this process as the holder. Ignores failures: the holder is then unknown.
static void store_holder(int file, int64_t lock) {
  process_place_t place;
  char entry[ENTRY_BYTES] = "";
  process_place_find(&place);
  if (place.space[0] && place.host[0])
    (void)snprintf(entry, sizeof entry, ENTRY_FORMAT, lock, (int)process_id(), place.space, place.host);
  int64_t at = get_position(lock);
  if (at >= 0)
    (void)file_system_write_at(file, (uint64_t)at, entry, sizeof entry);
}

bool world_lock_take(int file, int64_t lock) {
  if (!file_system_lock_byte(file, (uint64_t)lock))
    return false;
  store_holder(file, lock);
  return true;
}

void world_lock_release(int file, int64_t lock) {
  file_system_unlock_byte(file, (uint64_t)lock);
}

// Reads the entry of the lock's latest holder. Returns true on success, or false if the entry is missing, malformed or
// describes the holder of a different lock.
static bool read_holder(int file, int64_t lock, world_lock_holder_t *out, char space[PROCESS_SPACE_BYTES]) {
  char entry[ENTRY_BYTES + 1] = "";
  int64_t stored = 0;
  int64_t at = get_position(lock);
  return at >= 0 && file_system_read_at(file, (uint64_t)at, entry, ENTRY_BYTES) > 0 &&
         sscanf(entry, ENTRY_PATTERN, &stored, &out->process, space, out->host) == 4 && stored == lock &&
         out->process > 0;
}

bool world_lock_find_holder(int file, int64_t lock, world_lock_holder_t *out) {
  long process = 0;
  process_place_t own;
  char space[PROCESS_SPACE_BYTES];
  *out = (world_lock_holder_t){0};
  if (!file_system_find_lock_holder(file, (uint64_t)lock, &process))
    return false;
  process_place_find(&own);
  bool is_known = read_holder(file, lock, out, space), is_same_space = is_known && strcmp(space, own.space) == 0;
  // If a different process in the same space holds the lock, the entry is outdated: the holder has not replaced it yet.
  if (!is_known || (is_same_space && out->process != (int)process)) {
    *out = (world_lock_holder_t){0};
    return true;
  }
  out->is_here = is_same_space;
  out->has_same_host = strcmp(out->host, own.host) == 0;
  return true;
}

const char *world_lock_describe(const world_lock_holder_t *h, char out[WORLD_LOCK_HOLDER_BYTES]) {
  if (h->process == 0)
    (void)snprintf(out, WORLD_LOCK_HOLDER_BYTES, "an unknown process");
  else if (h->is_here)
    (void)snprintf(out, WORLD_LOCK_HOLDER_BYTES, "process %d", h->process);
  else
    (void)snprintf(out, WORLD_LOCK_HOLDER_BYTES, "process %d on host %s%s", h->process, h->host,
                   h->has_same_host ? ", in a different container" : "");
  return out;
}
