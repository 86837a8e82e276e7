// Reads one level of an LDtk project (.ldtk), stored in the file or next to it (.ldtkl). Tilesets are numbered in order
// of first use. IntGrid values become tiles without an image; values named solid or one_way have that property. A layer
// whose cells contain several tiles becomes several layers of the map. Format: https://ldtk.io/json/
#include "tiles/map_reader.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest_name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_STACKED 16u // maximum number of tiles in one cell

// --- definitions

// Returns the object in a list whose integer `key` is `number`, or NULL if not found.
static json_t *find_by_integer(const json_t *list, const char *key, json_int_t number) {
  size_t i;
  json_t *item;
  json_array_foreach((json_t *)(uintptr_t)list, i, item) {
    const json_t *value = json_object_get(item, key);
    if (json_is_integer(value) && json_integer_value(value) == number)
      return item;
  }
  return NULL;
}

static const json_t *get_definitions(const json_t *root, const char *name) {
  return json_object_get(json_object_get(root, "defs"), name);
}

// Reads collision properties of tiles from the tileset's enum tags and custom data.
static bool read_tags(map_reader_t *reader, const json_t *tileset, uint32_t first, int32_t count) {
  size_t i, k;
  json_t *tag, *id;
  shoal_assert(first + (uint32_t)count <= reader->map->tile_count, "%d tiles from tile %u exceed the map's %u tiles",
               count, first, reader->map->tile_count);
  json_array_foreach(json_object_get(tileset, "enumTags"), i, tag) {
    const char *name = map_read_text(tag, "enumValueId");
    json_array_foreach(json_object_get(tag, "tileIds"), k, id) {
      json_int_t index = json_integer_value(id);
      if (index < 0 || index >= count)
        return map_fail(reader, "tag %.60s: tile %lld is out of range (count %d)", name, (long long)index, count);
      map_tile_t *tile = &reader->map->tiles[first + (uint32_t)index];
      tile->solid |= strcmp(name, "solid") == 0;
      tile->declares_solid |= tile->solid;
      tile->one_way |= strcmp(name, "one_way") == 0;
    }
  }
  json_array_foreach(json_object_get(tileset, "customData"), i, tag) {
    int32_t index;
    const char *text = map_read_text(tag, "data"), *key;
    json_t *data, *value;
    map_properties_t properties = {0};
    if (!map_read_integer(reader, tag, "tileId", 0, count - 1, 0, &index))
      return false;
    data = text[0] == '{' ? json_loads(text, 0, NULL) : NULL;
    json_object_foreach(data, key, value) {
      if (json_is_number(value) || json_is_boolean(value))
        map_add_property(reader, &properties, key, json_is_number(value) ? MAP_NUMBER : MAP_BOOL,
                         json_is_number(value) ? json_number_value(value) : json_is_true(value), "");
    }
    json_decref(data);
    map_tile_t *tile = &reader->map->tiles[first + (uint32_t)index];
    bool solid = tile->solid, one_way = tile->one_way;
    map_set_tile_collision(tile, &properties);
    tile->solid |= solid;
    tile->declares_solid |= solid;
    tile->one_way |= one_way;
    map_free_properties(reader->allocator, &properties);
  }
  return true;
}

// Range of a tileset's tiles in the map. A tileset is added to the map on first use. LDtk numbers its tiles row by row
// in the image.
typedef struct tile_range_t {
  uint32_t first;
  int32_t count;
} tile_range_t;

