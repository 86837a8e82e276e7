// Defaults of what a world has declared. Private to ecs; lookups by id and name: world.h.
#ifndef SHOAL_ECS_REGISTRY_H
#define SHOAL_ECS_REGISTRY_H

#include "ecs/world.h"

// The defaults as columns hold them: numbers, and ids of interned texts. `initial` has field_count places.
void declared_defaults(world_o *w, const schema_t *schema, double *initial);

#endif
