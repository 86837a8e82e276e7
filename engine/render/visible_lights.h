// What is lit: which lights the picture's views see, and where in the order of drawing they fall on what lies below.
#ifndef SHOAL_RENDER_VISIBLE_LIGHTS_H
#define SHOAL_RENDER_VISIBLE_LIGHTS_H

#include "render/frame.h"

// Fills the frame's lights, and what is ambient in each of its views, which are known. `time_s` is the world's.
void lit_list(frame_t *f, world_o *w, double time_s);
// All that was emitted for this view is lit, and what comes after it is not.
void lit_emit(frame_t *f, uint32_t view);

#endif
