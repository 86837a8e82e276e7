// One number for everything that the future of a world depends on: the same worlds have the same hash, on every
// processor.
#ifndef SHOAL_ECS_WORLD_HASH_H
#define SHOAL_ECS_WORLD_HASH_H

#include "ecs/world.h"

uint64_t world_hash(world_o *w);                             // of all that a snapshot holds, except hidden columns
uint64_t world_component_hash(world_o *w, uint32_t manager); // of the rows of one; 0 where there is none

#endif
