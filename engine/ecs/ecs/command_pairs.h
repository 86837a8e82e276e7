// Commands that add pairs: rows of one component with an entity field. Private to ecs.
#ifndef SHOAL_ECS_COMMAND_PAIRS_H
#define SHOAL_ECS_COMMAND_PAIRS_H

#include "ecs/command_queue.h"

// Queues adding a pair to a living entity that is not staged by a block. Merges the command with preceding pairs.
void command_pairs_push(world_o *w, const manager_o *m, uint32_t column, shoal_entity e, uint32_t instance,
                        shoal_entity target);
uint32_t command_pairs_count(const command_t *c); // returns the number of pairs
void command_pairs_run(world_o *w, const command_t *c);

#endif
