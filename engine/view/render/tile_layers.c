// Emits tilemap layers. The corners of the visible area, transformed to map coordinates, determine the visible cells.
// The edges of upright tiles are rounded to whole pixels and computed identically for both adjacent tiles, so that
// there are no gaps.
#include "render/tile_layers.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "render/emit.h"
#include "tilemap/tilemap.h"

#include <math.h>
#include <string.h>

#define MAX_IMAGE_COPIES 20000 // maximum number of copies of a repeated image
#define MAX_CACHED 64u         // number of images per map that are looked up once per layer instead of per tile

typedef struct cells_t {
  int32_t left, top, right, bottom; // `right` and `bottom` are exclusive
} cells_t;

typedef struct box_t {
  double left, top, right, bottom;
} box_t;

typedef struct drawing_t {
  frame_t *frame;
  const map_t *map;
  const map_layer_t *layer;
  const tile_edits_t *edits;
  affine_t to_pixels;
  cells_t visible_cells;
  bool is_upright;
  bool may_overlap; // true if tiles may cover neighbouring cells, so that they must be emitted in the map's order
  uint64_t time_ms;
  float colour[4];
  image_t images[MAX_CACHED];
  bool is_cached[MAX_CACHED];
  uint32_t image;      // index of the image emitted by the current pass
  uint32_t next_image; // next higher index of an image that a visible tile uses; MAP_NO_IMAGE: no such image
} drawing_t;

static bool is_layer_drawable(const map_layer_t *layer) {
  bool has_content = layer->kind == MAP_LAYER_TILES   ? layer->columns > 0
                     : layer->kind == MAP_LAYER_IMAGE ? layer->image != MAP_NO_IMAGE
                                                      : layer->drawn_count > 0;
  return has_content && layer->visible;
}

static int32_t clamp_order(int64_t order) {
  return order < INT32_MIN ? INT32_MIN : order > INT32_MAX ? INT32_MAX : (int32_t)order;
}

// Adds the background of a map, which is drawn below its lowest layer.
static void add_background(frame_t *frame, shoal_entity entity, uint32_t row, int64_t base, const map_t *map) {
  int64_t lowest = 0;
  for (uint32_t i = 0; i < map->layer_count; ++i)
    lowest = map->layers[i].order < lowest ? map->layers[i].order : lowest;
  tile_layer_t item = {
      .entity = entity, .row = row, .layer = TILE_LAYER_BACKGROUND, .order = clamp_order(base + lowest)};
  array_push(&frame->allocator, &frame->tile_layers, item);
}

void tile_layers_list(frame_t *frame, world_o *w) {
  frame->tile_layers.count = 0;
  const manager_o *manager = w ? builtin_find(w, "tilemap") : NULL;
  tilemap_columns tilemaps = tilemap_columns_of(manager);
  for (uint32_t row = 0; manager && row < manager->count; ++row) {
    const map_t *map =
        tilemaps.visible[row] && !world_is_disabled(w, manager->owner[row], manager->id) ? tilemap_map(w, row) : NULL;
    int64_t base = tilemaps.layer[row];
    if (map && map->background[3] > 0)
      add_background(frame, manager->owner[row], row, base, map);
    for (uint32_t i = 0; map && i < map->layer_count; ++i) {
      if (!is_layer_drawable(&map->layers[i]))
        continue;
      tile_layer_t item = {
          .entity = manager->owner[row], .row = row, .layer = i, .order = clamp_order(base + map->layers[i].order)};
      array_push(&frame->allocator, &frame->tile_layers, item);
    }
  }
}

static int32_t clamp_to_cell(double number, int32_t min, int32_t max) {
  return number >= max ? max : number >= min ? (int32_t)number : min; // NaN becomes `min`
}

// Converts a point of the image to map coordinates. Returns true on success, or false if the transform is singular or
// not finite; the map is then invisible.
static bool convert_to_map_space(const affine_t *transform, double x, double y, double *out_x, double *out_y) {
  double determinant = (double)transform->ux * (double)transform->vy - (double)transform->uy * (double)transform->vx;
  if (!(fabs(determinant) > 1e-12) || !isfinite(transform->x) || !isfinite(transform->y))
    return false;
  x -= (double)transform->x;
  y -= (double)transform->y;
  *out_x = ((double)transform->vy * x - (double)transform->vx * y) / determinant;
  *out_y = ((double)transform->ux * y - (double)transform->uy * x) / determinant;
  return true;
}

