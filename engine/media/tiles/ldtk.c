// Reads one level of an LDtk project (.ldtk), stored in the file or next to it (.ldtkl). IntGrid values become tiles
// without an image. Values named solid or one_way have that property. A layer whose cells contain several tiles becomes
// several layers of the map. Layers may have different cell sizes. One of these sizes becomes the map's cell size.
// Layers with a different size are drawn, but do not block movement.
#include "tiles/ldtk.h"

#include "base/assert.h"
#include "base/nearest_name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_STACKED 16u        // maximum number of tiles in one cell
#define MAX_VALUES 10000u      // maximum number of values that an IntGrid layer can declare
#define BACKGROUND_ORDER -1000 // drawing order of a level's background image: behind all layers

// --- layers

static void read_parallax(ldtk_t *project, const json_t *layer, ldtk_grid_t *grid) {
  const json_t *definition = ldtk_layer_definition(project, layer);
  double x = json_number_value(json_object_get(definition, "parallaxFactorX"));
  double y = json_number_value(json_object_get(definition, "parallaxFactorY"));
  grid->parallax[0] = (float)(1 - fmin(fmax(x, -1), 1));
  grid->parallax[1] = (float)(1 - fmin(fmax(y, -1), 1));
  if ((x != 0 || y != 0) && map_read_bool(definition, "parallaxScaling", true))
    map_warn(project->reader, "scaling by parallax is skipped: clear \"Parallax scaling\" of the layer in LDtk");
}

static bool read_grid(ldtk_t *project, const json_t *layer, ldtk_grid_t *grid) {
  map_reader_t *reader = project->reader;
  const json_t *definition = ldtk_layer_definition(project, layer);
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
  grid->pivot[0] = fmin(fmax(json_number_value(json_object_get(definition, "tilePivotX")), 0), 1);
  grid->pivot[1] = fmin(fmax(json_number_value(json_object_get(definition, "tilePivotY")), 0), 1);
  read_parallax(project, layer, grid);
  return true;
}

// Adds a layer of cells. Returns the layer, or NULL after a warning if the map has too many layers or cells.
static map_layer_t *add_cells(map_reader_t *reader, const char *name, const ldtk_grid_t *grid) {
  map_layer_t *map_layer = map_add_layer(reader, name, MAP_LAYER_TILES);
  if (!map_layer || !map_allocate_cells(reader, map_layer, 0, 0, (uint32_t)grid->columns, (uint32_t)grid->rows)) {
    map_skip(reader, "cells");
    return NULL;
  }
  map_layer->cell_width = map_layer->cell_height = grid->side;
  map_layer->x = grid->x;
  map_layer->y = grid->y;
  map_layer->visible = grid->visible;
  map_layer->colour[3] = grid->opacity;
  map_layer->parallax[0] = grid->parallax[0];
  map_layer->parallax[1] = grid->parallax[1];
  return map_layer;
}

// Reads two numbers of a list, starting at index `first`. Returns true on success, or false if one of them is not a
// number or is out of range.
static bool read_pair(const json_t *list, size_t first, double out[2]) {
  for (size_t i = 0; i < 2; ++i) {
    const json_t *value = json_array_get(list, first + i);
    out[i] = json_number_value(value);
    if (!json_is_number(value) || !isfinite(out[i]) || fabs(out[i]) > MAP_MAX_SIDE)
      return false;
  }
  return true;
}

// --- tiles

typedef struct position_t {
  int32_t column, row;
} position_t;

// Returns the first layer, starting at index `first`, in which this cell is empty. If no layer has space, adds a layer,
// or returns NULL after a warning if no layer can be added.
static map_layer_t *find_free_layer(map_reader_t *reader, const char *name, const ldtk_grid_t *grid, uint32_t first,
                                    position_t position) {
  map_t *map = reader->map;
  for (uint32_t i = first; i < map->layer_count; ++i)
    // Skips layers whose cells could not be allocated.
    if (map->layers[i].columns > 0 && map_cell(&map->layers[i], position.column, position.row) == 0)
      return &map->layers[i];
  if (map->layer_count - first == MAX_STACKED) {
    map_warn(reader, "a tile is skipped: its cell already has %u tiles", MAX_STACKED);
    return NULL;
  }
  char layer_name[MAP_NAME_MAX];
  snprintf(layer_name, sizeof layer_name, "%.50s#%u", name, map->layer_count - first + 1);
  return add_cells(reader, map->layer_count == first ? name : layer_name, grid);
}

