// Former names of events, of assemblages and of their states, which declarations list in `renamed_from`. When a state
// of an earlier version is installed, entities receive the current names (former_names_update_entities); a merge then
// finds the old template by a former name (content/assemblage_merge.h). A name that is declared again is no longer a
// former name.
#ifndef SHOAL_CONTENT_FORMER_NAMES_H
#define SHOAL_CONTENT_FORMER_NAMES_H

#include "ecs/world.h"

// Declares that the assemblage `to` was named `from`. Names of children are paths: "tank/turret".
void world_declare_renamed_assemblage(world_o *w, const char *from, const char *to);
// Declares that the assemblage's state `to` was named `from`.
void world_declare_renamed_state(world_o *w, const char *assemblage, const char *from, const char *to);
void world_declare_renamed_event(world_o *w, const char *from, const char *to);
// Removes the former names from the three functions above; world_clear_renames removes names of components.
void former_names_clear(world_o *w);
uint32_t former_names_count(const world_o *w);
// Removes all but the first `count` former names.
void former_names_cut(world_o *w, uint32_t count);

typedef enum former_name_kind_t { FORMER_EVENT = 1, FORMER_ASSEMBLAGE, FORMER_STATE } former_name_kind_t;

typedef struct former_name_t {
  former_name_kind_t kind;
  char *text; // the text "ASSEMBLAGE\0FROM\0TO"; the assemblage is "" except for states
  size_t bytes;
} former_name_t;
// Returns the i-th former name; NULL past the last name. Borrowed until the next declaration.
const former_name_t *former_names_get(const world_o *w, uint32_t i);

// Returns the event of this name or, if it was renamed, of this former name; NULL if unknown.
event_o *former_names_find_event(world_o *w, const char *name);

// If `path` contains a former name of the component or the field, such as "bite.power", writes the field's current
// path, such as "fang.force", to `out` and returns true. Otherwise returns false.
bool former_names_find_path(world_o *w, const char *path, char *out, size_t bytes);
// Returns the current name of an assemblage that was renamed; otherwise `name`. Both are string ids.
uint32_t former_names_find_current(world_o *w, uint32_t name);
// Returns the current name of the assemblage that was called `name`; NULL if no assemblage was renamed from `name`.
const char *former_names_find_text(const world_o *w, const char *name);
// Returns the current name of the assemblage's state that was called `state`; NULL if no state was renamed from
// `state`.
const char *former_names_find_state_text(const world_o *w, const char *assemblage, const char *state);

// A column that was `field` of a former component. If `column` is past the last column, the component itself was
// renamed.
typedef struct former_field_t {
  uint32_t manager, column;
  const char *field;
} former_field_t;

// Writes the i-th column that was a field of the former component to `out`. Returns true on success, or false if there
// are i or fewer such columns.
bool former_names_get_field(const world_o *w, const char *component, uint32_t i, former_field_t *out);

// Finds, in the earlier world `old_world`, the assemblage that is called `name` in `w`. Both worlds use the same string
// ids. Returns its number in `old_world`; 0 if `old_world` lacks it.
uint32_t former_names_find_assemblage(world_o *old_world, world_o *w, uint32_t name);
// Returns the name that the state `state` of `assemblage` (names in `w`) has in `old_world`; returns `state` if the
// state was not renamed. `old_number`: number of the assemblage in `old_world`. Names are string ids.
uint32_t former_names_find_state(world_o *old_world, uint32_t old_number, world_o *w, uint32_t assemblage,
                                 uint32_t state);

// Replaces former names of assemblages and states in all entities.
void former_names_update_entities(world_o *w);
// Replaces former names of states in the rows of "kept:NAME" (content/retained_values.h).
void former_names_update_retained(world_o *w);

#endif
