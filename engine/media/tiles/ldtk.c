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

// Returns the object in a list whose integer `key` is `wanted`, or NULL if not found.
static json_t *find_by_integer(const json_t *list, const char *key, json_int_t wanted) {
  size_t i;
  json_t *item;
  json_array_foreach((json_t *)(uintptr_t)list, i, item) {
    const json_t *v = json_object_get(item, key);
    if (json_is_integer(v) && json_integer_value(v) == wanted)
      return item;
  }
  return NULL;
}

static const json_t *get_definitions(const json_t *root, const char *name) {
  return json_object_get(json_object_get(root, "defs"), name);
}

// Reads collision properties of tiles from the tileset's enum tags and custom data.
static bool read_tags(map_reader_t *r, const json_t *tileset, uint32_t first, int32_t count) {
  size_t i, k;
  json_t *tag, *id;
  shoal_assert(first + (uint32_t)count <= r->map->tile_count, "%d tiles from tile %u exceed the map's %u tiles", count,
               first, r->map->tile_count);
  json_array_foreach(json_object_get(tileset, "enumTags"), i, tag) {
    const char *name = map_read_text(tag, "enumValueId");
    json_array_foreach(json_object_get(tag, "tileIds"), k, id) {
      json_int_t at = json_integer_value(id);
      if (at < 0 || at >= count)
        return map_fail(r, "tag %.60s: tile %lld is out of range (count %d)", name, (long long)at, count);
      map_tile_t *t = &r->map->tiles[first + (uint32_t)at];
      t->solid |= strcmp(name, "solid") == 0;
      t->declares_solid |= t->solid;
      t->one_way |= strcmp(name, "one_way") == 0;
    }
  }
  json_array_foreach(json_object_get(tileset, "customData"), i, tag) {
    int32_t at;
    const char *text = map_read_text(tag, "data"), *key;
    json_t *data, *v;
    map_properties_t p = {0};
    if (!map_read_integer(r, tag, "tileId", 0, count - 1, 0, &at))
      return false;
    data = text[0] == '{' ? json_loads(text, 0, NULL) : NULL;
    json_object_foreach(data, key, v) {
      if (json_is_number(v) || json_is_boolean(v))
        map_add_property(r, &p, key, json_is_number(v) ? MAP_NUMBER : MAP_BOOL,
                         json_is_number(v) ? json_number_value(v) : json_is_true(v), "");
    }
    json_decref(data);
    map_tile_t *t = &r->map->tiles[first + (uint32_t)at];
    bool solid = t->solid, one_way = t->one_way;
    map_set_tile_collision(t, &p);
    t->solid |= solid;
    t->declares_solid |= solid;
    t->one_way |= one_way;
    map_free_properties(r->a, &p);
  }
  return true;
}

// Range of a tileset's tiles in the map. A tileset is added to the map on first use. LDtk numbers its tiles row by row
// in the image.
typedef struct tiles_t {
  uint32_t first;
  int32_t count;
} tiles_t;

static bool read_tileset(map_reader_t *r, const json_t *tileset, tiles_t *out) {
  int32_t width, height, side, spacing, padding;
  const char *path = map_read_text(tileset, "relPath");
  map_set_location(r, "tileset \"%.60s\"", map_read_text(tileset, "identifier"));
  if (!map_read_integer(r, tileset, "pxWid", 0, MAP_MAX_SIDE, 0, &width) ||
      !map_read_integer(r, tileset, "pxHei", 0, MAP_MAX_SIDE, 0, &height) ||
      !map_read_integer(r, tileset, "tileGridSize", 1, 10000, 16, &side) ||
      !map_read_integer(r, tileset, "spacing", 0, 10000, 0, &spacing) ||
      !map_read_integer(r, tileset, "padding", 0, 10000, 0, &padding))
    return false;
  int64_t columns = (width - 2 * (int64_t)padding + spacing) / (side + spacing);
  int64_t rows = (height - 2 * (int64_t)padding + spacing) / (side + spacing);
  columns = columns > 0 ? columns : 0;
  rows = rows > 0 ? rows : 0;
  if (columns * rows > MAP_MAX_TILES)
    return map_fail(r, "too many tiles in the tileset: %lld (at most %u)", (long long)(columns * rows), MAP_MAX_TILES);
  out->first = r->map->tile_count;
  out->count = (int32_t)(columns * rows);
  if (!map_allocate_tiles(r, out->first + (uint32_t)out->count))
    return false;
  uint32_t image = path[0] ? map_add_image(r, path) : MAP_NO_IMAGE;
  if (path[0] && image == MAP_NO_IMAGE)
    return false;
  for (int32_t i = 0; i < out->count; ++i) {
    map_tile_t *t = &r->map->tiles[out->first + (uint32_t)i];
    t->image = (uint16_t)image;
    t->x = padding + (int32_t)(i % columns) * (side + spacing);
    t->y = padding + (int32_t)(i / columns) * (side + spacing);
    t->width = t->height = side;
  }
  return read_tags(r, tileset, out->first, out->count);
}

