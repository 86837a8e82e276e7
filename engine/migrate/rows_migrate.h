// A state on its way to other declarations: state_migrate.c goes through its components, events and queries,
// rows_migrate.c brings over the rows of one component or event. Private to migrate.
#ifndef SHOAL_MIGRATE_ROWS_MIGRATE_H
#define SHOAL_MIGRATE_ROWS_MIGRATE_H

#include "migrate/schema_migrate.h"
#include "snapshot/state_view.h"

// The rows of one component or event as they were, with a schema that can be looked through. Borrowed from the view.
typedef struct old_rows_t {
  const state_rows_t *rows;
  schema_t schema;
  columns_t columns; // data and marks; see data
  void *data[2 * SCHEMA_MAX_FIELDS];
  uint32_t element_bytes[2 * SCHEMA_MAX_FIELDS];
} old_rows_t;

// What they become, in the view's memory. There is room for all rows that come over.
typedef struct new_rows_t {
  manager_o *m;
  columns_t *columns;
  shoal_entity *owner;
  uint32_t *instance, *next; // MANY
  uint32_t owners;           // that are there: as many as rows of the columns, at the end
} new_rows_t;

typedef struct migrating_t {
  world_o *w;
  state_view_t *v; // its texts are loaded
  const schema_migrate_desc_t *desc;
  schema_migrate_counts_t counts;
  error_t *error;
} migrating_t;

__attribute__((format(printf, 2, 3))) void rows_migrate_say(migrating_t *c, const char *format, ...);

// The rows of out->m from those of the component of the same name (NULL: it had none) and from former components
// whose fields it has. False with a message. What declarations migrate themselves is noted in the report.
bool rows_migrate(migrating_t *c, const old_rows_t *own, const old_rows_t *const *moved, uint32_t moved_count,
                  new_rows_t *out);
// The rows of an event: field by field, in the same order. `quiet` says nothing and counts nothing.
bool rows_migrate_columns(migrating_t *c, const schema_t *old_schema, const columns_t *old, columns_t *now, bool quiet);
// Last rows (ecs/last_values.h), field by field. A number that does not fit is clamped; any other such value becomes
// the default. No declaration's `migrate` runs over them. `moved_to`: the component that took fields over, or 0 for the
// same component.
void rows_migrate_last(migrating_t *c, const schema_t *old_schema, const columns_t *old, columns_t *now,
                       uint32_t moved_to);

#endif
