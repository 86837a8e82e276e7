// Bodies found by a search, nearest first; bodies at equal distances are ordered by entity index.
#ifndef SHOAL_COLLISION_FOUND_BODIES_H
#define SHOAL_COLLISION_FOUND_BODIES_H

#include "ecs/world.h"

typedef struct found_body_t {
  double distance;
  shoal_entity entity;
} found_body_t;

// Orders two found_body_t by distance, then by entity index. For qsort.
static inline int found_body_compare(const void *a, const void *b) {
  const found_body_t *x = a, *y = b;
  if (x->distance != y->distance)
    return x->distance < y->distance ? -1 : 1;
  uint32_t i = shoal_entity_index(x->entity), j = shoal_entity_index(y->entity);
  return i < j ? -1 : i > j;
}

// Inserts a body into a sorted list of `count` bodies, which keeps the `max` nearest bodies. Returns the new count. For
// small `max`.
static inline uint32_t found_bodies_insert(found_body_t *list, uint32_t count, uint32_t max, found_body_t item) {
  if (count == max && found_body_compare(&item, &list[max - 1]) > 0)
    return count;
  uint32_t index = count < max ? count : max - 1, new_count = index + 1;
  for (; index > 0 && found_body_compare(&item, &list[index - 1]) < 0; --index)
    list[index] = list[index - 1];
  list[index] = item;
  return new_count;
}

#endif
