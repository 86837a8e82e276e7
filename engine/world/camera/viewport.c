// Visible cameras in drawing order, and conversion of points between world and screen.
#include "camera/viewport.h"

#include "base/assert.h"
#include "camera/canvas.h"
#include "components/data_components.h"
#include "transform/transform.h"

#include <math.h>

static float finite_or(float v, float fallback) {
  return isfinite(v) ? v : fallback;
}

static float positive_or(float v, float fallback) {
  return isfinite(v) && v > 0.0f ? v : fallback;
}

static uint32_t find_enabled_row(world_o *w, const manager_o *m, shoal_entity e) {
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  return row != ROW_NONE && world_is_disabled(w, e, m->id) ? ROW_NONE : row;
}

// Returns true if the camera draws on the screen. A camera with a canvas draws into that image instead.
static bool is_on_screen(world_o *w, const manager_o *camera, const uint8_t *enabled, const manager_o *canvas,
                         uint32_t row) {
  shoal_entity e = camera->owner[row];
  return enabled[row] && !world_is_disabled(w, e, camera->id) && find_enabled_row(w, canvas, e) == ROW_NONE;
}

static viewport_t read_viewport(const viewport_columns *c, uint32_t row, float width, float height) {
  return (viewport_t){.x = finite_or(c->x[row], 0.0f),
                      .y = finite_or(c->y[row], 0.0f),
                      .width = positive_or(c->width[row], width),
                      .height = positive_or(c->height[row], height),
                      .order = c->order[row]};
}

// Inserts the viewport so that the list stays sorted by `order`, after viewports with the same `order`. Positions
// below `first` belong to the camera that fills the screen. Drops viewports beyond VIEWPORTS_MAX.
static void insert_viewport(viewport_t *list, uint32_t first, uint32_t *count, viewport_t v) {
  if (*count == VIEWPORTS_MAX)
    return;
  uint32_t at = (*count)++;
  for (; at > first && list[at - 1].order > v.order; --at)
    list[at] = list[at - 1];
  list[at] = v;
}

uint32_t viewports_list(world_o *w, float logical_width, float logical_height, viewport_t *out) {
  manager_o *camera = world_find_manager(w, "camera"), *m = builtin_find(w, "viewport");
  const manager_o *canvas = builtin_find(w, "canvas");
  const uint8_t *enabled = camera_columns_of(camera).enabled;
  viewport_columns viewports = viewport_columns_of(m);
  uint32_t count = 0, whole = ROW_NONE;
  m = m && m->count > 0 ? m : NULL;
  for (uint32_t row = 0; enabled && row < camera->count && whole == ROW_NONE; ++row)
    if (is_on_screen(w, camera, enabled, canvas, row) && find_enabled_row(w, m, camera->owner[row]) == ROW_NONE)
      whole = row;
  if (whole != ROW_NONE)
    out[count++] =
        (viewport_t){.camera = camera->owner[whole], .row = whole, .width = logical_width, .height = logical_height};
  for (uint32_t row = 0, first = count; enabled && m && row < camera->count; ++row) {
    shoal_entity e = camera->owner[row];
    uint32_t at = find_enabled_row(w, m, e);
    if (at == ROW_NONE || !is_on_screen(w, camera, enabled, canvas, row))
      continue;
    viewport_t v = read_viewport(&viewports, at, logical_width, logical_height);
    v.camera = e;
    v.row = row;
    insert_viewport(out, first, &count, v);
  }
  shoal_assert(count <= VIEWPORTS_MAX, "too many viewports: %u (at most %u)", count, VIEWPORTS_MAX);
  return count;
}

void viewport_size(world_o *w, shoal_entity camera, float logical_width, float logical_height, float *width,
                   float *height) {
  const manager_o *m = builtin_find(w, "viewport"), *canvas = builtin_find(w, "canvas");
  uint32_t row = find_enabled_row(w, m, camera), drawn = find_enabled_row(w, canvas, camera);
  viewport_t v = {.width = logical_width, .height = logical_height};
  if (drawn != ROW_NONE) {
    canvas_columns c = canvas_columns_of(canvas);
    *width = fmaxf((float)c.width[drawn], 1.0f);
    *height = fmaxf((float)c.height[drawn], 1.0f);
    return;
  }
  if (row != ROW_NONE) {
    viewport_columns viewports = viewport_columns_of(m);
    v = read_viewport(&viewports, row, logical_width, logical_height);
  }
  *width = v.width;
  *height = v.height;
}

// --- projection

// A camera's view: centre, direction of its x axis, zoom.
typedef struct eye_t {
  double x, y, cosine, sine, zoom;
} eye_t;

static eye_t read_eye(world_o *w, const viewport_t *v, double width, double height) {
  manager_o *transform = world_find_manager(w, "transform"), *camera = world_find_manager(w, "camera");
  eye_t e = {.x = width * 0.5, .y = height * 0.5, .cosine = 1, .zoom = 1};
  float zoom = camera_columns_of(camera).zoom[v->row];
  uint32_t row = transform ? manager_row(transform, v->camera) : ROW_NONE;
  e.zoom = zoom > 0.0f && isfinite(zoom) ? (double)zoom : 1.0;
  if (row == ROW_NONE)
    return e;
  float m[16];
  transform_matrices_t matrices = {0};
  transform_matrices_begin(&matrices, transform);
  transform_compute_world_matrix(&matrices, row, m);
  transform_matrices_end(&matrices);
  double length = sqrt((double)m[0] * (double)m[0] + (double)m[1] * (double)m[1]);
  e.x = isfinite(m[12]) ? (double)m[12] : 0.0;
  e.y = isfinite(m[13]) ? (double)m[13] : 0.0;
  if (length > 0.0 && isfinite(length)) {
    e.cosine = (double)m[0] / length;
    e.sine = (double)m[1] / length;
  }
  return e;
}

static bool contains_point(const viewport_t *v, const double *xy) {
  return xy[0] >= (double)v->x && xy[1] >= (double)v->y && xy[0] < (double)v->x + (double)v->width &&
         xy[1] < (double)v->y + (double)v->height;
}

static const viewport_t *choose_viewport(const viewport_t *list, uint32_t count, shoal_entity camera, bool to_world,
                                         const double *xy) {
  for (uint32_t i = count; i > 0; --i)
    if (camera ? list[i - 1].camera == camera : to_world && contains_point(&list[i - 1], xy))
      return &list[i - 1];
  return camera || count == 0 ? NULL : &list[0];
}

bool viewport_project(world_o *w, double logical_width, double logical_height, bool to_world, double *xy,
                      shoal_entity *camera) {
  shoal_assert(xy && camera, "xy and camera must not be NULL");
  viewport_t list[VIEWPORTS_MAX];
  uint32_t count = viewports_list(w, (float)logical_width, (float)logical_height, list);
  const viewport_t *v = choose_viewport(list, count, *camera, to_world, xy);
  if (!v)
    return *camera == 0;
  *camera = v->camera;
  eye_t e = read_eye(w, v, logical_width, logical_height);
  double centre_x = (double)v->x + (double)v->width * 0.5, centre_y = (double)v->y + (double)v->height * 0.5;
  double x = to_world ? (xy[0] - centre_x) / e.zoom : (xy[0] - e.x) * e.zoom;
  double y = to_world ? (xy[1] - centre_y) / e.zoom : (xy[1] - e.y) * e.zoom;
  double sine = to_world ? e.sine : -e.sine;
  xy[0] = (to_world ? e.x : centre_x) + e.cosine * x - sine * y;
  xy[1] = (to_world ? e.y : centre_y) + sine * x + e.cosine * y;
  return true;
}
