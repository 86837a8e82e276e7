// Cameras that go after somebody, with a dead zone and within bounds, and that shake when something hits.
#include "components/follow.h"

#include "base/assert.h"
#include "base/exact_math.h"
#include "components/builtin.h"
#include "components/transform.h"
#include "components/viewport.h"

#include <math.h>

// target: whom it goes after. width, height: of the dead zone in the middle of the view, in which the target moves
// freely, in pixels of the world. seconds: in which half of the way is made; 0: at once. offset: from the target to
// what is looked at. left … bottom: what of the world may be seen; all of it while right is not beyond left, or bottom
// not beyond top.
// clang-format off

// trauma: 0 … 1, raised by whatever hits; it falls by `decay` a second. camera.shake is its square times `pixels`.
// clang-format on
SHOAL_COMPONENT(follow, SHOAL_FOLLOW_FIELDS)
SHOAL_COMPONENT(shaken, SHOAL_SHAKEN_FIELDS)

enum {
  FOLLOW_TARGET,
  FOLLOW_WIDTH,
  FOLLOW_HEIGHT,
  FOLLOW_SECONDS,
  FOLLOW_OFFSET_X,
  FOLLOW_OFFSET_Y,
  FOLLOW_LEFT,
  FOLLOW_TOP,
  FOLLOW_RIGHT,
  FOLLOW_BOTTOM
};
enum { SHAKEN_TRAUMA, SHAKEN_DECAY, SHAKEN_PIXELS };

bool follow_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &follow_component, error);
}

bool shaken_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &shaken_component, error);
}

// --- one axis

typedef struct axis_t {
  float at, aim, zone, part, least, most, half_view;
} axis_t;

// Where it is next: towards the aim as far as it has left the dead zone, then back into the bounds.
static float next(const axis_t *a) {
  float off = a->aim - a->at, free = fmaxf(a->zone, 0.0f) * 0.5f;
  float away = off > free ? off - free : off < -free ? off + free : 0.0f;
  float to = a->at + away * a->part;
  if (!(a->most > a->least))
    return to;
  if (a->most - a->least <= 2.0f * a->half_view)
    return (a->least + a->most) * 0.5f;
  return fminf(fmaxf(to, a->least + a->half_view), a->most - a->half_view);
}

static float column_of(const manager_o *m, uint32_t row, uint32_t column) {
  return ((const float *)manager_column(m, column))[row];
}

typedef struct view_size_t {
  float width, height;
} view_size_t;

static void go_after(manager_o *m, uint32_t row, transform_places_t *places, manager_o *transform,
                     const manager_o *camera, view_size_t view, double dt_s) {
  shoal_entity e = m->owner[row], target = ((const shoal_entity *)manager_column(m, FOLLOW_TARGET))[row];
  uint32_t at = manager_row(transform, e), to = target != 0 ? manager_row(transform, target) : ROW_NONE;
  if (at == ROW_NONE || to == ROW_NONE || at == to)
    return;
  float place[16], zoom = 1.0f, seconds = column_of(m, row, FOLLOW_SECONDS);
  uint32_t camera_row = camera ? manager_row(camera, e) : ROW_NONE;
  transform_place(places, to, place);
  if (camera_row != ROW_NONE)
    zoom = column_of(camera, camera_row, (uint32_t)manager_find_column(camera, "zoom"));
  zoom = zoom > 0.0f ? zoom : 1.0f;
  float part = seconds > 0.0f ? (float)(1.0 - exact_pow(0.5, dt_s / (double)seconds)) : 1.0f;
  float *x = manager_column(transform, TRANSFORM_X), *y = manager_column(transform, TRANSFORM_Y);
  axis_t along = {.at = x[at],
                  .aim = place[12] + column_of(m, row, FOLLOW_OFFSET_X),
                  .zone = column_of(m, row, FOLLOW_WIDTH),
                  .part = part,
                  .least = column_of(m, row, FOLLOW_LEFT),
                  .most = column_of(m, row, FOLLOW_RIGHT),
                  .half_view = view.width / zoom * 0.5f};
  axis_t down = {.at = y[at],
                 .aim = place[13] + column_of(m, row, FOLLOW_OFFSET_Y),
                 .zone = column_of(m, row, FOLLOW_HEIGHT),
                 .part = part,
                 .least = column_of(m, row, FOLLOW_TOP),
                 .most = column_of(m, row, FOLLOW_BOTTOM),
                 .half_view = view.height / zoom * 0.5f};
  float to_x = next(&along), to_y = next(&down);
  if (!isfinite(to_x) || !isfinite(to_y))
    return;
  x[at] = to_x;
  y[at] = to_y;
  columns_touch(&transform->columns, TRANSFORM_X, at, 1);
  columns_touch(&transform->columns, TRANSFORM_Y, at, 1);
}

static void shake(manager_o *m, uint32_t row, manager_o *camera, double dt_s) {
  uint32_t at = manager_row(camera, m->owner[row]);
  float *trauma = &((float *)manager_column(m, SHAKEN_TRAUMA))[row];
  if (at == ROW_NONE || !(*trauma > 0.0f)) // what a game writes into camera.shake by itself stays
    return;
  float now = fminf(*trauma, 1.0f) - column_of(m, row, SHAKEN_DECAY) * (float)dt_s;
  *trauma = fmaxf(now, 0.0f);
  uint32_t column = (uint32_t)manager_find_column(camera, "shake");
  columns_set(&camera->columns, at, column, (double)(*trauma * *trauma * column_of(m, row, SHAKEN_PIXELS)));
  columns_touch(&m->columns, SHAKEN_TRAUMA, row, 1);
}

void follow_update(world_o *w, float logical_width, float logical_height, double dt_s) {
  manager_o *m = builtin_find(w, "follow"), *shaken = builtin_find(w, "shaken");
  manager_o *transform = world_find_manager(w, "transform"), *camera = world_find_manager(w, "camera");
  shoal_assert(logical_width > 0.0f && logical_height > 0.0f, "a view of %g × %g", (double)logical_width,
               (double)logical_height);
  for (uint32_t row = 0; row < shaken->count; ++row)
    if (!world_is_disabled(w, shaken->owner[row], shaken->id))
      shake(shaken, row, camera, dt_s);
  if (m->count == 0)
    return;
  transform_places_t places = {0};
  transform_places_begin(&places, transform);
  for (uint32_t row = 0; row < m->count; ++row)
    if (!world_is_disabled(w, m->owner[row], m->id)) {
      view_size_t view;
      viewport_size(w, m->owner[row], logical_width, logical_height, &view.width, &view.height);
      go_after(m, row, &places, transform, camera, view, dt_s);
    }
  transform_places_end(&places);
}
