// Lighting of a frame: lists the visible lights, and inserts lighting into the drawing order.
#ifndef SHOAL_RENDER_VISIBLE_LIGHTS_H
#define SHOAL_RENDER_VISIBLE_LIGHTS_H

#include "render/frame.h"

// Fills in the frame's lights and the ambient light of each view. The views must be set. `time_s`: time of the world.
void visible_lights_list(frame_t *frame, world_o *w, double time_s);
// Applies the light to everything emitted for this view so far.
void visible_lights_emit(frame_t *frame, uint32_t view);

#endif
