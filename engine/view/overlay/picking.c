// Implements picking. The extent of an entity is the box around everything it draws, in the entity's coordinates.
// Circles, polygons and lines are tested exactly, because large parts of their boxes are empty; for all other visuals,
// the box is tested.
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
#define REACH 4.0f // hit tolerance around boxes and lines, in pixels at 1280 × 720

typedef enum visual_kind_t { VISUAL_BODY, VISUAL_TILES, VISUAL_SPRITE, VISUAL_SHAPE, VISUAL_TEXT } visual_kind_t;
static const char *const COMPONENTS[] = {"body", "tilemap", "sprite", "shape", "text"};
#define VISUALS (sizeof COMPONENTS / sizeof *COMPONENTS)

typedef struct box_t {
  float left, top, right, bottom; // in the entity's coordinates
  bool screen;                    // the entity is drawn in screen space, not in the world (only texts)
} box_t;

typedef struct picker_t {
  const picking_view_t *v;
  const manager_o *transforms, *visuals[VISUALS];
  const uint8_t *visible[VISUALS]; // NULL: all rows are visible
  const int32_t *layers[VISUALS];  // NULL: all rows are in layer 0
  body_columns bodies;
  tilemap_columns tiles;
  sprite_columns sprites;
  shape_columns shapes;
  text_columns texts;
  transform_matrices_t matrices;
  double world_x, world_y; // the point in world coordinates
  float pixel;             // world units per pixel of a 1280 × 720 screen, at the point
} picker_t;

static const char *get_string(const picker_t *l, uint32_t id) {
  return strings_text(world_strings(l->v->world), id);
}

static void picker_init(picker_t *l, const picking_view_t *v) {
  shoal_assert(v->world && v->width > 0 && v->height > 0,
               "the world must not be NULL, and the screen size must be positive, got %g × %g", (double)v->width,
               (double)v->height);
  *l = (picker_t){.v = v, .transforms = world_find_manager(v->world, "transform"), .pixel = 1};
  for (size_t i = 0; i < VISUALS; ++i)
    l->visuals[i] = builtin_find(v->world, COMPONENTS[i]);
  l->bodies = body_columns_of(l->visuals[VISUAL_BODY]);
  l->tiles = tilemap_columns_of(l->visuals[VISUAL_TILES]);
  l->sprites = sprite_columns_of(l->visuals[VISUAL_SPRITE]);
  l->shapes = shape_columns_of(l->visuals[VISUAL_SHAPE]);
  l->texts = text_columns_of(l->visuals[VISUAL_TEXT]);
  const uint8_t *const visible[VISUALS] = {NULL, l->tiles.visible, l->sprites.visible, l->shapes.visible,
                                           l->texts.visible};
  const int32_t *const layers[VISUALS] = {NULL, l->tiles.layer, l->sprites.layer, l->shapes.layer, l->texts.layer};
  memcpy(l->visible, visible, sizeof visible);
  memcpy(l->layers, layers, sizeof layers);
  if (l->transforms)
    transform_matrices_begin(&l->matrices, l->transforms);
}

static void picker_fini(picker_t *l) {
  if (l->transforms)
    transform_matrices_end(&l->matrices);
}

static bool read_world_matrix(picker_t *l, shoal_entity e, float m[16]) {
  uint32_t row = l->transforms ? manager_row(l->transforms, e) : ROW_NONE;
  if (row == ROW_NONE)
    return false;
  transform_compute_world_matrix(&l->matrices, row, m);
  return isfinite(m[12]) && isfinite(m[13]) && isfinite(m[0] + m[1] + m[4] + m[5]);
}

// --- boxes

static box_t compute_pivot_box(float width, float height, float pivot_x, float pivot_y) {
  return (box_t){-pivot_x * width, -pivot_y * height, (1 - pivot_x) * width, (1 - pivot_y) * height, false};
}

static bool compute_sprite_box(const picker_t *l, uint32_t row, box_t *out) {
  const sprite_columns *c = &l->sprites;
  float size[2] = {0, 0}, pivot[2] = {0.5f, 0.5f}, width = c->width[row], height = c->height[row];
  const char *image = get_string(l, c->image[row]);
  if (!image[0])
    return false;
  if (l->v->render)
    render_get_image_frame(l->v->render, l->v->sheets,
                           &(render_image_t){image, (int32_t)c->frame[row], (int32_t)c->frames[row]}, size, pivot);
  *out = compute_pivot_box(width != 0 ? width : size[0], height != 0 ? height : size[1], pivot[0], pivot[1]);
  return true;
}

