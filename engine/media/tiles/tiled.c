// Reads Tiled's maps: layers and cells. Custom properties are in tiled_properties.c, tilesets in tiled_tilesets.c,
// objects and templates in tiled_objects.c. Format: https://doc.mapeditor.org/en/stable/reference/json-map-format/
#include "tiles/tiled_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- cells

// Removes cells whose tile belongs to no tileset, and adds their number to `invalid_count`.
static void check_cells(const map_reader_t *reader, uint32_t *cells, uint32_t count, uint32_t *invalid_count) {
  for (uint32_t i = 0; i < count; ++i) {
    cells[i] &= ~TILED_FLIP_HEXAGONAL;
    if (MAP_TILE(cells[i]) < reader->map->tile_count)
      continue;
    cells[i] = 0;
    ++*invalid_count;
  }
}

static bool read_list(map_reader_t *reader, const json_t *data, uint32_t *out, uint32_t count) {
  size_t i;
  json_t *value;
  if (json_array_size(data) != count)
    return map_fail(reader, "expected %u cells, got %zu", count, json_array_size(data));
  json_array_foreach((json_t *)(uintptr_t)data, i, value) {
    json_int_t cell = json_integer_value(value);
    if (!json_is_integer(value) || cell < 0 || cell > UINT32_MAX)
      return map_fail(reader, "cell %zu must be a tile number", i + 1);
    out[i] = (uint32_t)cell;
  }
  return true;
}

static bool read_csv(map_reader_t *reader, const char *text, uint32_t *out, uint32_t count) {
  uint32_t found = 0;
  for (text += strspn(text, " \t\r\n,"); *text; text += strspn(text, " \t\r\n,"), ++found) {
    char *end;
    unsigned long long cell = strtoull(text, &end, 10);
    if (end == text || *text == '-' || cell > UINT32_MAX)
      return map_fail(reader, "cell %u must be a tile number", found + 1);
    if (found < count)
      out[found] = (uint32_t)cell;
    text = end;
  }
  return found == count || map_fail(reader, "expected %u cells, got %u", count, found);
}

// Reads the `count` cells of `owner`, which is a layer or one of its chunks, in the encoding of `layer`. Returns true
// on success, or false with a message.
static bool read_data(map_reader_t *reader, const json_t *layer, const json_t *owner, uint32_t *out, uint32_t count) {
  const json_t *data = json_object_get(owner, "data");
  if (json_is_string(data) && strcmp(map_read_text(layer, "encoding"), "csv") == 0)
    return read_csv(reader, json_string_value(data), out, count);
  return json_is_string(data)
             ? map_unpack_cells(reader, json_string_value(data), map_read_text(layer, "compression"), out, count)
             : read_list(reader, data, out, count);
}

typedef struct box_t {
  int32_t left, top, columns, rows;
} box_t;

static bool read_box(map_reader_t *r, const json_t *value, box_t *out) {
  return map_read_integer(r, value, "x", -MAP_MAX_SIDE, MAP_MAX_SIDE, 0, &out->left) &&
         map_read_integer(r, value, "y", -MAP_MAX_SIDE, MAP_MAX_SIDE, 0, &out->top) &&
         map_read_integer(r, value, "width", 0, MAP_MAX_SIDE, 0, &out->columns) &&
         map_read_integer(r, value, "height", 0, MAP_MAX_SIDE, 0, &out->rows);
}

// Reads the cells of `owner`, which is a layer or one of its chunks, into its box. Adds the number of invalid cells to
// `invalid_count`. Returns true on success, or false with a message.
static bool read_box_cells(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer, const json_t *owner,
                           const box_t *box, uint32_t *invalid_count) {
  size_t count = (size_t)box->columns * (size_t)box->rows;
  if (count > MAP_MAX_CELLS)
    return map_fail(reader, "too many cells: %d × %d (at most %u)", box->columns, box->rows, MAP_MAX_CELLS);
  uint32_t *cells = alloc_resize(reader->allocator, NULL, 0, count * sizeof *cells + 4);
  bool ok = read_data(reader, layer, owner, cells, (uint32_t)count);
  if (ok)
    check_cells(reader, cells, (uint32_t)count, invalid_count);
  ok = ok && map_set_cells(reader, map_layer, box->left, box->top, (uint32_t)box->columns, (uint32_t)box->rows, cells);
  alloc_resize(reader->allocator, cells, count * sizeof *cells + 4, 0);
  return ok;
}

