// The neighbours component: the bodies and findable entities near an entity, as columns, for flocks, crowds and swarms.
// Native loops can read these columns, but cannot make searches that return lists.
//
// The system shoal.neighbours writes the columns at the end of pre_update, so they describe the start of `update`.
// Distances are measured to the edge of a body, as in near_queries.h, and equal distances are ordered by entity index.
// The results do not depend on the order of rows or the number of workers.
#ifndef SHOAL_COLLISION_NEIGHBOURS_H
#define SHOAL_COLLISION_NEIGHBOURS_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(neighbours, SHOAL_NEIGHBOURS_FIELDS)

typedef struct neighbours_o neighbours_o;

neighbours_o *neighbours_create(world_o *w);
void neighbours_destroy(neighbours_o *n);

// Writes the columns of all enabled rows.
void neighbours_update(neighbours_o *n);
bool neighbours_schedule(neighbours_o *n, schedule_o *s, error_info_t *error);

#endif
