// What a world is made of, drawn over its picture: bodies, solid tiles, lights, ways, and what things are called. For
// who makes a game: F3 in a run whose files are watched, or --debug-draw. Reads the world and never writes it.
#ifndef SHOAL_OVERLAY_DEBUG_DRAW_H
#define SHOAL_OVERLAY_DEBUG_DRAW_H

#include "ecs/world.h"
#include "render/draw.h"

typedef enum debug_level_t { DEBUG_DRAW_NONE, DEBUG_DRAW_SHAPES, DEBUG_DRAW_NAMES, DEBUG_DRAW_LEVELS } debug_level_t;

#define DEBUG_DRAW_LAYER 9000 // of the world: above what is lit, below tools

// level: debug_level_t. width, height: of the screen, in logical pixels.
void debug_draw(world_o *w, draw_o *draw, uint32_t level, float width, float height);

#endif
