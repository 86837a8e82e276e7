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
  float position, target, dead_zone, fraction, min, max, half_view;
} axis_t;

// Returns the next position: moves by `fraction` of the distance from the dead zone to the target, then keeps the view
// inside the bounds. A view that is larger than the bounds is centred on them. If `max` is not greater than `min`,
// there are no bounds.
static float compute_next_position(const axis_t *axis) {
  float offset = axis->target - axis->position, half_zone = fmaxf(axis->dead_zone, 0.0f) * 0.5f;
  float excess = offset > half_zone ? offset - half_zone : offset < -half_zone ? offset + half_zone : 0.0f;
  float next = axis->position + excess * axis->fraction;
  if (!(axis->max > axis->min))
    return next;
  if (axis->max - axis->min <= 2.0f * axis->half_view)
    return (axis->min + axis->max) * 0.5f;
  return fminf(fmaxf(next, axis->min + axis->half_view), axis->max - axis->half_view);
}

typedef struct view_size_t {
  float width, height;
} view_size_t;

typedef struct follow_context_t {
  manager_o *follow_manager, *shaken_manager, *transform_manager, *camera_manager;
  follow_columns follows;
  shaken_columns shakes;
  transform_columns transforms;
  camera_columns cameras;
  transform_matrices_t matrices;
  double dt_s;
} follow_context_t;

static float read_zoom(const follow_context_t *f, shoal_entity camera) {
  uint32_t row = manager_row(f->camera_manager, camera);
  float zoom = row != ROW_NONE ? f->cameras.zoom[row] : 1.0f;
  return zoom > 0.0f ? zoom : 1.0f;
}

static void follow_target(follow_context_t *state, uint32_t row, view_size_t view) {
  const follow_columns *columns = &state->follows;
  shoal_entity camera = state->follow_manager->owner[row], target = columns->target[row];
  uint32_t camera_row = manager_row(state->transform_manager, camera),
           target_row = target != 0 ? manager_row(state->transform_manager, target) : ROW_NONE;
  if (camera_row == ROW_NONE || target_row == ROW_NONE || camera_row == target_row)
    return;
  float world_matrix[16], zoom = read_zoom(state, camera), seconds = columns->seconds[row];
  transform_compute_world_matrix(&state->matrices, target_row, world_matrix);
  float fraction = seconds > 0.0f ? (float)(1.0 - exact_pow(0.5, state->dt_s / (double)seconds)) : 1.0f;
  float *x = state->transforms.x, *y = state->transforms.y;
  axis_t horizontal = {.position = x[camera_row],
                       .target = world_matrix[12] + columns->offset_x[row],
                       .dead_zone = columns->width[row],
                       .fraction = fraction,
                       .min = columns->left[row],
                       .max = columns->right[row],
                       .half_view = view.width / zoom * 0.5f};
  axis_t vertical = {.position = y[camera_row],
                     .target = world_matrix[13] + columns->offset_y[row],
                     .dead_zone = columns->height[row],
                     .fraction = fraction,
                     .min = columns->top[row],
                     .max = columns->bottom[row],
                     .half_view = view.height / zoom * 0.5f};
  float new_x = compute_next_position(&horizontal), new_y = compute_next_position(&vertical);
  if (!isfinite(new_x) || !isfinite(new_y))
    return;
  x[camera_row] = new_x;
  y[camera_row] = new_y;
  columns_mark_touched(&state->transform_manager->columns, SHOAL_COLUMN_INDEX(transform, x), camera_row, 1);
  columns_mark_touched(&state->transform_manager->columns, SHOAL_COLUMN_INDEX(transform, y), camera_row, 1);
}

static void shake_camera(follow_context_t *state, uint32_t row) {
  uint32_t camera_row = manager_row(state->camera_manager, state->shaken_manager->owner[row]);
  float *trauma = &state->shakes.trauma[row];
  if (camera_row == ROW_NONE || !(*trauma > 0.0f)) // the game may have set camera.shake, so keep its value
    return;
  float new_trauma = fminf(*trauma, 1.0f) - state->shakes.decay[row] * (float)state->dt_s;
  *trauma = fmaxf(new_trauma, 0.0f);
  columns_set(&state->camera_manager->columns, camera_row, SHOAL_COLUMN_INDEX(camera, shake),
              (double)(*trauma * *trauma * state->shakes.pixels[row]));
  columns_mark_touched(&state->shaken_manager->columns, SHOAL_COLUMN_INDEX(shaken, trauma), row, 1);
}

void follow_update(world_o *w, float logical_width, float logical_height, double dt_s) {
  follow_context_t state = {.follow_manager = builtin_find(w, "follow"),
                            .shaken_manager = builtin_find(w, "shaken"),
                            .transform_manager = world_find_manager(w, "transform"),
                            .camera_manager = world_find_manager(w, "camera"),
                            .dt_s = dt_s};
  shoal_assert(logical_width > 0.0f && logical_height > 0.0f, "invalid logical size %g × %g", (double)logical_width,
               (double)logical_height);
  state.shakes = shaken_columns_of(state.shaken_manager);
  state.cameras = camera_columns_of(state.camera_manager);
  for (uint32_t row = 0; row < state.shaken_manager->count; ++row)
    if (!world_is_disabled(w, state.shaken_manager->owner[row], state.shaken_manager->id))
      shake_camera(&state, row);
  if (state.follow_manager->count == 0)
    return;
  state.follows = follow_columns_of(state.follow_manager);
  state.transforms = transform_columns_of(state.transform_manager);
  transform_matrices_begin(&state.matrices, state.transform_manager);
  for (uint32_t row = 0; row < state.follow_manager->count; ++row)
    if (!world_is_disabled(w, state.follow_manager->owner[row], state.follow_manager->id)) {
      view_size_t view;
      viewport_size(w, state.follow_manager->owner[row], logical_width, logical_height, &view.width, &view.height);
      follow_target(&state, row, view);
    }
  transform_matrices_end(&state.matrices);
}
