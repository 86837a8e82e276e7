// Required components: an entity with a component also has all components that this component requires, directly or
// indirectly. Private to ecs; world.h declares what other modules use.
#ifndef SHOAL_ECS_REQUIREMENTS_H
#define SHOAL_ECS_REQUIREMENTS_H

#include "ecs/world_internal.h"

// Resolves the names in all schemas. Names that are not declared are skipped. Call after every declaration.
void requirements_update(world_o *w);
void requirements_free(world_o *w);
// Returns the requirements and requirers of m; NULL if no component in the world has requirements.
const requirement_t *requirements_get(const world_o *w, const manager_o *m);
// Returns a component of e that directly requires m, or NULL if e has no such component.
const manager_o *requirements_find_requirer(world_o *w, const manager_o *m, shoal_entity e);
// Returns true if m requires a component or a component requires m.
bool requirements_apply_to(const world_o *w, const manager_o *m);
// Returns true if e may enter the state, or false, with an error that names the requirer, if entering the state would
// remove a component that a remaining component of e requires. Takes the queued commands into account.
bool requirements_check_state(world_o *w, shoal_entity e, uint32_t state_name, error_info_t *error);

#endif
