// A camera that goes after somebody, and one that is shaken.
#ifndef SHOAL_COMPONENTS_FOLLOW_H
#define SHOAL_COMPONENTS_FOLLOW_H

#include "ecs/world.h"
#include "schedule/schedule.h"

// follow { target:entity, width, height, seconds, offset_x, offset_y, left, top, right, bottom } and shaken { trauma,
// decay, pixels }: see follow.c. Who follows needs a transform, who is shaken a camera.
bool follow_declare(world_o *w, error_t *error);
bool shaken_declare(world_o *w, error_t *error);

// One tick of `dt_s` seconds: writes transform.x and y of those that follow, and camera.shake of those that are shaken.
// `logical_*`: the size of the picture in logical pixels, for bounds. Main thread.
void follow_update(world_o *w, float logical_width, float logical_height, double dt_s);

#endif
