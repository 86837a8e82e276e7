// Reads Tiled's tilesets: images divided into tiles, and collections of single images.
// Format: https://doc.mapeditor.org/en/stable/reference/json-map-format/#tileset
#include "tiles/tiled_internal.h"
#include "tiles/image_size.h"

#include "base/array.h"
#include "base/files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FRAMES 1000u // maximum number of frames per animation

// Division of a tileset's image into tiles, in pixels.
typedef struct tile_grid_t {
  int32_t width, height; // size of a tile
  int32_t margin, spacing;
  int32_t columns, rows; // number of columns and rows; 0: unknown
} tile_grid_t;

// --- the image

// Stores the size of the tileset's image, from the tileset or, for tilesets of old versions, from the image. Returns
// true on success, or false if the size is unknown.
static bool find_image_size(map_reader_t *reader, const json_t *tileset, int32_t *width, int32_t *height) {
  char path[512];
  const char *name = map_read_text(tileset, "image");
  size_t bytes = 0;
  error_info_t ignored = {0};
  *width = (int32_t)json_integer_value(json_object_get(tileset, "imagewidth"));
  *height = (int32_t)json_integer_value(json_object_get(tileset, "imageheight"));
  if (*width > 0 && *height > 0)
    return true;
  char *text = map_resolve_path(reader, name, path, sizeof path)
                   ? reader->source->read(reader->source->context, reader->allocator, path, &bytes, &ignored)
                   : NULL;
  if (!text)
    return false;
  bool ok = image_size_read((const uint8_t *)text, bytes, width, height);
  file_free(reader->allocator, text, bytes);
  return ok;
}

// Returns the number of tiles that fit into one dimension of an image.
static int32_t count_fitting(int32_t image, int32_t tile, int32_t margin, int32_t spacing) {
  int64_t count = ((int64_t)image - margin + spacing) / ((int64_t)tile + spacing);
  return count > 0 ? (int32_t)count : 0;
}

static bool read_grid(map_reader_t *reader, const json_t *tileset, tile_grid_t *out) {
  int32_t width = 0, height = 0;
  if (!map_read_integer(reader, tileset, "tilewidth", 1, 10000, 1, &out->width) ||
      !map_read_integer(reader, tileset, "tileheight", 1, 10000, 1, &out->height) ||
      !map_read_integer(reader, tileset, "margin", 0, MAP_MAX_SIDE, 0, &out->margin) ||
      !map_read_integer(reader, tileset, "spacing", 0, MAP_MAX_SIDE, 0, &out->spacing) ||
      !map_read_integer(reader, tileset, "columns", 0, MAP_MAX_SIDE, 0, &out->columns))
    return false;
  bool is_complete = json_object_get(tileset, "tilecount") && out->columns > 0;
  if (is_complete || !map_read_text(tileset, "image")[0] || !find_image_size(reader, tileset, &width, &height))
    return true;
  out->columns = count_fitting(width, out->width, out->margin, out->spacing);
  out->rows = count_fitting(height, out->height, out->margin, out->spacing);
  return true;
}

static void split_image(map_reader_t *reader, const tileset_file_t *tileset, const tile_grid_t *grid) {
  if (!map_read_text(tileset->json, "image")[0]) {
    if (json_object_get(tileset->json, "embedded"))
      map_warn(reader, "skipped the image: images inside of the file are not supported: use an image file");
    return; // the tileset is an image collection: each tile has a separate image
  }
  uint32_t image = map_add_keyed_image(reader, tileset->json);
  int32_t columns = grid->columns > 0 ? grid->columns : 1;
  for (int32_t i = 0; i < tileset->count && image != MAP_NO_IMAGE; ++i) {
    map_tile_t *tile = &reader->map->tiles[tileset->first + i];
    int64_t x = grid->margin + (int64_t)(i % columns) * (grid->width + grid->spacing),
            y = grid->margin + (int64_t)(i / columns) * (grid->height + grid->spacing);
    if (x + grid->width > MAP_MAX_SIDE || y + grid->height > MAP_MAX_SIDE) {
      map_warn(reader, "skipped the images of tiles from %d: at %lld, %lld px (at most %d)", i, (long long)x,
               (long long)y, MAP_MAX_SIDE);
      return;
    }
    tile->image = (uint16_t)image;
    tile->x = (int32_t)x;
    tile->y = (int32_t)y;
    tile->width = grid->width;
    tile->height = grid->height;
  }
}

// --- tiles