// Computes the bounding box of the visible area in pixels of the map. Returns true on success, or false if the map's
// transform is singular or not finite.
static bool compute_visible_box(const drawing_t *drawing, box_t *out) {
  const float *visible = drawing->frame->view.visible;
  *out = (box_t){INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 4; ++i) {
    double x = 0, y = 0;
    if (!convert_to_map_space(&drawing->to_pixels, (double)visible[i & 1 ? 2 : 0], (double)visible[i & 2 ? 3 : 1], &x,
                              &y))
      return false;
    out->left = fmin(out->left, x);
    out->right = fmax(out->right, x);
    out->top = fmin(out->top, y);
    out->bottom = fmax(out->bottom, y);
  }
  return true;
}

static bool compute_visible_cells(drawing_t *drawing) {
  box_t box;
  if (!compute_visible_box(drawing, &box))
    return false;
  const map_layer_t *layer = drawing->layer;
  const map_t *map = drawing->map;
  double width = layer->cell_width, height = layer->cell_height;
  double overhang = (double)map->overhang + fmax(fmax(map->tile_width - width, map->tile_height - height), 0);
  int32_t end_x = layer->left + (int32_t)layer->columns, end_y = layer->top + (int32_t)layer->rows;
  drawing->may_overlap = overhang > 0;
  drawing->visible_cells.left = clamp_to_cell(floor((box.left - overhang) / width), layer->left, end_x);
  drawing->visible_cells.top = clamp_to_cell(floor((box.top - overhang) / height), layer->top, end_y);
  drawing->visible_cells.right = clamp_to_cell(ceil((box.right + overhang) / width), layer->left, end_x);
  drawing->visible_cells.bottom = clamp_to_cell(ceil((box.bottom + overhang) / height), layer->top, end_y);
  return true;
}

static image_t find_image(drawing_t *drawing, uint32_t index) {
  image_source_t *images = &drawing->frame->images;
  shoal_assert(index < drawing->map->image_count, "image %u is out of range (count %u)", index,
               drawing->map->image_count);
  if (index >= MAX_CACHED)
    return images->find(images->context, drawing->map->images[index]);
  if (!drawing->is_cached[index])
    drawing->images[index] = images->find(images->context, drawing->map->images[index]);
  drawing->is_cached[index] = true;
  return drawing->images[index];
}

// Emits an upright tile. `box` contains two opposite corners; adjacent tiles must be given the same coordinate for
// their common edge.
static void emit_upright_tile(drawing_t *drawing, const image_t *image, const float box[4], uint32_t cell,
                              const float texels[4]) {
  const affine_t *transform = &drawing->to_pixels;
  float x0 = roundf(transform->ux * box[0] + transform->x), x1 = roundf(transform->ux * box[2] + transform->x);
  float y0 = roundf(transform->vy * box[1] + transform->y), y1 = roundf(transform->vy * box[3] + transform->y);
  float hx = (x1 - x0) * 0.5f, hy = (y1 - y0) * 0.5f, x = (x0 + x1) * 0.5f, y = (y0 + y1) * 0.5f;
  float u[2] = {hx, 0.0f}, v[2] = {0.0f, hy};
  if (cell & MAP_FLIP_DIAGONAL)
    u[0] = v[1] = 0.0f, u[1] = hy, v[0] = hx;
  if (cell & MAP_FLIP_X)
    u[0] = -u[0], v[0] = -v[0];
  if (cell & MAP_FLIP_Y)
    u[1] = -u[1], v[1] = -v[1];
  emit_tile(drawing->frame, image, x, y, u, v, texels, drawing->colour);
}

static void emit_rotated_tile(drawing_t *drawing, const image_t *image, const float box[4], uint32_t cell,
                              const float texels[4]) {
  float hx = (box[2] - box[0]) * 0.5f, hy = (box[3] - box[1]) * 0.5f, x, y;
  float u[2] = {hx, 0.0f}, v[2] = {0.0f, hy};
  if (cell & MAP_FLIP_DIAGONAL)
    u[0] = v[1] = 0.0f, u[1] = hy, v[0] = hx;
  float fx = cell & MAP_FLIP_X ? -1.0f : 1.0f, fy = cell & MAP_FLIP_Y ? -1.0f : 1.0f;
  const affine_t *transform = &drawing->to_pixels;
  float to_u[2] = {transform->ux * fx * u[0] + transform->vx * fy * u[1],
                   transform->uy * fx * u[0] + transform->vy * fy * u[1]};
  float to_v[2] = {transform->ux * fx * v[0] + transform->vx * fy * v[1],
                   transform->uy * fx * v[0] + transform->vy * fy * v[1]};
  affine_apply(transform, (box[0] + box[2]) * 0.5f, (box[1] + box[3]) * 0.5f, &x, &y);
  emit_tile(drawing->frame, image, x, y, to_u, to_v, texels, drawing->colour);
}

