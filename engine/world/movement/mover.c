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
#include "movement/grounds.h"
#include "movement/moved_bodies.h"
#include "transform/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOVER_SYSTEM "shoal.mover"
#define CAPTURE_SYSTEM "shoal.mover_capture"
#define MAX_SPEED 1e5 // maximum movement in pixels per tick

// Limits of the movers that a push moves out of the way; further movers block the push.
enum { MAX_CHAIN = 32, MAX_CHAIN_PUSHES = 256 };

// Maximum number of rounds: a mover that is pushed by a child of a mover moves its own children, which push again.
// Movers that are still in a body's way afterwards are crushed.
enum { MAX_CHILD_ROUNDS = 8 };

typedef struct mover_row_t {
  uint32_t index, row;
} mover_row_t;

// State of a tick's pushes, shared by the contexts of all movers in a chain.
typedef struct push_work_t {
  moved_bodies_t moved;
  ARRAY(uint32_t) ahead;       // body rows of the movers in the way of each mover in the chain
  uint32_t chain_pushes;       // number of movers that the current push may still move
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
  body_boxes_t *boxes; // boxes of all enabled bodies; NULL before update_boxes, and if the world has no bodies
  uint32_t searched;   // bit set of the categories that movers may search for
  uint32_t categories; // bit set of the categories of all bodies
  grounds_t grounds;
  ARRAY(mover_row_t) rows;
  // Bounds of movers that have moved, indexed by row of the mover; `left` is NaN for all remaining movers.
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
  // Body that carries or pushes the mover; may already have passed the mover, and does not block it.
  shoal_entity pusher;
  shoal_entity carrier; // body on which movers must stand to be pushed; 0: pushes move all movers
} mover_context_t;

// --- obstacles

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

// --- moving