static bool read_frames(map_reader_t *reader, const tileset_file_t *tileset, const json_t *frames) {
  size_t i;
  json_t *frame;
  if (json_array_size(frames) > MAX_FRAMES)
    return map_fail(reader, "too many frames: %zu (at most %u)", json_array_size(frames), MAX_FRAMES);
  json_array_foreach((json_t *)(uintptr_t)frames, i, frame) {
    int32_t id, ms;
    if (!map_read_integer(reader, frame, "tileid", 0, tileset->count - 1, 0, &id) ||
        !map_read_integer(reader, frame, "duration", 1, 1000000, 100, &ms) ||
        !map_add_frame(reader, (uint32_t)(tileset->first + id), ms))
      return false;
  }
  return true;
}

static void read_animation(map_reader_t *reader, const tileset_file_t *tileset, int32_t id, const json_t *frames) {
  map_tile_t *tile = &reader->map->tiles[tileset->first + id];
  char detail[64];
  uint32_t first_frame = reader->map->frame_count;
  snprintf(detail, sizeof detail, "the animation of tile %d", id);
  if (json_array_size(frames) == 0)
    return;
  if (!read_frames(reader, tileset, frames)) {
    reader->map->frame_count = first_frame;
    map_skip(reader, detail);
    return;
  }
  tile->first_frame = first_frame;
  tile->frame_count = (uint16_t)json_array_size(frames);
}

static bool read_tile_image(map_reader_t *reader, map_tile_t *t, const json_t *tile) {
  if (!map_read_text(tile, "image")[0])
    return true;
  uint32_t image = map_add_keyed_image(reader, tile);
  t->image = (uint16_t)image;
  const char *width = json_object_get(tile, "width") ? "width" : "imagewidth";
  const char *height = json_object_get(tile, "height") ? "height" : "imageheight";
  return map_read_integer(reader, tile, "x", 0, MAP_MAX_SIDE, 0, &t->x) &&
         map_read_integer(reader, tile, "y", 0, MAP_MAX_SIDE, 0, &t->y) &&
         map_read_integer(reader, tile, width, 0, MAP_MAX_SIDE, 0, &t->width) &&
         map_read_integer(reader, tile, height, 0, MAP_MAX_SIDE, 0, &t->height);
}

// Reads a rectangle that was drawn on a tile, and clips it to the cell. Tile and cell have the same lower left corner.
// Returns true on success, or false for other shapes, rotated rectangles, and rectangles outside of the cell.
static bool read_part(map_reader_t *reader, const map_tile_t *t, const json_t *object, map_part_t *out) {
  static const char *const SHAPES[] = {"ellipse", "point", "capsule", "polygon", "polyline", "text"};
  double x, y, width, height, rotation;
  for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; ++i)
    if (json_object_get(object, SHAPES[i]))
      return false;
  if (!map_read_number(reader, object, "x", 0, &x) || !map_read_number(reader, object, "y", 0, &y) ||
      !map_read_number(reader, object, "width", 0, &width) || !map_read_number(reader, object, "height", 0, &height) ||
      !map_read_number(reader, object, "rotation", 0, &rotation) || rotation != 0)
    return false;
  double cell_width = reader->map->tile_width, cell_height = reader->map->tile_height;
  x += (double)t->offset_x;
  y += (double)t->offset_y + (t->height > 0 ? cell_height - t->height : 0);
  *out = (map_part_t){(float)fmax(x / cell_width, 0), (float)fmax(y / cell_height, 0),
                      (float)fmin((x + width) / cell_width, 1), (float)fmin((y + height) / cell_height, 1)};
  return out->left < out->right && out->top < out->bottom;
}

// Reads the collision shapes of a tile, whose rectangles become its solid parts. Does nothing if the tile is a slope or
// its property `solid` is false.
static void read_parts(map_reader_t *reader, map_tile_t *t, const json_t *tile) {
  const json_t *objects = json_object_get(json_object_get(tile, "objectgroup"), "objects");
  size_t i, skipped = 0;
  json_t *object;
  if (t->slope || (t->declares_solid && !t->solid))
    return;
  t->first_part = reader->map->part_count;
  json_array_foreach((json_t *)(uintptr_t)objects, i, object) {
    map_part_t part;
    if (t->part_count < MAP_MAX_PARTS && read_part(reader, t, object, &part)) {
      map_add_part(reader, &part);
      t->part_count++;
    } else {
      skipped++;
    }
  }
  if (skipped > 0)
    map_warn(reader,
             "skipped collision shapes of its tiles: a tile can have up to %u rectangles, without rotation and inside "
             "of the cell; give tiles with a different shape the property \"solid\"",
             MAP_MAX_PARTS);
  if (t->part_count > 0 && !t->one_way)
    t->solid = t->declares_solid = true;
}

