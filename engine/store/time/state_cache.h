// Cache of decoded snapshots, indexed by a number such as their tick. Evicts the snapshots that are needed last by a
// reader that moves through the numbers in one direction.
#ifndef SHOAL_TIME_STATE_CACHE_H
#define SHOAL_TIME_STATE_CACHE_H

#include "base/array.h"
#include "snapshot/snapshot.h"

typedef struct state_cache_entry_t {
  uint64_t key;
  uint32_t bonus; // number subtracted from the entry's distance when an entry is chosen for eviction
  snapshot_o *state;
} state_cache_entry_t;

typedef struct state_cache_t {
  allocator_t *allocator; // allocator of the entries; borrowed
  uint32_t capacity;      // maximum number of entries
  ARRAY(state_cache_entry_t) items;
  snapshot_o *spare; // buffer for the next snapshot; NULL until it is needed
} state_cache_t;

// Describes what the reader needs next: the entry at `target`, then the entries in the direction of movement.
typedef struct state_cache_need_t {
  uint64_t target;
  bool forward;                   // true if the reader moves to larger keys
  uint64_t first_kept, last_kept; // range of keys that must not be evicted
} state_cache_need_t;

void state_cache_init(state_cache_t *c, allocator_t *a, uint32_t capacity);
void state_cache_fini(state_cache_t *c);  // accepts a zero-initialized cache
void state_cache_clear(state_cache_t *c); // drops all entries and keeps the spare buffer
// Returns the entry's snapshot, or NULL if the entry is missing. Borrowed until the next change of the cache.
const snapshot_o *state_cache_find(const state_cache_t *c, uint64_t key);
snapshot_o *state_cache_get_spare(state_cache_t *c); // returns the buffer to fill before state_cache_add
// Makes a snapshot the spare buffer that state_cache_add adds, and retains it. The snapshot must not change while the
// cache owns it.
void state_cache_share(state_cache_t *c, snapshot_o *state);
// Drops the entries from `key` on, because the reader's history has changed there.
void state_cache_drop_from(state_cache_t *c, uint64_t key);
// Changes the maximum number of entries, and evicts excess entries.
void state_cache_set_capacity(state_cache_t *c, uint32_t capacity, const state_cache_need_t *need);
// Adds the spare buffer as entry `key`. No entry with this key may exist. If the cache is full, first evicts an entry.
void state_cache_add(state_cache_t *c, uint64_t key, uint32_t bonus, const state_cache_need_t *need);

#endif
