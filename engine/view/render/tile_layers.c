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

#define MAX_COPIES 20000 // maximum number of copies of a repeated image
#define MAX_CACHED 64u // number of images per map that are looked up once per layer; all others are looked up per tile

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
  affine_t m;
  cells_t seen;
  bool upright;
  uint64_t ms;
  float colour[4];
  image_t images[MAX_CACHED];
  bool is_cached[MAX_CACHED];
  uint32_t image;      // index of the image emitted by the current pass
  uint32_t next_image; // next higher index of an image used by a visible tile; MAP_NO_IMAGE: none
} drawing_t;

static bool is_layer_drawable(const map_layer_t *l) {
  bool any = l->kind == MAP_LAYER_TILES   ? l->columns > 0
             : l->kind == MAP_LAYER_IMAGE ? l->image != MAP_NO_IMAGE
                                          : l->drawn_count > 0;
  return any && l->visible;
}

void tile_layers_list(frame_t *f, world_o *w) {
  f->tile_layers.count = 0;
  const manager_o *m = w ? builtin_find(w, "tilemap") : NULL;
  tilemap_columns c = tilemap_columns_of(m);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    const map_t *map = c.visible[row] && !world_is_disabled(w, m->owner[row], m->id) ? tilemap_map(w, row) : NULL;
    int64_t base = c.layer[row];
    for (uint32_t i = 0; map && i < map->layer_count; ++i) {
      if (!is_layer_drawable(&map->layers[i]))
        continue;
      int64_t order = base + map->layers[i].order;
      order = order < INT32_MIN ? INT32_MIN : order > INT32_MAX ? INT32_MAX : order;
      tile_layer_t item = {.entity = m->owner[row], .row = row, .layer = i, .order = (int32_t)order};
      array_push(&f->allocator, &f->tile_layers, item);
    }
  }
}

static int32_t clamp_to_cell(double number, int32_t min, int32_t max) {
  return number >= max ? max : number >= min ? (int32_t)number : min; // NaN becomes `min`
}

// Converts a point of the image to map coordinates. Returns false if the transform is singular or not finite; the map
// is then invisible.
static bool convert_to_map_space(const affine_t *m, double x, double y, double *out_x, double *out_y) {
  double determinant = (double)m->ux * (double)m->vy - (double)m->uy * (double)m->vx;
  if (!(fabs(determinant) > 1e-12) || !isfinite(m->x) || !isfinite(m->y))
    return false;
  x -= (double)m->x;
  y -= (double)m->y;
  *out_x = ((double)m->vy * x - (double)m->vx * y) / determinant;
  *out_y = ((double)m->ux * y - (double)m->uy * x) / determinant;
  return true;
}

// Computes the bounding box of the visible area in pixels of the map. Returns false if the map's transform is singular.
static bool compute_visible_box(const drawing_t *d, box_t *out) {
  const float *seen = d->frame->view.seen;
  *out = (box_t){INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 4; ++i) {
    double x = 0, y = 0;
    if (!convert_to_map_space(&d->m, (double)seen[i & 1 ? 2 : 0], (double)seen[i & 2 ? 3 : 1], &x, &y))
      return false;
    out->left = fmin(out->left, x);
    out->right = fmax(out->right, x);
    out->top = fmin(out->top, y);
    out->bottom = fmax(out->bottom, y);
  }
  return true;
}

static bool compute_visible_cells(drawing_t *d) {
  box_t box;
  if (!compute_visible_box(d, &box))
    return false;
  const map_layer_t *l = d->layer;
  double width = d->map->tile_width, height = d->map->tile_height, over = (double)d->map->overhang;
  int32_t end_x = l->left + (int32_t)l->columns, end_y = l->top + (int32_t)l->rows;
  d->seen.left = clamp_to_cell(floor((box.left - over) / width), l->left, end_x);
  d->seen.top = clamp_to_cell(floor((box.top - over) / height), l->top, end_y);
  d->seen.right = clamp_to_cell(ceil((box.right + over) / width), l->left, end_x);
  d->seen.bottom = clamp_to_cell(ceil((box.bottom + over) / height), l->top, end_y);
  return true;
}

