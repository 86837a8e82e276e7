// Tests boxes against the cells of tilemaps. Computes in doubles.
#include "movement/grounds.h"

#include "movement/moved_bodies.h"

#include <math.h>
#include <stdlib.h>

#define CELL_SKIN 1e-3 // fraction of a cell that is ignored across the direction of motion
#define MAX_CELLS 4096 // maximum number of cells along one axis; a move that overlaps more cells ignores the tilemap

#define INLINE __attribute__((always_inline)) static inline // required for functions with a constant axis

// --- listing

static bool is_upright(const float matrix[16]) {
  return fabsf(matrix[1]) + fabsf(matrix[4]) < 1e-6f && matrix[0] > 0 && matrix[5] > 0;
}

// Appends the layers of a map whose cells may be solid.
static void list_layers(grounds_t *g, world_o *w, shoal_entity entity, ground_t *ground) {
  ground->first_layer = g->layers.count;
  for (uint32_t i = 0; i < ground->map->layer_count; ++i) {
    const map_layer_t *layer = &ground->map->layers[i];
    ground_layer_t listed = {layer, layer->physical ? tilemap_edits(w, entity, layer->name) : NULL};
    if (!layer->has_shapes && !listed.edits)
      continue;
    ground->has_slopes |= layer->has_slopes || (listed.edits && ground->map->has_slope_tiles);
    array_push(world_allocator(w), &g->layers, listed);
  }
  ground->end_layer = g->layers.count;
  if (ground->end_layer == ground->first_layer + 1) {
    const ground_layer_t *single = &g->layers.items[ground->first_layer];
    ground->single_layer = single->layer->cells && !single->edits ? single->layer : NULL;
  }
}

// Returns 1 / size if multiplying by it equals dividing by `size`, which is then a power of two; otherwise 0.
static double find_exact_inverse(double size) {
  int exponent;
  return frexp(size, &exponent) == 0.5 && abs(exponent) < 100 ? 1 / size : 0;
}

// Sets `simple` if there is only one tilemap, and `is_simple` if this tilemap meets the conditions of grounds_t.
static void find_simple_ground(grounds_t *g) {
  if (g->maps.count != 1)
    return;
  g->simple = g->maps.items[0];
  double cells_per_pixel = fmax(g->simple.columns_per_pixel, g->simple.rows_per_pixel);
  g->is_simple = g->simple.single_layer && g->simple.columns_per_pixel != 0 && g->simple.rows_per_pixel != 0;
  g->max_extent = MAX_CELLS / 2 / cells_per_pixel;
  g->max_position = 1e8 / cells_per_pixel - fabs(g->simple.x) - fabs(g->simple.y) - g->max_extent;
}

void grounds_list(grounds_t *g, world_o *w, transform_matrices_t *matrices) {
  const manager_o *tilemaps = builtin_find(w, "tilemap");
  for (uint32_t row = 0; tilemaps && row < tilemaps->count; ++row) {
    const map_t *map = world_is_disabled(w, tilemaps->owner[row], tilemaps->id) ? NULL : tilemap_map(w, row);
    uint32_t transform_row = manager_row(matrices->manager, tilemaps->owner[row]);
    if (!map || transform_row == ROW_NONE)
      continue;
    float matrix[16];
    transform_compute_world_matrix(matrices, transform_row, matrix);
    if (!is_upright(matrix))
      continue;
    ground_t ground = {.map = map,
                       .x = (double)matrix[12],
                       .y = (double)matrix[13],
                       .scale_x = (double)matrix[0],
                       .scale_y = (double)matrix[5],
                       .tile_width = map->tile_width,
                       .tile_height = map->tile_height,
                       .cell_width = (double)matrix[0] * map->tile_width,
                       .cell_height = (double)matrix[5] * map->tile_height};
    ground.columns_per_pixel = find_exact_inverse(ground.cell_width);
    ground.rows_per_pixel = find_exact_inverse(ground.cell_height);
    list_layers(g, w, tilemaps->owner[row], &ground);
    g->has_slopes |= ground.has_slopes;
    array_push(world_allocator(w), &g->maps, ground);
  }
  find_simple_ground(g);
}

void grounds_free(grounds_t *g, allocator_t *a) {
  array_free(a, &g->maps);
  array_free(a, &g->layers);
}

// --- cells

// Returns the tile that determines a cell's shape: the uppermost tile that declares `solid`, is one-way, or is a slope.
// Stores the layer's cell in `cell`. Returns NULL if no layer has such a tile.
static inline const map_tile_t *find_collision_tile(const grounds_t *g, const ground_t *ground, int32_t column,
                                                    int32_t row, uint32_t *cell) {
  for (uint32_t i = ground->end_layer; i-- > ground->first_layer;) {
    *cell = tilemap_cell(g->layers.items[i].layer, g->layers.items[i].edits, column, row);
    if (*cell == 0)
      continue;
    const map_tile_t *tile = map_tile(ground->map, *cell);
    if (map_tile_has_shape(tile))
      return tile;
  }
  return NULL;
}

