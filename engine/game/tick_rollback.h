// What a piece of a system did before it failed is undone: the world is kept at the beginning of every tick, brought
// back when a piece fails, and the tick runs again without the piece. Since nothing but the world decides what a tick
// does, the result is as if the piece had been parked before. For development: it costs a copy of the world in every
// tick.
#ifndef SHOAL_GAME_TICK_ROLLBACK_H
#define SHOAL_GAME_TICK_ROLLBACK_H

#include "base/limits.h"
#include "script/script.h"
#include "snapshot/state.h"

typedef struct tick_rollback_o tick_rollback_o;

// Both borrowed. `most_bytes` of columns: TICK_ROLLBACK_MAX_BYTES, or as many as there are.
tick_rollback_o *tick_rollback_create(allocator_t *a, log_o *log, uint64_t most_bytes);
void tick_rollback_destroy(tick_rollback_o *u); // NULL is fine
// Keeps the world and what scripts have asked for. `copy`: of the world as it is, where somebody has made one; NULL for
// none. False when there is nothing to go back to afterwards: `u` is NULL, or the world is too large.
bool tick_rollback_begin(tick_rollback_o *u, world_o *w, snapshot_o *copy, const script_requests_t *requests);
void tick_rollback_end(tick_rollback_o *u); // the copy is not needed any more; NULL is fine
// Back to there. False, and the world as it is, when that fails; it is logged then.
bool tick_rollback_back(tick_rollback_o *u, world_o *w, script_requests_t *requests);

#endif
