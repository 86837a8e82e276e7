// The state of a world as bytes, and its hash.
#include "access/access.h"
#include "access/last_error.h"
#include "ecs/world_hash.h"
#include "snapshot/state.h"

#include <string.h>

uint64_t world_access_hash(shoal_world *w) {
  return access_check_queries_closed(access_of(w)) ? world_hash(access_of(w)->world) : 0;
}

size_t world_access_snapshot(shoal_world *w, void *bytes, size_t capacity) {
  access_o *a = access_of(w);
  error_info_t error = {0};
  if (!access_check_queries_closed(a))
    return 0;
  snapshot_o *s = snapshot_create(&a->memory);
  size_t size = 0;
  const void *taken = snapshot_take(s, a->world, &error) ? snapshot_bytes(s, &size) : NULL;
  if (!taken)
    access_fail("%s", error.text);
  else if (bytes && capacity >= size)
    memcpy(bytes, taken, size);
  snapshot_release(s);
  return taken ? size : 0;
}

bool access_restore_snapshot(access_o *a, const void *bytes, size_t size) {
  error_info_t error = {0};
  if (!access_check_queries_closed(a))
    return false;
  if (!bytes)
    return access_fail("`bytes` must not be NULL");
  snapshot_o *s = snapshot_create(&a->memory);
  snapshot_set_bytes(s, bytes, size);
  bool ok = snapshot_restore(s, a->world, &error) || access_fail("%s", error.text);
  snapshot_release(s);
  return ok;
}
