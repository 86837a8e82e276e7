// The timelines of a game: the one that its world stands in, and the one that was left last. A timeline is states by
// tick and what was heard in them. When the host goes back and then on another way (other code, other input), the
// timeline that is left is kept beside the new one: to be compared with, and for its input, which can be heard again.
// Both together keep to one budget of memory. Main thread.
//
// Written by the functions below; the fields are for reading.
#ifndef SHOAL_TIME_TIMELINES_H
#define SHOAL_TIME_TIMELINES_H

#include "snapshot/compare.h"
#include "time/history.h"
#include "time/input_log.h"

#define TIMELINES_TOLD 3u // differences of a tick that are told one by one

typedef struct timeline_t {
  history_o *states;   // NULL: nothing is kept
  input_log_o *inputs; // NULL likewise
} timeline_t;

// A tick, or a frame of a pause, is lived once more from the state that the world is in, unheard: what a large world
// keeps no state of is made again from the last one and what was heard since.
typedef void (*timelines_live_t)(void *context, const input_log_o *heard, const input_log_item_t *x);

typedef struct timelines_t {
  allocator_t *memory; // borrowed
  timelines_live_t live;
  void *live_context;
  uint64_t budget_bytes;
  bool due;        // the state of the tick that is over is not kept yet: it is when the world goes on (timelines_copy)
  bool due_surely; // and not left out
  timeline_t here, left;
  uint64_t tick;         // of the world, when it was lived or brought here last
  uint64_t repeats_from; // ticks after it are the same when they are lived once more, from its state or a later one
  uint32_t code;         // as timelines_tick was told
  bool again;            // ticks hear what was heard in `left`, up to its end
  bool begins;           // nothing has been heard again yet
  bool parted;           // a tick that was heard again has differed from what it was in `left`
  bool branched; // the host has gone back: what comes after this tick is left as soon as there is another next tick
} timelines_t;

// What a tick has brought to light.
typedef struct timelines_news_t {
  uint64_t differences; // from the timeline that was left, in the first tick that has any; 0 otherwise
  compare_item_t items[TIMELINES_TOLD];
  bool live; // the last tick of what was heard again is over
} timelines_news_t;

typedef struct timelines_desc_t {
  uint64_t budget_bytes; // 0 keeps nothing
  uint64_t most_bytes;   // that the budget may grow to with the world; 0: it does not
  history_late_t late;   // when packing is behind
  timelines_live_t live; // NULL: what is not kept is not made again
  void *live_context;
} timelines_desc_t;

// From the world's tick on. Whatever was kept is dropped. `memory` is borrowed.
void timelines_begin(timelines_t *t, allocator_t *memory, const timelines_desc_t *desc, world_o *w);
void timelines_end(timelines_t *t); // zero-initialised is fine, and again

// After each tick, with the sample that it saw and the one before. `code`: another number when the tick has begun or
// parked a piece of the game, so that it is another tick without its past.
void timelines_tick(timelines_t *t, world_o *w, const input_state_t *before, const input_state_t *now, uint32_t code,
                    timelines_news_t *news);
// Something that is no tick has changed the world.
void timelines_interrupt(timelines_t *t, const world_o *w);
// Before the world goes on, or the past is asked for: the state of the tick that is over is kept, from one copy. Gives
// that, borrowed until the next call, for whoever wants to come back to it (the undo of a tick); NULL when none was
// made. `surely`: it is not left out.
snapshot_o *timelines_copy(timelines_t *t, world_o *w, bool surely);
// Before the process makes a copy of itself in which the past is asked for.
void timelines_rest(timelines_t *t, world_o *w);
// After each frame of a paused game.
void timelines_idle(timelines_t *t, const world_o *w, const input_state_t *before, const input_state_t *now);
// Other code goes on with the world, which may have been converted on the way: it takes the place of the state of its
// tick. In the past, what came after was made by the code before: it is left, and is heard again.
void timelines_reloaded(timelines_t *t);
// The same of a world that somebody changes between two ticks, with the same code: before and after the change.
void timelines_edited(timelines_t *t, const world_o *w);

// Back by so many ticks, or as far as states are kept; how many it went, 0 with a message. More than were asked for
// where no state is kept and it cannot be made again, because of what has changed in between. `branch`: by the host, so
// that what comes after is left and kept; else a script went back, and will do so again by itself.
uint64_t timelines_back(timelines_t *t, world_o *w, uint64_t ticks, bool branch, error_t *error);
// One tick forward again, where timelines_has_next; or to the next that is kept.
bool timelines_forward(timelines_t *t, world_o *w, error_t *error);
size_t timelines_bytes(const timelines_t *t);  // that the states of both take
bool timelines_has_next(const timelines_t *t); // after going back: is the next tick known?

// From here on ticks hear what was heard in the timeline that is left. Nothing where nothing can be heard.
void timelines_begin_again(timelines_t *t);
// What the next ticks hear again; NULL when they are live. Borrowed until the next call.
const input_log_o *timelines_heard(const timelines_t *t);

#endif
