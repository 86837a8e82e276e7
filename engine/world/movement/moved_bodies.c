// Lists the bodies that systems have moved, and computes how far they push a mover.
#include "movement/moved_bodies.h"

#include "base/assert.h"
#include "components/builtin.h"

#include <stdlib.h>

#define MAX_MOVE 64.0 // maximum movement in pixels per tick; a longer movement is a jump, which pushes nothing

static int compare_rows(const void *a, const void *b) {
  uint32_t x = ((const moved_body_t *)a)->row, y = ((const moved_body_t *)b)->row;
  return x < y ? -1 : x > y;
}

static double max_change(double low, double new_low, double high, double new_high) {
  return fmax(fabs(new_low - low), fabs(new_high - high));
}

static void sort_bodies(moved_bodies_t *moved) {
  if (moved->bodies.count > 0)
    qsort(moved->bodies.items, moved->bodies.count, sizeof *moved->bodies.items, compare_rows);
}

// Includes the body's movement in the largest movements. Returns true on success, or false if the body has not moved or
// has jumped.
static bool measure_move(moved_bodies_t *moved, const moved_body_t *body) {
  double dx = max_change(body->before.left, body->now.left, body->before.right, body->now.right),
         dy = max_change(body->before.top, body->now.top, body->before.bottom, body->now.bottom);
  if ((dx == 0 && dy == 0) || dx > MAX_MOVE || dy > MAX_MOVE)
    return false;
  moved->max_dx = fmax(moved->max_dx, dx);
  moved->max_dy = fmax(moved->max_dy, dy);
  return true;
}

// Returns true if the entity is neither a mover nor a sensor.
static bool can_push(const moved_bodies_t *moved, shoal_entity entity) {
  return manager_row(moved->mover, entity) == ROW_NONE && manager_row(moved->sensor, entity) == ROW_NONE;
}

void moved_bodies_collect(moved_bodies_t *moved, world_o *w) {
  uint32_t count;
  const former_bounds_t *former = body_grid_end_record(w, &count);
  const body_boxes_t *boxes = count > 0 ? body_grid_update(w) : NULL;
  moved->body = world_find_manager(w, "body");
  moved->mover = builtin_find(w, "mover");
  moved->sensor = builtin_find(w, "sensor");
  moved->transform = world_find_manager(w, "transform");
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = manager_row(moved->body, former[i].entity);
    if (row == ROW_NONE || boxes->grid.entries.items[row].level == BOX_ABSENT || !can_push(moved, former[i].entity))
      continue;
    moved_body_t body = {row, former[i].bounds, collider_bounds(&boxes->colliders[row])};
    if (measure_move(moved, &body))
      array_push(world_allocator(w), &moved->bodies, body);
  }
  sort_bodies(moved);
}

// Moves the body of an entity whose ancestor has moved, and lists it or updates its listed bounds. The first
// `listed_count` bodies are sorted. Returns true if the body has moved.
static bool follow_body(moved_bodies_t *moved, uint32_t listed_count, world_o *w, const collider_t *colliders,
                        uint32_t row, transform_basis_t basis) {
  moved_body_t body = {.row = row, .before = collider_bounds(&colliders[row])};
  if (!body_grid_follow(w, row, basis))
    return false;
  moved_body_t *listed =
      listed_count > 0 ? bsearch(&body, moved->bodies.items, listed_count, sizeof body, compare_rows) : NULL;
  if (listed)
    body.before = listed->before;
  body.now = collider_bounds(&colliders[row]);
  if (!measure_move(moved, &body))
    body.before = body.now; // a jump pushes nothing
  if (listed)
    *listed = body;
  else
    array_push(world_allocator(w), &moved->bodies, body);
  return true;
}

