// Sends a map to the page: its layers, and the image region of each tile. A tilemap's map contains the cells that the
// game has set; a file's map contains all objects and tiles, for the level editor.
#include "cockpit/tile_map.h"

#include "base/assert.h"
#include "base/hash.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/level_map.h"
#include "cockpit/request.h"
#include "tilemap/tilemap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CELLS (512u * 512u) // maximum number of cells in all layers; requests for larger maps fail
#define MAX_OBJECTS 5000u       // maximum number of tile objects, and of shapes, per layer; any others are omitted

typedef struct map_writer_t {
  world_o *w;
  const map_t *map;
  shoal_entity entity;
  const level_map_t *level; // the file; NULL: the map of the entity
  bool *tiles;              // indexed by tile: used by at least one cell
  json_writer_t *out;
} map_writer_t;

static uint64_t count_cells(const map_t *m) {
  uint64_t cells = 0;
  for (uint32_t i = 0; i < m->layer_count; ++i)
    cells += (uint64_t)m->layers[i].columns * m->layers[i].rows;
  return cells;
}

// Writes the cells run-length encoded: tile, count, tile, count, …
static void write_cells(const map_writer_t *x, const map_layer_t *l) {
  const tile_edits_t *edits = x->level ? NULL : tilemap_edits(x->w, x->entity, l->name);
  uint32_t last = 0, times = 0;
  json_write_key(x->out, "cells");
  json_write_begin(x->out, '[');
  for (uint64_t i = 0, all = (uint64_t)l->columns * l->rows; i <= all; ++i) {
    int32_t column = l->left + (int32_t)(i % (l->columns ? l->columns : 1));
    int32_t row = l->top + (int32_t)(i / (l->columns ? l->columns : 1));
    uint32_t cell = i < all ? tilemap_cell(l, edits, column, row) : 0;
    if (i < all && MAP_TILE(cell) < x->map->tile_count)
      x->tiles[MAP_TILE(cell)] = true;
    if (times > 0 && (cell != last || i == all)) {
      json_write_integer(x->out, last);
      json_write_integer(x->out, times);
      times = 0;
    }
    last = cell;
    ++times;
  }
  json_write_end(x->out, ']');
}

static void write_vector(const map_writer_t *x, const char *key, float a, float b) {
  json_write_key(x->out, key);
  json_write_begin(x->out, '[');
  json_write_float(x->out, a);
  json_write_float(x->out, b);
  json_write_end(x->out, ']');
}

// Writes an object as [cell, x, y, width, height, angle, name, points]: `cell` is 0 for a shape; `points` is "" for a
// box and "ellipse" for an ellipse.
static void write_object(const map_writer_t *x, const map_object_t *o) {
  const double numbers[] = {o->x, o->y, o->width, o->height, o->angle};
  uint32_t cell = o->shape == MAP_TILE_SHAPE ? o->cell : 0;
  if (MAP_TILE(cell) < x->map->tile_count)
    x->tiles[MAP_TILE(cell)] = true;
  json_write_begin(x->out, '[');
  json_write_integer(x->out, cell);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    json_write_float(x->out, (float)numbers[i]);
  json_write_string(x->out, o->name && o->name[0] ? o->name : o->class_name ? o->class_name : "");
  json_write_string(x->out, o->points ? o->points : o->shape == MAP_ELLIPSE ? "ellipse" : "");
  json_write_end(x->out, ']');
}

// Writes the tile objects in drawing order, then the visible shapes. Named tile objects are omitted, because they
// became entities.
static void write_objects(const map_writer_t *x, const map_layer_t *l) {
  const map_t *m = x->map;
  json_write_key(x->out, "objects");
  json_write_begin(x->out, '[');
  for (uint32_t i = 0; i < l->drawn_count && i < MAX_OBJECTS; ++i)
    write_object(x, &m->objects[l->drawn[i]]);
  for (uint32_t i = 0, left = MAX_OBJECTS; i < m->object_count && left > 0; ++i)
    if (&m->layers[m->objects[i].layer] == l && m->objects[i].visible && m->objects[i].shape != MAP_TILE_SHAPE) {
      write_object(x, &m->objects[i]);
      --left;
    }
  json_write_end(x->out, ']');
}

static void write_layer(const map_writer_t *x, const map_layer_t *l) {
  static const char *const kinds[] = {"tiles", "objects", "image"};
  json_write_begin(x->out, '{');
  json_write_pair(x->out, "name", l->name);
  json_write_pair(x->out, "kind", kinds[l->kind]);
  json_write_bool_pair(x->out, "visible", l->visible);
  write_vector(x, "at", l->x, l->y);
  json_write_key(x->out, "opacity");
  json_write_float(x->out, l->colour[3]);
  json_write_integer_pair(x->out, "order", l->order);
  json_write_integer_pair(x->out, "left", l->left);
  json_write_integer_pair(x->out, "top", l->top);
  json_write_integer_pair(x->out, "columns", l->columns);
  json_write_integer_pair(x->out, "rows", l->rows);
  if (l->kind == MAP_LAYER_IMAGE && l->image != MAP_NO_IMAGE)
    json_write_integer_pair(x->out, "image", l->image);
  write_vector(x, "parallax", l->parallax[0], l->parallax[1]);
  write_vector(x, "repeat", l->repeat[0], l->repeat[1]);
  if (!x->level)
    write_objects(x, l);
  write_cells(x, l);
  json_write_end(x->out, '}');
}