// --- cells

typedef struct ldtk_t {
  map_reader_t *r;
  const json_t *root;
  int64_t uids[256]; // ids of the tilesets that have been added to the map
  tiles_t tilesets[256];
  uint32_t tileset_count;
} ldtk_t;

static bool find_tileset(ldtk_t *x, const json_t *layer, tiles_t *out) {
  const json_t *uid = json_object_get(layer, "__tilesetDefUid");
  json_int_t wanted = json_integer_value(uid);
  for (uint32_t i = 0; i < x->tileset_count; ++i)
    if (x->uids[i] == wanted) {
      *out = x->tilesets[i];
      return true;
    }
  const json_t *tileset =
      json_is_integer(uid) ? find_by_integer(get_definitions(x->root, "tilesets"), "uid", wanted) : NULL;
  if (!tileset || x->tileset_count == sizeof x->uids / sizeof *x->uids)
    return map_fail(x->r, tileset ? "too many tilesets (at most 256 per level)"
                                  : "the layer has no tileset: choose one in LDtk");
  char place[sizeof x->r->place];
  memcpy(place, x->r->place, sizeof place);
  if (!read_tileset(x->r, tileset, out))
    return false;
  memcpy(x->r->place, place, sizeof place);
  x->uids[x->tileset_count] = wanted;
  x->tilesets[x->tileset_count++] = *out;
  return true;
}

typedef struct grid_t {
  int32_t columns, rows, side;
  float x, y, opacity;
  bool visible;
} grid_t;

static bool read_grid(map_reader_t *r, const json_t *layer, grid_t *g) {
  double x, y, opacity;
  if (!map_read_integer(r, layer, "__cWid", 0, MAP_MAX_SIDE, 0, &g->columns) ||
      !map_read_integer(r, layer, "__cHei", 0, MAP_MAX_SIDE, 0, &g->rows) ||
      !map_read_integer(r, layer, "__gridSize", 1, 10000, 16, &g->side) ||
      !map_read_number(r, layer, "__pxTotalOffsetX", 0, &x) || !map_read_number(r, layer, "__pxTotalOffsetY", 0, &y) ||
      !map_read_number(r, layer, "__opacity", 1, &opacity))
    return false;
  g->x = (float)x;
  g->y = (float)y;
  g->opacity = (float)fmin(fmax(opacity, 0), 1);
  g->visible = map_read_bool(layer, "visible", true);
  return true;
}

// Adds a layer of cells. All layers of cells must have the same grid size. Returns NULL after reporting an error.
static map_layer_t *add_cells(map_reader_t *r, const char *name, const grid_t *g) {
  map_t *m = r->map;
  if (m->tile_width == 0)
    m->tile_width = m->tile_height = g->side;
  if (m->tile_width != g->side) {
    map_fail(r, "the grid size is %d px, but %d px in other layers: use one grid size", g->side, m->tile_width);
    return NULL;
  }
  map_layer_t *l = map_add_layer(r, name, MAP_LAYER_TILES);
  if (!l || !map_allocate_cells(r, l, 0, 0, (uint32_t)g->columns, (uint32_t)g->rows))
    return NULL;
  l->x = g->x;
  l->y = g->y;
  l->visible = g->visible;
  l->colour[3] = g->opacity;
  return l;
}