static uint32_t read_shape_points(const picker_t *l, uint32_t row, float *xy) {
  const shape_columns *c = &l->shapes;
  return outline_parse(get_string(l, c->points[row]), xy, MAX_POINTS);
}

static bool compute_shape_box(const picker_t *l, uint32_t row, box_t *out) {
  const shape_columns *c = &l->shapes;
  uint32_t kind = (uint32_t)c->kind[row];
  float xy[2 * MAX_POINTS], radius = fabsf(c->radius[row]);
  if (kind == 0)
    *out = compute_pivot_box(2 * radius, 2 * radius, 0.5f, 0.5f);
  else if (kind == 1)
    *out = compute_pivot_box(c->width[row], c->height[row], 0.5f, 0.5f);
  uint32_t count = kind > 1 ? read_shape_points(l, row, xy) : 0;
  for (uint32_t i = 0; i < count; ++i) {
    out->left = i == 0 ? xy[0] : fminf(out->left, xy[2 * i]);
    out->right = i == 0 ? xy[0] : fmaxf(out->right, xy[2 * i]);
    out->top = i == 0 ? xy[1] : fminf(out->top, xy[2 * i + 1]);
    out->bottom = i == 0 ? xy[1] : fmaxf(out->bottom, xy[2 * i + 1]);
  }
  return kind < 2 || count > 0;
}

static bool compute_text_box(const picker_t *l, uint32_t row, box_t *out) {
  const text_columns *c = &l->texts;
  float width = 0, height = 0, size = c->size[row], align = 0.5f * c->align[row];
  text_style_t style = {.font = get_string(l, c->font[row]), .size = size, .wrap = c->wrap[row]};
  const char *text = get_string(l, c->value[row]);
  if (!text[0])
    return false;
  if (l->v->render)
    render_measure_text(l->v->render, &style, text, &width, &height);
  width = width > 0 ? width : size;
  height = height > 0 ? height : size;
  *out = compute_pivot_box(width, height, align, 0.5f * c->valign[row]);
  out->screen = c->space[row] != 0;
  return true;
}

static bool compute_body_box(const picker_t *l, uint32_t row, box_t *out) {
  const body_columns *c = &l->bodies;
  float x = c->offset_x[row], y = c->offset_y[row], half_x = c->radius[row], half_y = half_x;
  if (c->kind[row] != 0) {
    half_x = c->width[row] / 2;
    half_y = c->height[row] / 2;
  }
  *out = (box_t){x - half_x, y - half_y, x + half_x, y + half_y, false};
  return true;
}

static bool compute_tiles_box(const picker_t *l, const manager_o *m, uint32_t row, box_t *out) {
  double size[6];
  if (!tilemap_size(l->v->world, m->owner[row], size, NULL))
    return false;
  *out = (box_t){0, 0, (float)(size[0] * size[4]), (float)(size[1] * size[5]), false};
  return true;
}

static bool compute_visual_box(const picker_t *l, visual_kind_t kind, uint32_t row, box_t *out) {
  const manager_o *m = l->visuals[kind];
  bool ok = false;
  shoal_assert(m && row < m->count, "row %u of %s is out of range (count %u)", row, COMPONENTS[kind], m ? m->count : 0);
  switch (kind) {
  case VISUAL_BODY: ok = compute_body_box(l, row, out); break;
  case VISUAL_TILES: ok = compute_tiles_box(l, m, row, out); break;
  case VISUAL_SPRITE: ok = compute_sprite_box(l, row, out); break;
  case VISUAL_SHAPE: ok = compute_shape_box(l, row, out); break;
  case VISUAL_TEXT: ok = compute_text_box(l, row, out); break;
  }
  return ok && isfinite(out->left + out->top + out->right + out->bottom);
}

static void normalize_box(box_t *b) {
  box_t c = *b;
  b->left = fminf(c.left, c.right);
  b->right = fmaxf(c.left, c.right);
  b->top = fminf(c.top, c.bottom);
  b->bottom = fmaxf(c.top, c.bottom);
}

