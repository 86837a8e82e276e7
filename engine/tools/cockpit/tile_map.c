// Sends a map to the page: its layers, and the image region of each tile. The map of a tilemap contains the cells that
// the game has set. The map of a file contains all objects and tiles, for the level editor.
#include "cockpit/tile_map.h"

#include "base/assert.h"
#include "base/hash.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/level_map.h"
#include "cockpit/request.h"
#include "tilemap/tilemap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CELLS (512u * 512u) // maximum number of cells in all layers; requests for larger maps fail
#define MAX_OBJECTS 5000u       // maximum number of tile objects, and of shapes, per layer; excess objects are omitted

typedef struct map_writer_t {
  world_o *world;
  const map_t *map;
  shoal_entity entity;
  const level_map_t *level; // map file to write; NULL: the map of `entity` is written
  bool *tiles;              // flags, indexed by tile: true if at least one cell or object uses the tile
  json_writer_t *out;
} map_writer_t;

static uint64_t count_cells(const map_t *map) {
  uint64_t cells = 0;
  for (uint32_t i = 0; i < map->layer_count; ++i)
    cells += (uint64_t)map->layers[i].columns * map->layers[i].rows;
  return cells;
}

// Writes the cells run-length encoded: tile, count, tile, count, …
static void write_cells(const map_writer_t *writer, const map_layer_t *layer) {
  const tile_edits_t *edits = writer->level ? NULL : tilemap_edits(writer->world, writer->entity, layer->name);
  uint32_t run_cell = 0, run_length = 0;
  json_write_key(writer->out, "cells");
  json_write_begin(writer->out, '[');
  for (uint64_t i = 0, cell_count = (uint64_t)layer->columns * layer->rows; i <= cell_count; ++i) {
    int32_t column = layer->left + (int32_t)(i % (layer->columns ? layer->columns : 1));
    int32_t row = layer->top + (int32_t)(i / (layer->columns ? layer->columns : 1));
    uint32_t cell = i < cell_count ? tilemap_cell(layer, edits, column, row) : 0;
    if (i < cell_count && MAP_TILE(cell) < writer->map->tile_count)
      writer->tiles[MAP_TILE(cell)] = true;
    if (run_length > 0 && (cell != run_cell || i == cell_count)) {
      json_write_integer(writer->out, run_cell);
      json_write_integer(writer->out, run_length);
      run_length = 0;
    }
    run_cell = cell;
    ++run_length;
  }
  json_write_end(writer->out, ']');
}

static void write_vector(const map_writer_t *writer, const char *key, float x, float y) {
  json_write_key(writer->out, key);
  json_write_begin(writer->out, '[');
  json_write_float(writer->out, x);
  json_write_float(writer->out, y);
  json_write_end(writer->out, ']');
}

// Writes an object as [cell, x, y, width, height, angle, name, points]. `cell` is 0 for a shape. `points` is "" for a
// box and "ellipse" for an ellipse.
static void write_object(const map_writer_t *writer, const map_object_t *object) {
  const double numbers[] = {object->x, object->y, object->width, object->height, object->angle};
  uint32_t cell = object->shape == MAP_TILE_SHAPE ? object->cell : 0;
  if (MAP_TILE(cell) < writer->map->tile_count)
    writer->tiles[MAP_TILE(cell)] = true;
  json_write_begin(writer->out, '[');
  json_write_integer(writer->out, cell);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    json_write_float(writer->out, (float)numbers[i]);
  json_write_string(writer->out, object->name && object->name[0] ? object->name
                                 : object->class_name            ? object->class_name
                                                                 : "");
  json_write_string(writer->out, object->points ? object->points : object->shape == MAP_ELLIPSE ? "ellipse" : "");
  json_write_end(writer->out, ']');
}

// Writes the tile objects in drawing order, then the visible shapes. Named tile objects are omitted, because they
// became entities.
static void write_objects(const map_writer_t *writer, const map_layer_t *layer) {
  const map_t *map = writer->map;
  json_write_key(writer->out, "objects");
  json_write_begin(writer->out, '[');
  for (uint32_t i = 0; i < layer->drawn_count && i < MAX_OBJECTS; ++i)
    write_object(writer, &map->objects[layer->drawn[i]]);
  for (uint32_t i = 0, remaining = MAX_OBJECTS; i < map->object_count && remaining > 0; ++i)
    if (&map->layers[map->objects[i].layer] == layer && map->objects[i].visible &&
        map->objects[i].shape != MAP_TILE_SHAPE) {
      write_object(writer, &map->objects[i]);
      --remaining;
    }
  json_write_end(writer->out, ']');
}

