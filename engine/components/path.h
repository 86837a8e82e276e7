// The path component: an entity that goes along a line of points, once, round and round, or to and fro. With a mover it
// is given the speed and stops at what is solid; without one it is moved, a platform for example. At speed 0 it is told
// where to go and somebody else moves it. A line or polygon of a map that becomes an entity with a path gives it its
// points (store/map_objects.h).
#ifndef SHOAL_COMPONENTS_PATH_H
#define SHOAL_COMPONENTS_PATH_H

#include "schedule/schedule.h"
#include "ecs/world.h"

bool path_declare(world_o *w, error_t *error);
// One tick. Emits path_ended { entity } for what has come to its last point, where the world has that event. What is
// disabled stands. Main thread, and nothing may be deferred.
void path_update(world_o *w, double dt_s);
bool path_schedule(world_o *w, schedule_o *s, error_t *error); // shoal.path: pre_update, after shoal.tween

#endif
