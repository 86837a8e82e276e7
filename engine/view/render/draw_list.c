// Drawing order: creates a sort key for each item, sorts the items, and emits them in that order.
#include "base/assert.h"
#include "components/data_components.h"
#include "particles/trail.h"
#include "render/particle_batches.h"
#include "render/emit_text.h"
#include "render/frame.h"
#include "render/passes.h"
#include "render/render.h"
#include "render/visible_lights.h"
#include "render/tile_layers.h"
#include "outline/triangulate.h"

#include <math.h>
#include <string.h>

// Sort key: space (1 bit), layer (32), kind (3), row or call number (28). Within a layer, items are first sorted by
// depth: transform.z (32 bits), then y_sort (32 bits; 0 without it).
typedef enum item_kind_t {
  ITEM_TILES,
  ITEM_SPRITE,
  ITEM_SHAPE,
  ITEM_CLOUD,
  ITEM_TRAIL,
  ITEM_TEXT,
  ITEM_DRAW
} item_kind_t;
#define KEY_ROW_BITS 28u
#define KEY_LAYER_SHIFT 31u
#define KEY_SCREEN (1ull << 63)

enum { SHAPE_CIRCLE, SHAPE_RECT, SHAPE_POLYGON, SHAPE_LINE };

typedef struct collect_t {
  frame_t *frame;
  const frame_desc_t *desc;
  strings_o *strings;
  const manager_o *transform;                                        // may be NULL
  manager_o *sprite, *shape, *text, *text_style, *y_sort, *material; // may be NULL
  const float *y_offset;
  bool deep; // true if any item has a depth
  sprite_columns sprites;
  shape_columns shapes;
  text_columns texts;
  text_style_columns text_styles;
  material_columns materials;
} collect_t;

static manager_o *find_nonempty_component(world_o *w, const char *name) {
  manager_o *m = builtin_find(w, name);
  return m && m->count > 0 ? m : NULL;
}

static bool has_depth(const manager_o *transform) {
  const float *z = transform_columns_of(transform).z;
  for (uint32_t i = 0; i < transform->count; ++i)
    if (z[i] != 0.0f)
      return true;
  return false;
}

static void bind_world(collect_t *c) {
  world_o *w = c->desc->world;
  poses_begin(&c->frame->poses, w, c->desc->alpha);
  if (!w)
    return;
  c->strings = world_strings(w);
  c->transform = c->frame->poses.transform;
  if (!c->transform)
    return;
  c->sprite = world_find_manager(w, "sprite");
  c->shape = world_find_manager(w, "shape");
  c->text = world_find_manager(w, "text");
  c->text_style = find_nonempty_component(w, "text_style");
  c->y_sort = find_nonempty_component(w, "y_sort");
  c->y_offset = y_sort_columns_of(c->y_sort).offset;
  c->deep = c->y_sort || has_depth(c->transform);
  c->material = find_nonempty_component(w, "material");
  c->sprites = sprite_columns_of(c->sprite);
  c->shapes = shape_columns_of(c->shape);
  c->texts = text_columns_of(c->text);
  c->text_styles = text_style_columns_of(c->text_style);
  c->materials = material_columns_of(c->material);
}

static bool is_hidden(const collect_t *c, const manager_o *m, uint32_t row) {
  return world_is_disabled(c->desc->world, m->owner[row], m->id);
}

// --- the camera

static float interpolate(float a, float b, float t) {
  return a + (b - a) * t;
}

static float compute_shake_noise(uint64_t tick, uint32_t axis) {
  uint64_t x = (tick * 2u + axis) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (float)((x >> 40) & 0xFFFF) / 32768.0f - 1.0f;
}

static float finite_or(float x, float otherwise) {
  return isfinite(x) ? x : otherwise;
}

// Stores the range of sort keys for the layers that a camera shows.
static void set_layer_range(world_o *w, camera_view_t *v) {
  int32_t first, last;
  camera_layers_read(w, v->camera, &first, &last);
  v->first = (uint64_t)((uint32_t)first ^ 0x80000000u) << KEY_LAYER_SHIFT;
  v->end = ((uint64_t)((uint32_t)last ^ 0x80000000u) + 1u) << KEY_LAYER_SHIFT;
}

static void read_vec4(const float *const columns[4], uint32_t row, float out[4]) {
  for (int i = 0; i < 4; ++i)
    out[i] = columns[i][row];
}

static void set_camera_view(collect_t *c, const manager_o *m, const viewport_t *from) {
  view_t *v = &c->frame->view;
  camera_view_t *to = &c->frame->views[c->frame->view_count];
  camera_columns cameras = camera_columns_of(m);
  uint32_t row = from->row;
  float logical_x = (float)c->desc->logical_width, logical_y = (float)c->desc->logical_height;
  affine_t pose = {1.0f, 0.0f, 0.0f, 1.0f, logical_x * 0.5f, logical_y * 0.5f};
  poses_find(&c->frame->poses, m->owner[row], &pose);
  float length = sqrtf(pose.ux * pose.ux + pose.uy * pose.uy);
  float cosine = length > 0.0f ? pose.ux / length : 1.0f, sine = length > 0.0f ? pose.uy / length : 0.0f;
  float k = cameras.zoom[row] > 0.0f && isfinite(cameras.zoom[row]) ? cameras.zoom[row] : 1.0f;
  affine_t turn = {
      cosine * k, -sine * k, sine * k, cosine * k, from->x + from->width * 0.5f, from->y + from->height * 0.5f};
  affine_t away = {1.0f, 0.0f, 0.0f, 1.0f, -finite_or(pose.x, 0.0f), -finite_or(pose.y, 0.0f)};
  float strength = finite_or(cameras.shake[row], 0.0f);
  uint64_t tick = world_tick(c->desc->world);
  turn.x += strength * interpolate(compute_shake_noise(tick, 0), compute_shake_noise(tick + 1, 0), c->desc->alpha);
  turn.y += strength * interpolate(compute_shake_noise(tick, 1), compute_shake_noise(tick + 1, 1), c->desc->alpha);
  affine_t seen = affine_multiply(&turn, &away);
  affine_t corner = {1.0f, 0.0f, 0.0f, 1.0f, from->x, from->y};
  *to = (camera_view_t){.camera = from->camera,
                        .world = affine_multiply(&v->screen, &seen),
                        .screen = affine_multiply(&v->screen, &corner)};
  set_layer_range(c->desc->world, to);
  v->bloom = cameras.bloom[row] > v->bloom ? fminf(cameras.bloom[row], 1.0f) : v->bloom;
  const float *const background[4] = SHOAL_VEC4_PARTS(cameras.background);
  float straight[4];
  read_vec4(background, row, straight);
  straight[3] = c->desc->canvas ? straight[3] : 1.0f;
  emit_premultiply_colour(straight, false, to->background);
  c->frame->view_count++;
}

