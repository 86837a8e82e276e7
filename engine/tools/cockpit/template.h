// Looks up the values that an entity's assemblage defines.
#ifndef SHOAL_COCKPIT_TEMPLATE_H
#define SHOAL_COCKPIT_TEMPLATE_H

#include "ecs/manager.h"
#include "ecs/world.h"

// Returns the entity's assemblage number, or 0 if the entity has no assemblage, or if the game no longer declares it.
uint32_t template_find_assemblage(world_o *w, shoal_entity entity);
// Returns the values that the entity's assemblage, in the entity's current state, sets for this component and instance:
// one value per column, as stored. Returns NULL if the assemblage lacks the instance. Borrowed until the next
// declaration.
const double *template_find_values(world_o *w, shoal_entity entity, const manager_o *manager, uint32_t instance);
// Like template_find_values, for an assemblage in a state (a string id; 0 for the initial state).
const double *template_get_values(world_o *w, uint32_t assemblage, uint32_t state, const manager_o *manager,
                                  uint32_t instance);
// Finds the next component of the assemblage, starting at part *i, that the entity lacks. Returns true and advances *i
// past this part if found, or returns false at the end of the assemblage's parts.
bool template_find_missing_component(world_o *w, shoal_entity entity, uint32_t *i, const manager_o **manager,
                                     uint32_t *instance);

#endif