// Reads a layer of an infinite map. The bounding box of the chunks determines the layer's size. Returns true on
// success, or false with a message.
static bool read_chunks(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer, const json_t *chunks,
                        uint32_t *invalid_count) {
  int32_t left = MAP_MAX_SIDE * 2, top = left, right = -left, bottom = -left;
  size_t i;
  json_t *chunk;
  json_array_foreach((json_t *)(uintptr_t)chunks, i, chunk) {
    box_t box;
    if (!read_box(reader, chunk, &box))
      return false;
    left = box.left < left ? box.left : left;
    top = box.top < top ? box.top : top;
    right = box.left + box.columns > right ? box.left + box.columns : right;
    bottom = box.top + box.rows > bottom ? box.top + box.rows : bottom;
  }
  if (right <= left || bottom <= top)
    return true;
  if (!map_allocate_cells(reader, map_layer, left, top, (uint32_t)(right - left), (uint32_t)(bottom - top)))
    return false;
  json_array_foreach((json_t *)(uintptr_t)chunks, i, chunk) {
    box_t box;
    if (!read_box(reader, chunk, &box) || !read_box_cells(reader, map_layer, layer, chunk, &box, invalid_count))
      return false;
  }
  return true;
}

static bool read_cells(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer) {
  box_t box;
  uint32_t invalid_count = 0;
  const json_t *chunks = json_object_get(layer, "chunks");
  bool ok = json_is_array(chunks) ? read_chunks(reader, map_layer, layer, chunks, &invalid_count)
                                  : read_box(reader, layer, &box) &&
                                        map_allocate_cells(reader, map_layer, box.left, box.top, (uint32_t)box.columns,
                                                           (uint32_t)box.rows) &&
                                        read_box_cells(reader, map_layer, layer, layer, &box, &invalid_count);
  if (!ok)
    return false;
  if (invalid_count > 0)
    map_warn(reader, "skipped %u cells: their tiles are out of range: expected 0 to %u", invalid_count,
             reader->map->tile_count - 1);
  return true;
}

// --- layers

static bool read_layers(map_reader_t *reader, const json_t *list, const tiled_group_t *parent);

static bool inherit_attributes(map_reader_t *reader, const json_t *layer, const tiled_group_t *parent,
                               tiled_group_t *out) {
  double x, y, opacity, parallax_x, parallax_y;
  float tint[4] = {1, 1, 1, 1};
  if (!map_read_number(reader, layer, "offsetx", 0, &x) || !map_read_number(reader, layer, "offsety", 0, &y) ||
      !map_read_number(reader, layer, "opacity", 1, &opacity) ||
      !map_read_number(reader, layer, "parallaxx", 1, &parallax_x) ||
      !map_read_number(reader, layer, "parallaxy", 1, &parallax_y))
    return false;
  map_read_colour(reader, layer, "tintcolor", tint);
  *out = *parent;
  out->x += x;
  out->y += y;
  out->parallax[0] *= parallax_x;
  out->parallax[1] *= parallax_y;
  out->visible = parent->visible && map_read_bool(layer, "visible", true);
  out->depth++;
  for (int i = 0; i < 4; ++i)
    out->colour[i] *= tint[i];
  out->colour[3] *= (float)fmin(fmax(opacity, 0), 1);
  return true;
}

static void read_image(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer) {
  map_layer->repeat[0] = map_read_bool(layer, "repeatx", false);
  map_layer->repeat[1] = map_read_bool(layer, "repeaty", false);
  if (map_read_text(layer, "image")[0]) // a layer without an image draws nothing, as in Tiled
    map_layer->image = map_add_keyed_image(reader, layer);
}

static void warn_about_blending(map_reader_t *reader, const json_t *layer) {
  const char *mode = map_read_text(layer, "mode");
  if (mode[0] && strcmp(mode, "normal") != 0)
    map_warn(reader, "skipped the blend mode %.40s", mode);
}

static bool read_layer(map_reader_t *reader, const json_t *layer, const tiled_group_t *parent, size_t position) {
  tiled_group_t group;
  const char *type = map_read_text(layer, "type"), *name = map_read_text(layer, "name");
  map_set_location(reader, "layer %zu \"%.60s\"", position + 1, name);
  if (!json_is_object(layer))
    return map_fail(reader, "must be a JSON object");
  if (!inherit_attributes(reader, layer, parent, &group))
    return false;
  if (strcmp(type, "group") == 0)
    return group.depth <= MAP_MAX_DEPTH
               ? read_layers(reader, json_object_get(layer, "layers"), &group)
               : map_fail(reader, "groups are nested too deeply (at most %u levels)", MAP_MAX_DEPTH);
  bool is_tile_layer = strcmp(type, "tilelayer") == 0, is_image_layer = strcmp(type, "imagelayer") == 0;
  if (!is_tile_layer && !is_image_layer && strcmp(type, "objectgroup") != 0)
    return map_fail(reader, "unknown layer type \"%.40s\"", type), map_skip(reader, "the layer");
  map_layer_t *map_layer = map_add_layer(reader, name,
                                         is_tile_layer    ? MAP_LAYER_TILES
                                         : is_image_layer ? MAP_LAYER_IMAGE
                                                          : MAP_LAYER_OBJECTS);
  if (!map_layer)
    return false;
  uint32_t index = reader->map->layer_count - 1;
  map_layer->visible = group.visible;
  map_layer->x = (float)group.x;
  map_layer->y = (float)group.y;
  map_layer->parallax[0] = (float)group.parallax[0];
  map_layer->parallax[1] = (float)group.parallax[1];
  memcpy(map_layer->colour, group.colour, sizeof map_layer->colour);
  tiled_read_properties(reader, layer, &map_layer->properties);
  warn_about_blending(reader, layer);
  if (is_image_layer)
    read_image(reader, map_layer, layer);
  bool ok = is_image_layer  ? true
            : is_tile_layer ? read_cells(reader, map_layer, layer)
                            : tiled_read_objects(reader, layer, &group, index);
  reader->location[0] = ok ? '\0' : reader->location[0];
  return ok;
}

