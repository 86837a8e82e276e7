// The lifetime component: seconds that are left; the entity is destroyed in the tick in which they reach 0.
#ifndef SHOAL_COMPONENTS_LIFETIME_H
#define SHOAL_COMPONENTS_LIFETIME_H

#include "schedule/schedule.h"
#include "ecs/world.h"

bool lifetime_declare(world_o *w, error_t *error);
bool lifetime_schedule(world_o *w, schedule_o *s, error_t *error);

// Takes dt_s off every row and destroys the entities whose seconds are used up. Run by shoal.lifetime.
void lifetime_update(world_o *w, float dt_s);

#endif