static image_t find_image(drawing_t *d, uint32_t number) {
  image_source_t *images = &d->frame->images;
  shoal_assert(number < d->map->image_count, "image %u is out of range (count %u)", number, d->map->image_count);
  if (number >= MAX_CACHED)
    return images->find(images->context, d->map->images[number]);
  if (!d->is_cached[number])
    d->images[number] = images->find(images->context, d->map->images[number]);
  d->is_cached[number] = true;
  return d->images[number];
}

// Emits an upright tile. `box` contains two opposite corners; adjacent tiles must be given the same coordinate for
// their common edge.
static void emit_upright_tile(drawing_t *d, const image_t *image, const float box[4], uint32_t cell,
                              const float texels[4]) {
  const affine_t *m = &d->m;
  float x0 = roundf(m->ux * box[0] + m->x), x1 = roundf(m->ux * box[2] + m->x);
  float y0 = roundf(m->vy * box[1] + m->y), y1 = roundf(m->vy * box[3] + m->y);
  float hx = (x1 - x0) * 0.5f, hy = (y1 - y0) * 0.5f, x = (x0 + x1) * 0.5f, y = (y0 + y1) * 0.5f;
  float u[2] = {hx, 0.0f}, v[2] = {0.0f, hy};
  if (cell & MAP_FLIP_DIAGONAL)
    u[0] = v[1] = 0.0f, u[1] = hy, v[0] = hx;
  if (cell & MAP_FLIP_X)
    u[0] = -u[0], v[0] = -v[0];
  if (cell & MAP_FLIP_Y)
    u[1] = -u[1], v[1] = -v[1];
  emit_tile(d->frame, image, x, y, u, v, texels, d->colour);
}

static void emit_rotated_tile(drawing_t *d, const image_t *image, const float box[4], uint32_t cell,
                              const float texels[4]) {
  float hx = (box[2] - box[0]) * 0.5f, hy = (box[3] - box[1]) * 0.5f, x, y;
  float u[2] = {hx, 0.0f}, v[2] = {0.0f, hy};
  if (cell & MAP_FLIP_DIAGONAL)
    u[0] = v[1] = 0.0f, u[1] = hy, v[0] = hx;
  float fx = cell & MAP_FLIP_X ? -1.0f : 1.0f, fy = cell & MAP_FLIP_Y ? -1.0f : 1.0f;
  const affine_t *m = &d->m;
  float to_u[2] = {m->ux * fx * u[0] + m->vx * fy * u[1], m->uy * fx * u[0] + m->vy * fy * u[1]};
  float to_v[2] = {m->ux * fx * v[0] + m->vx * fy * v[1], m->uy * fx * v[0] + m->vy * fy * v[1]};
  affine_apply(m, (box[0] + box[2]) * 0.5f, (box[1] + box[3]) * 0.5f, &x, &y);
  emit_tile(d->frame, image, x, y, to_u, to_v, texels, d->colour);
}

static void emit_cell(drawing_t *d, int32_t column, int32_t row, uint32_t cell) {
  const map_t *map = d->map;
  const map_tile_t *t = map_tile(map, cell);
  if (t->frame_count > 0)
    t = map_tile(map, map_tile_at(map, MAP_TILE(cell), d->ms));
  if (t->image != d->image) {
    if (t->image != MAP_NO_IMAGE && t->image > d->image && t->image < d->next_image)
      d->next_image = t->image;
    return;
  }
  image_t image = find_image(d, t->image);
  if (image.width == 0) // the image is not decoded yet
    return;
  float width = (float)(t->width > 0 ? t->width : image.width),
        height = (float)(t->height > 0 ? t->height : image.height);
  // A tile larger than its cell is aligned at the bottom left corner of the cell.
  float left = (float)column * (float)map->tile_width + t->offset_x;
  float bottom = (float)(row + 1) * (float)map->tile_height + t->offset_y;
  const float box[4] = {left, bottom - height, left + width, bottom};
  const float texels[4] = {(float)t->x, (float)t->y, (float)t->x + width, (float)t->y + height};
  if (d->upright)
    emit_upright_tile(d, &image, box, cell, texels);
  else
    emit_rotated_tile(d, &image, box, cell, texels);
}

