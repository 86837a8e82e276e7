// Reads tilesets of LDtk projects: images, and collision properties from enum tags and custom data. Tilesets are
// numbered in order of first use.
#include "tiles/ldtk.h"

#include "base/assert.h"

#include <string.h>

json_t *ldtk_find_by_integer(const json_t *list, const char *key, json_int_t number) {
  size_t i;
  json_t *item;
  json_array_foreach((json_t *)(uintptr_t)list, i, item) {
    const json_t *value = json_object_get(item, key);
    if (json_is_integer(value) && json_integer_value(value) == number)
      return item;
  }
  return NULL;
}

const json_t *ldtk_definitions(const ldtk_t *p, const char *name) {
  return json_object_get(json_object_get(p->root, "defs"), name);
}

const json_t *ldtk_layer_definition(const ldtk_t *p, const json_t *layer) {
  return ldtk_find_by_integer(ldtk_definitions(p, "layers"), "uid",
                              json_integer_value(json_object_get(layer, "layerDefUid")));
}

static const json_t *find_definition(const ldtk_t *project, const json_t *layer) {
  const json_t *uid = json_object_get(layer, "__tilesetDefUid");
  return json_is_integer(uid)
             ? ldtk_find_by_integer(ldtk_definitions(project, "tilesets"), "uid", json_integer_value(uid))
             : NULL;
}

// --- collision properties

bool ldtk_is_collision_name(const char *name) {
  return strcmp(name, "solid") == 0 || strcmp(name, "one_way") == 0;
}

bool ldtk_has_solid_tileset(const ldtk_t *project, const json_t *layer) {
  const json_t *tileset = find_definition(project, layer);
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(tileset, "enumTags"), i, item) {
    if (ldtk_is_collision_name(map_read_text(item, "enumValueId")) &&
        json_array_size(json_object_get(item, "tileIds")) > 0)
      return true;
  }
  json_array_foreach(json_object_get(tileset, "customData"), i, item) {
    const char *data = map_read_text(item, "data");
    if (strstr(data, "\"solid\"") || strstr(data, "\"one_way\"") || strstr(data, "\"slope_"))
      return true;
  }
  return false;
}

// Returns the tile of a tileset, or NULL after a warning if the tileset does not contain it.
static map_tile_t *find_tile(map_reader_t *reader, const ldtk_tileset_t *tileset, const json_t *id, const char *what) {
  json_int_t index = json_is_integer(id) ? json_integer_value(id) : -1;
  if (index >= 0 && index < tileset->count)
    return &reader->map->tiles[tileset->first + (uint32_t)index];
  map_warn(reader, "%s of tile %lld are skipped: the tileset has %d tiles", what, (long long)index, tileset->count);
  return NULL;
}

static void read_enum_tags(map_reader_t *reader, const json_t *tileset, const ldtk_tileset_t *range) {
  size_t i, k;
  json_t *tag, *id;
  json_array_foreach(json_object_get(tileset, "enumTags"), i, tag) {
    const char *name = map_read_text(tag, "enumValueId");
    json_array_foreach(json_object_get(tag, "tileIds"), k, id) {
      map_tile_t *tile = ldtk_is_collision_name(name) ? find_tile(reader, range, id, "enum tags") : NULL;
      if (!tile)
        continue;
      tile->solid |= strcmp(name, "solid") == 0;
      tile->declares_solid |= tile->solid;
      tile->one_way |= strcmp(name, "one_way") == 0;
    }
  }
}

static void apply_custom_data(map_reader_t *reader, map_tile_t *tile, const json_t *data) {
  map_properties_t properties = {0};
  const char *key;
  json_t *value;
  bool solid = tile->solid, one_way = tile->one_way;
  json_object_foreach((json_t *)(uintptr_t)data, key, value) {
    if (json_is_number(value) || json_is_boolean(value))
      map_add_property(reader, &properties, key, json_is_number(value) ? MAP_NUMBER : MAP_BOOL,
                       json_is_number(value) ? json_number_value(value) : json_is_true(value), "");
  }
  map_set_tile_collision(tile, &properties, NULL);
  tile->solid |= solid;
  tile->declares_solid |= solid;
  tile->one_way |= one_way;
  map_free_properties(reader->allocator, &properties);
}

// Reads custom data of tiles. The data is free text; only JSON objects are interpreted.
static void read_custom_data(map_reader_t *reader, const json_t *tileset, const ldtk_tileset_t *range) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(tileset, "customData"), i, item) {
    const char *text = map_read_text(item, "data");
    json_error_t error;
    if (text[0] != '{')
      continue;
    json_t *data = json_loads(text, 0, &error);
    map_tile_t *tile = find_tile(reader, range, json_object_get(item, "tileId"), "custom data");
    if (!data)
      map_warn(reader, "custom data of tile %lld are skipped: invalid JSON: %s",
               (long long)json_integer_value(json_object_get(item, "tileId")), error.text);
    else if (tile)
      apply_custom_data(reader, tile, data);
    json_decref(data);
  }
}

// --- tilesets

// Layout of the tiles in an image. LDtk numbers the tiles row by row.
typedef struct sheet_t {
  int32_t side, spacing, padding, columns;
} sheet_t;

