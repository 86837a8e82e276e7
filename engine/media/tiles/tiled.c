// Reads Tiled's JSON: maps (.tmj), tilesets embedded or in files (.tsj; .tsx by tileset_xml.c), and object templates
// (.tj).
// Format: https://doc.mapeditor.org/en/stable/reference/json-map-format/
#include "tiles/map_reader.h"

#include "base/assert.h"
#include "base/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLIP_HEXAGONAL 0x10000000u // flip flag that only hexagonal maps use; ignored
#define RADIANS (3.14159265358979323846 / 180)

// Attributes that a layer inherits from its enclosing groups.
typedef struct group_t {
  double x, y;
  double parallax[2];
  float colour[4];
  bool visible;
  uint32_t depth;
} group_t;

// --- properties

static bool add_value(map_reader_t *r, map_properties_t *properties, const char *name, const char *type,
                      const json_t *value, uint32_t depth);

// Adds the members of a class-typed property as name.member.
static bool add_members(map_reader_t *reader, map_properties_t *properties, const char *name, const json_t *value,
                        uint32_t depth) {
  const char *key;
  json_t *member;
  if (depth > 8)
    return map_fail(reader, "property %.60s is nested too deeply (at most 8 levels)", name);
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    char full_name[200];
    snprintf(full_name, sizeof full_name, "%.120s.%.60s", name, key);
    if (!add_value(reader, properties, full_name, "", member, depth + 1))
      return false;
  }
  return true;
}

static bool add_value(map_reader_t *reader, map_properties_t *properties, const char *name, const char *type,
                      const json_t *value, uint32_t depth) {
  char text[64];
  double number = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
  if (json_is_object(value))
    return add_members(reader, properties, name, value, depth);
  if (properties->count == 1000)
    return map_fail(reader, "too many properties (at most 1000)");
  if (json_is_number(value)) {
    snprintf(text, sizeof text, "%.17g", number);
    map_add_property(reader, properties, name, strcmp(type, "object") == 0 ? MAP_OBJECT : MAP_NUMBER, number, text);
  } else if (json_is_boolean(value)) {
    map_add_property(reader, properties, name, MAP_BOOL, number, number != 0 ? "true" : "false");
  } else if (json_is_string(value)) {
    map_add_property(reader, properties, name, strcmp(type, "color") == 0 ? MAP_COLOUR : MAP_TEXT, 0,
                     json_string_value(value));
  }
  return true;
}

static bool read_properties(map_reader_t *reader, const json_t *owner, map_properties_t *properties) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(owner, "properties"), i, item) {
    const char *name = map_read_text(item, "name");
    if (name[0] && !add_value(reader, properties, name, map_read_text(item, "type"), json_object_get(item, "value"), 0))
      return false;
  }
  return true;
}

// --- tilesets

typedef struct tileset_t {
  const json_t *json;
  int32_t first, count;
  map_properties_t properties; // properties of the tileset, which apply to all its tiles
} tileset_t;

static bool split_image(map_reader_t *reader, const tileset_t *tileset, int32_t width, int32_t height) {
  int32_t columns, margin, spacing;
  const char *name = map_read_text(tileset->json, "image");
  if (!name[0])
    return true; // the tileset is an image collection: its tiles have images of their own
  if (!map_read_integer(reader, tileset->json, "columns", 0, MAP_MAX_SIDE, 1, &columns) ||
      !map_read_integer(reader, tileset->json, "margin", 0, MAP_MAX_SIDE, 0, &margin) ||
      !map_read_integer(reader, tileset->json, "spacing", 0, MAP_MAX_SIDE, 0, &spacing))
    return false;
  uint32_t image = map_add_image(reader, name);
  if (image == MAP_NO_IMAGE)
    return false;
  columns = columns > 0 ? columns : 1;
  for (int32_t i = 0; i < tileset->count; ++i) {
    map_tile_t *tile = &reader->map->tiles[tileset->first + i];
    int64_t x = margin + (int64_t)(i % columns) * (width + spacing),
            y = margin + (int64_t)(i / columns) * (height + spacing);
    if (x + width > MAP_MAX_SIDE || y + height > MAP_MAX_SIDE)
      return map_fail(reader, "tile %d of %s is out of range: at %lld, %lld px (at most %d)", i, name, (long long)x,
                      (long long)y, MAP_MAX_SIDE);
    tile->image = (uint16_t)image;
    tile->x = (int32_t)x;
    tile->y = (int32_t)y;
    tile->width = width;
    tile->height = height;
  }
  return true;
}