// Returns true if the entity is below the current mover in the hierarchy of transforms: it then moves with the mover.
// Parents may form a cycle, which shoal.transform breaks after shoal.mover.
static bool is_descendant(const mover_context_t *s, shoal_entity entity) {
  shoal_entity marked = 0; // Brent's algorithm for cycle detection
  for (uint32_t count = 0, next_mark = 1; entity != 0 && entity != marked; ++count) {
    if (count == next_mark) {
      marked = entity;
      next_mark *= 2;
    }
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

static void limit_step(mover_context_t *state, bool horizontal, bool ignores_movers, double *step) {
  shoal_assert(isfinite(*step), "a mover's movement must be finite, got %g", *step);
  *step = grounds_limit(&state->grounds, &state->box, horizontal, state->on_slope, *step);
  if (*step != 0)
    limit_step_by_bodies(state, horizontal, ignores_movers, step);
}

static double move_along_axis(mover_context_t *state, bool horizontal, double distance) {
  limit_step(state, horizontal, false, &distance);
  bounds_move(&state->box, horizontal ? distance : 0, horizontal ? 0 : distance);
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

// Writes the position of the current mover, so that later movers collide with it there.
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
  double ground = horizontal ? grounds_find_slope(&state->grounds, &state->box, fabs(step) + 2, 0, false) : INFINITY;
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

// Finds the push that moves the current mover out of the way of a moved body. Returns true on success, or false if the
// body does not push the mover: it is not in the mover's way, its mask excludes the mover's category, it is a
// descendant of the mover, or it is a `one_way` body that moves in any direction but upwards.
static bool find_push(const mover_context_t *s, const moved_body_t *body, push_t *push) {
  bool one_way = manager_row(s->one_ways, s->bodies->owner[body->row]) != ROW_NONE;
  bounds_t start = get_tick_start(s);
  return (s->category & s->body.mask[body->row]) && moved_body_find_push(body, &start, &s->box, push) &&
         !(one_way && (push->horizontal || push->distance > 0)) && !is_descendant(s, s->bodies->owner[body->row]);
}

// Pushes the current mover out of the way of a body that has moved. Returns true on success or if the body does not
// push the mover, or false if an obstacle blocks the push.
static bool push_by_body(mover_context_t *s, const moved_body_t *body) {
  push_t push;
  if (!find_push(s, body, &push))
    return true;
  bounds_t before = s->box;
  s->work->chain_pushes = MAX_CHAIN_PUSHES;
  s->pusher = s->bodies->owner[body->row];
  push_mover(s, push.horizontal, push.distance, 0);
  s->pusher = 0;
  double moved = push.horizontal ? s->box.left - before.left : s->box.top - before.top;
  return fabs(moved - push.distance) <= 1e-3;
}

typedef ARRAY(const moved_body_t *) pushers_t;

// Lists the bodies that have moved and may be in the way of the current mover, in the order of their entity indices.
// The caller must free the list.
static pushers_t list_pushers(const mover_context_t *s) {
  const moved_bodies_t *moved = &s->work->moved;
  pushers_t pushers = {0};
  if (!s->has_body || s->mask == 0 || moved->bodies.count == 0)
    return pushers;
  bounds_t start = get_tick_start(s);
  double margin_x = moved->max_dx + fabs(s->box.left - start.left),
         margin_y = moved->max_dy + fabs(s->box.top - start.top);
  bounds_t area = {s->box.left - margin_x, s->box.top - margin_y, s->box.right + margin_x, s->box.bottom + margin_y};
  s->boxes->candidates.count = 0;
  body_grid_collect(s->boxes, &area, s->mask);
  sort_candidates(s);
  for (uint32_t i = 0; i < s->boxes->candidates.count; ++i) {
    const moved_body_t *body = moved_bodies_find(moved, s->boxes->candidates.items[i]);
    if (body)
      array_push(s->allocator, &pushers, body);
  }
  return pushers;
}

// Pushes the current mover by all bodies that have moved into it. If a push is blocked, repeats it after the pushes of
// the remaining bodies. Emits `crushed` if the push is still blocked.
static void push_by_bodies(mover_context_t *s) {
  pushers_t pushers = list_pushers(s);
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

// Emits `crushed` for each moved body that is still in the way of the mover in this row.
static void crush(mover_context_t *s, uint32_t row) {
  push_t push;
  if (!begin_mover(s, row))
    return;
  pushers_t pushers = list_pushers(s);
  for (uint32_t i = 0; i < pushers.count; ++i)
    if (find_push(s, pushers.items[i], &push))
      emit_crushed(s, s->bodies->owner[pushers.items[i]->row]);
  array_free(s->allocator, &pushers);
}

// --- one tick

// Returns true if the mover in this row stands on a body that is listed in `moved`.
static bool is_carried(const mover_context_t *s, uint32_t row) {
  uint32_t floor_row = s->mover.floor[row] ? manager_row(s->bodies, s->mover.floor[row]) : ROW_NONE;
  return floor_row != ROW_NONE && moved_bodies_find(&s->work->moved, floor_row);
}

// Moves a mover with its floor, then out of the way of bodies (first and third pass).
static void carry_and_push(mover_context_t *s, uint32_t row) {
  if (!begin_mover(s, row))
    return;
  if (is_carried(s, row))
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
  return fabs(step) <= MAX_SPEED ? step : isfinite(step) ? copysign(MAX_SPEED, step) : 0;
}

// Moves a mover by its speed (second pass).
static void update_mover(mover_context_t *state, uint32_t row, double dt_s) {
  float *vx = state->mover.vx + row, *vy = state->mover.vy + row;
  uint8_t *on_floor = state->mover.on_floor + row;
  if (!begin_mover(state, row))
    return;
  double dx = clamp_step(vx, dt_s), dy = clamp_step(vy, dt_s);
  bool was_on_floor = *on_floor != 0;
  if (!is_carried(state, row)) // the first pass has already moved carried movers
    follow_floor(state);
  state->on_slope = dy >= 0 && grounds_find_slope(&state->grounds, &state->box, 2, 2, false) != INFINITY;
  double actual_dx = move_along_axis(state, true, dx), max_rise = fabs(actual_dx) + 2, ground = INFINITY, actual_dy = 0;
  shoal_entity horizontal_hit = state->hit;
  state->hit = 0;
  if (dy >= 0)
    ground =
        grounds_find_slope(&state->grounds, &state->box, max_rise, was_on_floor ? max_rise + dy : dy, state->on_slope);
  if (ground != INFINITY) { // snaps up or down to the slope's ground
    actual_dy = ground - state->box.bottom;
    bounds_move(&state->box, 0, actual_dy);
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

// Returns the row of an entity, like manager_row. Consecutive movers often have consecutive rows in other components:
// tests the row `*next` first, and sets `*next` to the following row.
static inline uint32_t find_next_row(const manager_o *m, shoal_entity e, uint32_t *next) {
  uint32_t row = *next < m->count && m->owner[*next] == e ? *next : manager_row(m, e);
  *next = row + 1;
  return row;
}

// The rows that the next mover probably has.
typedef struct next_rows_t {
  uint32_t transform, body, sensor;
} next_rows_t;

// Moves a mover by its speed if only tiles can block it, with the results of update_mover: the mover has a body, but
// does not search for bodies, stands on no body, and is found by no other mover; its transform has neither a parent nor
// children. Returns true on success, or false if other entities may matter.
static bool update_mover_on_tiles(mover_context_t *s, uint32_t row, next_rows_t *next, double dt_s) {
  shoal_entity entity = s->movers->owner[row];
  uint32_t transform_row = find_next_row(s->transforms, entity, &next->transform),
           body_row = find_next_row(s->bodies, entity, &next->body);
  if (transform_row == ROW_NONE || body_row == ROW_NONE || s->mover.floor[row] != 0 ||
      s->transform.parent[transform_row] != 0 || s->transform.first_child[transform_row] != 0)
    return false;
  if (((s->body.category[body_row] & s->searched) != 0 || (s->body.mask[body_row] & s->categories) != 0) &&
      find_next_row(s->sensors, entity, &next->sensor) == ROW_NONE)
    return false;
  float *x = &s->transform.x[transform_row], *y = &s->transform.y[transform_row];
  bounds_t box;
  if (!body_find_upright_bounds(&s->body, body_row, &s->transform, transform_row, &box)) {
    if (!isfinite(*x) || !isfinite(*y))
      return true;
    box = body_bounds(s, body_row, transform_local_basis(&s->transform, transform_row));
  }
  double left = box.left, top = box.top;
  double dx = clamp_step(&s->mover.vx[row], dt_s), dy = clamp_step(&s->mover.vy[row], dt_s);
  ground_move_t move = grounds_move(&s->grounds, &box, dx, dy, s->mover.on_floor[row] != 0);
  bool on_ceiling = dy < 0 && move.dy > dy;
  s->mover.on_floor[row] = move.grounded;
  s->mover.on_wall[row] = move.dx != dx;
  s->mover.on_ceiling[row] = on_ceiling;
  s->mover.floor_x[row] = s->mover.floor_y[row] = 0;
  s->mover.hit[row] = 0;
  if (move.dx != dx)
    s->mover.vx[row] = 0;
  if (move.grounded || on_ceiling)
    s->mover.vy[row] = 0;
  *x = (float)((double)*x + (box.left - left));
  *y = (float)((double)*y + (box.top - top));
  copy_bounds(&s->moved_bounds.items[row], box);
  return true;
}

// Collects the bodies below movers that have moved since the previous call. Returns true if a body has moved.
static bool collect_moved_children(mover_context_t *s) {
  push_work_t *work = s->work;
  bool any_moved = work->parents.count > 0 && moved_bodies_follow(&work->moved, s->world, s->boxes, s->matrices,
                                                                  work->parents.items, work->parents.count);
  work->parents.count = 0;
  return any_moved;
}

// Third pass: bodies that are children of moved movers carry and push movers.
static void carry_and_push_by_children(mover_context_t *s) {
  push_work_t *work = s->work;
  work->moved.bodies.count = 0;
  work->moved.max_dx = work->moved.max_dy = 0;
  for (uint32_t round = 0; round < MAX_CHILD_ROUNDS && collect_moved_children(s); ++round)
    for (uint32_t i = 0; i < s->rows.count; ++i) {
      uint32_t row = s->rows.items[i].row;
      carry_and_push(s, row);
      if (is_carried(s, row))
        set_floor(s, row, s->mover.floor[row]);
    }
  if (collect_moved_children(s)) // true if bodies still move after the last round
    for (uint32_t i = 0; i < s->rows.count; ++i)
      crush(s, s->rows.items[i].row);
}

// Updates the boxes of all bodies, before the first mover that may meet a body. No search finds the movers that have
// moved until then.
static void update_boxes(mover_context_t *s) {
  if (!s->boxes && s->bodies->count > 0)
    s->boxes = body_grid_update(s->world);
}

static void list_rows(mover_context_t *state) {
  const manager_o *movers = state->movers;
  const manager_o *disabled = world_find_manager(state->world, "disabled");
  bool sorted = true, any_disabled = disabled && disabled->count > 0;
  uint32_t last_index = 0;
  array_reserve(state->allocator, &state->moved_bounds, movers->count);
  array_reserve(state->allocator, &state->rows, movers->count);
  for (uint32_t row = 0; row < movers->count; ++row) {
    mover_row_t mover = {shoal_entity_index(movers->owner[row]), row};
    state->moved_bounds.items[row].left = NAN;
    if (any_disabled && world_is_disabled(state->world, movers->owner[row], movers->id))
      continue;
    sorted &= state->rows.count == 0 || last_index < mover.index;
    last_index = mover.index;
    state->rows.items[state->rows.count++] = mover;
  }
  if (!sorted)
    qsort(state->rows.items, state->rows.count, sizeof *state->rows.items, compare_movers);
}

static void free_work(mover_context_t *state) {
  grounds_free(&state->grounds, state->allocator);
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
  grounds_list(&state.grounds, w, &matrices);
  for (uint32_t row = 0; row < state.bodies->count; ++row) {
    state.searched |= state.body.mask[row];
    state.categories |= state.body.category[row];
  }
  state.grid = body_grid_find(w);
  if (state.bodies->count > 0)
    moved_bodies_collect(&work.moved, w);
  if (work.moved.bodies.count > 0)
    update_boxes(&state);
  list_rows(&state);
  for (uint32_t i = 0; i < state.rows.count && work.moved.bodies.count > 0; ++i)
    carry_and_push(&state, state.rows.items[i].row);
  next_rows_t next = {0};
  for (uint32_t i = 0; i < state.rows.count; ++i)
    if (!update_mover_on_tiles(&state, state.rows.items[i].row, &next, dt_s)) {
      update_boxes(&state);
      update_mover(&state, state.rows.items[i].row, dt_s);
    }
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