// Returns true if the tile of a cell is a slope. A slope that is flipped vertically or diagonally is treated as a
// block.
static bool is_slope(const map_tile_t *tile, uint32_t cell) {
  return tile->slope && !(cell & (MAP_FLIP_Y | MAP_FLIP_DIAGONAL));
}

// Like floor and ceil, for numbers in the range of int32_t.
static inline int32_t round_down(double number) {
  int32_t truncated = (int32_t)number;
  return truncated - (truncated > number);
}

static inline int32_t round_up(double number) {
  int32_t truncated = (int32_t)number;
  return truncated + (truncated < number);
}

typedef struct cell_range_t {
  int32_t first, last;
} cell_range_t;

// Computes the range of cells that overlap the interval from `start` to `end`. `skin` is the part of a cell to ignore
// at both ends. Across the direction of motion, `skin` is positive, to ignore cells that only touch; along the
// direction it is 0, because slow movers could otherwise creep into cells. Returns true on success, or false if the
// interval is not finite or spans too many cells.
static inline bool compute_cells(double start, double end, double skin, cell_range_t *out) {
  if (!(start > -1e9) || !(end < 1e9)) // also rejects NaN and infinity, because start <= end
    return false;
  out->first = round_down(start + skin);
  out->last = round_up(end - skin) - 1;
  return out->last - out->first < MAX_CELLS;
}

// Divides by the size of a cell. `per_pixel`: see ground_t.
static inline double convert_to_cells(double distance, double size, double per_pixel) {
  return per_pixel != 0 ? distance * per_pixel : distance / size;
}

static inline bool compute_columns(const ground_t *ground, double start, double end, double skin, cell_range_t *out) {
  return compute_cells(convert_to_cells(start - ground->x, ground->cell_width, ground->columns_per_pixel),
                       convert_to_cells(end - ground->x, ground->cell_width, ground->columns_per_pixel), skin, out);
}

static inline bool compute_rows(const ground_t *ground, double start, double end, double skin, cell_range_t *out) {
  return compute_cells(convert_to_cells(start - ground->y, ground->cell_height, ground->rows_per_pixel),
                       convert_to_cells(end - ground->y, ground->cell_height, ground->rows_per_pixel), skin, out);
}

static inline double column_left(const ground_t *ground, int32_t column) {
  return ground->x + column * ground->scale_x * ground->tile_width;
}

static inline double row_top(const ground_t *ground, int32_t row) {
  return ground->y + row * ground->scale_y * ground->tile_height;
}

// Returns the y of a slope's ground at position x.
static double slope_y(const ground_t *ground, const map_tile_t *tile, uint32_t cell, int32_t column, int32_t row,
                      double x) {
  double fraction = fmin(fmax((x - column_left(ground, column)) / ground->cell_width, 0), 1);
  double left_height = (double)tile->ground[cell & MAP_FLIP_X ? 1 : 0],
         right_height = (double)tile->ground[cell & MAP_FLIP_X ? 0 : 1];
  return row_top(ground, row + 1) -
         (left_height + (right_height - left_height) * fraction) * ground->scale_y * ground->tile_height;
}

// --- blocks

// A box that moves along one axis, and the height up to which it may climb.
typedef struct mover_step_t {
  const bounds_t *box;
  bool horizontal, on_slope;
  double max_climb;
} mover_step_t;

// Returns the part of a movement that a solid rectangle does not block.
INLINE double limit_by_part(const mover_step_t *m, const bounds_t *part, double step) {
  const bounds_t *box = m->box;
  // A mover that leaves a slope may step onto the next cell if the top of the cell is only slightly above the mover's
  // feet.
  if (m->horizontal && m->on_slope && box->bottom - part->top < m->max_climb)
    return step;
  double low = m->horizontal ? box->left : box->top, high = m->horizontal ? box->right : box->bottom;
  if (step > 0) {
    double gap = (m->horizontal ? part->left : part->top) - high;
    if (gap >= 0)
      return gap < step ? gap : step;
    if (gap >= -contact_skin(high))
      return 0;
  } else if (step < 0) {
    double gap = (m->horizontal ? part->right : part->bottom) - low;
    if (gap <= 0)
      return gap > step ? gap : step;
    if (gap <= contact_skin(low))
      return 0;
  }
  return step;
}