static bool read_tile(map_reader_t *reader, const tileset_file_t *tileset, int32_t id) {
  const json_t *tile = tileset->tiles[id];
  map_properties_t properties = {0};
  map_tile_t *t = &reader->map->tiles[tileset->first + id];
  if (!read_tile_image(reader, t, tile))
    return false;
  tiled_read_properties(reader, tile, &properties);
  map_set_tile_collision(t, &properties, &tileset->properties);
  map_free_properties(reader->allocator, &properties);
  read_parts(reader, t, tile);
  read_animation(reader, tileset, id, json_object_get(tile, "animation"));
  return true;
}

// Stores the number of tiles: the number in the file or, if it is missing, the number that fits into the image. The ids
// of an image collection may have gaps, so the number is at least the highest id plus one. Skips tiles beyond
// `max_count` with a warning. Returns true on success, or false if a number in the file is invalid or the map would
// have too many tiles.
static bool count_tiles(map_reader_t *reader, tileset_file_t *tileset, const tile_grid_t *grid, int32_t max_count) {
  size_t i;
  json_t *tile;
  int64_t fitting = (int64_t)grid->columns * grid->rows;
  int32_t fallback = fitting < (int64_t)MAP_MAX_TILES ? (int32_t)fitting : (int32_t)MAP_MAX_TILES, highest = -1;
  if (!map_read_integer(reader, tileset->json, "tilecount", 0, MAP_MAX_TILES, fallback, &tileset->count))
    return false;
  json_array_foreach(json_object_get(tileset->json, "tiles"), i, tile) {
    int32_t id;
    if (!map_read_integer(reader, tile, "id", 0, MAP_MAX_TILES, 0, &id))
      return false;
    highest = id > highest ? id : highest;
  }
  if (map_read_text(tileset->json, "image")[0] && !json_object_get(tileset->json, "tilecount") && fitting == 0)
    map_warn(reader, "the number of tiles is unknown (\"tilecount\" is missing, and the size of the image is unknown): "
                     "save the tileset in a current version of Tiled");
  tileset->count = highest >= tileset->count ? highest + 1 : tileset->count;
  if (tileset->count > max_count) {
    map_warn(reader, "skipped the tiles from %d: their numbers belong to the next tileset: save the map in Tiled again",
             max_count);
    tileset->count = max_count;
  }
  return map_allocate_tiles(reader, (uint32_t)tileset->first + (uint32_t)tileset->count);
}

// Warns about parts of a tileset that have no counterpart in Shoal.
static void warn_about_unsupported(map_reader_t *reader, const json_t *tileset) {
  static const char *const SIZES[] = {"tile", "grid", NULL}, *const MODES[] = {"stretch", "preserve-aspect-fit", NULL};
  if (map_read_choice(reader, tileset, "tilerendersize", SIZES) > 0)
    map_warn(reader, "skipped tilerendersize: its tiles are drawn in their own size");
  if (map_read_choice(reader, tileset, "fillmode", MODES) > 0)
    map_warn(reader, "skipped fillmode: the images of its tile objects are stretched to the objects' size");
}

static bool read_tiles(map_reader_t *reader, tileset_file_t *tileset, int32_t max_count) {
  static const char *const ALIGNMENTS[] = {"unspecified", "topleft",    "top",    "topright",    "left", "center",
                                           "right",       "bottomleft", "bottom", "bottomright", NULL};
  double x, y;
  size_t i;
  json_t *tile;
  tile_grid_t grid = {0};
  const json_t *offset = json_object_get(tileset->json, "tileoffset");
  if (!read_grid(reader, tileset->json, &grid) || !map_read_number(reader, offset, "x", 0, &x) ||
      !map_read_number(reader, offset, "y", 0, &y) || !count_tiles(reader, tileset, &grid, max_count))
    return false;
  tileset->alignment = map_read_choice(reader, tileset->json, "objectalignment", ALIGNMENTS);
  map_add_tileset(reader, map_read_text(tileset->json, "name"), (uint32_t)tileset->first, (uint32_t)tileset->count);
  tileset->tiles = alloc_resize(reader->allocator, NULL, 0, (size_t)tileset->count * sizeof(void *));
  for (int32_t k = 0; k < tileset->count; ++k)
    tileset->tiles[k] = NULL;
  tiled_read_properties(reader, tileset->json, &tileset->properties);
  split_image(reader, tileset, &grid);
  for (int32_t k = 0; k < tileset->count; ++k) {
    map_tile_t *t = &reader->map->tiles[tileset->first + k];
    t->offset_x = (float)x;
    t->offset_y = (float)y;
    map_set_tile_collision(t, &tileset->properties, NULL);
  }
  json_array_foreach(json_object_get(tileset->json, "tiles"), i, tile) {
    json_int_t id = json_integer_value(json_object_get(tile, "id"));
    if (id >= tileset->count)
      continue;
    tileset->tiles[id] = tile;
    if (!read_tile(reader, tileset, (int32_t)id))
      return false;
  }
  warn_about_unsupported(reader, tileset->json);
  return true;
}

