// What a restore asks of definitions.c. Private to state.
#ifndef SHOAL_STATE_DEFINITIONS_INTERNAL_H
#define SHOAL_STATE_DEFINITIONS_INTERNAL_H

#include "state/state_view.h"

// Has the code of `w` declared other definitions than the state has?
bool definitions_differ(const state_view_t *v, world_o *w);
// Then it declares those of the state, or, with v NULL, those of `w` itself.
void definitions_ask(world_o *w, const state_view_t *v);

#endif