static void write_layer(const map_writer_t *writer, const map_layer_t *layer) {
  static const char *const kinds[] = {"tiles", "objects", "image"};
  json_write_begin(writer->out, '{');
  json_write_pair(writer->out, "name", layer->name);
  json_write_pair(writer->out, "kind", kinds[layer->kind]);
  json_write_bool_pair(writer->out, "visible", layer->visible);
  write_vector(writer, "at", layer->x, layer->y);
  json_write_key(writer->out, "opacity");
  json_write_float(writer->out, layer->colour[3]);
  json_write_integer_pair(writer->out, "order", layer->order);
  json_write_integer_pair(writer->out, "left", layer->left);
  json_write_integer_pair(writer->out, "top", layer->top);
  json_write_integer_pair(writer->out, "columns", layer->columns);
  json_write_integer_pair(writer->out, "rows", layer->rows);
  json_write_integer_pair(writer->out, "cell_width", layer->cell_width);
  json_write_integer_pair(writer->out, "cell_height", layer->cell_height);
  if (layer->kind == MAP_LAYER_IMAGE && layer->image != MAP_NO_IMAGE)
    json_write_integer_pair(writer->out, "image", layer->image);
  write_vector(writer, "parallax", layer->parallax[0], layer->parallax[1]);
  write_vector(writer, "repeat", layer->repeat[0], layer->repeat[1]);
  if (!writer->level)
    write_objects(writer, layer);
  write_cells(writer, layer);
  json_write_end(writer->out, '}');
}

// Writes a tile as [tile, image, x, y, width, height, offset x, offset y, whether it collides]. For an animated tile,
// writes the image of its first frame.
static void write_tile(const map_writer_t *writer, uint32_t number) {
  uint32_t shown_tile = writer->map->tiles[number].frame_count > 0 ? map_tile_at(writer->map, number, 0) : number;
  const map_tile_t *tile = &writer->map->tiles[shown_tile < writer->map->tile_count ? shown_tile : 0],
                   *base_tile = &writer->map->tiles[number];
  if (tile->image == MAP_NO_IMAGE)
    return;
  const int32_t numbers[] = {(int32_t)number, tile->image, tile->x, tile->y, tile->width, tile->height};
  json_write_begin(writer->out, '[');
  for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    json_write_integer(writer->out, numbers[i]);
  json_write_float(writer->out, tile->offset_x);
  json_write_float(writer->out, tile->offset_y);
  json_write_bool(writer->out, map_tile_can_block(base_tile));
  json_write_end(writer->out, ']');
}

// Writes the name of an image without the suffix that names its transparent colour.
static void write_image_name(const map_writer_t *writer, const char *name) {
  char file[1024];
  snprintf(file, sizeof file, "%.*s", (int)strcspn(name, (const char[]){MAP_COLOUR_KEY, '\0'}), name);
  json_write_string(writer->out, file);
}

static void write_map(const map_writer_t *writer) {
  const map_t *map = writer->map;
  shoal_assert(map->tile_count > 0, "the map has no tiles: tile 0 must be the empty tile");
  json_write_integer_pair(writer->out, "tile_width", map->tile_width);
  json_write_integer_pair(writer->out, "tile_height", map->tile_height);
  json_write_integer_pair(writer->out, "left", map->left);
  json_write_integer_pair(writer->out, "top", map->top);
  json_write_integer_pair(writer->out, "columns", map->columns);
  json_write_integer_pair(writer->out, "rows", map->rows);
  write_vector(writer, "origin", map->parallax_origin[0], map->parallax_origin[1]);
  json_write_key(writer->out, "images");
  json_write_begin(writer->out, '[');
  for (uint32_t i = 0; i < map->image_count; ++i)
    write_image_name(writer, map->images[i]);
  json_write_end(writer->out, ']');
  json_write_key(writer->out, "layers");
  json_write_begin(writer->out, '[');
  for (uint32_t i = 0; i < map->layer_count; ++i)
    if (map->layers[i].visible || writer->level)
      write_layer(writer, &map->layers[i]);
  json_write_end(writer->out, ']');
  json_write_key(writer->out, "tiles");
  json_write_begin(writer->out, '[');
  for (uint32_t i = 1; i < map->tile_count; ++i)
    if (writer->tiles[i] || writer->level)
      write_tile(writer, i);
  json_write_end(writer->out, ']');
  if (writer->level)
    level_map_write(writer->level, writer->out);
}