// Writes a tile as [tile, image, x, y, width, height, offset x, offset y, whether it collides]; for an animated tile,
// with the image of its first frame.
static void write_tile(const map_writer_t *x, uint32_t number) {
  uint32_t shown = x->map->tiles[number].frame_count > 0 ? map_tile_at(x->map, number, 0) : number;
  const map_tile_t *t = &x->map->tiles[shown < x->map->tile_count ? shown : 0], *own = &x->map->tiles[number];
  if (t->image == MAP_NO_IMAGE)
    return;
  const int32_t numbers[] = {(int32_t)number, t->image, t->x, t->y, t->width, t->height};
  json_write_begin(x->out, '[');
  for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    json_write_integer(x->out, numbers[i]);
  json_write_float(x->out, t->offset_x);
  json_write_float(x->out, t->offset_y);
  json_write_bool(x->out, own->solid || own->one_way || own->slope);
  json_write_end(x->out, ']');
}

static void write_map(const map_writer_t *x) {
  const map_t *m = x->map;
  shoal_assert(m->tile_count > 0, "the map has no tiles: tile 0 must be the empty tile");
  json_write_integer_pair(x->out, "tile_width", m->tile_width);
  json_write_integer_pair(x->out, "tile_height", m->tile_height);
  json_write_integer_pair(x->out, "left", m->left);
  json_write_integer_pair(x->out, "top", m->top);
  json_write_integer_pair(x->out, "columns", m->columns);
  json_write_integer_pair(x->out, "rows", m->rows);
  write_vector(x, "origin", m->parallax_origin[0], m->parallax_origin[1]);
  json_write_key(x->out, "images");
  json_write_begin(x->out, '[');
  for (uint32_t i = 0; i < m->image_count; ++i)
    json_write_string(x->out, m->images[i]);
  json_write_end(x->out, ']');
  json_write_key(x->out, "layers");
  json_write_begin(x->out, '[');
  for (uint32_t i = 0; i < m->layer_count; ++i)
    if (m->layers[i].visible || x->level)
      write_layer(x, &m->layers[i]);
  json_write_end(x->out, ']');
  json_write_key(x->out, "tiles");
  json_write_begin(x->out, '[');
  for (uint32_t i = 1; i < m->tile_count; ++i)
    if (x->tiles[i] || x->level)
      write_tile(x, i);
  json_write_end(x->out, ']');
  if (x->level)
    level_map_write(x->level, x->out);
}

static bool find_entity_map(cockpit_o *c, const json_t *request, map_writer_t *x, error_info_t *error) {
  const json_t *id = json_object_get(request, "entity");
  game_o *g = host_game(c->host);
  const manager_o *m = g ? world_find_manager(g->world, "tilemap") : NULL;
  bool is_valid = json_is_integer(id) && json_integer_value(id) > 0 && json_integer_value(id) <= UINT32_MAX;
  x->entity = is_valid ? (shoal_entity)json_integer_value(id) : 0;
  if (!m || !is_valid || !world_is_alive(g->world, x->entity) || manager_row(m, x->entity) == ROW_NONE)
    return request_reject_member(request, "entity", error, "the id of a living entity with a tilemap");
  x->w = g->world;
  x->map = tilemap_map(x->w, manager_row(m, x->entity));
  return x->map || error_set(error, "the map of entity %u is not loaded: see the log", x->entity);
}

// A map without cells is valid only as a file: the level editor may add its first cells.
static bool check_size(const map_writer_t *x, error_info_t *error) {
  uint64_t cells = count_cells(x->map);
  return (cells <= MAX_CELLS && (cells > 0 || x->level)) ||
         error_set(error, "%s has %" PRIu64 " cells: the cockpit shows maps of 1 to %u cells", x->map->files[0], cells,
                   MAX_CELLS);
}

static void write_stamp(bool same, const char *stamp, json_writer_t *out) {
  json_write_bool_pair(out, "same", same);
  json_write_pair(out, "stamp", stamp);
}

// Writes `same`, `stamp` and the map. The map is omitted if the request's `stamp` shows that the page already has this
// version (`same` is then true).
static bool write_map_if_changed(cockpit_o *c, map_writer_t *x, const char *client_stamp, json_writer_t *out,
                                 error_info_t *error) {
  json_writer_t text;
  char stamp[24];
  if (!check_size(x, error))
    return false;
  x->tiles = calloc(x->map->tile_count, sizeof *x->tiles);
  if (!x->tiles)
    return error_set(error, "out of memory for the map's tiles");
  json_writer_init(&text, &c->memory);
  x->out = &text;
  json_write_begin(&text, '{');
  write_map(x);
  json_write_end(&text, '}');
  snprintf(stamp, sizeof stamp, "%016" PRIx64, hash_bytes(text.text.items, text.text.count, 0));
  bool same = !x->level && client_stamp && strcmp(client_stamp, stamp) == 0;
  write_stamp(same, x->level ? x->level->stamp : stamp, out);
  if (!same) {
    json_write_key(out, "map");
    json_write_raw(out, text.text.items, text.text.count);
  }
  free(x->tiles);
  json_writer_fini(&text);
  return true;
}

bool tile_map_write(cockpit_o *c, const json_t *request, json_writer_t *out, error_info_t *error) {
  const char *client_stamp = json_string_value(json_object_get(request, "stamp"));
  const char *name = json_string_value(json_object_get(request, "map"));
  map_writer_t x = {0};
  level_map_t level;
  if (!name)
    return find_entity_map(c, request, &x, error) && write_map_if_changed(c, &x, client_stamp, out, error);
  if (!level_map_open(c, name, client_stamp, &level, error))
    return false;
  x.level = &level;
  x.map = level.map;
  if (!x.map)
    write_stamp(true, level.stamp, out);
  bool ok = !x.map || write_map_if_changed(c, &x, client_stamp, out, error);
  level_map_close(&level);
  return ok;
}
