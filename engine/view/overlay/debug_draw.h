// Debug drawing over the game: bodies, solid tiles, lights, paths, headings of movers and nav agents, names, and the
// cells of the collision grids. For developers: F3 while files are watched, or --debug-draw. Does not change the world.
#ifndef SHOAL_OVERLAY_DEBUG_DRAW_H
#define SHOAL_OVERLAY_DEBUG_DRAW_H

#include "collision/collision.h"
#include "ecs/world.h"
#include "render/draw.h"

// Extent of the debug drawing. F3 selects the next level.
typedef enum debug_level_t {
  DEBUG_DRAW_NONE,
  DEBUG_DRAW_SHAPES,
  DEBUG_DRAW_NAMES, // draws shapes and names
  DEBUG_DRAW_CELLS, // draws shapes and the cells of the collision grids
  DEBUG_DRAW_LEVELS
} debug_level_t;

#define DEBUG_DRAW_LAYER 9000 // world-space layer, above lit layers and below tools

typedef struct debug_draw_desc_t {
  world_o *world;
  const collision_o *collision; // collision pass of the world, with the cells of the last tick that ran
  draw_o *draw;
  debug_level_t level;
  float width, height; // logical size of the screen
} debug_draw_desc_t;

// Appends the debug drawing of `desc->level` to the draw list.
void debug_draw(const debug_draw_desc_t *desc);

#endif
