// Declarations of <shoal/declare.h> and the schemas of a world: the columns of one by the columns of the other, and the
// structs that have the values of a row.
#ifndef SHOAL_ACCESS_MATCH_H
#define SHOAL_ACCESS_MATCH_H

#include "ecs/world.h"

// Finds manager or event by the declaration's name and kind. Neither: `*manager` and `*event` are NULL.
void access_find_owner(world_o *w, const shoal_component *c, manager_o **manager, event_o **event);
// Writes the schema's column for each of the declaration's (c->column_count) to `columns`. False with a message if a
// field is missing or has another type.
bool access_match(const schema_t *s, const shoal_component *c, uint32_t *columns, error_t *error);
// The declaration that a schema would have; both allocated with `a`.
shoal_component *access_describe(allocator_t *a, const schema_t *s);
void access_undescribe(allocator_t *a, shoal_component *c);

// One component of an entity, or a single's row, by the declaration's columns.
typedef struct access_row_t {
  world_o *world;
  const shoal_component *component;
  manager_o *manager;
  const uint32_t *columns; // of the schema, indexed by the declaration's
  shoal_entity entity;     // 0: of a single
  const char *instance;    // of a `many` component; NULL: none given
} access_row_t;

// Each returns false after access_fail.
bool access_set_value(const access_row_t *r, uint32_t column, double value);
bool access_get_value(const access_row_t *r, uint32_t column, double *value);
bool access_set_values(const access_row_t *r, const void *values, size_t size);
bool access_get_values(const access_row_t *r, void *values, size_t size);
// Iterates over the columns of a struct: each number through `put`. False after access_fail: the struct has another
// size.
typedef bool (*access_put_t)(void *context, uint32_t column, double value);
bool access_each_value(const shoal_component *c, const void *values, size_t size, access_put_t put, void *context);

#endif
