// Definitions (ecs/definitions.h) that a snapshot holds.
#ifndef SHOAL_SNAPSHOT_STATE_DEFINITIONS_H
#define SHOAL_SNAPSHOT_STATE_DEFINITIONS_H

#include "snapshot/state.h"

// Returns the definitions in a snapshot, "" if there are none or the snapshot is damaged. Borrowed from `w`, as of
// definitions_list.
const char *definitions_in(const snapshot_o *s, world_o *w);

// Returns whether the code of `w` has declared other definitions than the state has.
bool state_definitions_differ(const state_view_t *v, world_o *w);
// Has the code of `w` declare the definitions of the state.
void state_definitions_require(const state_view_t *v, world_o *w);

#endif
