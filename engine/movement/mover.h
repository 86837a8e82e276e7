// The mover component: moves an entity by its velocity and slides along obstacles. Before transforms are updated, it
// moves by vx, then by vy, each as far as nothing blocks it: solid cells of tilemaps (tilemap/tilemap.h), and bodies
// whose category and mask match those of its own body. A blocked axis gets speed 0.
//
// A mover collides as the bounding box of its body; without a body it is a point that only cells block. `one_way` cells
// block only downward motion; slopes lift movers that walk into them, and movers walking down stay on them. Rotated
// tilemaps block nothing. A mover rides on the body it stands on.
#ifndef SHOAL_MOVEMENT_MOVER_H
#define SHOAL_MOVEMENT_MOVER_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(mover, SHOAL_MOVER_FIELDS)
bool mover_schedule(world_o *w, schedule_o *s, error_t *error); // adds shoal.mover: post_update, before shoal.transform
void mover_update(world_o *w, double dt_s);

#endif
