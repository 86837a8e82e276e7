// The path component: an entity follows a list of points once, in a loop, or back and forth. If the entity has a mover,
// the path sets the mover's velocity, so obstacles block the entity; otherwise, for example for a platform, the path
// moves the entity directly. At speed 0, the path only provides the direction, and the game moves the entity. If a line
// or polygon of a map becomes an entity with a path, its points become the points of the path (store/map_objects.h).
#ifndef SHOAL_MOVEMENT_PATH_H
#define SHOAL_MOVEMENT_PATH_H

#include "components/builtin.h"
#include "schedule/schedule.h"

// `returning`: true while the entity is moving back to the first point. `faulty`: true if `points` is invalid, which
// has been logged. `origin_x`, `origin_y`: position of the entity in the first tick in which it followed the path with
// `relative`, valid if `begun` is true; otherwise 0. The origin stays until `relative` is false or the component is
// removed.
// clang-format off
#define PATH_FIELDS(F)                                                                                                 \
  F(string, points, "", .doc = "\"x,y x,y …\", in the space of the transform")                                         \
  F(f32, speed, 40, .unit = "px/s", .doc = "speed along the path; 0 leaves the movement to the game")                  \
  F(bool, loop, 0, .doc = "the first point follows the last one") F(bool, back, 0, .doc = "reverses at both ends")     \
  F(bool, relative, 0, .doc = "points are relative to where the entity was in the path's first tick")                  \
  F(u32, next, 1, .doc = "number of the next point, starting at 1")                                                    \
  F(f32, dir_x, 0, .doc = "direction to the next point")                                                               \
  F(f32, dir_y, 0) F(bool, returning, 0, .flags = SHOAL_HIDDEN) F(bool, faulty, 0, .flags = SHOAL_HIDDEN)              \
  F(bool, begun, 0, .flags = SHOAL_HIDDEN) F(f32, origin_x, 0, .flags = SHOAL_HIDDEN)                                  \
  F(f32, origin_y, 0, .flags = SHOAL_HIDDEN)
// clang-format on
BUILTIN_COMPONENT(path, PATH_FIELDS)

// Moves entities along their paths for one tick. Emits path_ended { entity }, if the world has that event, for each
// path that ends at its last point, as a path without `loop` and `back` does. Disabled paths do nothing. Main thread;
// must not be called while commands are deferred.
void path_update(world_o *w, double dt_s);
// Adds the system shoal.path to phase pre_update, after shoal.tween. Returns true on success, or false with an error.
bool path_schedule(world_o *w, schedule_o *s, error_info_t *error);

#endif
