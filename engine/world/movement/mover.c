// Implements the mover component, in three passes. First, bodies that systems have moved since the start of the tick
// carry the movers that stand on them, and push the movers in their way. Then each mover moves along x, then along y,
// so that a mover that is blocked on one axis slides along the other axis. Finally, bodies below movers that have moved
// carry and push movers. All passes process movers in the order of their entity indices, each with the previous movers
// at their new positions, so the result does not depend on the order of rows. Computes in doubles and rounds positions
// when they are written.
#include "movement/mover.h"

#include "base/array.h"
#include "base/assert.h"
#include "collision/body.h"
#include "collision/body_grid.h"
#include "components/builtin.h"
#include "movement/moved_bodies.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVER_SYSTEM "shoal.mover"
#define CAPTURE_SYSTEM "shoal.mover_capture"
#define CELL_SKIN 1e-3 // fraction of a cell that is ignored across the direction of motion
#define MAX_SPEED 1e5  // maximum movement in pixels per tick
#define MAX_CELLS 4096 // a move that overlaps more cells along one axis ignores the tilemap

// Limits of the movers that a push moves out of the way; further movers block the push.
enum { MAX_CHAIN = 32, MAX_CHAIN_PUSHES = 256 };

// Maximum number of rounds: a mover that is pushed by a child of a mover moves its own children, which push again.
// Movers that are still in a body's way afterwards are crushed.
enum { MAX_CHILD_ROUNDS = 8 };

enum { MAX_PARENTS = 64 }; // maximum number of ancestors that are compared with a mover

// A layer whose cells may be solid. `edits`: edited cells; NULL if the game has edited no cell of the layer.
typedef struct ground_layer_t {
  const map_layer_t *layer;
  const tile_edits_t *edits;
} ground_layer_t;

// A tilemap as an obstacle: position, scale, size of a cell in pixels, and range of its layers in `layers`.
typedef struct ground_t {
  const map_t *map;
  double x, y, scale_x, scale_y, cell_width, cell_height;
  double columns_per_pixel, rows_per_pixel; // 0 if they are not exact
  uint32_t first_layer, end_layer;
  bool has_slopes; // true if any cell may be a slope
} ground_t;

typedef struct mover_row_t {
  uint32_t index, row;
} mover_row_t;

// State of a tick's pushes, shared by the contexts of all movers in a chain.
typedef struct push_work_t {
  moved_bodies_t moved;
  ARRAY(uint32_t) ahead;       // body rows of the movers in the way of each mover in the chain
  uint32_t chain_pushes;       // number of movers that the current push may still move
  bool pushes_are_over;        // true if pushes move nothing, so that movers in their way are crushed
  ARRAY(shoal_entity) parents; // movers with children that have moved since the children last followed them
} push_work_t;

typedef struct mover_context_t {
  world_o *world;
  allocator_t *allocator;
  manager_o *movers, *bodies, *transforms, *sensors, *one_ways;
  const event_o *crushed; // event `crushed`; NULL if no system handles it
  mover_columns mover;
  body_columns body;
  transform_columns transform;
  transform_matrices_t *matrices;
  body_grid_o *grid;
  body_boxes_t *boxes; // boxes of all enabled bodies; NULL if the world has no bodies
  uint32_t searched;   // categories that movers may search for
  bool has_slopes;     // true if any cell of any tilemap may be a slope
  ARRAY(ground_t) grounds;
  ARRAY(ground_layer_t) layers;
  ARRAY(mover_row_t) rows;
  // indexed by mover: bounds of movers that have moved; `left` is NaN for all other movers
  ARRAY(bounds_t) moved_bounds;
  push_work_t *work;
  // The following members belong to the current mover.
  shoal_entity entity;
  uint32_t row, transform_row, body_row;
  uint32_t category, mask;
  bool has_body;
  bounds_t start;   // bounds before this context moved the mover
  bounds_t box;     // current bounds of the mover
  bool on_slope;    // true if the mover stands on a slope
  shoal_entity hit; // last body that blocked the mover
  // body that carries or pushes the mover; may already have passed the mover, and does not block it
  shoal_entity pusher;
  shoal_entity carrier; // body on which movers must stand to be pushed; 0: pushes move all movers
} mover_context_t;

// --- obstacles

static bool is_upright(const float matrix[16]) {
  return fabsf(matrix[1]) + fabsf(matrix[4]) < 1e-6f && matrix[0] > 0 && matrix[5] > 0;
}

// Appends the physical layers of a map.
static void list_layers(mover_context_t *state, shoal_entity entity, ground_t *ground) {
  ground->first_layer = state->layers.count;
  for (uint32_t i = 0; i < ground->map->layer_count; ++i) {
    const map_layer_t *layer = &ground->map->layers[i];
    if (!layer->physical)
      continue;
    ground_layer_t listed = {layer, tilemap_edits(state->world, entity, layer->name)};
    ground->has_slopes |= layer->has_slopes || (listed.edits && ground->map->has_slope_tiles);
    array_push(state->allocator, &state->layers, listed);
  }
  ground->end_layer = state->layers.count;
}

// Returns 1 / size if dividing by `size` and multiplying by the result are the same: the size is a power of two.
static double find_exact_inverse(double size) {
  int exponent;
  return frexp(size, &exponent) == 0.5 && abs(exponent) < 100 ? 1 / size : 0;
}

