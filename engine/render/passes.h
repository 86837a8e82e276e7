// Passes over the finished picture that a game declares in shaders.lua, as its world has them
// (scripts/shoal/kit/shaders.lua): in the order of the file, with their uniforms' values.
#ifndef SHOAL_RENDER_PASSES_H
#define SHOAL_RENDER_PASSES_H

#include "render/frame.h"

// Is any of them on, of those that cover all, or of the others?
bool passes_cover(const frame_t *f, bool all);
void passes_list(frame_t *f, world_o *w); // w may be NULL

#endif
