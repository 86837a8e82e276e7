// Hash of everything that the future of a world depends on. Equal worlds have equal hashes, on every processor.
#ifndef SHOAL_ECS_WORLD_HASH_H
#define SHOAL_ECS_WORLD_HASH_H

#include "ecs/world.h"

// Returns a hash of the state that affects later ticks: all parts of a snapshot except hidden columns, marks, and last
// rows that no pending event needs. Queued spawns are hashed by their entities and staged columns only.
uint64_t world_hash(world_o *w);
// Returns a hash of the existing entities, their assemblages and the free ids.
uint64_t world_entities_hash(const world_o *w);
// Returns a hash of the component's rows and storage; 0 if both are empty or the component is unknown.
uint64_t world_component_hash(world_o *w, uint32_t manager);

#endif
