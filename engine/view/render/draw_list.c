// Drawing order: creates a sort key for each item, sorts the items, and emits them in that order.
#include "base/assert.h"
#include "components/access.h"
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
// depth: transform.z (32 bits), then y_sort (32 bits; 0 if the entity lacks it).
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

typedef struct collector_t {
  frame_t *frame;
  const frame_desc_t *desc;
  access_t access;
  strings_o *strings;
  const manager_o *transform;                                        // manager of transform; may be NULL
  manager_o *sprite, *shape, *text, *text_style, *y_sort, *material; // managers of these components; may be NULL
  const float *y_offset;
  bool has_depths; // true if any item has a depth
  sprite_columns sprites;
  shape_columns shapes;
  text_columns texts;
  text_style_columns text_styles;
  material_columns materials;
} collector_t;

static manager_o *find_nonempty_component(world_o *w, const char *name) {
  manager_o *manager = builtin_find(w, name);
  return manager && manager->count > 0 ? manager : NULL;
}

static bool has_depth(const manager_o *transform) {
  const float *z = transform_columns_of(transform).z;
  for (uint32_t i = 0; i < transform->count; ++i)
    if (z[i] != 0.0f)
      return true;
  return false;
}

static void bind_world(collector_t *collector) {
  world_o *w = collector->desc->world;
  poses_begin(&collector->frame->poses, w, collector->desc->alpha);
  if (!w)
    return;
  collector->strings = world_strings(w);
  collector->transform = collector->frame->poses.transform;
  if (!collector->transform)
    return;
  collector->sprite = world_find_manager(w, "sprite");
  collector->shape = world_find_manager(w, "shape");
  collector->text = world_find_manager(w, "text");
  collector->text_style = find_nonempty_component(w, "text_style");
  collector->y_sort = find_nonempty_component(w, "y_sort");
  collector->y_offset = y_sort_columns_of(collector->y_sort).offset;
  collector->has_depths = collector->y_sort || has_depth(collector->transform);
  collector->material = find_nonempty_component(w, "material");
  collector->sprites = sprite_columns_of(collector->sprite);
  collector->shapes = shape_columns_of(collector->shape);
  collector->texts = text_columns_of(collector->text);
  collector->text_styles = text_style_columns_of(collector->text_style);
  collector->materials = material_columns_of(collector->material);
}

static bool is_hidden(const collector_t *collector, const manager_o *manager, uint32_t row) {
  return world_is_disabled(collector->desc->world, manager->owner[row], manager->id);
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

static float finite_or_default(float x, float otherwise) {
  return isfinite(x) ? x : otherwise;
}

// Stores the range of sort keys for the layers that a camera shows.
static void set_layer_range(world_o *w, camera_view_t *view) {
  int32_t first_layer, last_layer;
  camera_layers_read(w, view->camera, &first_layer, &last_layer);
  view->first_key = (uint64_t)((uint32_t)first_layer ^ 0x80000000u) << KEY_LAYER_SHIFT;
  view->end_key = ((uint64_t)((uint32_t)last_layer ^ 0x80000000u) + 1u) << KEY_LAYER_SHIFT;
}

static void read_vec4(const float *const columns[4], uint32_t row, float out[4]) {
  for (int i = 0; i < 4; ++i)
    out[i] = columns[i][row];
}

static void set_camera_view(collector_t *collector, const manager_o *cameras_manager, const viewport_t *viewport) {
  view_t *target = &collector->frame->view;
  camera_view_t *view = &collector->frame->views[collector->frame->view_count];
  camera_columns cameras = camera_columns_of(cameras_manager);
  uint32_t row = viewport->row;
  float logical_x = (float)collector->desc->logical_width, logical_y = (float)collector->desc->logical_height;
  affine_t pose = {1.0f, 0.0f, 0.0f, 1.0f, logical_x * 0.5f, logical_y * 0.5f};
  poses_find(&collector->frame->poses, cameras_manager->owner[row], &pose);
  float length = sqrtf(pose.ux * pose.ux + pose.uy * pose.uy);
  float cosine = length > 0.0f ? pose.ux / length : 1.0f, sine = length > 0.0f ? pose.uy / length : 0.0f;
  float zoom = cameras.zoom[row] > 0.0f && isfinite(cameras.zoom[row]) ? cameras.zoom[row] : 1.0f;
  affine_t rotation = {cosine * zoom,
                       -sine * zoom,
                       sine * zoom,
                       cosine * zoom,
                       viewport->x + viewport->width * 0.5f,
                       viewport->y + viewport->height * 0.5f};
  affine_t translation = {1.0f, 0.0f, 0.0f, 1.0f, -finite_or_default(pose.x, 0.0f), -finite_or_default(pose.y, 0.0f)};
  float strength = finite_or_default(cameras.shake[row], 0.0f) * collector->access.shake;
  uint64_t tick = world_tick(collector->desc->world);
  rotation.x +=
      strength * interpolate(compute_shake_noise(tick, 0), compute_shake_noise(tick + 1, 0), collector->desc->alpha);
  rotation.y +=
      strength * interpolate(compute_shake_noise(tick, 1), compute_shake_noise(tick + 1, 1), collector->desc->alpha);
  affine_t world_to_view = affine_multiply(&rotation, &translation);
  affine_t corner = {1.0f, 0.0f, 0.0f, 1.0f, viewport->x, viewport->y};
  *view = (camera_view_t){.camera = viewport->camera,
                          .world = affine_multiply(&target->screen, &world_to_view),
                          .screen = affine_multiply(&target->screen, &corner)};
  set_layer_range(collector->desc->world, view);
  target->bloom = cameras.bloom[row] > target->bloom ? fminf(cameras.bloom[row], 1.0f) : target->bloom;
  const float *const background[4] = SHOAL_VEC4_PARTS(cameras.background);
  float straight[4];
  read_vec4(background, row, straight);
  straight[3] = collector->desc->canvas ? straight[3] : 1.0f;
  emit_premultiply_colour(straight, false, view->background);
  collector->frame->view_count++;
}

static int32_t round_to_pixel(float x, float max) {
  return (int32_t)floorf(fminf(fmaxf(x, 0.0f), max) + 0.5f);
}

// Stores the part of the image that the view covers: a view at an edge of the logical screen continues to the edge of
// the image. Removes the view if it is outside the logical screen.
static void set_view_clip(frame_t *frame, const viewport_t *viewport) {
  camera_view_t *view = &frame->views[frame->view_count - 1];
  const float *screen = frame->view.screen_rect;
  const float image[4] = {0.0f, 0.0f, frame->view.width, frame->view.height};
  const float corners[4] = {viewport->x, viewport->y, viewport->x + viewport->width, viewport->y + viewport->height};
  for (int i = 0; i < 4; ++i) {
    float scale = i % 2 == 0 ? frame->view.screen.ux : frame->view.screen.vy;
    float edge = fminf(fmaxf(corners[i] * scale + screen[i % 2], screen[i % 2]), screen[i % 2 + 2]);
    view->rect[i] = floorf(edge + 0.5f);
    view->clip[i] = (int32_t)(view->rect[i] == screen[i] ? image[i] : view->rect[i]);
  }
  bool is_all = view->clip[0] == 0 && view->clip[1] == 0 && view->clip[2] >= (int32_t)frame->view.width &&
                view->clip[3] >= (int32_t)frame->view.height;
  view->clipped = !is_all;
  if (view->rect[2] <= view->rect[0] || view->rect[3] <= view->rect[1])
    frame->view_count--;
}

static uint32_t list_views(const frame_desc_t *desc, viewport_t *viewports) {
  const canvas_t *canvas = desc->canvas;
  if (!canvas)
    return viewports_list(desc->world, (float)desc->logical_width, (float)desc->logical_height,
                          world_view_players(desc->world), viewports);
  viewports[0] = (viewport_t){
      .camera = canvas->camera, .row = canvas->row, .width = (float)canvas->width, .height = (float)canvas->height};
  return 1;
}

static void set_view(collector_t *collector) {
  const frame_desc_t *desc = collector->desc;
  frame_t *frame = collector->frame;
  affine_t scale = {desc->scale_x, 0.0f, 0.0f, desc->scale_y, desc->margin[0], desc->margin[1]};
  frame->view = (view_t){
      .world = scale,
      .screen = scale,
      .width = desc->width,
      .height = desc->height,
      .strip = desc->strip,
      .screen_rect = {desc->margin[0], desc->margin[1], desc->width - desc->margin[2], desc->height - desc->margin[3]},
      .background = {0.02f, 0.02f, 0.05f, 1.0f}};
  frame->view_count = 0;
  const manager_o *cameras = desc->world ? world_find_manager(desc->world, "camera") : NULL;
  viewport_t viewports[VIEWPORTS_MAX];
  uint32_t count = cameras ? list_views(desc, viewports) : 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t old_count = frame->view_count;
    set_camera_view(collector, cameras, &viewports[i]);
    if (frame->view_count > old_count)
      set_view_clip(frame, &viewports[i]);
  }
  if (frame->view_count > 0 && !frame->views[0].clipped)
    memcpy(frame->view.background, frame->views[0].background, sizeof frame->view.background);
  else if (frame->view_count > 0) // colour of the area between the views
    memcpy(frame->view.background, (const float[4]){0.0f, 0.0f, 0.0f, 1.0f}, sizeof frame->view.background);
  if (frame->view_count > 0)
    return;
  camera_view_t *view = &frame->views[frame->view_count++];
  *view = (camera_view_t){.world = scale, .screen = scale, .end_key = KEY_SCREEN};
  memcpy(view->rect, frame->view.screen_rect, sizeof view->rect);
}

