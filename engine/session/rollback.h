// --check-rollback N: after every tick, goes back N ticks and replays them with their recorded input. A different
// result means that the game depends on state outside the world. The replay plays no sound, draws nothing and writes no
// files; afterwards the world is as before. For development only: each tick costs N + 1 ticks, and N snapshots of the
// world are kept.
#ifndef SHOAL_SESSION_ROLLBACK_H
#define SHOAL_SESSION_ROLLBACK_H

#include "game/game.h"
#include "time/external_input.h"

typedef struct rollback_o rollback_o;

// Borrows both arguments.
rollback_o *rollback_create(allocator_t *a, log_o *log, uint32_t ticks);
void rollback_destroy(rollback_o *r); // accepts NULL
// Drops the kept ticks. Call when the code has changed or another game was loaded. Accepts NULL.
void rollback_clear(rollback_o *r);

// Call around each game_tick, with its input already set in the game.
void rollback_begin(rollback_o *r, game_o *g);
void rollback_end(rollback_o *r, game_o *g);
// Adds external input that the tick read. Retains `a`.
void rollback_add_result(rollback_o *r, uint64_t tick, external_result_t *a);
// Replays the kept ticks. Call at the very end of a tick. Returns false if a tick differs, after logging the tick,
// entity, component, field and first differing system, or if a table created while files were loaded has changed.
bool rollback_check(rollback_o *r, game_o *g);

#endif
