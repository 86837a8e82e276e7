// What stands in the way of light: edges of occluders as the world has them now, and the row of distances that they
// leave around a light.
#ifndef SHOAL_LIGHT_LIGHT_INTERNAL_H
#define SHOAL_LIGHT_LIGHT_INTERNAL_H

#include "light/light.h"

// Everything that may throw a shadow on `seen`, grown by what lights reach: left, top, right, bottom.
void occluders_list(lights_t *l, allocator_t *a, world_o *w, const light_shapes_t *shapes, const float seen[4]);

// Fills LIGHT_ROW numbers for a light at a place. `passed`: entities whose occluders it ignores, itself among them.
// False when nothing is in its way.
bool shadow_row(const lights_t *l, float x, float y, float range, const shoal_entity *passed, uint32_t passed_count,
                float *row);

#endif
