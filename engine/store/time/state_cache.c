// Finds and evicts entries by a linear search, because a cache has at most a few dozen entries.
#include "time/state_cache.h"

#include "base/assert.h"

// Weight of the distance of an entry that the reader has passed, relative to the distance of an entry ahead.
#define PASSED_FACTOR 32u

void state_cache_init(state_cache_t *c, allocator_t *a, uint32_t capacity) {
  shoal_assert(a, "a must not be NULL");
  *c = (state_cache_t){.allocator = a, .capacity = capacity};
}

void state_cache_clear(state_cache_t *c) {
  for (uint32_t i = 0; i < c->items.count; ++i)
    snapshot_release(c->items.items[i].state);
  c->items.count = 0;
}

void state_cache_fini(state_cache_t *c) {
  state_cache_clear(c);
  snapshot_release(c->spare);
  if (c->allocator)
    array_free(c->allocator, &c->items);
  *c = (state_cache_t){.capacity = 0};
}

static const state_cache_entry_t *find_entry(const state_cache_t *c, uint64_t key) {
  for (uint32_t i = 0; i < c->items.count; ++i)
    if (c->items.items[i].key == key)
      return &c->items.items[i];
  return NULL;
}

const snapshot_o *state_cache_find(const state_cache_t *c, uint64_t key) {
  const state_cache_entry_t *entry = find_entry(c, key);
  return entry ? entry->state : NULL;
}

snapshot_o *state_cache_get_spare(state_cache_t *c) {
  // The buffer of an evicted entry may have a second owner or a different allocator, and is then replaced
  if (c->spare && (snapshot_is_shared(c->spare) || snapshot_allocator(c->spare) != c->allocator)) {
    snapshot_release(c->spare);
    c->spare = NULL;
  }
  if (!c->spare)
    c->spare = snapshot_create(c->allocator);
  return c->spare;
}

void state_cache_share(state_cache_t *c, snapshot_o *state) {
  snapshot_release(c->spare);
  snapshot_retain(state);
  c->spare = state;
}

static uint64_t get_distance(const state_cache_entry_t *entry, const state_cache_need_t *need) {
  uint64_t distance = entry->key > need->target ? entry->key - need->target : need->target - entry->key;
  bool is_passed = need->forward ? entry->key < need->target : entry->key > need->target;
  distance *= is_passed ? PASSED_FACTOR : 1;
  return distance > entry->bonus ? distance - entry->bonus : 0;
}

// Returns the index of the entry that is needed last. If all entries must be kept, returns the index of the first
// entry.
static uint32_t find_victim(const state_cache_t *c, const state_cache_need_t *need) {
  uint32_t victim = 0;
  uint64_t victim_distance = 0;
  for (uint32_t i = 0; i < c->items.count; ++i) {
    const state_cache_entry_t *entry = &c->items.items[i];
    bool is_kept = entry->key >= need->first_kept && entry->key <= need->last_kept;
    if (!is_kept && get_distance(entry, need) >= victim_distance) {
      victim = i;
      victim_distance = get_distance(entry, need);
    }
  }
  return victim;
}

static void remove_entry(state_cache_t *c, uint32_t i) {
  snapshot_release(c->items.items[i].state);
  c->items.items[i] = c->items.items[--c->items.count];
}

void state_cache_drop_from(state_cache_t *c, uint64_t key) {
  for (uint32_t i = c->items.count; i-- > 0;)
    if (c->items.items[i].key >= key)
      remove_entry(c, i);
}

void state_cache_set_capacity(state_cache_t *c, uint32_t capacity, const state_cache_need_t *need) {
  c->capacity = capacity;
  while (c->items.count > capacity)
    remove_entry(c, find_victim(c, need));
  if (capacity == 0) {
    snapshot_release(c->spare);
    c->spare = NULL;
  }
}

void state_cache_add(state_cache_t *c, uint64_t key, uint32_t bonus, const state_cache_need_t *need) {
  shoal_assert(c->spare && c->capacity > 0 && !find_entry(c, key),
               "the spare buffer is missing, the capacity is 0, or entry %llu exists", (unsigned long long)key);
  state_cache_entry_t entry = {key, bonus, c->spare};
  c->spare = NULL;
  if (c->items.count < c->capacity) {
    array_push(c->allocator, &c->items, entry);
    return;
  }
  state_cache_entry_t *victim = &c->items.items[find_victim(c, need)];
  c->spare = victim->state;
  *victim = entry;
}
