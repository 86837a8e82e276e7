// Reads, queries and destroys maps.
#include "tiles/map_reader.h"

#include "base/assert.h"
#include "base/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DENSE_CELLS (1u << 20) // maximum size, in cells, of a mostly empty layer that is stored as a single array

bool map_is_map_file(const char *name) {
  static const char *const ENDINGS[] = {".tmj", ".tmx", ".tsj", ".tsx", ".tj", ".tx", ".ldtk", ".ldtkl"};
  for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; ++i)
    if (path_ends_with(name, ENDINGS[i]))
      return true;
  return false;
}

static void free_blocks(allocator_t *a, map_layer_t *layer) {
  size_t count = (size_t)layer->block_columns * layer->block_rows;
  for (size_t i = 0; layer->blocks && i < count; ++i)
    if (layer->blocks[i] != map_empty_block)
      alloc_resize(a, layer->blocks[i], MAP_BLOCK_CELLS * sizeof **layer->blocks, 0);
  alloc_resize(a, layer->blocks, layer->blocks ? count * sizeof *layer->blocks : 0, 0);
  layer->blocks = NULL;
}

// Returns true if a layer of `size` cells should be stored as a single array, which is faster to read than blocks.
static bool is_dense(const map_layer_t *layer, uint64_t size) {
  uint64_t used = 0;
  for (size_t i = 0; i < (size_t)layer->block_columns * layer->block_rows; ++i)
    used += layer->blocks[i] != map_empty_block ? MAP_BLOCK_CELLS : 0;
  return size <= MAX_DENSE_CELLS || size <= 2 * used;
}

// Copies the cells of layers that are small or mostly full to single arrays.
static void join_blocks(map_t *map) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < map->layer_count; ++i) {
    map_layer_t *layer = &map->layers[i];
    uint64_t size = (uint64_t)layer->columns * layer->rows;
    if (size == 0 || total + size > MAP_MAX_CELLS || !is_dense(layer, size))
      continue;
    total += size;
    uint32_t *cells = alloc_resize(map->allocator, NULL, 0, size * sizeof *cells);
    for (uint32_t y = 0, count; y < layer->rows; ++y)
      for (uint32_t x = 0; x < layer->columns; x += count) {
        const uint32_t *row = map_row(layer, x, y, &count);
        memcpy(cells + (size_t)y * layer->columns + x, row, count * sizeof *cells);
      }
    free_blocks(map->allocator, layer);
    layer->cells = cells;
  }
}

// Gives layers without a cell size the map's cell size, and determines which layers are physical.
static void set_grids(map_t *map) {
  for (uint32_t i = 0; i < map->layer_count; ++i) {
    map_layer_t *layer = &map->layers[i];
    layer->cell_width = layer->cell_width > 0 ? layer->cell_width : map->tile_width;
    layer->cell_height = layer->cell_height > 0 ? layer->cell_height : map->tile_height;
    layer->physical = layer->kind == MAP_LAYER_TILES && (layer->cells || layer->blocks) &&
                      layer->cell_width == map->tile_width && layer->cell_height == map->tile_height;
  }
}

static void compute_bounds(map_t *map) {
  int64_t left = INT32_MAX, top = INT32_MAX, right = INT32_MIN, bottom = INT32_MIN;
  for (uint32_t i = 0; i < map->layer_count; ++i) {
    const map_layer_t *layer = &map->layers[i];
    if (!layer->physical || layer->columns == 0 || layer->rows == 0)
      continue;
    left = layer->left < left ? layer->left : left;
    top = layer->top < top ? layer->top : top;
    right = layer->left + (int64_t)layer->columns > right ? layer->left + (int64_t)layer->columns : right;
    bottom = layer->top + (int64_t)layer->rows > bottom ? layer->top + (int64_t)layer->rows : bottom;
  }
  if (right <= left)
    return;
  map->left = (int32_t)left;
  map->top = (int32_t)top;
  map->columns = (uint32_t)(right - left);
  map->rows = (uint32_t)(bottom - top);
  if (map->area[2] <= map->area[0]) {
    map->area[0] = (float)(left * map->tile_width);
    map->area[1] = (float)(top * map->tile_height);
    map->area[2] = (float)(right * map->tile_width);
    map->area[3] = (float)(bottom * map->tile_height);
  }
}