// Like limit_by_part, for the solid rectangles of a cell. Ignores rectangles beside the path of the box.
static double limit_by_parts(const mover_step_t *m, const ground_t *ground, uint32_t cell, const bounds_t *bounds,
                             double step) {
  const bounds_t *box = m->box;
  map_part_t parts[MAP_MAX_PARTS];
  uint32_t count = map_list_parts(ground->map, cell, parts);
  double width = bounds->right - bounds->left, height = bounds->bottom - bounds->top;
  for (uint32_t i = 0; i < count; ++i) {
    bounds_t part = {bounds->left + (double)parts[i].left * width, bounds->top + (double)parts[i].top * height,
                     bounds->left + (double)parts[i].right * width, bounds->top + (double)parts[i].bottom * height};
    if (m->horizontal ? intervals_overlap(box->top, box->bottom, part.top, part.bottom)
                      : intervals_overlap(box->left, box->right, part.left, part.right))
      step = limit_by_part(m, &part, step);
  }
  return step;
}

// Returns true if a cell with this tile blocks the movement. One-way tiles block only downward motion. Slopes do not
// block: movers follow them.
static inline bool is_blocking(const map_tile_t *tile, uint32_t cell, bool horizontal, double step) {
  return tile->one_way ? !horizontal && step > 0 && !is_slope(tile, cell)
                       : (tile->solid || tile->slope) && !is_slope(tile, cell);
}

// Returns the part of a movement that a cell does not block.
INLINE double limit_by_cell(const mover_step_t *m, const ground_t *ground, uint32_t cell, int32_t column, int32_t row,
                            double step) {
  const map_tile_t *tile = map_tile(ground->map, cell);
  if (!is_blocking(tile, cell, m->horizontal, step))
    return step;
  bounds_t bounds = {column_left(ground, column), row_top(ground, row), column_left(ground, column + 1),
                     row_top(ground, row + 1)};
  return tile->part_count == 0 ? limit_by_part(m, &bounds, step) : limit_by_parts(m, ground, cell, &bounds, step);
}

static double limit_by_layers(const mover_step_t *m, const grounds_t *g, const ground_t *ground, cell_range_t columns,
                              cell_range_t rows, double step) {
  for (int32_t row = rows.first; row <= rows.last; ++row)
    for (int32_t column = columns.first; column <= columns.last; ++column) {
      uint32_t cell;
      if (find_collision_tile(g, ground, column, row, &cell))
        step = limit_by_cell(m, ground, cell, column, row, step);
    }
  return step;
}

static inline cell_range_t clip_range(cell_range_t range, int32_t first, uint32_t count) {
  int32_t last = first + (int32_t)count - 1;
  return (cell_range_t){range.first > first ? range.first : first, range.last < last ? range.last : last};
}

// Like limit_by_layers, for a map with a single layer, whose cells determine the shapes.
INLINE double limit_by_single_layer(const mover_step_t *m, const ground_t *ground, cell_range_t columns,
                                    cell_range_t rows, double step) {
  const map_layer_t *layer = ground->single_layer;
  columns = clip_range(columns, layer->left, layer->columns);
  rows = clip_range(rows, layer->top, layer->rows);
  for (int32_t row = rows.first; row <= rows.last; ++row) {
    const uint32_t *cells = layer->cells + (size_t)(row - layer->top) * layer->columns;
    for (int32_t column = columns.first; column <= columns.last; ++column) {
      uint32_t cell = cells[column - layer->left];
      if (cell != 0)
        step = limit_by_cell(m, ground, cell, column, row, step);
    }
  }
  return step;
}

INLINE double limit_by_ground(const grounds_t *g, const ground_t *ground, const bounds_t *box, bool horizontal,
                              bool on_slope, double step) {
  mover_step_t m = {.box = box, .horizontal = horizontal, .on_slope = on_slope};
  double low = horizontal ? box->left : box->top, high = horizontal ? box->right : box->bottom;
  double start = step > 0 ? high : low + step, end = step > 0 ? high + step : low;
  cell_range_t columns, rows;
  if (!compute_columns(ground, horizontal ? start : box->left, horizontal ? end : box->right,
                       horizontal ? 0 : CELL_SKIN, &columns) ||
      !compute_rows(ground, horizontal ? box->top : start, horizontal ? box->bottom : end, horizontal ? CELL_SKIN : 0,
                    &rows))
    return step;
  if (on_slope)
    m.max_climb = (box->right - box->left) / 2 * (ground->scale_y * ground->tile_height) /
                      (ground->scale_x * ground->tile_width) +
                  2;
  return ground->single_layer ? limit_by_single_layer(&m, ground, columns, rows, step)
                              : limit_by_layers(&m, g, ground, columns, rows, step);
}

INLINE double limit(const grounds_t *g, const bounds_t *box, bool horizontal, bool on_slope, double step) {
  for (uint32_t i = 0; i < g->maps.count && step != 0; ++i)
    step = limit_by_ground(g, &g->maps.items[i], box, horizontal, on_slope, step);
  return step;
}

