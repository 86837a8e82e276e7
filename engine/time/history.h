// Bounded history of a world: one state per tick, limited by a memory budget; the oldest states are dropped first.
//
// Most states are stored as differences from the previous ones (snapshot/state_codec.h). Every PACKER_KEY_STATES-th
// state is a key, which depends only on the previous key; every PACKER_WHOLE_KEYS-th key is stored whole (packer.h).
//
// Ticks in a history only increase. After a restore or a rewind, the states that are newer than the world are discarded
// when the next tick is added.
#ifndef SHOAL_TIME_HISTORY_H
#define SHOAL_TIME_HISTORY_H

#include "base/limits.h"
#include "snapshot/snapshot.h"

typedef struct history_o history_o;

// What history_offer does while the thread is busy: wait, so that the result does not depend on timing, or drop the
// state.
typedef enum history_late_t { HISTORY_LATE_WAITS, HISTORY_LATE_DROPS } history_late_t;

// Creates an empty history. `a` is borrowed and must outlive it.
history_o *history_create(allocator_t *a, uint64_t budget_bytes);
void history_destroy(history_o *h); // accepts NULL
// Repairs a history inherited through fork() from a process that may have died in the middle of an update: completed
// states are kept and the world's position is cleared.
void history_recover(history_o *h);
// Packs states on an internal thread from now on: history_offer and history_add copy the world and return. All other
// functions wait for pending states, except history_stats and history_begins.
void history_use_thread(history_o *h, history_late_t late);
// Waits for the thread and stops it until the next state is added. Call before fork() if the child uses the history.
void history_rest(history_o *h);

// Adds the world's current state; call after each tick, and once before the first. Returns the copy, borrowed until the
// next call, or NULL if the snapshot failed (in the middle of a spawn).
snapshot_o *history_add(history_o *h, world_o *w);
// Like history_add, but may skip the state and return NULL: because the world is so large that only every Nth tick is
// kept (stats.every), because no state fits the budget (stats.too_large), or because the thread is behind (counted in
// stats.late).
snapshot_o *history_offer(history_o *h, world_o *w);

// Restores the world to `ticks` ticks earlier, or to the oldest state. Returns how many ticks it went back; 0 with a
// message if there is no earlier state or the snapshot is rejected. Newer states are kept for history_forward. Converts
// states whose components have been redeclared since (migrate/schema_migrate.h), as history_forward does.
uint64_t history_back(history_o *h, world_o *w, uint64_t ticks, error_t *error);
// Moves one tick forward again after history_back. Returns false without a message if there is no newer state.
bool history_forward(history_o *h, world_o *w, error_t *error);
bool history_has_next(const history_o *h);
uint64_t history_next(const history_o *h); // tick of the next state

// Returns the state at `tick`, or the closest earlier one, without touching the world; NULL if the history is empty or
// damaged. Borrowed until the next call.
const snapshot_o *history_peek(history_o *h, uint64_t tick, uint64_t *found, error_t *error);
// Returns the state at exactly this tick, or NULL. For histories without a world position. Seeking to consecutive ticks
// is cheap.
const snapshot_o *history_seek(history_o *h, uint64_t tick);
// Returns the state most recently added or restored; empty if there is none. Borrowed.
const snapshot_o *history_now(history_o *h);
// Stores the ticks of the oldest and the newest state; returns false if the history is empty.
bool history_range(history_o *h, uint64_t *first, uint64_t *last);
bool history_begins(history_o *h, uint64_t *first); // oldest packed state; does not wait
uint64_t history_reach(const history_o *h);         // estimated number of ticks that fit the budget

// Returns a history with the states from the last whole one before the world's position to the newest. It has no world
// position and shares the packed bytes; later changes to one history do not affect the other.
history_o *history_fork(history_o *h);
void history_set_budget(history_o *h, uint64_t budget_bytes); // applies from the next state on
// Lets the budget of larger worlds grow to HISTORY_STATES times the size of a state, at most `most_bytes`.
void history_may_grow(history_o *h, uint64_t most_bytes);

// --- packed states, for recordings
typedef struct history_state_t {
  uint64_t tick, before; // before: tick of the previous state; HISTORY_NOTHING if none
  uint32_t form, size, raw_size, packed_size;
  const uint8_t *packed; // borrowed until the history changes
} history_state_t;

#define HISTORY_NOTHING UINT64_MAX
#define HISTORY_WHOLE 2u // form: depends on no other state

uint32_t history_count(history_o *h);
bool history_get(history_o *h, uint32_t i, history_state_t *out); // 0 is the oldest
// Appends to a history without a world position; discards states newer than `before`. Returns false if the state cannot
// follow, or declares a size above `largest_bytes` (compressed data can expand to any size). Safe for any bytes.
bool history_append(history_o *h, const history_state_t *s, uint32_t largest_bytes);

typedef struct history_stats_t {
  uint64_t ticks;       // number of states kept
  uint64_t bytes;       // memory of the states and of the copies needed to pack them
  uint64_t adds;        // states added since creation
  double add_us;        // spent in all adds, on the caller's thread
  uint64_t added_bytes; // packed size of all states added
  uint64_t state_bytes; // size of the most recent state, unpacked
  uint64_t late;        // states skipped because the thread was behind
  uint64_t budget_bytes;
  uint32_t every; // every Nth tick is kept
  bool too_large; // no state fits the budget
} history_stats_t;
history_stats_t history_stats(const history_o *h);

#endif
