// Looks up the values that an entity's assemblage defines.
#ifndef SHOAL_COCKPIT_TEMPLATE_H
#define SHOAL_COCKPIT_TEMPLATE_H

#include "ecs/manager.h"
#include "ecs/world.h"

uint32_t template_find_assemblage(world_o *w,
                                  shoal_entity e); // returns the assemblage's number; 0 if the entity has none
// Returns the values of a component in the entity's assemblage, one per column as stored; NULL if there are none.
// Borrowed.
const double *template_find_values(world_o *w, shoal_entity e, const manager_o *m, uint32_t instance);
// Finds the next component of the assemblage, starting at part *i, that the entity lacks. Returns false at the end.
bool template_find_missing(world_o *w, shoal_entity e, uint32_t *i, const manager_o **m, uint32_t *instance);

#endif
