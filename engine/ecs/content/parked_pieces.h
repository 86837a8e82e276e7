// Parked pieces of a game, such as systems and behaviours (base/parked.h), that are retried: for each piece, the number
// of failures and the tick of the next try. A piece is retried 60 ticks after its first failure (600 if the watchdog
// stopped it). Each later failure doubles the wait, up to PARKED_MAX_WAIT_TICKS; scene changes shorten the wait. The
// first run that has work and succeeds ends the trial; PARKED_FORGET_TICKS ticks later the piece is removed from the
// list.
//
// The list is part of the state: snapshots and, unless it is empty, the hash include it (storage of the component
// shoal.parked). Loading a save empties the list. Pieces of the render phase do not belong to the state, because a run
// without a window does not draw; they have a separate list. Main thread only.
#ifndef SHOAL_CONTENT_PARKED_PIECES_H
#define SHOAL_CONTENT_PARKED_PIECES_H

#include "ecs/world.h"

#define PARKED_FIRST_WAIT_TICKS 60u    // ticks until the first try after an error
#define PARKED_STOPPED_WAIT_TICKS 600u // ticks until the first try after a stop by the watchdog
#define PARKED_MAX_WAIT_TICKS 3600u
// number of ticks without failure, from the first success on, after which the wait is reset
#define PARKED_FORGET_TICKS 600u

// Written to snapshots as raw bytes: must not contain padding, and unused bytes must be 0.
typedef struct parked_piece_t {
  char name[128]; // name as in recordings (parked_t.name)
  uint64_t failures;
  uint64_t failed_at; // tick of the last failure
  uint64_t next_try;  // the piece does not run before this tick
  uint64_t worked_at; // tick of the first successful run with work since the last failure, plus 1; 0: no such run
} parked_piece_t;

typedef enum parked_state_t {
  PARKED_STATE_NONE,    // the piece is not in the list
  PARKED_STATE_WAITING, // the piece does not run
  PARKED_STATE_TRIED,   // the piece runs, but no run with work has succeeded yet
  PARKED_STATE_RUNNING  // the piece runs normally; the next failure doubles the wait
} parked_state_t;

// Declares the component that stores the list in the state. Without it, a restore empties the list. Returns true on
// success, or false with an error.
bool parked_pieces_declare(world_o *w, error_info_t *error);

// Counts a failure in the current tick; a second failure in the same tick is ignored. `stopped`: true if the watchdog
// stopped the piece. `in_render_phase`: true for a piece of the render phase.
void parked_pieces_record_failure(world_o *w, const char *name, bool stopped, bool in_render_phase);
// Records that a run with work succeeded. Returns the number of previous failures; 0 if no trial was in progress.
uint64_t parked_pieces_record_success(world_o *w, const char *name);
// Schedules all waiting pieces for a retry in the next tick, except pieces that failed in this tick.
void parked_pieces_retry(world_o *w);
// Call at the start of a tick. Removes the pieces that have run without failure for PARKED_FORGET_TICKS ticks. Also
// removes the pieces whose last failure has a later tick, because the game has been rewound since.
void parked_pieces_begin_tick(world_o *w);
void parked_pieces_clear(world_o *w);

// Returns the i-th listed piece, first the pieces of the state, by name, then the pieces of the render phase; NULL at
// the end.
const parked_piece_t *parked_piece_at(const world_o *w, uint32_t i);
const parked_piece_t *parked_piece_find(const world_o *w, const char *name); // returns NULL if the piece is not listed
parked_state_t parked_piece_state(const world_o *w, const parked_piece_t *piece); // `piece` may be NULL

#endif
