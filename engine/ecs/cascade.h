// What happens to rows whose fields name an entity that dies. Private to ecs.
#ifndef SHOAL_ECS_CASCADE_H
#define SHOAL_ECS_CASCADE_H

#include "ecs/world.h"

// These of the batch (world_internal.h) die; entities that follow them join it, and it is called again for those.
void cascade_dying(world_o *w, const shoal_entity *entities, uint32_t count);
// The whole batch is known; its rows are still there.
void cascade_dead(world_o *w, uint32_t count);

#endif
