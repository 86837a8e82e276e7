// Reports each transform whose parent has had no transform for a whole tick. The entity is then drawn as if it had no
// parent. Not part of the world's state.
#ifndef SHOAL_TRANSFORM_WAITING_PARENTS_H
#define SHOAL_TRANSFORM_WAITING_PARENTS_H

#include "ecs/world.h"

typedef struct waiting_parents_o waiting_parents_o;

waiting_parents_o *waiting_parents_create(world_o *w);
void waiting_parents_destroy(waiting_parents_o *waiting); // accepts NULL
// Reports the transforms that have been waiting for a parent's transform since the previous tick. Call once per tick,
// after transform_update_child_lists.
void waiting_parents_check(waiting_parents_o *waiting);

#endif
