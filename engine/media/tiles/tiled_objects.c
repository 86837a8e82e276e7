// Reads objects of Tiled's maps. An object takes missing attributes from its template, and then its class and missing
// properties from its tile. The merged object is read like an object without a template. Format:
// https://doc.mapeditor.org/en/stable/reference/json-map-format/#object
#include "tiles/tiled_internal.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

// --- points

static bool read_points(map_reader_t *reader, map_object_t *object, const json_t *list) {
  size_t i, count = json_array_size(list);
  json_t *point;
  json_writer_t points;
  bool ok = true;
  if (count > 10000)
    return map_fail(reader, "too many points: %zu (at most 10000 per polygon or line)", count);
  json_writer_init(&points, reader->allocator);
  json_array_foreach((json_t *)(uintptr_t)list, i, point) {
    double x = 0, y = 0;
    ok = ok && map_read_number(reader, point, "x", 0, &x) && map_read_number(reader, point, "y", 0, &y);
    map_write_point(&points, x, y);
  }
  object->points = json_writer_detach_text(&points);
  return ok;
}

// --- shapes

// Stores the tile of a tile object. Files of old versions lack the object's size, which is then the tile's size.
static void read_object_tile(map_reader_t *reader, map_object_t *object, const json_t *gid) {
  uint32_t cell = (uint32_t)json_integer_value(gid);
  const map_t *map = reader->map;
  object->shape = MAP_TILE_SHAPE;
  if (MAP_TILE(cell) >= map->tile_count) {
    map_warn(reader, "skipped its tile: tile %u is out of range: expected 0 to %u", MAP_TILE(cell),
             map->tile_count - 1);
    return;
  }
  object->cell = cell & ~TILED_FLIP_HEXAGONAL;
  const map_tile_t *tile = map_tile(map, object->cell);
  object->width = object->width > 0 ? object->width : tile->width;
  object->height = object->height > 0 ? object->height : tile->height;
}

static void read_shape(map_reader_t *reader, map_object_t *object, const json_t *value) {
  const json_t *polygon = json_object_get(value, "polygon"), *polyline = json_object_get(value, "polyline");
  if (json_object_get(value, "gid")) {
    read_object_tile(reader, object, json_object_get(value, "gid"));
    return;
  }
  if (json_object_get(value, "text"))
    map_warn(reader, "skipped its text: use an assemblage with the component text");
  if (map_read_bool(value, "capsule", false))
    map_warn(reader, "skipped its shape: capsules are not supported, so it is a rectangle");
  object->shape = map_read_bool(value, "ellipse", false) ? MAP_ELLIPSE
                  : map_read_bool(value, "point", false) ? MAP_POINT
                                                         : MAP_RECT;
  if (!polygon && !polyline)
    return;
  object->shape = polygon ? MAP_POLYGON : MAP_POLYLINE;
  if (!read_points(reader, object, polygon ? polygon : polyline))
    map_skip(reader, "its points");
}

// Stores the anchor of a tile object as fractions of its size from the top left corner. The anchor is the point of the
// object that is at its position.
static void find_anchor(const map_reader_t *reader, const map_object_t *object, double anchor[2]) {
  const tileset_file_t *tileset = tiled_find_tileset(reader, MAP_TILE(object->cell));
  uint32_t alignment = tileset && tileset->alignment > 0 ? tileset->alignment - 1 : 6; // bottomleft if unspecified
  anchor[0] = alignment % 3 / 2.0;
  anchor[1] = alignment / 3 / 2.0;
}

// Computes the object's centre. Tiled rotates an object around its position, which is the top left corner of a
// rectangle or the anchor of a tile.
static void move_to_centre(const map_reader_t *reader, map_object_t *object) {
  double anchor[2] = {0, 0};
  if (object->shape == MAP_POINT || object->shape == MAP_POLYGON || object->shape == MAP_POLYLINE)
    return;
  if (object->shape == MAP_TILE_SHAPE)
    find_anchor(reader, object, anchor);
  double x = (0.5 - anchor[0]) * object->width, y = (0.5 - anchor[1]) * object->height;
  object->x += cos(object->angle) * x - sin(object->angle) * y;
  object->y += sin(object->angle) * x + cos(object->angle) * y;
}

