// Following and shaking cameras.
#ifndef SHOAL_CAMERA_FOLLOW_H
#define SHOAL_CAMERA_FOLLOW_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(follow, SHOAL_FOLLOW_FIELDS)
// Sets camera.shake to the square of its trauma times `pixels`.
BUILTIN_COMPONENT(shaken, SHOAL_SHAKEN_FIELDS)

// Runs one tick of `dt_s` seconds: writes transform.x and y of following cameras and camera.shake of shaken ones.
// `logical_*`: size of the image in logical pixels, for the bounds. Main thread only.
void follow_update(world_o *w, float logical_width, float logical_height, double dt_s);

#endif
