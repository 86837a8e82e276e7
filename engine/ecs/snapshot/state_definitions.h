// Definitions (ecs/definitions.h) stored in a snapshot.
#ifndef SHOAL_SNAPSHOT_STATE_DEFINITIONS_H
#define SHOAL_SNAPSHOT_STATE_DEFINITIONS_H

#include "snapshot/state.h"

// Returns the definitions in a snapshot as one string; "" if there are none or the snapshot is damaged. Borrowed from
// `w`, as with definitions_list.
const char *state_definitions_list(const snapshot_o *s, world_o *w);

// Returns whether the definitions that the code of `w` has declared differ from the state's definitions.
bool state_definitions_differ(const state_view_t *v, world_o *w);
// Makes the code of `w` declare the definitions of the state.
void state_definitions_declare(const state_view_t *v, world_o *w);

#endif