// Finds the cell of a tile. Returns true on success, or false after a warning if the tile is not in the layer.
static bool find_cell(map_reader_t *reader, const ldtk_grid_t *grid, const double px[2], position_t *out) {
  double column = floor(px[0] / grid->side), row = floor(px[1] / grid->side);
  if (column < 0 || row < 0 || column >= grid->columns || row >= grid->rows) {
    map_warn(reader, "the tile at %g, %g px is skipped: it is outside the layer", px[0], px[1]);
    return false;
  }
  if (column * grid->side != px[0] || row * grid->side != px[1])
    map_warn(reader, "the tile at %g, %g px is drawn in its cell: offsets of single tiles are not supported", px[0],
             px[1]);
  *out = (position_t){(int32_t)column, (int32_t)row};
  return true;
}

// Returns a tile's number and flips, or 0 after a warning if the tileset has no such tile.
static uint32_t read_cell(map_reader_t *reader, const json_t *tile, const ldtk_tileset_t *tileset) {
  const json_t *number = json_object_get(tile, "t"), *alpha = json_object_get(tile, "a");
  json_int_t id = json_is_integer(number) ? json_integer_value(number) : -1,
             flips = json_integer_value(json_object_get(tile, "f"));
  if (id < 0 || id >= tileset->count) {
    map_warn(reader, "tile %lld is skipped: the tileset has %d tiles", (long long)id, tileset->count);
    return 0;
  }
  if (json_is_number(alpha) && json_number_value(alpha) < 1)
    map_warn(reader, "tile %lld is drawn opaque: the opacity of single tiles is not supported: use the layer's",
             (long long)id);
  return (tileset->first + (uint32_t)id) | (flips & 1 ? MAP_FLIP_X : 0) | (flips & 2 ? MAP_FLIP_Y : 0);
}

static bool read_tiles(ldtk_t *project, const json_t *layer, const json_t *list, const char *name,
                       const ldtk_grid_t *grid) {
  map_reader_t *reader = project->reader;
  ldtk_tileset_t tileset;
  size_t i;
  position_t position;
  json_t *tile;
  uint32_t first = reader->map->layer_count;
  if (!add_cells(reader, name, grid) || json_array_size(list) == 0)
    return true;
  if (!ldtk_find_tileset(project, layer, grid, &tileset))
    return false;
  if (tileset.count == 0)
    return true; // ldtk_find_tileset has added a warning
  json_array_foreach((json_t *)(uintptr_t)list, i, tile) {
    double px[2];
    if (!read_pair(json_object_get(tile, "px"), 0, px))
      return map_fail(reader, "tile %zu must have a position \"px\"", i + 1);
    uint32_t cell = find_cell(reader, grid, px, &position) ? read_cell(reader, tile, &tileset) : 0;
    map_layer_t *map_layer = cell ? find_free_layer(reader, name, grid, first, position) : NULL;
    if (map_layer && !map_set_cell(reader, map_layer, position.column, position.row, cell))
      return map_skip(reader, "the rest of its tiles");
  }
  return true;
}

// --- IntGrid layers

// Adds a tile without an image for each value that an IntGrid layer declares. Returns the number of added tiles, or 0
// after a warning if there are too many.
static size_t add_values(map_reader_t *reader, const json_t *definitions) {
  size_t i;
  json_t *definition;
  uint32_t first = reader->map->tile_count;
  if (json_array_size(definitions) > MAX_VALUES) {
    map_warn(reader, "its values are skipped: the layer declares %zu (at most %u)", json_array_size(definitions),
             MAX_VALUES);
    return 0;
  }
  if (!map_allocate_tiles(reader, first + (uint32_t)json_array_size(definitions))) {
    map_skip(reader, "values");
    return 0;
  }
  json_array_foreach((json_t *)(uintptr_t)definitions, i, definition) {
    const char *name = map_read_text(definition, "identifier");
    map_tile_t *tile = &reader->map->tiles[first + i];
    tile->solid = tile->declares_solid = strcmp(name, "solid") == 0;
    tile->one_way = strcmp(name, "one_way") == 0;
  }
  return json_array_size(definitions);
}

