// Takes a snapshot at the start of each tick and restores it when code fails.
#include "game/tick_rollback.h"

#include "base/assert.h"

struct tick_rollback_o {
  allocator_t *allocator;
  log_o *log;
  snapshot_o *own;
  snapshot_o *copy; // snapshot to restore during a tick: `own` or one owned by the caller
  script_requests_t requests;
  uint64_t max_bytes;
  bool is_disabled;
};

tick_rollback_o *tick_rollback_create(allocator_t *a, log_o *log, uint64_t max_bytes) {
  shoal_assert(a && max_bytes > 0, "the allocator must not be NULL, and the rollback's budget must not be 0");
  tick_rollback_o *u = alloc_resize(a, NULL, 0, sizeof *u);
  *u = (tick_rollback_o){.allocator = a, .log = log, .own = snapshot_create(a), .max_bytes = max_bytes};
  return u;
}

void tick_rollback_destroy(tick_rollback_o *u) {
  if (!u)
    return;
  tick_rollback_end(u);
  snapshot_release(u->own);
  alloc_resize(u->allocator, u, sizeof *u, 0);
}

static void disable_rollback(tick_rollback_o *u) {
  u->is_disabled = true;
  snapshot_release(u->own);
  u->own = NULL;
  log_info(u->log,
           "the world exceeds %u MB: changes made by failing code are no longer undone; only commands that the code "
           "has queued are dropped",
           TICK_ROLLBACK_MAX_BYTES >> 20);
}

void tick_rollback_end(tick_rollback_o *u) {
  if (!u)
    return;
  snapshot_release(u->copy);
  u->copy = NULL;
}

bool tick_rollback_begin(tick_rollback_o *u, world_o *w, snapshot_o *copy, const script_requests_t *requests) {
  error_info_t error = {0};
  if (!u || u->is_disabled)
    return false;
  if (world_column_bytes(w) > u->max_bytes) {
    disable_rollback(u);
    return false;
  }
  shoal_assert(!world_is_deferring(w), "commands are still queued at the start of a tick");
  shoal_assert(!u->copy, "a copy of the start of the tick is already kept");
  shoal_assert(!copy || snapshot_tick(copy) == world_tick(w), "the copy is of tick %llu, not of the current tick %llu",
               (unsigned long long)snapshot_tick(copy), (unsigned long long)world_tick(w));
  u->requests = *requests;
  if (!copy && !snapshot_take(u->own, w, &error))
    return false;
  u->copy = copy ? copy : u->own;
  snapshot_retain(u->copy);
  return true;
}

bool tick_rollback_restore(tick_rollback_o *u, world_o *w, script_requests_t *requests) {
  shoal_assert(u->copy && !u->is_disabled, "no copy of the start of the tick was kept");
  error_info_t error = {0};
  world_reset_after_interrupt(w);
  if (!snapshot_restore(u->copy, w, &error)) {
    log_error(u->log, "cannot undo the changes of failing code: %s", error.text);
    return false;
  }
  *requests = u->requests;
  return true;
}
