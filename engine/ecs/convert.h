// Brings a snapshot of an older declaration of components to the one that the world has now: what a save of an earlier version of a
// game needs, and what a reload needs that changed components.lua (carry.h). By name, field by field: one that came since gets its
// default, one that is gone is dropped, one that has another name (field_t.renamed_from) or another type takes its values over, and
// so do rows of a component that is of another kind now. A value that would change on the way is refused, unless the component's
// declaration says how it comes over (schema_t.migrates). Nothing in the world is touched. See design/0012.
//
// | then      | now       | rows                                                                                    |
// |-----------|-----------|-----------------------------------------------------------------------------------------|
// | plain     | many      | one instance without a name                                                             |
// | many      | plain     | the instance of those that have one; several are refused                                |
// | plain     | single    | the only row, if there is one; several are refused                                      |
// | single    | any other | none, for nobody has it; refused while it holds something else than the defaults        |
// | any       | an alias  | rows of the components that took its fields over (world_alias)                          |
#ifndef SHOAL_ECS_CONVERT_H
#define SHOAL_ECS_CONVERT_H

#include "ecs/snapshot.h"

// One sentence for each thing that was not taken over as it was.
typedef void (*convert_say_t)(void *context, const char *line);

typedef struct convert_counts_t {
  uint32_t components_changed; // components, singles and events whose declaration differs
  uint32_t components_dropped; // that are gone, with rows
  uint32_t components_migrated;
  uint32_t fields_added, fields_dropped, fields_converted, fields_renamed;
  uint32_t rows; // of what changed
} convert_counts_t;

// The rows of one component whose declaration says how its values come over, after a restore: what they were beside what they are.
// All old rows, and for each the row that it has become; several may have become one.
typedef struct migration_t migration_t;
struct migration_t {
  uint32_t manager; // id in the world
  columns_t old;    // texts are ids of the world's table
  schema_t old_schema;
  uint32_t *row; // by old row; of the manager
};

// Runs a component's `migrate`. False with a message.
typedef bool (*convert_migrate_t)(void *context, world_o *w, const migration_t *m, error_t *error);

typedef struct convert_report_t {
  convert_counts_t counts;
  migration_t **migrations; // borrowed by the callback
  uint32_t migration_count, migration_capacity;
  allocator_t memory;
} convert_report_t;

// False with a message that names the component, the field and the value; then the snapshot is as it was. Safe for any bytes. A
// snapshot that fits already is left alone. Components and events that the world lacks are left out, and with them the queries
// that name them; so are queries whose components are of another kind now. `report` begins as zeros; NULL: no declaration's
// `migrate` is heard, and what would need one is refused.
bool snapshot_convert(snapshot_o *s, world_o *w, convert_say_t say, void *context, convert_report_t *report,
                      error_t *error);
// Once the snapshot is restored: runs what the declarations say. With `migrate` NULL the first one fails.
bool convert_migrate(convert_report_t *report, world_o *w, convert_migrate_t migrate, void *context, error_t *error);
void convert_report_free(convert_report_t *report);

#endif
