// Visible cameras in drawing order, and conversion of points between world and screen.
#include "camera/viewport.h"

#include "base/assert.h"
#include "camera/canvas.h"
#include "components/data_components.h"
#include "transform/transform.h"

#include <math.h>

static float finite_or(float value, float fallback) {
  return isfinite(value) ? value : fallback;
}

static float positive_or(float value, float fallback) {
  return isfinite(value) && value > 0.0f ? value : fallback;
}

static uint32_t find_enabled_row(world_o *w, const manager_o *m, shoal_entity entity) {
  uint32_t row = m ? manager_row(m, entity) : ROW_NONE;
  return row != ROW_NONE && world_is_disabled(w, entity, m->id) ? ROW_NONE : row;
}

bool viewport_is_for(int32_t player, uint32_t players) {
  return players == 0 || player < 1 || player > 32 || players >> (player - 1) & 1;
}

// Returns true if the camera draws on the screen of these players. A camera with a canvas draws into that image
// instead.
static bool is_on_screen(world_o *w, const manager_o *camera, const manager_o *canvas, uint32_t players, uint32_t row) {
  shoal_entity entity = camera->owner[row];
  camera_columns columns = camera_columns_of(camera);
  return columns.enabled[row] && viewport_is_for(columns.player[row], players) &&
         !world_is_disabled(w, entity, camera->id) && find_enabled_row(w, canvas, entity) == ROW_NONE;
}

static viewport_t read_viewport(const viewport_columns *columns, uint32_t row, float width, float height) {
  return (viewport_t){.x = finite_or(columns->x[row], 0.0f),
                      .y = finite_or(columns->y[row], 0.0f),
                      .width = positive_or(columns->width[row], width),
                      .height = positive_or(columns->height[row], height),
                      .order = columns->order[row]};
}

// Inserts the viewport so that the list stays sorted by `order`, after viewports with the same `order`. Positions
// below `first` belong to the camera that fills the screen. Drops viewports beyond VIEWPORTS_MAX.
static void insert_viewport(viewport_t *list, uint32_t first, uint32_t *count, viewport_t viewport) {
  if (*count == VIEWPORTS_MAX)
    return;
  uint32_t position = (*count)++;
  for (; position > first && list[position - 1].order > viewport.order; --position)
    list[position] = list[position - 1];
  list[position] = viewport;
}

// Makes a viewport fill the screen if it is the only shown viewport that belongs to a player.
static void enlarge_single_viewport(world_o *w, const manager_o *m, viewport_t *list, uint32_t count,
                                    const viewport_columns *columns, float width, float height) {
  viewport_t *single = NULL;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = find_enabled_row(w, m, list[i].camera);
    if (row == ROW_NONE || columns->player[row] < 1)
      continue;
    if (single)
      return;
    single = &list[i];
  }
  if (single) {
    single->x = single->y = 0.0f;
    single->width = width;
    single->height = height;
  }
}

uint32_t viewports_list(world_o *w, float logical_width, float logical_height, uint32_t players, viewport_t *out) {
  manager_o *camera = world_find_manager(w, "camera"), *m = builtin_find(w, "viewport");
  const manager_o *canvas = builtin_find(w, "canvas");
  const uint8_t *enabled = camera_columns_of(camera).enabled;
  viewport_columns viewports = viewport_columns_of(m);
  uint32_t count = 0, fullscreen_row = ROW_NONE;
  m = m && m->count > 0 ? m : NULL;
  for (uint32_t row = 0; enabled && row < camera->count && fullscreen_row == ROW_NONE; ++row)
    if (is_on_screen(w, camera, canvas, players, row) && find_enabled_row(w, m, camera->owner[row]) == ROW_NONE)
      fullscreen_row = row;
  if (fullscreen_row != ROW_NONE)
    out[count++] = (viewport_t){.camera = camera->owner[fullscreen_row],
                                .row = fullscreen_row,
                                .width = logical_width,
                                .height = logical_height};
  for (uint32_t row = 0, first = count; enabled && m && row < camera->count; ++row) {
    shoal_entity entity = camera->owner[row];
    uint32_t viewport_row = find_enabled_row(w, m, entity);
    if (viewport_row == ROW_NONE || !is_on_screen(w, camera, canvas, players, row) ||
        !viewport_is_for(viewports.player[viewport_row], players))
      continue;
    viewport_t viewport = read_viewport(&viewports, viewport_row, logical_width, logical_height);
    viewport.camera = entity;
    viewport.row = row;
    insert_viewport(out, first, &count, viewport);
  }
  if (players != 0 && m)
    enlarge_single_viewport(w, m, out, count, &viewports, logical_width, logical_height);
  shoal_assert(count <= VIEWPORTS_MAX, "too many viewports: %u (at most %u)", count, VIEWPORTS_MAX);
  return count;
}