// Emits the visible tiles of one image, and determines the next image to emit.
static void emit_image_pass(drawing_t *d) {
  const map_layer_t *l = d->layer;
  d->next_image = MAP_NO_IMAGE;
  for (int32_t row = d->seen.top; row < d->seen.bottom; ++row) {
    const uint32_t *cells = l->cells + (size_t)(row - l->top) * l->columns;
    for (int32_t column = d->seen.left; column < d->seen.right; ++column) {
      uint32_t cell = d->edits ? tilemap_get_edited_cell(l, d->edits, column, row) : cells[column - l->left];
      if (cell != 0)
        emit_cell(d, column, row, cell);
    }
  }
}

static void emit_tiles(drawing_t *d) {
  if (!compute_visible_cells(d))
    return;
  do {
    emit_image_pass(d);
    d->image = d->next_image;
  } while (d->image != MAP_NO_IMAGE);
}

// --- image layers and tile objects

// Stores the range of visible copies of a repeated image, [*from, *to).
static void compute_visible_copies(bool repeat, double left, double right, float size, int32_t *from, int32_t *to) {
  *from = repeat ? clamp_to_cell(floor(left / (double)size), -MAP_MAX_SIDE, MAP_MAX_SIDE) : 0;
  *to = repeat ? clamp_to_cell(ceil(right / (double)size), *from, MAP_MAX_SIDE) : 1;
}

// Returns true if the number of copies is allowed. Otherwise logs a warning, once.
static bool check_copy_limit(drawing_t *d, int64_t times) {
  frame_t *f = d->frame;
  if (times > MAX_COPIES && !f->copies_logged)
    log_warn(f->log, "render: %s: the image of layer \"%s\" would repeat %lld times (at most %d): use a larger image",
             d->map->files[0], d->layer->name, (long long)times, MAX_COPIES);
  f->copies_logged = f->copies_logged || times > MAX_COPIES;
  return times <= MAX_COPIES;
}

static void emit_repeated(drawing_t *d) {
  image_t image = find_image(d, d->layer->image);
  float width = (float)image.width, height = (float)image.height;
  const float texels[4] = {0.0f, 0.0f, width, height};
  int32_t left, top, right, bottom;
  box_t box;
  if (image.width <= 0 || image.height <= 0 ||
      !compute_visible_box(d, &box)) // the image is not decoded yet if its width is 0
    return;
  compute_visible_copies(d->layer->repeat[0], box.left, box.right, width, &left, &right);
  compute_visible_copies(d->layer->repeat[1], box.top, box.bottom, height, &top, &bottom);
  if (!check_copy_limit(d, (int64_t)(right - left) * (bottom - top)))
    return;
  for (int32_t y = top; y < bottom; ++y)
    for (int32_t x = left; x < right; ++x) {
      const float at[4] = {(float)x * width, (float)y * height, (float)(x + 1) * width, (float)(y + 1) * height};
      if (d->upright)
        emit_upright_tile(d, &image, at, 0, texels);
      else
        emit_rotated_tile(d, &image, at, 0, texels);
    }
}

