// The lifetime component: remaining seconds. The entity is destroyed in the tick in which the seconds reach 0.
#ifndef SHOAL_COUNTDOWN_LIFETIME_H
#define SHOAL_COUNTDOWN_LIFETIME_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(lifetime, SHOAL_LIFETIME_FIELDS)
bool lifetime_schedule(world_o *w, schedule_o *s, error_info_t *error);

// Subtracts dt_s from every row that is not disabled, and destroys the entities whose time has expired. Called by the
// system shoal.lifetime.
void lifetime_update(world_o *w, float dt_s);

#endif
