// Carrying a world over to another version of its game: what a reload does between two ticks. The new version has
// declared everything it has (schemas, assemblages, events, queries, watchers, groups) in a fresh world; then all
// that lives in the old one comes over: values by the names of their components and fields (schema_migrate.h), edited
// assemblages by a merge of old template, new template and entity (assemblage_merge.h). The old world is only read. See
// design/0012.
#ifndef SHOAL_MIGRATE_WORLD_MIGRATE_H
#define SHOAL_MIGRATE_WORLD_MIGRATE_H

#include "ecs/assemblage_merge.h"
#include "migrate/schema_migrate.h"
#include "snapshot/state.h"

typedef struct world_migrate_desc_t {
  schema_migrate_say_t say; // one sentence for each thing that was not taken over as it was; NULL: not told
  void *say_context;
  schema_migrate_run_t migrate; // runs the `migrate` of a component's declaration; NULL: there are none
  void *migrate_context;
  const snapshot_o *state; // of the old world, as it is now. NULL: it is taken here
} world_migrate_desc_t;

typedef struct world_migrate_counts_t {
  schema_migrate_counts_t schemas; // what changed in components, singles and events
  assemblage_merge_counts_t merge; // and in assemblages
} world_migrate_counts_t;

// Between two ticks of `from`. `to` has no rows but those of its singles. False with a message that begins with file
// and line where there is one; `to` may be anything then and is to be dropped. Where nothing was declared differently
// the hash of `to` is that of `from`, now and after every tick to come. `counts` may be NULL.
bool world_migrate(world_o *from, world_o *to, const world_migrate_desc_t *desc, world_migrate_counts_t *counts,
                   error_t *error);

#endif
