// Converts a snapshot to the current declarations of a world: for saves of earlier versions of a game, and for reloads
// that changed components.lua (world_migrate.h). Fields are matched by name: a new field gets its default, and a
// removed field is dropped. A field that was renamed (field_t.renamed_from) or has a new type keeps its values. The
// table shows which rows a component keeps if its kind has changed. A value that does not fit is an error, unless the
// component's declaration converts it (schema_t.migrates). The conversion does not change the world; afterwards,
// schema_migrate_run runs the declarations' `migrate` functions in the world. See design/0012.
//
// | old kind  | new kind  | rows                                                                                    |
// |-----------|-----------|-----------------------------------------------------------------------------------------|
// | plain     | many      | one instance without a name                                                             |
// | many      | plain     | the only instance; several are an error                                                 |
// | plain, many | single  | the only row, if the component has one; several are an error                            |
// | single    | any other | none; an error unless the singleton holds only defaults                                 |
// | plain     | renamed   | merged into the components that its fields now belong to (world_declare_renamed_field)  |
//
// A merge writes into the entity's row or, if it has no row, into a new row with defaults in the remaining fields.
#ifndef SHOAL_MIGRATE_SCHEMA_MIGRATE_H
#define SHOAL_MIGRATE_SCHEMA_MIGRATE_H

#include "ecs/world.h"

// Callback that receives one message per conversion or loss.
typedef void (*schema_migrate_log_t)(void *context, const char *line);

typedef struct schema_migrate_counts_t {
  uint32_t components_changed;  // number of components, singletons and events whose declaration changed
  uint32_t components_dropped;  // number of removed components that had rows
  uint32_t components_migrated; // number of `migrate` functions that were run
  uint32_t fields_added, fields_dropped, fields_converted, fields_renamed;
  uint32_t rows; // number of rows of changed components
} schema_migrate_counts_t;

// Rows of a component with a `migrate` after a restore: all old rows, and the new row of each old row. Several old rows
// may have the same new row.
typedef struct migration_t migration_t;
struct migration_t {
  uint32_t manager; // id of the component in the world
  columns_t old;    // string fields contain ids of the world's string table
  schema_t old_schema;
  uint32_t *row; // indexed by old row: row of the component in the world
};

// Callback that runs a component's `migrate`. Returns true on success, or false with a message.
typedef bool (*schema_migrate_run_t)(void *context, world_o *w, const migration_t *m, error_info_t *error);

typedef struct schema_migrate_report_t {
  schema_migrate_counts_t counts;
  migration_t **migrations; // rows to migrate, borrowed by the callback of schema_migrate_run
  uint32_t migration_count, migration_capacity;
  allocator_t memory;
} schema_migrate_report_t;

// Options of state_migrate. All members may be zero.
typedef struct schema_migrate_desc_t {
  schema_migrate_log_t log_line;
  void *log_context;
  bool keeps_removed;              // true if the caller keeps and reports the rows of components that the world lacks
  schema_migrate_report_t *report; // zero-initialized; if NULL, no `migrate` runs, and values that need one are errors
} schema_migrate_desc_t;

// Runs the `migrate` functions for the migrations in the report. Call after installing the state in the world. Returns
// true on success, or false with a message if a function fails, or if `migrate` is NULL although the report contains
// migrations.
bool schema_migrate_run(schema_migrate_report_t *report, world_o *w, schema_migrate_run_t migrate, void *context,
                        error_info_t *error);
void schema_migrate_report_free(schema_migrate_report_t *report);

#endif
