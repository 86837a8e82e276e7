// A camera that goes after somebody, and one that is shaken.
#ifndef SHOAL_CAMERA_FOLLOW_H
#define SHOAL_CAMERA_FOLLOW_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(follow, SHOAL_FOLLOW_FIELDS)
// Sets camera.shake to the square of its trauma times `pixels`.
BUILTIN_COMPONENT(shaken, SHOAL_SHAKEN_FIELDS)

// One tick of `dt_s` seconds: writes transform.x and y of those that follow, and camera.shake of those that are shaken.
// `logical_*`: the size of the picture in logical pixels, for bounds. Main thread.
void follow_update(world_o *w, float logical_width, float logical_height, double dt_s);

#endif
