// Consecutive commands that change states. Private to ecs.
#ifndef SHOAL_ECS_STATE_BATCH_H
#define SHOAL_ECS_STATE_BATCH_H

#include "ecs/world_internal.h"

// Applies the COMMAND_ENTER at index `first` and, if possible, the following commands of this kind together with it.
// Returns the number of commands applied, which is at least 1.
uint32_t state_batch_run(world_o *w, uint32_t first);

#endif