static bool read_tileset(map_reader_t *reader, const json_t *tileset, tile_range_t *out) {
  int32_t width, height, side, spacing, padding;
  const char *path = map_read_text(tileset, "relPath");
  map_set_location(reader, "tileset \"%.60s\"", map_read_text(tileset, "identifier"));
  if (!map_read_integer(reader, tileset, "pxWid", 0, MAP_MAX_SIDE, 0, &width) ||
      !map_read_integer(reader, tileset, "pxHei", 0, MAP_MAX_SIDE, 0, &height) ||
      !map_read_integer(reader, tileset, "tileGridSize", 1, 10000, 16, &side) ||
      !map_read_integer(reader, tileset, "spacing", 0, 10000, 0, &spacing) ||
      !map_read_integer(reader, tileset, "padding", 0, 10000, 0, &padding))
    return false;
  int64_t columns = (width - 2 * (int64_t)padding + spacing) / (side + spacing);
  int64_t rows = (height - 2 * (int64_t)padding + spacing) / (side + spacing);
  columns = columns > 0 ? columns : 0;
  rows = rows > 0 ? rows : 0;
  if (columns * rows > MAP_MAX_TILES)
    return map_fail(reader, "too many tiles in the tileset: %lld (at most %u)", (long long)(columns * rows),
                    MAP_MAX_TILES);
  out->first = reader->map->tile_count;
  out->count = (int32_t)(columns * rows);
  if (!map_allocate_tiles(reader, out->first + (uint32_t)out->count))
    return false;
  uint32_t image = path[0] ? map_add_image(reader, path) : MAP_NO_IMAGE;
  if (path[0] && image == MAP_NO_IMAGE)
    return false;
  for (int32_t i = 0; i < out->count; ++i) {
    map_tile_t *tile = &reader->map->tiles[out->first + (uint32_t)i];
    tile->image = (uint16_t)image;
    tile->x = padding + (int32_t)(i % columns) * (side + spacing);
    tile->y = padding + (int32_t)(i / columns) * (side + spacing);
    tile->width = tile->height = side;
  }
  return read_tags(reader, tileset, out->first, out->count);
}

// --- cells

typedef struct ldtk_t {
  map_reader_t *reader;
  const json_t *root;
  int64_t uids[256]; // ids of the tilesets that have been added to the map
  tile_range_t tilesets[256];
  uint32_t tileset_count;
} ldtk_t;

static bool find_tileset(ldtk_t *project, const json_t *layer, tile_range_t *out) {
  const json_t *uid = json_object_get(layer, "__tilesetDefUid");
  json_int_t tileset_uid = json_integer_value(uid);
  for (uint32_t i = 0; i < project->tileset_count; ++i)
    if (project->uids[i] == tileset_uid) {
      *out = project->tilesets[i];
      return true;
    }
  const json_t *tileset =
      json_is_integer(uid) ? find_by_integer(get_definitions(project->root, "tilesets"), "uid", tileset_uid) : NULL;
  if (!tileset || project->tileset_count == sizeof project->uids / sizeof *project->uids)
    return map_fail(project->reader, tileset ? "too many tilesets (at most 256 per level)"
                                             : "the layer has no tileset: choose one in LDtk");
  char previous_location[sizeof project->reader->location];
  memcpy(previous_location, project->reader->location, sizeof previous_location);
  if (!read_tileset(project->reader, tileset, out))
    return false;
  memcpy(project->reader->location, previous_location, sizeof previous_location);
  project->uids[project->tileset_count] = tileset_uid;
  project->tilesets[project->tileset_count++] = *out;
  return true;
}

typedef struct grid_t {
  int32_t columns, rows, side;
  float x, y, opacity;
  bool visible;
} grid_t;

static bool read_grid(map_reader_t *reader, const json_t *layer, grid_t *grid) {
  double x, y, opacity;
  if (!map_read_integer(reader, layer, "__cWid", 0, MAP_MAX_SIDE, 0, &grid->columns) ||
      !map_read_integer(reader, layer, "__cHei", 0, MAP_MAX_SIDE, 0, &grid->rows) ||
      !map_read_integer(reader, layer, "__gridSize", 1, 10000, 16, &grid->side) ||
      !map_read_number(reader, layer, "__pxTotalOffsetX", 0, &x) ||
      !map_read_number(reader, layer, "__pxTotalOffsetY", 0, &y) ||
      !map_read_number(reader, layer, "__opacity", 1, &opacity))
    return false;
  grid->x = (float)x;
  grid->y = (float)y;
  grid->opacity = (float)fmin(fmax(opacity, 0), 1);
  grid->visible = map_read_bool(layer, "visible", true);
  return true;
}

// Adds a layer of cells. All layers of cells must have the same grid size. Returns NULL after reporting an error.
static map_layer_t *add_cells(map_reader_t *reader, const char *name, const grid_t *grid) {
  map_t *map = reader->map;
  if (map->tile_width == 0)
    map->tile_width = map->tile_height = grid->side;
  if (map->tile_width != grid->side) {
    map_fail(reader, "the grid size is %d px, but %d px in other layers: use one grid size", grid->side,
             map->tile_width);
    return NULL;
  }
  map_layer_t *map_layer = map_add_layer(reader, name, MAP_LAYER_TILES);
  if (!map_layer || !map_allocate_cells(reader, map_layer, 0, 0, (uint32_t)grid->columns, (uint32_t)grid->rows))
    return NULL;
  map_layer->x = grid->x;
  map_layer->y = grid->y;
  map_layer->visible = grid->visible;
  map_layer->colour[3] = grid->opacity;
  return map_layer;
}

