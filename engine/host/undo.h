// What a piece of a system did before it failed is undone: the world is kept at the beginning of every tick, brought back when a piece
// fails, and the tick runs again without the piece. Since nothing but the world decides what a tick does, the result is as if
// the piece had been parked before. For development: it costs a copy of the world in every tick.
#ifndef SHOAL_HOST_UNDO_H
#define SHOAL_HOST_UNDO_H

#include "ecs/snapshot.h"
#include "script/script.h"

#define UNDO_MOST_BYTES (64u << 20) // of a snapshot; larger worlds are not kept, which is said once

typedef struct undo_o undo_o;

undo_o *undo_create(allocator_t *a, log_o *log); // both borrowed
void undo_destroy(undo_o *u);                    // NULL is fine
// Keeps the world and what scripts have asked for. False when there is nothing to go back to afterwards: `u` is NULL, or the world is
// too large.
bool undo_begin(undo_o *u, world_o *w, const script_requests_t *requests);
// Back to there. False, and the world as it is, when that fails; it is logged then.
bool undo_back(undo_o *u, world_o *w, script_requests_t *requests);

#endif