// --- templates and tiles

// Returns a copy of an inherited property. A path of type `file` is relative to the file that contains it, so the copy
// contains the asset name.
static json_t *copy_property(map_reader_t *reader, const json_t *property, const char *file) {
  char path[512];
  const char *value = map_read_text(property, "value"), *previous_file = reader->file;
  json_t *copy = json_copy((json_t *)(uintptr_t)property);
  if (strcmp(map_read_text(property, "type"), "file") != 0 || !value[0])
    return copy;
  reader->file = file;
  if (map_resolve_path(reader, value, path, sizeof path)) {
    json_object_set_new(copy, "type", json_string("string"));
    json_object_set_new(copy, "value", json_string(path));
  }
  reader->file = previous_file;
  return copy;
}

static bool has_property(const json_t *list, const char *name) {
  size_t i;
  json_t *item;
  json_array_foreach((json_t *)(uintptr_t)list, i, item) {
    if (strcmp(map_read_text(item, "name"), name) == 0)
      return true;
  }
  return false;
}

// Adds the properties of `source`, which was read from the asset `file`, that the object lacks. Skips a tile's
// collision properties, which describe its cells, not objects.
static void inherit_properties(map_reader_t *reader, json_t *object, const json_t *source, const char *file,
                               bool is_tile) {
  size_t i;
  json_t *item;
  json_t *list = json_copy(json_object_get(object, "properties"));
  list = json_is_array(list) ? list : json_array();
  json_array_foreach(json_object_get(source, "properties"), i, item) {
    const char *name = map_read_text(item, "name");
    bool is_collision = strcmp(name, "solid") == 0 || strcmp(name, "one_way") == 0 || strcmp(name, "slope_left") == 0 ||
                        strcmp(name, "slope_right") == 0;
    if (!has_property(list, name) && !(is_tile && is_collision))
      json_array_append_new(list, copy_property(reader, item, file));
  }
  json_object_set_new(object, "properties", list);
}

static const char *get_class(const json_t *value) {
  return map_read_text(value, "class")[0] ? map_read_text(value, "class") : map_read_text(value, "type");
}

// Sets the tile of an object to the tile of its template. The tile number of a template refers to the tileset that the
// template names. Returns true on success, or false with a message if the tileset is invalid. If the tileset or the
// tile is missing, removes the tile with a warning and returns true.
static bool inherit_tile(map_reader_t *reader, json_t *object, const json_t *template, const char *file) {
  const json_t *entry = json_object_get(template, "tileset");
  json_int_t gid = json_integer_value(json_object_get(json_object_get(template, "object"), "gid"));
  uint32_t cell = (uint32_t)gid;
  json_int_t first = json_integer_value(json_object_get(entry, "firstgid")), id = MAP_TILE(cell) - first;
  const char *previous_file = reader->file;
  reader->file = file;
  const tileset_file_t *tileset = tiled_find_or_add_tileset(reader, entry);
  if (!tileset && !reader->is_missing)
    return false;
  reader->file = previous_file;
  if (tileset && (id < 0 || id >= tileset->count))
    map_warn(reader, "skipped the tile of its template: tile %lld is out of range: expected 0 to %d", (long long)id,
             tileset->count - 1);
  bool ok = tileset && id >= 0 && id < tileset->count;
  json_object_set_new(object, "gid",
                      json_integer(ok ? (json_int_t)((cell & MAP_FLIPS) | (uint32_t)(tileset->first + id)) : 0));
  return true;
}

