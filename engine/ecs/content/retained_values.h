// Components of states that retain their values. When an entity leaves the state, the values are stored in a row of the
// component "kept:NAME", which has the same fields. When the entity enters the state again, the values are restored
// (ecs/structural_changes.c).
#ifndef SHOAL_CONTENT_RETAINED_VALUES_H
#define SHOAL_CONTENT_RETAINED_VALUES_H

#include "ecs/world.h"

// Declares that the state with this template retains the component's values in the instance `retained_instance` of
// "kept:NAME". Returns true on success, or false with an error if "kept:NAME" cannot be declared, for example because
// the name is too long.
bool retained_values_declare(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                             uint32_t instance, uint32_t retained_instance, error_info_t *error);

#endif
