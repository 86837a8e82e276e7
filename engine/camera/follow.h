// A camera that goes after somebody, and one that is shaken.
#ifndef SHOAL_CAMERA_FOLLOW_H
#define SHOAL_CAMERA_FOLLOW_H

#include "components/builtin.h"
#include "schedule/schedule.h"

// Moves a transform. target: the entity that it follows. width, height: of the dead zone in the middle of the view, in
// which the target moves freely, in pixels of the world. seconds: time for half of the distance; 0: at once. offset:
// from the target to the point that is looked at. left … bottom: the visible part of the world; unlimited where right
// is not beyond left, or bottom not beyond top.
BUILTIN_COMPONENT(follow, SHOAL_FOLLOW_FIELDS)
// Shakes a camera. trauma: 0 … 1, raised by each hit; it falls by `decay` a second. camera.shake is its square times
// `pixels`.
BUILTIN_COMPONENT(shaken, SHOAL_SHAKEN_FIELDS)

// One tick of `dt_s` seconds: writes transform.x and y of those that follow, and camera.shake of those that are shaken.
// `logical_*`: the size of the picture in logical pixels, for bounds. Main thread.
void follow_update(world_o *w, float logical_width, float logical_height, double dt_s);

#endif