// --- hit testing

// Transforms a point into the coordinates of the matrix. Returns false if the matrix is singular.
static bool convert_to_local(const float m[16], double x, double y, double out[2]) {
  affine_t axes = {.ux = m[0], .uy = m[1], .vx = m[4], .vy = m[5]};
  float at[2]; // relative to the matrix's origin, so that points far from the world's origin remain exact
  bool exists = affine_apply_inverse(&axes, (float)(x - (double)m[12]), (float)(y - (double)m[13]), at);
  out[0] = exists ? (double)at[0] : 0.0;
  out[1] = exists ? (double)at[1] : 0.0;
  return exists;
}

static double distance_to_segment(const float *p, const float *q, const double at[2]) {
  double dx = (double)(q[0] - p[0]), dy = (double)(q[1] - p[1]), length = dx * dx + dy * dy;
  double t = length > 0 ? ((at[0] - (double)p[0]) * dx + (at[1] - (double)p[1]) * dy) / length : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return hypot(at[0] - (double)p[0] - t * dx, at[1] - (double)p[1] - t * dy);
}

static bool is_inside_polygon(const float *xy, uint32_t count, const double at[2]) {
  bool inside = false;
  for (uint32_t i = 0, k = count - 1; i < count; k = i++) {
    double x1 = (double)xy[2 * i], y1 = (double)xy[2 * i + 1], x2 = (double)xy[2 * k], y2 = (double)xy[2 * k + 1];
    if ((y1 > at[1]) != (y2 > at[1]) && at[0] < (x2 - x1) * (at[1] - y1) / (y2 - y1) + x1)
      inside = !inside;
  }
  return inside;
}

static bool is_inside_shape(const picker_t *l, uint32_t row, const double at[2], double reach) {
  const shape_columns *c = &l->shapes;
  uint32_t kind = (uint32_t)c->kind[row];
  float xy[2 * MAX_POINTS];
  if (kind == 0)
    return hypot(at[0], at[1]) <= fabs(c->radius[row]) + reach / 2;
  if (kind == 1)
    return true;
  uint32_t count = read_shape_points(l, row, xy);
  double nearest = INFINITY, wide = fmax(reach, c->thickness[row] / 2);
  for (uint32_t i = 0; i + 1 < count; ++i)
    nearest = fmin(nearest, distance_to_segment(xy + 2 * i, xy + 2 * i + 2, at));
  return nearest <= wide || (kind == 2 && count > 2 && is_inside_polygon(xy, count, at));
}

static bool is_hit(picker_t *l, visual_kind_t kind, uint32_t row, float x, float y) {
  const manager_o *m = l->visuals[kind];
  float matrix[16];
  box_t box;
  double at[2], scale, reach;
  if ((l->visible[kind] && !l->visible[kind][row]) || !read_world_matrix(l, m->owner[row], matrix) ||
      !compute_visual_box(l, kind, row, &box))
    return false;
  if (!convert_to_local(matrix, box.screen ? (double)x : l->world_x, box.screen ? (double)y : l->world_y, at))
    return false;
  scale = sqrt(fabs((double)(matrix[0] * matrix[5] - matrix[1] * matrix[4])));
  reach = (double)REACH * (box.screen ? 1 : (double)l->pixel) / scale;
  normalize_box(&box);
  if (at[0] < (double)box.left - reach || at[0] > (double)box.right + reach || at[1] < (double)box.top - reach ||
      at[1] > (double)box.bottom + reach)
    return false;
  if (kind == VISUAL_BODY && l->bodies.kind[row] == BODY_KIND_CIRCLE)
    return hypot(at[0] - (double)l->bodies.offset_x[row], at[1] - (double)l->bodies.offset_y[row]) <=
           (double)l->bodies.radius[row] + reach / 2;
  return kind != VISUAL_SHAPE || is_inside_shape(l, row, at, reach);
}

// An entity under the point. Entities with a greater `height` are drawn later.
typedef struct hit_t {
  shoal_entity entity;
  double height;
} hit_t;