static bool read_layers(map_reader_t *reader, const json_t *list, const tiled_group_t *parent) {
  size_t i;
  json_t *layer;
  json_array_foreach((json_t *)(uintptr_t)list, i, layer) {
    if (!read_layer(reader, layer, parent, i))
      return false;
  }
  return true;
}

// --- maps

// Returns the number of the first tile after a tileset: the lowest `firstgid` above `first`, or MAP_MAX_TILES if there
// is no such tileset.
static int32_t find_end(const json_t *tilesets, int32_t first) {
  int32_t end = (int32_t)MAP_MAX_TILES;
  size_t i;
  json_t *entry;
  json_array_foreach((json_t *)(uintptr_t)tilesets, i, entry) {
    json_int_t other = json_integer_value(json_object_get(entry, "firstgid"));
    end = other > first && other < end ? (int32_t)other : end;
  }
  return end;
}

static bool read_tilesets(map_reader_t *reader, const json_t *tilesets) {
  size_t i;
  json_t *entry;
  json_array_foreach((json_t *)(uintptr_t)tilesets, i, entry) {
    int32_t first;
    map_set_location(reader, "tileset %zu", i + 1);
    if (!map_read_integer(reader, entry, "firstgid", 1, MAP_MAX_TILES, 0, &first) ||
        !tiled_read_tileset(reader, entry, first, find_end(tilesets, first) - first))
      return false;
    reader->location[0] = '\0';
  }
  return true;
}

static bool read_attributes(map_reader_t *reader, const json_t *root) {
  static const char *const ORDERS[] = {"right-down", "left-down", "right-up", "left-up", NULL};
  map_t *map = reader->map;
  double x, y, width, height;
  if (!map_read_integer(reader, root, "tilewidth", 1, 10000, 0, &map->tile_width) ||
      !map_read_integer(reader, root, "tileheight", 1, 10000, 0, &map->tile_height) ||
      !map_read_number(reader, root, "parallaxoriginx", 0, &x) ||
      !map_read_number(reader, root, "parallaxoriginy", 0, &y) || !map_read_number(reader, root, "width", 0, &width) ||
      !map_read_number(reader, root, "height", 0, &height))
    return false;
  map->parallax_origin[0] = (float)x;
  map->parallax_origin[1] = (float)y;
  map_read_colour(reader, root, "backgroundcolor", map->background);
  if (!map_read_bool(root, "infinite", false)) {
    map->area[2] = (float)(width * map->tile_width);
    map->area[3] = (float)(height * map->tile_height);
  }
  uint32_t order = map_read_choice(reader, root, "renderorder", ORDERS);
  map->right_to_left = order & 1;
  map->bottom_to_top = order & 2;
  tiled_read_properties(reader, root, &map->properties);
  return true;
}

bool map_read_tiled(map_reader_t *reader, const json_t *root) {
  const char *orientation = map_read_text(root, "orientation");
  if (!json_is_array(json_object_get(root, "layers")))
    return map_fail(reader, "the file is not a Tiled map: \"layers\" must be a list");
  if (orientation[0] && strcmp(orientation, "orthogonal") != 0)
    return map_fail(reader, "orientation %.40s is not supported: use orthogonal", orientation);
  const tiled_group_t root_group = {.parallax = {1, 1}, .colour = {1, 1, 1, 1}, .visible = true};
  bool ok = read_attributes(reader, root) && read_tilesets(reader, json_object_get(root, "tilesets")) &&
            read_layers(reader, json_object_get(root, "layers"), &root_group);
  if (ok)
    tiled_number_objects(reader, root);
  tiled_free_tilesets(reader);
  return ok;
}