static bool read_pair(const json_t *pair, double out[2]) {
  for (size_t i = 0; i < 2; ++i) {
    const json_t *v = json_array_get(pair, i);
    out[i] = json_number_value(v);
    if (!json_is_number(v) || !isfinite(out[i]) || fabs(out[i]) > MAP_MAX_SIDE)
      return false;
  }
  return true;
}

// Returns the first layer, from `first` on, in which this cell is empty. Adds a layer if all are occupied.
static map_layer_t *find_free_layer(map_reader_t *r, const char *name, const grid_t *g, uint32_t first, size_t cell) {
  map_t *m = r->map;
  shoal_assert(cell < (size_t)g->columns * (size_t)g->rows, "cell %zu of layer %s is out of range (%u × %u cells)",
               cell, name, g->columns, g->rows);
  for (uint32_t i = first; i < m->layer_count; ++i)
    if (m->layers[i].cells[cell] == 0)
      return &m->layers[i];
  if (m->layer_count - first == MAX_STACKED) {
    map_fail(r, "too many tiles in a cell (at most %u)", MAX_STACKED);
    return NULL;
  }
  char numbered[MAP_NAME_MAX];
  snprintf(numbered, sizeof numbered, "%.50s#%u", name, m->layer_count - first + 1);
  return add_cells(r, m->layer_count == first ? name : numbered, g);
}

static bool read_tiles(ldtk_t *x, const json_t *layer, const json_t *list, const char *name, const grid_t *g) {
  map_reader_t *r = x->r;
  uint32_t first = r->map->layer_count;
  tiles_t tiles;
  size_t i;
  json_t *tile;
  if (json_array_size(list) == 0)
    return add_cells(r, name, g) != NULL;
  if (!find_tileset(x, layer, &tiles))
    return false;
  json_array_foreach((json_t *)(uintptr_t)list, i, tile) {
    double px[2];
    int32_t id, flip;
    if (!read_pair(json_object_get(tile, "px"), px) || !map_read_integer(r, tile, "t", 0, tiles.count - 1, 0, &id) ||
        !map_read_integer(r, tile, "f", 0, 3, 0, &flip))
      return map_fail(r,
                      "tile %zu must have a position \"px\", a tile \"t\" from 0 to %d, and a flip \"f\" from 0 to 3",
                      i + 1, tiles.count - 1);
    double column = floor(px[0] / g->side), row = floor(px[1] / g->side);
    if (column < 0 || row < 0 || column >= g->columns || row >= g->rows)
      continue; // rules of auto-layers may place tiles outside the layer
    size_t cell = (size_t)row * (size_t)g->columns + (size_t)column;
    map_layer_t *l = find_free_layer(r, name, g, first, cell);
    if (!l)
      return false;
    l->cells[cell] = (tiles.first + (uint32_t)id) | (flip & 1 ? MAP_FLIP_X : 0) | (flip & 2 ? MAP_FLIP_Y : 0);
  }
  return true;
}

// Reads an IntGrid layer: adds a tile without an image for each declared value, and a layer of these tiles.
static bool read_values(ldtk_t *x, const json_t *layer, const char *name, const grid_t *g) {
  map_reader_t *r = x->r;
  const json_t *known = json_object_get(find_by_integer(get_definitions(x->root, "layers"), "uid",
                                                        json_integer_value(json_object_get(layer, "layerDefUid"))),
                                        "intGridValues");
  const json_t *list = json_object_get(layer, "intGridCsv");
  uint32_t first = r->map->tile_count;
  size_t i;
  json_t *v;
  if (json_array_size(known) > 10000 || !map_allocate_tiles(r, first + (uint32_t)json_array_size(known)))
    return map_fail(r, "too many IntGrid values: %zu (at most 10000)", json_array_size(known));
  json_array_foreach((json_t *)(uintptr_t)known, i, v) {
    const char *called = map_read_text(v, "identifier");
    r->map->tiles[first + i].solid = r->map->tiles[first + i].declares_solid = strcmp(called, "solid") == 0;
    r->map->tiles[first + i].one_way = strcmp(called, "one_way") == 0;
  }
  map_layer_t *l = add_cells(r, name, g);
  if (!l)
    return false;
  if (json_array_size(list) != (size_t)l->columns * l->rows)
    return map_fail(r, "expected %zu IntGrid values, got %zu", (size_t)l->columns * l->rows, json_array_size(list));
  json_int_t last = 0;
  uint32_t last_tile = 0;
  json_array_foreach((json_t *)(uintptr_t)list, i, v) {
    json_int_t value = json_integer_value(v);
    if (value == 0)
      continue;
    for (size_t k = 0; k < json_array_size(known) && value != last; ++k)
      if (json_integer_value(json_object_get(json_array_get(known, k), "value")) == value) {
        last = value;
        last_tile = first + (uint32_t)k;
      }
    if (value != last)
      return map_fail(r, "cell %zu: value %lld is not declared by the layer", i + 1, (long long)value);
    l->cells[i] = last_tile;
  }
  return true;
}

