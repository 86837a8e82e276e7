// The path component: an entity that goes along a line of points, once, round and round, or to and fro. With a mover it
// is given the speed and stops at what is solid; without one it is moved, a platform for example. At speed 0 it is told
// where to go and somebody else moves it. A line or polygon of a map that becomes an entity with a path gives it its
// points (store/map_objects.h).
#ifndef SHOAL_MOVEMENT_PATH_H
#define SHOAL_MOVEMENT_PATH_H

#include "components/builtin.h"
#include "schedule/schedule.h"

// returning: it is on its way back. faulty: a message about the text has been logged.
// clang-format off
#define PATH_FIELDS(F)                                                                                                 \
  F(string, points, "", .doc = "\"x,y x,y …\", in the space of the transform")                                         \
  F(f32, speed, 40, .unit = "px/s", .doc = "0 leaves the movement to the game")                                        \
  F(bool, loop, 0, .doc = "the first point follows the last one") F(bool, back, 0, .doc = "turns round at both ends")  \
  F(u32, next, 1, .doc = "number of the next point, from 1") F(f32, dir_x, 0, .doc = "direction to the next point")    \
  F(f32, dir_y, 0) F(bool, returning, 0, .flags = SHOAL_HIDDEN) F(bool, faulty, 0, .flags = SHOAL_HIDDEN)
// clang-format on
BUILTIN_COMPONENT(path, PATH_FIELDS)

// One tick. Emits path_ended { entity } for what has come to its last point, where the world has that event. What is
// disabled stands. Main thread, and nothing may be deferred.
void path_update(world_o *w, double dt_s);
bool path_schedule(world_o *w, schedule_o *s, error_t *error); // shoal.path: pre_update, after shoal.tween

#endif
