// Post-processing passes declared in shaders.lua (scripts/shoal/kit/shaders.lua), read from the world: in the order of
// that file, with the current values of their uniforms.
#ifndef SHOAL_RENDER_PASSES_H
#define SHOAL_RENDER_PASSES_H

#include "render/frame.h"

// Returns true if any of the selected passes is enabled. `covers_screen` true selects the passes that also cover
// screen-space drawing; false selects the passes that cover only the world.
bool passes_has_enabled(const frame_t *frame, bool covers_screen);
void passes_list(frame_t *frame, world_o *w); // lists the passes in frame->passes; `w` may be NULL

#endif