// --- tilesets

static tileset_file_t *append_tileset(map_reader_t *reader, const char *file, json_t *json, int32_t first) {
  if (reader->tileset_count == reader->tileset_capacity)
    reader->tilesets = array_grow(reader->allocator, reader->tilesets, &reader->tileset_capacity,
                                  reader->tileset_count + 1, sizeof *reader->tilesets);
  tileset_file_t *tileset = &reader->tilesets[reader->tileset_count++];
  *tileset =
      (tileset_file_t){.file = alloc_copy_text(reader->allocator, file), .json = json_incref(json), .first = first};
  return tileset;
}

bool tiled_read_tileset(map_reader_t *reader, const json_t *entry, int32_t first, int32_t max_count) {
  char path[512];
  json_t *json = (json_t *)(uintptr_t)entry;
  const char *source = map_read_text(entry, "source"), *previous_file = reader->file;
  if (source[0]) {
    reader->is_missing = true;
    if (!map_resolve_path(reader, source, path, sizeof path) || (json = map_parse(reader, path)) == NULL)
      return reader->is_missing && map_skip(reader, "the tileset");
    reader->file = path; // images are relative to the tileset's file
  }
  size_t used = strlen(reader->location);
  snprintf(reader->location + used, sizeof reader->location - used, " \"%.60s\"", map_read_text(json, "name"));
  bool ok = read_tiles(reader, append_tileset(reader, reader->file, json, first), max_count);
  reader->file = previous_file;
  return ok;
}

const tileset_file_t *tiled_find_tileset(const map_reader_t *reader, uint32_t tile) {
  for (uint32_t i = 0; i < reader->tileset_count; ++i) {
    const tileset_file_t *tileset = &reader->tilesets[i];
    if (tile - (uint32_t)tileset->first < (uint32_t)tileset->count)
      return tileset;
  }
  return NULL;
}

const tileset_file_t *tiled_find_or_add_tileset(map_reader_t *reader, const json_t *entry) {
  char path[512];
  uint32_t count = reader->tileset_count;
  const char *source = map_read_text(entry, "source");
  if (source[0]) {
    reader->is_missing = true;
    if (!map_resolve_path(reader, source, path, sizeof path))
      return map_skip(reader, "the tile of the template"), NULL;
    for (uint32_t i = 0; i < count; ++i)
      if (strcmp(reader->tilesets[i].file, path) == 0)
        return &reader->tilesets[i];
  }
  char location[sizeof reader->location];
  memcpy(location, reader->location, sizeof location);
  bool ok = tiled_read_tileset(reader, entry, (int32_t)reader->map->tile_count, MAP_MAX_TILES);
  if (ok)
    memcpy(reader->location, location, sizeof location);
  reader->is_missing = ok && reader->tileset_count == count;
  return ok && reader->tileset_count > count ? &reader->tilesets[count] : NULL;
}

void tiled_free_tilesets(map_reader_t *reader) {
  for (uint32_t i = 0; i < reader->tileset_count; ++i) {
    tileset_file_t *tileset = &reader->tilesets[i];
    alloc_free_text(reader->allocator, tileset->file);
    json_decref(tileset->json);
    alloc_resize(reader->allocator, (void *)tileset->tiles,
                 tileset->tiles ? (size_t)tileset->count * sizeof(void *) : 0, 0);
    map_free_properties(reader->allocator, &tileset->properties);
  }
  alloc_resize(reader->allocator, reader->tilesets, reader->tileset_capacity * sizeof *reader->tilesets, 0);
}
