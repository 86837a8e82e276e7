// Commands that change many entities. Private to ecs.
#ifndef SHOAL_ECS_COMMAND_BATCH_H
#define SHOAL_ECS_COMMAND_BATCH_H

#include "ecs/command_queue.h"

void command_batch_run(world_o *w, const command_t *c);
void command_batch_run_alternating(world_o *w, const command_t *c); // applies a COMMAND_ALTERNATE
uint32_t command_count_mergeable(const world_o *w); // returns the number of trailing commands that may still be merged
// Queues adding or removing a component, or destroying an entity. Merges the command with the preceding commands if
// they are of the same kind or, for components, alternate between two kinds. `a`: as in command_t.
void command_batch_push(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t instance);
// Returns the code of a command that can be merged (world_lane_t). Duplicated in
// scripts/shoal/schema/fast_commands.lua.
static inline uint32_t lane_code(command_kind_t kind, uint32_t manager) {
  return manager << 8 | kind;
}

#endif