// --- order

// Returns a positive integer. The integers have the same order as the floats; NaN is first.
static uint32_t convert_to_ordered_bits(float x) {
  uint32_t bits;
  if (x != x)
    return 1;
  memcpy(&bits, &x, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static uint64_t compute_depth(const collector_t *collector, shoal_entity entity) {
  uint32_t row = collector->transform ? manager_row(collector->transform, entity) : ROW_NONE;
  uint32_t sort_row = collector->y_sort ? manager_row(collector->y_sort, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return 0;
  float matrix[16];
  transform_compute_world_matrix(&collector->frame->poses.matrices, row, matrix);
  uint32_t y = sort_row == ROW_NONE ? 0 : convert_to_ordered_bits(matrix[13] + collector->y_offset[sort_row]);
  return (uint64_t)convert_to_ordered_bits(matrix[14]) << 32 | y;
}

static void add_sort_item(collector_t *collector, uint64_t depth, bool screen, int32_t layer, item_kind_t kind,
                          uint32_t row) {
  shoal_assert(row < 1u << KEY_ROW_BITS, "row %u does not fit in a sort key", row);
  frame_t *frame = collector->frame;
  uint64_t key = (screen ? KEY_SCREEN : 0u) | (uint64_t)((uint32_t)layer ^ 0x80000000u) << KEY_LAYER_SHIFT |
                 (uint64_t)kind << KEY_ROW_BITS | row;
  sort_item_t item = {key, collector->has_depths ? depth : 0};
  array_push(&frame->allocator, &frame->order, item);
}

// Adds an item. `entity`: entity that determines the item's depth, or 0 for an item without a position.
static void add_entity_item(collector_t *collector, shoal_entity entity, bool screen, int32_t layer, item_kind_t kind,
                            uint32_t row) {
  uint64_t depth = !collector->has_depths ? 0
                   : entity               ? compute_depth(collector, entity)
                                          : (uint64_t)convert_to_ordered_bits(0.0f) << 32;
  add_sort_item(collector, depth, screen, layer, kind, row);
}

static void add_row_item(collector_t *collector, const manager_o *manager, bool screen, int32_t layer, item_kind_t kind,
                         uint32_t row) {
  add_entity_item(collector, manager ? manager->owner[row] : 0, screen, layer, kind, row);
}

static uint32_t get_radix_digit(const sort_item_t *item, uint32_t digit) {
  return (uint32_t)(digit < 8 ? item->depth >> 8 * digit : item->key >> (KEY_LAYER_SHIFT + 8 * (digit - 8))) & 255u;
}

// LSD radix sort, which is stable. Items were added in the order of kind, row and call, so only the 8 bytes of depth
// and the 5 bytes of layer and space need sorting. Bytes that are equal in all items are skipped.
static void sort_items(frame_t *frame) {
  uint32_t count = frame->order.count;
  if (frame->sort_capacity < count)
    frame->sort_scratch =
        array_grow(&frame->allocator, frame->sort_scratch, &frame->sort_capacity, count, sizeof *frame->sort_scratch);
  sort_item_t *source = frame->order.items, *destination = frame->sort_scratch;
  for (uint32_t digit = 0; digit < 13 && count > 0; ++digit) {
    uint32_t starts[257] = {0};
    for (uint32_t i = 0; i < count; ++i)
      starts[get_radix_digit(&source[i], digit) + 1]++;
    if (starts[get_radix_digit(&source[0], digit) + 1] == count)
      continue;
    for (uint32_t i = 1; i < 257; ++i)
      starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < count; ++i)
      destination[starts[get_radix_digit(&source[i], digit)]++] = source[i];
    sort_item_t *swap = source;
    source = destination;
    destination = swap;
  }
  if (source != frame->order.items)
    memcpy(frame->order.items, source, count * sizeof *source);
}

// Adds the visible particle clouds. Like all motion, particles are interpolated between two ticks.
static void add_clouds(collector_t *collector) {
  frame_t *frame = collector->frame;
  world_o *w = collector->transform ? collector->desc->world : NULL;
  particle_batches_list(frame, w,
                        frame->poses.can_interpolate ? (1.0 - (double)collector->desc->alpha) * world_dt_s(w) : 0);
  for (uint32_t i = 0; i < frame->clouds.count; ++i) {
    const particle_cloud_t *cloud = &frame->clouds.items[i];
    uint64_t depth = cloud->entity && collector->has_depths ? compute_depth(collector, cloud->entity)
                                                            : (uint64_t)convert_to_ordered_bits(cloud->z) << 32;
    add_sort_item(collector, depth, false, cloud->layer, ITEM_CLOUD, i);
  }
}

static void add_trails(collector_t *collector) {
  const manager_o *trails = collector->transform ? find_nonempty_component(collector->desc->world, "trail") : NULL;
  int32_t layer;
  for (uint32_t i = 0; trails && i < trails->count; ++i)
    if (trail_is_visible(collector->desc->world, i, &layer))
      add_row_item(collector, trails, false, layer, ITEM_TRAIL, i);
}

static void add_items(collector_t *collector) {
  collector->frame->order.count = 0;
  tile_layers_list(collector->frame, collector->transform ? collector->desc->world : NULL);
  for (uint32_t i = 0; i < collector->frame->tile_layers.count; ++i)
    add_entity_item(collector, collector->frame->tile_layers.items[i].entity, false,
                    collector->frame->tile_layers.items[i].order, ITEM_TILES, i);
  for (uint32_t i = 0; collector->sprite && i < collector->sprite->count; ++i)
    if (collector->sprites.visible[i] && !is_hidden(collector, collector->sprite, i))
      add_row_item(collector, collector->sprite, false, collector->sprites.layer[i], ITEM_SPRITE, i);
  for (uint32_t i = 0; collector->shape && i < collector->shape->count; ++i)
    if (collector->shapes.visible[i] && !is_hidden(collector, collector->shape, i))
      add_row_item(collector, collector->shape, false, collector->shapes.layer[i], ITEM_SHAPE, i);
  add_clouds(collector);
  add_trails(collector);
  for (uint32_t i = 0; collector->text && collector->desc->type && i < collector->text->count; ++i)
    if (collector->texts.visible[i] && !is_hidden(collector, collector->text, i))
      add_row_item(collector, collector->text, collector->texts.space[i] != 0, collector->texts.layer[i], ITEM_TEXT, i);
  const draw_o *draw = collector->desc->draw;
  for (uint32_t i = 0; draw && i < draw->commands.count; ++i) {
    const draw_command_t *command = &draw->commands.items[i];
    add_sort_item(collector,
                  (uint64_t)convert_to_ordered_bits(0.0f) << 32 |
                      (command->sorted ? convert_to_ordered_bits(command->depth) : 0),
                  command->screen, command->layer, ITEM_DRAW, i);
  }
  sort_items(collector->frame);
}

// --- components

static void read_colour(const float *const columns[4], uint32_t row, bool add, float out[4]) {
  const float straight[4] = {columns[0][row], columns[1][row], columns[2][row], columns[3][row]};
  emit_premultiply_colour(straight, add, out);
}

static image_t find_image(collector_t *collector, uint32_t id) {
  frame_t *frame = collector->frame;
  while (frame->images_by_id.count <= id) {
    image_memo_t empty = {0};
    array_push(&frame->allocator, &frame->images_by_id, empty);
  }
  shoal_assert(frame->images_by_id.items, "image %u is out of range (count 0)", id);
  image_memo_t *memo = &frame->images_by_id.items[id];
  if (memo->frame != frame->number) {
    memo->image = frame->images.find(frame->images.context, strings_text(collector->strings, id));
    memo->frame = frame->number;
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
  const material_look_t *material; // material of the entity; NULL: no effects
} picture_t;

static sheet_frame_t get_strip_frame(const image_t *image, int32_t frame_number, int32_t frames) {
  frames = frames > 0 ? frames : 1;
  int32_t index = (frame_number - 1) % frames;
  index += index < 0 ? frames : 0;
  float step = (float)image->width / (float)frames, height = (float)image->height;
  return (sheet_frame_t){
      .x = step * (float)index, .width = step, .height = height, .full_width = step, .full_height = height};
}

// Emits one rectangle of the frame: `texels` of the image, drawn at `destination`.
static void emit_frame_part(frame_t *frame, const affine_t *transform, const picture_t *picture, const float texels[4],
                            const float destination[4], const float colour[4]) {
  float middle_x = (destination[0] + destination[2]) * 0.5f, middle_y = (destination[1] + destination[3]) * 0.5f,
        source[4];
  affine_t part_transform = *transform;
  affine_apply(transform, picture->flip_x ? -middle_x : middle_x, picture->flip_y ? -middle_y : middle_y,
               &part_transform.x, &part_transform.y);
  for (int i = 0; i < 4; ++i)
    source[i] = texels[(i % 2 == 0 ? picture->flip_x : picture->flip_y) ? (i + 2) % 4 : i];
  emit_image(frame, &part_transform, &picture->image, destination[2] - destination[0], destination[3] - destination[1],
             source, colour, picture->material);
}

// Computes the positions of the cuts between two fixed borders and the stretched middle part. Borders shrink if they do
// not fit.
static void compute_border_cuts(float first_border, float last_border, float size, float cuts[4]) {
  float shrink = first_border + last_border > fabsf(size) ? fabsf(size) / (first_border + last_border) : 1.0f;
  cuts[0] = 0.0f;
  cuts[1] = first_border * shrink;
  cuts[2] = size - last_border * shrink;
  cuts[3] = size;
}

// Emits a nine-slice image: corners keep their size, sides are stretched along one axis, the middle part along both.
static void emit_nine_slice(frame_t *frame, const affine_t *transform, const picture_t *picture,
                            const float colour[4]) {
  const float *border = picture->image.sheet->border;
  const sheet_frame_t *rect = &picture->frame;
  float x[4], y[4];
  const float u[4] = {rect->x, rect->x + border[0], rect->x + rect->width - border[2], rect->x + rect->width};
  const float v[4] = {rect->y, rect->y + border[1], rect->y + rect->height - border[3], rect->y + rect->height};
  compute_border_cuts(border[0], border[2], picture->width, x);
  compute_border_cuts(border[1], border[3], picture->height, y);
  for (int i = 0; i < 9; ++i) {
    int column = i % 3, row = i / 3;
    const float source[4] = {u[column], v[row], u[column + 1], v[row + 1]};
    const float destination[4] = {
        x[column] - picture->pivot[0] * picture->width, y[row] - picture->pivot[1] * picture->height,
        x[column + 1] - picture->pivot[0] * picture->width, y[row + 1] - picture->pivot[1] * picture->height};
    if (source[2] > source[0] && source[3] > source[1] && destination[2] > destination[0] &&
        destination[3] > destination[1])
      emit_frame_part(frame, transform, picture, source, destination, colour);
  }
}

static bool has_border(const sheet_t *s) {
  return s && (s->border[0] > 0.0f || s->border[1] > 0.0f || s->border[2] > 0.0f || s->border[3] > 0.0f);
}

static void emit_frame_image(frame_t *frame, const affine_t *transform, const picture_t *picture,
                             const float colour[4]) {
  const sheet_frame_t *rect = &picture->frame;
  if (has_border(picture->image.sheet) &&
      (picture->width != rect->full_width || picture->height != rect->full_height)) {
    emit_nine_slice(frame, transform, picture, colour);
    return;
  }
  float scale_x = rect->full_width > 0.0f ? picture->width / rect->full_width : 0.0f;
  float scale_y = rect->full_height > 0.0f ? picture->height / rect->full_height : 0.0f;
  float left = rect->left * scale_x - picture->pivot[0] * picture->width,
        top = rect->top * scale_y - picture->pivot[1] * picture->height;
  const float source[4] = {rect->x, rect->y, rect->x + rect->width, rect->y + rect->height};
  const float destination[4] = {left, top, left + rect->width * scale_x, top + rect->height * scale_y};
  emit_frame_part(frame, transform, picture, source, destination, colour);
}

static bool read_material(const collector_t *collector, shoal_entity entity, material_look_t *out) {
  const material_columns *materials = &collector->materials;
  uint32_t row = collector->material ? manager_row(collector->material, entity) : ROW_NONE;
  if (row == ROW_NONE || is_hidden(collector, collector->material, row))
    return false;
  const float *const flash[4] = SHOAL_VEC4_PARTS(materials->flash);
  const float *const outline[4] = SHOAL_VEC4_PARTS(materials->outline);
  const float *const dissolve_colour[4] = SHOAL_VEC4_PARTS(materials->dissolve_colour);
  read_vec4(flash, row, out->flash);
  out->flash[3] *= collector->access.flashes;
  read_vec4(outline, row, out->outline);
  read_vec4(dissolve_colour, row, out->dissolve_colour);
  out->outline_width = materials->outline_width[row];
  out->dissolve = materials->dissolve[row];
  return out->flash[3] > 0.0f || out->outline[3] > 0.0f || out->dissolve > 0.0f;
}

static void emit_tile_layer(collector_t *collector, const tile_layer_t *layer) {
  world_o *w = collector->desc->world;
  affine_t pose;
  if (!poses_find(&collector->frame->poses, layer->entity, &pose))
    return;
  affine_t transform = affine_multiply(&collector->frame->view.world, &pose);
  tile_layers_emit(collector->frame, w, layer, &transform);
}

static void emit_cloud(collector_t *collector, const particle_cloud_t *cloud) {
  affine_t pose;
  if (!cloud->local) {
    particle_batches_emit(collector->frame, cloud, &collector->frame->view.world);
  } else if (poses_find(&collector->frame->poses, cloud->entity, &pose)) {
    affine_t transform = affine_multiply(&collector->frame->view.world, &pose);
    particle_batches_emit(collector->frame, cloud, &transform);
  }
}

static void emit_trail(collector_t *collector, uint32_t row) {
  frame_t *frame = collector->frame;
  world_o *w = collector->desc->world;
  const manager_o *trails = builtin_find(w, "trail");
  affine_t pose;
  trail_t trail;
  double back_s = frame->poses.can_interpolate ? (1.0 - (double)collector->desc->alpha) * world_dt_s(w) : 0;
  if (!poses_find(&collector->frame->poses, trails->owner[row], &pose) ||
      !trail_build(w, row, pose.x, pose.y, back_s, &trail))
    return;
  float colours[TRAIL_MAX][4], scale = affine_scale(&frame->view.world);
  for (uint32_t i = 0; i < trail.count; ++i) {
    affine_apply(&frame->view.world, trail.xy[i][0], trail.xy[i][1], &trail.xy[i][0], &trail.xy[i][1]);
    trail.half_width[i] *= scale;
    emit_premultiply_colour(trail.colour[i], trail.add, colours[i]);
  }
  emit_ribbon(frame, (const float(*)[2])trail.xy, trail.half_width, (const float(*)[4])colours, trail.count,
              trail.soft);
}

static void emit_sprite_row(collector_t *collector, uint32_t row) {
  const sprite_columns *sprites = &collector->sprites;
  shoal_entity entity = collector->sprite->owner[row];
  affine_t pose;
  material_look_t look;
  shoal_assert(collector->sprite && sprites->image, "sprite row %u: the columns of sprite must be loaded", row);
  if (sprites->image[row] == 0 || !poses_find(&collector->frame->poses, entity, &pose))
    return;
  picture_t picture = {.image = find_image(collector, sprites->image[row]),
                       .pivot = {0.5f, 0.5f},
                       .flip_x = sprites->flip[row],
                       .flip_y = sprites->flip_y[row]};
  if (picture.image.width == 0) // the image is not decoded yet
    return;
  const sheet_t *sheet = picture.image.sheet;
  picture.frame = sheet ? sheet_frame(sheet, sprites->frame[row], picture.image.width, picture.image.height)
                        : get_strip_frame(&picture.image, sprites->frame[row], sprites->frames[row]);
  if (sheet)
    memcpy(picture.pivot, sheet->pivot, sizeof picture.pivot);
  picture.width = sprites->width[row] != 0.0f ? sprites->width[row] : picture.frame.full_width;
  picture.height = sprites->height[row] != 0.0f ? sprites->height[row] : picture.frame.full_height;
  picture.material = read_material(collector, entity, &look) ? &look : NULL;
  float colour[4];
  const float *const tint[4] = SHOAL_VEC4_PARTS(sprites->tint);
  read_colour(tint, row, sprites->blend[row] != 0, colour);
  affine_t transform = affine_multiply(&collector->frame->view.world, &pose);
  emit_frame_image(collector->frame, &transform, &picture, colour);
}

// Transforms the points of an outline to pixels, and returns them in the frame's scratch buffer, which the next call
// overwrites.
static float *transform_points(frame_t *frame, const affine_t *transform, const float *xy, uint32_t points) {
  frame->scratch.count = 0;
  array_reserve(&frame->allocator, &frame->scratch, points * 8 + 8);
  frame->scratch.count = points * 2;
  for (uint32_t i = 0; i < points; ++i)
    affine_apply(transform, xy[2 * i], xy[2 * i + 1], &frame->scratch.items[2 * i], &frame->scratch.items[2 * i + 1]);
  return frame->scratch.items;
}

static bool intersects_view(const frame_t *frame, const affine_t *transform, float reach) {
  float extent =
      fmaxf(fabsf(transform->ux) + fabsf(transform->vx), fabsf(transform->uy) + fabsf(transform->vy)) * reach;
  const float *visible = frame->view.visible;
  return transform->x + extent > visible[0] && transform->y + extent > visible[1] &&
         transform->x - extent < visible[2] && transform->y - extent < visible[3];
}

// Emits a circle under a non-uniform transform as a polygon; filled if `line_width` is negative, otherwise as a line.
static void emit_ellipse(frame_t *frame, const affine_t *transform, float radius, float line_width,
                         const float colour[4]) {
  enum { POINTS = 64 };
  float xy[POINTS * 2];
  uint16_t fan[(POINTS - 2) * 3];
  for (uint32_t i = 0; i < POINTS; ++i) {
    float angle = 6.2831853f * (float)i / POINTS;
    affine_apply(transform, radius * cosf(angle), radius * sinf(angle), &xy[2 * i], &xy[2 * i + 1]);
  }
  if (line_width >= 0.0f) {
    emit_polyline(frame, xy, POINTS, true, line_width, colour);
    return;
  }
  for (uint32_t i = 0; i + 2 < POINTS; ++i) {
    fan[3 * i] = 0;
    fan[3 * i + 1] = (uint16_t)(i + 1);
    fan[3 * i + 2] = (uint16_t)(i + 2);
  }
  frame->scratch.count = 0;
  emit_polygon(frame, xy, POINTS, fan, POINTS - 2, colour);
}

static void emit_disc(frame_t *frame, const affine_t *transform, float radius, float line_width,
                      const float colour[4]) {
  float scale_u = hypotf(transform->ux, transform->uy), scale_v = hypotf(transform->vx, transform->vy),
        max_scale = fmaxf(scale_u, scale_v);
  bool is_round = fabsf(scale_u - scale_v) < 0.01f * max_scale &&
                  fabsf(transform->ux * transform->vx + transform->uy * transform->vy) < 0.01f * max_scale * max_scale;
  if (is_round)
    emit_circle(frame, transform->x, transform->y, radius * scale_u, line_width, colour);
  else if (intersects_view(frame, transform, fabsf(radius) + fabsf(line_width)))
    emit_ellipse(frame, transform, radius, line_width, colour);
}

static void emit_outline(collector_t *collector, const affine_t *transform, uint32_t row, float line_width,
                         const float colour[4]) {
  frame_t *frame = collector->frame;
  uint32_t id = collector->shapes.points[row];
  const outline_t *outline =
      outlines_find_or_build(&frame->outlines, &frame->allocator, id, strings_text(collector->strings, id));
  if (outline->point_count == 0 ||
      !intersects_view(frame, transform, outline->reach + fabsf(collector->shapes.thickness[row])))
    return;
  float *xy = transform_points(frame, transform, outline->xy, outline->point_count);
  if (collector->shapes.kind[row] == SHAPE_LINE)
    emit_polyline(frame, xy, outline->point_count, false, fabsf(line_width), colour);
  else if (line_width >= 0.0f)
    emit_polyline(frame, xy, outline->point_count, true, line_width, colour);
  else
    emit_polygon(frame, xy, outline->point_count, outline->triangles, outline->triangle_count, colour);
}

static void emit_shape_row(collector_t *collector, uint32_t row) {
  const shape_columns *shapes = &collector->shapes;
  frame_t *frame = collector->frame;
  affine_t pose;
  shoal_assert(collector->shape && shapes->colour.x, "shape row %u: the columns of shape must be loaded", row);
  if (!poses_find(&collector->frame->poses, collector->shape->owner[row], &pose))
    return;
  affine_t transform = affine_multiply(&frame->view.world, &pose);
  float colour[4], width = fmaxf(shapes->thickness[row], 0.0f) * affine_scale(&transform);
  const float *const parts[4] = SHOAL_VEC4_PARTS(shapes->colour);
  read_colour(parts, row, shapes->blend[row] != 0, colour);
  float line_width = shapes->filled[row] && shapes->kind[row] != SHAPE_LINE ? -1.0f : width;
  switch (shapes->kind[row]) {
  case SHAPE_CIRCLE: emit_disc(frame, &transform, shapes->radius[row], line_width, colour); break;
  case SHAPE_RECT: emit_rect(frame, &transform, shapes->width[row], shapes->height[row], line_width, colour); break;
  case SHAPE_POLYGON:
  case SHAPE_LINE: emit_outline(collector, &transform, row, line_width, colour); break;
  default: break;
  }
}

static void add_text_style(const collector_t *collector, shoal_entity entity, text_style_t *style, text_look_t *look) {
  const text_style_columns *styles = &collector->text_styles;
  uint32_t row = collector->text_style ? manager_row(collector->text_style, entity) : ROW_NONE;
  if (row == ROW_NONE || is_hidden(collector, collector->text_style, row))
    return;
  const float *const outline[4] = SHOAL_VEC4_PARTS(styles->outline);
  const float *const shadow[4] = SHOAL_VEC4_PARTS(styles->shadow);
  read_vec4(outline, row, look->outline);
  read_vec4(shadow, row, look->shadow);
  look->outline_width = styles->outline_width[row];
  look->shadow_x = styles->shadow_x[row];
  look->shadow_y = styles->shadow_y[row];
  look->shown_count = styles->shown[row];
  style->line_spacing = styles->line_spacing[row];
}

static void emit_text_row(collector_t *collector, uint32_t row) {
  const text_columns *texts = &collector->texts;
  affine_t pose;
  shoal_assert(collector->text && texts->value, "text row %u: the columns of text must be loaded", row);
  if (texts->value[row] == 0 || !poses_find(&collector->frame->poses, collector->text->owner[row], &pose))
    return;
  affine_t transform =
      affine_multiply(texts->space[row] ? &collector->frame->view.screen : &collector->frame->view.world, &pose);
  text_style_t style = {.font = strings_text(collector->strings, texts->font[row]),
                        .size = texts->size[row],
                        .wrap = texts->wrap[row],
                        .align = (text_align_t)texts->align[row],
                        .valign = (text_valign_t)texts->valign[row],
                        .markup = texts->markup[row] != 0};
  text_look_t look = {.is_additive = texts->blend[row] != 0, .shown_count = -1};
  const float *const colour[4] = SHOAL_VEC4_PARTS(texts->colour);
  read_vec4(colour, row, look.colour);
  add_text_style(collector, collector->text->owner[row], &style, &look);
  const char *text = typesetter_resolve(collector->desc->type, strings_text(collector->strings, texts->value[row]));
  emit_text(collector->frame, &transform, typesetter_layout(collector->desc->type, &style, text, strlen(text)), text,
            &look);
}

// --- the draw list

static void emit_polygon_command(collector_t *collector, const draw_command_t *command, const affine_t *transform,
                                 float line_width, const float colour[4]) {
  frame_t *frame = collector->frame;
  shoal_assert(2 * (command->first + command->count) <= collector->desc->draw->points.count,
               "points %u to %u are out of range (%u coordinates)", command->first, command->first + command->count,
               collector->desc->draw->points.count);
  const float *points = &collector->desc->draw->points.items[2 * command->first];
  bool is_cut = line_width < 0.0f && command->count > TRIANGULATE_MAX_POINTS;
  uint32_t count = is_cut ? TRIANGULATE_MAX_POINTS : command->count;
  float *xy = transform_points(frame, transform, points, count);
  if (line_width >= 0.0f) {
    emit_polyline(frame, xy, count, command->kind == DRAW_POLYGON, line_width, colour);
    return;
  }
  uint16_t triangles[TRIANGULATE_MAX_POINTS * 3];
  emit_polygon(frame, xy, count, triangles, triangulate(points, count, triangles), colour);
}

static void emit_image_command(collector_t *collector, const draw_command_t *command, const affine_t *transform,
                               const float colour[4]) {
  image_t image = collector->frame->images.find(collector->frame->images.context,
                                                draw_get_text(collector->desc->draw, command->first));
  if (image.width == 0)
    return;
  const sheet_t *sheet = image.sheet;
  picture_t picture = {.image = image, .pivot = {0.5f, 0.5f}};
  picture.frame = sheet && command->count > 0 ? sheet_frame(sheet, (int32_t)command->count, image.width, image.height)
                                              : get_strip_frame(&image, 1, 1);
  if (sheet && command->count > 0)
    memcpy(picture.pivot, sheet->pivot, sizeof picture.pivot);
  bool has_border_frame = command->count > 0 && has_border(sheet); // the border keeps its size; the rest is scaled
  float scale_x = has_border_frame ? 1.0f : command->width, scale_y = has_border_frame ? 1.0f : command->height;
  picture.width = picture.frame.full_width * (has_border_frame ? command->width : 1.0f);
  picture.height = picture.frame.full_height * (has_border_frame ? command->height : 1.0f);
  float cosine = cosf(command->angle), sine = sinf(command->angle);
  affine_t pose = {cosine * scale_x, sine * scale_x, -sine * scale_y, cosine * scale_y, command->x, command->y};
  affine_t image_transform = affine_multiply(transform, &pose);
  emit_frame_image(collector->frame, &image_transform, &picture, colour);
}

static void emit_slices_command(collector_t *collector, const draw_command_t *command, const affine_t *transform,
                                const float colour[4]) {
  image_t image = collector->frame->images.find(collector->frame->images.context,
                                                draw_get_text(collector->desc->draw, command->first));
  if (image.width == 0)
    return;
  picture_t picture = {.image = image, .width = command->width, .height = command->height};
  picture.frame =
      image.sheet ? sheet_frame(image.sheet, command->align, image.width, image.height) : get_strip_frame(&image, 1, 1);
  affine_t image_transform = *transform;
  // The pivot is at the top left corner.
  affine_apply(transform, command->x, command->y, &image_transform.x, &image_transform.y);
  emit_frame_image(collector->frame, &image_transform, &picture, colour);
}

static void emit_text_command(collector_t *collector, const draw_command_t *command, const affine_t *transform) {
  const draw_o *list = collector->desc->draw;
  const draw_text_style_t *text_style = &list->styles.items[command->style];
  const char *text = typesetter_resolve(collector->desc->type, draw_get_text(list, command->first));
  text_style_t style = {.font = draw_get_text(list, command->font),
                        .size = command->line_width,
                        .wrap = command->width,
                        .line_spacing = text_style->line_spacing,
                        .align = (text_align_t)command->align,
                        .valign = (text_valign_t)text_style->valign,
                        .markup = text_style->markup};
  text_look_t look = {.is_additive = command->add,
                      .outline_width = text_style->outline_width,
                      .shadow_x = text_style->shadow_x,
                      .shadow_y = text_style->shadow_y,
                      .shown_count = text_style->hidden - 1};
  memcpy(look.colour, command->colour, sizeof look.colour);
  memcpy(look.outline, text_style->outline, sizeof look.outline);
  memcpy(look.shadow, text_style->shadow, sizeof look.shadow);
  emit_text(collector->frame, transform, typesetter_layout(collector->desc->type, &style, text, strlen(text)), text,
            &look);
}

static void emit_mesh(collector_t *collector, const draw_command_t *command, const affine_t *transform) {
  frame_t *frame = collector->frame;
  const char *name = draw_get_text(collector->desc->draw, command->font);
  image_t image = name[0] ? frame->images.find(frame->images.context, name) : (image_t){0};
  mesh_instance_t instance = {.to_pixels = *transform};
  memcpy(instance.visible, frame->view.visible, sizeof instance.visible);
  batch_t batch = {
      .kind = BATCH_MESH, .texture = image.texture, .first = command->first, .count = 1, .clip = frame->clip};
  batch.points = frame->mesh_instances.count;
  array_push(&frame->allocator, &frame->mesh_instances, instance);
  if (!name[0] || image.width > 0) // an image of width 0 is not decoded yet
    array_push(&frame->allocator, &frame->batches, batch);
}

static void emit_command(collector_t *collector, const draw_command_t *command) {
  frame_t *frame = collector->frame;
  const affine_t *space = command->screen ? &frame->view.screen : &frame->view.world;
  if (command->view != 0 && command->view != frame->current_camera)
    return;
  affine_t transform = *space;
  float colour[4], line_width = command->filled ? -1.0f : fmaxf(command->line_width, 0.0f) * affine_scale(&transform);
  emit_premultiply_colour(command->colour, command->add, colour);
  switch (command->kind) {
  case DRAW_CIRCLE:
    affine_apply(space, command->x, command->y, &transform.x, &transform.y);
    emit_disc(frame, &transform, command->width, line_width, colour);
    break;
  case DRAW_RECT:
    affine_apply(space, command->x + command->width * 0.5f, command->y + command->height * 0.5f, &transform.x,
                 &transform.y);
    emit_rounded_rect(frame, &transform, command->width, command->height, command->angle, line_width, colour);
    break;
  case DRAW_POLYLINE:
  case DRAW_POLYGON: emit_polygon_command(collector, command, space, line_width, colour); break;
  case DRAW_TEXT:
    affine_apply(space, command->x, command->y, &transform.x, &transform.y);
    if (collector->desc->type)
      emit_text_command(collector, command, &transform);
    break;
  case DRAW_IMAGE: emit_image_command(collector, command, space, colour); break;
  case DRAW_SLICED: emit_slices_command(collector, command, space, colour); break;
  case DRAW_SOLIDS: emit_solids(frame, &collector->desc->draw->solids.items[command->first], command->count); break;
  case DRAW_MESH: emit_mesh(collector, command, space); break;
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

static void emit_item(collector_t *collector, uint64_t key) {
  uint32_t row = (uint32_t)(key & ((1u << KEY_ROW_BITS) - 1u));
  switch ((item_kind_t)((key >> KEY_ROW_BITS) & 7u)) {
  case ITEM_TILES: emit_tile_layer(collector, &collector->frame->tile_layers.items[row]); break;
  case ITEM_SPRITE: emit_sprite_row(collector, row); break;
  case ITEM_SHAPE: emit_shape_row(collector, row); break;
  case ITEM_CLOUD: emit_cloud(collector, &collector->frame->clouds.items[row]); break;
  case ITEM_TRAIL: emit_trail(collector, row); break;
  case ITEM_TEXT: emit_text_row(collector, row); break;
  case ITEM_DRAW: emit_command(collector, &collector->desc->draw->commands.items[row]); break;
  }
}

// Makes a view the target of emitted items, which are clipped at the edges of the view.
static void begin_view_items(frame_t *frame, uint32_t number) {
  const camera_view_t *view = &frame->views[number];
  shoal_assert(number < frame->view_count, "view %u is out of range (count %u)", number, frame->view_count);
  frame->current_camera = view->camera;
  frame->clip = view->clipped ? number + 1 : 0;
  memcpy(frame->view.view_rect, view->rect, sizeof view->rect);
  for (int i = 0; i < 4 && view->clipped; ++i)
    frame->view.visible[i] = (float)view->clip[i];
}

static void end_view_items(frame_t *frame) {
  frame->current_camera = 0;
  frame->clip = 0;
  memcpy(frame->view.view_rect, frame->view.screen_rect, sizeof frame->view.view_rect);
  memcpy(frame->view.visible, (const float[4]){0.0f, 0.0f, frame->view.width, frame->view.height + frame->view.strip},
         sizeof frame->view.visible);
}

static void begin_view(frame_t *frame, uint32_t number) {
  const camera_view_t *view = &frame->views[number];
  end_view_items(frame);
  begin_view_items(frame, number);
  frame->view.world = view->world;
  if (number == 0 && !view->clipped)
    return;
  float width = (float)(view->clip[2] - view->clip[0]), height = (float)(view->clip[3] - view->clip[1]);
  affine_t middle = {1.0f, 0.0f, 0.0f, 1.0f, (float)view->clip[0] + width * 0.5f, (float)view->clip[1] + height * 0.5f};
  // The rectangle is larger than the view, so that its soft edges are clipped.
  emit_rect(frame, &middle, width + 4.0f, height + 4.0f, -1.0f, view->background);
}

// --- light

static void collect_lights(collector_t *collector) {
  frame_t *frame = collector->frame;
  world_o *w = collector->transform ? collector->desc->world : NULL;
  frame->light_detail = 0.0f;
  frame->time_s = w ? (float)(((double)world_tick(w) + (double)collector->desc->alpha) * world_dt_s(w)) : 0.0f;
  if (!w || !ambient_is_used(w))
    return;
  visible_lights_list(frame, w, (double)frame->time_s);
}

// Returns the first sort key that is unlit in this view; UINT64_MAX if the view has no lighting.
static uint64_t find_first_unlit_key(const camera_view_t *view) {
  return view->lit ? (uint64_t)((uint32_t)view->ambient.layer ^ 0x80000000u) << KEY_LAYER_SHIFT : UINT64_MAX;
}

// Emits the world once per view. Returns the index of the first screen-space item.
static uint32_t emit_world(collector_t *collector) {
  frame_t *frame = collector->frame;
  uint32_t end = 0;
  while (end < frame->order.count && frame->order.items[end].key < KEY_SCREEN)
    ++end;
  for (uint32_t v = 0; v < frame->view_count; ++v) {
    begin_view(frame, v);
    uint64_t unlit_key = find_first_unlit_key(&frame->views[v]);
    for (uint32_t i = 0; i < end; ++i) {
      if (frame->order.items[i].key >= unlit_key) {
        visible_lights_emit(frame, v);
        unlit_key = UINT64_MAX;
      }
      shoal_assert(i == 0 || is_drawn_before(&frame->order.items[i - 1], &frame->order.items[i]),
                   "item %u is out of order", i);
      if (frame->order.items[i].key >= frame->views[v].first_key && frame->order.items[i].key < frame->views[v].end_key)
        emit_item(collector, frame->order.items[i].key);
    }
    if (unlit_key != UINT64_MAX)
      visible_lights_emit(frame, v);
  }
  frame->view.world = frame->views[0].world;
  end_view_items(frame);
  return end;
}

// Clips the items that follow to a rectangle in screen space and to the current view.
static void push_clip(frame_t *frame, const draw_clip_t *clip) {
  const affine_t *screen_scale = &frame->view.screen;
  const int32_t *view_rect = frame->clip > 0 ? frame->views[frame->clip - 1].clip : NULL;
  const float max_y = frame->view.height + frame->view.strip;
  clip_rect_t clip_rect = {
      {round_to_pixel(clip->x * screen_scale->ux + screen_scale->x, frame->view.width),
       round_to_pixel(clip->y * screen_scale->vy + screen_scale->y, max_y),
       round_to_pixel((clip->x + clip->width) * screen_scale->ux + screen_scale->x, frame->view.width),
       round_to_pixel((clip->y + clip->height) * screen_scale->vy + screen_scale->y, max_y)}};
  for (int i = 0; view_rect && i < 4; ++i)
    clip_rect.rect[i] = i < 2 ? (clip_rect.rect[i] > view_rect[i] ? clip_rect.rect[i] : view_rect[i])
                              : (clip_rect.rect[i] < view_rect[i] ? clip_rect.rect[i] : view_rect[i]);
  for (int i = 0; i < 2; ++i)
    clip_rect.rect[i + 2] = clip_rect.rect[i + 2] > clip_rect.rect[i] ? clip_rect.rect[i + 2] : clip_rect.rect[i];
  uint32_t count = frame->clip_rects.count;
  if (count == 0 || memcmp(&frame->clip_rects.items[count - 1], &clip_rect, sizeof clip_rect) != 0)
    array_push(&frame->allocator, &frame->clip_rects, clip_rect);
  frame->clip = FRAME_MAX_VIEW_CLIP + frame->clip_rects.count;
}

// Emits a screen-space item. An item drawn in a single view is positioned relative to the view's corner and clipped at
// the view's edges.
static void emit_screen_item(collector_t *collector, uint64_t key) {
  frame_t *frame = collector->frame;
  bool is_command = ((key >> KEY_ROW_BITS) & 7u) == ITEM_DRAW;
  const draw_command_t *command =
      is_command ? &collector->desc->draw->commands.items[key & ((1u << KEY_ROW_BITS) - 1u)] : NULL;
  affine_t screen_transform = frame->view.screen;
  if (collector->desc->canvas && !(command && command->view == collector->desc->canvas->camera))
    return; // the item belongs to the screen, not to this canvas
  for (uint32_t i = 0; command && command->view != 0 && i < frame->view_count; ++i) {
    if (frame->views[i].camera != command->view)
      continue;
    begin_view_items(frame, i);
    frame->view.screen = frame->views[i].screen;
  }
  if (command && command->clip != 0 && command->screen)
    push_clip(frame, &collector->desc->draw->clips.items[command->clip - 1]);
  emit_item(collector, key);
  frame->view.screen = screen_transform;
  end_view_items(frame);
}

static void emit_all_items(collector_t *collector) {
  frame_t *frame = collector->frame;
  const uint64_t overlay_key = KEY_SCREEN | (uint64_t)((uint32_t)RENDER_OVERLAY_LAYER ^ 0x80000000u) << KEY_LAYER_SHIFT;
  bool in_overlay = false;
  frame->overlay_batch = 0;
  uint32_t first_screen_item = emit_world(collector);
  frame->screen_batch = frame->batches.count;
  if (passes_has_enabled(frame, false))
    frame->overlay_batch = frame->screen_batch; // starts a new batch, because a batch must not belong to both ranges
  for (uint32_t i = first_screen_item; i < frame->order.count; ++i) {
    uint64_t key = frame->order.items[i].key;
    shoal_assert(i == 0 || is_drawn_before(&frame->order.items[i - 1], &frame->order.items[i]),
                 "item %u is out of order", i);
    if (!in_overlay && key >= overlay_key) {
      in_overlay = true;
      frame->overlay_batch = frame->batches.count;
    }
    emit_screen_item(collector, key);
  }
  if (!in_overlay)
    frame->overlay_batch = frame->batches.count;
}

void frame_collect(frame_t *frame, const frame_desc_t *desc) {
  shoal_assert(frame && desc, "frame and desc must not be NULL");
  collector_t collector = {.frame = frame, .desc = desc, .access = access_read(desc->world)};
  frame->instances.count = frame->batches.count = frame->corners.count = frame->clip_rects.count = 0;
  frame->mesh_instances.count = 0;
  frame->paint = desc->draw ? desc->draw->paint : NULL;
  frame->number++;
  glyphs_begin_frame(frame->glyphs, desc->type);
  bind_world(&collector);
  set_view(&collector);
  collect_lights(&collector);
  passes_list(frame, desc->canvas ? NULL : desc->world);
  add_items(&collector);
  emit_all_items(&collector);
}