static void insert_hit(hit_t *hits, uint32_t *count, hit_t hit) {
  uint32_t at = *count;
  shoal_assert(*count <= HITS_MAX, "%u hits", *count);
  for (uint32_t i = 0; i < *count; ++i)
    if (hits[i].entity == hit.entity) {
      if (hits[i].height >= hit.height)
        return;
      memmove(hits + i, hits + i + 1, (--*count - i) * sizeof *hits);
      break;
    }
  if (*count == HITS_MAX && hit.height <= hits[HITS_MAX - 1].height)
    return;
  *count -= *count == HITS_MAX;
  for (at = *count; at > 0 && hits[at - 1].height < hit.height; --at)
    hits[at] = hits[at - 1];
  hits[at] = hit;
  ++*count;
}

// Returns the position in drawing order: by layer, then by kind, then by row. Unlike the renderer, ignores the depth
// within a layer (transform.z, y_sort). Bodies, which are invisible, are lowest.
static double compute_draw_order(const picker_t *l, visual_kind_t kind, uint32_t row) {
  return kind == VISUAL_BODY ? -1e15 + row
                             : (double)l->layers[kind][row] * 1e5 + (double)kind * 1e4 + (double)row * 1e-5;
}

static void set_picked_point(picker_t *l, float x, float y) {
  const picking_view_t *v = l->v;
  double xy[2] = {(double)x, (double)y}, beside[2] = {(double)x + 1, (double)y};
  shoal_entity camera = 0;
  viewport_project(v->world, (double)v->width, (double)v->height, true, xy, &camera);
  viewport_project(v->world, (double)v->width, (double)v->height, true, beside, &camera);
  l->world_x = xy[0];
  l->world_y = xy[1];
  double unit = fmin((double)v->width / 1280, (double)v->height / 720);
  l->pixel = (float)(hypot(beside[0] - xy[0], beside[1] - xy[1]) * unit);
}

static bool has_visual(const picker_t *l, shoal_entity e) {
  for (size_t i = 0; i < VISUALS; ++i)
    if (l->visuals[i] && manager_row(l->visuals[i], e) != ROW_NONE)
      return true;
  return false;
}

static void add_handle_hits(picker_t *l, hit_t *hits, uint32_t *count) {
  const manager_o *widgets = builtin_find(l->v->world, "widget");
  double reach = (double)(HITS_HANDLE * l->pixel);
  float m[16];
  for (uint32_t row = 0; l->transforms && row < l->transforms->count; ++row) {
    shoal_entity e = l->transforms->owner[row];
    if (has_visual(l, e) || (widgets && manager_row(widgets, e) != ROW_NONE) || !read_world_matrix(l, e, m))
      continue;
    if (fabs((double)m[12] - l->world_x) <= reach && fabs((double)m[13] - l->world_y) <= reach)
      insert_hit(hits, count, (hit_t){e, -1e18 + row});
  }
}

