// An entity is a 30-bit key: 22 bits of index, 8 bits of generation above them. 0 is "no entity".
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_ENTITY_H
#define SHOAL_ENTITY_H

#include <stdint.h>

typedef uint32_t shoal_entity;

#define SHOAL_ENTITY_NONE 0u
#define SHOAL_ENTITY_INDEX_BITS 22u
#define SHOAL_ENTITY_GENERATION_BITS 8u
#define SHOAL_ENTITY_INDEX_MASK ((1u << SHOAL_ENTITY_INDEX_BITS) - 1u)
#define SHOAL_ENTITY_MAX_ALIVE SHOAL_ENTITY_INDEX_MASK // index 0 is reserved

static inline uint32_t shoal_entity_index(shoal_entity e) {
  return e & SHOAL_ENTITY_INDEX_MASK;
}

static inline uint32_t shoal_entity_generation(shoal_entity e) {
  return (e >> SHOAL_ENTITY_INDEX_BITS) & ((1u << SHOAL_ENTITY_GENERATION_BITS) - 1u);
}

#endif