// Adds the values of the object's template that the object lacks. If the template's file cannot be read, sets `missing`
// instead. Returns true in both cases, or false with an error on any other failure.
static bool apply_template(map_reader_t *reader, json_t *object, const char *name, bool *missing) {
  char path[512];
  reader->is_missing = true;
  json_t *template = map_resolve_path(reader, name, path, sizeof path) ? map_parse(reader, path) : NULL;
  const json_t *template_object = json_object_get(template, "object");
  *missing = !template && reader->is_missing;
  if (!template)
    return *missing;
  bool needs_tile = json_object_get(template_object, "gid") && !json_object_get(object, "gid");
  inherit_properties(reader, object, template_object, path, false);
  if (json_is_object(template_object))
    json_object_update_missing(object, (json_t *)(uintptr_t)template_object);
  return !needs_tile || inherit_tile(reader, object, template, path);
}

// Adds the class and the properties of the object's tile that the object lacks.
static void apply_tile(map_reader_t *reader, json_t *object) {
  uint32_t tile = MAP_TILE((uint32_t)json_integer_value(json_object_get(object, "gid")));
  const tileset_file_t *tileset = tile > 0 ? tiled_find_tileset(reader, tile) : NULL;
  const json_t *source = tileset ? tileset->tiles[tile - (uint32_t)tileset->first] : NULL;
  if (!source)
    return;
  if (!get_class(object)[0])
    json_object_set_new(object, "class", json_string(get_class(source)));
  inherit_properties(reader, object, source, tileset->file, true);
}

// --- objects

static bool read_fields(map_reader_t *reader, map_object_t *object, const json_t *value, const tiled_group_t *group) {
  double degrees;
  object->name = alloc_copy_text(reader->allocator, map_read_text(value, "name"));
  object->class_name = alloc_copy_text(reader->allocator, get_class(value));
  object->visible = map_read_bool(value, "visible", true) && reader->map->layers[object->layer].visible;
  if (!map_read_number(reader, value, "x", 0, &object->x) || !map_read_number(reader, value, "y", 0, &object->y) ||
      !map_read_number(reader, value, "width", 0, &object->width) ||
      !map_read_number(reader, value, "height", 0, &object->height) ||
      !map_read_number(reader, value, "rotation", 0, &degrees))
    return false;
  object->anchor_y = object->y;
  object->angle = degrees * RADIANS;
  read_shape(reader, object, value);
  tiled_read_properties(reader, value, &object->properties);
  move_to_centre(reader, object);
  object->x += group->x;
  object->y += group->y;
  return true;
}

static bool read_object(map_reader_t *reader, const json_t *value, const tiled_group_t *group, uint32_t layer) {
  int32_t id;
  bool missing = false;
  const char *template = map_read_text(value, "template");
  if (!map_read_integer(reader, value, "id", 0, INT32_MAX, 0, &id))
    return false;
  const char *name = map_read_text(value, "name"), *quote = name[0] ? "\"" : "";
  map_set_location(reader, "layer \"%s\": object %d%s%s%.60s%s", reader->map->layers[layer].name, id,
                   name[0] ? " " : "", quote, name, quote);
  json_t *merged = json_copy((json_t *)(uintptr_t)value);
  bool ok = !template[0] || apply_template(reader, merged, template, &missing);
  map_object_t *object = ok ? map_add_object(reader) : NULL;
  if (object) {
    object->id = (uint32_t)id;
    object->layer = layer;
    apply_tile(reader, merged);
  }
  // Keeps an invisible object in place, so that the order of the objects in the file stays the same
  if (object && missing) {
    object->visible = false;
    object->name = alloc_copy_text(reader->allocator, "");
    object->class_name = alloc_copy_text(reader->allocator, "");
    map_skip(reader, "the object, because its template is missing");
  } else if (object) {
    ok = read_fields(reader, object, merged, group);
  }
  json_decref(merged);
  return ok && object;
}

// --- drawn objects

typedef struct drawn_object_t {
  double y; // vertical position in the editor
  uint32_t object;
} drawn_object_t;

