// Implements picking. The extent of an entity is the box around everything it draws, in the entity's coordinates.
// Circles, polygons and lines are tested exactly, because large parts of their boxes are empty; for all remaining
// visuals, the box is tested.
#include "overlay/picking.h"

#include "base/assert.h"
#include "camera/viewport.h"
#include "collision/collider.h"
#include "components/data_components.h"
#include "outline/outline.h"
#include "base/affine.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

#define MAX_POINTS 64u
#define HIT_TOLERANCE 4.0f // hit tolerance around boxes and lines, in pixels at 1280 × 720

typedef enum visual_kind_t { VISUAL_BODY, VISUAL_TILES, VISUAL_SPRITE, VISUAL_SHAPE, VISUAL_TEXT } visual_kind_t;
static const char *const COMPONENTS[] = {"body", "tilemap", "sprite", "shape", "text"};
#define VISUAL_COUNT (sizeof COMPONENTS / sizeof *COMPONENTS)

typedef struct box_t {
  float left, top, right, bottom; // rectangle in the entity's coordinates
  bool screen;                    // true if the entity is drawn in screen space, not in the world (text only)
} box_t;

typedef struct picker_t {
  const picking_view_t *view;
  const manager_o *transforms, *visuals[VISUAL_COUNT];
  const uint8_t *visible[VISUAL_COUNT]; // flags of the rows' visibility; NULL if all rows are visible
  const int32_t *layers[VISUAL_COUNT];  // drawing layers of the rows; NULL if all rows are in layer 0
  body_columns bodies;
  tilemap_columns tiles;
  sprite_columns sprites;
  shape_columns shapes;
  text_columns texts;
  transform_matrices_t matrices;
  double world_x, world_y; // the point in world coordinates
  float pixel;             // world units per pixel of a 1280 × 720 screen, at the point
} picker_t;

static const char *get_string(const picker_t *picker, uint32_t id) {
  return strings_text(world_strings(picker->view->world), id);
}

static void picker_init(picker_t *picker, const picking_view_t *view) {
  shoal_assert(view->world && view->width > 0 && view->height > 0,
               "the world must not be NULL, and the screen size must be positive, got %g × %g", (double)view->width,
               (double)view->height);
  *picker = (picker_t){.view = view, .transforms = world_find_manager(view->world, "transform"), .pixel = 1};
  for (size_t i = 0; i < VISUAL_COUNT; ++i)
    picker->visuals[i] = builtin_find(view->world, COMPONENTS[i]);
  picker->bodies = body_columns_of(picker->visuals[VISUAL_BODY]);
  picker->tiles = tilemap_columns_of(picker->visuals[VISUAL_TILES]);
  picker->sprites = sprite_columns_of(picker->visuals[VISUAL_SPRITE]);
  picker->shapes = shape_columns_of(picker->visuals[VISUAL_SHAPE]);
  picker->texts = text_columns_of(picker->visuals[VISUAL_TEXT]);
  const uint8_t *const visible[VISUAL_COUNT] = {NULL, picker->tiles.visible, picker->sprites.visible,
                                                picker->shapes.visible, picker->texts.visible};
  const int32_t *const layers[VISUAL_COUNT] = {NULL, picker->tiles.layer, picker->sprites.layer, picker->shapes.layer,
                                               picker->texts.layer};
  memcpy(picker->visible, visible, sizeof visible);
  memcpy(picker->layers, layers, sizeof layers);
  if (picker->transforms)
    transform_matrices_begin(&picker->matrices, picker->transforms);
}

static void picker_fini(picker_t *picker) {
  if (picker->transforms)
    transform_matrices_end(&picker->matrices);
}

