// Lighting of a frame: which lights its views see, and where in the drawing order they are applied.
#ifndef SHOAL_RENDER_VISIBLE_LIGHTS_H
#define SHOAL_RENDER_VISIBLE_LIGHTS_H

#include "render/frame.h"

// Fills the frame's lights, and the ambient light of each view. The views must be set. `time_s`: the world's time.
void lit_list(frame_t *f, world_o *w, double time_s);
// Applies the lights to everything emitted for this view so far.
void lit_emit(frame_t *f, uint32_t view);

#endif