static void emit_cell(drawing_t *drawing, int32_t column, int32_t row, uint32_t cell) {
  const map_t *map = drawing->map;
  const map_tile_t *tile = map_tile(map, cell);
  if (tile->frame_count > 0)
    tile = map_tile(map, map_tile_at(map, MAP_TILE(cell), drawing->time_ms));
  if (tile->image == MAP_NO_IMAGE)
    return;
  if (!drawing->may_overlap && tile->image != drawing->image) {
    if (tile->image > drawing->image && tile->image < drawing->next_image)
      drawing->next_image = tile->image;
    return;
  }
  image_t image = find_image(drawing, tile->image);
  if (image.width == 0) // the image is not decoded yet
    return;
  float width = (float)(tile->width > 0 ? tile->width : image.width),
        height = (float)(tile->height > 0 ? tile->height : image.height);
  // A tile that does not have the size of its cell is aligned at the bottom left corner of the cell.
  bool is_turned = (cell & MAP_FLIP_DIAGONAL) != 0;
  float left = (float)column * (float)drawing->layer->cell_width + tile->offset_x;
  float bottom = (float)(row + 1) * (float)drawing->layer->cell_height + tile->offset_y;
  const float box[4] = {left, bottom - (is_turned ? width : height), left + (is_turned ? height : width), bottom};
  const float texels[4] = {(float)tile->x, (float)tile->y, (float)tile->x + width, (float)tile->y + height};
  if (drawing->is_upright)
    emit_upright_tile(drawing, &image, box, cell, texels);
  else
    emit_rotated_tile(drawing, &image, box, cell, texels);
}

static void emit_cells(drawing_t *drawing, const uint32_t *cells, int32_t begin, int32_t end, int32_t row) {
  for (int32_t i = 0; i < end - begin; ++i) {
    int32_t column = drawing->map->right_to_left ? end - 1 - i : begin + i;
    uint32_t cell =
        drawing->edits ? tilemap_get_edited_cell(drawing->layer, drawing->edits, column, row) : cells[column - begin];
    if (cell != 0)
      emit_cell(drawing, column, row, cell);
  }
}

static bool is_empty(const uint32_t *cells) {
  return cells >= map_empty_block && cells < map_empty_block + MAP_BLOCK_CELLS;
}

// Emits the cells from column `begin` to `end`, which are contiguous in the layer.
static void emit_run(drawing_t *drawing, const uint32_t *cells, int32_t begin, int32_t end, int32_t row) {
  if (drawing->edits || !is_empty(cells))
    emit_cells(drawing, cells, begin, end, row);
}

static void emit_row(drawing_t *drawing, int32_t row) {
  const cells_t *visible = &drawing->visible_cells;
  const map_layer_t *layer = drawing->layer;
  uint32_t y = (uint32_t)(row - layer->top), count;
  for (int32_t begin = visible->left, end; begin < visible->right; begin = end) {
    const uint32_t *cells = map_row(layer, (uint32_t)(begin - layer->left), y, &count);
    end = visible->right - begin > (int32_t)count ? begin + (int32_t)count : visible->right;
    emit_run(drawing, cells, begin, end, row);
  }
}

// Like emit_row, but emits the blocks from right to left, as maps with right_to_left require.
static void emit_row_from_right(drawing_t *drawing, int32_t row) {
  const cells_t *visible = &drawing->visible_cells;
  const map_layer_t *layer = drawing->layer;
  uint32_t y = (uint32_t)(row - layer->top), count;
  for (int32_t end = visible->right, begin; end > visible->left; end = begin) {
    begin = layer->left + (int32_t)((uint32_t)(end - 1 - layer->left) & ~(MAP_BLOCK_SIDE - 1));
    begin = begin > visible->left ? begin : visible->left;
    emit_run(drawing, map_row(layer, (uint32_t)(begin - layer->left), y, &count), begin, end, row);
  }
}

