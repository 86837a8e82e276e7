// History of a world: its states after past ticks, within a memory budget. The oldest states are dropped first. A large
// world keeps only the state of every Nth tick (history_try_add_state).
//
// Most states are stored as differences from the previous ones (snapshot/state_codec.h). Every PACKER_KEY_STATES-th
// state is a key, which depends only on the previous key; every PACKER_WHOLE_KEYS-th key is stored whole
// (state_packer.h).
//
// Ticks in a history only increase. After a restore or a rewind, the states that are newer than the world are discarded
// when the next tick is added.
#ifndef SHOAL_TIME_HISTORY_H
#define SHOAL_TIME_HISTORY_H

#include "base/limits.h"
#include "snapshot/snapshot.h"

typedef struct history_o history_o;

// Behaviour of history_try_add_state while the thread is busy.
typedef enum history_late_t {
  HISTORY_LATE_WAITS, // waits, so that the kept states do not depend on timing
  HISTORY_LATE_DROPS  // skips the state
} history_late_t;

// Creates an empty history. `a` is borrowed and must outlive the history.
history_o *history_create(allocator_t *a, uint64_t budget_bytes);
void history_destroy(history_o *h); // accepts NULL
// Repairs a history inherited through fork() from a process that may have died in the middle of an update: keeps
// completed states, packs pending ones, clears the world's position, and lifts the memory budget.
void history_recover(history_o *h);
// From now on, packs states on an internal thread: history_try_add_state and history_add_state then only copy the
// world. Functions that read or restore states, except history_get_oldest_tick, wait until pending states are packed.
void history_use_thread(history_o *h, history_late_t late);
// Waits for the thread and stops it; adding a state restarts it. Call before fork() if the child uses the history.
void history_stop_thread(history_o *h);

// Adds the world's current state. Call after each tick, and once before the first. Returns the snapshot, borrowed until
// the next call; NULL if no snapshot can be taken (see snapshot_take). If no state fits the budget (stats.too_large),
// only takes the snapshot.
snapshot_o *history_add_state(history_o *h, world_o *w);
// Like history_add_state, but may skip the state and return NULL, because:
//
// - the world is so large that only every Nth tick is kept (stats.every)
// - no state fits the budget (stats.too_large)
// - the thread is behind and HISTORY_LATE_DROPS is set (counted in stats.late)
snapshot_o *history_try_add_state(history_o *h, world_o *w);

// Restores the state `ticks` ticks earlier, or the oldest state. Returns the number of ticks rewound; 0 with a message
// if no earlier state is kept, the history is damaged, or the world rejects the state. Newer states are kept for
// history_step_forward. Like history_step_forward, migrates states whose components have been redeclared since
// (migrate/schema_migrate.h).
uint64_t history_rewind(history_o *h, world_o *w, uint64_t ticks, error_info_t *error);
// Moves forward again after history_rewind, to the next state. Returns false without a message if there is no newer
// state, and with a message if the state cannot be restored.
bool history_step_forward(history_o *h, world_o *w, error_info_t *error);
bool history_has_next(const history_o *h);
uint64_t history_next_tick(const history_o *h); // returns the next state's tick; requires history_has_next

// Returns the state at `tick` without changing the world. If that state is not kept, returns the closest earlier one
// or, if there is none, the oldest. Stores the state's tick in `*found`. Returns NULL with a message if the history is
// empty or damaged. Borrowed until the next call.
const snapshot_o *history_find_state(history_o *h, uint64_t tick, uint64_t *found, error_info_t *error);
// Returns the state at exactly this tick; NULL if that state is not kept or is damaged. Only for histories without a
// world position. Reading consecutive ticks is cheap. Borrowed until the next call.
const snapshot_o *history_get_state(history_o *h, uint64_t tick);
// Returns the most recently added or restored state; an empty snapshot if the history is empty. Borrowed until the next
// call.
const snapshot_o *history_current_state(history_o *h);
// Stores the ticks of the oldest and the newest state. Returns false if the history is empty.
bool history_get_range(history_o *h, uint64_t *first, uint64_t *last);
// Stores the tick of the oldest packed state without waiting for the thread. Returns false if no state is packed.
bool history_get_oldest_tick(history_o *h, uint64_t *first);
// Estimates the number of ticks that fit the budget, from the average size of a state.
uint64_t history_estimate_ticks(const history_o *h);

// Returns a copy of the history from the last whole state at or before the world's position to the newest state. The
// copy has no world position. The two histories share the packed bytes, but later changes to one do not affect the
// other.
history_o *history_fork(history_o *h);
void history_set_budget(history_o *h, uint64_t budget_bytes); // sets a fixed budget, from the next state on
// Lets the budget grow with the world, to HISTORY_STATES times the size of a state, but at most `max_bytes`.
void history_set_max_budget(history_o *h, uint64_t max_bytes);

// --- packed states, for recordings
typedef struct history_state_t {
  uint64_t tick, before; // before: tick of the previous state; HISTORY_NO_STATE if there is none
  uint32_t form, size, raw_size, packed_size;
  const uint8_t *packed; // borrowed until the history changes
} history_state_t;

#define HISTORY_NO_STATE UINT64_MAX
#define HISTORY_WHOLE 2u // value of `form`: the state depends on no other state

uint32_t history_count(history_o *h);
// Stores the i-th packed state; 0 is the oldest. Returns false if `i` is out of range.
bool history_get_packed(history_o *h, uint32_t i, history_state_t *out);
// Appends a packed state; the history then has no world position. First discards the states after the one at tick
// s->before, or all states if that one is not kept. Returns false if the state is empty, if its form is invalid at this
// position, or if its unpacked size exceeds `max_state_bytes` (compressed data can expand to any size). Safe for
// untrusted bytes.
bool history_append_packed(history_o *h, const history_state_t *s, uint32_t max_state_bytes);

typedef struct history_stats_t {
  uint64_t ticks;       // number of states kept
  uint64_t bytes;       // memory of the states, and of the copies needed to pack them
  uint64_t adds;        // number of states added since creation
  double add_us;        // time spent adding states on the caller's thread, in µs
  uint64_t added_bytes; // packed size of all states ever added
  uint64_t state_bytes; // unpacked size of the most recent state
  uint64_t late;        // number of states skipped because the thread was behind
  uint64_t budget_bytes;
  uint32_t every; // N: the state of every Nth tick is kept
  bool too_large; // no state fits the budget
} history_stats_t;
history_stats_t history_stats(const history_o *h);

#endif