static bool read_sheet(map_reader_t *reader, const json_t *tileset, sheet_t *sheet, int64_t *count) {
  int32_t width, height;
  if (!map_read_integer(reader, tileset, "pxWid", 0, MAP_MAX_SIDE, 0, &width) ||
      !map_read_integer(reader, tileset, "pxHei", 0, MAP_MAX_SIDE, 0, &height) ||
      !map_read_integer(reader, tileset, "tileGridSize", 1, 10000, 16, &sheet->side) ||
      !map_read_integer(reader, tileset, "spacing", 0, 10000, 0, &sheet->spacing) ||
      !map_read_integer(reader, tileset, "padding", 0, 10000, 0, &sheet->padding))
    return false;
  int64_t columns = (width - 2 * (int64_t)sheet->padding + sheet->spacing) / (sheet->side + sheet->spacing);
  int64_t rows = (height - 2 * (int64_t)sheet->padding + sheet->spacing) / (sheet->side + sheet->spacing);
  sheet->columns = columns > 0 ? (int32_t)columns : 1;
  *count = columns > 0 && rows > 0 ? columns * rows : 0;
  return true;
}

// Returns the index of the image, or MAP_NO_IMAGE after a warning if the tiles cannot be drawn.
static uint32_t add_image(map_reader_t *reader, const json_t *tileset) {
  const char *path = map_read_text(tileset, "relPath"), *atlas = map_read_text(tileset, "embedAtlas");
  if (path[0]) {
    uint32_t image = map_add_image(reader, path);
    if (image == MAP_NO_IMAGE)
      map_skip(reader, "the image");
    return image;
  }
  if (atlas[0])
    map_warn(reader, "its tiles are not drawn: %.40s is an image inside LDtk: use an image file", atlas);
  else
    map_warn(reader, "its tiles are not drawn: the tileset has no image: choose one in LDtk");
  return MAP_NO_IMAGE;
}

// Sets the drawing offset of the tiles. A tile larger than its cell is drawn from the cell's bottom left corner
// (render/tile_layers.c), but in LDtk from the point given by the layer's pivot.
static void set_offset(ldtk_tileset_t *tileset, int32_t side, const ldtk_grid_t *grid) {
  double excess = side - grid->side;
  tileset->offset_x = (float)(-excess * grid->pivot[0]);
  tileset->offset_y = (float)(excess * (1 - grid->pivot[1]));
}

static bool add_tiles(map_reader_t *reader, const json_t *tileset, const sheet_t *sheet, int64_t count,
                      ldtk_tileset_t *out) {
  out->first = reader->map->tile_count;
  if (count > MAP_MAX_TILES || !map_allocate_tiles(reader, out->first + (uint32_t)count)) {
    map_warn(reader, "the tileset is skipped: it has %lld tiles (at most %u per map)", (long long)count, MAP_MAX_TILES);
    return true;
  }
  out->count = (int32_t)count;
  map_add_tileset(reader, map_read_text(tileset, "identifier"), out->first, (uint32_t)count);
  uint32_t image = add_image(reader, tileset);
  for (int32_t i = 0; i < out->count; ++i) {
    map_tile_t *tile = &reader->map->tiles[out->first + (uint32_t)i];
    tile->image = (uint16_t)image;
    tile->x = sheet->padding + i % sheet->columns * (sheet->side + sheet->spacing);
    tile->y = sheet->padding + i / sheet->columns * (sheet->side + sheet->spacing);
    tile->width = tile->height = sheet->side;
    tile->offset_x = out->offset_x;
    tile->offset_y = out->offset_y;
  }
  read_enum_tags(reader, tileset, out);
  read_custom_data(reader, tileset, out);
  return true;
}

static bool read_tileset(ldtk_t *project, const json_t *tileset, const ldtk_grid_t *grid, ldtk_tileset_t *out) {
  map_reader_t *reader = project->reader;
  char previous_location[sizeof reader->location];
  sheet_t sheet;
  int64_t count;
  memcpy(previous_location, reader->location, sizeof previous_location);
  map_set_location(reader, "tileset \"%.60s\"", map_read_text(tileset, "identifier"));
  if (!read_sheet(reader, tileset, &sheet, &count))
    return false;
  set_offset(out, sheet.side, grid);
  for (uint32_t i = 0; i < project->tileset_count; ++i) {
    const ldtk_tileset_t *known = &project->tilesets[i];
    if (known->uid == out->uid && known->offset_x == out->offset_x && known->offset_y == out->offset_y) {
      *out = *known;
      memcpy(reader->location, previous_location, sizeof previous_location);
      return true;
    }
  }
  if (project->tileset_count == LDTK_MAX_TILESETS)
    map_warn(reader, "the tileset is skipped: at most %u tilesets per level", LDTK_MAX_TILESETS);
  else if (!add_tiles(reader, tileset, &sheet, count, out))
    return false;
  else
    project->tilesets[project->tileset_count++] = *out;
  memcpy(reader->location, previous_location, sizeof previous_location);
  return true;
}

bool ldtk_find_tileset(ldtk_t *project, const json_t *layer, const ldtk_grid_t *grid, ldtk_tileset_t *out) {
  const json_t *tileset = find_definition(project, layer);
  *out = (ldtk_tileset_t){.uid = json_integer_value(json_object_get(layer, "__tilesetDefUid"))};
  if (tileset)
    return read_tileset(project, tileset, grid, out);
  map_warn(project->reader, "its tiles are skipped: the layer has no tileset: choose one in LDtk");
  return true;
}