static bool read_animation(map_reader_t *reader, const tileset_t *tileset, map_tile_t *tile, const json_t *frames) {
  size_t i;
  json_t *frame;
  if (json_array_size(frames) > 1000)
    return map_fail(reader, "too many frames: %zu (at most 1000 per animation)", json_array_size(frames));
  tile->first_frame = reader->map->frame_count;
  json_array_foreach((json_t *)(uintptr_t)frames, i, frame) {
    int32_t id, ms;
    if (!map_read_integer(reader, frame, "tileid", 0, tileset->count - 1, 0, &id) ||
        !map_read_integer(reader, frame, "duration", 1, 1000000, 100, &ms) ||
        !map_add_frame(reader, (uint32_t)(tileset->first + id), ms))
      return false;
  }
  tile->frame_count = (uint16_t)json_array_size(frames);
  return true;
}

// Reads the image of a tile in an image collection.
static bool read_tile_image(map_reader_t *reader, map_tile_t *t, const json_t *tile) {
  const char *name = map_read_text(tile, "image");
  if (!name[0])
    return true;
  uint32_t image = map_add_image(reader, name);
  if (image == MAP_NO_IMAGE || !map_read_integer(reader, tile, "x", 0, MAP_MAX_SIDE, 0, &t->x) ||
      !map_read_integer(reader, tile, "y", 0, MAP_MAX_SIDE, 0, &t->y))
    return false;
  t->image = (uint16_t)image;
  const char *width = json_object_get(tile, "width") ? "width" : "imagewidth";
  const char *height = json_object_get(tile, "height") ? "height" : "imageheight";
  return map_read_integer(reader, tile, width, 0, MAP_MAX_SIDE, 0, &t->width) &&
         map_read_integer(reader, tile, height, 0, MAP_MAX_SIDE, 0, &t->height);
}

static bool read_tile(map_reader_t *reader, const tileset_t *tileset, const json_t *tile) {
  int32_t id;
  map_properties_t properties = {0};
  if (!map_read_integer(reader, tile, "id", 0, tileset->count - 1, 0, &id))
    return false;
  map_tile_t *t = &reader->map->tiles[tileset->first + id];
  bool ok = read_tile_image(reader, t, tile) && read_properties(reader, tile, &properties);
  // add the tileset's properties that the tile does not override
  for (uint32_t i = 0; i < tileset->properties.count && ok; ++i) {
    const map_property_t *inherited = &tileset->properties.items[i];
    if (!map_property(&properties, inherited->name))
      map_add_property(reader, &properties, inherited->name, inherited->type, inherited->number, inherited->text);
  }
  if (ok)
    map_set_tile_collision(t, &properties);
  map_free_properties(reader->allocator, &properties);
  const json_t *frames = json_object_get(tile, "animation");
  return ok && (!json_is_array(frames) || json_array_size(frames) == 0 || read_animation(reader, tileset, t, frames));
}

// Creates the tiles of a tileset. The highest id of an image collection determines its number of tiles, because the ids
// may have gaps.
static bool count_tiles(map_reader_t *reader, tileset_t *tileset) {
  size_t i;
  json_t *tile;
  if (!map_read_integer(reader, tileset->json, "tilecount", 0, MAP_MAX_TILES, 0, &tileset->count))
    return false;
  json_array_foreach(json_object_get(tileset->json, "tiles"), i, tile) {
    int32_t id;
    if (!map_read_integer(reader, tile, "id", 0, MAP_MAX_TILES, 0, &id))
      return false;
    if (id >= tileset->count && !map_read_text(tileset->json, "image")[0])
      tileset->count = id + 1;
  }
  return map_allocate_tiles(reader, (uint32_t)tileset->first + (uint32_t)tileset->count);
}