// --- entities

// Returns an object id: a 31-bit hash of LDtk's string id.
static uint32_t hash_id(const char *iid) {
  return (uint32_t)(hash_bytes(iid, strlen(iid), 0) & 0x7fffffffu);
}

// Reads a field as a property. LDtk does not allow dots in field names, so `health__hp` becomes health.hp.
static void read_field(map_reader_t *r, const json_t *field, map_properties_t *p) {
  char name[160], text[64];
  const json_t *v = json_object_get(field, "__value");
  snprintf(name, sizeof name, "%.150s", map_read_text(field, "__identifier"));
  char *dots = strstr(name, "__");
  if (dots && dots != name) {
    *dots = '.';
    memmove(dots + 1, dots + 2, strlen(dots + 2) + 1);
  }
  if (json_is_number(v)) {
    snprintf(text, sizeof text, "%.17g", json_number_value(v));
    map_add_property(r, p, name, MAP_NUMBER, json_number_value(v), text);
  } else if (json_is_boolean(v)) {
    map_add_property(r, p, name, MAP_BOOL, json_is_true(v), json_is_true(v) ? "true" : "false");
  } else if (json_is_string(v)) {
    bool colour = strcmp(map_read_text(field, "__type"), "Color") == 0;
    map_add_property(r, p, name, colour ? MAP_COLOUR : MAP_TEXT, 0, json_string_value(v));
  } else if (json_is_object(v) && map_read_text(v, "entityIid")[0]) {
    map_add_property(r, p, name, MAP_OBJECT, hash_id(map_read_text(v, "entityIid")), "");
  }
}

static bool read_entity(map_reader_t *r, const json_t *v, const grid_t *g, uint32_t layer) {
  double at[2], pivot[2] = {0, 0};
  size_t i;
  json_t *field;
  map_object_t *o = map_add_object(r);
  if (!o)
    return false;
  o->id = hash_id(map_read_text(v, "iid"));
  o->layer = layer;
  o->class_name = alloc_copy_text(r->a, map_read_text(v, "__identifier"));
  o->visible = g->visible;
  if (json_array_size(json_object_get(v, "fieldInstances")) > 1000)
    return map_fail(r, "entity %.60s has too many fields (at most 1000)", o->class_name);
  json_array_foreach(json_object_get(v, "fieldInstances"), i, field) {
    read_field(r, field, &o->properties);
  }
  const map_property_t *name = map_property(&o->properties, "name");
  o->name = alloc_copy_text(r->a, name && name->type == MAP_TEXT ? name->text : "");
  read_pair(json_object_get(v, "__pivot"), pivot);
  if (!read_pair(json_object_get(v, "px"), at))
    return map_fail(r, "entity %.60s has no position", o->class_name);
  if (!map_read_number(r, v, "width", 0, &o->width) || !map_read_number(r, v, "height", 0, &o->height))
    return false;
  o->x = at[0] + (0.5 - pivot[0]) * o->width + (double)g->x;
  o->y = at[1] + (0.5 - pivot[1]) * o->height + (double)g->y;
  return true;
}

