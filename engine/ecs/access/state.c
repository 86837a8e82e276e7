// The state of a world as bytes, and its hash.
#include "access/access.h"
#include "access/last_error.h"
#include "ecs/world_hash.h"
#include "snapshot/state.h"

uint64_t world_access_hash(shoal_world *w) {
  return access_check_queries_closed(access_of(w)) ? world_hash(access_of(w)->world) : 0;
}

size_t world_access_snapshot(shoal_world *w, void *bytes, size_t capacity) {
  access_o *access = access_of(w);
  error_info_t error = {0};
  if (!access_check_queries_closed(access))
    return 0;
  size_t size = snapshot_write(access->world, bytes, bytes ? capacity : 0, &error);
  if (size == 0)
    access_fail("%s", error.text);
  return size;
}

bool access_restore_snapshot(access_o *access, const void *bytes, size_t size) {
  error_info_t error = {0};
  if (!access_check_queries_closed(access))
    return false;
  if (!bytes)
    return access_fail("`bytes` must not be NULL");
  snapshot_o *snapshot = snapshot_create_from_bytes(&access->memory, bytes, size);
  bool restored = snapshot_restore(snapshot, access->world, &error) || access_fail("%s", error.text);
  snapshot_release(snapshot);
  return restored;
}