// Emits the visible tiles in the map's order: the tiles of one image or, if tiles may overlap, all tiles. Determines
// the next image to emit.
static void emit_pass(drawing_t *drawing) {
  const cells_t *visible = &drawing->visible_cells;
  drawing->next_image = MAP_NO_IMAGE;
  for (int32_t i = 0; i < visible->bottom - visible->top; ++i) {
    int32_t row = drawing->map->bottom_to_top ? visible->bottom - 1 - i : visible->top + i;
    if (drawing->map->right_to_left)
      emit_row_from_right(drawing, row);
    else
      emit_row(drawing, row);
  }
}

static void emit_tiles(drawing_t *drawing) {
  if (!compute_visible_cells(drawing))
    return;
  do {
    emit_pass(drawing);
    drawing->image = drawing->next_image;
  } while (drawing->image != MAP_NO_IMAGE);
}

// --- image layers and tile objects

// Stores the range of visible copies of a repeated image, [*begin, *end).
static void compute_visible_copies(bool repeat, double left, double right, float size, int32_t *begin, int32_t *end) {
  *begin = repeat ? clamp_to_cell(floor(left / (double)size), -MAP_MAX_SIDE, MAP_MAX_SIDE) : 0;
  *end = repeat ? clamp_to_cell(ceil(right / (double)size), *begin, MAP_MAX_SIDE) : 1;
}

// Returns true if the number of copies is allowed; otherwise logs a warning, once, and returns false.
static bool check_copy_limit(drawing_t *drawing, int64_t copy_count) {
  frame_t *frame = drawing->frame;
  if (copy_count > MAX_IMAGE_COPIES && !frame->copies_logged)
    log_warn(frame->log,
             "render: %s: the image of layer \"%s\" would repeat %lld times (at most %d): use a larger image",
             drawing->map->files[0], drawing->layer->name, (long long)copy_count, MAX_IMAGE_COPIES);
  frame->copies_logged = frame->copies_logged || copy_count > MAX_IMAGE_COPIES;
  return copy_count <= MAX_IMAGE_COPIES;
}

static void emit_repeated(drawing_t *drawing) {
  image_t image = find_image(drawing, drawing->layer->image);
  float width = (float)image.width, height = (float)image.height;
  const float texels[4] = {0.0f, 0.0f, width, height};
  int32_t left, top, right, bottom;
  box_t box;
  if (image.width <= 0 || image.height <= 0) // the image is not decoded yet
    return;
  if (!compute_visible_box(drawing, &box))
    return;
  compute_visible_copies(drawing->layer->repeat[0], box.left, box.right, width, &left, &right);
  compute_visible_copies(drawing->layer->repeat[1], box.top, box.bottom, height, &top, &bottom);
  if (!check_copy_limit(drawing, (int64_t)(right - left) * (bottom - top)))
    return;
  for (int32_t y = top; y < bottom; ++y)
    for (int32_t x = left; x < right; ++x) {
      const float rect[4] = {(float)x * width, (float)y * height, (float)(x + 1) * width, (float)(y + 1) * height};
      if (drawing->is_upright)
        emit_upright_tile(drawing, &image, rect, 0, texels);
      else
        emit_rotated_tile(drawing, &image, rect, 0, texels);
    }
}

// Emits a tile object, scaled to the size of the object and rotated around its centre.
static void emit_object(drawing_t *drawing, const map_object_t *object) {
  const map_tile_t *tile = map_tile(drawing->map, object->cell);
  if (tile->frame_count > 0)
    tile = map_tile(drawing->map, map_tile_at(drawing->map, MAP_TILE(object->cell), drawing->time_ms));
  if (tile->image == MAP_NO_IMAGE)
    return;
  image_t image = find_image(drawing, tile->image);
  if (image.width == 0)
    return;
  float cosine = cosf((float)object->angle), sine = sinf((float)object->angle), u[2] = {1.0f, 0.0f},
        v[2] = {0.0f, 1.0f};
  bool is_diagonal = (object->cell & MAP_FLIP_DIAGONAL) != 0;
  if (is_diagonal)
    u[0] = v[1] = 0.0f, u[1] = v[0] = 1.0f;
  if (object->cell & MAP_FLIP_X)
    u[0] = -u[0], v[0] = -v[0];
  if (object->cell & MAP_FLIP_Y)
    u[1] = -u[1], v[1] = -v[1];
  float width = (float)(tile->width > 0 ? tile->width : image.width),
        height = (float)(tile->height > 0 ? tile->height : image.height);
  const float texels[4] = {(float)tile->x, (float)tile->y, (float)tile->x + width, (float)tile->y + height};
  float width_px = object->width > 0 ? (float)object->width : width,
        height_px = object->height > 0 ? (float)object->height : height;
  // The tile's offset is scaled and rotated with the object.
  float offset_x = tile->offset_x * width_px / width, offset_y = tile->offset_y * height_px / height;
  affine_t object_transform = {cosine * u[0] - sine * u[1],
                               sine * u[0] + cosine * u[1],
                               cosine * v[0] - sine * v[1],
                               sine * v[0] + cosine * v[1],
                               (float)object->x + cosine * offset_x - sine * offset_y,
                               (float)object->y + sine * offset_x + cosine * offset_y};
  object_transform = affine_multiply(&drawing->to_pixels, &object_transform);
  emit_image(drawing->frame, &object_transform, &image, is_diagonal ? height_px : width_px,
             is_diagonal ? width_px : height_px, texels, drawing->colour, NULL);
}