bool moved_bodies_follow(moved_bodies_t *moved, world_o *w, const body_boxes_t *boxes, transform_matrices_t *matrices,
                         const shoal_entity *parents, uint32_t count) {
  const manager_o *transforms = moved->transform;
  shoal_assert(transforms, "moved_bodies_collect must be called before moved_bodies_follow");
  const shoal_entity *first_child = transforms->data[SHOAL_COLUMN_INDEX(transform, first_child)],
                     *next_sibling = transforms->data[SHOAL_COLUMN_INDEX(transform, next_sibling)];
  uint32_t listed_count = moved->bodies.count;
  bool any_moved = false;
  for (uint32_t i = 0; i < count; ++i)
    array_push(world_allocator(w), &moved->ancestry, manager_row(transforms, parents[i]));
  while (moved->ancestry.count > 0) {
    shoal_entity child = first_child[moved->ancestry.items[--moved->ancestry.count]];
    for (uint32_t row; child != 0 && (row = manager_row(transforms, child)) != ROW_NONE; child = next_sibling[row]) {
      uint32_t body_row = manager_row(moved->body, child);
      array_push(world_allocator(w), &moved->ancestry, row);
      if (body_row == ROW_NONE || !can_push(moved, child))
        continue;
      any_moved |=
          follow_body(moved, listed_count, w, boxes->colliders, body_row, transform_compute_world_basis(matrices, row));
    }
  }
  sort_bodies(moved);
  return any_moved;
}

void moved_bodies_free(moved_bodies_t *moved, allocator_t *a) {
  array_free(a, &moved->bodies);
  array_free(a, &moved->ancestry);
}

const moved_body_t *moved_bodies_find(const moved_bodies_t *moved, uint32_t row) {
  const moved_body_t key = {.row = row};
  return moved->bodies.count > 0 ? bsearch(&key, moved->bodies.items, moved->bodies.count, sizeof key, compare_rows)
                                 : NULL;
}

// An interval that moves at constant speed during the tick, relative to the mover.
typedef struct moving_interval_t {
  double old_low, old_high, low, high;
} moving_interval_t;

// The times, as fractions of the tick, between which an interval overlaps the mover's interval. `enter` is -INFINITY if
// the intervals overlap at the start, and INFINITY if they never overlap.
typedef struct overlap_t {
  double enter, leave;
  bool from_high; // true if the interval reaches the mover from the side of higher coordinates
} overlap_t;

static overlap_t find_overlap(const moving_interval_t *i, double low, double high) {
  double skin = 2 * contact_skin(high); // twice the skin, because two positions have been rounded
  overlap_t overlap = {-INFINITY, INFINITY, i->old_low - high >= -skin};
  double low_speed = i->low - i->old_low, high_speed = i->high - i->old_high;
  if (overlap.from_high)
    overlap.enter = low_speed < 0 ? (i->old_low - high) / -low_speed : INFINITY;
  else if (low - i->old_high >= -skin)
    overlap.enter = high_speed > 0 ? (low - i->old_high) / high_speed : INFINITY;
  if (high_speed < 0 && i->old_high > low)
    overlap.leave = (i->old_high - low) / -high_speed;
  if (low_speed > 0 && i->old_low < high)
    overlap.leave = fmin(overlap.leave, (high - i->old_low) / low_speed);
  return overlap;
}

// Returns the distance by which the interval has moved into the mover's interval at time `time`, positive towards
// higher coordinates.
static double find_depth(const moving_interval_t *i, double low, double high, bool from_high, double time) {
  double face = from_high ? i->old_low + time * (i->low - i->old_low) : i->old_high + time * (i->high - i->old_high);
  return from_high ? fmin(face - high, 0) : fmax(face - low, 0);
}

bool moved_body_find_push(const moved_body_t *body, const bounds_t *start, const bounds_t *box, push_t *out) {
  double dx = box->left - start->left, dy = box->top - start->top;
  const bounds_t *before = &body->before, *now = &body->now;
  const moving_interval_t x = {before->left + dx, before->right + dx, now->left, now->right},
                          y = {before->top + dy, before->bottom + dy, now->top, now->bottom};
  const overlap_t overlap_x = find_overlap(&x, box->left, box->right),
                  overlap_y = find_overlap(&y, box->top, box->bottom);
  double enter = fmax(overlap_x.enter, overlap_y.enter);
  if (enter == -INFINITY || enter > 1)
    return false;
  bool horizontal = overlap_x.enter > overlap_y.enter;
  double end = fmin(horizontal ? overlap_y.leave : overlap_x.leave, 1); // the body pushes until it has passed the mover
  if (enter >= end)
    return false;
  double distance = horizontal ? find_depth(&x, box->left, box->right, overlap_x.from_high, end)
                               : find_depth(&y, box->top, box->bottom, overlap_y.from_high, end);
  *out = (push_t){horizontal, distance};
  return distance != 0;
}
