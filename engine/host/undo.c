#include "host/undo.h"

struct undo_o {
  allocator_t *allocator;
  log_o *log;
  snapshot_o *snapshot;
  script_requests_t requests;
  bool given_up;
};

undo_o *undo_create(allocator_t *a, log_o *log) {
  undo_o *u = alloc_resize(a, NULL, 0, sizeof *u);
  *u = (undo_o){.allocator = a, .log = log, .snapshot = snapshot_create(a)};
  return u;
}

void undo_destroy(undo_o *u) {
  if (!u)
    return;
  snapshot_release(u->snapshot);
  alloc_resize(u->allocator, u, sizeof *u, 0);
}

static void give_up(undo_o *u) {
  u->given_up = true;
  snapshot_release(u->snapshot);
  u->snapshot = NULL;
  log_info(u->log,
           "the world has more than %u MB: what a failing piece did before it failed is not undone from now on, only "
           "what it queued is dropped",
           UNDO_MOST_BYTES >> 20);
}

bool undo_begin(undo_o *u, world_o *w, const script_requests_t *requests) {
  error_t error = {{0}};
  if (!u || u->given_up)
    return false;
  if (world_column_bytes(w) > UNDO_MOST_BYTES) {
    give_up(u);
    return false;
  }
  u->requests = *requests;
  return snapshot_take(u->snapshot, w, &error);
}

bool undo_back(undo_o *u, world_o *w, script_requests_t *requests) {
  error_t error = {{0}};
  world_abandon(w);
  if (!snapshot_restore(u->snapshot, w, &error)) {
    log_error(u->log, "what the failing piece did is not undone: %s", error.text);
    return false;
  }
  *requests = u->requests;
  return true;
}
