// Lists of entities, as far as they lie in a line: neighbours are gone through in one piece.
#ifndef SHOAL_ECS_INDEX_RUNS_H
#define SHOAL_ECS_INDEX_RUNS_H

#include "base/array.h"
#include "shoal/entity.h"

typedef ARRAY(shoal_entity) entity_list_t;

// How many of them, from the first on, have indices that follow each other, up to a multiple of `page` (0: any).
// Their columns are gone through in one piece.
uint32_t entities_long_line(const shoal_entity *entities, uint32_t count, uint32_t page);
static inline uint32_t entities_in_line(const shoal_entity *entities, uint32_t count, uint32_t page) {
  return count > 1 && entities[1] == entities[0] + 1 ? entities_long_line(entities, count, page) : 1;
}
// How many of them, from the first on, are the same.
uint32_t entities_same(const shoal_entity *a, const shoal_entity *b, uint32_t count);
// How many of them, from the first on, are those that `last` points to, backwards.
uint32_t entities_in_reverse(const shoal_entity *last, const shoal_entity *entities, uint32_t count);

#endif
