// Cache of decoded snapshots, indexed by a number such as their tick. Evicts the snapshots that a reader who moves
// through the numbers in one direction needs last.
#ifndef SHOAL_TIME_STATE_CACHE_H
#define SHOAL_TIME_STATE_CACHE_H

#include "base/array.h"
#include "snapshot/snapshot.h"

typedef struct state_cache_entry_t {
  uint64_t key;
  uint32_t bonus; // the entry is evicted like one that is closer by this distance
  snapshot_o *state;
} state_cache_entry_t;

typedef struct state_cache_t {
  allocator_t *allocator; // borrowed
  uint32_t capacity;      // maximum number of entries
  ARRAY(state_cache_entry_t) items;
  snapshot_o *spare; // buffer for the next snapshot; NULL until it is needed
} state_cache_t;

// What the reader needs next: the entry at `target`, then those on its side.
typedef struct state_cache_need_t {
  uint64_t target;
  bool forward;                   // the reader moves to larger keys
  uint64_t first_kept, last_kept; // range of keys that must not be evicted
} state_cache_need_t;

void state_cache_init(state_cache_t *c, allocator_t *a, uint32_t capacity);
void state_cache_fini(state_cache_t *c);  // accepts a zero-initialized cache
void state_cache_clear(state_cache_t *c); // drops all entries and keeps the spare buffer
// Returns the entry's snapshot; NULL if it is missing. Borrowed until the next change of the cache.
const snapshot_o *state_cache_find(const state_cache_t *c, uint64_t key);
snapshot_o *state_cache_get_spare(state_cache_t *c); // returns the buffer to fill before state_cache_add
// Makes a snapshot the buffer to add, and becomes one of its owners. It must not change while the cache is one.
void state_cache_share(state_cache_t *c, snapshot_o *state);
// Drops the entries from `key` on: the reader's history has changed there.
void state_cache_drop_from(state_cache_t *c, uint64_t key);
// Changes the maximum number of entries. Evicts entries that are now too many.
void state_cache_set_capacity(state_cache_t *c, uint32_t capacity, const state_cache_need_t *need);
// Adds the spare buffer as entry `key`; no entry with this key may exist. If the cache is full, evicts another entry
// first.
void state_cache_add(state_cache_t *c, uint64_t key, uint32_t bonus, const state_cache_need_t *need);

#endif
