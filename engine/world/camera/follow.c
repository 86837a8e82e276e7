// Cameras that follow an entity, with a dead zone and bounds, and camera shake.
#include "camera/follow.h"

#include "base/assert.h"
#include "base/exact_math.h"
#include "camera/viewport.h"
#include "components/data_components.h"
#include "transform/transform.h"

#include <math.h>

// --- movement along one axis

typedef struct axis_t {
  float at, aim, zone, part, min, max, half_view;
} axis_t;

// Returns the next position: moves by the fraction `part` of the distance from the dead zone to the aim, then keeps the
// view inside the bounds. Bounds that are smaller than the view are centred; if `max` is not greater than `min`, there
// are no bounds.
static float compute_next_position(const axis_t *a) {
  float off = a->aim - a->at, free = fmaxf(a->zone, 0.0f) * 0.5f;
  float away = off > free ? off - free : off < -free ? off + free : 0.0f;
  float to = a->at + away * a->part;
  if (!(a->max > a->min))
    return to;
  if (a->max - a->min <= 2.0f * a->half_view)
    return (a->min + a->max) * 0.5f;
  return fminf(fmaxf(to, a->min + a->half_view), a->max - a->half_view);
}

typedef struct view_size_t {
  float width, height;
} view_size_t;

// State of one update.
typedef struct follow_context_t {
  manager_o *follow, *shaken, *transform, *camera;
  follow_columns follows;
  shaken_columns shakes;
  transform_columns transforms;
  camera_columns cameras;
  transform_matrices_t matrices;
  double dt_s;
} follow_context_t;

static float read_zoom(const follow_context_t *f, shoal_entity camera) {
  uint32_t row = manager_row(f->camera, camera);
  float zoom = row != ROW_NONE ? f->cameras.zoom[row] : 1.0f;
  return zoom > 0.0f ? zoom : 1.0f;
}

static void follow_target(follow_context_t *f, uint32_t row, view_size_t view) {
  const follow_columns *c = &f->follows;
  shoal_entity e = f->follow->owner[row], target = c->target[row];
  uint32_t at = manager_row(f->transform, e), to = target != 0 ? manager_row(f->transform, target) : ROW_NONE;
  if (at == ROW_NONE || to == ROW_NONE || at == to)
    return;
  float world[16], zoom = read_zoom(f, e), seconds = c->seconds[row];
  transform_compute_world_matrix(&f->matrices, to, world);
  float part = seconds > 0.0f ? (float)(1.0 - exact_pow(0.5, f->dt_s / (double)seconds)) : 1.0f;
  float *x = f->transforms.x, *y = f->transforms.y;
  axis_t along = {.at = x[at],
                  .aim = world[12] + c->offset_x[row],
                  .zone = c->width[row],
                  .part = part,
                  .min = c->left[row],
                  .max = c->right[row],
                  .half_view = view.width / zoom * 0.5f};
  axis_t down = {.at = y[at],
                 .aim = world[13] + c->offset_y[row],
                 .zone = c->height[row],
                 .part = part,
                 .min = c->top[row],
                 .max = c->bottom[row],
                 .half_view = view.height / zoom * 0.5f};
  float to_x = compute_next_position(&along), to_y = compute_next_position(&down);
  if (!isfinite(to_x) || !isfinite(to_y))
    return;
  x[at] = to_x;
  y[at] = to_y;
  columns_mark_touched(&f->transform->columns, SHOAL_COLUMN_INDEX(transform, x), at, 1);
  columns_mark_touched(&f->transform->columns, SHOAL_COLUMN_INDEX(transform, y), at, 1);
}

static void shake_camera(follow_context_t *f, uint32_t row) {
  uint32_t at = manager_row(f->camera, f->shaken->owner[row]);
  float *trauma = &f->shakes.trauma[row];
  if (at == ROW_NONE || !(*trauma > 0.0f)) // keep the value of camera.shake, which the game may have set
    return;
  float now = fminf(*trauma, 1.0f) - f->shakes.decay[row] * (float)f->dt_s;
  *trauma = fmaxf(now, 0.0f);
  columns_set(&f->camera->columns, at, SHOAL_COLUMN_INDEX(camera, shake),
              (double)(*trauma * *trauma * f->shakes.pixels[row]));
  columns_mark_touched(&f->shaken->columns, SHOAL_COLUMN_INDEX(shaken, trauma), row, 1);
}

void follow_update(world_o *w, float logical_width, float logical_height, double dt_s) {
  follow_context_t f = {.follow = builtin_find(w, "follow"),
                        .shaken = builtin_find(w, "shaken"),
                        .transform = world_find_manager(w, "transform"),
                        .camera = world_find_manager(w, "camera"),
                        .dt_s = dt_s};
  shoal_assert(logical_width > 0.0f && logical_height > 0.0f, "invalid logical size %g × %g", (double)logical_width,
               (double)logical_height);
  f.shakes = shaken_columns_of(f.shaken);
  f.cameras = camera_columns_of(f.camera);
  for (uint32_t row = 0; row < f.shaken->count; ++row)
    if (!world_is_disabled(w, f.shaken->owner[row], f.shaken->id))
      shake_camera(&f, row);
  if (f.follow->count == 0)
    return;
  f.follows = follow_columns_of(f.follow);
  f.transforms = transform_columns_of(f.transform);
  transform_matrices_begin(&f.matrices, f.transform);
  for (uint32_t row = 0; row < f.follow->count; ++row)
    if (!world_is_disabled(w, f.follow->owner[row], f.follow->id)) {
      view_size_t view;
      viewport_size(w, f.follow->owner[row], logical_width, logical_height, &view.width, &view.height);
      follow_target(&f, row, view);
    }
  transform_matrices_end(&f.matrices);
}