uint32_t picking_list_entities_at(const picking_view_t *v, float x, float y, shoal_entity *out, uint32_t max) {
  picker_t l;
  hit_t hits[HITS_MAX];
  uint32_t count = 0;
  shoal_assert(out && max > 0, "out must not be NULL, and max must not be 0");
  picker_init(&l, v);
  set_picked_point(&l, x, y);
  for (uint32_t kind = 0; kind < VISUALS; ++kind)
    for (uint32_t row = 0; l.visuals[kind] && row < l.visuals[kind]->count; ++row)
      if (is_hit(&l, (visual_kind_t)kind, row, x, y))
        insert_hit(hits, &count,
                   (hit_t){l.visuals[kind]->owner[row], compute_draw_order(&l, (visual_kind_t)kind, row)});
  add_handle_hits(&l, hits, &count);
  picker_fini(&l);
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

uint32_t picking_list_in_box(const picking_view_t *v, float x1, float y1, float x2, float y2, shoal_entity *out,
                             uint32_t max) {
  picker_t l;
  uint32_t count = 0;
  float m[16], left = fminf(x1, x2), right = fmaxf(x1, x2), top = fminf(y1, y2), bottom = fmaxf(y1, y2);
  picker_init(&l, v);
  shoal_entity camera = 0;
  double where[2] = {(double)x1, (double)y1};
  // Stores the camera whose view contains the first corner in `camera`.
  viewport_project(v->world, (double)v->width, (double)v->height, true, where, &camera);
  for (uint32_t row = 0; l.transforms && row < l.transforms->count && count < max; ++row) {
    shoal_entity e = l.transforms->owner[row];
    if (!has_visual(&l, e) || !read_world_matrix(&l, e, m))
      continue;
    double at[2] = {(double)m[12], (double)m[13]};
    shoal_entity seen = camera;
    if (!viewport_project(v->world, (double)v->width, (double)v->height, false, at, &seen) && camera != 0)
      continue;
    if (at[0] >= (double)left && at[0] <= (double)right && at[1] >= (double)top && at[1] <= (double)bottom)
      out[count++] = e;
  }
  picker_fini(&l);
  return count;
}

// --- outline and moving

static bool compute_entity_box(picker_t *l, shoal_entity e, box_t *all) {
  bool any = false;
  for (uint32_t kind = 0; kind < VISUALS; ++kind) {
    box_t box;
    uint32_t row = l->visuals[kind] ? manager_row(l->visuals[kind], e) : ROW_NONE;
    if (row == ROW_NONE || (any && kind == VISUAL_BODY) || !compute_visual_box(l, (visual_kind_t)kind, row, &box))
      continue;
    normalize_box(&box);
    if (any && box.screen != all->screen)
      continue;
    *all = any ? (box_t){fminf(all->left, box.left), fminf(all->top, box.top), fmaxf(all->right, box.right),
                         fmaxf(all->bottom, box.bottom), box.screen}
               : box;
    any = true;
  }
  return any && all->right > all->left && all->bottom > all->top;
}

bool picking_compute_outline(const picking_view_t *v, shoal_entity e, shoal_entity camera, float xy[8]) {
  shoal_assert(xy, "xy must not be NULL");
  picker_t l;
  float m[16];
  box_t box = {0};
  picker_init(&l, v);
  bool there = world_is_alive(v->world, e) && read_world_matrix(&l, e, m);
  bool has_box = there && compute_entity_box(&l, e, &box);
  picker_fini(&l);
  float half = HITS_HANDLE * fminf(v->width / 1280.0f, v->height / 720.0f);
  for (int i = 0; there && i < 4; ++i) {
    bool right = i == 1 || i == 2, low = i >= 2;
    double x = has_box ? (double)(right ? box.right : box.left) : 0,
           y = has_box ? (double)(low ? box.bottom : box.top) : 0;
    double at[2] = {x * (double)m[0] + y * (double)m[4] + (double)m[12],
                    x * (double)m[1] + y * (double)m[5] + (double)m[13]};
    shoal_entity seen = camera;
    if (!box.screen)
      there = viewport_project(v->world, (double)v->width, (double)v->height, false, at, &seen) || camera == 0;
    xy[2 * i] = (float)at[0] + (has_box ? 0 : right ? half : -half);
    xy[2 * i + 1] = (float)at[1] + (has_box ? 0 : low ? half : -half);
  }
  return there;
}

bool picking_compute_move(const picking_view_t *v, shoal_entity e, float dx, float dy, double out[2]) {
  picker_t l;
  float m[16], inner[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  picker_init(&l, v);
  bool there = world_is_alive(v->world, e) && read_world_matrix(&l, e, m);
  shoal_entity parent = there ? transform_find_parent(v->world, e) : 0;
  there = there && (parent == 0 || read_world_matrix(&l, parent, inner));
  picker_fini(&l);
  if (!there)
    return false;
  double from[2] = {(double)m[12], (double)m[13]}, to[2];
  shoal_entity camera = 0;
  const manager_o *text = l.visuals[VISUAL_TEXT];
  uint32_t row = text ? manager_row(text, e) : ROW_NONE;
  bool screen = row != ROW_NONE && l.texts.space[row] != 0;
  memcpy(to, from, sizeof to);
  bool seen = !screen && viewport_project(v->world, (double)v->width, (double)v->height, false, to, &camera);
  to[0] += (double)dx;
  to[1] += (double)dy;
  if (seen)
    viewport_project(v->world, (double)v->width, (double)v->height, true, to, &camera);
  inner[12] = inner[13] = 0;
  return convert_to_local(inner, to[0] - from[0], to[1] - from[1], out);
}
