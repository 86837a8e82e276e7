// The mover component: an entity that goes where its speed says, and slides along what is solid. Before transforms are
// brought up to date it is moved by vx and vy, first to the side and then up or down, each as far as nothing is in the
// way: solid cells of tilemaps (tilemap/tilemap.h), and other bodies that its own may meet (category and mask of
// both). What stops it takes the speed of that axis to 0.
//
// It is moved as the upright box around its body; without one it is a point that only cells stop. Cells that are
// `one_way` stop what falls onto them from above; slopes lift what walks into them, and what walks down one stays on
// it. Tilemaps that are turned stop nothing. The body that it stands on takes it along.
#ifndef SHOAL_MOVEMENT_MOVER_H
#define SHOAL_MOVEMENT_MOVER_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(mover, SHOAL_MOVER_FIELDS)
bool mover_schedule(world_o *w, schedule_o *s, error_t *error); // shoal.mover: post_update, before shoal.transform
void mover_update(world_o *w, double dt_s);

#endif
