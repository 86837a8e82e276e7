// The entity manager: generations, the FIFO of free indices, and per-entity properties that belong to no component.
// Owned by a world. An entity is only a key; component managers store which entities have their component. Index 0 is
// reserved: id 0 means no entity.
//
// Freed indices wait in a FIFO. The oldest index is reused when more than ENTITY_MIN_FREE indices are waiting and the
// oldest has waited ENTITY_MIN_FREE_TICKS. With 256 generations, an id therefore recurs after 256 × 1,024
// create/destroy pairs and after 256 × 150 = 38,400 ticks, whichever is later. If a world has no unused indices left,
// only the first rule applies.
#ifndef SHOAL_ECS_ENTITY_H
#define SHOAL_ECS_ENTITY_H

#include "ecs/index_runs.h"
#include "ecs/sparse_array.h"
#include "shoal/entity.h"

#include <stdbool.h>
#include <stdint.h>

#define ENTITY_MIN_FREE 1024u
#define ENTITY_MIN_FREE_TICKS 150u
#define ENTITIES_MAX_INDICES (SHOAL_ENTITY_INDEX_MASK + 1u)
#define ENTITIES_INITIAL_CAPACITY 4096u // initial capacity of the columns and the ring

// Transient entity flags; not part of the state.
enum {
  MARK_DYING = 1,  // the entity is in the batch that is being destroyed
  MARK_STAGED = 2, // the entity is in a block that is not committed yet: it may be destroyed, but not changed
  MARK_LISTED = 4, // the entity is in the list that is being built
  MARK_DOOMED = 8, // a queued command will destroy the entity; duplicated in scripts/shoal/base/handle.lua
  MARK_LEFT = 16,  // the entity has left a query whose watcher keeps last rows (last_values.h)
  // the entity's spawn is queued, so it has no rows yet (queued_entities.h); duplicated in
  // scripts/shoal/base/handle.lua
  MARK_QUEUED = 32
};

// Columns indexed by entity index, `capacity` long; two of them are paged (ecs/sparse_array.h). Lua's fast paths read
// this struct directly: its members up to `marks` are part of bindings/abi.h.
typedef struct entities_t {
  uint8_t *generation;
  uint8_t *alive; // 1 if the entity is alive; 0 for free indices
  uint32_t used;  // number of indices allocated so far, including index 0
  uint32_t capacity;
  uint32_t alive_count;
  // String ids, or 0. A dead entity keeps both ids until its index is reused.
  uint32_t *assemblage; // assemblage from which the entity was spawned
  uint32_t *state;      // state of a living entity; for a dead entity, its last name from the component `name`
  uint32_t **died_tick; // tick at which the last entity with this index was destroyed; paged
  uint32_t **died_by;   // string id of the system that destroyed that entity, 0 for the host; paged
  uint8_t *marks;       // MARK_ flags of each entity
  uint32_t *free_ring;  // FIFO of free indices; its capacity is a power of two
  uint32_t free_first, free_count, free_capacity;
  uint32_t deaths; // number of destroyed entities, modulo 2^32; not part of the state
  // The `ready_count` oldest indices in the FIFO have waited long enough at tick `ready_tick`. Valid if `ready_valid`;
  // not part of the state.
  uint32_t ready_count, ready_tick;
  bool ready_valid;
  bool reused_early; // true if an index was reused before ENTITY_MIN_FREE_TICKS had passed; not part of the state
  allocator_t *allocator;
} entities_t;

// Initial properties of entities; see entities_t.
typedef struct entity_properties_t {
  uint32_t assemblage, state;
  uint8_t marks;
} entity_properties_t;

void entities_init(entities_t *s, allocator_t *a);
void entities_fini(entities_t *s);

// Returns the number of entities that can be created before an entity must be destroyed. Excludes the last
// ENTITY_MIN_FREE freed indices.
static inline uint32_t entities_available(const entities_t *s) {
  uint32_t waiting = s->free_count > ENTITY_MIN_FREE ? s->free_count - ENTITY_MIN_FREE : 0;
  return waiting + (SHOAL_ENTITY_MAX_ALIVE + 1u - s->used);
}

// Creates an entity with these properties and returns its id. Returns 0 and changes nothing if SHOAL_ENTITY_MAX_ALIVE
// entities are alive, or if the only free indices are held back in the FIFO. `tick` is the world's current tick, modulo
// 2^32.
shoal_entity entities_create(entities_t *s, uint32_t tick, entity_properties_t properties);
// Like entities_create in the common cases: the oldest free index certainly may be reused at this tick, or no free
// index may be reused and the columns contain an unused index. Returns 0 and changes nothing in all other cases.
static inline shoal_entity entities_create_quickly(entities_t *s, uint32_t tick, entity_properties_t properties) {
  uint32_t index;
  if (!s->ready_valid || s->ready_tick != tick)
    return SHOAL_ENTITY_NONE;
  if (s->ready_count > 0 && s->free_count > ENTITY_MIN_FREE) {
    index = s->free_ring[s->free_first];
    s->free_first = (s->free_first + 1) & (s->free_capacity - 1);
    s->free_count--;
    s->ready_count--;
  } else if (s->used < s->capacity && s->used < ENTITIES_MAX_INDICES) {
    index = s->used++;
  } else {
    return SHOAL_ENTITY_NONE;
  }
  s->alive[index] = 1;
  s->marks[index] = properties.marks;
  s->assemblage[index] = properties.assemblage; // a dead entity keeps both until its index is reused
  s->state[index] = properties.state;
  s->alive_count++;
  return index | (uint32_t)s->generation[index] << SHOAL_ENTITY_INDEX_BITS;
}
// Creates `count` entities with these properties, like entities_create; `count` must not exceed entities_available.
void entities_create_many(entities_t *s, shoal_entity *out, uint32_t count, uint32_t tick,
                          entity_properties_t properties);

// Destroys an entity and returns true. Returns false and changes nothing for 0 and for dead or forged ids.
bool entities_destroy(entities_t *s, shoal_entity e, uint32_t tick, uint32_t destroyer);
// Destroys `count` distinct living entities. The caller must have set `died_by`.
void entities_destroy_many(entities_t *s, const shoal_entity *entities, uint32_t count, uint32_t tick);

static inline bool entities_is_alive(const entities_t *s, shoal_entity e) {
  uint32_t i = shoal_entity_index(e);
  return i != 0 && i < s->used && (e >> 30) == 0 && s->alive[i] && s->generation[i] == shoal_entity_generation(e);
}

// Returns true if e is dead and its index has not been reused.
static inline bool entities_is_last_dead(const entities_t *s, shoal_entity e) {
  uint32_t i = shoal_entity_index(e);
  return i != 0 && i < s->used && (e >> 30) == 0 && !s->alive[i] &&
         s->generation[i] == (uint8_t)(shoal_entity_generation(e) + 1);
}

// --- functions for snapshots

// Prepares the columns and the ring for data to be loaded: allocates them, clears the marks, and resets the indices
// from `used` on.
void entities_reset(entities_t *s, uint32_t used, uint32_t free_capacity);

// Returns a hash of everything that affects the future: generations, alive flags, properties, and the FIFO in order.
uint64_t entities_hash(const entities_t *s, uint64_t seed);

#endif