void viewport_size(world_o *w, shoal_entity camera, float logical_width, float logical_height, float *width,
                   float *height) {
  const manager_o *manager = builtin_find(w, "viewport"), *canvas = builtin_find(w, "canvas");
  uint32_t row = find_enabled_row(w, manager, camera), canvas_row = find_enabled_row(w, canvas, camera);
  viewport_t viewport = {.width = logical_width, .height = logical_height};
  if (canvas_row != ROW_NONE) {
    canvas_columns columns = canvas_columns_of(canvas);
    *width = fmaxf((float)columns.width[canvas_row], 1.0f);
    *height = fmaxf((float)columns.height[canvas_row], 1.0f);
    return;
  }
  if (row != ROW_NONE) {
    viewport_columns viewports = viewport_columns_of(manager);
    viewport = read_viewport(&viewports, row, logical_width, logical_height);
  }
  *width = viewport.width;
  *height = viewport.height;
}

// --- projection

// A camera's view: centre, direction of its x axis, zoom.
typedef struct eye_t {
  double x, y, cosine, sine, zoom;
} eye_t;

static eye_t read_eye(world_o *w, const viewport_t *viewport, double width, double height) {
  manager_o *transform = world_find_manager(w, "transform"), *camera = world_find_manager(w, "camera");
  eye_t eye = {.x = width * 0.5, .y = height * 0.5, .cosine = 1, .zoom = 1};
  float zoom = camera_columns_of(camera).zoom[viewport->row];
  uint32_t row = transform ? manager_row(transform, viewport->camera) : ROW_NONE;
  eye.zoom = zoom > 0.0f && isfinite(zoom) ? (double)zoom : 1.0;
  if (row == ROW_NONE)
    return eye;
  float matrix[16];
  transform_matrices_t matrices = {0};
  transform_matrices_begin(&matrices, transform);
  transform_compute_world_matrix(&matrices, row, matrix);
  transform_matrices_end(&matrices);
  double length = sqrt((double)matrix[0] * (double)matrix[0] + (double)matrix[1] * (double)matrix[1]);
  eye.x = isfinite(matrix[12]) ? (double)matrix[12] : 0.0;
  eye.y = isfinite(matrix[13]) ? (double)matrix[13] : 0.0;
  if (length > 0.0 && isfinite(length)) {
    eye.cosine = (double)matrix[0] / length;
    eye.sine = (double)matrix[1] / length;
  }
  return eye;
}

// Returns true if the position is between `begin` and `end`. A view at an edge of the screen continues beyond it.
static bool is_in_span(double position, double begin, double end, double screen_size) {
  return (position >= begin || begin <= 0) && (position < end || end >= screen_size);
}

static bool contains_point(const viewport_t *viewport, double logical_width, double logical_height, const double *xy) {
  double x = (double)viewport->x, y = (double)viewport->y;
  return is_in_span(xy[0], x, x + (double)viewport->width, logical_width) &&
         is_in_span(xy[1], y, y + (double)viewport->height, logical_height);
}

// Returns the topmost view at a point of the screen, or the bottommost view if no view contains the point. Returns NULL
// if there are no views.
static const viewport_t *find_viewport_at(const viewport_t *list, uint32_t count, double logical_width,
                                          double logical_height, const double *xy) {
  for (uint32_t i = count; i > 0; --i)
    if (contains_point(&list[i - 1], logical_width, logical_height, xy))
      return &list[i - 1];
  return count > 0 ? &list[0] : NULL;
}

static const viewport_t *find_viewport_of(const viewport_t *list, uint32_t count, shoal_entity camera) {
  for (uint32_t i = count; i > 0; --i)
    if (list[i - 1].camera == camera)
      return &list[i - 1];
  return NULL;
}

bool viewport_project(world_o *w, double logical_width, double logical_height, uint32_t players, bool to_world,
                      double *xy, shoal_entity *camera) {
  shoal_assert(xy && camera, "xy and camera must not be NULL");
  viewport_t list[VIEWPORTS_MAX];
  uint32_t count = viewports_list(w, (float)logical_width, (float)logical_height, players, list);
  const viewport_t *viewport = *camera     ? find_viewport_of(list, count, *camera)
                               : to_world  ? find_viewport_at(list, count, logical_width, logical_height, xy)
                               : count > 0 ? &list[0]
                                           : NULL;
  if (!viewport)
    return *camera == 0;
  *camera = viewport->camera;
  eye_t eye = read_eye(w, viewport, logical_width, logical_height);
  double centre_x = (double)viewport->x + (double)viewport->width * 0.5,
         centre_y = (double)viewport->y + (double)viewport->height * 0.5;
  double x = to_world ? (xy[0] - centre_x) / eye.zoom : (xy[0] - eye.x) * eye.zoom;
  double y = to_world ? (xy[1] - centre_y) / eye.zoom : (xy[1] - eye.y) * eye.zoom;
  double sine = to_world ? eye.sine : -eye.sine;
  xy[0] = (to_world ? eye.x : centre_x) + eye.cosine * x - sine * y;
  xy[1] = (to_world ? eye.y : centre_y) + sine * x + eye.cosine * y;
  return true;
}
