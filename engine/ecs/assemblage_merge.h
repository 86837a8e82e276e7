// Edited assemblages reach the entities that were spawned from them: a merge of the old template, the new one and the
// entity. A value that was not overridden follows the new template, an overridden one stays; components that the
// template got come, those that it lost go unless they were set; children and states likewise. What is overridden the
// marks say (world_track_touched); in a world without them it is what differs from the old template. Templates that are
// the same touch nothing.
#ifndef SHOAL_ECS_ASSEMBLAGE_MERGE_H
#define SHOAL_ECS_ASSEMBLAGE_MERGE_H

#include "ecs/world.h"

// Reports one decision of the merge as a sentence.
typedef void (*assemblage_merge_say_t)(void *context, const char *line);

typedef struct assemblage_merge_counts_t {
  uint32_t assemblages;      // whose templates, states or children differ
  uint32_t entities_touched; // that the merge changed in any way
  uint32_t values_changed;   // fields that follow the new template
  uint32_t values_kept;      // fields, and components that were to go, that somebody had overridden
  uint32_t components_added, components_removed;
  uint32_t children_added, children_removed;
  uint32_t states_reset; // entities whose state is gone: in the initial one now
} assemblage_merge_counts_t;

// `to` has the rows of `from` already, and the same ids of texts. Between two ticks. False with a message when children
// find no room.
bool assemblage_merge_run(world_o *from, world_o *to, assemblage_merge_say_t say, void *say_context,
                          assemblage_merge_counts_t *counts, error_t *error);

// The same for the entities of `x`, in one world, when definitions have changed: by value alone, for marks are no part
// of a world's hash.
struct redefined_t;
bool assemblage_merge_redefined(world_o *w, const struct redefined_t *x, assemblage_merge_counts_t *counts,
                                error_t *error);

// For rows whose marks were not kept: what differs from the template in `templates` (w itself, or the world that w
// comes from) has been overridden.
void assemblage_merge_derive_marks(world_o *templates, world_o *w);

#endif
