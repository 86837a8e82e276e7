// The entity manager: generations, the FIFO of free indices, and three facts per entity that belong to no component.
// Owned by a world. An entity is only a key; who has which component is the managers' business.
//
// Freed indices wait in a FIFO and are reused only while it holds more than ENTITY_MIN_FREE, so an id comes back after
// 256 × 1,024 create/destroy pairs at the earliest. Index 0 is reserved: id 0 is "none".
#ifndef SHOAL_ECS_ENTITY_H
#define SHOAL_ECS_ENTITY_H

#include "ecs/index_runs.h"
#include "ecs/sparse_array.h"
#include "shoal/entity.h"

#include <stdbool.h>
#include <stdint.h>

#define ENTITY_MIN_FREE 1024u
#define ENTITIES_MAX_INDICES (SHOAL_ENTITY_INDEX_MASK + 1u)
#define ENTITIES_FIRST_CAPACITY 4096u // of the columns and of the ring; both only double

// What happens to an entity between two sync points. No part of the state: 0 for all of them outside.
enum {
  MARK_DYING = 1,  // in the batch that is being destroyed
  MARK_STAGED = 2, // of a block that is not committed: it gets its components later, and nothing else until then
  MARK_LISTED = 4, // in the list that is being made
  MARK_DOOMED = 8, // a queued command destroys it; repeated in scripts/shoal/base/handle.lua
  MARK_LEFT = 16   // ceased to match a query whose watcher keeps last rows (last_values.h), since that was last cleared
};

// Columns by entity index, all `capacity` long, no pointers inside. Read by the script module's fast paths through this
// very struct, whose members up to `marks` are part of bindings/abi.h.
typedef struct entities_t {
  uint8_t *generation;
  uint8_t *alive; // 0 or 1; a reserved index with no entity is 0
  uint32_t used;  // indices handed out so far, index 0 included
  uint32_t capacity;
  uint32_t alive_count;
  uint32_t *assemblage; // string id of the assemblage it was spawned from, 0 for none
  uint32_t *state;      // string id of the state machine's state, 0 for none
  uint32_t **died_tick; // of the last entity at this index; in pages (ecs/sparse_array.h)
  uint32_t **died_by;   // string id: the system that destroyed it, 0 for the host; in pages
  uint8_t *marks;       // MARK_ bits
  uint32_t *free_ring;  // FIFO of free indices, free_capacity (a power of two) long
  uint32_t free_first, free_count, free_capacity;
  uint32_t deaths; // so far, modulo 2^32: while it stays the same no entity has died. Not part of the state
  allocator_t *allocator;
} entities_t;

void entities_init(entities_t *s, allocator_t *a);
void entities_fini(entities_t *s);

// How many more can be created before one is destroyed. The last ENTITY_MIN_FREE freed indices are never among them.
static inline uint32_t entities_available(const entities_t *s) {
  uint32_t waiting = s->free_count > ENTITY_MIN_FREE ? s->free_count - ENTITY_MIN_FREE : 0;
  return waiting + (SHOAL_ENTITY_MAX_ALIVE + 1u - s->used);
}

// 0 when all SHOAL_ENTITY_MAX_ALIVE are alive, or all but those that the FIFO holds back; nothing changes then.
shoal_entity entities_create(entities_t *s);
// As many calls of it; `count` is not more than entities_available.
void entities_create_many(entities_t *s, shoal_entity *out, uint32_t count);

// False for 0, dead and forged ids; nothing changes then. Safe for any value.
bool entities_destroy(entities_t *s, shoal_entity e, uint32_t tick, uint32_t by);
// The same for `count` entities, all alive and no two the same; `died_by` says already by whom.
void entities_destroy_many(entities_t *s, const shoal_entity *entities, uint32_t count, uint32_t tick);

static inline bool entities_alive(const entities_t *s, shoal_entity e) {
  uint32_t i = shoal_entity_index(e);
  return i != 0 && i < s->used && (e >> 30) == 0 && s->alive[i] && s->generation[i] == shoal_entity_generation(e);
}

// --- for snapshots
// Room for what is about to be written into the columns and the ring; indices from `used` on are as new.
void entities_reset(entities_t *s, uint32_t used, uint32_t free_capacity);

// Folds everything that the future depends on (generations, alive, facts, the FIFO in order) into a hash.
uint64_t entities_hash(const entities_t *s, uint64_t seed);

#endif