static bool read_tiles(map_reader_t *reader, tileset_t *tileset) {
  int32_t width, height;
  double x, y;
  size_t i;
  json_t *tile;
  const json_t *offset = json_object_get(tileset->json, "tileoffset");
  if (!map_read_integer(reader, tileset->json, "tilewidth", 1, 10000, 1, &width) ||
      !map_read_integer(reader, tileset->json, "tileheight", 1, 10000, 1, &height) ||
      !map_read_number(reader, offset, "x", 0, &x) || !map_read_number(reader, offset, "y", 0, &y) ||
      !count_tiles(reader, tileset) || !read_properties(reader, tileset->json, &tileset->properties) ||
      !split_image(reader, tileset, width, height))
    return false;
  for (int32_t k = 0; k < tileset->count; ++k) {
    map_tile_t *t = &reader->map->tiles[tileset->first + k];
    t->offset_x = (float)x;
    t->offset_y = (float)y;
    map_set_tile_collision(t, &tileset->properties);
  }
  json_array_foreach(json_object_get(tileset->json, "tiles"), i, tile) {
    if (!read_tile(reader, tileset, tile))
      return false;
  }
  return true;
}

static bool read_tileset(map_reader_t *reader, const json_t *entry, size_t index) {
  char path[512];
  tileset_t tileset = {.json = entry};
  json_t *file = NULL;
  const char *source = map_read_text(entry, "source"), *previous_file = reader->file;
  map_set_location(reader, "tileset %zu", index + 1);
  if (!map_read_integer(reader, entry, "firstgid", 1, MAP_MAX_TILES, 0, &tileset.first))
    return false;
  if (source[0]) {
    if (!map_resolve_path(reader, source, path, sizeof path) || (file = map_parse(reader, path)) == NULL)
      return false;
    tileset.json = file;
    reader->file = path; // images are relative to the tileset's file
  }
  map_set_location(reader, "tileset %zu \"%.60s\"", index + 1, map_read_text(tileset.json, "name"));
  bool ok = read_tiles(reader, &tileset);
  reader->file = previous_file;
  reader->location[0] = '\0';
  map_free_properties(reader->allocator, &tileset.properties);
  json_decref(file);
  return ok;
}

// --- cells

