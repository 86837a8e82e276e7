// Applies edited assemblages to the entities spawned from them: a three-way merge of the old template, the new template
// and the entity. A value follows the new template unless the game has overridden it. Components and children that are
// new in the template are added; components and children that are missing from the new template are removed unless they
// are overridden. An entity whose state no longer exists gets the initial state. A value is overridden if it has a mark
// (world_track_touched_fields) or, in a world without marks, if it differs from the old template. Entities of unchanged
// templates are not modified.
#ifndef SHOAL_CONTENT_ASSEMBLAGE_MERGE_H
#define SHOAL_CONTENT_ASSEMBLAGE_MERGE_H

#include "ecs/world.h"

// Callback for a line of text about each decision of the merge.
typedef void (*assemblage_merge_report_t)(void *context, const char *line);

typedef struct assemblage_merge_counts_t {
  uint32_t assemblages;      // number of assemblages with living entities whose templates, states or children differ
  uint32_t entities_touched; // number of entities whose values, components, children or state the merge changed
  uint32_t values_changed;   // number of fields updated to the new template
  // number of fields, components and children that were kept because they are overridden
  uint32_t values_kept;
  uint32_t components_added, components_removed;
  uint32_t children_added, children_removed;
  // number of entities whose state was removed, and that the merge has put into the initial state
  uint32_t states_reset;
} assemblage_merge_counts_t;

// Merges the differences between the assemblages of `old_world` and `new_world` into the entities of `new_world`, and
// changed defaults of singletons into its singletons. `new_world` must already have the rows of `old_world` and the
// same string ids. Call between two ticks. Returns true on success, or false with an error if new children cannot be
// spawned, because the world is full or their assemblages are nested too deeply.
bool assemblage_merge_run(world_o *old_world, world_o *new_world, assemblage_merge_report_t report,
                          void *report_context, assemblage_merge_counts_t *counts, error_info_t *error);

// Like assemblage_merge_run, but compares values and ignores marks, because the world of a replay may lack them, and
// reports the components that entities gain. If `merge_singles` is false, leaves singletons unchanged.
bool assemblage_merge_by_value(world_o *old_world, world_o *new_world, bool merge_singles,
                               assemblage_merge_report_t report, void *report_context,
                               assemblage_merge_counts_t *counts, error_info_t *error);

// Does the same as assemblage_merge_run within one world, for the entities listed in `redefined`, after their
// definition has changed. Compares values and ignores marks, because marks are not part of the world's hash.
struct redefined_t;
bool assemblage_merge_redefined(world_o *w, const struct redefined_t *redefined, assemblage_merge_counts_t *counts,
                                error_info_t *error);

// Restores missing marks: marks each value of `w` that differs from its template as overridden. `templates`: world with
// the templates: `w` itself, or the world from which `w` was created.
void assemblage_merge_derive_marks(world_o *templates, world_o *w);

#endif