static int32_t round_to_pixel(float x, float max) {
  return (int32_t)floorf(fminf(fmaxf(x, 0.0f), max) + 0.5f);
}

// Stores the part of the image that the view covers. Removes the view if this part is empty.
static void set_view_clip(frame_t *f, const viewport_t *from) {
  camera_view_t *to = &f->views[f->view_count - 1];
  const affine_t *k = &f->view.screen;
  to->clip[0] = round_to_pixel(from->x * k->ux, f->view.width);
  to->clip[1] = round_to_pixel(from->y * k->vy, f->view.height);
  to->clip[2] = round_to_pixel((from->x + from->width) * k->ux, f->view.width);
  to->clip[3] = round_to_pixel((from->y + from->height) * k->vy, f->view.height);
  bool is_all = to->clip[0] == 0 && to->clip[1] == 0 && to->clip[2] >= (int32_t)f->view.width &&
                to->clip[3] >= (int32_t)f->view.height;
  to->clipped = !is_all;
  if (to->clip[2] <= to->clip[0] || to->clip[3] <= to->clip[1])
    f->view_count--;
}

static uint32_t list_views(const frame_desc_t *d, viewport_t *list) {
  const canvas_t *k = d->canvas;
  if (!k)
    return viewports_list(d->world, (float)d->logical_width, (float)d->logical_height, list);
  list[0] = (viewport_t){.camera = k->camera, .row = k->row, .width = (float)k->width, .height = (float)k->height};
  return 1;
}

static void set_view(collect_t *c) {
  const frame_desc_t *d = c->desc;
  frame_t *f = c->frame;
  affine_t plain = {d->scale_x, 0.0f, 0.0f, d->scale_y, 0.0f, 0.0f};
  f->view = (view_t){.world = plain,
                     .screen = plain,
                     .width = d->width,
                     .height = d->height,
                     .background = {0.02f, 0.02f, 0.05f, 1.0f}};
  f->view_count = 0;
  const manager_o *m = d->world ? world_find_manager(d->world, "camera") : NULL;
  viewport_t list[VIEWPORTS_MAX];
  uint32_t count = m ? list_views(d, list) : 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t before = f->view_count;
    set_camera_view(c, m, &list[i]);
    if (f->view_count > before)
      set_view_clip(f, &list[i]);
  }
  if (f->view_count > 0 && !f->views[0].clipped)
    memcpy(f->view.background, f->views[0].background, sizeof f->view.background);
  else if (f->view_count > 0) // colour of the area between the views
    memcpy(f->view.background, (const float[4]){0.0f, 0.0f, 0.0f, 1.0f}, sizeof f->view.background);
  else
    f->views[f->view_count++] = (camera_view_t){.world = plain, .screen = plain, .end = KEY_SCREEN};
}

// --- order

