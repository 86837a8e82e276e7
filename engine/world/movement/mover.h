// The mover component: moves an entity by its velocity and slides along obstacles. Before transforms are updated, the
// entity moves by vx, then by vy. Each movement ends at an obstacle: a solid cell of a tilemap (tilemap/tilemap.h), or
// a body that is not a sensor and whose category and mask match the entity's body. The velocity along a blocked axis
// becomes 0. A body with `one_way` blocks only downward motion.
//
// Before a mover moves, the bodies that have moved into it since mover_capture push it. A pushed mover pushes the
// movers in its way. A push that is blocked emits crushed { entity, by }, if the world has that event. Movements of
// more than 64 pixels per tick push nothing.
//
// A mover collides as the bounding box of its body. A mover whose body is a sensor, and a mover without a body, which
// is treated as a point, are blocked only by cells. `one_way` cells block only downward motion; slopes lift movers that
// walk into them, and movers that walk down stay on the ground. Rotated and mirrored tilemaps do not block movers. A
// mover is carried along by the body on which it stands.
#ifndef SHOAL_MOVEMENT_MOVER_H
#define SHOAL_MOVEMENT_MOVER_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(mover, SHOAL_MOVER_FIELDS)
// Adds the system shoal.mover_capture at the start of the phase input, and shoal.mover to the phase post_update, before
// shoal.transform. Returns true on success, or false with an error if one of these names is taken.
bool mover_schedule(world_o *w, schedule_o *s, error_info_t *error);
// Records where bodies are, for the next call to mover_update. Takes a comparison of all bodies with their copies.
void mover_capture(world_o *w);
void mover_update(world_o *w, double dt_s);

#endif