// Sets the drawing order. Layers below the first object layer are drawn behind objects, and layers above it in front of
// them. A layer's number property `layer` overrides this position.
static void set_drawing_order(map_reader_t *reader) {
  map_t *map = reader->map;
  int32_t object_order = reader->first_object_layer < 0 ? (int32_t)map->layer_count : reader->first_object_layer;
  for (uint32_t i = 0; i < map->layer_count; ++i) {
    const map_property_t *override = map_property(&map->layers[i].properties, "layer");
    map->layers[i].order = (int32_t)i - object_order;
    if (override && override->type == MAP_NUMBER && fabs(override->number) <= MAP_MAX_SIDE)
      map->layers[i].order = (int32_t) override->number;
  }
}

static void finish_tiles(map_t *map) {
  int32_t cell_side = map->tile_width < map->tile_height ? map->tile_width : map->tile_height;
  for (uint32_t i = 0; i < map->tile_count; ++i) {
    map_tile_t *tile = &map->tiles[i];
    tile->cycle_ms = 0;
    for (uint32_t frame = 0; frame < tile->frame_count; ++frame)
      tile->cycle_ms += map->frames[tile->first_frame + frame].ms;
    map->has_solid |= map_tile_can_block(tile);
    map->has_slope_tiles |= tile->slope;
    int32_t side = tile->width > tile->height ? tile->width : tile->height; // a diagonal flip swaps width and height
    map->overhang =
        fmaxf(map->overhang, (float)(side - cell_side) + fmaxf(fabsf(tile->offset_x), fabsf(tile->offset_y)));
  }
}

static bool any_tile(const map_t *map, const uint32_t *cells, size_t count, bool (*test)(const map_tile_t *tile)) {
  for (size_t i = 0; i < count; ++i)
    if (cells[i] != 0 && test(map_tile(map, cells[i])))
      return true;
  return false;
}

bool map_layer_has_tile(const map_t *map, const map_layer_t *layer, bool (*test)(const map_tile_t *tile)) {
  if (layer->cells)
    return any_tile(map, layer->cells, (size_t)layer->columns * layer->rows, test);
  for (size_t i = 0; layer->blocks && i < (size_t)layer->block_columns * layer->block_rows; ++i)
    if (layer->blocks[i] != map_empty_block && any_tile(map, layer->blocks[i], MAP_BLOCK_CELLS, test))
      return true;
  return false;
}

static bool is_slope(const map_tile_t *tile) {
  return tile->slope;
}

static void find_shapes(map_t *map) {
  for (uint32_t i = 0; i < map->layer_count; ++i) {
    map_layer_t *layer = &map->layers[i];
    layer->has_shapes = layer->physical && map_layer_has_tile(map, layer, map_tile_has_shape);
    layer->has_slopes = layer->has_shapes && map->has_slope_tiles && map_layer_has_tile(map, layer, is_slope);
  }
}

static int compare_keys(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void sort_objects(map_t *map) {
  map->object_keys = alloc_resize(map->allocator, NULL, 0, map->object_count * sizeof *map->object_keys);
  for (uint32_t i = 0; i < map->object_count; ++i)
    map->object_keys[i] = (uint64_t)map->objects[i].id << 32 | i;
  if (map->object_count > 0)
    qsort(map->object_keys, map->object_count, sizeof *map->object_keys, compare_keys);
}

const map_object_t *map_find_object(const map_t *map, uint32_t id) {
  uint32_t begin = 0, end = map->object_count;
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (map->object_keys[middle] >> 32 < id)
      begin = middle + 1;
    else
      end = middle;
  }
  bool found = begin < map->object_count && map->object_keys[begin] >> 32 == id;
  return found ? &map->objects[(uint32_t)map->object_keys[begin]] : NULL;
}

const map_tileset_t *map_find_tileset(const map_t *map, uint32_t tile) {
  for (uint32_t i = 0; i < map->tileset_count; ++i)
    if (tile - map->tilesets[i].first < map->tilesets[i].count)
      return &map->tilesets[i];
  return NULL;
}

static map_part_t flip_part(map_part_t p, uint32_t cell) {
  if (cell & MAP_FLIP_DIAGONAL)
    p = (map_part_t){p.top, p.left, p.bottom, p.right};
  if (cell & MAP_FLIP_X)
    p = (map_part_t){1 - p.right, p.top, 1 - p.left, p.bottom};
  if (cell & MAP_FLIP_Y)
    p = (map_part_t){p.left, 1 - p.bottom, p.right, 1 - p.top};
  return p;
}

uint32_t map_list_parts(const map_t *m, uint32_t cell, map_part_t out[MAP_MAX_PARTS]) {
  const map_tile_t *tile = map_tile(m, cell);
  out[0] = (map_part_t){0, 0, 1, 1};
  for (uint32_t i = 0; i < tile->part_count; ++i)
    out[i] = flip_part(m->parts[tile->first_part + i], cell);
  return tile->part_count > 0 ? tile->part_count : 1;
}

