// Default values of declarations. Private to ecs; world.h declares the lookups by id and name.
#ifndef SHOAL_ECS_REGISTRY_H
#define SHOAL_ECS_REGISTRY_H

#include "ecs/world.h"

// Writes the defaults as stored in columns: numbers, and ids of interned strings. `initial` must hold field_count
// values.
void get_declared_defaults(world_o *w, const schema_t *schema, double *initial);

#endif