static bool read_pair(const json_t *pair, double out[2]) {
  for (size_t i = 0; i < 2; ++i) {
    const json_t *value = json_array_get(pair, i);
    out[i] = json_number_value(value);
    if (!json_is_number(value) || !isfinite(out[i]) || fabs(out[i]) > MAP_MAX_SIDE)
      return false;
  }
  return true;
}

// Returns the first layer, from `first` on, in which this cell is empty. Adds a layer if all are occupied.
static map_layer_t *find_free_layer(map_reader_t *reader, const char *name, const grid_t *grid, uint32_t first,
                                    size_t cell) {
  map_t *map = reader->map;
  shoal_assert(cell < (size_t)grid->columns * (size_t)grid->rows,
               "cell %zu of layer %s is out of range (%u × %u cells)", cell, name, grid->columns, grid->rows);
  for (uint32_t i = first; i < map->layer_count; ++i)
    if (map->layers[i].cells[cell] == 0)
      return &map->layers[i];
  if (map->layer_count - first == MAX_STACKED) {
    map_fail(reader, "too many tiles in a cell (at most %u)", MAX_STACKED);
    return NULL;
  }
  char layer_name[MAP_NAME_MAX];
  snprintf(layer_name, sizeof layer_name, "%.50s#%u", name, map->layer_count - first + 1);
  return add_cells(reader, map->layer_count == first ? name : layer_name, grid);
}

static bool read_tiles(ldtk_t *project, const json_t *layer, const json_t *list, const char *name, const grid_t *grid) {
  map_reader_t *reader = project->reader;
  uint32_t first = reader->map->layer_count;
  tile_range_t tiles;
  size_t i;
  json_t *tile;
  if (json_array_size(list) == 0)
    return add_cells(reader, name, grid) != NULL;
  if (!find_tileset(project, layer, &tiles))
    return false;
  json_array_foreach((json_t *)(uintptr_t)list, i, tile) {
    double px[2];
    int32_t id, flip;
    if (!read_pair(json_object_get(tile, "px"), px) ||
        !map_read_integer(reader, tile, "t", 0, tiles.count - 1, 0, &id) ||
        !map_read_integer(reader, tile, "f", 0, 3, 0, &flip))
      return map_fail(reader,
                      "tile %zu must have a position \"px\", a tile \"t\" from 0 to %d, and a flip \"f\" from 0 to 3",
                      i + 1, tiles.count - 1);
    double column = floor(px[0] / grid->side), row = floor(px[1] / grid->side);
    if (column < 0 || row < 0 || column >= grid->columns || row >= grid->rows)
      continue; // rules of auto-layers may place tiles outside the layer
    size_t cell = (size_t)row * (size_t)grid->columns + (size_t)column;
    map_layer_t *map_layer = find_free_layer(reader, name, grid, first, cell);
    if (!map_layer)
      return false;
    map_layer->cells[cell] = (tiles.first + (uint32_t)id) | (flip & 1 ? MAP_FLIP_X : 0) | (flip & 2 ? MAP_FLIP_Y : 0);
  }
  return true;
}

// Reads an IntGrid layer: adds a tile without an image for each declared value, and a layer of these tiles.
static bool read_values(ldtk_t *project, const json_t *layer, const char *name, const grid_t *grid) {
  map_reader_t *reader = project->reader;
  const json_t *definitions =
      json_object_get(find_by_integer(get_definitions(project->root, "layers"), "uid",
                                      json_integer_value(json_object_get(layer, "layerDefUid"))),
                      "intGridValues");
  const json_t *list = json_object_get(layer, "intGridCsv");
  uint32_t first = reader->map->tile_count;
  size_t i;
  json_t *element;
  if (json_array_size(definitions) > 10000 ||
      !map_allocate_tiles(reader, first + (uint32_t)json_array_size(definitions)))
    return map_fail(reader, "too many IntGrid values: %zu (at most 10000)", json_array_size(definitions));
  json_array_foreach((json_t *)(uintptr_t)definitions, i, element) {
    const char *value_name = map_read_text(element, "identifier");
    reader->map->tiles[first + i].solid = reader->map->tiles[first + i].declares_solid =
        strcmp(value_name, "solid") == 0;
    reader->map->tiles[first + i].one_way = strcmp(value_name, "one_way") == 0;
  }
  map_layer_t *map_layer = add_cells(reader, name, grid);
  if (!map_layer)
    return false;
  if (json_array_size(list) != (size_t)map_layer->columns * map_layer->rows)
    return map_fail(reader, "expected %zu IntGrid values, got %zu", (size_t)map_layer->columns * map_layer->rows,
                    json_array_size(list));
  json_int_t last_value = 0;
  uint32_t last_tile = 0;
  json_array_foreach((json_t *)(uintptr_t)list, i, element) {
    json_int_t value = json_integer_value(element);
    if (value == 0)
      continue;
    for (size_t k = 0; k < json_array_size(definitions) && value != last_value; ++k)
      if (json_integer_value(json_object_get(json_array_get(definitions, k), "value")) == value) {
        last_value = value;
        last_tile = first + (uint32_t)k;
      }
    if (value != last_value)
      return map_fail(reader, "cell %zu: value %lld is not declared by the layer", i + 1, (long long)value);
    map_layer->cells[i] = last_tile;
  }
  return true;
}

