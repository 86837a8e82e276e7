// Spatial index of axis-aligned boxes: hash grids that persist between searches. Boxes can be moved one by one, or all
// grids can be rebuilt, which makes searches faster. Boxes of different sizes are in grids of different cell sizes. The
// smallest cell size depends on the density of the boxes. Only the order of results depends on the grids. Independent
// of worlds.
#ifndef SHOAL_COLLISION_BOX_GRID_H
#define SHOAL_COLLISION_BOX_GRID_H

#include "base/array.h"
#include "collision/collider.h"

#include <float.h>
#include <math.h>

typedef struct box_t {
  float x, y, half_x, half_y; // centre and half extents; a box with a number that is not finite is never found
  uint32_t category;
} box_t;

// A box and its cell.
typedef struct box_entry_t {
  box_t box;
  int32_t cell_x, cell_y;
  uint32_t level; // index of the level, BOX_LOOSE or BOX_ABSENT
  uint32_t slot;  // index in `sorted`, or BOX_CHAINED
  uint32_t next;  // index + 1 of the next entry in the bucket's chain; 0: last entry, or not chained
} box_entry_t;

enum { BOX_MAX_LEVELS = 24, BOX_LOOSE = BOX_MAX_LEVELS, BOX_ABSENT };

#define BOX_CHAINED UINT32_MAX

// A copy of a box that has not moved since the last build.
typedef struct sorted_box_t {
  box_t box;
  int32_t cell_y;
  uint32_t level;     // level of the box; BOX_ABSENT after the box has moved
  uint32_t box_index; // index of the box in `entries`
} sorted_box_t;

// The grid of one cell size.
typedef struct box_level_t {
  double cells_per_pixel;
  float half_x, half_y;                     // maximum half extents of the level's boxes since the last build
  int32_t first_x, last_x, first_y, last_y; // range of the cells used since the last build
} box_level_t;

typedef ARRAY(uint32_t) box_indices_t;

typedef struct box_grid_t {
  allocator_t *allocator;
  ARRAY(box_entry_t) entries; // entries, indexed by box
  ARRAY(sorted_box_t) sorted; // copies of the boxes, sorted by bucket
  // Index in `sorted` of the first box of each bucket; the last element is the number of boxes in `sorted`.
  ARRAY(uint32_t) bucket_starts;
  // Index + 1 of the first chained box of each bucket; 0 if the bucket has no chained box.
  ARRAY(uint32_t) chain_heads;
  uint32_t chained_count; // number of boxes in these chains
  uint32_t loose_head;    // index + 1 of the first entry in the chain of boxes that are too large for any level
  uint32_t loose_count;
  uint32_t move_count;                   // number of moves since the last build
  uint32_t categories;                   // categories of all boxes; may contain categories of former boxes
  int min_exponent;                      // level 0 of `level_of_size` has cells of 2^min_exponent pixels
  uint8_t level_of_size[BOX_MAX_LEVELS]; // level for boxes of this size; BOX_LOOSE if all used levels are smaller
  uint32_t level_count;
  box_level_t levels[BOX_MAX_LEVELS];
} box_grid_t;

void box_grid_init(box_grid_t *g, allocator_t *a);
void box_grid_fini(box_grid_t *g);

// Changes the number of boxes. New boxes are absent: they are never found.
void box_grid_resize(box_grid_t *g, uint32_t count);
// Sets a box. Call box_grid_build before the next search. If `box` is NULL, the box is absent.
void box_grid_set(box_grid_t *g, uint32_t i, const box_t *box);
void box_grid_build(box_grid_t *g);
// Discards the grids, but not the boxes: box_grid_build must be called before the next search.
void box_grid_discard(box_grid_t *g);
// Sets a box, and updates the grids if they are built. If `box` is NULL, the box is absent.
void box_grid_move(box_grid_t *g, uint32_t i, const box_t *box);
static inline bool box_grid_is_built(const box_grid_t *g) {
  return g->chain_heads.count > 0;
}
// Returns true if the grids have not been built, or if so many boxes were added or moved that box_grid_build would make
// searches faster.
bool box_grid_needs_rebuild(const box_grid_t *g);

// Returns the smallest box that contains the bounds, with slack for rounding. Half extents of 0 mean that the bounds
// are exactly the point (x, y). Bounds that are too large or too far away for floats give a box that every search
// finds.
static inline box_t box_from_bounds(const bounds_t *bounds, uint32_t category) {
  const double SLACK = 1.000001, POSITION_SLACK = 3e-7; // rounding to floats must not shrink the box
  const double MAX = 1e30;
  // Every search finds a box that is too large or too far away for floats.
  if (!(bounds->left >= -MAX && bounds->right <= MAX && bounds->top >= -MAX && bounds->bottom <= MAX))
    return (box_t){.half_x = FLT_MAX, .half_y = FLT_MAX, .category = category};
  double x = (bounds->left + bounds->right) / 2, y = (bounds->top + bounds->bottom) / 2;
  if (bounds->left == bounds->right && bounds->top == bounds->bottom && (double)(float)x == x && (double)(float)y == y)
    return (box_t){.x = (float)x, .y = (float)y, .category = category};
  return (box_t){.x = (float)x,
                 .y = (float)y,
                 .half_x = (float)(((bounds->right - bounds->left) / 2 + fabs(x) * POSITION_SLACK) * SLACK),
                 .half_y = (float)(((bounds->bottom - bounds->top) / 2 + fabs(y) * POSITION_SLACK) * SLACK),
                 .category = category};
}

// Appends to `out` the boxes that overlap or touch the area and have a category in `mask`, once each and in unspecified
// order. Returns true if the search visited only cells in the area. Returns false if no box has a category in `mask`,
// or if the search tested every box because the area has too many cells or contains all used cells. A caller that
// enlarges the area step by step can then search the whole plane next.
bool box_grid_collect(const box_grid_t *g, const bounds_t *area, uint32_t mask, box_indices_t *out);
// Returns the cell size of the smallest level in pixels, chosen so that a cell contains about two small boxes.
double box_grid_cell_size(const box_grid_t *g);

#endif
