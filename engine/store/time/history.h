// History of a world: its snapshots after past ticks, within a memory budget. The oldest snapshots are dropped first.
// The history of a large world keeps only the snapshot of every Nth tick (history_try_add_snapshot).
//
// Most snapshots are stored as differences from previous snapshots (snapshot/snapshot_codec.h). Every
// PACKER_KEY_STATES-th snapshot is a key, which depends only on the previous key. Every PACKER_WHOLE_KEYS-th key is
// stored whole (snapshot_packer.h).
//
// Ticks in a history only increase. After a restore or a rewind, the snapshots that are newer than the world are
// discarded when the next tick is added.
#ifndef SHOAL_TIME_HISTORY_H
#define SHOAL_TIME_HISTORY_H

#include "base/limits.h"
#include "snapshot/snapshot.h"

typedef struct history_o history_o;
typedef struct state_reader_o state_reader_o; // defined in time/state_reader.h

// Behaviour of history_try_add_snapshot while the thread is busy.
typedef enum history_late_t {
  HISTORY_LATE_WAITS, // waits, so that the kept snapshots do not depend on timing
  HISTORY_LATE_DROPS  // skips the snapshot
} history_late_t;

// Creates an empty history. `a` is borrowed and must outlive the history.
history_o *history_create(allocator_t *a, uint64_t budget_bytes);
void history_destroy(history_o *h); // accepts NULL
// Repairs a history inherited through fork() from a process that may have died in the middle of an update. Keeps the
// completed snapshots, packs the pending snapshots, clears the world's position, and lifts the memory budget.
void history_recover(history_o *h);
// Packs snapshots on an internal thread from now on: history_try_add_snapshot and history_add_snapshot then only copy
// the world. Functions that read or restore snapshots, except history_get_oldest_tick, wait until pending snapshots are
// packed.
void history_use_thread(history_o *h, history_late_t policy);
// Runs `task` on the thread before it packs the pending snapshots; for tests that block the thread. Functions that read
// snapshots then wait for the task. Returns true on success, or false, without running the task, if the history has no
// thread.
bool history_start_task(history_o *h, void (*task)(void *context), void *context);
// Waits for the thread and stops it. Adding a snapshot restarts it. Call before fork() if the child uses the history.
void history_stop_thread(history_o *h);

// Adds the world's current snapshot. Call after each tick, and once before the first tick. Returns the snapshot,
// borrowed until the next call, or NULL if no snapshot can be taken (see snapshot_take). If no snapshot fits the budget
// (stats.too_large), only takes the snapshot.
snapshot_o *history_add_snapshot(history_o *h, world_o *w);
// Like history_add_snapshot, but skips the snapshot and returns NULL if:
//
// - the world is so large that only every Nth tick is kept (stats.interval)
// - no snapshot fits the budget (stats.too_large)
// - the thread is behind and HISTORY_LATE_DROPS is set (counted in stats.late_count)
snapshot_o *history_try_add_snapshot(history_o *h, world_o *w);

// Restores the snapshot `ticks` ticks earlier, or the oldest snapshot if the history does not reach that far. Returns
// the number of ticks rewound. Returns 0 with a message if no earlier snapshot is kept, the history is damaged, or the
// world rejects the snapshot. Newer snapshots are kept for history_step_forward. Like history_step_forward, migrates
// snapshots whose components have been redeclared since (migrate/schema_migrate.h).
uint64_t history_rewind(history_o *h, world_o *w, uint64_t ticks, error_info_t *error);
// Moves forward again after history_rewind, to the next snapshot. Returns true on success. Returns false without a
// message if there is no newer snapshot, or with a message if the snapshot cannot be restored.
bool history_step_forward(history_o *h, world_o *w, error_info_t *error);
// Restores a snapshot of a history in the world. If components have been redeclared since, migrates the snapshot.
// Returns true on success, or false with a message if the world rejects the snapshot.
bool history_restore_snapshot(const snapshot_o *s, allocator_t *a, world_o *w, error_info_t *error);
// Returns the index of the last snapshot whose tick is at most `tick`, or 0 if all snapshots are later or none is kept.
uint32_t history_find(history_o *h, uint64_t tick);
// Makes the i-th snapshot the world's position without restoring it (time/reel.h restores the snapshot).
void history_move_to(history_o *h, uint32_t i);
// After a rewind, decodes the snapshots that the next snapshot may depend on, at most one per call. Returns true once
// they are decoded, or after a failure, which drops all snapshots. Optional: adding the next snapshot decodes the rest.
bool history_prepare_to_continue(history_o *h);
// Returns the reader of the history's snapshots. Borrowed until the next snapshot is added.
state_reader_o *history_get_reader(history_o *h);
bool history_has_next(const history_o *h);
uint64_t history_next_tick(const history_o *h); // returns the next snapshot's tick; requires history_has_next