uint32_t map_tile_at(const map_t *map, uint32_t tile, uint64_t ms) {
  const map_tile_t *definition = map_tile(map, tile);
  if (definition->frame_count == 0 || definition->cycle_ms == 0)
    return tile;
  uint32_t remaining = (uint32_t)(ms % definition->cycle_ms);
  for (uint32_t k = 0; k < definition->frame_count; ++k) {
    const map_frame_t *frame = &map->frames[definition->first_frame + k];
    if (remaining < frame->ms)
      return frame->tile;
    remaining -= frame->ms;
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

map_t *map_read(allocator_t *allocator, const map_source_t *source, const char *name, const char *level,
                error_info_t *error) {
  error_info_t ignored;
  shoal_assert(source && source->read && name && level, "source, name and level must not be NULL");
  map_t *map = alloc_resize(allocator, NULL, 0, sizeof *map);
  *map = (map_t){.allocator = allocator};
  map_reader_t reader = {.map = map,
                         .allocator = allocator,
                         .source = source,
                         .file = name,
                         .level = level,
                         .first_object_layer = -1,
                         .error = error ? error : &ignored};
  json_t *root = NULL;
  bool ok = false, is_tiled = path_ends_with(name, ".tmj") || path_ends_with(name, ".tmx");
  if (!is_tiled && !path_ends_with(name, ".ldtk"))
    map_fail(&reader, "the name of a map must end with .tmx or .tmj (Tiled) or .ldtk (LDtk)");
  else
    root = map_parse(&reader, name);
  if (root)
    ok = map_allocate_tiles(&reader, 1) && (is_tiled ? map_read_tiled(&reader, root) : map_read_ldtk(&reader, root));
  map_free_documents(&reader);
  if (!ok) {
    map_destroy(map);
    return NULL;
  }
  shoal_assert(map->tile_width > 0 && map->tile_height > 0, "%s: invalid cell size %d × %d", name, map->tile_width,
               map->tile_height);
  map_finish_warnings(&reader);
  join_blocks(map);
  set_grids(map);
  compute_bounds(map);
  set_drawing_order(&reader);
  finish_tiles(map);
  find_shapes(map);
  sort_objects(map);
  return map;
}

static void free_strings(allocator_t *a, char **strings, uint32_t count, uint32_t capacity) {
  for (uint32_t i = 0; i < count; ++i)
    alloc_free_text(a, strings[i]);
  alloc_resize(a, strings, capacity * sizeof *strings, 0);
}

void map_destroy(map_t *map) {
  if (!map)
    return;
  allocator_t *allocator = map->allocator;
  for (uint32_t i = 0; i < map->layer_count; ++i) {
    map_layer_t *layer = &map->layers[i];
    free_blocks(allocator, layer);
    alloc_resize(allocator, layer->cells,
                 layer->cells ? (size_t)layer->columns * layer->rows * sizeof *layer->cells : 0, 0);
    alloc_resize(allocator, layer->drawn, layer->drawn_count * sizeof *layer->drawn, 0);
    map_free_properties(allocator, &layer->properties);
  }
  for (uint32_t i = 0; i < map->object_count; ++i) {
    map_object_t *object = &map->objects[i];
    alloc_free_text(allocator, object->name);
    alloc_free_text(allocator, object->class_name);
    alloc_free_text(allocator, object->points);
    map_free_properties(allocator, &object->properties);
  }
  map_free_properties(allocator, &map->properties);
  alloc_resize(allocator, map->layers, map->layer_capacity * sizeof *map->layers, 0);
  for (uint32_t i = 0; i < map->tileset_count; ++i)
    alloc_free_text(allocator, map->tilesets[i].name);
  alloc_resize(allocator, map->tilesets, map->tileset_capacity * sizeof *map->tilesets, 0);
  alloc_resize(allocator, map->object_keys, map->object_keys ? map->object_count * sizeof *map->object_keys : 0, 0);
  alloc_resize(allocator, map->objects, map->object_capacity * sizeof *map->objects, 0);
  alloc_resize(allocator, map->tiles, map->tile_capacity * sizeof *map->tiles, 0);
  alloc_resize(allocator, map->frames, map->frame_capacity * sizeof *map->frames, 0);
  alloc_resize(allocator, map->parts, map->part_capacity * sizeof *map->parts, 0);
  free_strings(allocator, map->images, map->image_count, map->image_capacity);
  free_strings(allocator, map->warnings, map->warning_count, map->warning_capacity);
  free_strings(allocator, map->files, map->file_count, map->file_capacity);
  alloc_resize(allocator, map, sizeof *map, 0);
}
