// Entity ids: index and generation. Freed indices pass through a FIFO, in which they wait for a minimum time.
#include "ecs/entity.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/pages.h"
#include "schema/columns.h"

#include <string.h>

#define RUN_BLOCK 64u // number of free indices that are compared without branches

// Grows an array and zeroes its new part. Large arrays are not copied, because realloc moves their pages.
static void *grow_array(allocator_t *a, void *old, size_t old_bytes, size_t new_bytes) {
  char *memory = alloc_resize(a, old, old_bytes, new_bytes);
  pages_populate(memory + old_bytes, new_bytes - old_bytes);
  memset(memory + old_bytes, 0, new_bytes - old_bytes);
  return memory;
}

// Columns with properties of entities, except `marks`.
#define EACH_PROPERTY(X) X(generation) X(alive) X(assemblage) X(state)
#define EACH_PAGED_PROPERTY(X) X(died_tick) X(died_by) // properties in paged arrays

#define EACH_CLEARED(X) X(alive) X(state) X(marks) // properties that are zeroed when an entity dies

#define GROW(member, from, to)                                                                                         \
  (s->member =                                                                                                         \
       grow_array(s->allocator, s->member, (size_t)(from) * sizeof *s->member, (size_t)(to) * sizeof *s->member))

static void grow_columns(entities_t *s, uint32_t capacity) {
#define GROW_COLUMN(member) GROW(member, s->capacity, capacity);
#define GROW_PAGES(member) GROW(member, sparse_page_count(s->capacity), sparse_page_count(capacity));
  EACH_PROPERTY(GROW_COLUMN)
  GROW_COLUMN(marks)
  EACH_PAGED_PROPERTY(GROW_PAGES)
  s->capacity = capacity;
}

void entities_init(entities_t *s, allocator_t *a) {
  memset(s, 0, sizeof *s);
  s->allocator = a;
  s->used = 1;
  grow_columns(s, ENTITIES_INITIAL_CAPACITY);
  s->free_capacity = ENTITIES_INITIAL_CAPACITY;
  s->free_ring = alloc_aligned(a, s->free_capacity * sizeof *s->free_ring);
}

void entities_fini(entities_t *s) {
#define FREE_COLUMN(member) alloc_resize(s->allocator, s->member, s->capacity * sizeof *s->member, 0);
#define FREE_PAGES(member)                                                                                             \
  sparse_free(s->member, sparse_page_count(s->capacity), s->allocator);                                                \
  alloc_resize(s->allocator, s->member, sparse_page_count(s->capacity) * sizeof *s->member, 0);
  EACH_PROPERTY(FREE_COLUMN)
  FREE_COLUMN(marks)
  EACH_PAGED_PROPERTY(FREE_PAGES)
  alloc_free_aligned(s->allocator, s->free_ring, s->free_capacity * sizeof *s->free_ring);
  memset(s, 0, sizeof *s);
}

// Returns true if the index at this position of the FIFO has waited ENTITY_MIN_FREE_TICKS.
static bool has_index_waited(const entities_t *s, uint32_t position, uint32_t tick) {
  uint32_t index = s->free_ring[(s->free_first + position) & (s->free_capacity - 1)];
  return tick - sparse_get(s->died_tick, index) >= ENTITY_MIN_FREE_TICKS;
}

// Updates the number of indices that have waited long enough at this tick. Binary search, because indices are appended
// to the FIFO in the order in which their entities died.
static void update_ready_count(entities_t *s, uint32_t tick) {
  uint32_t first = 0, end = s->free_count;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    if (has_index_waited(s, middle, tick))
      first = middle + 1;
    else
      end = middle;
  }
  s->ready_count = first;
  s->ready_tick = tick;
  s->ready_valid = true;
}

// Returns the number of new entities, at most `count`, that reuse a freed index; the remaining entities get unused
// indices. Updates `ready_count` and `reused_early`.
static uint32_t count_reused(entities_t *s, uint32_t count, uint32_t tick) {
  uint32_t reusable = s->free_count > ENTITY_MIN_FREE ? s->free_count - ENTITY_MIN_FREE : 0;
  uint32_t unused = ENTITIES_MAX_INDICES - s->used;
  if (!s->ready_valid || s->ready_tick != tick)
    update_ready_count(s, tick);
  uint32_t reused = s->ready_count < reusable ? s->ready_count : reusable;
  reused = reused < count ? reused : count;
  if (count - reused > unused) {
    shoal_assert(count - unused <= reusable, "no capacity for %u entities", count);
    s->reused_early |= count - unused > s->ready_count;
    reused = count - unused;
  }
  s->ready_count -= reused < s->ready_count ? reused : s->ready_count;
  return reused;
}

static void reserve_indices(entities_t *s, uint32_t count) {
  while (s->capacity - s->used < count)
    grow_columns(s, columns_compute_capacity(s->capacity, s->used + count));
}

static void fill_numbers(uint32_t *numbers, uint32_t count, uint32_t value) {
  for (uint32_t i = 0; i < count; ++i)
    numbers[i] = value;
}

