// The lifetime component: seconds that are left; the entity is destroyed in the tick in which they reach 0.
#ifndef SHOAL_COUNTDOWN_LIFETIME_H
#define SHOAL_COUNTDOWN_LIFETIME_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(lifetime, SHOAL_LIFETIME_FIELDS)
bool lifetime_schedule(world_o *w, schedule_o *s, error_t *error);

// Takes dt_s off every row and destroys the entities whose seconds are used up. Run by shoal.lifetime.
void lifetime_update(world_o *w, float dt_s);

#endif