double grounds_limit(const grounds_t *g, const bounds_t *box, bool horizontal, bool on_slope, double step) {
  return horizontal ? limit(g, box, true, on_slope, step) : limit(g, box, false, on_slope, step);
}

// Like `limit`, for the simple ground, a small box that does not stand on a slope, and a small step.
INLINE double limit_by_simple_ground(const grounds_t *g, const bounds_t *box, bool horizontal, double step) {
  const ground_t *ground = &g->simple;
  mover_step_t m = {.box = box, .horizontal = horizontal};
  double low = horizontal ? box->left : box->top, high = horizontal ? box->right : box->bottom;
  double start = step > 0 ? high : low + step, end = step > 0 ? high + step : low;
  double column_skin = horizontal ? 0 : CELL_SKIN, row_skin = horizontal ? CELL_SKIN : 0;
  double left = ((horizontal ? start : box->left) - ground->x) * ground->columns_per_pixel,
         right = ((horizontal ? end : box->right) - ground->x) * ground->columns_per_pixel,
         top = ((horizontal ? box->top : start) - ground->y) * ground->rows_per_pixel,
         bottom = ((horizontal ? box->bottom : end) - ground->y) * ground->rows_per_pixel;
  cell_range_t columns = {round_down(left + column_skin), round_up(right - column_skin) - 1},
               rows = {round_down(top + row_skin), round_up(bottom - row_skin) - 1};
  return step != 0 ? limit_by_single_layer(&m, ground, columns, rows, step) : step;
}

// --- slopes

// Returns true if the whole cell is a block and no block or slope is above it.
static bool is_top_cell(const grounds_t *g, const ground_t *ground, int32_t column, int32_t row) {
  uint32_t cell, above_cell;
  const map_tile_t *tile = find_collision_tile(g, ground, column, row, &cell),
                   *above_tile = find_collision_tile(g, ground, column, row - 1, &above_cell);
  return tile && tile->solid && tile->part_count == 0 && !is_slope(tile, cell) &&
         !(above_tile && (above_tile->solid || above_tile->slope));
}

double grounds_find_slope(const grounds_t *g, const bounds_t *box, double max_rise, double max_drop,
                          bool include_blocks) {
  double x = (box->left + box->right) / 2, nearest_y = INFINITY;
  for (uint32_t i = 0; i < g->maps.count && g->has_slopes; ++i) {
    const ground_t *ground = &g->maps.items[i];
    cell_range_t columns, rows;
    if ((!ground->has_slopes && !include_blocks) ||
        !compute_columns(ground, x, x + 2 * CELL_SKIN * ground->scale_x * ground->tile_width + 1e-9, CELL_SKIN,
                         &columns) ||
        !compute_rows(ground, box->bottom - max_rise, box->bottom + max_drop + 1, CELL_SKIN, &rows))
      continue;
    for (int32_t row = rows.first; row <= rows.last; ++row) {
      uint32_t cell;
      const map_tile_t *tile = find_collision_tile(g, ground, columns.first, row, &cell);
      double y = tile && is_slope(tile, cell) ? slope_y(ground, tile, cell, columns.first, row, x)
                 : include_blocks && is_top_cell(g, ground, columns.first, row) ? row_top(ground, row)
                                                                                : INFINITY;
      if (y >= box->bottom - max_rise && y <= box->bottom + max_drop)
        nearest_y = fmin(nearest_y, y);
    }
  }
  return nearest_y;
}

// --- moving

ground_move_t grounds_move(const grounds_t *g, bounds_t *box, double dx, double dy, bool was_grounded) {
  const double PROBE = 0.05;
  ground_move_t move;
  bool on_slope = g->has_slopes && dy >= 0 && grounds_find_slope(g, box, 2, 2, false) != INFINITY;
  double slope = INFINITY;
  bool is_simple = g->is_simple && !on_slope && fabs(box->left) < g->max_position && fabs(box->top) < g->max_position &&
                   box->right - box->left + (box->bottom - box->top) + fabs(dx) + fabs(dy) < g->max_extent;
  move.dx = is_simple ? limit_by_simple_ground(g, box, true, dx) : limit(g, box, true, on_slope, dx);
  bounds_move(box, move.dx, 0);
  if (g->has_slopes && dy >= 0) {
    double max_rise = fabs(move.dx) + 2;
    slope = grounds_find_slope(g, box, max_rise, was_grounded ? max_rise + dy : dy, on_slope);
  }
  move.dy = slope != INFINITY ? slope - box->bottom
            : is_simple       ? limit_by_simple_ground(g, box, false, dy)
                              : limit(g, box, false, false, dy);
  bounds_move(box, 0, move.dy);
  move.grounded =
      slope != INFINITY || (dy > 0 && move.dy < dy) || (dy == 0 && limit(g, box, false, false, PROBE) < PROBE);
  return move;
}