static void list_grounds(mover_context_t *state) {
  world_o *w = state->world;
  const manager_o *tilemaps = builtin_find(w, "tilemap");
  for (uint32_t row = 0; tilemaps && row < tilemaps->count; ++row) {
    const map_t *map = world_is_disabled(w, tilemaps->owner[row], tilemaps->id) ? NULL : tilemap_map(w, row);
    uint32_t transform_row = manager_row(state->transforms, tilemaps->owner[row]);
    if (!map || transform_row == ROW_NONE)
      continue;
    float matrix[16];
    transform_compute_world_matrix(state->matrices, transform_row, matrix);
    if (!is_upright(matrix))
      continue;
    ground_t ground = {.map = map,
                       .x = (double)matrix[12],
                       .y = (double)matrix[13],
                       .scale_x = (double)matrix[0],
                       .scale_y = (double)matrix[5],
                       .cell_width = (double)matrix[0] * map->tile_width,
                       .cell_height = (double)matrix[5] * map->tile_height};
    ground.columns_per_pixel = find_exact_inverse(ground.cell_width);
    ground.rows_per_pixel = find_exact_inverse(ground.cell_height);
    list_layers(state, tilemaps->owner[row], &ground);
    state->has_slopes |= ground.has_slopes;
    array_push(state->allocator, &state->grounds, ground);
  }
}

static bounds_t body_bounds(const mover_context_t *s, uint32_t row, transform_basis_t basis) {
  collider_t collider = collider_place(&s->body, row, s->bodies->owner[row], basis);
  return collider_bounds(&collider);
}

static int compare_movers(const void *a, const void *b) {
  uint32_t x = ((const mover_row_t *)a)->index, y = ((const mover_row_t *)b)->index;
  return x < y ? -1 : x > y;
}

// Returns true if the body in this row can block movers: it is enabled, in the grids, and not a sensor.
static bool is_solid(const mover_context_t *s, uint32_t row) {
  return s->boxes->grid.entries.items[row].level != BOX_ABSENT &&
         manager_row(s->sensors, s->bodies->owner[row]) == ROW_NONE;
}

// Returns the current bounds of a body. The bounds of moved movers are in `moved_bounds`, because body_grid_move does
// not update their colliders.
static bounds_t solid_bounds(const mover_context_t *s, uint32_t row) {
  uint32_t mover = manager_row(s->movers, s->bodies->owner[row]);
  bool has_moved = mover != ROW_NONE && !isnan(s->moved_bounds.items[mover].left);
  return has_moved ? s->moved_bounds.items[mover] : collider_bounds(&s->boxes->colliders[row]);
}

// Stores the bounds of an entity's body. Returns true on success, or false if the entity has no body or its body cannot
// block movers.
static bool read_solid_bounds(const mover_context_t *s, shoal_entity entity, bounds_t *out) {
  uint32_t row = manager_row(s->bodies, entity);
  if (row == ROW_NONE || !is_solid(s, row))
    return false;
  *out = solid_bounds(s, row);
  return true;
}

// Sorts the found bodies by entity index: if several bodies are equally near, the first body counts.
static void sort_candidates(const mover_context_t *state) {
  uint32_t *list = state->boxes->candidates.items, count = state->boxes->candidates.count;
  const shoal_entity *owner = state->bodies->owner;
  for (uint32_t i = 1; i < count; ++i) {
    uint32_t row = list[i], position = i;
    for (; position > 0 && shoal_entity_index(owner[row]) < shoal_entity_index(owner[list[position - 1]]); --position)
      list[position] = list[position - 1];
    list[position] = row;
  }
}

// Finds the bodies that may block a movement of the current mover by `distance` along an axis.
static void collect_obstacles(const mover_context_t *state, bool horizontal, double distance) {
  bounds_t area = state->box;
  double *low = horizontal ? &area.left : &area.top, *high = horizontal ? &area.right : &area.bottom;
  if (distance > 0) {
    *low = *high - 2 * contact_skin(*high);
    *high += distance;
  } else {
    *high = *low + 2 * contact_skin(*low);
    *low += distance;
  }
  state->boxes->candidates.count = 0;
  body_grid_collect(state->boxes, &area, state->mask);
  sort_candidates(state);
}

// --- tiles