static bool read_cell(map_reader_t *r, uint32_t cell, uint32_t *out) {
  *out = cell & ~FLIP_HEXAGONAL;
  return MAP_TILE(cell) < r->map->tile_count ||
         map_fail(r, "tile %u is out of range: expected 0 to %u", MAP_TILE(cell), r->map->tile_count - 1);
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

// Reads the `count` cells of a layer or chunk.
static bool read_data(map_reader_t *reader, const json_t *layer, const json_t *owner, uint32_t *out, uint32_t count) {
  const json_t *data = json_object_get(owner, "data");
  bool ok = json_is_string(data)
                ? map_unpack_cells(reader, json_string_value(data), map_read_text(layer, "compression"), out, count)
                : read_list(reader, data, out, count);
  for (uint32_t i = 0; i < count && ok; ++i)
    ok = read_cell(reader, out[i], &out[i]);
  return ok;
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

// Reads the cells of a layer or chunk into its box.
static bool read_box_cells(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer, const json_t *owner,
                           const box_t *box) {
  size_t count = (size_t)box->columns * (size_t)box->rows;
  if (count > MAP_MAX_CELLS)
    return map_fail(reader, "too many cells: %d × %d (at most %u)", box->columns, box->rows, MAP_MAX_CELLS);
  uint32_t *cells = alloc_resize(reader->allocator, NULL, 0, count * sizeof *cells + 4);
  bool ok = read_data(reader, layer, owner, cells, (uint32_t)count) &&
            map_set_cells(reader, map_layer, box->left, box->top, (uint32_t)box->columns, (uint32_t)box->rows, cells);
  alloc_resize(reader->allocator, cells, count * sizeof *cells + 4, 0);
  return ok;
}

// Reads a layer of an infinite map. Its size equals the size of the bounding box of its chunks.
static bool read_chunks(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer, const json_t *chunks) {
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
    if (!read_box(reader, chunk, &box) || !read_box_cells(reader, map_layer, layer, chunk, &box))
      return false;
  }
  return true;
}

static bool read_cells(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer) {
  box_t box;
  const json_t *chunks = json_object_get(layer, "chunks");
  if (json_is_array(chunks))
    return read_chunks(reader, map_layer, layer, chunks);
  return read_box(reader, layer, &box) &&
         map_allocate_cells(reader, map_layer, box.left, box.top, (uint32_t)box.columns, (uint32_t)box.rows) &&
         read_box_cells(reader, map_layer, layer, layer, &box);
}

// --- objects

static bool read_points(map_reader_t *reader, map_object_t *object, const json_t *list) {
  size_t i, used = 0, count = json_array_size(list);
  json_t *point;
  char text[64];
  if (count > 10000)
    return map_fail(reader, "too many points: %zu (at most 10000 per polygon or line)", count);
  size_t capacity = count * sizeof text + 1;
  char *points = alloc_resize(reader->allocator, NULL, 0, capacity);
  bool ok = true;
  points[0] = '\0';
  json_array_foreach((json_t *)(uintptr_t)list, i, point) {
    double x = 0, y = 0;
    ok = ok && map_read_number(reader, point, "x", 0, &x) && map_read_number(reader, point, "y", 0, &y);
    int length = snprintf(text, sizeof text, "%s%.9g,%.9g", i ? " " : "", x, y);
    shoal_assert(length > 0 && (size_t)length < sizeof text, "a point of %d bytes does not fit", length);
    memcpy(points + used, text, (size_t)length + 1);
    used += (size_t)length;
  }
  object->points = alloc_copy_text(reader->allocator, points);
  alloc_resize(reader->allocator, points, capacity, 0);
  return ok;
}

static bool read_shape(map_reader_t *reader, map_object_t *object, const json_t *value) {
  const json_t *polygon = json_object_get(value, "polygon"), *polyline = json_object_get(value, "polyline");
  const json_t *tile = json_object_get(value, "gid");
  if (tile) {
    object->shape = MAP_TILE_SHAPE;
    return read_cell(reader, (uint32_t)json_integer_value(tile), &object->cell);
  }
  object->shape = map_read_bool(value, "ellipse", false) ? MAP_ELLIPSE
                  : map_read_bool(value, "point", false) ? MAP_POINT
                                                         : MAP_RECT;
  if (!polygon && !polyline)
    return true;
  object->shape = polygon ? MAP_POLYGON : MAP_POLYLINE;
  return read_points(reader, object, polygon ? polygon : polyline);
}

// Computes the object's centre. Tiled rotates an object around its position: the bottom left corner of a tile, the top
// left corner of a rectangle.
static void move_to_centre(map_object_t *object) {
  if (object->shape == MAP_POINT || object->shape == MAP_POLYGON || object->shape == MAP_POLYLINE)
    return;
  double x = object->width / 2, y = object->shape == MAP_TILE_SHAPE ? -object->height / 2 : object->height / 2;
  object->x += cos(object->angle) * x - sin(object->angle) * y;
  object->y += sin(object->angle) * x + cos(object->angle) * y;
}

static bool read_object_fields(map_reader_t *reader, const json_t *value, const group_t *group, uint32_t layer) {
  int32_t id;
  double degrees;
  map_object_t *object = map_add_object(reader);
  if (!object)
    return false;
  if (!map_read_integer(reader, value, "id", 0, INT32_MAX, 0, &id))
    return false;
  map_set_location(reader, "layer \"%s\": object %d \"%.60s\"", reader->map->layers[layer].name, id,
                   map_read_text(value, "name"));
  const char *class_name =
      map_read_text(value, "class")[0] ? map_read_text(value, "class") : map_read_text(value, "type");
  object->id = (uint32_t)id;
  object->layer = layer;
  object->name = alloc_copy_text(reader->allocator, map_read_text(value, "name"));
  object->class_name = alloc_copy_text(reader->allocator, class_name);
  object->visible = map_read_bool(value, "visible", true) && reader->map->layers[layer].visible;
  if (!map_read_number(reader, value, "x", 0, &object->x) || !map_read_number(reader, value, "y", 0, &object->y) ||
      !map_read_number(reader, value, "width", 0, &object->width) ||
      !map_read_number(reader, value, "height", 0, &object->height) ||
      !map_read_number(reader, value, "rotation", 0, &degrees) || !read_shape(reader, object, value) ||
      !read_properties(reader, value, &object->properties))
    return false;
  object->angle = degrees * RADIANS;
  move_to_centre(object);
  object->x += group->x;
  object->y += group->y;
  return true;
}

// Merges an object with its template; the object's own values take precedence. Returns a new object, or NULL after
// reporting an error.
static json_t *merge_with_template(map_reader_t *reader, const json_t *value, const char *name) {
  char path[512];
  json_t *file = map_resolve_path(reader, name, path, sizeof path) ? map_parse(reader, path) : NULL;
  if (!file)
    return NULL;
  json_t *merged = json_copy((json_t *)(uintptr_t)value), *template_object = json_object_get(file, "object");
  if (json_object_get(template_object, "gid") && !json_object_get(value, "gid")) {
    map_fail(reader, "templates with a tile are not supported: remove the tile from %.100s", name);
    json_decref(merged);
    merged = NULL;
  } else if (json_is_object(template_object)) {
    json_object_update_missing(merged, template_object);
  }
  json_decref(file);
  return merged;
}

static bool read_object(map_reader_t *reader, const json_t *value, const group_t *group, uint32_t layer) {
  const char *name = map_read_text(value, "template");
  if (!name[0])
    return read_object_fields(reader, value, group, layer);
  json_t *merged = merge_with_template(reader, value, name);
  bool ok = merged && read_object_fields(reader, merged, group, layer);
  json_decref(merged);
  return ok;
}

typedef struct drawn_object_t {
  double bottom;
  uint32_t object;
} drawn_object_t;

static int compare_drawn_objects(const void *a, const void *box) {
  const drawn_object_t *x = a, *y = box;
  if (x->bottom != y->bottom)
    return x->bottom < y->bottom ? -1 : 1;
  return x->object < y->object ? -1 : x->object > y->object;
}

// Returns true for a visible tile object without class and name, which is drawn as part of the map instead of becoming
// an entity.
static bool is_drawn_object(const map_object_t *object) {
  return object->shape == MAP_TILE_SHAPE && object->visible && !object->class_name[0] && !object->name[0];
}

// Lists the drawn objects of a layer whose objects start at index `first`: sorted by bottom edge if `by_height`,
// otherwise in file order.
static void list_drawn_objects(map_reader_t *reader, map_layer_t *map_layer, uint32_t first, bool by_height) {
  const map_t *map = reader->map;
  uint32_t count = 0;
  shoal_assert(first <= map->object_count, "object %u is out of range (count %u)", first, map->object_count);
  drawn_object_t *list = alloc_resize(reader->allocator, NULL, 0, (map->object_count - first) * sizeof *list);
  for (uint32_t i = first; i < map->object_count; ++i) {
    const map_object_t *object = &map->objects[i];
    if (is_drawn_object(object))
      list[count++] = (drawn_object_t){by_height ? object->y + object->height / 2 : 0, i};
  }
  if (count > 0) {
    qsort(list, count, sizeof *list, compare_drawn_objects);
    map_layer->drawn = alloc_resize(reader->allocator, NULL, 0, count * sizeof *map_layer->drawn);
  }
  map_layer->drawn_count = count;
  for (uint32_t i = 0; i < count; ++i)
    map_layer->drawn[i] = list[i].object;
  alloc_resize(reader->allocator, list, (map->object_count - first) * sizeof *list, 0);
}

static bool read_objects(map_reader_t *reader, const json_t *layer, const group_t *group, uint32_t layer_index) {
  size_t i;
  json_t *value;
  uint32_t first = reader->map->object_count;
  shoal_assert(layer_index < reader->map->layer_count, "layer %u is out of range (count %u)", layer_index,
               reader->map->layer_count);
  json_array_foreach(json_object_get(layer, "objects"), i, value) {
    if (!read_object(reader, value, group, layer_index))
      return false;
  }
  if (reader->map->object_count > first)
    list_drawn_objects(reader, &reader->map->layers[layer_index], first,
                       strcmp(map_read_text(layer, "draworder"), "index") != 0);
  return true;
}

// --- layers

static bool read_layers(map_reader_t *reader, const json_t *list, const group_t *parent);

static bool inherit_attributes(map_reader_t *reader, const json_t *layer, const group_t *parent, group_t *out) {
  double x, y, opacity, parallax_x, parallax_y;
  float tint[4] = {1, 1, 1, 1};
  if (!map_read_number(reader, layer, "offsetx", 0, &x) || !map_read_number(reader, layer, "offsety", 0, &y) ||
      !map_read_number(reader, layer, "opacity", 1, &opacity) ||
      !map_read_number(reader, layer, "parallaxx", 1, &parallax_x) ||
      !map_read_number(reader, layer, "parallaxy", 1, &parallax_y))
    return false;
  map_parse_colour(map_read_text(layer, "tintcolor"), tint);
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

static bool read_image(map_reader_t *reader, map_layer_t *map_layer, const json_t *layer) {
  const char *name = map_read_text(layer, "image");
  map_layer->repeat[0] = map_read_bool(layer, "repeatx", false);
  map_layer->repeat[1] = map_read_bool(layer, "repeaty", false);
  if (!name[0]) // draws nothing, as in Tiled
    return true;
  map_layer->image = map_add_image(reader, name);
  return map_layer->image != MAP_NO_IMAGE;
}

static bool read_layer(map_reader_t *reader, const json_t *layer, const group_t *parent, size_t position) {
  group_t group;
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
    return map_fail(reader, "unknown layer type \"%.40s\"", type);
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
  bool ok = read_properties(reader, layer, &map_layer->properties) &&
            (is_tile_layer    ? read_cells(reader, map_layer, layer)
             : is_image_layer ? read_image(reader, map_layer, layer)
                              : read_objects(reader, layer, &group, index));
  reader->location[0] = ok ? '\0' : reader->location[0];
  return ok;
}

static bool read_layers(map_reader_t *reader, const json_t *list, const group_t *parent) {
  size_t i;
  json_t *layer;
  json_array_foreach((json_t *)(uintptr_t)list, i, layer) {
    if (!read_layer(reader, layer, parent, i))
      return false;
  }
  return true;
}

bool map_read_tiled(map_reader_t *reader, const json_t *root) {
  map_t *map = reader->map;
  size_t i;
  json_t *entry;
  const char *orientation = map_read_text(root, "orientation");
  if (!json_is_array(json_object_get(root, "layers")))
    return map_fail(reader, "the file is not a Tiled map: \"layers\" must be a list");
  if (orientation[0] && strcmp(orientation, "orthogonal") != 0)
    return map_fail(reader, "orientation %.40s is not supported: use orthogonal", orientation);
  if (!map_read_integer(reader, root, "tilewidth", 1, 10000, 0, &map->tile_width) ||
      !map_read_integer(reader, root, "tileheight", 1, 10000, 0, &map->tile_height) ||
      !read_properties(reader, root, &map->properties))
    return false;
  map_parse_colour(map_read_text(root, "backgroundcolor"), map->background);
  double x, y;
  if (!map_read_number(reader, root, "parallaxoriginx", 0, &x) ||
      !map_read_number(reader, root, "parallaxoriginy", 0, &y))
    return false;
  map->parallax_origin[0] = (float)x;
  map->parallax_origin[1] = (float)y;
  json_array_foreach(json_object_get(root, "tilesets"), i, entry) {
    if (!read_tileset(reader, entry, i))
      return false;
  }
  const group_t root_group = {.parallax = {1, 1}, .colour = {1, 1, 1, 1}, .visible = true};
  return read_layers(reader, json_object_get(root, "layers"), &root_group);
}
