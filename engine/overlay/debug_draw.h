// Debug drawing over the game: bodies, solid tiles, lights, paths, headings of movers and of the nav plugin's agents,
// and names. For developers: F3 while files are watched, or --debug-draw. Does not change the world.
#ifndef SHOAL_OVERLAY_DEBUG_DRAW_H
#define SHOAL_OVERLAY_DEBUG_DRAW_H

#include "ecs/world.h"
#include "render/draw.h"

typedef enum debug_level_t { DEBUG_DRAW_NONE, DEBUG_DRAW_SHAPES, DEBUG_DRAW_NAMES, DEBUG_DRAW_LEVELS } debug_level_t;

#define DEBUG_DRAW_LAYER 9000 // layer in the world, above lit layers and below tools

// Draws the world's debug shapes. `level` is a debug_level_t; width and height are the screen size in logical pixels.
void debug_draw(world_o *w, draw_o *draw, uint32_t level, float width, float height);

#endif
