// Converts a snapshot to the components that the world declares now, for saves of an earlier version of a game and for
// reloads that changed components.lua (world_migrate.h). Fields are matched by name: a new one gets its default, a
// removed one is dropped, a renamed one (field_t.renamed_from) or one of another type takes over its values, and so do
// rows of a component whose kind changed. A value that would change is refused, unless the component's declaration
// converts it (schema_t.migrates). The world is not touched. See design/0012.
//
// | then      | now       | rows                                                                                    |
// |-----------|-----------|-----------------------------------------------------------------------------------------|
// | plain     | many      | one instance without a name                                                             |
// | many      | plain     | the instance of those that have one; several are refused                                |
// | plain     | single    | the only row, if there is one; several are refused                                      |
// | single    | any other | none, for no entity has it; refused while it holds something else than the defaults        |
// | plain     | renamed   | rows of the components that its fields are in now (world_rename): an entity's row if it    |
// |           |           | has one, else a new one with the other fields at their defaults                          |
#ifndef SHOAL_MIGRATE_SCHEMA_MIGRATE_H
#define SHOAL_MIGRATE_SCHEMA_MIGRATE_H

#include "ecs/world.h"

// One sentence for each thing that was not taken over as it was.
typedef void (*schema_migrate_say_t)(void *context, const char *line);

typedef struct schema_migrate_counts_t {
  uint32_t components_changed; // components, singles and events whose declaration differs
  uint32_t components_dropped; // that are gone, with rows
  uint32_t components_migrated;
  uint32_t fields_added, fields_dropped, fields_converted, fields_renamed;
  uint32_t rows; // of what changed
} schema_migrate_counts_t;

// The rows of one component whose declaration says how its values come over, after a restore: what they were beside
// what they are. All old rows, and for each the row that it has become; several may have become one.
typedef struct migration_t migration_t;
struct migration_t {
  uint32_t manager; // id in the world
  columns_t old;    // texts are ids of the world's table
  schema_t old_schema;
  uint32_t *row; // by old row; of the manager
};

// Runs a component's `migrate`. False with a message.
typedef bool (*schema_migrate_run_t)(void *context, world_o *w, const migration_t *m, error_t *error);

typedef struct schema_migrate_report_t {
  schema_migrate_counts_t counts;
  migration_t **migrations; // borrowed by the callback
  uint32_t migration_count, migration_capacity;
  allocator_t memory;
} schema_migrate_report_t;

// Options of state_migrate; zeros are fine.
typedef struct schema_migrate_desc_t {
  schema_migrate_say_t say;
  void *say_context;
  schema_migrate_report_t
      *report; // begins as zeros; NULL: no declaration's `migrate` runs, and what needs one is refused
} schema_migrate_desc_t;

// Once the state is in the world: runs what the declarations say. With `migrate` NULL the first one fails.
bool schema_migrate_run(schema_migrate_report_t *report, world_o *w, schema_migrate_run_t migrate, void *context,
                        error_t *error);
void schema_migrate_report_free(schema_migrate_report_t *report);

#endif