// --- entities

// Returns an object id: a 31-bit hash of LDtk's string id.
static uint32_t hash_id(const char *iid) {
  return (uint32_t)(hash_bytes(iid, strlen(iid), 0) & 0x7fffffffu);
}

// Reads a field as a property. LDtk does not allow dots in field names, so `health__hp` becomes health.hp.
static void read_field(map_reader_t *reader, const json_t *field, map_properties_t *properties) {
  char name[160], text[64];
  const json_t *value = json_object_get(field, "__value");
  snprintf(name, sizeof name, "%.150s", map_read_text(field, "__identifier"));
  char *separator = strstr(name, "__");
  if (separator && separator != name) {
    *separator = '.';
    memmove(separator + 1, separator + 2, strlen(separator + 2) + 1);
  }
  if (json_is_number(value)) {
    snprintf(text, sizeof text, "%.17g", json_number_value(value));
    map_add_property(reader, properties, name, MAP_NUMBER, json_number_value(value), text);
  } else if (json_is_boolean(value)) {
    map_add_property(reader, properties, name, MAP_BOOL, json_is_true(value), json_is_true(value) ? "true" : "false");
  } else if (json_is_string(value)) {
    bool colour = strcmp(map_read_text(field, "__type"), "Color") == 0;
    map_add_property(reader, properties, name, colour ? MAP_COLOUR : MAP_TEXT, 0, json_string_value(value));
  } else if (json_is_object(value) && map_read_text(value, "entityIid")[0]) {
    map_add_property(reader, properties, name, MAP_OBJECT, hash_id(map_read_text(value, "entityIid")), "");
  }
}

static bool read_entity(map_reader_t *reader, const json_t *entity, const grid_t *grid, uint32_t layer) {
  double position[2], pivot[2] = {0, 0};
  size_t i;
  json_t *field;
  map_object_t *object = map_add_object(reader);
  if (!object)
    return false;
  object->id = hash_id(map_read_text(entity, "iid"));
  object->layer = layer;
  object->class_name = alloc_copy_text(reader->allocator, map_read_text(entity, "__identifier"));
  object->visible = grid->visible;
  if (json_array_size(json_object_get(entity, "fieldInstances")) > 1000)
    return map_fail(reader, "entity %.60s has too many fields (at most 1000)", object->class_name);
  json_array_foreach(json_object_get(entity, "fieldInstances"), i, field) {
    read_field(reader, field, &object->properties);
  }
  const map_property_t *name = map_property(&object->properties, "name");
  object->name = alloc_copy_text(reader->allocator, name && name->type == MAP_TEXT ? name->text : "");
  read_pair(json_object_get(entity, "__pivot"), pivot);
  if (!read_pair(json_object_get(entity, "px"), position))
    return map_fail(reader, "entity %.60s has no position", object->class_name);
  if (!map_read_number(reader, entity, "width", 0, &object->width) ||
      !map_read_number(reader, entity, "height", 0, &object->height))
    return false;
  object->x = position[0] + (0.5 - pivot[0]) * object->width + (double)grid->x;
  object->y = position[1] + (0.5 - pivot[1]) * object->height + (double)grid->y;
  return true;
}

