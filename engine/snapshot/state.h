// The way of every state from bytes into a world: a load, a reload, a step back in time, an undo and a rehearsal are
// all
//
//   state_view_t *v = state_open(snapshot, a, &error);          the only reader of the format; any bytes are safe
//   fine = v && state_migrate(v, w, &how, &error)                where it may be of other declarations; writes no bytes
//            && state_put(v, w, &(state_put_desc_t){0}, &error);
//   state_close(v);
//
// or snapshot_restore, where nothing is in between. An opened state borrows the snapshot, which must not change before
// it is closed.
#ifndef SHOAL_SNAPSHOT_STATE_H
#define SHOAL_SNAPSHOT_STATE_H

#include "snapshot/snapshot.h"

typedef struct state_view_t state_view_t;

// NULL with a message when it is no snapshot or a damaged one. `a` is borrowed until state_close.
state_view_t *state_open(const snapshot_o *s, allocator_t *a, error_t *error);
void state_close(state_view_t *v); // NULL is fine

typedef struct state_put_desc_t {
  // A state from before a change of the code brings the queries and groups that that code had asked for. Here those
  // queries become groups again that were groups in `w` before. Where the state has the same groups nothing is moved,
  // and the hash is the state's; likewise where no code has asked `w` anything.
  bool regroup;
  bool wake; // with regroup: queries that the state does not know are filled at once, and not when they are opened
  bool
      keep_marks; // marks (world_track_touched) are those of the state, even if it has none; else they are derived then
} state_put_desc_t;

// Checks everything first: false with a message that names the component that differs, or says that the state is
// damaged, and then the world is as it was. Components declared since are left without rows. Not while the world defers
// (assert). The view is used up.
bool state_put(state_view_t *v, world_o *w, const state_put_desc_t *desc, error_t *error);
bool state_check(state_view_t *v, world_o *w, error_t *error); // would it do so?

// --- the whole way, for a world that has the same declarations
bool snapshot_restore(const snapshot_o *s, world_o *w, error_t *error);
bool snapshot_check(const snapshot_o *s, world_o *w, error_t *error); // would it do so?
// At the end of the tick; a failure then is logged. The last wish wins.
void snapshot_restore_later(snapshot_o *s, world_o *w);

#endif
