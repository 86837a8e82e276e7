// Commands that add pairs: rows of one component with an entity in one field. Private to ecs.
#ifndef SHOAL_ECS_COMMAND_PAIRS_H
#define SHOAL_ECS_COMMAND_PAIRS_H

#include "ecs/command_queue.h"

// A pair of a living entity that no block has staged, as a command, together with those before it.
void command_pairs_push(world_o *w, const manager_o *m, uint32_t column, shoal_entity e, uint32_t instance,
                        shoal_entity target);
void command_pairs_run(world_o *w, const command_t *c);

#endif
