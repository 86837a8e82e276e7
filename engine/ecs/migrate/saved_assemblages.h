// The assemblages that a world had when it was saved. A load merges the differences between the saved and the current
// assemblages into the loaded entities, as a reload does (content/assemblage_merge.h). Values count as overridden if
// they differ from the saved template. Marks are not used, because a world has marks only if files are watched, and a
// load must have the same result in every replay of its recording.
#ifndef SHOAL_MIGRATE_SAVED_ASSEMBLAGES_H
#define SHOAL_MIGRATE_SAVED_ASSEMBLAGES_H

#include "content/assemblage_merge.h"
#include "snapshot/state.h"

typedef struct saved_assemblages_o saved_assemblages_o;

// Creates an empty list with the components of the state, which must be open and not yet migrated. Returns the list, or
// NULL with an error if the components cannot be declared.
saved_assemblages_o *saved_assemblages_create(const state_view_t *view, error_info_t *error);
// Creates a list that declares the save's assemblages in `w` itself. `w` must have the save's components, and the state
// must not be installed in it yet. The list must be neither attached nor merged.
saved_assemblages_o *saved_assemblages_create_in(world_o *w);
void saved_assemblages_destroy(saved_assemblages_o *assemblages); // accepts NULL
// Call once the state is installed in `w`: from now on, string ids refer to the strings of `w`.
void saved_assemblages_attach(saved_assemblages_o *assemblages, world_o *w);

// Add the contents of a save; the following functions require saved_assemblages_attach. These functions ignore unknown
// components, fields and states, because a save may be damaged. `assemblage` is a number returned by
// saved_assemblages_add; `state` is a string id, 0 for all states.
uint32_t saved_assemblages_add(saved_assemblages_o *assemblages, const char *name);
void saved_assemblages_add_state(saved_assemblages_o *assemblages, uint32_t assemblage, uint32_t state);
void saved_assemblages_add_child(saved_assemblages_o *assemblages, uint32_t assemblage, const char *name,
                                 const char *child);

// A default of an assemblage, or of a singleton if `assemblage` is 0.
typedef struct saved_default_t {
  uint32_t assemblage, state;
  const char *component, *instance; // `instance` is "" for a plain component
  const char *field;                // name of the field; NULL: only adds the component
  const char *text;                 // value of a string or choice; NULL for other types
  double number;
} saved_default_t;
void saved_assemblages_add_default(saved_assemblages_o *assemblages, const saved_default_t *default_value);
// For a save that contains no assemblages. Assumes that the attached world's assemblages had no components when the
// save was written. A merge then adds to each entity the components of its assemblage that it lacks, and keeps all
// other data.
void saved_assemblages_assume_empty(saved_assemblages_o *assemblages);

// Merges the differences into the attached world, between two ticks, and logs the decisions to the world's log, with
// the name of the save. Returns true on success, or false with an error if new children cannot be spawned.
bool saved_assemblages_merge(saved_assemblages_o *assemblages, const char *save, assemblage_merge_counts_t *counts,
                             error_info_t *error);
// Returns true if saved_assemblages_assume_empty was called, because the save contained no assemblages.
bool saved_assemblages_are_assumed(const saved_assemblages_o *assemblages);

#endif
