// A world's tilemaps as obstacles for movers (mover.h), listed once per tick. Independent of bodies.
#ifndef SHOAL_MOVEMENT_GROUNDS_H
#define SHOAL_MOVEMENT_GROUNDS_H

#include "base/array.h"
#include "collision/collider.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

// A layer whose cells may be solid. `edits`: edited cells; NULL if the game has edited no cell of the layer.
typedef struct ground_layer_t {
  const map_layer_t *layer;
  const tile_edits_t *edits;
} ground_layer_t;

// A tilemap as an obstacle: position, scale, size of a tile and of a cell in pixels, and range of its layers in
// `layers`.
typedef struct ground_t {
  const map_t *map;
  double x, y, scale_x, scale_y, tile_width, tile_height, cell_width, cell_height;
  double columns_per_pixel, rows_per_pixel; // exact reciprocals of the cell size; 0: the size is not a power of two
  uint32_t first_layer, end_layer;
  // The only layer whose cells may be solid, if its cells are stored row by row and are not edited; otherwise NULL.
  const map_layer_t *single_layer;
  bool has_slopes; // true if any cell may be a slope
} ground_t;

typedef struct grounds_t {
  ARRAY(ground_t) maps;
  ARRAY(ground_layer_t) layers;
  bool has_slopes; // true if any cell of any tilemap may be a slope
  // True if `simple` is a copy of the only tilemap, which has a `single_layer` and converts pixels to cells exactly.
  // Within `max_position` and `max_extent`, in pixels, the numbers of cells need no range checks.
  bool is_simple;
  ground_t simple;
  double max_position, max_extent;
} grounds_t;

// Lists the enabled tilemaps that are neither rotated nor mirrored. `matrices` is a cache of the current transforms.
// Borrows maps and edits until the end of the tick.
void grounds_list(grounds_t *g, world_o *w, transform_matrices_t *matrices);
void grounds_free(grounds_t *g, allocator_t *a);

// Returns the part of `step`, a movement of the box along one axis, that is not blocked by a tile. `on_slope`: the box
// stands on a slope, so low steps do not block it horizontally.
double grounds_limit(const grounds_t *g, const bounds_t *box, bool horizontal, bool on_slope, double step);
// Returns the y of the highest slope under the middle of the box, at most `max_rise` above and `max_drop` below its
// bottom edge. With `include_blocks`, includes the top of a block at the upper end of a slope. Returns INFINITY if no
// ground is in this range.
double grounds_find_slope(const grounds_t *g, const bounds_t *box, double max_rise, double max_drop,
                          bool include_blocks);

// The result of a movement that only tiles block.
typedef struct ground_move_t {
  double dx, dy; // actual movement
  bool grounded; // true if the box stands on a block or on a slope
} ground_move_t;

// Moves the box by `dx` and then by `dy`, as far as tiles allow; follows slopes. `was_grounded`: the box stood on the
// ground before, so it follows slopes downwards.
ground_move_t grounds_move(const grounds_t *g, bounds_t *box, double dx, double dy, bool was_grounded);

#endif
