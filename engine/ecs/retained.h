// Components of states that keep their values: what one holds when its state is left comes back when the state is
// entered again (ecs/structure.c). Meanwhile it is a row of the component "kept:NAME", which has the same fields.
#ifndef SHOAL_ECS_RETAINED_H
#define SHOAL_ECS_RETAINED_H

#include "ecs/world.h"

// Of a component that the state with this template has: its rows wait as the instance `as`. False with a message when
// "kept:NAME" cannot be declared.
bool kept_declare(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager, uint32_t instance,
                  uint32_t as, error_t *error);

#endif
