// Post-processing passes declared in shaders.lua, read from the world (scripts/shoal/kit/shaders.lua): in file order,
// with the current values of their uniforms.
#ifndef SHOAL_RENDER_PASSES_H
#define SHOAL_RENDER_PASSES_H

#include "render/frame.h"

// Returns true if a pass is enabled: with `all`, one that also covers screen-space drawing; otherwise one that covers
// only the world.
bool passes_cover(const frame_t *f, bool all);
void passes_list(frame_t *f, world_o *w); // `w` may be NULL

#endif