// Returns the snapshot at `tick` without changing the world. If that snapshot is not kept, returns the closest earlier
// snapshot or, if no earlier snapshot is kept, the oldest snapshot. Stores the snapshot's tick in `*found_tick`.
// Returns NULL with a message if the history is empty or damaged. Borrowed until the next call.
const snapshot_o *history_find_snapshot(history_o *h, uint64_t tick, uint64_t *found_tick, error_info_t *error);
// Returns the snapshot at exactly this tick, or NULL if that snapshot is not kept or is damaged. Only for histories
// without a world position. Reading consecutive ticks is cheap. Borrowed until the next call.
const snapshot_o *history_get_snapshot(history_o *h, uint64_t tick);
// Returns the most recently added or restored snapshot, or an empty snapshot if the history is empty. Borrowed until
// the next call.
const snapshot_o *history_current_snapshot(history_o *h);
// Stores the ticks of the oldest and the newest snapshot. Returns true on success. If the history is empty, stores 0
// and returns false.
bool history_get_range(history_o *h, uint64_t *first_tick, uint64_t *last_tick);
// Stores the tick of the oldest packed snapshot without waiting for the thread. Returns true on success. If no snapshot
// is packed, stores 0 and returns false.
bool history_get_oldest_tick(history_o *h, uint64_t *first_tick);
// Returns true if the snapshot at exactly this tick is packed or being packed. A following history_fork_from contains
// it. Does not wait for the thread.
bool history_has_snapshot(history_o *h, uint64_t tick);
void history_release_reader(history_o *h); // frees the decoded snapshots; the next read decodes them again
// Estimates the number of ticks that fit the budget, from the average size of a snapshot.
uint64_t history_estimate_ticks(const history_o *h);

// Returns a copy of the history from the last whole snapshot at or before the world's position to the newest snapshot.
// The copy has no world position. The two histories share the packed bytes, but later changes to one history do not
// affect the other.
history_o *history_fork(history_o *h);
// Returns a copy of the history like history_fork, from the last whole snapshot at or before `tick`, but without
// waiting for the thread. The copy lacks the snapshots that are being packed until history_complete_fork returns true.
// Then a single thread besides this one may read the copy's snapshots (state_reader_read, history_get_packed) until
// this thread destroys the copy.
history_o *history_fork_from(history_o *h, uint64_t tick);
// Adds the snapshots of the original history that have been packed since the copy was made. With `wait`, waits for
// pending snapshots. Returns true if the copy is complete. Destroying the original history completes its copies.
bool history_complete_fork(history_o *fork, bool wait);
void history_set_budget(history_o *h, uint64_t budget_bytes); // sets a fixed budget, from the next snapshot on
// Makes the budget grow with the world, to HISTORY_STATES times the size of a snapshot, but at most `max_bytes`.
void history_set_max_budget(history_o *h, uint64_t max_bytes);

// --- packed snapshots, for recordings
typedef struct history_snapshot_t {
  uint64_t tick;
  uint64_t previous_tick; // tick of the previous snapshot; HISTORY_NO_SNAPSHOT for the first snapshot
  uint32_t form, difference_size, raw_size, packed_size;
  const uint8_t *packed; // packed bytes, borrowed until the history changes
} history_snapshot_t;

#define HISTORY_NO_SNAPSHOT UINT64_MAX
#define HISTORY_WHOLE 2u // value of `form`: the snapshot depends on no other snapshot

uint32_t history_count(history_o *h);
// Stores the i-th packed snapshot. 0 is the oldest. Returns true on success, or false if `i` is out of range.
bool history_get_packed(history_o *h, uint32_t i, history_snapshot_t *out);
// Appends a packed snapshot. The history then has no world position. First discards the snapshots after the snapshot of
// tick snapshot->previous_tick, or all snapshots if that snapshot is not kept. Returns true on success. Returns false
// if the snapshot is empty, if its form is invalid at this position, or if its unpacked size exceeds `max_state_bytes`
// (compressed data can expand to any size). Safe for untrusted bytes.
bool history_append_packed(history_o *h, const history_snapshot_t *snapshot, uint32_t max_state_bytes);

typedef struct history_stats_t {
  uint64_t ticks;          // number of snapshots kept
  uint64_t bytes;          // memory of the snapshots, and of the copies needed to pack them
  uint64_t add_count;      // number of snapshots added since creation
  double add_us;           // time spent adding snapshots on the caller's thread, in µs
  uint64_t added_bytes;    // packed size of all snapshots ever added
  uint64_t snapshot_bytes; // unpacked size of the most recent snapshot
  uint64_t late_count;     // number of snapshots skipped because the thread was behind
  uint64_t budget_bytes;
  uint32_t interval; // interval N: the snapshot of every Nth tick is kept
  uint32_t revision; // counter that changes whenever a snapshot is added or dropped
  bool too_large;    // true if no snapshot fits the budget
} history_stats_t;
history_stats_t history_stats(const history_o *h);

#endif