// Emits a tile object, scaled to the size of the object and rotated around its centre.
static void emit_object(drawing_t *d, const map_object_t *o) {
  const map_tile_t *t = map_tile(d->map, o->cell);
  if (t->frame_count > 0)
    t = map_tile(d->map, map_tile_at(d->map, MAP_TILE(o->cell), d->ms));
  if (t->image == MAP_NO_IMAGE)
    return;
  image_t image = find_image(d, t->image);
  if (image.width == 0)
    return;
  float cosine = cosf((float)o->angle), sine = sinf((float)o->angle), u[2] = {1.0f, 0.0f}, v[2] = {0.0f, 1.0f};
  bool diagonal = (o->cell & MAP_FLIP_DIAGONAL) != 0;
  if (diagonal)
    u[0] = v[1] = 0.0f, u[1] = v[0] = 1.0f;
  if (o->cell & MAP_FLIP_X)
    u[0] = -u[0], v[0] = -v[0];
  if (o->cell & MAP_FLIP_Y)
    u[1] = -u[1], v[1] = -v[1];
  affine_t at = {cosine * u[0] - sine * u[1], sine * u[0] + cosine * u[1], cosine * v[0] - sine * v[1],
                 sine * v[0] + cosine * v[1], (float)o->x + t->offset_x,   (float)o->y + t->offset_y};
  at = affine_multiply(&d->m, &at);
  float width = (float)(t->width > 0 ? t->width : image.width),
        height = (float)(t->height > 0 ? t->height : image.height);
  const float texels[4] = {(float)t->x, (float)t->y, (float)t->x + width, (float)t->y + height};
  float across = o->width > 0 ? (float)o->width : width, down = o->height > 0 ? (float)o->height : height;
  emit_image(d->frame, &at, &image, diagonal ? down : across, diagonal ? across : down, texels, d->colour, NULL);
}

// --- a layer

// Applies the layer's parallax and offset. (Positions of objects already include the offset.)
static void apply_layer_offset(drawing_t *d) {
  const map_layer_t *l = d->layer;
  const affine_t m = d->m;
  const float *seen = d->frame->view.seen;
  float x = l->kind == MAP_LAYER_OBJECTS ? 0.0f : l->x, y = l->kind == MAP_LAYER_OBJECTS ? 0.0f : l->y;
  double middle_x, middle_y;
  if ((l->parallax[0] != 1.0f || l->parallax[1] != 1.0f) &&
      convert_to_map_space(&m, ((double)seen[0] + (double)seen[2]) / 2, ((double)seen[1] + (double)seen[3]) / 2,
                           &middle_x, &middle_y)) {
    x += ((float)middle_x - d->map->parallax_origin[0]) * (1.0f - l->parallax[0]);
    y += ((float)middle_y - d->map->parallax_origin[1]) * (1.0f - l->parallax[1]);
  }
  d->m.x += m.ux * x + m.vx * y;
  d->m.y += m.uy * x + m.vy * y;
}

void tile_layers_emit(frame_t *f, world_o *w, const tile_layer_t *item, const affine_t *m) {
  const manager_o *tilemaps = builtin_find(w, "tilemap");
  shoal_assert(tilemaps && item->row < tilemaps->count, "tilemap row %u is out of range (count %u)", item->row,
               tilemaps ? tilemaps->count : 0);
  const map_t *map = tilemap_map(w, item->row);
  if (!map || item->layer >= map->layer_count)
    return;
  drawing_t d = {.frame = f, .map = map, .layer = &map->layers[item->layer], .m = *m};
  apply_layer_offset(&d);
  d.upright = fabsf(m->uy) + fabsf(m->vx) < 1e-6f * (fabsf(m->ux) + fabsf(m->vy));
  d.ms = world_tick(w) * 1000u / world_tick_rate(w);
  emit_premultiply_colour(d.layer->colour, false, d.colour);
  switch (d.layer->kind) {
  case MAP_LAYER_TILES:
    d.edits = tilemap_edits(w, tilemaps->owner[item->row], d.layer->name);
    emit_tiles(&d);
    break;
  case MAP_LAYER_IMAGE: emit_repeated(&d); break;
  case MAP_LAYER_OBJECTS:
    for (uint32_t i = 0; i < d.layer->drawn_count; ++i)
      emit_object(&d, &map->objects[d.layer->drawn[i]]);
    break;
  }
}
