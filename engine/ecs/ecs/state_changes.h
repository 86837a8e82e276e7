// State changes that compiled loops queue for many entities (native/loop.h).
#ifndef SHOAL_ECS_STATE_CHANGES_H
#define SHOAL_ECS_STATE_CHANGES_H

#include "ecs/world.h"

// Returns true if world_enter_state succeeds for each of these living entities and each of these states, whatever
// changes are queued. May return false although that call would succeed, if a different component requires a component
// of one of the assemblage's states.
bool world_can_enter_states(world_o *w, const shoal_entity *entities, uint32_t count, const uint32_t *state_names,
                            uint32_t state_count);
// Like world_enter_state, if world_can_enter_states has returned true for the entity. Changes must be deferred
// (asserted).
void world_queue_state(world_o *w, shoal_entity e, uint32_t state_name);

#endif
