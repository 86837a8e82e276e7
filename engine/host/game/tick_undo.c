// Takes a snapshot at the start of each tick and restores it when code fails.
#include "game/tick_undo.h"

#include "base/assert.h"

struct tick_undo_o {
  allocator_t *allocator;
  log_o *log;
  snapshot_o *own_snapshot;
  snapshot_o *snapshot; // snapshot to restore: `own_snapshot` or the caller's snapshot; NULL between ticks
  script_requests_t requests;
  uint64_t max_bytes;
  bool is_disabled;
};

tick_undo_o *tick_undo_create(allocator_t *a, log_o *log, uint64_t max_bytes) {
  shoal_assert(a && max_bytes > 0, "the allocator must not be NULL, and the undo's budget must not be 0");
  tick_undo_o *undo = alloc_resize(a, NULL, 0, sizeof *undo);
  *undo = (tick_undo_o){.allocator = a, .log = log, .own_snapshot = snapshot_create(a), .max_bytes = max_bytes};
  return undo;
}

void tick_undo_destroy(tick_undo_o *undo) {
  if (!undo)
    return;
  tick_undo_end(undo);
  snapshot_release(undo->own_snapshot);
  alloc_resize(undo->allocator, undo, sizeof *undo, 0);
}

static void disable(tick_undo_o *undo) {
  undo->is_disabled = true;
  snapshot_release(undo->own_snapshot);
  undo->own_snapshot = NULL;
  log_info(undo->log,
           "the world exceeds %u MB: changes made by failing code are no longer undone; only commands that the code "
           "has queued are dropped",
           TICK_UNDO_MAX_BYTES >> 20);
}

void tick_undo_end(tick_undo_o *undo) {
  if (!undo)
    return;
  snapshot_release(undo->snapshot);
  undo->snapshot = NULL;
}

bool tick_undo_takes_snapshots(const tick_undo_o *undo, const world_o *w) {
  return undo && !undo->is_disabled && world_column_bytes(w) <= undo->max_bytes;
}

bool tick_undo_begin(tick_undo_o *undo, world_o *w, snapshot_o *snapshot, const script_requests_t *requests) {
  error_info_t error = {0};
  if (!undo || undo->is_disabled)
    return false;
  if (world_column_bytes(w) > undo->max_bytes) {
    disable(undo);
    return false;
  }
  shoal_assert(!world_is_deferring(w), "commands are still queued at the start of a tick");
  shoal_assert(!undo->snapshot, "the snapshot from the start of the tick already exists");
  shoal_assert(!snapshot || snapshot_tick(snapshot) == world_tick(w),
               "the snapshot is of tick %llu, not of the current tick %llu",
               (unsigned long long)snapshot_tick(snapshot), (unsigned long long)world_tick(w));
  undo->requests = *requests;
  if (!snapshot && !snapshot_take(undo->own_snapshot, w, &error))
    return false;
  undo->snapshot = snapshot ? snapshot : undo->own_snapshot;
  snapshot_retain(undo->snapshot);
  return true;
}

bool tick_undo_restore(tick_undo_o *undo, world_o *w, script_requests_t *requests) {
  shoal_assert(undo->snapshot && !undo->is_disabled, "the snapshot from the start of the tick is missing");
  error_info_t error = {0};
  world_reset_after_interrupt(w);
  if (!snapshot_restore(undo->snapshot, w, &error)) {
    log_error(undo->log, "cannot undo the changes of failing code: %s", error.text);
    return false;
  }
  *requests = undo->requests;
  return true;
}