// Makes `count` consecutive indices of the same generation alive, starting at `first`.
static void use_run(entities_t *s, shoal_entity *out, uint32_t first, uint32_t count, uint8_t marks) {
  uint32_t id = first | (uint32_t)s->generation[first] << SHOAL_ENTITY_INDEX_BITS;
  memset(s->alive + first, 1, count);
  memset(s->marks + first, marks, count);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = id + i;
}

// Makes `count` unused indices alive. Their generation, assemblage and state are 0, so each new id equals its index.
static void use_new_indices(entities_t *s, shoal_entity *out, uint32_t count, entity_properties_t properties) {
  uint32_t first = s->used;
  if (count == 0)
    return;
  reserve_indices(s, count);
  use_run(s, out, first, count, properties.marks);
  if (properties.assemblage != 0)
    fill_numbers(s->assemblage + first, count, properties.assemblage);
  if (properties.state != 0)
    fill_numbers(s->state + first, count, properties.state);
  s->used += count;
}

// Makes `count` free indices alive. The indices are usually scattered. Pointers are copied to locals, because the
// compiler would otherwise reload the pointers after each byte that is written.
static void reuse_scattered(entities_t *s, shoal_entity *out, const uint32_t *indices, uint32_t count,
                            entity_properties_t properties) {
  const uint8_t *generation = s->generation;
  uint8_t *alive = s->alive, *marks = s->marks;
  uint32_t *assemblage = s->assemblage, *state = s->state;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = indices[i];
    alive[index] = 1;
    marks[index] = properties.marks;
    assemblage[index] = properties.assemblage; // dead entities keep their assemblage until the index is reused
    state[index] = properties.state;
    out[i] = index | (uint32_t)generation[index] << SHOAL_ENTITY_INDEX_BITS;
  }
}

// Like reuse_scattered for consecutive indices of the same generation.
static void reuse_run(entities_t *s, shoal_entity *out, uint32_t first, uint32_t count,
                      entity_properties_t properties) {
  use_run(s, out, first, count, properties.marks);
  fill_numbers(s->assemblage + first, count, properties.assemblage);
  fill_numbers(s->state + first, count, properties.state);
}

// Returns true if RUN_BLOCK free indices are consecutive and have the same generation. k is signed: unsigned indices
// may wrap, which prevents vectorization.
static bool is_run(const entities_t *s, const uint32_t *indices) {
  uint32_t first = indices[0], difference = 0;
  if (indices[1] != first + 1 || indices[RUN_BLOCK - 1] != first + RUN_BLOCK - 1)
    return false;
  for (int k = 0; k < (int)RUN_BLOCK; ++k)
    difference |= indices[k] ^ (first + (uint32_t)k);
  const uint8_t *generation = s->generation + first;
  for (int k = 0; k < (int)RUN_BLOCK && difference == 0; ++k)
    difference |= (uint32_t)(generation[k] ^ generation[0]);
  return difference == 0;
}

// Makes the `count` oldest free indices alive, in blocks that do not wrap around in the ring. Entities that were
// destroyed in one step are usually consecutive.
static void reuse_indices(entities_t *s, shoal_entity *out, uint32_t count, entity_properties_t properties) {
  const uint32_t ring_mask = s->free_capacity - 1;
  for (uint32_t i = 0, block; i < count; i += block) {
    uint32_t position = (s->free_first + i) & ring_mask, until_wrap = s->free_capacity - position;
    const uint32_t *indices = s->free_ring + position;
    block = count - i < RUN_BLOCK ? count - i : RUN_BLOCK;
    block = block < until_wrap ? block : until_wrap;
    if (block == RUN_BLOCK && is_run(s, indices))
      reuse_run(s, out + i, indices[0], block, properties);
    else
      reuse_scattered(s, out + i, indices, block, properties);
  }
  s->free_first = (s->free_first + count) & ring_mask;
  s->free_count -= count;
}

shoal_entity entities_create(entities_t *s, uint32_t tick, entity_properties_t properties) {
  shoal_entity e = entities_create_quickly(s, tick, properties);
  if (e == SHOAL_ENTITY_NONE && entities_available(s) > 0)
    entities_create_many(s, &e, 1, tick, properties);
  return e;
}

void entities_create_many(entities_t *s, shoal_entity *out, uint32_t count, uint32_t tick,
                          entity_properties_t properties) {
  uint32_t reused = count_reused(s, count, tick);
  reuse_indices(s, out, reused, properties);
  use_new_indices(s, out + reused, count - reused, properties);
  s->alive_count += count;
}

// Doubles the capacity of the ring and moves the start of the FIFO to index 0: only the FIFO's order is significant.
static void grow_ring(entities_t *s) {
  uint32_t capacity = s->free_capacity * 2;
  uint32_t *ring = alloc_aligned(s->allocator, capacity * sizeof *ring);
  for (uint32_t i = 0; i < s->free_count; ++i)
    ring[i] = s->free_ring[(s->free_first + i) & (s->free_capacity - 1)];
  alloc_free_aligned(s->allocator, s->free_ring, s->free_capacity * sizeof *ring);
  s->free_ring = ring;
  s->free_first = 0;
  s->free_capacity = capacity;
}

