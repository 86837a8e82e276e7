// Entity handles: 22 bits of index and, above them, 8 bits of generation. Handle 0 means "no entity". The index of a
// destroyed entity is reused with the next generation, so old handles become invalid. An index is reused 150 ticks
// after the destruction at the earliest, and only while more than 1,024 indices are waiting, so a handle recurs after
// at least 38,400 ticks and 262,144 created entities. If a world has no unused indices left, the index that has waited
// longest is reused immediately, and a warning is logged. Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_ENTITY_H
#define SHOAL_ENTITY_H

#include <stdint.h>

typedef uint32_t shoal_entity;

#define SHOAL_ENTITY_NONE 0u
#define SHOAL_ENTITY_INDEX_BITS 22u
#define SHOAL_ENTITY_GENERATION_BITS 8u
#define SHOAL_ENTITY_INDEX_MASK ((1u << SHOAL_ENTITY_INDEX_BITS) - 1u)
#define SHOAL_ENTITY_MAX_ALIVE SHOAL_ENTITY_INDEX_MASK // maximum number of living entities; index 0 is reserved

// Returns the index of a handle: 1 … SHOAL_ENTITY_MAX_ALIVE, or 0 for no entity.
static inline uint32_t shoal_entity_index(shoal_entity e) {
  return e & SHOAL_ENTITY_INDEX_MASK;
}

// Returns the generation of a handle: 0 … 255.
static inline uint32_t shoal_entity_generation(shoal_entity e) {
  return (e >> SHOAL_ENTITY_INDEX_BITS) & ((1u << SHOAL_ENTITY_GENERATION_BITS) - 1u);
}

#endif
