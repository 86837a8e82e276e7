// Declarations of <shoal/declare.h> and the schemas of a world: the columns of one by the columns of the other.
#ifndef SHOAL_ACCESS_MATCH_H
#define SHOAL_ACCESS_MATCH_H

#include "ecs/world.h"
#include "shoal/types.h"

// Writes the schema's column for each of the declaration's (c->column_count) to `columns`. False with a message if a
// field is missing or has another type.
bool access_match_columns(const schema_t *s, const shoal_component *c, uint32_t *columns, error_t *error);
// The declaration that a schema would have; both allocated with `a`.
shoal_component *access_describe(allocator_t *a, const schema_t *s);
void access_undescribe(allocator_t *a, shoal_component *c);

#endif
