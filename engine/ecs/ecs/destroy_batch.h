// Destruction of entities in batches. Private to ecs.
#ifndef SHOAL_ECS_DESTROY_BATCH_H
#define SHOAL_ECS_DESTROY_BATCH_H

#include "ecs/world.h"

void destroy_batch_run(world_o *w); // destroys everything in the batch (structure_add_to_destroy_batch)

#endif
