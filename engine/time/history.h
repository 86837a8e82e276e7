// The past of a world: a state for each tick, as far back as a budget of memory reaches. Most are kept as differences
// from those before them (delta.h); every HISTORY_KEY_TICKS one stands on the key before it, every sixteenth key on
// nothing. When the budget is used up the oldest go.
//
// Ticks only grow in it: what a restored snapshot or a rewind leaves behind is forgotten when the next tick comes.
#ifndef SHOAL_TIME_HISTORY_H
#define SHOAL_TIME_HISTORY_H

#include "state/snapshot.h"

#define HISTORY_KEY_TICKS 64u

typedef struct history_o history_o;

// `a` is borrowed and must live longer.
history_o *history_create(allocator_t *a, uint64_t budget_bytes);
void history_destroy(history_o *h); // NULL is fine
// In a copy of a process that died anywhere: what was added whole is there, and no world stands in it any more.
void history_recover(history_o *h);
void history_clear(history_o *h);

// After a tick, and once before the first.
void history_add(history_o *h, world_o *w);

// Brings the world back by `ticks`, or to the oldest state that there is. Returns how many ticks it went; 0 with a
// message when there is nothing before now, or when the snapshot is refused. Nothing is forgotten yet. A state of
// components that have been declared anew since is converted (state/schema_migrate.h), here and in history_forward.
uint64_t history_back(history_o *h, world_o *w, uint64_t ticks, error_t *error);
// One tick forward again, after history_back. False, without a message, when nothing is known of what comes next.
bool history_forward(history_o *h, world_o *w, error_t *error);
bool history_has_next(const history_o *h);

// The state of `tick`, or the one before it, without touching the world; NULL when there is none. Borrowed until the
// next call.
const snapshot_o *history_peek(history_o *h, uint64_t tick, uint64_t *found, error_t *error);
// The same for exactly this tick, of a history that no world stands in. Going on from tick to tick is cheap.
const snapshot_o *history_seek(history_o *h, uint64_t tick);
// The state that the world was in when it was added, or that it was brought back to last. Empty when there is none.
// Borrowed.
const snapshot_o *history_now(const history_o *h);
// The ticks of the first and the last state; false when there is none.
bool history_range(const history_o *h, uint64_t *first, uint64_t *last);

// Another history that has the states from a little before the one that the world stands at, up to the last. It stands
// there too and shares their memory: what happens to one does not concern the other.
history_o *history_fork(history_o *h);
void history_set_budget(history_o *h, uint64_t budget_bytes); // kept from the next state on

// --- states as they are kept, for recordings
typedef struct history_state_t {
  uint64_t tick, before; // before: of the state that it follows; HISTORY_NOTHING for none
  uint32_t form, size, raw_size, packed_size;
  const uint8_t *packed; // borrowed until the history changes
} history_state_t;

#define HISTORY_NOTHING UINT64_MAX
#define HISTORY_WHOLE 2u // form: it stands on no other

uint32_t history_count(const history_o *h);
bool history_get(history_o *h, uint32_t i, history_state_t *out); // the oldest is 0
// Into a history that no world stands in: those after `before` are forgotten. False when it does not follow, or is
// larger than `largest_bytes` (as it says; some bytes can stand for many); any bytes are safe.
bool history_append(history_o *h, const history_state_t *s, uint32_t largest_bytes);

typedef struct history_stats_t {
  uint64_t ticks;       // states that are kept
  uint64_t bytes;       // memory that they take
  uint64_t adds;        // since the beginning
  double add_us;        // spent in all of them
  uint64_t added_bytes; // and what they came to
  uint64_t state_bytes; // of the last state, whole
} history_stats_t;
history_stats_t history_stats(const history_o *h);

#endif