// Returns the index of a declared value, or `count` if the value is not declared.
static size_t find_value(const json_t *definitions, size_t count, json_int_t value) {
  size_t i = 0;
  while (i < count && json_integer_value(json_object_get(json_array_get(definitions, i), "value")) != value)
    ++i;
  return i;
}

static bool read_values(ldtk_t *project, const json_t *layer, const char *name, const ldtk_grid_t *grid) {
  map_reader_t *reader = project->reader;
  const json_t *definitions = json_object_get(ldtk_layer_definition(project, layer), "intGridValues");
  const json_t *list = json_object_get(layer, "intGridCsv");
  uint32_t first = reader->map->tile_count;
  size_t i, count = add_values(reader, definitions), index = 0;
  json_int_t previous = 0;
  json_t *element;
  map_layer_t *map_layer = add_cells(reader, name, grid);
  if (!map_layer)
    return true;
  if (json_array_size(list) != (size_t)map_layer->columns * map_layer->rows)
    return map_fail(reader, "expected %zu IntGrid values, got %zu", (size_t)map_layer->columns * map_layer->rows,
                    json_array_size(list));
  json_array_foreach((json_t *)(uintptr_t)list, i, element) {
    json_int_t value = json_integer_value(element);
    if (value == 0)
      continue;
    index = value == previous ? index : find_value(definitions, count, value);
    previous = value;
    if (index < count && !map_set_cell(reader, map_layer, (int32_t)(i % map_layer->columns),
                                       (int32_t)(i / map_layer->columns), first + (uint32_t)index))
      return map_skip(reader, "the rest of its values");
    if (index == count)
      map_warn(reader, "cell %zu is empty: its value %lld is not declared by the layer", i + 1, (long long)value);
  }
  return true;
}

// --- entities

static bool read_entity(ldtk_t *project, const json_t *entity, size_t index, const ldtk_grid_t *grid, uint32_t layer) {
  map_reader_t *reader = project->reader;
  const char *iid = map_read_text(entity, "iid");
  char place[sizeof reader->location + 24];
  double position[2], pivot[2] = {0, 0};
  map_object_t *object = map_add_object(reader);
  // Entities of LDtk before 1.0 have no `iid`, so their location in the file identifies them.
  snprintf(place, sizeof place, "%s#%zu", reader->location, index);
  object->id = ldtk_hash_id(iid[0] ? iid : place);
  object->layer = layer;
  object->class_name = alloc_copy_text(reader->allocator, map_read_text(entity, "__identifier"));
  object->visible = grid->visible;
  read_pair(json_object_get(entity, "__pivot"), 0, pivot);
  if (!read_pair(json_object_get(entity, "px"), 0, position))
    return map_fail(reader, "entity %.60s has no position", object->class_name);
  if (!map_read_number(reader, entity, "width", 0, &object->width) ||
      !map_read_number(reader, entity, "height", 0, &object->height))
    return false;
  object->x = position[0] + (0.5 - pivot[0]) * object->width + (double)grid->x;
  object->y = position[1] + (0.5 - pivot[1]) * object->height + (double)grid->y;
  ldtk_read_fields(project, entity, object, grid, &object->properties);
  if (!object->name) // the entity has no field `name`
    object->name = alloc_copy_text(reader->allocator, "");
  return true;
}

static bool read_entities(ldtk_t *project, const json_t *layer, const char *name, const ldtk_grid_t *grid) {
  map_reader_t *reader = project->reader;
  const json_t *list = json_object_get(layer, "entityInstances");
  size_t i;
  json_t *entity;
  if (!map_add_layer(reader, name, MAP_LAYER_OBJECTS))
    return map_skip(reader, "entities");
  if ((grid->parallax[0] != 1 || grid->parallax[1] != 1) && json_array_size(list) > 0)
    map_warn(reader, "the parallax of an entity layer is skipped");
  json_array_foreach((json_t *)(uintptr_t)list, i, entity) {
    if (reader->map->object_count == MAP_MAX_OBJECTS) {
      map_warn(reader, "entity %zu and all following entities are skipped: at most %u per level", i + 1,
               MAP_MAX_OBJECTS);
      break;
    }
    if (!read_entity(project, entity, i, grid, reader->map->layer_count - 1))
      return false;
  }
  return true;
}

