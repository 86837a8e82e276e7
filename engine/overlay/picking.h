// What of a world lies below a point of the screen, from the topmost thing down, what lies in a rectangle of it, and
// the outline of one thing. Reads the world as it is between two ticks and changes nothing. What is drawn nowhere (a
// light, a sound, a thing without a picture) can be hit at its place, as a small square below everything else.
#ifndef SHOAL_OVERLAY_PICKING_H
#define SHOAL_OVERLAY_PICKING_H

#include "ecs/world.h"
#include "render/render.h"

#define HITS_MAX 64u        // of a stack
#define HITS_HANDLE 7.0f    // pixels at 1280 × 720: half of the square of what is drawn nowhere
#define HITS_MAX_BOXED 512u // of a rectangle

typedef struct picking_view_t {
  world_o *world;
  render_o *render;    // knows how large images are; NULL: those without a size of their own are nowhere
  sheets_o *sheets;    // of the game's images; may be NULL
  float width, height; // of the screen, in logical pixels
} picking_view_t;

// Entities below a point of the screen, each once, the topmost first; returns how many.
uint32_t picking_at(const picking_view_t *v, float x, float y, shoal_entity *out, uint32_t most);
// Those whose place lies in the rectangle between two corners, in the order of their transforms.
uint32_t picking_between(const picking_view_t *v, float x1, float y1, float x2, float y2, shoal_entity *out,
                         uint32_t most);
// The next one of a stack behind `picked`, around its end to the first; the first where `picked` is not among them, 0
// of an empty one.
shoal_entity picking_next(const shoal_entity *stack, uint32_t count, shoal_entity picked);
// The four corners of what an entity shows, on the screen, in the view of `camera` (0: there is none). False where it
// has no place.
bool picking_outline(const picking_view_t *v, shoal_entity e, shoal_entity camera, float xy[8]);

// What moves an entity by (dx, dy) pixels of the screen, in the coordinates of its transform. False where it cannot be
// said: no transform, or a parent that is scaled to nothing.
bool picking_move(const picking_view_t *v, shoal_entity e, float dx, float dy, double out[2]);

#endif
