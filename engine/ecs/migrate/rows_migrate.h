// Converts a state after declarations have changed: state_migrate.c converts components, events and queries;
// rows_migrate.c converts the rows of one component or event. Private to migrate.
#ifndef SHOAL_MIGRATE_ROWS_MIGRATE_H
#define SHOAL_MIGRATE_ROWS_MIGRATE_H

#include "migrate/schema_migrate.h"
#include "snapshot/state_view.h"

// Old rows of a component or event, with their schema. Borrowed from the view.
typedef struct old_rows_t {
  const state_rows_t *rows;
  schema_buffer_t buffer;
  columns_t columns; // points to `data` and `element_bytes` below
  void *data[2 * SCHEMA_MAX_FIELDS];
  uint32_t element_bytes[2 * SCHEMA_MAX_FIELDS];
} old_rows_t;

// New rows, allocated with the view; their capacity suffices for all converted rows.
typedef struct new_rows_t {
  manager_o *m;
  columns_t *columns;
  shoal_entity *owner;
  uint32_t *instance, *next; // instances and chains; used only for SCHEMA_MANY
  uint32_t owners;           // number of rows whose owner is set; equals columns->count at the end
} new_rows_t;

typedef struct migrate_context_t {
  world_o *w;
  state_view_t *v;              // the view of the state, with loaded strings (state_load_strings)
  state_rows_t *old_components; // copies of the state's components before the migration
  uint32_t old_count;
  schema_buffer_t *scratch;
  const schema_migrate_desc_t *desc;
  schema_migrate_counts_t counts;
  error_info_t *error;
} migrate_context_t;

__attribute__((format(printf, 2, 3))) void rows_migrate_report(migrate_context_t *c, const char *format, ...);

// Creates the rows of out->m from the rows of the component with the same name (`own_rows`, may be NULL) and of former
// components whose fields now belong to out->m. Returns true on success, or false with a message. Rows that a
// declaration's `migrate` will convert are added to the report.
bool rows_migrate(migrate_context_t *c, const old_rows_t *own_rows, const old_rows_t *const *moved,
                  uint32_t moved_count, new_rows_t *out);
// Converts the rows of an event field by field, in the same order. Returns true on success, or false with a message if
// a value does not fit. `quiet` suppresses messages about conversions and does not count conversions.
bool rows_migrate_columns(migrate_context_t *c, const schema_t *old_schema, const columns_t *old_columns,
                          columns_t *new_columns, bool quiet);
// Converts last rows (ecs/last_values.h) field by field. Clamps numbers that do not fit; all remaining values that do
// not fit become the default. No `migrate` function runs for last rows. `moved_to`: id of the component to which the
// fields now belong; 0 for the same component.
void rows_migrate_last_values(migrate_context_t *c, const schema_t *old_schema, const columns_t *old_columns,
                              columns_t *new_columns, uint32_t moved_to);

#endif
