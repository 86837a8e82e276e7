// Implements the mover component. A mover moves along x, then along y, so that a mover that is blocked on one axis
// slides along the other. Movers are processed in the order of their entity indices, each with the previous movers at
// their new positions, so the result does not depend on the order of rows. Computes in doubles and rounds positions
// once, when they are written.
#include "movement/mover.h"

#include "base/array.h"
#include "base/assert.h"
#include "collision/body.h"
#include "collision/body_grid.h"
#include "components/builtin.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVER_SYSTEM "shoal.mover"
#define SKIN 1e-3      // pixels: smaller distances are treated as contact
#define MAX_SPEED 1e5  // pixels per tick
#define MAX_CELLS 4096 // a move that overlaps more cells along one axis ignores the tilemap

// A tilemap as an obstacle: position, scale, and edited cells of its layers.
typedef struct ground_t {
  const map_t *map;
  double x, y, scale_x, scale_y;
  const tile_edits_t **edits; // indexed by layer; NULL if the game has edited no cell of the layer
} ground_t;

typedef struct mover_row_t {
  uint32_t index, row;
} mover_row_t;

typedef struct mover_context_t {
  world_o *world;
  allocator_t *a;
  manager_o *movers, *bodies, *transforms, *sensors;
  mover_columns mover;
  body_columns body;
  transform_columns transform;
  transform_matrices_t matrices;
  body_boxes_t *boxes; // of all enabled bodies; NULL if the world has no bodies
  ARRAY(ground_t) grounds;
  ARRAY(mover_row_t) rows;
  ARRAY(bounds_t) moved; // indexed by mover: bounds of movers that were processed; `left` is NaN for all other movers
  // The following members belong to the current mover.
  shoal_entity entity;
  uint32_t category, mask;
  bool has_body;
  bounds_t box;
  bool on_slope;    // the mover stands on a slope
  shoal_entity hit; // the last body that blocked the mover
} mover_context_t;

// --- obstacles

static bool is_upright(const float m[16]) {
  return fabsf(m[1]) + fabsf(m[4]) < 1e-6f && m[0] > 0 && m[5] > 0;
}

static void list_grounds(mover_context_t *s) {
  world_o *w = s->world;
  const manager_o *m = builtin_find(w, "tilemap");
  for (uint32_t row = 0; m && row < m->count; ++row) {
    const map_t *map = world_is_disabled(w, m->owner[row], m->id) ? NULL : tilemap_map(w, row);
    uint32_t transform_row = manager_row(s->transforms, m->owner[row]);
    if (!map || transform_row == ROW_NONE)
      continue;
    float at[16];
    transform_compute_world_matrix(&s->matrices, transform_row, at);
    if (!is_upright(at))
      continue;
    ground_t g = {
        .map = map, .x = (double)at[12], .y = (double)at[13], .scale_x = (double)at[0], .scale_y = (double)at[5]};
    g.edits = alloc_resize(s->a, NULL, 0, (map->layer_count + 1) * sizeof *g.edits);
    for (uint32_t i = 0; i < map->layer_count; ++i)
      g.edits[i] = tilemap_edits(w, m->owner[row], map->layers[i].name);
    array_push(s->a, &s->grounds, g);
  }
}

