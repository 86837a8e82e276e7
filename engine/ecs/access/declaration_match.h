// Matches declarations (<shoal/declare.h>) with the schemas of a world.
#ifndef SHOAL_ACCESS_DECLARATION_MATCH_H
#define SHOAL_ACCESS_DECLARATION_MATCH_H

#include "ecs/world.h"
#include "shoal/types.h"

// Matches the columns of a declaration by name: writes the schema's index of each column to `columns` (c->column_count
// elements). Returns true on success, or false with a message if a field is missing or has a different type.
bool access_match_columns(const schema_t *s, const shoal_component *c, uint32_t *columns, error_info_t *error);
// Returns a declaration created from a schema, in memory allocated from `a`.
shoal_component *access_create_description(allocator_t *a, const schema_t *s);
void access_free_description(allocator_t *a, shoal_component *c);

#endif
