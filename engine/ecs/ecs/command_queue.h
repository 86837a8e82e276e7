// The queue of structural changes; world.h describes when changes are queued. Private to ecs and snapshot.
#ifndef SHOAL_ECS_COMMAND_QUEUE_H
#define SHOAL_ECS_COMMAND_QUEUE_H

#include "ecs/world_internal.h"

command_t *command_push(world_o *w); // appends an uninitialized command; the caller must write all fields
void command_push_values(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b);
uint32_t command_actor(const world_o *w); // returns the string id of the system to record as destroyer; 0 for the host
// Creates the descendants of e and appends their spawns to `list`.
void command_spawn_children(world_o *w, shoal_entity e, uint32_t assemblage, commands_t *list);

// Return the kind and the manager of the command for entity `i` in the list of a COMMAND_ALTERNATE.
static inline command_kind_t alternate_kind(const command_t *c, uint32_t i) {
  return (command_kind_t)(c->d != 0 && i % 2 == 1 ? c->e >> 8 : c->e & 0xff);
}
static inline uint32_t alternate_manager(const command_t *c, uint32_t i) {
  return c->d != 0 && i % 2 == 1 ? c->d : c->a;
}

#endif
