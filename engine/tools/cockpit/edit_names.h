// Names of components and fields in the Lua text of edits. An undo step may run after a rename, so the text contains
// marked numbers of names, which edit_replace_marks (edit_text.h) replaces with the current names.
#ifndef SHOAL_COCKPIT_EDIT_NAMES_H
#define SHOAL_COCKPIT_EDIT_NAMES_H

#include "base/error.h"
#include "ecs/world.h"

typedef struct cockpit_o cockpit_o;

// Current names of a component and, unless `field` is "", of one of its fields.
typedef struct edit_name_t {
  char component[COMPONENT_NAME_MAX], field[FIELD_NAME_MAX];
} edit_name_t;

// Returns the number of the name. `field` may be "". Later renames change the name that belongs to this number.
uint32_t edit_names_add(cockpit_o *cockpit, const char *component, const char *field);
// Adopts the renames of the most recent reload. Call once per frame: a reload removes the reversed renames of earlier
// reloads.
void edit_names_follow_renames(cockpit_o *cockpit);
// Finds the component and, unless the name has no field, sets `column` to the field's index. Returns the component, or
// NULL with an error if the game no longer declares the name.
const manager_o *edit_names_find(const cockpit_o *cockpit, uint32_t number, uint32_t *column, error_info_t *error);

#endif