static bool read_layer(ldtk_t *x, const json_t *layer) {
  map_reader_t *r = x->r;
  grid_t g;
  size_t i;
  json_t *v;
  char tiles[MAP_NAME_MAX];
  const char *name = map_read_text(layer, "__identifier"), *type = map_read_text(layer, "__type");
  map_set_location(r, "layer \"%.60s\"", name);
  if (!read_grid(r, layer, &g))
    return false;
  if (strcmp(type, "Entities") == 0) {
    if (!map_add_layer(r, name, MAP_LAYER_OBJECTS))
      return false;
    json_array_foreach(json_object_get(layer, "entityInstances"), i, v) {
      if (!read_entity(r, v, &g, r->map->layer_count - 1))
        return false;
    }
    return true;
  }
  if (strcmp(type, "Tiles") == 0)
    return read_tiles(x, layer, json_object_get(layer, "gridTiles"), name, &g);
  if (strcmp(type, "AutoLayer") == 0)
    return read_tiles(x, layer, json_object_get(layer, "autoLayerTiles"), name, &g);
  if (strcmp(type, "IntGrid") != 0)
    return map_fail(r, "unknown layer type \"%.40s\"", type);
  snprintf(tiles, sizeof tiles, "%.50s_tiles", name);
  const json_t *drawn = json_object_get(layer, "autoLayerTiles");
  return read_values(x, layer, name, &g) && (json_array_size(drawn) == 0 || read_tiles(x, layer, drawn, tiles, &g));
}

// --- levels

// Returns the level named `wanted`, or the first level if `wanted` is empty. Returns NULL if there is no such level;
// `meant` then contains the nearest name.
static const json_t *find_level(const json_t *root, const char *wanted, nearest_name_t *meant) {
  size_t i, k;
  json_t *world, *level;
  nearest_name_init(meant, wanted);
  json_array_foreach(json_object_get(root, "levels"), i, level) {
    nearest_name_offer(meant, map_read_text(level, "identifier"));
    if (!wanted[0] || strcmp(map_read_text(level, "identifier"), wanted) == 0)
      return level;
  }
  json_array_foreach(json_object_get(root, "worlds"), i, world) {
    json_array_foreach(json_object_get(world, "levels"), k, level) {
      nearest_name_offer(meant, map_read_text(level, "identifier"));
      if (!wanted[0] || strcmp(map_read_text(level, "identifier"), wanted) == 0)
        return level;
    }
  }
  return NULL;
}

static bool report_missing_level(map_reader_t *r, const nearest_name_t *meant) {
  char hint[SIMILAR_MAX + 32];
  if (!r->level[0])
    return map_fail(r, "the project has no levels");
  return map_fail(r, "unknown level \"%.60s\"%s", r->level, nearest_name_hint(meant, hint, sizeof hint));
}

static bool read_level(ldtk_t *x, const json_t *level) {
  map_reader_t *r = x->r;
  const json_t *layers = json_object_get(level, "layerInstances");
  size_t i;
  json_t *field;
  if (!json_is_array(layers))
    return map_fail(r, "level \"%.60s\" has no layers", map_read_text(level, "identifier"));
  map_parse_colour(map_read_text(level, "__bgColor"), r->map->background);
  if (json_array_size(json_object_get(level, "fieldInstances")) > 1000)
    return map_fail(r, "the level has too many fields (at most 1000)");
  json_array_foreach(json_object_get(level, "fieldInstances"), i, field) {
    read_field(r, field, &r->map->properties);
  }
  for (i = json_array_size(layers); i-- > 0;) // in LDtk, the first layer is the topmost
    if (!read_layer(x, json_array_get(layers, i)))
      return false;
  if (r->map->tile_width == 0)
    r->map->tile_width = r->map->tile_height = 16;
  return true;
}

bool map_read_ldtk(map_reader_t *r, const json_t *root) {
  char path[512];
  ldtk_t x = {.r = r, .root = root};
  nearest_name_t meant;
  const json_t *level = find_level(root, r->level, &meant);
  if (!json_is_object(json_object_get(root, "defs")))
    return map_fail(r, "the file is not an LDtk project: \"defs\" is missing");
  if (!level)
    return report_missing_level(r, &meant);
  const char *beside = map_read_text(level, "externalRelPath");
  if (!beside[0])
    return read_level(&x, level);
  json_t *file = map_resolve_path(r, beside, path, sizeof path) ? map_parse(r, path) : NULL;
  bool ok = file && read_level(&x, file);
  json_decref(file);
  return ok;
}
