// Migrates a world to a different version of its game, as a reload does between two ticks. The new version must have
// declared its schemas, assemblages, events, queries, watchers and groups in a new world. Values are transferred by the
// names of components and fields (schema_migrate.h); edited assemblages are merged into the entities by a three-way
// merge of old template, new template and entity (assemblage_merge.h). The old world is not changed. See design/0012.
#ifndef SHOAL_MIGRATE_WORLD_MIGRATE_H
#define SHOAL_MIGRATE_WORLD_MIGRATE_H

#include "content/assemblage_merge.h"
#include "migrate/schema_migrate.h"
#include "snapshot/state.h"

typedef struct world_migrate_desc_t {
  schema_migrate_log_t log_line; // receives a message for each conversion or loss; may be NULL
  void *log_context;
  schema_migrate_log_t log_kept; // logs each component that is kept (schema_is_kept); NULL: log_line
  schema_migrate_run_t migrate;  // runs the `migrate` of a component's declaration; NULL if the game has no `migrate`
  void *migrate_context;
  const snapshot_o *state; // snapshot of the old world's current state; NULL: world_migrate takes it
  // True if the reversed renames (migrate/reverse_renames.h) are removed at the end. A match requires this: its
  // machines must have equal declarations, and a machine that joins later has only the declarations of the new files.
  // False if they are kept for earlier states, to which a user may return.
  bool forgets_reversed;
} world_migrate_desc_t;

typedef struct world_migrate_counts_t {
  schema_migrate_counts_t schemas; // changes to components, singletons and events
  assemblage_merge_counts_t merge; // changes to assemblages
  uint32_t reversed;               // number of renames that the migration has reversed
} world_migrate_counts_t;

// Migrates `old_world` to `new_world` between two ticks of `old_world`. `new_world` must contain no rows except the
// rows of singletons. Returns true on success, or false with a message that starts with file and line if known;
// `new_world` is then undefined and must be destroyed. If no declaration differs, `new_world` has the hash of
// `old_world`, now and after every later tick. `counts` may be NULL.
bool world_migrate(world_o *old_world, world_o *new_world, const world_migrate_desc_t *desc,
                   world_migrate_counts_t *counts, error_info_t *error);

#endif
