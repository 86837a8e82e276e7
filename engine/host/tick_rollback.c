// A snapshot at the beginning of each tick, and the way back to it.
#include "host/tick_rollback.h"

#include "base/assert.h"

struct tick_rollback_o {
  allocator_t *allocator;
  log_o *log;
  snapshot_o *snapshot;
  script_requests_t requests;
  uint64_t most_bytes;
  bool given_up;
};

tick_rollback_o *tick_rollback_create(allocator_t *a, log_o *log, uint64_t most_bytes) {
  shoal_assert(a && most_bytes > 0, "a rollback keeps something");
  tick_rollback_o *u = alloc_resize(a, NULL, 0, sizeof *u);
  *u = (tick_rollback_o){.allocator = a, .log = log, .snapshot = snapshot_create(a), .most_bytes = most_bytes};
  return u;
}

void tick_rollback_destroy(tick_rollback_o *u) {
  if (!u)
    return;
  snapshot_release(u->snapshot);
  alloc_resize(u->allocator, u, sizeof *u, 0);
}

static void give_up(tick_rollback_o *u) {
  u->given_up = true;
  snapshot_release(u->snapshot);
  u->snapshot = NULL;
  log_info(u->log,
           "the world has more than %u MB: what a failing piece did before it failed is not undone from now on, only "
           "what it queued is dropped",
           TICK_ROLLBACK_MOST_BYTES >> 20);
}

bool tick_rollback_begin(tick_rollback_o *u, world_o *w, const script_requests_t *requests) {
  error_t error = {0};
  if (!u || u->given_up)
    return false;
  if (world_column_bytes(w) > u->most_bytes) {
    give_up(u);
    return false;
  }
  u->requests = *requests;
  return snapshot_take(u->snapshot, w, &error);
}

bool tick_rollback_back(tick_rollback_o *u, world_o *w, script_requests_t *requests) {
  error_t error = {0};
  world_abandon(w);
  if (!snapshot_restore(u->snapshot, w, &error)) {
    log_error(u->log, "what the failing piece did is not undone: %s", error.text);
    return false;
  }
  *requests = u->requests;
  return true;
}