static bool read_layer(ldtk_t *project, const json_t *layer) {
  map_reader_t *reader = project->reader;
  ldtk_grid_t grid;
  char tiles[MAP_NAME_MAX];
  const char *name = map_read_text(layer, "__identifier"), *type = map_read_text(layer, "__type");
  const json_t *auto_tiles = json_object_get(layer, "autoLayerTiles");
  map_set_location(reader, "layer \"%.60s\"", name);
  if (!read_grid(project, layer, &grid))
    return false;
  if (strcmp(type, "Entities") == 0)
    return read_entities(project, layer, name, &grid);
  if (strcmp(type, "Tiles") == 0)
    return read_tiles(project, layer, json_object_get(layer, "gridTiles"), name, &grid);
  if (strcmp(type, "AutoLayer") == 0)
    return read_tiles(project, layer, auto_tiles, name, &grid);
  if (strcmp(type, "IntGrid") != 0) {
    map_warn(reader, "the layer is skipped: unknown type \"%.40s\"", type);
    return true;
  }
  snprintf(tiles, sizeof tiles, "%.50s_tiles", name);
  return read_values(project, layer, name, &grid) &&
         (json_array_size(auto_tiles) == 0 || read_tiles(project, layer, auto_tiles, tiles, &grid));
}

// --- the physical grid

static bool has_solid_values(const ldtk_t *project, const json_t *layer) {
  const json_t *values = json_object_get(ldtk_layer_definition(project, layer), "intGridValues");
  size_t i;
  json_t *value;
  json_array_foreach((json_t *)(uintptr_t)values, i, value) {
    if (ldtk_is_collision_name(map_read_text(value, "identifier")))
      return strcmp(map_read_text(layer, "__type"), "IntGrid") == 0;
  }
  return false;
}

static bool has_cells(const ldtk_t *project, const json_t *layer) {
  (void)project;
  return strcmp(map_read_text(layer, "__type"), "Entities") != 0;
}

// Sets the size of the map's cells to the cell size of the first layer with solid values. If there is no such layer,
// uses the first layer with solid tiles, or else the first layer with cells, or else 16 px. Layers with cells of a
// different size are only drawn. Returns true on success, or false if the cell size is invalid.
static bool choose_cell_size(ldtk_t *project, const json_t *layers) {
  static bool (*const conditions[])(const ldtk_t *, const json_t *) = {has_solid_values, ldtk_has_solid_tileset,
                                                                       has_cells};
  map_t *map = project->reader->map;
  size_t i;
  json_t *layer;
  for (size_t k = 0; k < sizeof conditions / sizeof *conditions; ++k)
    json_array_foreach((json_t *)(uintptr_t)layers, i, layer) {
      if (!has_cells(project, layer) || !conditions[k](project, layer))
        continue;
      bool ok = map_read_integer(project->reader, layer, "__gridSize", 1, 10000, 16, &map->tile_width);
      map->tile_height = map->tile_width;
      return ok;
    }
  map->tile_width = map->tile_height = 16;
  return true;
}

// Warns about layers with solid tiles that do not block movement, because their cells do not have the map's cell size.
static void warn_about_drawn_solids(map_reader_t *reader) {
  const map_t *map = reader->map;
  for (uint32_t i = 0; i < map->layer_count; ++i) {
    const map_layer_t *layer = &map->layers[i];
    if (layer->kind != MAP_LAYER_TILES || layer->cell_width == map->tile_width ||
        !map_layer_has_tile(map, layer, map_tile_can_block))
      continue;
    map_set_location(reader, "layer \"%.60s\"", layer->name);
    map_warn(reader, "its cells of %d px are drawn, but not solid: solid cells of this level have %d px",
             layer->cell_width, map->tile_width);
  }
}

// --- levels
// Returns the level named `name`, or the first level if `name` is empty. Returns NULL if there is no such level.
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

