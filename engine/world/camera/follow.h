// Cameras that follow an entity, and camera shake.
#ifndef SHOAL_CAMERA_FOLLOW_H
#define SHOAL_CAMERA_FOLLOW_H

#include "components/builtin.h"
#include "schedule/schedule.h"

BUILTIN_COMPONENT(follow, SHOAL_FOLLOW_FIELDS)
// Component of a shaking camera: sets camera.shake to `pixels` times the square of `trauma`.
BUILTIN_COMPONENT(shaken, SHOAL_SHAKEN_FIELDS)

// Runs one tick of `dt_s` seconds: writes transform.x and y of cameras that follow an entity, and camera.shake of
// shaking cameras. `logical_*`: size of the image in logical pixels, for the bounds. Main thread only.
void follow_update(world_o *w, float logical_width, float logical_height, double dt_s);

#endif