static bool find_entity_map(cockpit_o *cockpit, const json_t *request, map_writer_t *writer, error_info_t *error) {
  const json_t *id = json_object_get(request, "entity");
  game_o *game = host_game(cockpit->host);
  const manager_o *manager = game ? world_find_manager(game->world, "tilemap") : NULL;
  bool is_valid = json_is_integer(id) && json_integer_value(id) > 0 && json_integer_value(id) <= UINT32_MAX;
  writer->entity = is_valid ? (shoal_entity)json_integer_value(id) : 0;
  if (!manager || !is_valid || !world_is_alive(game->world, writer->entity) ||
      manager_row(manager, writer->entity) == ROW_NONE)
    return request_reject_member(request, "entity", error, "the id of a living entity with a tilemap");
  writer->world = game->world;
  writer->map = tilemap_map(writer->world, manager_row(manager, writer->entity));
  return writer->map || error_set(error, "the map of entity %u is not loaded: see the log", writer->entity);
}

// Returns true if the cockpit can show the map's cells, or false with an error. A map without cells is valid only as a
// file, because the level editor may add its first cells.
static bool check_size(const map_writer_t *writer, error_info_t *error) {
  uint64_t cells = count_cells(writer->map);
  return (cells <= MAX_CELLS && (cells > 0 || writer->level)) ||
         error_set(error, "%s has %" PRIu64 " cells: the cockpit shows maps of 1 to %u cells", writer->map->files[0],
                   cells, MAX_CELLS);
}

static void write_stamp(bool is_current, const char *stamp, json_writer_t *out) {
  json_write_bool_pair(out, "same", is_current);
  json_write_pair(out, "stamp", stamp);
}

// Writes "same" and "stamp" and, unless `client_stamp` shows that the page already has this version, "map".
static bool write_map_if_changed(cockpit_o *cockpit, map_writer_t *writer, const char *client_stamp, json_writer_t *out,
                                 error_info_t *error) {
  json_writer_t map_json;
  char stamp[24];
  if (!check_size(writer, error))
    return false;
  writer->tiles = calloc(writer->map->tile_count, sizeof *writer->tiles);
  if (!writer->tiles)
    return error_set(error, "out of memory for the map's tiles");
  json_writer_init(&map_json, &cockpit->memory);
  writer->out = &map_json;
  json_write_begin(&map_json, '{');
  write_map(writer);
  json_write_end(&map_json, '}');
  snprintf(stamp, sizeof stamp, "%016" PRIx64, hash_bytes(map_json.text.items, map_json.text.count, 0));
  bool is_current = !writer->level && client_stamp && strcmp(client_stamp, stamp) == 0;
  write_stamp(is_current, writer->level ? writer->level->stamp : stamp, out);
  if (!is_current) {
    json_write_key(out, "map");
    json_write_raw(out, map_json.text.items, map_json.text.count);
  }
  free(writer->tiles);
  json_writer_fini(&map_json);
  return true;
}

bool tile_map_write(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error) {
  const char *client_stamp = json_string_value(json_object_get(request, "stamp"));
  const char *name = json_string_value(json_object_get(request, "map"));
  map_writer_t writer = {0};
  level_map_t level;
  if (!name)
    return find_entity_map(cockpit, request, &writer, error) &&
           write_map_if_changed(cockpit, &writer, client_stamp, out, error);
  if (!level_map_open(cockpit, name, client_stamp, &level, error))
    return false;
  writer.level = &level;
  writer.map = level.map;
  if (!writer.map)
    write_stamp(true, level.stamp, out);
  bool ok = !writer.map || write_map_if_changed(cockpit, &writer, client_stamp, out, error);
  level_map_close(&level);
  return ok;
}
