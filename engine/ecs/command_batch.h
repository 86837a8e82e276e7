// Commands that change many entities. Private to ecs and relation.
#ifndef SHOAL_ECS_COMMAND_BATCH_H
#define SHOAL_ECS_COMMAND_BATCH_H

#include "ecs/command_queue.h"

void command_batch_run(world_o *w, const command_t *c);
void command_batch_run_turns(world_o *w, const command_t *c); // COMMAND_TURNS
uint32_t command_count_free(const world_o *w);                // commands behind which more may join the last one
// A component is added or removed, or an entity destroyed; together with the commands before it, where they are of the
// same kind, those of components also by turns. `a`: as in command_t.
void command_batch_push(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t instance);
// Repeated in scripts/shoal/schema/fast_commands.lua.
static inline uint32_t lane_code(command_kind_t kind, uint32_t manager) {
  return manager << 8 | kind;
}

#endif