static bool read_world_matrix(picker_t *picker, shoal_entity entity, float m[16]) {
  uint32_t row = picker->transforms ? manager_row(picker->transforms, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return false;
  transform_compute_world_matrix(&picker->matrices, row, m);
  return isfinite(m[12]) && isfinite(m[13]) && isfinite(m[0] + m[1] + m[4] + m[5]);
}

// --- boxes

static box_t compute_pivot_box(float width, float height, float pivot_x, float pivot_y) {
  return (box_t){-pivot_x * width, -pivot_y * height, (1 - pivot_x) * width, (1 - pivot_y) * height, false};
}

static bool compute_sprite_box(const picker_t *picker, uint32_t row, box_t *out) {
  const sprite_columns *sprites = &picker->sprites;
  float size[2] = {0, 0}, pivot[2] = {0.5f, 0.5f}, width = sprites->width[row], height = sprites->height[row];
  const char *image = get_string(picker, sprites->image[row]);
  if (!image[0])
    return false;
  if (picker->view->render)
    render_get_image_frame(picker->view->render, picker->view->sheets,
                           &(render_image_t){image, (int32_t)sprites->frame[row], (int32_t)sprites->frames[row]}, size,
                           pivot);
  *out = compute_pivot_box(width != 0 ? width : size[0], height != 0 ? height : size[1], pivot[0], pivot[1]);
  return true;
}

static uint32_t read_shape_points(const picker_t *picker, uint32_t row, float *xy) {
  const shape_columns *shapes = &picker->shapes;
  return outline_parse(get_string(picker, shapes->points[row]), xy, MAX_POINTS);
}

static bool compute_shape_box(const picker_t *picker, uint32_t row, box_t *out) {
  const shape_columns *shapes = &picker->shapes;
  uint32_t kind = (uint32_t)shapes->kind[row];
  float xy[2 * MAX_POINTS], radius = fabsf(shapes->radius[row]);
  if (kind == 0)
    *out = compute_pivot_box(2 * radius, 2 * radius, 0.5f, 0.5f);
  else if (kind == 1)
    *out = compute_pivot_box(shapes->width[row], shapes->height[row], 0.5f, 0.5f);
  uint32_t count = kind > 1 ? read_shape_points(picker, row, xy) : 0;
  for (uint32_t i = 0; i < count; ++i) {
    out->left = i == 0 ? xy[0] : fminf(out->left, xy[2 * i]);
    out->right = i == 0 ? xy[0] : fmaxf(out->right, xy[2 * i]);
    out->top = i == 0 ? xy[1] : fminf(out->top, xy[2 * i + 1]);
    out->bottom = i == 0 ? xy[1] : fmaxf(out->bottom, xy[2 * i + 1]);
  }
  return kind < 2 || count > 0;
}

static bool compute_text_box(const picker_t *picker, uint32_t row, box_t *out) {
  const text_columns *columns = &picker->texts;
  float width = 0, height = 0, size = columns->size[row], align = 0.5f * columns->align[row];
  text_style_t style = {.font = get_string(picker, columns->font[row]), .size = size, .wrap = columns->wrap[row]};
  const char *text = get_string(picker, columns->value[row]);
  if (!text[0])
    return false;
  if (picker->view->render)
    render_measure_text(picker->view->render, &style, text, &width, &height);
  width = width > 0 ? width : size;
  height = height > 0 ? height : size;
  *out = compute_pivot_box(width, height, align, 0.5f * columns->valign[row]);
  out->screen = columns->space[row] != 0;
  return true;
}

static bool compute_body_box(const picker_t *picker, uint32_t row, box_t *out) {
  const body_columns *bodies = &picker->bodies;
  float x = bodies->offset_x[row], y = bodies->offset_y[row], half_x = bodies->radius[row], half_y = half_x;
  if (bodies->kind[row] != 0) {
    half_x = bodies->width[row] / 2;
    half_y = bodies->height[row] / 2;
  }
  *out = (box_t){x - half_x, y - half_y, x + half_x, y + half_y, false};
  return true;
}

static bool compute_tiles_box(const picker_t *picker, const manager_o *manager, uint32_t row, box_t *out) {
  double size[6];
  if (!tilemap_size(picker->view->world, manager->owner[row], size, NULL))
    return false;
  *out = (box_t){0, 0, (float)(size[0] * size[4]), (float)(size[1] * size[5]), false};
  return true;
}

static bool compute_visual_box(const picker_t *picker, visual_kind_t kind, uint32_t row, box_t *out) {
  const manager_o *manager = picker->visuals[kind];
  bool ok = false;
  shoal_assert(manager && row < manager->count, "row %u of %s is out of range (count %u)", row, COMPONENTS[kind],
               manager ? manager->count : 0);
  switch (kind) {
  case VISUAL_BODY: ok = compute_body_box(picker, row, out); break;
  case VISUAL_TILES: ok = compute_tiles_box(picker, manager, row, out); break;
  case VISUAL_SPRITE: ok = compute_sprite_box(picker, row, out); break;
  case VISUAL_SHAPE: ok = compute_shape_box(picker, row, out); break;
  case VISUAL_TEXT: ok = compute_text_box(picker, row, out); break;
  }
  return ok && isfinite(out->left + out->top + out->right + out->bottom);
}

static void normalize_box(box_t *box) {
  box_t corners = *box;
  box->left = fminf(corners.left, corners.right);
  box->right = fmaxf(corners.left, corners.right);
  box->top = fminf(corners.top, corners.bottom);
  box->bottom = fmaxf(corners.top, corners.bottom);
}

// --- hit testing

// Transforms a point into the coordinates of the matrix. Returns true on success, or false if the matrix is singular.
static bool convert_to_local(const float matrix[16], double x, double y, double out[2]) {
  affine_t axes = {.ux = matrix[0], .uy = matrix[1], .vx = matrix[4], .vy = matrix[5]};
  // position relative to the matrix's origin, so that points far from the world's origin remain exact
  float relative[2];
  bool is_invertible =
      affine_apply_inverse(&axes, (float)(x - (double)matrix[12]), (float)(y - (double)matrix[13]), relative);
  out[0] = is_invertible ? (double)relative[0] : 0.0;
  out[1] = is_invertible ? (double)relative[1] : 0.0;
  return is_invertible;
}

static double compute_segment_distance(const float *a, const float *b, const double point[2]) {
  double dx = (double)(b[0] - a[0]), dy = (double)(b[1] - a[1]), length = dx * dx + dy * dy;
  double t = length > 0 ? ((point[0] - (double)a[0]) * dx + (point[1] - (double)a[1]) * dy) / length : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return hypot(point[0] - (double)a[0] - t * dx, point[1] - (double)a[1] - t * dy);
}

static bool is_inside_polygon(const float *xy, uint32_t count, const double point[2]) {
  bool inside = false;
  for (uint32_t i = 0, k = count - 1; i < count; k = i++) {
    double x1 = (double)xy[2 * i], y1 = (double)xy[2 * i + 1], x2 = (double)xy[2 * k], y2 = (double)xy[2 * k + 1];
    if ((y1 > point[1]) != (y2 > point[1]) && point[0] < (x2 - x1) * (point[1] - y1) / (y2 - y1) + x1)
      inside = !inside;
  }
  return inside;
}

static bool is_inside_shape(const picker_t *picker, uint32_t row, const double point[2], double tolerance) {
  const shape_columns *shapes = &picker->shapes;
  uint32_t kind = (uint32_t)shapes->kind[row];
  float xy[2 * MAX_POINTS];
  if (kind == 0)
    return hypot(point[0], point[1]) <= fabs(shapes->radius[row]) + tolerance / 2;
  if (kind == 1)
    return true;
  uint32_t count = read_shape_points(picker, row, xy);
  double nearest = INFINITY, max_distance = fmax(tolerance, shapes->thickness[row] / 2);
  for (uint32_t i = 0; i + 1 < count; ++i)
    nearest = fmin(nearest, compute_segment_distance(xy + 2 * i, xy + 2 * i + 2, point));
  return nearest <= max_distance || (kind == 2 && count > 2 && is_inside_polygon(xy, count, point));
}

static bool is_hit(picker_t *picker, visual_kind_t kind, uint32_t row, float x, float y) {
  const manager_o *manager = picker->visuals[kind];
  float matrix[16];
  box_t box;
  double local[2], scale, tolerance;
  if ((picker->visible[kind] && !picker->visible[kind][row]) ||
      !read_world_matrix(picker, manager->owner[row], matrix) || !compute_visual_box(picker, kind, row, &box))
    return false;
  if (!convert_to_local(matrix, box.screen ? (double)x : picker->world_x, box.screen ? (double)y : picker->world_y,
                        local))
    return false;
  scale = sqrt(fabs((double)(matrix[0] * matrix[5] - matrix[1] * matrix[4])));
  tolerance = (double)HIT_TOLERANCE * (box.screen ? 1 : (double)picker->pixel) / scale;
  normalize_box(&box);
  if (local[0] < (double)box.left - tolerance || local[0] > (double)box.right + tolerance ||
      local[1] < (double)box.top - tolerance || local[1] > (double)box.bottom + tolerance)
    return false;
  if (kind == VISUAL_BODY && picker->bodies.kind[row] == BODY_KIND_CIRCLE)
    return hypot(local[0] - (double)picker->bodies.offset_x[row], local[1] - (double)picker->bodies.offset_y[row]) <=
           (double)picker->bodies.radius[row] + tolerance / 2;
  return kind != VISUAL_SHAPE || is_inside_shape(picker, row, local, tolerance);
}

// An entity under the point. Entities with a greater `height` are drawn later.
typedef struct hit_t {
  shoal_entity entity;
  double height;
} hit_t;

static void insert_hit(hit_t *hits, uint32_t *count, hit_t hit) {
  uint32_t index = *count;
  shoal_assert(*count <= PICKING_MAX_HITS, "%u hits", *count);
  for (uint32_t i = 0; i < *count; ++i)
    if (hits[i].entity == hit.entity) {
      if (hits[i].height >= hit.height)
        return;
      memmove(hits + i, hits + i + 1, (--*count - i) * sizeof *hits);
      break;
    }
  if (*count == PICKING_MAX_HITS && hit.height <= hits[PICKING_MAX_HITS - 1].height)
    return;
  *count -= *count == PICKING_MAX_HITS;
  for (index = *count; index > 0 && hits[index - 1].height < hit.height; --index)
    hits[index] = hits[index - 1];
  hits[index] = hit;
  ++*count;
}

// Returns the position in drawing order: by layer, then by kind, then by row. Unlike the renderer, ignores the depth
// within a layer (transform.z, y_sort). Bodies, which are invisible, are lowest.
static double compute_draw_order(const picker_t *picker, visual_kind_t kind, uint32_t row) {
  return kind == VISUAL_BODY ? -1e15 + row
                             : (double)picker->layers[kind][row] * 1e5 + (double)kind * 1e4 + (double)row * 1e-5;
}

static void set_picked_point(picker_t *picker, float x, float y) {
  const picking_view_t *view = picker->view;
  double xy[2] = {(double)x, (double)y}, neighbour[2] = {(double)x + 1, (double)y};
  shoal_entity camera = 0;
  viewport_project(view->world, (double)view->width, (double)view->height, world_view_players(view->world), true, xy,
                   &camera);
  viewport_project(view->world, (double)view->width, (double)view->height, world_view_players(view->world), true,
                   neighbour, &camera);
  picker->world_x = xy[0];
  picker->world_y = xy[1];
  double unit = fmin((double)view->width / 1280, (double)view->height / 720);
  picker->pixel = (float)(hypot(neighbour[0] - xy[0], neighbour[1] - xy[1]) * unit);
}

static bool has_visual(const picker_t *picker, shoal_entity entity) {
  for (size_t i = 0; i < VISUAL_COUNT; ++i)
    if (picker->visuals[i] && manager_row(picker->visuals[i], entity) != ROW_NONE)
      return true;
  return false;
}

static void add_handle_hits(picker_t *picker, hit_t *hits, uint32_t *count) {
  const manager_o *widgets = builtin_find(picker->view->world, "widget");
  double half_size = (double)(PICKING_HANDLE_HALF_SIZE * picker->pixel);
  float matrix[16];
  for (uint32_t row = 0; picker->transforms && row < picker->transforms->count; ++row) {
    shoal_entity entity = picker->transforms->owner[row];
    if (has_visual(picker, entity) || (widgets && manager_row(widgets, entity) != ROW_NONE) ||
        !read_world_matrix(picker, entity, matrix))
      continue;
    if (fabs((double)matrix[12] - picker->world_x) <= half_size &&
        fabs((double)matrix[13] - picker->world_y) <= half_size)
      insert_hit(hits, count, (hit_t){entity, -1e18 + row});
  }
}

uint32_t picking_list_entities_at(const picking_view_t *view, float x, float y, shoal_entity *out, uint32_t max) {
  picker_t picker;
  hit_t hits[PICKING_MAX_HITS];
  uint32_t count = 0;
  shoal_assert(out && max > 0, "out must not be NULL, and max must not be 0");
  picker_init(&picker, view);
  set_picked_point(&picker, x, y);
  for (uint32_t kind = 0; kind < VISUAL_COUNT; ++kind)
    for (uint32_t row = 0; picker.visuals[kind] && row < picker.visuals[kind]->count; ++row)
      if (is_hit(&picker, (visual_kind_t)kind, row, x, y))
        insert_hit(hits, &count,
                   (hit_t){picker.visuals[kind]->owner[row], compute_draw_order(&picker, (visual_kind_t)kind, row)});
  add_handle_hits(&picker, hits, &count);
  picker_fini(&picker);
  count = count < max ? count : max;
  for (uint32_t i = 0; i < count; ++i)
    out[i] = hits[i].entity;
  return count;
}

shoal_entity picking_next_in_stack(const shoal_entity *stack, uint32_t count, shoal_entity picked) {
  for (uint32_t i = 0; i < count; ++i)
    if (stack[i] == picked)
      return stack[(i + 1) % count];
  return count > 0 ? stack[0] : 0;
}

uint32_t picking_list_in_box(const picking_view_t *view, float x1, float y1, float x2, float y2, shoal_entity *out,
                             uint32_t max) {
  picker_t picker;
  uint32_t count = 0;
  float matrix[16], left = fminf(x1, x2), right = fmaxf(x1, x2), top = fminf(y1, y2), bottom = fmaxf(y1, y2);
  picker_init(&picker, view);
  shoal_entity camera = 0;
  double corner[2] = {(double)x1, (double)y1};
  // stores in `camera` the camera whose view contains the first corner
  viewport_project(view->world, (double)view->width, (double)view->height, world_view_players(view->world), true,
                   corner, &camera);
  for (uint32_t row = 0; picker.transforms && row < picker.transforms->count && count < max; ++row) {
    shoal_entity entity = picker.transforms->owner[row];
    if (!has_visual(&picker, entity) || !read_world_matrix(&picker, entity, matrix))
      continue;
    double position[2] = {(double)matrix[12], (double)matrix[13]};
    shoal_entity seen_by = camera;
    if (!viewport_project(view->world, (double)view->width, (double)view->height, world_view_players(view->world),
                          false, position, &seen_by) &&
        camera != 0)
      continue;
    if (position[0] >= (double)left && position[0] <= (double)right && position[1] >= (double)top &&
        position[1] <= (double)bottom)
      out[count++] = entity;
  }
  picker_fini(&picker);
  return count;
}

// --- outline and moving

static bool compute_entity_box(picker_t *picker, shoal_entity entity, box_t *out) {
  bool found = false;
  for (uint32_t kind = 0; kind < VISUAL_COUNT; ++kind) {
    box_t box;
    uint32_t row = picker->visuals[kind] ? manager_row(picker->visuals[kind], entity) : ROW_NONE;
    if (row == ROW_NONE || (found && kind == VISUAL_BODY) ||
        !compute_visual_box(picker, (visual_kind_t)kind, row, &box))
      continue;
    normalize_box(&box);
    if (found && box.screen != out->screen)
      continue;
    *out = found ? (box_t){fminf(out->left, box.left), fminf(out->top, box.top), fmaxf(out->right, box.right),
                           fmaxf(out->bottom, box.bottom), box.screen}
                 : box;
    found = true;
  }
  return found && out->right > out->left && out->bottom > out->top;
}

bool picking_compute_outline(const picking_view_t *view, shoal_entity entity, shoal_entity camera, float xy[8]) {
  shoal_assert(xy, "xy must not be NULL");
  picker_t picker;
  float matrix[16];
  box_t box = {0};
  picker_init(&picker, view);
  bool is_shown = world_is_alive(view->world, entity) && read_world_matrix(&picker, entity, matrix);
  bool has_box = is_shown && compute_entity_box(&picker, entity, &box);
  picker_fini(&picker);
  float half_size = PICKING_HANDLE_HALF_SIZE * fminf(view->width / 1280.0f, view->height / 720.0f);
  for (int i = 0; is_shown && i < 4; ++i) {
    bool is_right = i == 1 || i == 2, is_bottom = i >= 2;
    double x = has_box ? (double)(is_right ? box.right : box.left) : 0,
           y = has_box ? (double)(is_bottom ? box.bottom : box.top) : 0;
    double corner[2] = {x * (double)matrix[0] + y * (double)matrix[4] + (double)matrix[12],
                        x * (double)matrix[1] + y * (double)matrix[5] + (double)matrix[13]};
    shoal_entity seen_by = camera;
    if (!box.screen)
      is_shown = viewport_project(view->world, (double)view->width, (double)view->height,
                                  world_view_players(view->world), false, corner, &seen_by) ||
                 camera == 0;
    xy[2 * i] = (float)corner[0] + (has_box ? 0 : is_right ? half_size : -half_size);
    xy[2 * i + 1] = (float)corner[1] + (has_box ? 0 : is_bottom ? half_size : -half_size);
  }
  return is_shown;
}

bool picking_compute_move(const picking_view_t *view, shoal_entity entity, float dx, float dy, double out[2]) {
  picker_t picker;
  float matrix[16], parent_matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  picker_init(&picker, view);
  bool is_placed = world_is_alive(view->world, entity) && read_world_matrix(&picker, entity, matrix);
  shoal_entity parent = is_placed ? transform_find_parent(view->world, entity) : 0;
  is_placed = is_placed && (parent == 0 || read_world_matrix(&picker, parent, parent_matrix));
  picker_fini(&picker);
  if (!is_placed)
    return false;
  double start[2] = {(double)matrix[12], (double)matrix[13]}, target[2];
  shoal_entity camera = 0;
  const manager_o *text = picker.visuals[VISUAL_TEXT];
  uint32_t row = text ? manager_row(text, entity) : ROW_NONE;
  bool is_screen_space = row != ROW_NONE && picker.texts.space[row] != 0;
  memcpy(target, start, sizeof target);
  bool is_visible = !is_screen_space && viewport_project(view->world, (double)view->width, (double)view->height,
                                                         world_view_players(view->world), false, target, &camera);
  target[0] += (double)dx;
  target[1] += (double)dy;
  if (is_visible)
    viewport_project(view->world, (double)view->width, (double)view->height, world_view_players(view->world), true,
                     target, &camera);
  parent_matrix[12] = parent_matrix[13] = 0;
  return convert_to_local(parent_matrix, target[0] - start[0], target[1] - start[1], out);
}