// Adds the level's background image as a tile object behind all layers.
static void add_background_object(map_reader_t *reader, uint32_t tile, const double top_left[2],
                                  const double scale[2]) {
  map_t *map = reader->map;
  bool has_object_layer = reader->first_object_layer >= 0;
  map_layer_t *layer = map_add_layer(reader, "background", MAP_LAYER_OBJECTS);
  map_object_t *object = layer && map->object_count < MAP_MAX_OBJECTS ? map_add_object(reader) : NULL;
  if (!object) {
    map_warn(reader, "the background image is skipped: the level has too many layers or entities");
    return;
  }
  if (!has_object_layer) // the background must not change the order of the other layers
    reader->first_object_layer = (int32_t)map->layer_count - 1;
  map_add_property(reader, &layer->properties, "layer", MAP_NUMBER, BACKGROUND_ORDER, "");
  object->shape = MAP_TILE_SHAPE;
  object->cell = tile;
  object->layer = map->layer_count - 1;
  object->name = alloc_copy_text(reader->allocator, "");
  object->class_name = alloc_copy_text(reader->allocator, "");
  object->width = map->tiles[tile].width * scale[0];
  object->height = map->tiles[tile].height * scale[1];
  object->x = top_left[0] + object->width / 2;
  object->y = top_left[1] + object->height / 2;
  layer->drawn = alloc_resize(reader->allocator, NULL, 0, sizeof *layer->drawn);
  layer->drawn[0] = map->object_count - 1;
  layer->drawn_count = 1;
}

static void read_background(map_reader_t *reader, const json_t *level) {
  const char *path = map_read_text(level, "bgRelPath");
  const json_t *position = json_object_get(level, "__bgPos"), *crop = json_object_get(position, "cropRect");
  double origin[2], size[2], top_left[2], scale[2];
  bool is_valid = read_pair(crop, 0, origin) && read_pair(crop, 2, size) &&
                  read_pair(json_object_get(position, "topLeftPx"), 0, top_left) &&
                  read_pair(json_object_get(position, "scale"), 0, scale);
  if (!path[0] || !is_valid)
    return;
  if (strcmp(map_read_text(level, "bgPos"), "Repeat") == 0)
    map_warn(reader, "the background image is drawn once: repetition is not supported");
  uint32_t tile = reader->map->tile_count, image = map_add_image(reader, path);
  if (image == MAP_NO_IMAGE || !map_allocate_tiles(reader, tile + 1)) {
    map_skip(reader, "the background image");
    return;
  }
  reader->map->tiles[tile] = (map_tile_t){.image = (uint16_t)image,
                                          .x = (int32_t)round(origin[0]),
                                          .y = (int32_t)round(origin[1]),
                                          .width = (int32_t)round(size[0]),
                                          .height = (int32_t)round(size[1])};
  add_background_object(reader, tile, top_left, scale);
}

static bool read_level(ldtk_t *project, const json_t *level) {
  map_reader_t *reader = project->reader;
  const json_t *layers = json_object_get(level, "layerInstances");
  double width, height;
  if (!json_is_array(layers))
    return map_fail(reader, "level \"%.60s\" has no layers", map_read_text(level, "identifier"));
  if (!map_read_number(reader, level, "pxWid", 0, &width) || !map_read_number(reader, level, "pxHei", 0, &height) ||
      !choose_cell_size(project, layers))
    return false;
  reader->map->parallax_origin[0] = (float)(width / 2);
  reader->map->parallax_origin[1] = (float)(height / 2);
  reader->map->area[2] = (float)width;
  reader->map->area[3] = (float)height;
  project->level_iid = map_read_text(level, "iid");
  map_read_colour(reader, level, "__bgColor", reader->map->background);
  ldtk_read_fields(project, level, NULL, NULL, &reader->map->properties);
  for (size_t i = json_array_size(layers); i-- > 0;) // the first layer is the topmost layer in LDtk
    if (!read_layer(project, json_array_get(layers, i)))
      return false;
  warn_about_drawn_solids(reader);
  map_set_location(reader, "level \"%.60s\"", map_read_text(level, "identifier"));
  read_background(reader, level);
  return true;
}

bool map_read_ldtk(map_reader_t *reader, const json_t *root) {
  char path[512];
  ldtk_t project = {.reader = reader, .root = root, .level_iid = ""};
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
  return file && read_level(&project, file);
}
