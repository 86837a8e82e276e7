// Carrying a world over to another version of its game: what a reload does between two ticks. The new version has declared
// everything it has (schemas, assemblages, events, queries, watchers, groups) in a fresh world; then all that lives in the old one
// comes over: values by the names of their components and fields (convert.h), edited assemblages by a merge of old template, new
// template and entity (merge.c). The old world is only read. See design/0012.
#ifndef SHOAL_ECS_CARRY_H
#define SHOAL_ECS_CARRY_H

#include "ecs/convert.h"

typedef struct carry_desc_t {
  convert_say_t say; // one sentence for each thing that was not taken over as it was; NULL: nobody listens
  void *say_context;
  convert_migrate_t migrate; // runs the `migrate` of a component's declaration; NULL: there are none
  void *migrate_context;
} carry_desc_t;

typedef struct carry_counts_t {
  convert_counts_t schemas;  // what changed in components, singles and events
  uint32_t assemblages;      // whose templates, states or children differ
  uint32_t entities_touched; // that the merge changed in any way
  uint32_t values_changed;   // fields that follow the new template
  uint32_t values_kept;      // fields, and components that were to go, that somebody had overridden
  uint32_t components_added, components_removed;
  uint32_t children_added, children_removed;
  uint32_t states_reset; // entities whose state is gone: in the initial one now
} carry_counts_t;

// Between two ticks of `from`. `to` has no rows but those of its singles. False with a message that begins with file and line where
// there is one; `to` may be anything then and is to be dropped. Where nothing was declared differently the hash of `to` is that of
// `from`, now and after every tick to come. `counts` may be NULL.
bool carry_world(world_o *from, world_o *to, const carry_desc_t *desc, carry_counts_t *counts, error_t *error);

#endif
