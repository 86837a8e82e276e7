// --check-rollback N: after every tick, rewinds N ticks and replays them with their recorded input. A different result
// means that the game depends on state outside the world. The replay plays no sound, draws nothing and writes no files.
// Afterwards, the world is as before. For development only: each tick takes the time of N + 1 ticks, and N + 1
// snapshots of the world are kept (about N / 4 + 2 if N is at least 8 and the world's columns have 1 MB or more).
#ifndef SHOAL_SESSION_ROLLBACK_CHECK_H
#define SHOAL_SESSION_ROLLBACK_CHECK_H

#include "game/game.h"
#include "journal/journal.h"

typedef struct rollback_check_o rollback_check_o;

// Creates the state of --check-rollback. Borrows `a` and `log`. `ticks`: number of ticks to replay after each tick.
rollback_check_o *rollback_check_create(allocator_t *a, log_o *log, uint32_t ticks);
void rollback_check_destroy(rollback_check_o *rollback); // accepts NULL
// Drops the kept ticks. Call when the code has changed or a different game was loaded. Accepts NULL.
void rollback_check_clear(rollback_check_o *rollback);

// Logs the input of all following ticks of a new game, with the game's journal. `rollback` must outlive `j`.
void rollback_check_attach(rollback_check_o *rollback, journal_o *j);

// Record a tick: its initial snapshot, and the world's hash after each system. Call before and after each game_run.
void rollback_check_begin(rollback_check_o *rollback, game_o *g);
void rollback_check_end(rollback_check_o *rollback, game_o *g);
// Adds external input that the tick read. Retains `result`.
void rollback_check_add_result(rollback_check_o *rollback, uint64_t tick, external_result_t *result);
// Replays the kept ticks. Call at the very end of a tick. The journal must contain the tick's input. Returns true on
// success. Returns false, after logging the reason, in these cases:
// - A tick differs. The log names the tick, entity, component, field and the first system after which the worlds
//   differ.
// - Code fails when it is replayed.
// - A table that was created while files were loaded has changed.
// - A snapshot cannot be restored.
bool rollback_check_run(rollback_check_o *rollback, game_o *g);

#endif
