// The history of a world: a state for each tick, as far back as a memory budget reaches. Most are stored as differences
// from those before them (snapshot/state_codec.h). Every HISTORY_KEY_TICKS a state depends only on the previous key
// state, and every sixteenth of those on nothing. When the budget is used up, the oldest states are dropped.
//
// Ticks only grow in it: what a restored snapshot or a rewind leaves behind is forgotten when the next tick comes.
#ifndef SHOAL_TIME_HISTORY_H
#define SHOAL_TIME_HISTORY_H

#include "base/limits.h"
#include "snapshot/snapshot.h"

typedef struct history_o history_o;

// What history_offer does when the thread is behind: without an answer that depends on time, or without waiting.
typedef enum history_late_t { HISTORY_LATE_WAITS, HISTORY_LATE_DROPS } history_late_t;

// `a` is borrowed and must live longer.
history_o *history_create(allocator_t *a, uint64_t budget_bytes);
void history_destroy(history_o *h); // NULL is fine
// In a copy of a process that died anywhere: what was added whole is there, and no world stands in it any more.
void history_recover(history_o *h);
// From now on states are packed on a thread of the history's own: history_offer and history_add copy the world and come
// back. All other functions wait for what is under way, but for history_stats and history_begins.
void history_use_thread(history_o *h, history_late_t late);
// Waits, and has no thread until the next state: before the process makes a copy of itself in which this is used.
void history_rest(history_o *h);

// After a tick, and once before the first. What was copied, borrowed until the next call; NULL when nothing was, in the
// middle of a spawn.
snapshot_o *history_add(history_o *h, world_o *w);
// The same, unless the state is left out: because the world is so large that only some ticks are kept (stats.every),
// because no state of it fits (stats.too_large), or because the thread is behind (stats.late counts them).
snapshot_o *history_offer(history_o *h, world_o *w);

// Brings the world back by `ticks`, or to the oldest state that there is. Returns how many ticks it went; 0 with a
// message when there is nothing before now, or when the snapshot is refused. Nothing is forgotten yet. A state of
// components that have been declared anew since is converted (migrate/schema_migrate.h), here and in history_forward.
uint64_t history_back(history_o *h, world_o *w, uint64_t ticks, error_t *error);
// One tick forward again, after history_back. False, without a message, when nothing is known of what comes next.
bool history_forward(history_o *h, world_o *w, error_t *error);
bool history_has_next(const history_o *h);
uint64_t history_next(const history_o *h); // its tick

// The state of `tick`, or the one before it, without touching the world; NULL when there is none. Borrowed until the
// next call.
const snapshot_o *history_peek(history_o *h, uint64_t tick, uint64_t *found, error_t *error);
// The same for exactly this tick, of a history that no world stands in. Going on from tick to tick is cheap.
const snapshot_o *history_seek(history_o *h, uint64_t tick);
// The state that the world was in when it was added, or that it was brought back to last. Empty when there is none.
// Borrowed.
const snapshot_o *history_now(history_o *h);
// The ticks of the first and the last state; false when there is none.
bool history_range(history_o *h, uint64_t *first, uint64_t *last);
bool history_begins(history_o *h, uint64_t *first); // the first of those that are packed
uint64_t history_reach(const history_o *h);         // how many ticks will be kept if it goes on as it went so far

// Another history that has the states from a little before the one that the world stands at, up to the last. No world
// stands in it; it shares their memory: what happens to one does not concern the other.
history_o *history_fork(history_o *h);
void history_set_budget(history_o *h, uint64_t budget_bytes); // kept from the next state on
// Of larger worlds the budget is HISTORY_STATES states, up to so many bytes.
void history_may_grow(history_o *h, uint64_t most_bytes);

// --- states as they are kept, for recordings
typedef struct history_state_t {
  uint64_t tick, before; // before: of the state that it follows; HISTORY_NOTHING for none
  uint32_t form, size, raw_size, packed_size;
  const uint8_t *packed; // borrowed until the history changes
} history_state_t;

#define HISTORY_NOTHING UINT64_MAX
#define HISTORY_WHOLE 2u // form: it stands on no other

uint32_t history_count(history_o *h);
bool history_get(history_o *h, uint32_t i, history_state_t *out); // the oldest is 0
// Into a history that no world stands in: those after `before` are forgotten. False when it does not follow, or is
// larger than `largest_bytes` (as it says; some bytes can stand for many); any bytes are safe.
bool history_append(history_o *h, const history_state_t *s, uint32_t largest_bytes);

typedef struct history_stats_t {
  uint64_t ticks;       // states that are kept
  uint64_t bytes;       // memory of all of it: states, and the copies that they are made from
  uint64_t adds;        // since the beginning
  double add_us;        // spent in all of them, on the caller's thread
  uint64_t added_bytes; // and what they came to
  uint64_t state_bytes; // of the last state, whole
  uint64_t late;        // states that were left out because the thread was behind
  uint64_t budget_bytes;
  uint32_t every; // one tick in so many is kept
  bool too_large; // no state fits into the budget
} history_stats_t;
history_stats_t history_stats(const history_o *h);

#endif
