// Definitions (content/definitions.h) stored in a snapshot.
#ifndef SHOAL_CONTENT_STATE_DEFINITIONS_H
#define SHOAL_CONTENT_STATE_DEFINITIONS_H

#include "snapshot/state.h"

// Returns the definitions in a snapshot as one string; "" if it contains no definitions or is damaged. Borrowed from
// `w`, as with definitions_list.
const char *state_definitions_list(const snapshot_o *snapshot, world_o *w);

// Returns true if the code of `w` has declared the definitions of the state.
bool state_definitions_are_declared(world_o *w, const state_view_t *view);
// Calls the definer of `w` with the state's definitions, unless they are already declared
// (definitions_ensure_declared).
void state_definitions_declare(world_o *w, const state_view_t *view);

#endif