// Returns the tile that determines a cell's shape: the uppermost tile that declares `solid`, is one-way, or is a slope.
// Stores the layer's cell in `cell`. Returns NULL if no layer has such a tile.
static inline const map_tile_t *find_collision_tile(const mover_context_t *s, const ground_t *ground, int32_t column,
                                                    int32_t row, uint32_t *cell) {
  for (uint32_t i = ground->end_layer; i-- > ground->first_layer;) {
    *cell = tilemap_cell(s->layers.items[i].layer, s->layers.items[i].edits, column, row);
    if (*cell == 0)
      continue;
    const map_tile_t *tile = map_tile(ground->map, *cell);
    if (tile->declares_solid || tile->one_way || tile->slope)
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

// Computes the range of cells that overlap the interval from `start` to `end`. `skin` is the part of a cell to ignore
// at both ends. Across the direction of motion, `skin` is positive, to ignore cells that only touch; along the
// direction it is 0, because slow movers could otherwise creep into cells. Returns true on success, or false if the
// interval is not finite or spans too many cells.
static inline bool compute_cells(double start, double end, double skin, int32_t *first, int32_t *last) {
  if (!(fabs(start) < 1e9) || !(fabs(end) < 1e9))
    return false;
  *first = round_down(start + skin);
  *last = round_up(end - skin) - 1;
  return *last - *first < MAX_CELLS;
}

// Divides by the size of a cell. `per_pixel`: see ground_t.
static inline double convert_to_cells(double distance, double size, double per_pixel) {
  return per_pixel != 0 ? distance * per_pixel : distance / size;
}

static inline bool compute_columns(const ground_t *ground, double start, double end, double skin, int32_t *first,
                                   int32_t *last) {
  return compute_cells(convert_to_cells(start - ground->x, ground->cell_width, ground->columns_per_pixel),
                       convert_to_cells(end - ground->x, ground->cell_width, ground->columns_per_pixel), skin, first,
                       last);
}

static inline bool compute_rows(const ground_t *ground, double start, double end, double skin, int32_t *first,
                                int32_t *last) {
  return compute_cells(convert_to_cells(start - ground->y, ground->cell_height, ground->rows_per_pixel),
                       convert_to_cells(end - ground->y, ground->cell_height, ground->rows_per_pixel), skin, first,
                       last);
}

static double column_left(const ground_t *ground, int32_t column) {
  return ground->x + column * ground->scale_x * ground->map->tile_width;
}

static double row_top(const ground_t *ground, int32_t row) {
  return ground->y + row * ground->scale_y * ground->map->tile_height;
}

// Returns the y of a slope's ground at position x.
static double slope_y(const ground_t *ground, const map_tile_t *tile, uint32_t cell, int32_t column, int32_t row,
                      double x) {
  double fraction = fmin(fmax((x - column_left(ground, column)) / ground->cell_width, 0), 1);
  double left_height = (double)tile->ground[cell & MAP_FLIP_X ? 1 : 0],
         right_height = (double)tile->ground[cell & MAP_FLIP_X ? 0 : 1];
  return row_top(ground, row + 1) -
         (left_height + (right_height - left_height) * fraction) * ground->scale_y * ground->map->tile_height;
}

// --- moving

static bool intervals_overlap(double a, double b, double c, double d) {
  return a + contact_skin(d) < d && c + contact_skin(b) < b;
}

// Lists the bounds of the cell's solid parts that the mover can touch when it moves along one axis. Returns their
// number.
static uint32_t list_parts(const mover_context_t *state, const ground_t *ground, uint32_t cell, int32_t column,
                           int32_t row, bool horizontal, bounds_t out[MAP_MAX_PARTS]) {
  const bounds_t *box = &state->box;
  bounds_t bounds = {column_left(ground, column), row_top(ground, row), column_left(ground, column + 1),
                     row_top(ground, row + 1)};
  map_part_t parts[MAP_MAX_PARTS];
  uint32_t part_count = map_tile(ground->map, cell)->part_count, count = 0;
  double width = bounds.right - bounds.left, height = bounds.bottom - bounds.top;
  out[0] = bounds;
  if (part_count == 0)
    return 1;
  map_list_parts(ground->map, cell, parts);
  for (uint32_t i = 0; i < part_count; ++i) {
    bounds_t part = {bounds.left + (double)parts[i].left * width, bounds.top + (double)parts[i].top * height,
                     bounds.left + (double)parts[i].right * width, bounds.top + (double)parts[i].bottom * height};
    if (horizontal ? intervals_overlap(box->top, box->bottom, part.top, part.bottom)
                   : intervals_overlap(box->left, box->right, part.left, part.right))
      out[count++] = part;
  }
  return count;
}

static void limit_x_by_tiles(const mover_context_t *state, const ground_t *ground, double *dx) {
  const bounds_t *box = &state->box;
  int32_t first, last, top, bottom;
  double start = *dx > 0 ? box->right : box->left + *dx, end = *dx > 0 ? box->right + *dx : box->left;
  if (!compute_rows(ground, box->top, box->bottom, CELL_SKIN, &top, &bottom) ||
      !compute_columns(ground, start, end, 0, &first, &last))
    return;
  for (int32_t column = first; column <= last; ++column)
    for (int32_t row = top; row <= bottom; ++row) {
      uint32_t cell;
      const map_tile_t *tile = find_collision_tile(state, ground, column, row, &cell);
      if (!tile || is_slope(tile, cell) || tile->one_way || !(tile->solid || tile->slope))
        continue;
      // A mover that leaves a slope may step onto the next cell if the top of the cell is only slightly above the
      // mover's feet.
      double max_climb = (box->right - box->left) / 2 * (ground->scale_y * ground->map->tile_height) /
                         (ground->scale_x * ground->map->tile_width);
      bounds_t parts[MAP_MAX_PARTS];
      uint32_t count = list_parts(state, ground, cell, column, row, true, parts);
      for (uint32_t i = 0; i < count; ++i) {
        if (state->on_slope && box->bottom - parts[i].top < max_climb + 2)
          continue;
        double gap = *dx > 0 ? parts[i].left - box->right : parts[i].right - box->left;
        if (*dx > 0 && gap >= -contact_skin(box->right))
          *dx = fmin(*dx, fmax(gap, 0));
        else if (*dx < 0 && gap <= contact_skin(box->left))
          *dx = fmax(*dx, fmin(gap, 0));
      }
    }
}

static void limit_y_by_tiles(const mover_context_t *state, const ground_t *ground, double *dy) {
  const bounds_t *box = &state->box;
  int32_t first, last, top, bottom;
  double start = *dy > 0 ? box->bottom : box->top + *dy, end = *dy > 0 ? box->bottom + *dy : box->top;
  if (!compute_columns(ground, box->left, box->right, CELL_SKIN, &first, &last) ||
      !compute_rows(ground, start, end, 0, &top, &bottom))
    return;
  for (int32_t row = top; row <= bottom; ++row)
    for (int32_t column = first; column <= last; ++column) {
      uint32_t cell;
      const map_tile_t *tile = find_collision_tile(state, ground, column, row, &cell);
      if (!tile || is_slope(tile, cell) || !(tile->solid || tile->slope || tile->one_way) ||
          (tile->one_way && *dy <= 0))
        continue;
      bounds_t parts[MAP_MAX_PARTS];
      uint32_t count = list_parts(state, ground, cell, column, row, false, parts);
      for (uint32_t i = 0; i < count; ++i) {
        double gap = *dy > 0 ? parts[i].top - box->bottom : parts[i].bottom - box->top;
        if (*dy > 0 && gap >= -contact_skin(box->bottom))
          *dy = fmin(*dy, fmax(gap, 0));
        else if (*dy < 0 && gap <= contact_skin(box->top))
          *dy = fmax(*dy, fmin(gap, 0));
      }
    }
}

// Returns true if the whole cell is a block and no block or slope is above it.
static bool is_top_cell(const mover_context_t *s, const ground_t *ground, int32_t column, int32_t row) {
  uint32_t cell, above_cell;
  const map_tile_t *tile = find_collision_tile(s, ground, column, row, &cell),
                   *above_tile = find_collision_tile(s, ground, column, row - 1, &above_cell);
  return tile && tile->solid && tile->part_count == 0 && !is_slope(tile, cell) &&
         !(above_tile && (above_tile->solid || above_tile->slope));
}

// Returns the y of the highest slope under the middle of the feet, at most `max_rise` above and `max_drop` below the
// feet. With `include_blocks`, includes the top of a block at the upper end of a slope. Returns INFINITY if no ground
// is in this range.
static double find_slope_below(const mover_context_t *state, double max_rise, double max_drop, bool include_blocks) {
  double x = (state->box.left + state->box.right) / 2, nearest_y = INFINITY;
  for (uint32_t i = 0; i < state->grounds.count && state->has_slopes; ++i) {
    const ground_t *g = &state->grounds.items[i];
    int32_t first, last, top, bottom;
    if ((!g->has_slopes && !include_blocks) ||
        !compute_columns(g, x, x + 2 * CELL_SKIN * g->scale_x * g->map->tile_width + 1e-9, CELL_SKIN, &first, &last) ||
        !compute_rows(g, state->box.bottom - max_rise, state->box.bottom + max_drop + 1, CELL_SKIN, &top, &bottom))
      continue;
    for (int32_t row = top; row <= bottom; ++row) {
      uint32_t cell;
      const map_tile_t *tile = find_collision_tile(state, g, first, row, &cell);
      double ground = tile && is_slope(tile, cell)                          ? slope_y(g, tile, cell, first, row, x)
                      : include_blocks && is_top_cell(state, g, first, row) ? row_top(g, row)
                                                                            : INFINITY;
      if (ground >= state->box.bottom - max_rise && ground <= state->box.bottom + max_drop)
        nearest_y = fmin(nearest_y, ground);
    }
  }
  return nearest_y;
}

// Returns true if the entity is below the current mover in the hierarchy of transforms: it then moves with the mover.
static bool is_descendant(const mover_context_t *s, shoal_entity entity) {
  for (uint32_t i = 0; i < MAX_PARENTS && entity != 0; ++i) {
    uint32_t row = manager_row(s->transforms, entity);
    entity = row != ROW_NONE ? s->transform.parent[row] : 0;
    if (entity == s->entity)
      return true;
  }
  return false;
}

// Stores the distance to the body in this row, 0 or with the sign of `step`. Returns true if the body is in the way of
// the current mover along the axis, in the direction of `step`, at any distance.
static bool find_gap(const mover_context_t *s, uint32_t row, bool horizontal, double step, double *gap) {
  const bounds_t *box = &s->box;
  shoal_entity entity = s->bodies->owner[row];
  if (entity == s->entity || entity == s->pusher || !(s->category & s->body.mask[row]) || !is_solid(s, row))
    return false;
  if (manager_row(s->one_ways, entity) != ROW_NONE && (horizontal || step < 0))
    return false;
  bounds_t obstacle = solid_bounds(s, row);
  if (horizontal ? !intervals_overlap(box->top, box->bottom, obstacle.top, obstacle.bottom)
                 : !intervals_overlap(box->left, box->right, obstacle.left, obstacle.right))
    return false;
  double near_gap = horizontal ? obstacle.left - box->right : obstacle.top - box->bottom;
  double far_gap = horizontal ? obstacle.right - box->left : obstacle.bottom - box->top;
  *gap = step > 0 ? fmax(near_gap, 0) : fmin(far_gap, 0);
  double skin = contact_skin(horizontal ? box->right : box->bottom);
  return (step > 0 ? near_gap >= -skin : far_gap <= skin) && !is_descendant(s, entity);
}

// Returns true if the body in this row belongs to a mover that pushes can move out of the way.
static bool is_movable(const mover_context_t *s, uint32_t body_row) {
  shoal_entity entity = s->bodies->owner[body_row];
  uint32_t row = manager_row(s->movers, entity);
  return row != ROW_NONE && (!s->carrier || s->mover.floor[row] == s->carrier) &&
         !world_is_disabled(s->world, entity, s->movers->id);
}

static void limit_step_by_bodies(mover_context_t *state, bool horizontal, bool ignores_movers, double *step) {
  shoal_assert(state->box.left <= state->box.right && state->box.top <= state->box.bottom,
               "a mover's box has a negative size");
  if (!state->has_body || state->mask == 0)
    return;
  collect_obstacles(state, horizontal, *step);
  for (uint32_t i = 0; i < state->boxes->candidates.count; ++i) {
    uint32_t row = state->boxes->candidates.items[i];
    double gap;
    if (!find_gap(state, row, horizontal, *step, &gap) || (ignores_movers && is_movable(state, row)) ||
        (*step > 0 ? gap >= *step : gap <= *step))
      continue;
    *step = gap;
    state->hit = state->bodies->owner[row];
  }
}

static void move_bounds(bounds_t *bounds, double x, double y) {
  bounds->left += x;
  bounds->right += x;
  bounds->top += y;
  bounds->bottom += y;
}

static void limit_step(mover_context_t *state, bool horizontal, bool ignores_movers, double *step) {
  shoal_assert(isfinite(*step), "a mover's movement must be finite, got %g", *step);
  for (uint32_t i = 0; i < state->grounds.count; ++i)
    if (*step != 0)
      horizontal ? limit_x_by_tiles(state, &state->grounds.items[i], step)
                 : limit_y_by_tiles(state, &state->grounds.items[i], step);
  if (*step != 0)
    limit_step_by_bodies(state, horizontal, ignores_movers, step);
}

static double move_along_axis(mover_context_t *state, bool horizontal, double distance) {
  limit_step(state, horizontal, false, &distance);
  move_bounds(&state->box, horizontal ? distance : 0, horizontal ? 0 : distance);
  return distance;
}

// Returns true if the mover stands on a floor, and sets s->hit if the floor is a body. Call only if the mover does not
// move vertically.
static bool is_on_floor(mover_context_t *s) {
  const double PROBE = 0.05;
  bounds_t box = s->box;
  bool blocked = move_along_axis(s, false, PROBE) < PROBE;
  s->box = box;
  return blocked;
}

// Adds a movement in world coordinates to the entity's position, which is relative to its parent.
static void write_position(mover_context_t *state, uint32_t transform_row, double dx, double dy) {
  float *x = state->transform.x + transform_row;
  float *y = state->transform.y + transform_row;
  shoal_entity parent = state->transform.parent[transform_row];
  uint32_t parent_row = parent ? manager_row(state->transforms, parent) : ROW_NONE;
  if (parent_row != ROW_NONE) {
    float matrix[16];
    transform_compute_world_matrix(state->matrices, parent_row, matrix);
    double xx = (double)matrix[0], xy = (double)matrix[1], yx = (double)matrix[4], yy = (double)matrix[5],
           determinant = xx * yy - xy * yx;
    double world_dx = dx, world_dy = dy;
    dx = determinant != 0 ? (world_dx * yy - world_dy * yx) / determinant : 0;
    dy = determinant != 0 ? (world_dy * xx - world_dx * xy) / determinant : 0;
  }
  *x = (float)((double)*x + dx);
  *y = (float)((double)*y + dy);
  if (state->transform.first_child[transform_row] != 0)
    // The cached positions of the children are no longer valid.
    transform_matrices_begin(state->matrices, state->transforms);
}

// Stores the reference point of a floor: the middle of its top edge.
static void get_floor_point(const bounds_t *bounds, float *x, float *y) {
  *x = (float)((bounds->left + bounds->right) / 2);
  *y = (float)bounds->top;
}

// --- pushing

// Copies member by member: copying bounds that were just computed as a whole would stall on their small stores.
static inline void copy_bounds(bounds_t *out, bounds_t bounds) {
  out->left = bounds.left;
  out->top = bounds.top;
  out->right = bounds.right;
  out->bottom = bounds.bottom;
}

static inline bool are_bounds_equal(bounds_t a, bounds_t b) {
  return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

// Returns the bounds of the current mover before shoal.mover ran; they differ from `start` if other movers have pushed
// it.
static inline bounds_t get_tick_start(const mover_context_t *s) {
  bool has_box = s->has_body && s->boxes->grid.entries.items[s->body_row].level != BOX_ABSENT;
  return has_box ? collider_bounds(&s->boxes->colliders[s->body_row]) : s->start;
}

// Makes the mover in this row the current mover. Returns true on success, or false if it has no transform or no finite
// position.
static bool begin_mover(mover_context_t *state, uint32_t row) {
  shoal_entity entity = state->movers->owner[row];
  uint32_t transform_row = manager_row(state->transforms, entity), body_row = manager_row(state->bodies, entity);
  if (transform_row == ROW_NONE)
    return false;
  transform_basis_t basis = state->transform.parent[transform_row] == 0
                                ? transform_local_basis(&state->transform, transform_row)
                                : transform_compute_world_basis(state->matrices, transform_row);
  double x = (double)basis.x, y = (double)basis.y;
  if (!isfinite(x) || !isfinite(y))
    return false;
  state->entity = entity;
  state->row = row;
  state->transform_row = transform_row;
  state->body_row = body_row;
  state->has_body = body_row != ROW_NONE;
  bounds_t box = {x - 2e-3, y - 2e-3, x + 2e-3, y + 2e-3};
  if (state->has_body)
    box = body_bounds(state, body_row, basis);
  copy_bounds(&state->box, box);
  copy_bounds(&state->start, box);
  state->on_slope = false;
  bool collides = state->has_body && manager_row(state->sensors, entity) == ROW_NONE;
  state->category = collides ? state->body.category[body_row] : 0;
  state->mask = collides ? state->body.mask[body_row] : 0;
  state->hit = 0;
  return true;
}

// Writes the position of the current mover, at which later movers collide with it.
static void end_mover(mover_context_t *s) {
  double dx = s->box.left - s->start.left, dy = s->box.top - s->start.top;
  write_position(s, s->transform_row, dx, dy);
  if ((dx != 0 || dy != 0) && s->transform.first_child[s->transform_row] != 0)
    array_push(s->allocator, &s->work->parents, s->entity);
  if (!s->has_body)
    return;
  bounds_t *moved_bounds = &s->moved_bounds.items[s->row];
  if ((s->body.category[s->body_row] & s->searched) != 0 && is_solid(s, s->body_row) &&
      !(isnan(moved_bounds->left) && are_bounds_equal(s->box, get_tick_start(s))))
    body_grid_move(s->grid, s->body_row, &s->box);
  copy_bounds(moved_bounds, s->box);
}

static void push_mover(mover_context_t *state, bool horizontal, double distance, uint32_t depth);

// Pushes the movers in the way of the current mover, which is about to move by `step`. Tiles and bodies that are not
// movers must not block this movement.
static void push_movers_ahead(mover_context_t *state, bool horizontal, double step, uint32_t depth) {
  push_work_t *work = state->work;
  uint32_t first = work->ahead.count;
  collect_obstacles(state, horizontal, step);
  for (uint32_t i = 0; i < state->boxes->candidates.count; ++i) {
    uint32_t row = state->boxes->candidates.items[i];
    if (is_movable(state, row))
      array_push(state->allocator, &work->ahead, row);
  }
  for (uint32_t i = first; i < work->ahead.count; ++i) {
    uint32_t row = work->ahead.items[i];
    double gap;
    mover_context_t next = *state;
    if (work->chain_pushes == 0 || !find_gap(state, row, horizontal, step, &gap) || fabs(gap) >= fabs(step) ||
        !begin_mover(&next, manager_row(state->movers, state->bodies->owner[row])))
      continue;
    --work->chain_pushes;
    push_mover(&next, horizontal, step - gap, depth + 1);
    end_mover(&next);
  }
  work->ahead.count = first;
}

// Moves the current mover along an axis, as far as tiles and bodies allow. Moves the movers in its way first.
static void push_mover(mover_context_t *state, bool horizontal, double distance, uint32_t depth) {
  double step = distance;
  limit_step(state, horizontal, true, &step);
  if (step != 0 && depth < MAX_CHAIN && state->mask != 0)
    push_movers_ahead(state, horizontal, step, depth);
  step = move_along_axis(state, horizontal, step);
  double ground = horizontal ? find_slope_below(state, fabs(step) + 2, 0, false) : INFINITY;
  if (ground < state->box.bottom) // a slope lifts the mover
    move_along_axis(state, false, ground - state->box.bottom);
}

static void follow_x(mover_context_t *state, shoal_entity floor_entity, double dx) {
  // Distance by which a mover on the same body has pushed this mover.
  double pushed = state->box.left - get_tick_start(state).left;
  if (pushed * dx > 0)
    dx = dx > 0 ? fmax(dx - pushed, 0) : fmin(dx - pushed, 0);
  state->carrier = floor_entity;
  if (dx != 0)
    push_mover(state, true, dx, 0);
  state->carrier = 0;
}

// Moves a mover along with the body under it, as far as obstacles allow. Horizontally, movers in its way that stand on
// the same body move first. If the body has moved vertically, the mover's bottom edge is put exactly on the body's top,
// so that rounding errors do not accumulate.
static void follow_floor(mover_context_t *state) {
  shoal_entity floor_entity = state->mover.floor[state->row];
  bounds_t bounds;
  float x, y;
  if (!floor_entity || !read_solid_bounds(state, floor_entity, &bounds))
    return;
  get_floor_point(&bounds, &x, &y);
  double dx = (double)x - (double)state->mover.floor_x[state->row];
  double dy = (double)y - (double)state->mover.floor_y[state->row];
  if (!(fabs(dx) < MAX_SPEED) || !(fabs(dy) < MAX_SPEED))
    return;
  state->work->chain_pushes = MAX_CHAIN_PUSHES;
  if (dy > 0)
    follow_x(state, floor_entity, dx);
  state->pusher = floor_entity;
  if (dy < 0)
    push_mover(state, false, bounds.top - state->box.bottom, 0);
  else if (dy > 0) // a mover between this mover and the body must not be pushed into the body
    move_along_axis(state, false, bounds.top - state->box.bottom);
  state->pusher = 0;
  if (dy <= 0) // a body that rises could otherwise block the mover from the side
    follow_x(state, floor_entity, dx);
  state->hit = 0;
}

static void emit_crushed(const mover_context_t *s, shoal_entity by) {
  if (!s->crushed)
    return;
  uint32_t ticket = world_emit_event(s->world, s->crushed->id);
  world_set_event_field(s->world, ticket, (uint32_t)schema_find_field(&s->crushed->schema, "entity"),
                        (double)s->entity);
  world_set_event_field(s->world, ticket, (uint32_t)schema_find_field(&s->crushed->schema, "by"), (double)by);
}

// Pushes the current mover out of the way of a body that has moved. A body whose mask excludes the mover's category,
// a descendant of the mover, and a `one_way` body that moves in any direction but upwards, do not push. Returns true on
// success or if the body does not push the mover, or false if an obstacle blocks the push.
static bool push_by_body(mover_context_t *s, const moved_body_t *body) {
  push_t push;
  bool one_way = manager_row(s->one_ways, s->bodies->owner[body->row]) != ROW_NONE;
  bounds_t start = get_tick_start(s);
  if (!(s->category & s->body.mask[body->row]) || !moved_body_find_push(body, &start, &s->box, &push) ||
      (one_way && (push.horizontal || push.distance > 0)) || is_descendant(s, s->bodies->owner[body->row]))
    return true;
  if (s->work->pushes_are_over)
    return false;
  bounds_t before = s->box;
  s->work->chain_pushes = MAX_CHAIN_PUSHES;
  s->pusher = s->bodies->owner[body->row];
  push_mover(s, push.horizontal, push.distance, 0);
  s->pusher = 0;
  double moved = push.horizontal ? s->box.left - before.left : s->box.top - before.top;
  return fabs(moved - push.distance) <= 1e-3;
}

// Pushes the current mover by all bodies that have moved into it. If a push is blocked, repeats it after the other
// bodies' pushes. Emits `crushed` if the push is still blocked.
static void push_by_bodies(mover_context_t *s) {
  const moved_bodies_t *moved = &s->work->moved;
  if (!s->has_body || s->mask == 0 || moved->bodies.count == 0)
    return;
  bounds_t start = get_tick_start(s);
  double margin_x = moved->max_dx + fabs(s->box.left - start.left),
         margin_y = moved->max_dy + fabs(s->box.top - start.top);
  bounds_t area = {s->box.left - margin_x, s->box.top - margin_y, s->box.right + margin_x, s->box.bottom + margin_y};
  s->boxes->candidates.count = 0;
  body_grid_collect(s->boxes, &area, s->mask);
  sort_candidates(s);
  ARRAY(const moved_body_t *) pushers = {0};
  for (uint32_t i = 0; i < s->boxes->candidates.count; ++i) {
    const moved_body_t *body = moved_bodies_find(moved, s->boxes->candidates.items[i]);
    if (body)
      array_push(s->allocator, &pushers, body);
  }
  uint32_t blocked_count = 0;
  for (uint32_t i = 0; i < pushers.count; ++i)
    if (!push_by_body(s, pushers.items[i]))
      pushers.items[blocked_count++] = pushers.items[i];
  for (uint32_t i = 0; i < blocked_count; ++i)
    if (!push_by_body(s, pushers.items[i]))
      emit_crushed(s, s->bodies->owner[pushers.items[i]->row]);
  array_free(s->allocator, &pushers);
  s->hit = 0;
}

// --- one tick

// Returns true if the mover in this row stands on a body that has moved.
static bool is_carried(const mover_context_t *s, uint32_t row) {
  uint32_t floor_row = s->mover.floor[row] ? manager_row(s->bodies, s->mover.floor[row]) : ROW_NONE;
  return floor_row != ROW_NONE && moved_bodies_find(&s->work->moved, floor_row);
}

// Moves a mover with its floor, then out of the way of bodies (first pass).
static void carry_and_push(mover_context_t *s, uint32_t row) {
  if (!begin_mover(s, row))
    return;
  if (is_carried(s, row) && !s->work->pushes_are_over)
    follow_floor(s);
  push_by_bodies(s);
  if (s->box.left != s->start.left || s->box.top != s->start.top)
    end_mover(s);
}

static void set_floor(mover_context_t *state, uint32_t row, shoal_entity floor_entity) {
  bounds_t bounds;
  float *x = state->mover.floor_x + row;
  float *y = state->mover.floor_y + row;
  bool found = floor_entity && read_solid_bounds(state, floor_entity, &bounds);
  state->mover.floor[row] = found ? floor_entity : 0;
  *x = *y = 0;
  if (found)
    get_floor_point(&bounds, x, y);
}

static double clamp_step(const float *speed, double dt_s) {
  double step = (double)*speed * dt_s;
  return !isfinite(step) ? 0 : step < -MAX_SPEED ? -MAX_SPEED : step > MAX_SPEED ? MAX_SPEED : step;
}

// Moves a mover by its speed (second pass).
static void update_mover(mover_context_t *state, uint32_t row, double dt_s) {
  float *vx = state->mover.vx + row, *vy = state->mover.vy + row;
  uint8_t *on_floor = state->mover.on_floor + row;
  if (!begin_mover(state, row))
    return;
  double dx = clamp_step(vx, dt_s), dy = clamp_step(vy, dt_s);
  bool was_on_floor = *on_floor != 0;
  if (!is_carried(state, row)) // the floor is a mover, or a body that has jumped
    follow_floor(state);
  state->on_slope = dy >= 0 && find_slope_below(state, 2, 2, false) != INFINITY;
  double actual_dx = move_along_axis(state, true, dx), max_rise = fabs(actual_dx) + 2, ground = INFINITY, actual_dy = 0;
  shoal_entity horizontal_hit = state->hit;
  state->hit = 0;
  if (dy >= 0)
    ground = find_slope_below(state, max_rise, was_on_floor ? max_rise + dy : dy, state->on_slope);
  if (ground != INFINITY) { // snaps up or down to the slope's ground
    actual_dy = ground - state->box.bottom;
    move_bounds(&state->box, 0, actual_dy);
  } else {
    actual_dy = move_along_axis(state, false, dy);
  }
  bool grounded = ground != INFINITY || (dy > 0 && actual_dy < dy) || (dy == 0 && is_on_floor(state));
  *on_floor = grounded;
  set_floor(state, row, grounded ? state->hit : 0);
  state->mover.on_wall[row] = actual_dx != dx;
  state->mover.on_ceiling[row] = dy < 0 && actual_dy > dy;
  state->mover.hit[row] = state->hit ? state->hit : horizontal_hit;
  if (actual_dx != dx)
    *vx = 0;
  if (grounded || (dy < 0 && actual_dy > dy))
    *vy = 0;
  end_mover(state);
}

// The third pass: the bodies below movers that have moved carry and push movers.
static void carry_and_push_by_children(mover_context_t *s) {
  push_work_t *work = s->work;
  work->moved.bodies.count = 0;
  work->moved.max_dx = work->moved.max_dy = 0;
  for (uint32_t round = 0; round <= MAX_CHILD_ROUNDS && work->parents.count > 0; ++round) {
    work->pushes_are_over = round == MAX_CHILD_ROUNDS;
    bool any_moved =
        moved_bodies_follow(&work->moved, s->world, s->boxes, s->matrices, work->parents.items, work->parents.count);
    work->parents.count = 0;
    for (uint32_t i = 0; i < s->rows.count && any_moved; ++i) {
      uint32_t row = s->rows.items[i].row;
      carry_and_push(s, row);
      if (is_carried(s, row) && !work->pushes_are_over)
        set_floor(s, row, s->mover.floor[row]);
    }
  }
}

static void list_rows(mover_context_t *state) {
  const manager_o *movers = state->movers;
  bool sorted = true;
  array_reserve(state->allocator, &state->moved_bounds, movers->count);
  array_reserve(state->allocator, &state->rows, movers->count);
  for (uint32_t row = 0; row < movers->count; ++row) {
    mover_row_t mover = {shoal_entity_index(movers->owner[row]), row};
    state->moved_bounds.items[row].left = NAN;
    if (world_is_disabled(state->world, movers->owner[row], movers->id))
      continue;
    sorted = sorted && (state->rows.count == 0 || state->rows.items[state->rows.count - 1].index < mover.index);
    array_push(state->allocator, &state->rows, mover);
  }
  if (!sorted)
    qsort(state->rows.items, state->rows.count, sizeof *state->rows.items, compare_movers);
}

static void free_work(mover_context_t *state) {
  array_free(state->allocator, &state->grounds);
  array_free(state->allocator, &state->layers);
  array_free(state->allocator, &state->moved_bounds);
  array_free(state->allocator, &state->rows);
  moved_bodies_free(&state->work->moved, state->allocator);
  array_free(state->allocator, &state->work->ahead);
  array_free(state->allocator, &state->work->parents);
  transform_matrices_end(state->matrices);
}

void mover_update(world_o *w, double dt_s) {
  transform_matrices_t matrices = {0};
  push_work_t work = {0};
  mover_context_t state = {.world = w,
                           .allocator = world_allocator(w),
                           .movers = builtin_find(w, "mover"),
                           .bodies = world_find_manager(w, "body"),
                           .transforms = world_find_manager(w, "transform"),
                           .sensors = builtin_find(w, "sensor"),
                           .one_ways = builtin_find(w, "one_way"),
                           .crushed = builtin_find_event(w, "crushed"),
                           .matrices = &matrices,
                           .work = &work};
  shoal_assert(state.movers && state.bodies && state.transforms, "mover, body and transform must be declared");
  if (state.movers->count == 0)
    return;
  state.mover = mover_columns_of(state.movers);
  state.body = body_columns_of(state.bodies);
  state.transform = transform_columns_of(state.transforms);
  transform_matrices_begin(&matrices, state.transforms);
  list_grounds(&state);
  for (uint32_t row = 0; row < state.bodies->count; ++row)
    state.searched |= state.body.mask[row];
  state.grid = body_grid_find(w);
  state.boxes = state.bodies->count > 0 ? body_grid_update(w) : NULL;
  if (state.boxes)
    moved_bodies_collect(&work.moved, w);
  list_rows(&state);
  for (uint32_t i = 0; i < state.rows.count && work.moved.bodies.count > 0; ++i)
    carry_and_push(&state, state.rows.items[i].row);
  for (uint32_t i = 0; i < state.rows.count; ++i)
    update_mover(&state, state.rows.items[i].row, dt_s);
  if (state.boxes)
    carry_and_push_by_children(&state);
  for (uint32_t column = 0; column < state.movers->columns.column_count; ++column)
    columns_mark_touched(&state.movers->columns, column, 0, state.movers->count);
  free_work(&state);
}

static void run_movers(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  mover_update(w, world_dt_s(w));
}

void mover_capture(world_o *w) {
  if (builtin_find(w, "mover")->count > 0 && world_find_manager(w, "body")->count > 0)
    body_grid_begin_record(w);
}

static void run_capture(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  mover_capture(w);
}

bool mover_schedule(world_o *w, schedule_o *s, error_info_t *error) {
  (void)w;
  return schedule_add_system(
             s,
             &(system_desc_t){.name = CAPTURE_SYSTEM, .phase = PHASE_INPUT, .priority = INT32_MIN, .run = run_capture},
             error) &&
         schedule_add_system(
             s,
             &(system_desc_t){.name = MOVER_SYSTEM, .phase = PHASE_POST_UPDATE, .priority = -2000, .run = run_movers},
             error);
}
