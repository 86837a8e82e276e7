// Timelines of a game: the current one, and the one that was abandoned last. A timeline holds states by tick and the
// input of those ticks. When the host goes back and takes another course (other code, other input), the old future is
// kept, for comparison and to replay its input. Both share one memory budget. Main thread.
//
// Only the functions below write the fields; clients may read them.
#ifndef SHOAL_TIME_TIMELINES_H
#define SHOAL_TIME_TIMELINES_H

#include "snapshot/compare.h"
#include "time/history.h"
#include "time/input_log.h"

#define TIMELINES_TOLD 3u // differences of a tick that are reported individually

typedef struct timeline_t {
  history_o *states;   // NULL if nothing is kept
  input_log_o *inputs; // NULL if nothing is kept
} timeline_t;

// Runs one tick or paused frame again from the world's current state, without recording it. Used to reproduce states
// that were not kept (large worlds keep only every Nth): from the last kept state and the input since.
typedef void (*timelines_live_t)(void *context, const input_log_o *heard, const input_log_item_t *x);

typedef struct timelines_t {
  allocator_t *memory; // borrowed
  timelines_live_t live;
  void *live_context;
  uint64_t budget_bytes;
  bool due;        // the state of the last tick has not been kept yet; timelines_copy does so before the world goes on
  bool due_surely; // that state must not be skipped
  timeline_t here, left;
  uint64_t tick;         // the world's tick when it last ran or was restored
  uint64_t repeats_from; // later ticks can be reproduced from the state of this tick or of a later one
  uint32_t code;         // most recent `code` of timelines_tick
  bool again;            // ticks use the input of `left`, up to its end
  bool begins;           // no input of `left` has been used yet
  bool parted;           // a replayed tick differed from the same tick in `left`
  bool branched;         // the host has gone back: the known future is abandoned at the next tick
} timelines_t;

// Result of a tick.
typedef struct timelines_news_t {
  uint64_t differences; // from the abandoned timeline, in the first tick that differs; otherwise 0
  compare_item_t items[TIMELINES_TOLD];
  bool live; // the last replayed tick has ended
} timelines_news_t;

typedef struct timelines_desc_t {
  uint64_t budget_bytes; // 0 disables the history
  uint64_t most_bytes;   // limit for a budget that grows with the world; 0: it does not grow
  history_late_t late;   // policy when packing is behind
  timelines_live_t live; // NULL: states that were not kept are not reproduced
  void *live_context;
} timelines_desc_t;

// Begins at the world's current tick and drops everything kept before. `memory` is borrowed.
void timelines_begin(timelines_t *t, allocator_t *memory, const timelines_desc_t *desc, world_o *w);
void timelines_end(timelines_t *t); // accepts zero-initialized and ended timelines

// Call after each tick, with the sample it used and the previous one. `code` must change when the tick has started or
// parked a system, because the tick then depends on more than the previous state.
void timelines_tick(timelines_t *t, world_o *w, const input_state_t *before, const input_state_t *now, uint32_t code,
                    timelines_news_t *news);
// Call when something other than a tick has changed the world.
void timelines_interrupt(timelines_t *t, const world_o *w);
// Keeps the state of the last tick; call before the world changes or the history is used. Returns the copy it made,
// borrowed until the next call, for the undo of the next tick; NULL if it made none. `surely`: the state must not be
// skipped.
snapshot_o *timelines_copy(timelines_t *t, world_o *w, bool surely);
// Call before fork() if the child uses the history.
void timelines_rest(timelines_t *t, world_o *w);
// Call after each frame of a paused game.
void timelines_idle(timelines_t *t, const world_o *w, const input_state_t *before, const input_state_t *now);
// Call after a reload: the world, possibly migrated, replaces the state of its tick. If the world is in the past, the
// future made by the old code is abandoned, and its input is replayed.
void timelines_reloaded(timelines_t *t);
// Like timelines_reloaded, for a world that is edited between two ticks with the same code. Call before and after the
// edit.
void timelines_edited(timelines_t *t, const world_o *w);

// Goes back by `ticks`, or as far as states are kept. Returns how many ticks it went back; 0 with a message on failure.
// This is more than `ticks` if the requested state was not kept and cannot be reproduced. `branch`: the host went back,
// so the old future will be abandoned and kept; false for a script, which goes back again by itself in a replay.
uint64_t timelines_back(timelines_t *t, world_o *w, uint64_t ticks, bool branch, error_t *error);
// Moves one tick forward again, or to the next state that is kept. Requires timelines_has_next.
bool timelines_forward(timelines_t *t, world_o *w, error_t *error);
size_t timelines_bytes(const timelines_t *t);  // memory of the states of both timelines
bool timelines_has_next(const timelines_t *t); // true after going back, if the next tick is known

// Replays the input of the abandoned timeline from the next tick on. Does nothing if there is no such input.
void timelines_begin_again(timelines_t *t);
// Returns the input that the next ticks replay; NULL for live input. Borrowed until the next call.
const input_log_o *timelines_heard(const timelines_t *t);

#endif