static bool read_layer(ldtk_t *project, const json_t *layer) {
  map_reader_t *reader = project->reader;
  grid_t grid;
  size_t i;
  json_t *entity;
  char tiles[MAP_NAME_MAX];
  const char *name = map_read_text(layer, "__identifier"), *type = map_read_text(layer, "__type");
  map_set_location(reader, "layer \"%.60s\"", name);
  if (!read_grid(reader, layer, &grid))
    return false;
  if (strcmp(type, "Entities") == 0) {
    if (!map_add_layer(reader, name, MAP_LAYER_OBJECTS))
      return false;
    json_array_foreach(json_object_get(layer, "entityInstances"), i, entity) {
      if (!read_entity(reader, entity, &grid, reader->map->layer_count - 1))
        return false;
    }
    return true;
  }
  if (strcmp(type, "Tiles") == 0)
    return read_tiles(project, layer, json_object_get(layer, "gridTiles"), name, &grid);
  if (strcmp(type, "AutoLayer") == 0)
    return read_tiles(project, layer, json_object_get(layer, "autoLayerTiles"), name, &grid);
  if (strcmp(type, "IntGrid") != 0)
    return map_fail(reader, "unknown layer type \"%.40s\"", type);
  snprintf(tiles, sizeof tiles, "%.50s_tiles", name);
  const json_t *auto_tiles = json_object_get(layer, "autoLayerTiles");
  return read_values(project, layer, name, &grid) &&
         (json_array_size(auto_tiles) == 0 || read_tiles(project, layer, auto_tiles, tiles, &grid));
}

// --- levels

// Returns the level named `name`, or the first level if `name` is empty. Returns NULL if there is no such level;
// `nearest` then contains the nearest name.
static const json_t *find_level(const json_t *root, const char *name, nearest_name_t *nearest) {
  size_t i, k;
  json_t *world, *level;
  nearest_name_init(nearest, name);
  json_array_foreach(json_object_get(root, "levels"), i, level) {
    nearest_name_offer(nearest, map_read_text(level, "identifier"));
    if (!name[0] || strcmp(map_read_text(level, "identifier"), name) == 0)
      return level;
  }
  json_array_foreach(json_object_get(root, "worlds"), i, world) {
    json_array_foreach(json_object_get(world, "levels"), k, level) {
      nearest_name_offer(nearest, map_read_text(level, "identifier"));
      if (!name[0] || strcmp(map_read_text(level, "identifier"), name) == 0)
        return level;
    }
  }
  return NULL;
}

static bool report_missing_level(map_reader_t *r, const nearest_name_t *nearest) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  if (!r->level[0])
    return map_fail(r, "the project has no levels");
  return map_fail(r, "unknown level \"%.60s\"%s", r->level, nearest_name_hint(nearest, hint, sizeof hint));
}

static bool read_level(ldtk_t *project, const json_t *level) {
  map_reader_t *reader = project->reader;
  const json_t *layers = json_object_get(level, "layerInstances");
  size_t i;
  json_t *field;
  if (!json_is_array(layers))
    return map_fail(reader, "level \"%.60s\" has no layers", map_read_text(level, "identifier"));
  map_parse_colour(map_read_text(level, "__bgColor"), reader->map->background);
  if (json_array_size(json_object_get(level, "fieldInstances")) > 1000)
    return map_fail(reader, "the level has too many fields (at most 1000)");
  json_array_foreach(json_object_get(level, "fieldInstances"), i, field) {
    read_field(reader, field, &reader->map->properties);
  }
  for (i = json_array_size(layers); i-- > 0;) // in LDtk, the first layer is the topmost
    if (!read_layer(project, json_array_get(layers, i)))
      return false;
  if (reader->map->tile_width == 0)
    reader->map->tile_width = reader->map->tile_height = 16;
  return true;
}

bool map_read_ldtk(map_reader_t *reader, const json_t *root) {
  char path[512];
  ldtk_t project = {.reader = reader, .root = root};
  nearest_name_t nearest;
  const json_t *level = find_level(root, reader->level, &nearest);
  if (!json_is_object(json_object_get(root, "defs")))
    return map_fail(reader, "the file is not an LDtk project: \"defs\" is missing");
  if (!level)
    return report_missing_level(reader, &nearest);
  const char *external_path = map_read_text(level, "externalRelPath");
  if (!external_path[0])
    return read_level(&project, level);
  json_t *file = map_resolve_path(reader, external_path, path, sizeof path) ? map_parse(reader, path) : NULL;
  bool ok = file && read_level(&project, file);
  return ok;
}