static bounds_t body_bounds(const mover_context_t *s, uint32_t row, const float at[16]) {
  collider_t k = collider_from_body(&s->body, row, s->bodies->owner[row], at);
  return collider_bounds(&k);
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

// Returns the current bounds of a body. The grids contain the bodies as they were before the first mover was processed.
static bounds_t solid_bounds(const mover_context_t *s, uint32_t row) {
  uint32_t mover = manager_row(s->movers, s->bodies->owner[row]);
  bool has_moved = mover != ROW_NONE && !isnan(s->moved.items[mover].left);
  return has_moved ? s->moved.items[mover] : collider_bounds(&s->boxes->colliders[row]);
}

// Stores the bounds of an entity's body. Returns false if the body cannot block movers.
static bool read_solid_bounds(const mover_context_t *s, shoal_entity e, bounds_t *out) {
  uint32_t row = manager_row(s->bodies, e);
  if (row == ROW_NONE || !is_solid(s, row))
    return false;
  *out = solid_bounds(s, row);
  return true;
}

// Sorts the bodies found by entity index: if several bodies are equally near, the first one counts.
static void sort_candidates(const mover_context_t *s) {
  uint32_t *list = s->boxes->candidates.items, count = s->boxes->candidates.count;
  const shoal_entity *owner = s->bodies->owner;
  for (uint32_t i = 1; i < count; ++i) {
    uint32_t row = list[i], at = i;
    for (; at > 0 && shoal_entity_index(owner[row]) < shoal_entity_index(owner[list[at - 1]]); --at)
      list[at] = list[at - 1];
    list[at] = row;
  }
}

// Finds the bodies that may block a movement of the current mover by `d` along an axis.
static void collect_obstacles(const mover_context_t *s, bool horizontal, double d) {
  bounds_t area = s->box;
  double *low = horizontal ? &area.left : &area.top, *high = horizontal ? &area.right : &area.bottom;
  if (d > 0) {
    *low = *high - 2 * SKIN;
    *high += d;
  } else {
    *high = *low + 2 * SKIN;
    *low += d;
  }
  s->boxes->candidates.count = 0;
  box_grid_collect(&s->boxes->grid, &area, s->mask, &s->boxes->candidates);
  sort_candidates(s);
}

// --- tiles

// Returns the tile that determines a cell's shape: the uppermost one that declares `solid`, is one-way, or is a slope.
static const map_tile_t *find_shape_tile(const ground_t *g, int32_t column, int32_t row, uint32_t *cell) {
  for (uint32_t i = g->map->layer_count; i-- > 0;) {
    const map_layer_t *l = &g->map->layers[i];
    *cell = l->cells ? tilemap_cell(l, g->edits[i], column, row) : 0;
    const map_tile_t *t = map_tile(g->map, *cell);
    if (t->declares_solid || t->one_way || t->slope)
      return t;
  }
  return NULL;
}

// Returns true if the tile of a cell is a slope. A slope that is flipped vertically or diagonally is treated as a
// block.
static bool is_slope(const map_tile_t *t, uint32_t cell) {
  return t->slope && !(cell & (MAP_FLIP_Y | MAP_FLIP_DIAGONAL));
}

// Computes the range of cells that overlap the interval from `from` to `to`. `skin` is the part of a cell to ignore at
// both ends. Across the direction of motion, `skin` is positive, to ignore cells that only touch; along the direction
// it is 0, because slow movers could otherwise creep into cells. Returns false if the interval is not finite or spans
// too many cells.
static bool compute_cells(double from, double to, double skin, int32_t *first, int32_t *last) {
  if (!(fabs(from) < 1e9) || !(fabs(to) < 1e9))
    return false;
  *first = (int32_t)floor(from + skin);
  *last = (int32_t)ceil(to - skin) - 1;
  return *last - *first < MAX_CELLS;
}

static bool compute_columns(const ground_t *g, double from, double to, double skin, int32_t *first, int32_t *last) {
  double size = g->scale_x * g->map->tile_width;
  return compute_cells((from - g->x) / size, (to - g->x) / size, skin, first, last);
}

static bool compute_rows(const ground_t *g, double from, double to, double skin, int32_t *first, int32_t *last) {
  double size = g->scale_y * g->map->tile_height;
  return compute_cells((from - g->y) / size, (to - g->y) / size, skin, first, last);
}

static double column_left(const ground_t *g, int32_t column) {
  return g->x + column * g->scale_x * g->map->tile_width;
}

static double row_top(const ground_t *g, int32_t row) {
  return g->y + row * g->scale_y * g->map->tile_height;
}

// Returns the y of a slope's ground at position x.
static double slope_y(const ground_t *g, const map_tile_t *t, uint32_t cell, int32_t column, int32_t row, double x) {
  double left = column_left(g, column), width = g->scale_x * g->map->tile_width;
  double part = fmin(fmax((x - left) / width, 0), 1);
  double a = (double)t->ground[cell & MAP_FLIP_X ? 1 : 0], b = (double)t->ground[cell & MAP_FLIP_X ? 0 : 1];
  return row_top(g, row + 1) - (a + (b - a) * part) * g->scale_y * g->map->tile_height;
}

// --- moving

static bool intervals_overlap(double a, double b, double c, double d) {
  return a + SKIN < d && c + SKIN < b;
}

static void limit_x_by_tiles(const mover_context_t *s, const ground_t *g, double *dx) {
  const bounds_t *b = &s->box;
  int32_t first, last, top, bottom;
  double from = *dx > 0 ? b->right : b->left + *dx, to = *dx > 0 ? b->right + *dx : b->left;
  if (!compute_rows(g, b->top, b->bottom, SKIN, &top, &bottom) || !compute_columns(g, from, to, 0, &first, &last))
    return;
  for (int32_t column = first; column <= last; ++column)
    for (int32_t row = top; row <= bottom; ++row) {
      uint32_t cell;
      const map_tile_t *t = find_shape_tile(g, column, row, &cell);
      if (!t || is_slope(t, cell) || t->one_way || !(t->solid || t->slope))
        continue;
      // A mover that leaves a slope may step onto the next cell if the top of the cell is only slightly above the
      // mover's feet.
      double climb = (b->right - b->left) / 2 * (g->scale_y * g->map->tile_height) / (g->scale_x * g->map->tile_width);
      if (s->on_slope && b->bottom - row_top(g, row) < climb + 2)
        continue;
      double edge = *dx > 0 ? column_left(g, column) - b->right : column_left(g, column + 1) - b->left;
      if (*dx > 0 && edge >= -SKIN)
        *dx = fmin(*dx, fmax(edge, 0));
      else if (*dx < 0 && edge <= SKIN)
        *dx = fmax(*dx, fmin(edge, 0));
    }
}

static void limit_y_by_tiles(const mover_context_t *s, const ground_t *g, double *dy) {
  const bounds_t *b = &s->box;
  int32_t first, last, top, bottom;
  double from = *dy > 0 ? b->bottom : b->top + *dy, to = *dy > 0 ? b->bottom + *dy : b->top;
  if (!compute_columns(g, b->left, b->right, SKIN, &first, &last) || !compute_rows(g, from, to, 0, &top, &bottom))
    return;
  for (int32_t row = top; row <= bottom; ++row)
    for (int32_t column = first; column <= last; ++column) {
      uint32_t cell;
      const map_tile_t *t = find_shape_tile(g, column, row, &cell);
      if (!t || is_slope(t, cell) || !(t->solid || t->slope || t->one_way) || (t->one_way && *dy <= 0))
        continue;
      double edge = *dy > 0 ? row_top(g, row) - b->bottom : row_top(g, row + 1) - b->top;
      if (*dy > 0 && edge >= -SKIN)
        *dy = fmin(*dy, fmax(edge, 0));
      else if (*dy < 0 && edge <= SKIN)
        *dy = fmax(*dy, fmin(edge, 0));
    }
}

// Returns true if the cell is a block and no block or slope is above it.
static bool is_top_cell(const ground_t *g, int32_t column, int32_t row) {
  uint32_t cell, above;
  const map_tile_t *t = find_shape_tile(g, column, row, &cell), *over = find_shape_tile(g, column, row - 1, &above);
  return t && t->solid && !is_slope(t, cell) && !(over && (over->solid || over->slope));
}

// Returns the y of the highest slope under the middle of the feet, at most `up` above and `down` below the feet. With
// `blocks`, includes the top of a block at the upper end of a slope. Returns INFINITY if no ground is in this range.
static double find_slope_below(const mover_context_t *s, double up, double down, bool blocks) {
  double x = (s->box.left + s->box.right) / 2, found = INFINITY;
  for (uint32_t i = 0; i < s->grounds.count; ++i) {
    const ground_t *g = &s->grounds.items[i];
    int32_t first, last, top, bottom;
    if (!compute_columns(g, x, x + 2 * SKIN * g->scale_x * g->map->tile_width + 1e-9, SKIN, &first, &last) ||
        !compute_rows(g, s->box.bottom - up, s->box.bottom + down + 1, SKIN, &top, &bottom))
      continue;
    for (int32_t row = top; row <= bottom; ++row) {
      uint32_t cell;
      const map_tile_t *t = find_shape_tile(g, first, row, &cell);
      double ground = t && is_slope(t, cell)                 ? slope_y(g, t, cell, first, row, x)
                      : blocks && is_top_cell(g, first, row) ? row_top(g, row)
                                                             : INFINITY;
      if (ground >= s->box.bottom - up && ground <= s->box.bottom + down)
        found = fmin(found, ground);
    }
  }
  return found;
}

static void limit_step_by_bodies(mover_context_t *s, bool horizontal, double *step) {
  const bounds_t *b = &s->box;
  shoal_assert(b->left <= b->right && b->top <= b->bottom, "a mover's box has a negative size");
  if (!s->has_body || s->mask == 0)
    return;
  collect_obstacles(s, horizontal, *step);
  for (uint32_t i = 0; i < s->boxes->candidates.count; ++i) {
    uint32_t row = s->boxes->candidates.items[i];
    shoal_entity e = s->bodies->owner[row];
    if (e == s->entity || !(s->category & s->body.mask[row]) || !is_solid(s, row))
      continue;
    bounds_t other = solid_bounds(s, row);
    double near = horizontal ? other.left - b->right : other.top - b->bottom;
    double far = horizontal ? other.right - b->left : other.bottom - b->top;
    if (horizontal ? !intervals_overlap(b->top, b->bottom, other.top, other.bottom)
                   : !intervals_overlap(b->left, b->right, other.left, other.right))
      continue;
    double old_step = *step;
    if (*step > 0 && near >= -SKIN)
      *step = fmin(*step, fmax(near, 0));
    else if (*step < 0 && far <= SKIN)
      *step = fmax(*step, fmin(far, 0));
    if (*step != old_step)
      s->hit = e;
  }
}

static void move_bounds(bounds_t *b, double x, double y) {
  b->left += x;
  b->right += x;
  b->top += y;
  b->bottom += y;
}

static double move_along_axis(mover_context_t *s, bool horizontal, double distance) {
  double d = distance;
  shoal_assert(isfinite(distance), "a mover's movement must be finite, got %g", (double)distance);
  for (uint32_t i = 0; i < s->grounds.count; ++i)
    if (d != 0)
      horizontal ? limit_x_by_tiles(s, &s->grounds.items[i], &d) : limit_y_by_tiles(s, &s->grounds.items[i], &d);
  if (d != 0)
    limit_step_by_bodies(s, horizontal, &d);
  move_bounds(&s->box, horizontal ? d : 0, horizontal ? 0 : d);
  return d;
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
static void write_position(mover_context_t *s, uint32_t transform_row, double dx, double dy) {
  float *x = s->transform.x + transform_row;
  float *y = s->transform.y + transform_row;
  shoal_entity parent = s->transform.parent[transform_row];
  uint32_t above = parent ? manager_row(s->transforms, parent) : ROW_NONE;
  if (above != ROW_NONE) {
    float m[16];
    transform_compute_world_matrix(&s->matrices, above, m);
    double xx = (double)m[0], xy = (double)m[1], yx = (double)m[4], yy = (double)m[5], area = xx * yy - xy * yx;
    double wx = dx, wy = dy;
    dx = area != 0 ? (wx * yy - wy * yx) / area : 0;
    dy = area != 0 ? (wy * xx - wx * xy) / area : 0;
  }
  *x = (float)((double)*x + dx);
  *y = (float)((double)*y + dy);
  if (s->transform.first_child[transform_row] != 0)
    transform_matrices_begin(&s->matrices, s->transforms); // invalidates the cached positions of the children
}

// Returns the reference point of a floor: the middle of its top edge.
static void get_floor_point(const bounds_t *k, float *x, float *y) {
  *x = (float)((k->left + k->right) / 2);
  *y = (float)k->top;
}

// Moves a mover along with the body under it, as far as obstacles allow. If the body has moved vertically, puts the
// mover's bottom edge exactly on the body's top, so that rounding errors do not accumulate.
static void follow_floor(mover_context_t *s, uint32_t row) {
  shoal_entity floor_of = s->mover.floor[row];
  bounds_t k;
  float x, y;
  if (!floor_of || !read_solid_bounds(s, floor_of, &k))
    return;
  get_floor_point(&k, &x, &y);
  double dx = (double)x - (double)s->mover.floor_x[row];
  double dy = (double)y - (double)s->mover.floor_y[row];
  if (!(fabs(dx) < MAX_SPEED) || !(fabs(dy) < MAX_SPEED))
    return;
  if (dx != 0)
    move_along_axis(s, true, dx);
  if (dy != 0)
    move_along_axis(s, false, k.top - s->box.bottom);
  s->hit = 0;
}

static void set_floor(mover_context_t *s, uint32_t row, shoal_entity floor_of) {
  bounds_t k;
  float *x = s->mover.floor_x + row;
  float *y = s->mover.floor_y + row;
  bool found = floor_of && read_solid_bounds(s, floor_of, &k);
  s->mover.floor[row] = found ? floor_of : 0;
  *x = *y = 0;
  if (found)
    get_floor_point(&k, x, y);
}

static double clamp_step(const float *speed, double dt_s) {
  double d = (double)*speed * dt_s;
  return isfinite(d) ? fmin(fmax(d, -MAX_SPEED), MAX_SPEED) : 0;
}

static void update_mover(mover_context_t *s, uint32_t row, double dt_s) {
  manager_o *m = s->movers;
  float *vx = s->mover.vx + row, *vy = s->mover.vy + row;
  uint8_t *on_floor = s->mover.on_floor + row;
  uint32_t transform_row = manager_row(s->transforms, m->owner[row]), body_row = manager_row(s->bodies, m->owner[row]);
  float matrix[16];
  if (transform_row == ROW_NONE)
    return;
  transform_compute_world_matrix(&s->matrices, transform_row, matrix);
  double x = (double)matrix[12], y = (double)matrix[13];
  if (!isfinite(x) || !isfinite(y))
    return;
  s->entity = m->owner[row];
  s->has_body = body_row != ROW_NONE;
  s->box = s->has_body ? body_bounds(s, body_row, matrix)
                       : (bounds_t){x - SKIN * 2, y - SKIN * 2, x + SKIN * 2, y + SKIN * 2};
  bool collides = s->has_body && manager_row(s->sensors, s->entity) == ROW_NONE;
  s->category = collides ? s->body.category[body_row] : 0;
  s->mask = collides ? s->body.mask[body_row] : 0;
  s->hit = 0;
  double dx = clamp_step(vx, dt_s), dy = clamp_step(vy, dt_s), old_left = s->box.left, old_top = s->box.top;
  bool was_on_floor = *on_floor != 0;
  follow_floor(s, row);
  s->on_slope = dy >= 0 && find_slope_below(s, 2, 2, false) != INFINITY;
  double moved_x = move_along_axis(s, true, dx), rise = fabs(moved_x) + 2, ground = INFINITY, moved_y = 0;
  shoal_entity horizontal_hit = s->hit;
  s->hit = 0;
  if (dy >= 0)
    ground = find_slope_below(s, rise, was_on_floor ? rise + dy : dy, s->on_slope);
  if (ground != INFINITY) { // snaps up or down to the slope's ground
    moved_y = ground - s->box.bottom;
    move_bounds(&s->box, 0, moved_y);
  } else {
    moved_y = move_along_axis(s, false, dy);
  }
  bool is_on_floor_now = ground != INFINITY || (dy > 0 && moved_y < dy) || (dy == 0 && is_on_floor(s));
  *on_floor = is_on_floor_now;
  set_floor(s, row, is_on_floor_now ? s->hit : 0);
  s->mover.on_wall[row] = moved_x != dx;
  s->mover.on_ceiling[row] = dy < 0 && moved_y > dy;
  s->mover.hit[row] = s->hit ? s->hit : horizontal_hit;
  if (moved_x != dx)
    *vx = 0;
  if (is_on_floor_now || (dy < 0 && moved_y > dy))
    *vy = 0;
  write_position(s, transform_row, s->box.left - old_left, s->box.top - old_top);
  if (s->has_body && is_solid(s, body_row)) { // later movers collide with the new position
    s->moved.items[row] = s->box;
    body_grid_move(s->world, body_row, &s->box);
  }
}

void mover_update(world_o *w, double dt_s) {
  mover_context_t s = {.world = w,
                       .a = world_allocator(w),
                       .movers = builtin_find(w, "mover"),
                       .bodies = world_find_manager(w, "body"),
                       .transforms = world_find_manager(w, "transform"),
                       .sensors = builtin_find(w, "sensor")};
  shoal_assert(s.movers && s.bodies && s.transforms, "mover, body and transform must be declared");
  if (s.movers->count == 0)
    return;
  s.mover = mover_columns_of(s.movers);
  s.body = body_columns_of(s.bodies);
  s.transform = transform_columns_of(s.transforms);
  transform_matrices_begin(&s.matrices, s.transforms);
  list_grounds(&s);
  s.boxes = s.bodies->count > 0 ? body_grid_sync(w) : NULL;
  array_reserve(s.a, &s.moved, s.movers->count);
  for (uint32_t row = 0; row < s.movers->count; ++row)
    s.moved.items[row].left = NAN;
  for (uint32_t row = 0; row < s.movers->count; ++row) {
    mover_row_t r = {shoal_entity_index(s.movers->owner[row]), row};
    if (!world_is_disabled(w, s.movers->owner[row], s.movers->id))
      array_push(s.a, &s.rows, r);
  }
  if (s.rows.count > 0)
    qsort(s.rows.items, s.rows.count, sizeof *s.rows.items, compare_movers);
  for (uint32_t i = 0; i < s.rows.count; ++i)
    update_mover(&s, s.rows.items[i].row, dt_s);
  for (uint32_t c = 0; c < s.movers->columns.column_count; ++c)
    columns_mark_touched(&s.movers->columns, c, 0, s.movers->count);
  for (uint32_t i = 0; i < s.grounds.count; ++i)
    alloc_resize(s.a, s.grounds.items[i].edits,
                 (s.grounds.items[i].map->layer_count + 1) * sizeof *s.grounds.items->edits, 0);
  array_free(s.a, &s.grounds);
  array_free(s.a, &s.moved);
  array_free(s.a, &s.rows);
  transform_matrices_end(&s.matrices);
}

static void run_movers(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  mover_update(w, world_dt_s(w));
}

bool mover_schedule(world_o *w, schedule_o *s, error_info_t *error) {
  (void)w;
  return schedule_add_system(
      s, &(system_desc_t){.name = MOVER_SYSTEM, .phase = PHASE_POST_UPDATE, .priority = -2000, .run = run_movers},
      error);
}
