// Picking: finds the entities under a point of the screen, topmost first, the entities inside a rectangle, and the
// outline of an entity. Reads the world between two ticks without changing it. Entities without an image (lights,
// sounds) can be hit in a small square at their position, below all visuals.
#ifndef SHOAL_OVERLAY_PICKING_H
#define SHOAL_OVERLAY_PICKING_H

#include "ecs/world.h"
#include "render/render.h"

#define PICKING_MAX_HITS 64u // maximum number of entities under one point
// Half the side of the square for entities without an image, in pixels at 1280 × 720.
#define PICKING_HANDLE_HALF_SIZE 7.0f
#define PICKING_MAX_ENTITIES 512u // maximum number of entities in a rectangle

typedef struct picking_view_t {
  world_o *world;
  render_o *render;    // provides image and text sizes; if NULL, images without an explicit size are treated as points
  sheets_o *sheets;    // sprite sheets of the game; may be NULL
  float width, height; // screen size in logical pixels
} picking_view_t;

// Writes the entities under a point of the screen, in logical pixels, topmost first and without duplicates. Returns
// their number, at most `max` and at most PICKING_MAX_HITS.
uint32_t picking_list_entities_at(const picking_view_t *view, float x, float y, shoal_entity *out, uint32_t max);
// Writes the entities with an image or a body whose position, as seen by the camera under (x1, y1), is inside the
// rectangle between two corners in logical pixels. The order is the row order of `transform`. Returns their number, at
// most `max`.
uint32_t picking_list_in_box(const picking_view_t *view, float x1, float y1, float x2, float y2, shoal_entity *out,
                             uint32_t max);
// Returns the entity after `picked` in the list of entities under a point, wrapping around; the first entity if
// `picked` is not in the list, 0 if the list is empty.
shoal_entity picking_next_in_stack(const shoal_entity *stack, uint32_t count, shoal_entity picked);
// Writes the four corners of an entity's extent, in screen coordinates of `camera` (0: the lowest visible camera; world
// coordinates if no camera is visible). The extent of an entity with neither an image nor a body is the square of
// PICKING_HANDLE_HALF_SIZE. Returns true on success, or false if the entity is not alive or has no finite position, or
// if `camera` is not visible.
bool picking_compute_outline(const picking_view_t *view, shoal_entity entity, shoal_entity camera, float xy[8]);

// Writes the translation, in the coordinates of the entity's transform, that moves an entity by (dx, dy) screen pixels.
// Returns true on success, or false if the entity is not alive or has no finite position, or if the scale of its parent
// is zero.
bool picking_compute_move(const picking_view_t *view, shoal_entity entity, float dx, float dy, double out[2]);

#endif
