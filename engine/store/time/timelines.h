// Timelines of a game: the current timeline and the most recently abandoned timeline. A timeline consists of the
// snapshots of its ticks and their input. When the host rewinds and continues with different code or input, the old
// future becomes the abandoned timeline. It is kept for comparison, and to replay its input. Both timelines share one
// memory budget. Main thread.
//
// Only the functions below write the fields. Clients may read them, and may clear `replaying` to return to live input.
#ifndef SHOAL_TIME_TIMELINES_H
#define SHOAL_TIME_TIMELINES_H

#include "snapshot/compare.h"
#include "time/history.h"
#include "journal/input_log.h"
#include "journal/journal.h"
#include "time/state_cache.h"

#define TIMELINES_MAX_ITEMS 3u // maximum number of listed differences per tick

typedef struct timeline_t {
  history_o *snapshots; // kept snapshots; NULL if nothing is kept
  input_log_o *inputs;  // kept inputs; NULL if nothing is kept
} timeline_t;

// Callback that runs the ticks after the world's current tick again, up to `tick`, without recording them. It starts
// from the previous snapshot and uses the recorded input. It reproduces snapshots that were not kept, because only
// every Nth snapshot of a large world is kept.
typedef void (*timelines_resimulate_t)(void *context, const input_log_o *log, uint64_t tick);

typedef struct timelines_t {
  allocator_t *memory; // allocator of the timelines; borrowed
  journal_o *journal;  // journal that receives the input; borrowed
  timelines_resimulate_t resimulate;
  void *context;
  uint64_t budget_bytes;
  // True if the snapshot of the last tick must still be kept before the next tick (timelines_store_snapshot).
  bool snapshot_due;
  bool snapshot_required; // true if the snapshot that is due must not be skipped
  timeline_t current, abandoned;
  // Raw states of recent ticks that the history does not keep, indexed by tick. While scrubbing, states of ticks around
  // the shown tick (time/reel.h).
  state_cache_t states;
  allocator_t state_memory; // allocates `states`
  uint64_t tick;            // tick of the world after it last ran or was restored
  // Last tick that the code before a reload produced. Ticks up to this tick cannot be reproduced.
  uint64_t reproducible_from;
  uint64_t interrupted_tick; // tick that depends on more than the previous snapshot, so its own snapshot is kept
  uint32_t code_version;     // value of `code_version` in the most recent timelines_add_tick
  bool replaying;            // true while ticks use the input of `abandoned`
  bool replay_starting;      // true until the first replayed tick has been added
  bool diverged;             // true if a replayed tick differed from the same tick in `abandoned`
  bool abandons_future;      // true if the host has rewound, so that the next tick abandons the kept future
} timelines_t;

// Result of timelines_add_tick.
typedef struct timelines_result_t {
  // number of differences from the abandoned timeline if this tick is the first that differs; 0 for all other ticks
  uint64_t differences;
  compare_item_t items[TIMELINES_MAX_ITEMS];
  bool replay_ended; // true if this was the last replayed tick: live input follows
} timelines_result_t;

typedef struct timelines_desc_t {
  journal_o *journal;    // journal that receives the input of all ticks; borrowed
  uint64_t budget_bytes; // budget of the history in bytes; 0 disables the history
  uint64_t max_bytes;    // maximum of the budget if it grows with the world; 0: the budget does not grow
  history_late_t late_policy;
  // Callback that reproduces snapshots; NULL: snapshots that were not kept are not reproduced.
  timelines_resimulate_t resimulate;
  void *context; // context that is passed to `resimulate`
} timelines_desc_t;

// Begins a history at the world's current tick. Drops all snapshots and input kept before. `memory` is borrowed.
void timelines_begin(timelines_t *t, allocator_t *memory, const timelines_desc_t *desc, world_o *w);
void timelines_end(timelines_t *t); // accepts timelines that are zero-initialized or already ended

// Adds the tick that has just run to the current timeline. Call after each tick, and before its input is added to the
// journal. `code_version` must change when the tick has started or parked a system, because the tick then depends on
// more than the previous snapshot.
void timelines_add_tick(timelines_t *t, world_o *w, uint32_t code_version, timelines_result_t *result);
// Requires the next tick's snapshot to be kept. Call after a change of the world outside a tick.
void timelines_interrupt(timelines_t *t, const world_o *w);
// Replaces the snapshot of the world's tick, because code outside a tick has changed the world. After a rewind by the
// host, keeps the future as the abandoned timeline. Call before the next tick.
void timelines_replace_state(timelines_t *t);
// Adds the snapshot of the last tick to the history if it is due. Call before the world changes or the history is used.
// Returns the snapshot for undoing the next tick, borrowed until the next call, or NULL if no snapshot was taken.
// `required`: true if the snapshot must not be skipped.
snapshot_o *timelines_store_snapshot(timelines_t *t, world_o *w, bool required);
// Copies the state of a tick that the history skips, so that a rewind can show it immediately. Call before the next
// tick. Returns the copy for undoing the next tick, borrowed until the next call. Returns NULL if no history is kept,
// if the history keeps every tick, if the world is too large, or if no snapshot can be taken (see snapshot_take).
snapshot_o *timelines_keep_recent_state(timelines_t *t, world_o *w);
// Drops the states kept for scrubbing, except the states of recent ticks. Call when the scrubbing ends.
void timelines_trim_states(timelines_t *t, const world_o *w);
// Keeps the snapshot that is due, and stops the history's thread. Call before fork() if the child uses the history.
void timelines_stop_thread(timelines_t *t, world_o *w);
// Discards the input of ticks after the world's tick, and earlier frames of the pause that have no input. Call after
// each frame of a paused game, and before the frame's input is added to the journal.
void timelines_add_paused(timelines_t *t, const world_o *w);
// Continues after a reload. The snapshot of the world, which may have been migrated, replaces the kept snapshot of its
// tick. If the world is in the past, abandons the future that the old code produced, and replays that future's input.
void timelines_on_reload(timelines_t *t);
// Like timelines_on_reload, for a world that is edited between two ticks with the same code. Call before and after the
// edit.
void timelines_on_edit(timelines_t *t);

// Rewinds by `ticks`, or as far as snapshots are kept. Returns the number of ticks rewound, or 0 with a message on
// failure. The number is larger than `ticks` if the requested snapshot was not kept and cannot be reproduced. With
// `keep_abandoned`, the next tick moves the kept future to `abandoned`. Pass false for a rewind by a script, because a
// replay repeats this rewind.
uint64_t timelines_rewind(timelines_t *t, world_o *w, uint64_t ticks, bool keep_abandoned, error_info_t *error);
// Moves forward again by one tick, or to the next kept snapshot. Requires timelines_has_next. Returns true on success,
// or false with a message if the snapshot cannot be restored.
bool timelines_step_forward(timelines_t *t, world_o *w, error_info_t *error);
// Makes the world's tick, which must be a known tick, the position in the current timeline. Call after time/reel.h has
// restored that tick.
void timelines_move_to(timelines_t *t, const world_o *w);
size_t timelines_bytes(const timelines_t *t);  // returns the memory of both timelines' snapshots in bytes
bool timelines_has_next(const timelines_t *t); // returns true if the world was rewound and its next tick is kept

// Abandons the kept future and replays its input from the next tick on. Does nothing if no future is kept.
void timelines_begin_replay(timelines_t *t);
// Returns the input log that the next ticks replay, or NULL for live input. Borrowed until the next call.
const input_log_o *timelines_replayed_input(const timelines_t *t);

#endif
