// Runs in lists of entities: entities with consecutive indices can be processed as one block.
#ifndef SHOAL_ECS_INDEX_RUNS_H
#define SHOAL_ECS_INDEX_RUNS_H

#include "base/array.h"
#include "shoal/entity.h"

typedef ARRAY(shoal_entity) entity_list_t;

// Returns the length of the list's first run of consecutive indices, at most up to the next multiple of `page` (0: no
// limit). The run's data is contiguous in every column that is indexed by entity. `count` must not be 0.
uint32_t entities_long_run_length(const shoal_entity *entities, uint32_t count, uint32_t page);
static inline uint32_t entities_run_length(const shoal_entity *entities, uint32_t count, uint32_t page) {
  return count > 1 && entities[1] == entities[0] + 1 ? entities_long_run_length(entities, count, page) : 1;
}
uint32_t entities_common_prefix_length(const shoal_entity *a, const shoal_entity *b, uint32_t count);
// Returns how many entities at the start of the list equal the elements that end at `last`, read backwards.
uint32_t entities_common_reverse_prefix_length(const shoal_entity *last, const shoal_entity *entities, uint32_t count);

#endif
