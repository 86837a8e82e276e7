// Reads, queries and destroys maps.
#include "tiles/map_reader.h"

#include "base/assert.h"
#include "base/files.h"

#include <math.h>
#include <string.h>

bool map_is_map_file(const char *name) {
  return path_ends_with(name, ".tmj") || path_ends_with(name, ".tsj") || path_ends_with(name, ".tsx") ||
         path_ends_with(name, ".ldtk") || path_ends_with(name, ".ldtkl");
}

static void find_bounds(map_t *m) {
  int64_t left = INT32_MAX, top = INT32_MAX, right = INT32_MIN, bottom = INT32_MIN;
  for (uint32_t i = 0; i < m->layer_count; ++i) {
    const map_layer_t *l = &m->layers[i];
    if (l->columns == 0 || l->rows == 0)
      continue;
    left = l->left < left ? l->left : left;
    top = l->top < top ? l->top : top;
    right = l->left + (int64_t)l->columns > right ? l->left + (int64_t)l->columns : right;
    bottom = l->top + (int64_t)l->rows > bottom ? l->top + (int64_t)l->rows : bottom;
  }
  if (right <= left)
    return;
  m->left = (int32_t)left;
  m->top = (int32_t)top;
  m->columns = (uint32_t)(right - left);
  m->rows = (uint32_t)(bottom - top);
}

// Sets the drawing order: layers below the first object layer are drawn behind objects, layers above it in front of
// them. A layer's number property `layer` overrides the layer's position in this order.
static void set_drawing_order(map_reader_t *r) {
  map_t *m = r->map;
  int32_t middle = r->objects_at < 0 ? (int32_t)m->layer_count : r->objects_at;
  for (uint32_t i = 0; i < m->layer_count; ++i) {
    const map_property_t *own = map_property(&m->layers[i].properties, "layer");
    m->layers[i].order = (int32_t)i - middle;
    if (own && own->type == MAP_NUMBER && fabs(own->number) <= MAP_MAX_SIDE)
      m->layers[i].order = (int32_t)own->number;
  }
}

static void finish_tiles(map_t *m) {
  for (uint32_t i = 0; i < m->tile_count; ++i) {
    map_tile_t *t = &m->tiles[i];
    t->cycle_ms = 0;
    for (uint32_t k = 0; k < t->frame_count; ++k)
      t->cycle_ms += m->frames[t->first_frame + k].ms;
    m->has_solid |= t->solid || t->one_way || t->slope;
    int32_t wider = t->width - m->tile_width, higher = t->height - m->tile_height;
    m->overhang =
        fmaxf(m->overhang, (float)(wider > higher ? wider : higher) + fmaxf(fabsf(t->offset_x), fabsf(t->offset_y)));
  }
}

uint32_t map_tile_at(const map_t *m, uint32_t tile, uint64_t ms) {
  const map_tile_t *t = map_tile(m, tile);
  if (t->frame_count == 0 || t->cycle_ms == 0)
    return tile;
  uint32_t left = (uint32_t)(ms % t->cycle_ms);
  for (uint32_t k = 0; k < t->frame_count; ++k) {
    const map_frame_t *f = &m->frames[t->first_frame + k];
    if (left < f->ms)
      return f->tile;
    left -= f->ms;
  }
  shoal_assert(false, "the frames of tile %u do not add up to its cycle", tile);
  return tile;
}

int32_t map_find_layer(const map_t *m, const char *name) {
  for (uint32_t i = 0; i < m->layer_count; ++i)
    if (m->layers[i].kind == MAP_LAYER_TILES && strcmp(m->layers[i].name, name) == 0)
      return (int32_t)i;
  return -1;
}

map_t *map_read(allocator_t *a, const map_source_t *source, const char *name, const char *level, error_info_t *error) {
  error_info_t unheard;
  shoal_assert(source && source->read && name && level, "source, name and level must not be NULL");
  map_t *m = alloc_resize(a, NULL, 0, sizeof *m);
  *m = (map_t){.allocator = a};
  map_reader_t r = {.map = m,
                    .a = a,
                    .source = source,
                    .file = name,
                    .level = level,
                    .objects_at = -1,
                    .error = error ? error : &unheard};
  json_t *root = NULL;
  bool ok = false, is_tiled = path_ends_with(name, ".tmj");
  if (!is_tiled && !path_ends_with(name, ".ldtk"))
    map_fail(&r, "the name of a map must end with .tmj (Tiled) or .ldtk (LDtk)");
  else
    root = map_parse(&r, name);
  if (root)
    ok = map_allocate_tiles(&r, 1) && (is_tiled ? map_read_tiled(&r, root) : map_read_ldtk(&r, root));
  json_decref(root);
  if (!ok) {
    map_destroy(m);
    return NULL;
  }
  shoal_assert(m->tile_width > 0 && m->tile_height > 0, "%s: invalid cell size %d × %d", name, m->tile_width,
               m->tile_height);
  find_bounds(m);
  set_drawing_order(&r);
  finish_tiles(m);
  return m;
}

static void free_texts(allocator_t *a, char **texts, uint32_t count, uint32_t capacity) {
  for (uint32_t i = 0; i < count; ++i)
    alloc_free_text(a, texts[i]);
  alloc_resize(a, texts, capacity * sizeof *texts, 0);
}

void map_destroy(map_t *m) {
  if (!m)
    return;
  allocator_t *a = m->allocator;
  for (uint32_t i = 0; i < m->layer_count; ++i) {
    map_layer_t *l = &m->layers[i];
    alloc_resize(a, l->cells, (size_t)l->columns * l->rows * sizeof *l->cells, 0);
    alloc_resize(a, l->drawn, l->drawn_count * sizeof *l->drawn, 0);
    map_free_properties(a, &l->properties);
  }
  for (uint32_t i = 0; i < m->object_count; ++i) {
    map_object_t *o = &m->objects[i];
    alloc_free_text(a, o->name);
    alloc_free_text(a, o->class_name);
    alloc_free_text(a, o->points);
    map_free_properties(a, &o->properties);
  }
  map_free_properties(a, &m->properties);
  alloc_resize(a, m->layers, m->layer_capacity * sizeof *m->layers, 0);
  alloc_resize(a, m->objects, m->object_capacity * sizeof *m->objects, 0);
  alloc_resize(a, m->tiles, m->tile_capacity * sizeof *m->tiles, 0);
  alloc_resize(a, m->frames, m->frame_capacity * sizeof *m->frames, 0);
  free_texts(a, m->images, m->image_count, m->image_capacity);
  free_texts(a, m->files, m->file_count, m->file_capacity);
  alloc_resize(a, m, sizeof *m, 0);
}
