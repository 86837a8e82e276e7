// The name component: the name of an entity in Lua (world.find), messages and tools. Names need not be unique.
#ifndef SHOAL_COMPONENTS_NAME_H
#define SHOAL_COMPONENTS_NAME_H

#include "components/builtin.h"

BUILTIN_COMPONENT(name, SHOAL_NAME_FIELDS)

#define NAME_DESCRIPTION_MAX 96

// Writes `entity(index:generation "name")`, as in Lua, to `out`, truncated to fit. Omits the name if the entity does
// not have one. Returns `out`. Safe for any value of e.
char *name_describe(world_o *w, shoal_entity e, char *out, size_t out_bytes);

#endif