// --- a layer

// Applies the layer's parallax and offset. (Positions of objects already include the offset.)
static void apply_layer_offset(drawing_t *drawing) {
  const map_layer_t *layer = drawing->layer;
  const affine_t transform = drawing->to_pixels;
  const float *view = drawing->frame->view.view_rect;
  float x = layer->kind == MAP_LAYER_OBJECTS ? 0.0f : layer->x, y = layer->kind == MAP_LAYER_OBJECTS ? 0.0f : layer->y;
  double middle_x, middle_y;
  if ((layer->parallax[0] != 1.0f || layer->parallax[1] != 1.0f) &&
      convert_to_map_space(&transform, ((double)view[0] + (double)view[2]) / 2, ((double)view[1] + (double)view[3]) / 2,
                           &middle_x, &middle_y)) {
    x += ((float)middle_x - drawing->map->parallax_origin[0]) * (1.0f - layer->parallax[0]);
    y += ((float)middle_y - drawing->map->parallax_origin[1]) * (1.0f - layer->parallax[1]);
  }
  drawing->to_pixels.x += transform.ux * x + transform.vx * y;
  drawing->to_pixels.y += transform.uy * x + transform.vy * y;
}

static void emit_background(frame_t *frame, const map_t *map, const affine_t *transform) {
  const float *area = map->area;
  float colour[4], width = area[2] - area[0], height = area[3] - area[1];
  affine_t centre = *transform;
  if (width <= 0 || height <= 0)
    return;
  affine_apply(transform, area[0] + width / 2, area[1] + height / 2, &centre.x, &centre.y);
  emit_premultiply_colour(map->background, false, colour);
  emit_rect(frame, &centre, width, height, -1.0f, colour);
}

void tile_layers_emit(frame_t *frame, world_o *w, const tile_layer_t *item, const affine_t *transform) {
  const manager_o *tilemaps = builtin_find(w, "tilemap");
  shoal_assert(tilemaps && item->row < tilemaps->count, "tilemap row %u is out of range (count %u)", item->row,
               tilemaps ? tilemaps->count : 0);
  const map_t *map = tilemap_map(w, item->row);
  if (map && item->layer == TILE_LAYER_BACKGROUND)
    emit_background(frame, map, transform);
  if (!map || item->layer >= map->layer_count)
    return;
  drawing_t drawing = {.frame = frame, .map = map, .layer = &map->layers[item->layer], .to_pixels = *transform};
  apply_layer_offset(&drawing);
  drawing.is_upright =
      fabsf(transform->uy) + fabsf(transform->vx) < 1e-6f * (fabsf(transform->ux) + fabsf(transform->vy));
  drawing.time_ms = world_tick(w) * 1000u / world_tick_rate(w);
  emit_premultiply_colour(drawing.layer->colour, false, drawing.colour);
  switch (drawing.layer->kind) {
  case MAP_LAYER_TILES:
    drawing.edits = tilemap_edits(w, tilemaps->owner[item->row], drawing.layer->name);
    emit_tiles(&drawing);
    break;
  case MAP_LAYER_IMAGE: emit_repeated(&drawing); break;
  case MAP_LAYER_OBJECTS:
    for (uint32_t i = 0; i < drawing.layer->drawn_count; ++i)
      emit_object(&drawing, &map->objects[drawing.layer->drawn[i]]);
    break;
  }
}
