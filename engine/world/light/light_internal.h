// Shadow casting: edges of occluders in the world, and the shadow map of a light.
#ifndef SHOAL_LIGHT_LIGHT_INTERNAL_H
#define SHOAL_LIGHT_LIGHT_INTERNAL_H

#include "light/light.h"

// Lists all occluders that may cast a shadow into `visible_area` (left, top, right, bottom in world pixels), which must
// include the range of every light.
void occluders_list(lights_t *l, allocator_t *a, world_o *w, const light_shapes_t *shapes, const float visible_area[4]);

// Fills the shadow map of a light (LIGHT_ROW values). `ignored`: entities whose occluders are ignored, including the
// light's own entity. Returns true on success. If no occluder is in range, returns false and leaves `row` unchanged.
bool shadow_map_draw(const lights_t *l, float x, float y, float range, const shoal_entity *ignored,
                     uint32_t ignored_count, float *row);

#endif