static int compare_drawn_objects(const void *a, const void *b) {
  const drawn_object_t *x = a, *y = b;
  if (x->y != y->y)
    return x->y < y->y ? -1 : 1;
  return x->object < y->object ? -1 : x->object > y->object;
}

// Returns true for a visible tile object without class and name, which is drawn as part of the map instead of becoming
// an entity.
static bool is_drawn_object(const map_object_t *object) {
  return object->shape == MAP_TILE_SHAPE && object->visible && !object->class_name[0] && !object->name[0];
}

// Lists the drawn objects of a layer whose objects start at index `first`: sorted from top to bottom if `by_height`,
// otherwise in file order.
static void list_drawn_objects(map_reader_t *reader, map_layer_t *map_layer, uint32_t first, bool by_height) {
  const map_t *map = reader->map;
  uint32_t count = 0;
  shoal_assert(first <= map->object_count, "object %u is out of range (count %u)", first, map->object_count);
  drawn_object_t *list = alloc_resize(reader->allocator, NULL, 0, (map->object_count - first) * sizeof *list);
  for (uint32_t i = first; i < map->object_count; ++i) {
    const map_object_t *object = &map->objects[i];
    if (is_drawn_object(object))
      list[count++] = (drawn_object_t){by_height ? object->anchor_y : 0, i};
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

bool tiled_read_objects(map_reader_t *reader, const json_t *layer, const tiled_group_t *group, uint32_t layer_index) {
  static const char *const ORDERS[] = {"topdown", "index", NULL};
  size_t i;
  json_t *value;
  uint32_t first = reader->map->object_count, order = map_read_choice(reader, layer, "draworder", ORDERS);
  shoal_assert(layer_index < reader->map->layer_count, "layer %u is out of range (count %u)", layer_index,
               reader->map->layer_count);
  json_array_foreach(json_object_get(layer, "objects"), i, value) {
    if (!read_object(reader, value, group, layer_index))
      return false;
  }
  if (reader->map->object_count > first)
    list_drawn_objects(reader, &reader->map->layers[layer_index], first, order == 0);
  return true;
}

// --- ids

typedef struct object_id_t {
  uint32_t id, object;
} object_id_t;

static int compare_ids(const void *a, const void *b) {
  const object_id_t *x = a, *y = b;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x->object < y->object ? -1 : x->object > y->object;
}

// Numbers objects without an id, as written by Tiled before 0.11, and objects with the id of an earlier object, as
// after copying text in an editor. Tiled numbers such objects in the same way when it opens the file.
void tiled_number_objects(map_reader_t *reader, const json_t *root) {
  map_t *map = reader->map;
  uint32_t numbered = 0;
  if (map->object_count == 0)
    return;
  object_id_t *ids = alloc_resize(reader->allocator, NULL, 0, map->object_count * sizeof *ids);
  for (uint32_t i = 0; i < map->object_count; ++i)
    ids[i] = (object_id_t){map->objects[i].id, i};
  qsort(ids, map->object_count, sizeof *ids, compare_ids);
  json_int_t next = json_integer_value(json_object_get(root, "nextobjectid"));
  uint32_t last = ids[map->object_count - 1].id, first = last + 1;
  if (next > first && next <= INT32_MAX)
    first = (uint32_t)next;
  for (uint32_t i = 0, previous = 0; i < map->object_count; previous = ids[i++].id)
    if (ids[i].id == previous) // true for id 0, or for the id of an earlier object
      map->objects[ids[i].object].id = 0;
  for (uint32_t i = 0; i < map->object_count; ++i)
    if (map->objects[i].id == 0)
      map->objects[i].id = first + numbered++;
  reader->location[0] = '\0';
  if (numbered > 0)
    map_warn(
        reader,
        "%u object%s no id or the id of an earlier object, and received the ids %u to %u, which may change when the "
        "file changes: save the map in Tiled, which stores unique ids",
        numbered, numbered == 1 ? " has" : "s have", first, first + numbered - 1);
  alloc_resize(reader->allocator, ids, map->object_count * sizeof *ids, 0);
}
