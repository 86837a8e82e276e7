// Moves a world smoothly through its known ticks while a key is held: shows any tick within a time budget per frame.
// Keeps decoded states around the shown tick in memory, and prepares the states that follow in the direction of
// movement. Ticks between two kept snapshots, which form a block, are re-run forward from the earlier snapshot, a few
// per frame. While the reader moves backwards through a block, the preceding block is prepared. During that work the
// world is at a different tick. reel_show restores the shown tick.
#ifndef SHOAL_TIME_REEL_H
#define SHOAL_TIME_REEL_H

#include "time/timelines.h"

typedef struct reel_o reel_o;

// Creates a reel at the world's tick, and keeps that tick's snapshot. Returns the reel. Returns NULL if no history
// or snapshot is kept, or if `max_bytes` is less than the minimum. The timelines and the world are borrowed.
// Destroy the reel before other code changes the world. With N ticks between two kept snapshots, the reel and the
// history's reader hold at most N + 13 states. In large worlds (N ≥ 14), this is less than the ticks of two blocks.
reel_o *reel_create(timelines_t *t, world_o *w, uint64_t max_bytes);
void reel_destroy(reel_o *r); // accepts NULL; the world stays at the shown tick

// reel_first_tick returns the first tick that can be shown, and reel_last_tick the last. Tick 0 is shown only if it
// is the only kept tick: only the game's `start` has run then, so everything that systems create, such as a menu, is
// missing.
uint64_t reel_first_tick(const reel_o *r);
uint64_t reel_last_tick(const reel_o *r);
// Returns true if all known ticks can be shown, or false if only kept snapshots can be shown, because the states
// between them do not fit the memory.
bool reel_shows_every_tick(const reel_o *r);
// Returns the known tick that is closest to `tick` and can be shown: `tick` itself or, if it cannot be shown, a kept
// snapshot before it (with `forward`, after it). With `kept_only`, considers only kept snapshots and the first tick,
// which is usually kept as well.
uint64_t reel_find_tick(const reel_o *r, uint64_t tick, bool forward, bool kept_only);

// Works towards showing `tick`, a result of reel_find_tick, for about `budget_us` microseconds, but at least one step.
// Returns true if the world is now at `tick`. Otherwise, the world stays at the shown tick, and the next call
// continues. Remaining time is used to prepare the ticks that follow. After a failure, returns false with a message.
bool reel_show(reel_o *r, uint64_t tick, bool forward, double budget_us, error_info_t *error);
// Decodes the states that the history needs to continue from the shown tick, about one per call. Returns true once
// all these states are decoded.
bool reel_prepare_to_continue(reel_o *r);

size_t reel_bytes(const reel_o *r); // returns the memory of the reel, in bytes

#endif
