// Takes a snapshot at the start of each tick and restores it when code fails.
#include "game/tick_rollback.h"

#include "base/assert.h"

struct tick_rollback_o {
  allocator_t *allocator;
  log_o *log;
  snapshot_o *own_snapshot;
  snapshot_o *snapshot; // snapshot to restore: `own_snapshot` or the caller's snapshot; NULL between ticks
  script_requests_t requests;
  uint64_t max_bytes;
  bool is_disabled;
};

tick_rollback_o *tick_rollback_create(allocator_t *a, log_o *log, uint64_t max_bytes) {
  shoal_assert(a && max_bytes > 0, "the allocator must not be NULL, and the rollback's budget must not be 0");
  tick_rollback_o *rollback = alloc_resize(a, NULL, 0, sizeof *rollback);
  *rollback = (tick_rollback_o){.allocator = a, .log = log, .own_snapshot = snapshot_create(a), .max_bytes = max_bytes};
  return rollback;
}

void tick_rollback_destroy(tick_rollback_o *rollback) {
  if (!rollback)
    return;
  tick_rollback_end(rollback);
  snapshot_release(rollback->own_snapshot);
  alloc_resize(rollback->allocator, rollback, sizeof *rollback, 0);
}

static void disable_rollback(tick_rollback_o *rollback) {
  rollback->is_disabled = true;
  snapshot_release(rollback->own_snapshot);
  rollback->own_snapshot = NULL;
  log_info(rollback->log,
           "the world exceeds %u MB: changes made by failing code are no longer undone; only commands that the code "
           "has queued are dropped",
           TICK_ROLLBACK_MAX_BYTES >> 20);
}

void tick_rollback_end(tick_rollback_o *rollback) {
  if (!rollback)
    return;
  snapshot_release(rollback->snapshot);
  rollback->snapshot = NULL;
}

bool tick_rollback_takes_snapshots(const tick_rollback_o *rollback, const world_o *w) {
  return rollback && !rollback->is_disabled && world_column_bytes(w) <= rollback->max_bytes;
}

bool tick_rollback_begin(tick_rollback_o *rollback, world_o *w, snapshot_o *snapshot,
                         const script_requests_t *requests) {
  error_info_t error = {0};
  if (!rollback || rollback->is_disabled)
    return false;
  if (world_column_bytes(w) > rollback->max_bytes) {
    disable_rollback(rollback);
    return false;
  }
  shoal_assert(!world_is_deferring(w), "commands are still queued at the start of a tick");
  shoal_assert(!rollback->snapshot, "the snapshot from the start of the tick already exists");
  shoal_assert(!snapshot || snapshot_tick(snapshot) == world_tick(w),
               "the snapshot is of tick %llu, not of the current tick %llu",
               (unsigned long long)snapshot_tick(snapshot), (unsigned long long)world_tick(w));
  rollback->requests = *requests;
  if (!snapshot && !snapshot_take(rollback->own_snapshot, w, &error))
    return false;
  rollback->snapshot = snapshot ? snapshot : rollback->own_snapshot;
  snapshot_retain(rollback->snapshot);
  return true;
}

bool tick_rollback_undo(tick_rollback_o *rollback, world_o *w, script_requests_t *requests) {
  shoal_assert(rollback->snapshot && !rollback->is_disabled, "the snapshot from the start of the tick is missing");
  error_info_t error = {0};
  world_reset_after_interrupt(w);
  if (!snapshot_restore(rollback->snapshot, w, &error)) {
    log_error(rollback->log, "cannot undo the changes of failing code: %s", error.text);
    return false;
  }
  *requests = rollback->requests;
  return true;
}