// Adds consecutive indices to the ring, in two parts if they wrap around.
static void free_index_run(entities_t *s, uint32_t position, uint32_t first, uint32_t count) {
  uint32_t until_wrap = s->free_capacity - (position & (s->free_capacity - 1)),
           before_wrap = count < until_wrap ? count : until_wrap;
  uint32_t *ring = s->free_ring + (position & (s->free_capacity - 1));
  for (uint32_t n = 0; n < before_wrap; ++n)
    ring[n] = first + n;
  for (uint32_t n = before_wrap; n < count; ++n)
    s->free_ring[n - before_wrap] = first + n;
}

void entities_destroy_many(entities_t *s, const shoal_entity *entities, uint32_t count, uint32_t tick) {
  while (s->free_capacity - s->free_count < count)
    grow_ring(s);
  uint32_t end = s->free_first + s->free_count;
  for (uint32_t k = 0, run; k < count; k += run) {
    uint32_t i = shoal_entity_index(entities[k]);
    run = entities_run_length(entities + k, count - k, PAGE_NUMBERS);
    uint32_t *died_tick = sparse_get_or_create(s->died_tick, i, s->allocator);
    for (uint32_t n = 0; n < run; ++n)
      shoal_assert(entities_is_alive(s, entities[k + n]), "cannot destroy entity %u:%u: it is not alive", i + n,
                   shoal_entity_generation(entities[k]));
#define CLEAR_ONE(member) s->member[i] = 0;
#define CLEAR_RUN(member) memset(s->member + i, 0, run * sizeof *s->member);
    if (run == 1) {
      EACH_CLEARED(CLEAR_ONE)
    } else {
      EACH_CLEARED(CLEAR_RUN)
    }
    uint8_t *generation = s->generation + i;
    for (uint32_t n = 0; n < run; ++n)
      generation[n]++;
    for (uint32_t n = 0; n < run; ++n)
      died_tick[n] = tick;
    free_index_run(s, end + k, i, run);
  }
  s->alive_count -= count;
  s->free_count += count;
  s->deaths += count;
  shoal_assert(s->alive_count + s->free_count + 1 == s->used, "%u alive and %u free entities do not add up to %u",
               s->alive_count, s->free_count, s->used);
}

bool entities_destroy(entities_t *s, shoal_entity e, uint32_t tick, uint32_t destroyer) {
  if (!entities_is_alive(s, e))
    return false;
  *sparse_get_or_create(s->died_by, shoal_entity_index(e), s->allocator) = destroyer;
  entities_destroy_many(s, &e, 1, tick);
  return true;
}

uint64_t entities_hash(const entities_t *s, uint64_t seed) {
  uint32_t counts[] = {s->used, s->alive_count, s->free_count};
  uint64_t hash = hash_bytes(counts, sizeof counts, seed);
#define HASH_COLUMN(member) hash = hash_bytes(s->member, s->used * sizeof *s->member, hash);
#define HASH_PAGES(member) hash = sparse_hash(s->member, s->used, hash);
  EACH_PROPERTY(HASH_COLUMN)
  EACH_PAGED_PROPERTY(HASH_PAGES)
  // Hashes the ring in FIFO order, which is independent of positions in memory: up to its end, then the wrapped part.
  uint32_t until_wrap = s->free_capacity - s->free_first;
  uint32_t before_wrap = s->free_count < until_wrap ? s->free_count : until_wrap;
  uint64_t ring_hash = 0;
  for (uint32_t i = 0; i < before_wrap; ++i)
    ring_hash = ring_hash * UINT64_C(0x9e3779b97f4a7c15) + s->free_ring[s->free_first + i];
  for (uint32_t i = 0; i < s->free_count - before_wrap; ++i)
    ring_hash = ring_hash * UINT64_C(0x9e3779b97f4a7c15) + s->free_ring[i];
  return hash_bytes(&ring_hash, sizeof ring_hash, hash);
}

void entities_reset(entities_t *s, uint32_t used, uint32_t free_capacity) {
  shoal_assert(used > 0 && (free_capacity & (free_capacity - 1)) == 0,
               "invalid free list: %u indices, ring capacity %u", used, free_capacity);
  uint32_t capacity = s->capacity, old = s->used;
  while (capacity < used)
    capacity *= 2;
  if (capacity > s->capacity)
    grow_columns(s, capacity);
  memset(s->marks, 0, s->capacity * sizeof *s->marks);
  s->ready_valid = false;
#define CLEAR_COLUMN(member) memset(s->member + used, 0, (old - used) * sizeof *s->member);
  if (old > used) { // the cleared entries look as if they had never been allocated
    EACH_PROPERTY(CLEAR_COLUMN)
  }
  s->used = used;
  if (free_capacity != s->free_capacity) {
    alloc_free_aligned(s->allocator, s->free_ring, s->free_capacity * sizeof *s->free_ring);
    s->free_ring = alloc_aligned(s->allocator, free_capacity * sizeof *s->free_ring);
    s->free_capacity = free_capacity;
  }
}
