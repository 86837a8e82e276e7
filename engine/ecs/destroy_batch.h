// Entities that die together. Private to ecs.
#ifndef SHOAL_ECS_DESTROY_BATCH_H
#define SHOAL_ECS_DESTROY_BATCH_H

#include "ecs/world.h"

void destroy_batch_run(world_o *w); // of all that have joined the batch (structure_join_batch)

#endif