// Maps a float to a positive integer with the same order. NaN sorts first.
static uint32_t convert_to_ordered_bits(float x) {
  uint32_t bits;
  if (x != x)
    return 1;
  memcpy(&bits, &x, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static uint64_t compute_depth(const collect_t *c, shoal_entity e) {
  uint32_t row = c->transform ? manager_row(c->transform, e) : ROW_NONE;
  uint32_t sorted = c->y_sort ? manager_row(c->y_sort, e) : ROW_NONE;
  if (row == ROW_NONE)
    return 0;
  float at[16];
  transform_compute_world_matrix(&c->frame->poses.matrices, row, at);
  uint32_t y = sorted == ROW_NONE ? 0 : convert_to_ordered_bits(at[13] + c->y_offset[sorted]);
  return (uint64_t)convert_to_ordered_bits(at[14]) << 32 | y;
}

static void add_sort_item(collect_t *c, uint64_t depth, bool screen, int32_t layer, item_kind_t kind, uint32_t row) {
  shoal_assert(row < 1u << KEY_ROW_BITS, "row %u does not fit in a sort key", row);
  frame_t *f = c->frame;
  uint64_t key = (screen ? KEY_SCREEN : 0u) | (uint64_t)((uint32_t)layer ^ 0x80000000u) << KEY_LAYER_SHIFT |
                 (uint64_t)kind << KEY_ROW_BITS | row;
  sort_item_t item = {key, c->deep ? depth : 0};
  array_push(&f->allocator, &f->order, item);
}

// Adds an item. `e`: entity that determines the item's depth, or 0 for an item without a position.
static void add_entity_item(collect_t *c, shoal_entity e, bool screen, int32_t layer, item_kind_t kind, uint32_t row) {
  uint64_t depth = !c->deep ? 0 : e ? compute_depth(c, e) : (uint64_t)convert_to_ordered_bits(0.0f) << 32;
  add_sort_item(c, depth, screen, layer, kind, row);
}

static void add_row_item(collect_t *c, const manager_o *m, bool screen, int32_t layer, item_kind_t kind, uint32_t row) {
  add_entity_item(c, m ? m->owner[row] : 0, screen, layer, kind, row);
}

static uint32_t get_radix_digit(const sort_item_t *item, uint32_t number) {
  return (uint32_t)(number < 8 ? item->depth >> 8 * number : item->key >> (KEY_LAYER_SHIFT + 8 * (number - 8))) & 255u;
}

// LSD radix sort. It is stable, and items were added in the order of kind, row and call; therefore only the 8 bytes of
// depth and the 5 bytes of layer and space need sorting. Bytes that are equal in all items are skipped.
static void sort_items(frame_t *f) {
  uint32_t count = f->order.count;
  if (f->sort_capacity < count)
    f->sort_scratch = array_grow(&f->allocator, f->sort_scratch, &f->sort_capacity, count, sizeof *f->sort_scratch);
  sort_item_t *from = f->order.items, *to = f->sort_scratch;
  for (uint32_t number = 0; number < 13 && count > 0; ++number) {
    uint32_t starts[257] = {0};
    for (uint32_t i = 0; i < count; ++i)
      starts[get_radix_digit(&from[i], number) + 1]++;
    if (starts[get_radix_digit(&from[0], number) + 1] == count)
      continue;
    for (uint32_t i = 1; i < 257; ++i)
      starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < count; ++i)
      to[starts[get_radix_digit(&from[i], number)]++] = from[i];
    sort_item_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != f->order.items)
    memcpy(f->order.items, from, count * sizeof *from);
}

// Adds the visible particle clouds. Like all motion, particles are interpolated between two ticks.
static void add_clouds(collect_t *c) {
  frame_t *f = c->frame;
  world_o *w = c->transform ? c->desc->world : NULL;
  particle_batches_list(f, w, f->poses.can_interpolate ? (1.0 - (double)c->desc->alpha) * world_dt_s(w) : 0);
  for (uint32_t i = 0; i < f->clouds.count; ++i) {
    const particle_cloud_t *cloud = &f->clouds.items[i];
    uint64_t depth =
        cloud->entity && c->deep ? compute_depth(c, cloud->entity) : (uint64_t)convert_to_ordered_bits(cloud->z) << 32;
    add_sort_item(c, depth, false, cloud->layer, ITEM_CLOUD, i);
  }
}

static void add_trails(collect_t *c) {
  const manager_o *m = c->transform ? find_nonempty_component(c->desc->world, "trail") : NULL;
  int32_t layer;
  for (uint32_t i = 0; m && i < m->count; ++i)
    if (trail_is_visible(c->desc->world, i, &layer))
      add_row_item(c, m, false, layer, ITEM_TRAIL, i);
}

static void add_items(collect_t *c) {
  c->frame->order.count = 0;
  tile_layers_list(c->frame, c->transform ? c->desc->world : NULL);
  for (uint32_t i = 0; i < c->frame->tile_layers.count; ++i)
    add_entity_item(c, c->frame->tile_layers.items[i].entity, false, c->frame->tile_layers.items[i].order, ITEM_TILES,
                    i);
  for (uint32_t i = 0; c->sprite && i < c->sprite->count; ++i)
    if (c->sprites.visible[i] && !is_hidden(c, c->sprite, i))
      add_row_item(c, c->sprite, false, c->sprites.layer[i], ITEM_SPRITE, i);
  for (uint32_t i = 0; c->shape && i < c->shape->count; ++i)
    if (c->shapes.visible[i] && !is_hidden(c, c->shape, i))
      add_row_item(c, c->shape, false, c->shapes.layer[i], ITEM_SHAPE, i);
  add_clouds(c);
  add_trails(c);
  for (uint32_t i = 0; c->text && c->desc->type && i < c->text->count; ++i)
    if (c->texts.visible[i] && !is_hidden(c, c->text, i))
      add_row_item(c, c->text, c->texts.space[i] != 0, c->texts.layer[i], ITEM_TEXT, i);
  const draw_o *d = c->desc->draw;
  for (uint32_t i = 0; d && i < d->commands.count; ++i) {
    const draw_command_t *k = &d->commands.items[i];
    add_sort_item(c,
                  (uint64_t)convert_to_ordered_bits(0.0f) << 32 | (k->sorted ? convert_to_ordered_bits(k->depth) : 0),
                  k->screen, k->layer, ITEM_DRAW, i);
  }
  sort_items(c->frame);
}

// --- components

static void read_colour(const float *const columns[4], uint32_t row, bool add, float out[4]) {
  const float straight[4] = {columns[0][row], columns[1][row], columns[2][row], columns[3][row]};
  emit_premultiply_colour(straight, add, out);
}

static image_t find_image(collect_t *c, uint32_t id) {
  frame_t *f = c->frame;
  while (f->images_by_id.count <= id) {
    image_memo_t none = {0};
    array_push(&f->allocator, &f->images_by_id, none);
  }
  shoal_assert(f->images_by_id.items, "image %u is out of range (count 0)", id);
  image_memo_t *memo = &f->images_by_id.items[id];
  if (memo->frame != f->number) {
    memo->image = f->images.find(f->images.context, strings_text(c->strings, id));
    memo->frame = f->number;
  }
  return memo->image;
}

// An image, or a frame of its sheet, to be drawn in the entity's coordinates, with the pivot of the frame at the
// origin.
typedef struct picture_t {
  image_t image;
  sheet_frame_t frame;
  float pivot[2], width, height; // size and pivot of the untrimmed frame as drawn
  bool flip_x, flip_y;
  const material_look_t *material; // may be NULL
} picture_t;

static sheet_frame_t get_strip_frame(const image_t *image, int32_t number, int32_t frames) {
  frames = frames > 0 ? frames : 1;
  int32_t at = (number - 1) % frames;
  at += at < 0 ? frames : 0;
  float step = (float)image->width / (float)frames, height = (float)image->height;
  return (sheet_frame_t){
      .x = step * (float)at, .width = step, .height = height, .full_width = step, .full_height = height};
}

// Emits one rectangle of the frame. `texels` is the rectangle in the image, `to` the destination.
static void emit_frame_part(frame_t *f, const affine_t *m, const picture_t *p, const float texels[4], const float to[4],
                            const float colour[4]) {
  float middle_x = (to[0] + to[2]) * 0.5f, middle_y = (to[1] + to[3]) * 0.5f, from[4];
  affine_t at = *m;
  affine_apply(m, p->flip_x ? -middle_x : middle_x, p->flip_y ? -middle_y : middle_y, &at.x, &at.y);
  for (int i = 0; i < 4; ++i)
    from[i] = texels[(i % 2 == 0 ? p->flip_x : p->flip_y) ? (i + 2) % 4 : i];
  emit_image(f, &at, &p->image, to[2] - to[0], to[3] - to[1], from, colour, p->material);
}

// Computes the positions of the cuts between two fixed borders and the stretched middle part. Borders shrink if they do
// not fit.
static void compute_border_cuts(float first, float last, float size, float cuts[4]) {
  float k = first + last > fabsf(size) ? fabsf(size) / (first + last) : 1.0f;
  cuts[0] = 0.0f;
  cuts[1] = first * k;
  cuts[2] = size - last * k;
  cuts[3] = size;
}

// Emits a nine-slice image: corners keep their size, sides are stretched along one axis, the middle part along both.
static void emit_nine_slice(frame_t *f, const affine_t *m, const picture_t *p, const float colour[4]) {
  const float *border = p->image.sheet->border;
  const sheet_frame_t *s = &p->frame;
  float x[4], y[4];
  const float u[4] = {s->x, s->x + border[0], s->x + s->width - border[2], s->x + s->width};
  const float v[4] = {s->y, s->y + border[1], s->y + s->height - border[3], s->y + s->height};
  compute_border_cuts(border[0], border[2], p->width, x);
  compute_border_cuts(border[1], border[3], p->height, y);
  for (int i = 0; i < 9; ++i) {
    int a = i % 3, b = i / 3;
    const float from[4] = {u[a], v[b], u[a + 1], v[b + 1]};
    const float to[4] = {x[a] - p->pivot[0] * p->width, y[b] - p->pivot[1] * p->height,
                         x[a + 1] - p->pivot[0] * p->width, y[b + 1] - p->pivot[1] * p->height};
    if (from[2] > from[0] && from[3] > from[1] && to[2] > to[0] && to[3] > to[1])
      emit_frame_part(f, m, p, from, to, colour);
  }
}

static bool has_border(const sheet_t *s) {
  return s && (s->border[0] > 0.0f || s->border[1] > 0.0f || s->border[2] > 0.0f || s->border[3] > 0.0f);
}

static void emit_frame_image(frame_t *f, const affine_t *m, const picture_t *p, const float colour[4]) {
  const sheet_frame_t *s = &p->frame;
  if (has_border(p->image.sheet) && (p->width != s->full_width || p->height != s->full_height)) {
    emit_nine_slice(f, m, p, colour);
    return;
  }
  float kx = s->full_width > 0.0f ? p->width / s->full_width : 0.0f;
  float ky = s->full_height > 0.0f ? p->height / s->full_height : 0.0f;
  float left = s->left * kx - p->pivot[0] * p->width, top = s->top * ky - p->pivot[1] * p->height;
  const float from[4] = {s->x, s->y, s->x + s->width, s->y + s->height};
  const float to[4] = {left, top, left + s->width * kx, top + s->height * ky};
  emit_frame_part(f, m, p, from, to, colour);
}

static bool read_material(const collect_t *c, shoal_entity e, material_look_t *out) {
  const material_columns *o = &c->materials;
  uint32_t row = c->material ? manager_row(c->material, e) : ROW_NONE;
  if (row == ROW_NONE || is_hidden(c, c->material, row))
    return false;
  const float *const flash[4] = SHOAL_VEC4_PARTS(o->flash);
  const float *const outline[4] = SHOAL_VEC4_PARTS(o->outline);
  const float *const dissolve_colour[4] = SHOAL_VEC4_PARTS(o->dissolve_colour);
  read_vec4(flash, row, out->flash);
  read_vec4(outline, row, out->outline);
  read_vec4(dissolve_colour, row, out->dissolve_colour);
  out->outline_width = o->outline_width[row];
  out->dissolve = o->dissolve[row];
  return out->flash[3] > 0.0f || out->outline[3] > 0.0f || out->dissolve > 0.0f;
}

static void emit_tile_layer(collect_t *c, const tile_layer_t *layer) {
  world_o *w = c->desc->world;
  affine_t pose;
  if (!poses_find(&c->frame->poses, layer->entity, &pose))
    return;
  affine_t m = affine_multiply(&c->frame->view.world, &pose);
  tile_layers_emit(c->frame, w, layer, &m);
}

static void emit_cloud(collect_t *c, const particle_cloud_t *cloud) {
  affine_t pose;
  if (!cloud->local) {
    particle_batches_emit(c->frame, cloud, &c->frame->view.world);
  } else if (poses_find(&c->frame->poses, cloud->entity, &pose)) {
    affine_t m = affine_multiply(&c->frame->view.world, &pose);
    particle_batches_emit(c->frame, cloud, &m);
  }
}

static void emit_trail(collect_t *c, uint32_t row) {
  frame_t *f = c->frame;
  world_o *w = c->desc->world;
  const manager_o *m = builtin_find(w, "trail");
  affine_t pose;
  trail_t t;
  double back_s = f->poses.can_interpolate ? (1.0 - (double)c->desc->alpha) * world_dt_s(w) : 0;
  if (!poses_find(&c->frame->poses, m->owner[row], &pose) || !trail_build(w, row, pose.x, pose.y, back_s, &t))
    return;
  float colours[TRAIL_MAX][4], scale = affine_scale(&f->view.world);
  for (uint32_t i = 0; i < t.count; ++i) {
    affine_apply(&f->view.world, t.xy[i][0], t.xy[i][1], &t.xy[i][0], &t.xy[i][1]);
    t.half_width[i] *= scale;
    emit_premultiply_colour(t.colour[i], t.add, colours[i]);
  }
  emit_ribbon(f, (const float(*)[2])t.xy, t.half_width, (const float(*)[4])colours, t.count, t.soft);
}

static void emit_sprite_row(collect_t *c, uint32_t row) {
  const sprite_columns *s = &c->sprites;
  shoal_entity e = c->sprite->owner[row];
  affine_t pose;
  material_look_t look;
  shoal_assert(c->sprite && s->image, "sprite row %u: the columns of sprite must be loaded", row);
  if (s->image[row] == 0 || !poses_find(&c->frame->poses, e, &pose))
    return;
  picture_t p = {
      .image = find_image(c, s->image[row]), .pivot = {0.5f, 0.5f}, .flip_x = s->flip[row], .flip_y = s->flip_y[row]};
  if (p.image.width == 0) // the image is not decoded yet
    return;
  const sheet_t *sheet = p.image.sheet;
  p.frame = sheet ? sheet_frame(sheet, s->frame[row], p.image.width, p.image.height)
                  : get_strip_frame(&p.image, s->frame[row], s->frames[row]);
  if (sheet)
    memcpy(p.pivot, sheet->pivot, sizeof p.pivot);
  p.width = s->width[row] != 0.0f ? s->width[row] : p.frame.full_width;
  p.height = s->height[row] != 0.0f ? s->height[row] : p.frame.full_height;
  p.material = read_material(c, e, &look) ? &look : NULL;
  float colour[4];
  const float *const tint[4] = SHOAL_VEC4_PARTS(s->tint);
  read_colour(tint, row, s->blend[row] != 0, colour);
  affine_t m = affine_multiply(&c->frame->view.world, &pose);
  emit_frame_image(c->frame, &m, &p, colour);
}

// Transforms the points of an outline to pixels, and returns them in the frame's scratch buffer, which the next call
// overwrites.
static float *transform_points(frame_t *f, const affine_t *m, const float *xy, uint32_t points) {
  f->scratch.count = 0;
  array_reserve(&f->allocator, &f->scratch, points * 8 + 8);
  f->scratch.count = points * 2;
  for (uint32_t i = 0; i < points; ++i)
    affine_apply(m, xy[2 * i], xy[2 * i + 1], &f->scratch.items[2 * i], &f->scratch.items[2 * i + 1]);
  return f->scratch.items;
}

static bool intersects_view(const frame_t *f, const affine_t *m, float reach) {
  float stretch = fmaxf(fabsf(m->ux) + fabsf(m->vx), fabsf(m->uy) + fabsf(m->vy)) * reach;
  const float *seen = f->view.seen;
  return m->x + stretch > seen[0] && m->y + stretch > seen[1] && m->x - stretch < seen[2] && m->y - stretch < seen[3];
}

// Emits a circle under a non-uniform transform as a polygon.
static void emit_ellipse(frame_t *f, const affine_t *m, float radius, float line_width, const float colour[4]) {
  enum { POINTS = 64 };
  float xy[POINTS * 2];
  uint16_t fan[(POINTS - 2) * 3];
  for (uint32_t i = 0; i < POINTS; ++i) {
    float angle = 6.2831853f * (float)i / POINTS;
    affine_apply(m, radius * cosf(angle), radius * sinf(angle), &xy[2 * i], &xy[2 * i + 1]);
  }
  if (line_width >= 0.0f) {
    emit_polyline(f, xy, POINTS, true, line_width, colour);
    return;
  }
  for (uint32_t i = 0; i + 2 < POINTS; ++i) {
    fan[3 * i] = 0;
    fan[3 * i + 1] = (uint16_t)(i + 1);
    fan[3 * i + 2] = (uint16_t)(i + 2);
  }
  f->scratch.count = 0;
  emit_polygon(f, xy, POINTS, fan, POINTS - 2, colour);
}

static void emit_disc(frame_t *f, const affine_t *m, float radius, float line_width, const float colour[4]) {
  float lu = hypotf(m->ux, m->uy), lv = hypotf(m->vx, m->vy), longest = fmaxf(lu, lv);
  bool round = fabsf(lu - lv) < 0.01f * longest && fabsf(m->ux * m->vx + m->uy * m->vy) < 0.01f * longest * longest;
  if (round)
    emit_circle(f, m->x, m->y, radius * lu, line_width, colour);
  else if (intersects_view(f, m, fabsf(radius) + fabsf(line_width)))
    emit_ellipse(f, m, radius, line_width, colour);
}

static void emit_outline(collect_t *c, const affine_t *m, uint32_t row, float line_width, const float colour[4]) {
  frame_t *f = c->frame;
  uint32_t id = c->shapes.points[row];
  const outline_t *o = outlines_find_or_build(&f->outlines, &f->allocator, id, strings_text(c->strings, id));
  if (o->point_count == 0 || !intersects_view(f, m, o->reach + fabsf(c->shapes.thickness[row])))
    return;
  float *xy = transform_points(f, m, o->xy, o->point_count);
  if (c->shapes.kind[row] == SHAPE_LINE)
    emit_polyline(f, xy, o->point_count, false, fabsf(line_width), colour);
  else if (line_width >= 0.0f)
    emit_polyline(f, xy, o->point_count, true, line_width, colour);
  else
    emit_polygon(f, xy, o->point_count, o->triangles, o->triangle_count, colour);
}

static void emit_shape_row(collect_t *c, uint32_t row) {
  const shape_columns *s = &c->shapes;
  frame_t *f = c->frame;
  affine_t pose;
  shoal_assert(c->shape && s->colour.x, "shape row %u: the columns of shape must be loaded", row);
  if (!poses_find(&c->frame->poses, c->shape->owner[row], &pose))
    return;
  affine_t m = affine_multiply(&f->view.world, &pose);
  float colour[4], width = fmaxf(s->thickness[row], 0.0f) * affine_scale(&m);
  const float *const parts[4] = SHOAL_VEC4_PARTS(s->colour);
  read_colour(parts, row, s->blend[row] != 0, colour);
  float line_width = s->filled[row] && s->kind[row] != SHAPE_LINE ? -1.0f : width;
  switch (s->kind[row]) {
  case SHAPE_CIRCLE: emit_disc(f, &m, s->radius[row], line_width, colour); break;
  case SHAPE_RECT: emit_rect(f, &m, s->width[row], s->height[row], line_width, colour); break;
  case SHAPE_POLYGON:
  case SHAPE_LINE: emit_outline(c, &m, row, line_width, colour); break;
  default: break;
  }
}

static void add_text_style(const collect_t *c, shoal_entity e, text_style_t *style, text_look_t *look) {
  const text_style_columns *s = &c->text_styles;
  uint32_t row = c->text_style ? manager_row(c->text_style, e) : ROW_NONE;
  if (row == ROW_NONE || is_hidden(c, c->text_style, row))
    return;
  const float *const outline[4] = SHOAL_VEC4_PARTS(s->outline);
  const float *const shadow[4] = SHOAL_VEC4_PARTS(s->shadow);
  read_vec4(outline, row, look->outline);
  read_vec4(shadow, row, look->shadow);
  look->outline_width = s->outline_width[row];
  look->shadow_x = s->shadow_x[row];
  look->shadow_y = s->shadow_y[row];
  look->shown = s->shown[row];
  style->line_spacing = s->line_spacing[row];
}

static void emit_text_row(collect_t *c, uint32_t row) {
  const text_columns *t = &c->texts;
  affine_t pose;
  shoal_assert(c->text && t->value, "text row %u: the columns of text must be loaded", row);
  if (t->value[row] == 0 || !poses_find(&c->frame->poses, c->text->owner[row], &pose))
    return;
  affine_t m = affine_multiply(t->space[row] ? &c->frame->view.screen : &c->frame->view.world, &pose);
  text_style_t style = {.font = strings_text(c->strings, t->font[row]),
                        .size = t->size[row],
                        .wrap = t->wrap[row],
                        .align = (text_align_t)t->align[row],
                        .valign = (text_valign_t)t->valign[row],
                        .markup = t->markup[row] != 0};
  text_look_t look = {.add = t->blend[row] != 0, .shown = -1};
  const float *const colour[4] = SHOAL_VEC4_PARTS(t->colour);
  read_vec4(colour, row, look.colour);
  add_text_style(c, c->text->owner[row], &style, &look);
  const char *text = typesetter_resolve(c->desc->type, strings_text(c->strings, t->value[row]));
  emit_text(c->frame, &m, typesetter_layout(c->desc->type, &style, text, strlen(text)), text, &look);
}

// --- the draw list

static void emit_polygon_command(collect_t *c, const draw_command_t *d, const affine_t *m, float line_width,
                                 const float colour[4]) {
  frame_t *f = c->frame;
  shoal_assert(2 * (d->first + d->count) <= c->desc->draw->points.count,
               "points %u to %u are out of range (%u coordinates)", d->first, d->first + d->count,
               c->desc->draw->points.count);
  const float *points = &c->desc->draw->points.items[2 * d->first];
  bool cut = line_width < 0.0f && d->count > TRIANGULATE_MAX_POINTS;
  uint32_t count = cut ? TRIANGULATE_MAX_POINTS : d->count;
  float *xy = transform_points(f, m, points, count);
  if (line_width >= 0.0f) {
    emit_polyline(f, xy, count, d->kind == DRAW_POLYGON, line_width, colour);
    return;
  }
  uint16_t triangles[TRIANGULATE_MAX_POINTS * 3];
  emit_polygon(f, xy, count, triangles, triangulate(points, count, triangles), colour);
}

static void emit_image_command(collect_t *c, const draw_command_t *d, const affine_t *m, const float colour[4]) {
  image_t image = c->frame->images.find(c->frame->images.context, draw_list_text(c->desc->draw, d->first));
  if (image.width == 0)
    return;
  const sheet_t *sheet = image.sheet;
  picture_t p = {.image = image, .pivot = {0.5f, 0.5f}};
  p.frame = sheet && d->count > 0 ? sheet_frame(sheet, (int32_t)d->count, image.width, image.height)
                                  : get_strip_frame(&image, 1, 1);
  if (sheet && d->count > 0)
    memcpy(p.pivot, sheet->pivot, sizeof p.pivot);
  bool bordered = d->count > 0 && has_border(sheet); // the border keeps its size; the rest is scaled
  float scale_x = bordered ? 1.0f : d->width, scale_y = bordered ? 1.0f : d->height;
  p.width = p.frame.full_width * (bordered ? d->width : 1.0f);
  p.height = p.frame.full_height * (bordered ? d->height : 1.0f);
  float cosine = cosf(d->angle), sine = sinf(d->angle);
  affine_t pose = {cosine * scale_x, sine * scale_x, -sine * scale_y, cosine * scale_y, d->x, d->y};
  affine_t at = affine_multiply(m, &pose);
  emit_frame_image(c->frame, &at, &p, colour);
}

static void emit_slices_command(collect_t *c, const draw_command_t *d, const affine_t *m, const float colour[4]) {
  image_t image = c->frame->images.find(c->frame->images.context, draw_list_text(c->desc->draw, d->first));
  if (image.width == 0)
    return;
  picture_t p = {.image = image, .width = d->width, .height = d->height};
  p.frame = image.sheet ? sheet_frame(image.sheet, d->align, image.width, image.height) : get_strip_frame(&image, 1, 1);
  affine_t at = *m;
  affine_apply(m, d->x, d->y, &at.x, &at.y); // the pivot is at the top left corner
  emit_frame_image(c->frame, &at, &p, colour);
}

static void emit_text_command(collect_t *c, const draw_command_t *d, const affine_t *m) {
  const draw_o *list = c->desc->draw;
  const draw_text_style_t *s = &list->styles.items[d->style];
  const char *text = typesetter_resolve(c->desc->type, draw_list_text(list, d->first));
  text_style_t style = {.font = draw_list_text(list, d->font),
                        .size = d->line_width,
                        .wrap = d->width,
                        .line_spacing = s->line_spacing,
                        .align = (text_align_t)d->align,
                        .valign = (text_valign_t)s->valign,
                        .markup = s->markup};
  text_look_t look = {.add = d->add,
                      .outline_width = s->outline_width,
                      .shadow_x = s->shadow_x,
                      .shadow_y = s->shadow_y,
                      .shown = s->hidden - 1};
  memcpy(look.colour, d->colour, sizeof look.colour);
  memcpy(look.outline, s->outline, sizeof look.outline);
  memcpy(look.shadow, s->shadow, sizeof look.shadow);
  emit_text(c->frame, m, typesetter_layout(c->desc->type, &style, text, strlen(text)), text, &look);
}

static void emit_mesh(collect_t *c, const draw_command_t *d, const affine_t *m) {
  frame_t *f = c->frame;
  const char *name = draw_list_text(c->desc->draw, d->font);
  image_t image = name[0] ? f->images.find(f->images.context, name) : (image_t){0};
  mesh_instance_t instance = {.to_pixels = *m};
  memcpy(instance.seen, f->view.seen, sizeof instance.seen);
  batch_t batch = {.kind = BATCH_MESH, .texture = image.texture, .first = d->first, .count = 1, .clip = f->clip};
  batch.points = f->mesh_instances.count;
  array_push(&f->allocator, &f->mesh_instances, instance);
  if (!name[0] || image.width > 0) // an image of width 0 is not decoded yet
    array_push(&f->allocator, &f->batches, batch);
}

static void emit_command(collect_t *c, const draw_command_t *d) {
  frame_t *f = c->frame;
  const affine_t *space = d->screen ? &f->view.screen : &f->view.world;
  if (d->view != 0 && d->view != f->seen_by)
    return;
  affine_t m = *space;
  float colour[4], line_width = d->filled ? -1.0f : fmaxf(d->line_width, 0.0f) * affine_scale(&m);
  emit_premultiply_colour(d->colour, d->add, colour);
  switch (d->kind) {
  case DRAW_CIRCLE:
    affine_apply(space, d->x, d->y, &m.x, &m.y);
    emit_disc(f, &m, d->width, line_width, colour);
    break;
  case DRAW_RECT:
    affine_apply(space, d->x + d->width * 0.5f, d->y + d->height * 0.5f, &m.x, &m.y);
    emit_rounded_rect(f, &m, d->width, d->height, d->angle, line_width, colour);
    break;
  case DRAW_POLYLINE:
  case DRAW_POLYGON: emit_polygon_command(c, d, space, line_width, colour); break;
  case DRAW_TEXT:
    affine_apply(space, d->x, d->y, &m.x, &m.y);
    if (c->desc->type)
      emit_text_command(c, d, &m);
    break;
  case DRAW_IMAGE: emit_image_command(c, d, space, colour); break;
  case DRAW_SLICED: emit_slices_command(c, d, space, colour); break;
  case DRAW_SOLIDS: emit_solids(f, &c->desc->draw->solids.items[d->first], d->count); break;
  case DRAW_MESH: emit_mesh(c, d, space); break;
  case DRAW_NONE: break;
  }
}

// --- collecting all items

static inline bool is_drawn_before(const sort_item_t *a, const sort_item_t *b) {
  uint64_t layer_a = a->key >> KEY_LAYER_SHIFT, layer_b = b->key >> KEY_LAYER_SHIFT;
  if (layer_a != layer_b)
    return layer_a < layer_b;
  return a->depth != b->depth ? a->depth < b->depth : a->key < b->key;
}

static void emit_item(collect_t *c, uint64_t key) {
  uint32_t row = (uint32_t)(key & ((1u << KEY_ROW_BITS) - 1u));
  switch ((item_kind_t)((key >> KEY_ROW_BITS) & 7u)) {
  case ITEM_TILES: emit_tile_layer(c, &c->frame->tile_layers.items[row]); break;
  case ITEM_SPRITE: emit_sprite_row(c, row); break;
  case ITEM_SHAPE: emit_shape_row(c, row); break;
  case ITEM_CLOUD: emit_cloud(c, &c->frame->clouds.items[row]); break;
  case ITEM_TRAIL: emit_trail(c, row); break;
  case ITEM_TEXT: emit_text_row(c, row); break;
  case ITEM_DRAW: emit_command(c, &c->desc->draw->commands.items[row]); break;
  }
}

// Makes a view the target of emitted items, which are clipped at the edges of the view.
static void begin_view_items(frame_t *f, uint32_t number) {
  const camera_view_t *v = &f->views[number];
  shoal_assert(number < f->view_count, "view %u is out of range (count %u)", number, f->view_count);
  f->seen_by = v->camera;
  f->clip = v->clipped ? number + 1 : 0;
  for (int i = 0; i < 4 && v->clipped; ++i)
    f->view.seen[i] = (float)v->clip[i];
}

static void end_view_items(frame_t *f) {
  f->seen_by = 0;
  f->clip = 0;
  memcpy(f->view.seen, (const float[4]){0.0f, 0.0f, f->view.width, f->view.height}, sizeof f->view.seen);
}

static void begin_view(frame_t *f, uint32_t number) {
  const camera_view_t *v = &f->views[number];
  end_view_items(f);
  begin_view_items(f, number);
  f->view.world = v->world;
  if (number == 0 && !v->clipped)
    return;
  float width = (float)(v->clip[2] - v->clip[0]), height = (float)(v->clip[3] - v->clip[1]);
  affine_t middle = {1.0f, 0.0f, 0.0f, 1.0f, (float)v->clip[0] + width * 0.5f, (float)v->clip[1] + height * 0.5f};
  // The rectangle is larger than the view, so that its soft edges are clipped.
  emit_rect(f, &middle, width + 4.0f, height + 4.0f, -1.0f, v->background);
}

// --- light

static void collect_lights(collect_t *c) {
  frame_t *f = c->frame;
  world_o *w = c->transform ? c->desc->world : NULL;
  f->light_detail = 0.0f;
  f->time_s = w ? (float)(((double)world_tick(w) + (double)c->desc->alpha) * world_dt_s(w)) : 0.0f;
  if (!w || !ambient_is_used(w))
    return;
  visible_lights_list(f, w, (double)f->time_s);
}

// Returns the first sort key that is unlit in this view; UINT64_MAX if the view has no lighting.
static uint64_t find_first_unlit_key(const camera_view_t *v) {
  return v->lit ? (uint64_t)((uint32_t)v->ambient.layer ^ 0x80000000u) << KEY_LAYER_SHIFT : UINT64_MAX;
}

// Emits the world once per view. Returns the index of the first screen-space item.
static uint32_t emit_world(collect_t *c) {
  frame_t *f = c->frame;
  uint32_t end = 0;
  while (end < f->order.count && f->order.items[end].key < KEY_SCREEN)
    ++end;
  for (uint32_t v = 0; v < f->view_count; ++v) {
    begin_view(f, v);
    uint64_t unlit = find_first_unlit_key(&f->views[v]);
    for (uint32_t i = 0; i < end; ++i) {
      if (f->order.items[i].key >= unlit) {
        visible_lights_emit(f, v);
        unlit = UINT64_MAX;
      }
      shoal_assert(i == 0 || is_drawn_before(&f->order.items[i - 1], &f->order.items[i]), "item %u is out of order", i);
      if (f->order.items[i].key >= f->views[v].first && f->order.items[i].key < f->views[v].end)
        emit_item(c, f->order.items[i].key);
    }
    if (unlit != UINT64_MAX)
      visible_lights_emit(f, v);
  }
  f->view.world = f->views[0].world;
  end_view_items(f);
  return end;
}

// Clips to a rectangle in screen space and to the current view.
static void push_clip(frame_t *f, const draw_clip_t *clip) {
  const affine_t *k = &f->view.screen;
  const int32_t *of = f->clip > 0 ? f->views[f->clip - 1].clip : NULL;
  cut_t cut = {{round_to_pixel(clip->x * k->ux + k->x, f->view.width),
                round_to_pixel(clip->y * k->vy + k->y, f->view.height),
                round_to_pixel((clip->x + clip->width) * k->ux + k->x, f->view.width),
                round_to_pixel((clip->y + clip->height) * k->vy + k->y, f->view.height)}};
  for (int i = 0; of && i < 4; ++i)
    cut.part[i] = i < 2 ? (cut.part[i] > of[i] ? cut.part[i] : of[i]) : (cut.part[i] < of[i] ? cut.part[i] : of[i]);
  for (int i = 0; i < 2; ++i)
    cut.part[i + 2] = cut.part[i + 2] > cut.part[i] ? cut.part[i + 2] : cut.part[i];
  uint32_t count = f->cuts.count;
  if (count == 0 || memcmp(&f->cuts.items[count - 1], &cut, sizeof cut) != 0)
    array_push(&f->allocator, &f->cuts, cut);
  f->clip = FRAME_CUTS + f->cuts.count;
}

// Emits a screen-space item. An item drawn in a single view is positioned relative to the view's corner and clipped at
// the view's edges.
static void emit_screen_item(collect_t *c, uint64_t key) {
  frame_t *f = c->frame;
  bool drawn = ((key >> KEY_ROW_BITS) & 7u) == ITEM_DRAW;
  const draw_command_t *d = drawn ? &c->desc->draw->commands.items[key & ((1u << KEY_ROW_BITS) - 1u)] : NULL;
  affine_t whole = f->view.screen;
  if (c->desc->canvas && !(d && d->view == c->desc->canvas->camera))
    return; // the item belongs to the screen, not to this canvas
  for (uint32_t v = 0; d && d->view != 0 && v < f->view_count; ++v) {
    if (f->views[v].camera != d->view)
      continue;
    begin_view_items(f, v);
    f->view.screen = f->views[v].screen;
  }
  if (d && d->clip != 0 && d->screen)
    push_clip(f, &c->desc->draw->clips.items[d->clip - 1]);
  emit_item(c, key);
  f->view.screen = whole;
  end_view_items(f);
}

static void emit_all_items(collect_t *c) {
  frame_t *f = c->frame;
  const uint64_t overlay = KEY_SCREEN | (uint64_t)((uint32_t)RENDER_OVERLAY_LAYER ^ 0x80000000u) << KEY_LAYER_SHIFT;
  bool over = false;
  f->overlay_batch = 0;
  uint32_t first = emit_world(c);
  f->screen_batch = f->batches.count;
  if (passes_has_enabled(f, false))
    f->overlay_batch = f->screen_batch; // start a new batch, because a batch must not belong to both ranges
  for (uint32_t i = first; i < f->order.count; ++i) {
    uint64_t key = f->order.items[i].key;
    shoal_assert(i == 0 || is_drawn_before(&f->order.items[i - 1], &f->order.items[i]), "item %u is out of order", i);
    if (!over && key >= overlay) {
      over = true;
      f->overlay_batch = f->batches.count;
    }
    emit_screen_item(c, key);
  }
  if (!over)
    f->overlay_batch = f->batches.count;
}

void frame_collect(frame_t *f, const frame_desc_t *desc) {
  shoal_assert(f && desc, "f and desc must not be NULL");
  collect_t c = {.frame = f, .desc = desc};
  f->instances.count = f->batches.count = f->corners.count = f->cuts.count = 0;
  f->mesh_instances.count = 0;
  f->paint = desc->draw ? desc->draw->paint : NULL;
  f->number++;
  glyphs_begin_frame(f->glyphs, desc->type);
  bind_world(&c);
  set_view(&c);
  collect_lights(&c);
  passes_list(f, desc->canvas ? NULL : desc->world);
  add_items(&c);
  emit_all_items(&c);
}
