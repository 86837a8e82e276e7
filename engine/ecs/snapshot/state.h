// Restores a state. Loading, reloading, rewinding and undo all use these steps:
//
//   state_view_t *v = state_open(snapshot, a, &error);          the only reader of the format; safe for untrusted bytes
//   ok = v && state_migrate(v, w, &desc, &error)                 if declarations may differ; does not change the bytes
//          && state_install(v, w, &(state_install_desc_t){0}, &error);
//   state_close(v);
//
// Without a migration, call snapshot_restore instead. An open state borrows the snapshot, which must not change until
// state_close.
#ifndef SHOAL_SNAPSHOT_STATE_H
#define SHOAL_SNAPSHOT_STATE_H

#include "snapshot/snapshot.h"

typedef struct state_view_t state_view_t;

// Opens a snapshot. Returns the open state, or NULL with a message if the snapshot is empty, is damaged or has a
// different format. `a` is borrowed until state_close.
state_view_t *state_open(const snapshot_o *s, allocator_t *a, error_info_t *error);
void state_close(state_view_t *v); // accepts NULL

typedef struct state_install_desc_t {
  // True to rebuild the groups that the queries of `w` form: the state contains the groups of the code that saved it.
  // No row moves, and the world gets the state's hash, if the groups are the same or if the code of `w` has opened no
  // queries. Also transfers the watchers, read positions and switches of renamed systems (state_systems.h).
  bool regroup;
  // used with `regroup`: true to populate the queries that the state lacks in advance; false: when they are opened
  bool wake;
  // true to take marks (world_track_touched_fields) from the state, even if it has none, instead of computing them
  bool keep_marks;
  // Receives a line for each field with values that were clamped, because its range differs from the range in the
  // state. May be NULL.
  void (*log_line)(void *context, const char *line);
  void *log_context;
} state_install_desc_t;

// Checks the state, then puts it into the world and returns true. If the state is damaged or does not fit the world, or
// if a query or a spawn block is open, returns false with a message and leaves the world unchanged. Also returns false
// with a message if `regroup` cannot rebuild a group; the state is installed in this case. Components that the state
// lacks lose their rows, and singletons get their default values. The world must not be deferring commands (asserted).
// Afterwards the view can only be closed.
bool state_install(state_view_t *v, world_o *w, const state_install_desc_t *desc, error_info_t *error);
// Returns true if the state is intact and fits the world; otherwise returns false with a message. Ignores open queries
// and spawn blocks and, if the state has different definitions (content/definitions.h), its assemblages. Does not
// change the world.
bool state_check(state_view_t *v, world_o *w, error_info_t *error);

// --- all steps, for a world with the same declarations
bool snapshot_restore(const snapshot_o *s, world_o *w, error_info_t *error);
// Opens the snapshot and calls state_check. Returns true on success, or false with a message if either fails.
bool snapshot_check(const snapshot_o *s, world_o *w, error_info_t *error);
// Restores the snapshot at the end of the tick; failures are logged. Replaces a pending task for the end of the tick.
// Retains `s`.
void snapshot_restore_later(snapshot_o *s, world_o *w);

#endif
