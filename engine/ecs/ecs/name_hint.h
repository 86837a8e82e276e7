// Hints for messages about unknown names, such as ": did you mean health?" or, for a former name, ": renamed to
// health"; "" if no name is similar.
#ifndef SHOAL_ECS_NAME_HINT_H
#define SHOAL_ECS_NAME_HINT_H

#include "base/nearest_name.h"
#include "schema/schema.h"
#include "ecs/world.h"

#define HINT_BYTES (NEAREST_NAME_MAX_BYTES + 32)

// Each function writes its hint to `out` (HINT_BYTES) and returns `out`. A vector counts as one field.
const char *hint_component(world_o *w, const char *name, char *out);
const char *hint_event(world_o *w, const char *name, char *out);
const char *hint_field(const schema_t *s, const char *name, char *out);
const char *hint_choice(const field_t *f, const char *name, char *out);
const char *hint_assemblage(world_o *w, const char *name, char *out);

#endif
