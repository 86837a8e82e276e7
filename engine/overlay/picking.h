// Picking: entities under a point of the screen from the topmost down, entities inside a rectangle, and the outline of
// an entity. Reads the world between two ticks and changes nothing. Entities that draw nothing (lights, sounds) can be
// hit in a small square at their position, below everything else.
#ifndef SHOAL_OVERLAY_PICKING_H
#define SHOAL_OVERLAY_PICKING_H

#include "ecs/world.h"
#include "render/render.h"

#define HITS_MAX 64u        // entities under one point
#define HITS_HANDLE 7.0f    // half the side of that square, in pixels at 1280 × 720
#define HITS_MAX_BOXED 512u // entities in a rectangle

typedef struct picking_view_t {
  world_o *world;
  render_o *render;    // source of image sizes; NULL: images without an explicit size cannot be hit
  sheets_o *sheets;    // sprite sheets of the game; may be NULL
  float width, height; // screen size in logical pixels
} picking_view_t;

// Writes the entities under a point of the screen, each once, topmost first. Returns their number.
uint32_t picking_at(const picking_view_t *v, float x, float y, shoal_entity *out, uint32_t max);
// Writes the entities whose position is inside the rectangle between two corners, in the order of their transforms.
// Returns their number.
uint32_t picking_between(const picking_view_t *v, float x1, float y1, float x2, float y2, shoal_entity *out,
                         uint32_t max);
// Returns the entity after `picked` in the stack, wrapping around; the first if `picked` is not in it, 0 if the stack
// is empty.
shoal_entity picking_next(const shoal_entity *stack, uint32_t count, shoal_entity picked);
// Writes the four corners of what an entity draws, in screen coordinates of `camera` (0: no camera). Returns false if
// the entity has no position.
bool picking_outline(const picking_view_t *v, shoal_entity e, shoal_entity camera, float xy[8]);

// Writes the translation, in the coordinates of its transform, that moves an entity by (dx, dy) screen pixels. Returns
// false if it has no transform or a parent's scale is zero.
bool picking_move(const picking_view_t *v, shoal_entity e, float dx, float dy, double out[2]);

#endif
