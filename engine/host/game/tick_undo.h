// Undoes the changes made by failing code. At the start of every tick, a snapshot of the world is taken. If code fails,
// the snapshot is restored, and the tick runs again without that code. A tick depends only on the world and its input,
// so the result is the same as if the code had been parked earlier. Used in development and for recordings, because
// each tick costs a snapshot.
#ifndef SHOAL_GAME_TICK_UNDO_H
#define SHOAL_GAME_TICK_UNDO_H

#include "base/limits.h"
#include "script/script.h"
#include "snapshot/state.h"

typedef struct tick_undo_o tick_undo_o;

// Borrows `a` and `log`. `max_bytes`: maximum column size of a copied world, such as TICK_UNDO_MAX_BYTES.
tick_undo_o *tick_undo_create(allocator_t *a, log_o *log, uint64_t max_bytes);
void tick_undo_destroy(tick_undo_o *undo); // accepts NULL
// Keeps the world and the scripts' requests. `snapshot`: an existing snapshot of the current world, or NULL to take
// one. Returns true if the tick can be undone. Returns false if `undo` is NULL, the world is too large now or was too
// large in an earlier tick, or no snapshot could be taken.
bool tick_undo_begin(tick_undo_o *undo, world_o *w, snapshot_o *snapshot, const script_requests_t *requests);
// Returns true if tick_undo_begin will take a snapshot of the world unless the caller passes one. Accepts NULL.
bool tick_undo_takes_snapshots(const tick_undo_o *undo, const world_o *w);
void tick_undo_end(tick_undo_o *undo); // releases the snapshot; accepts NULL
// Drops the commands of the interrupted code (world_reset_after_interrupt), and restores the kept world and requests,
// so that the tick can run again. tick_undo_begin must have returned true in this tick. Returns true on success. If the
// world cannot be restored, logs an error and returns false. Only the commands have then been dropped.
bool tick_undo_restore(tick_undo_o *undo, world_o *w, script_requests_t *requests);

#endif
