// Functions shared by the readers of Tiled and LDtk maps. They parse files, add layers, objects, tiles, images and
// properties to a map, and report errors with file and position.
#include "tiles/map_reader.h"
#include "tiles/tiled_xml.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUES (10u << 20) // maximum number of commas in a file, which bounds the number of JSON values
#define MAX_FILES 1024u
#define MAX_IMAGES 4096u

uint32_t map_empty_block[MAP_BLOCK_CELLS];

// --- errors

bool map_fail(map_reader_t *r, const char *format, ...) {
  char message[sizeof r->problem];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  memcpy(r->problem, message, sizeof message);
  return error_set(r->error, "%s: %s%s%s", r->file, r->location, r->location[0] ? ": " : "", message);
}

// Counts a warning. Returns true if the warning is the first of its kind and there are fewer than MAP_MAX_WARNINGS
// kinds, otherwise false.
static bool count_warning(map_reader_t *reader, uint64_t hash) {
  uint32_t count = reader->map->warning_count;
  for (uint32_t i = 0; i < count; ++i)
    if (reader->warning_kinds[i].hash == hash) {
      reader->warning_kinds[i].count++;
      return false;
    }
  if (count == MAP_MAX_WARNINGS) {
    reader->omitted_warnings++;
    return false;
  }
  reader->warning_kinds[count] = (map_warning_kind_t){.hash = hash, .count = 1};
  return true;
}

static void *reserve_item(map_reader_t *reader, void *items, uint32_t *capacity, uint32_t count, size_t item_bytes) {
  return count < *capacity ? items : array_grow(reader->allocator, items, capacity, count + 1, item_bytes);
}

static void add_warning(map_reader_t *reader, const char *line) {
  map_t *map = reader->map;
  map->warnings =
      reserve_item(reader, map->warnings, &map->warning_capacity, map->warning_count, sizeof *map->warnings);
  map->warnings[map->warning_count++] = alloc_copy_text(reader->allocator, line);
}

void map_warn(map_reader_t *reader, const char *format, ...) {
  char message[sizeof reader->problem], line[sizeof reader->problem + sizeof reader->location + 512];
  if (!count_warning(reader, hash_bytes(format, strlen(format), hash_text(reader->location))))
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  snprintf(line, sizeof line, "%s: %s%s%s", reader->file, reader->location, reader->location[0] ? ": " : "", message);
  add_warning(reader, line);
}

bool map_skip(map_reader_t *reader, const char *detail) {
  char problem[sizeof reader->problem];
  memcpy(problem, reader->problem, sizeof problem);
  map_warn(reader, "skipped %s: %s", detail, problem);
  return true;
}

void map_finish_warnings(map_reader_t *reader) {
  map_t *map = reader->map;
  char line[2000];
  for (uint32_t i = 0; i < map->warning_count; ++i) {
    if (reader->warning_kinds[i].count == 1)
      continue;
    snprintf(line, sizeof line, "%s (and %u more)", map->warnings[i], reader->warning_kinds[i].count - 1);
    alloc_free_text(reader->allocator, map->warnings[i]);
    map->warnings[i] = alloc_copy_text(reader->allocator, line);
  }
  if (reader->omitted_warnings == 0)
    return;
  snprintf(line, sizeof line, "%s: skipped %u more details", map->files[0], reader->omitted_warnings);
  add_warning(reader, line);
}

void map_set_location(map_reader_t *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->location, sizeof r->location, format, arguments);
  va_end(arguments);
}

bool map_read_number(map_reader_t *r, const json_t *object, const char *key, double fallback, double *out) {
  const json_t *value = json_object_get(object, key);
  *out = value ? json_number_value(value) : fallback;
  if (value && !json_is_null(value) && (!json_is_number(value) || !isfinite(*out) || fabs(*out) > 1e9))
    return map_fail(r, "\"%s\" must be a number from -1e9 to 1e9", key);
  *out = value && json_is_null(value) ? fallback : *out;
  return true;
}

bool map_read_integer(map_reader_t *reader, const json_t *object, const char *key, int32_t min, int32_t max,
                      int32_t fallback, int32_t *out) {
  double number;
  if (!map_read_number(reader, object, key, fallback, &number))
    return false;
  if (number != floor(number) || number < min || number > max)
    return map_fail(reader, "\"%s\" must be an integer from %d to %d, got %g", key, min, max, number);
  *out = (int32_t)number;
  return true;
}

const char *map_read_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

bool map_read_bool(const json_t *object, const char *key, bool fallback) {
  const json_t *value = json_object_get(object, key);
  return json_is_boolean(value) ? json_is_true(value) : fallback;
}

uint32_t map_read_choice(map_reader_t *reader, const json_t *object, const char *key, const char *const *choices) {
  const char *text = map_read_text(object, key);
  char list[200] = "";
  for (uint32_t i = 0; choices[i]; ++i) {
    if (strcmp(text, choices[i]) == 0)
      return i;
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", choices[i]);
  }
  if (text[0])
    map_warn(reader, "skipped %s \"%.40s\": use one of %s", key, text, list);
  return 0;
}

void map_read_colour(map_reader_t *reader, const json_t *object, const char *key, float out[4]) {
  const char *text = map_read_text(object, key);
  size_t digits = text[0] == '#' ? strspn(text + 1, "0123456789abcdefABCDEF") : 0;
  if ((digits != 6 && digits != 8) || text[digits + 1] != '\0') {
    if (text[0])
      map_warn(reader, "skipped %s \"%.40s\": use #rrggbb or #aarrggbb", key, text);
    return;
  }
  unsigned long number = strtoul(text + 1, NULL, 16);
  for (int i = 0; i < 3; ++i)
    out[i] = (float)(number >> (16 - 8 * i) & 255u) / 255.0f;
  out[3] = digits == 8 ? (float)(number >> 24 & 255u) / 255.0f : 1.0f;
}

// --- files

static bool is_within_value_limit(const char *text, size_t bytes) {
  size_t commas = 0;
  for (size_t i = 0; i < bytes; ++i)
    commas += text[i] == ',';
  return commas <= MAX_VALUES;
}

// Returns the root element of a Tiled XML file, or NULL if the file has a different format.
static const char *get_root_element(const char *file) {
  static const char *const ROOTS[][2] = {{".tmx", "map"}, {".tsx", "tileset"}, {".tx", "template"}};
  for (size_t i = 0; i < sizeof ROOTS / sizeof *ROOTS; ++i)
    if (path_ends_with(file, ROOTS[i][0]))
      return ROOTS[i][1];
  return NULL;
}

static json_t *parse_xml(map_reader_t *reader, const char *root_name, const char *text, size_t bytes) {
  uint32_t line;
  error_info_t error = {0};
  json_t *root = tiled_xml_parse(text, bytes, root_name, &line, &error);
  if (!root)
    error_set_at(reader->error, reader->file, line, "%s", error.text);
  return root;
}

static json_t *parse_file(map_reader_t *reader, const char *text, size_t bytes) {
  json_error_t json_error;
  const char *root_name = get_root_element(reader->file);
  if (bytes > MAP_MAX_BYTES) {
    map_fail(reader, "the file is too large: %zu bytes (at most %zu): save cells as base64 with zlib", bytes,
             MAP_MAX_BYTES);
    return NULL;
  }
  if (root_name)
    return parse_xml(reader, root_name, text, bytes);
  if (!is_within_value_limit(text, bytes)) {
    map_fail(reader, "too many values in the file (at most %u): save cells as base64 with zlib", MAX_VALUES);
    return NULL;
  }
  json_t *root = json_loadb(text, bytes, 0, &json_error);
  if (!root)
    error_set_at(reader->error, reader->file, json_error.line > 0 ? (uint32_t)json_error.line : 1u, "invalid JSON: %s",
                 json_error.text);
  else if (!json_is_object(root))
    map_fail(reader, "a map must be a JSON object");
  if (json_is_object(root))
    return root;
  json_decref(root);
  return NULL;
}

static bool add_file(map_reader_t *reader, const char *name) {
  map_t *map = reader->map;
  for (uint32_t i = 0; i < map->file_count; ++i)
    if (strcmp(map->files[i], name) == 0)
      return true;
  if (map->file_count == MAX_FILES)
    return map_fail(reader, "too many files (at most %u per map)", MAX_FILES);
  map->files = reserve_item(reader, map->files, &map->file_capacity, map->file_count, sizeof *map->files);
  map->files[map->file_count++] = alloc_copy_text(reader->allocator, name);
  return true;
}

json_t *map_parse(map_reader_t *reader, const char *name) {
  size_t bytes = 0;
  error_info_t error = {0};
  reader->is_missing = false;
  for (uint32_t i = 0; i < reader->document_count; ++i)
    if (strcmp(reader->documents[i].name, name) == 0)
      return reader->documents[i].json;
  if (!add_file(reader, name))
    return NULL;
  char *text = reader->source->read(reader->source->context, reader->allocator, name, &bytes, &error);
  if (!text) {
    reader->is_missing = true;
    if (strcmp(name, reader->file) == 0)
      error_set(reader->error, "%s", error.text);
    else
      map_fail(reader, "%s", error.text);
    return NULL;
  }
  const char *previous_file = reader->file;
  reader->file = name;
  json_t *root = parse_file(reader, text, bytes);
  reader->file = previous_file;
  file_free(reader->allocator, text, bytes);
  if (!root)
    return NULL;
  reader->documents = reserve_item(reader, reader->documents, &reader->document_capacity, reader->document_count,
                                   sizeof *reader->documents);
  reader->documents[reader->document_count++] =
      (map_document_t){.name = alloc_copy_text(reader->allocator, name), .json = root};
  return root;
}

void map_free_documents(map_reader_t *reader) {
  for (uint32_t i = 0; i < reader->document_count; ++i) {
    alloc_free_text(reader->allocator, reader->documents[i].name);
    json_decref(reader->documents[i].json);
  }
  alloc_resize(reader->allocator, reader->documents, reader->document_capacity * sizeof *reader->documents, 0);
}

bool map_resolve_path(map_reader_t *reader, const char *name, char *out, size_t bytes) {
  const char *slash = strrchr(reader->file, '/');
  shoal_assert(name && bytes > 0, "name must not be NULL and bytes must be above 0");
  size_t length = slash ? (size_t)(slash + 1 - reader->file) : 0;
  if (name[0] == '\0' || path_is_rooted(name) || strchr(name, '\\') || strchr(name, ':'))
    return map_fail(reader, "invalid file name \"%.100s\": use a path inside assets/, relative to the map", name);
  if (length >= bytes)
    return map_fail(reader, "the path of the map is too long (at most %zu bytes)", bytes - 1);
  memcpy(out, reader->file, length);
  for (;; name += 3) {
    if (strncmp(name, "./", 2) == 0)
      name -= 1;
    else if (strncmp(name, "../", 3) != 0)
      break;
    else if (length == 0)
      return map_fail(reader, "\"%.100s\" is outside assets/: use a path inside assets/", name);
    else
      for (--length; length > 0 && out[length - 1] != '/';)
        --length;
  }
  if (length + strlen(name) + 1 > bytes)
    return map_fail(reader, "the path of \"%.100s\" is too long (at most %zu bytes)", name, bytes - 1);
  memcpy(out + length, name, strlen(name) + 1);
  return true;
}

// --- growing

map_layer_t *map_add_layer(map_reader_t *reader, const char *name, map_layer_kind_t kind) {
  map_t *map = reader->map;
  shoal_assert(map->layer_count <= MAP_MAX_LAYERS, "%u layers exceed the maximum", map->layer_count);
  if (map->layer_count == MAP_MAX_LAYERS) {
    map_fail(reader, "too many layers (at most %u per map)", MAP_MAX_LAYERS);
    return NULL;
  }
  map->layers = reserve_item(reader, map->layers, &map->layer_capacity, map->layer_count, sizeof *map->layers);
  map_layer_t *layer = &map->layers[map->layer_count++];
  *layer =
      (map_layer_t){.kind = kind, .visible = true, .colour = {1, 1, 1, 1}, .image = MAP_NO_IMAGE, .parallax = {1, 1}};
  snprintf(layer->name, sizeof layer->name, "%s", name);
  if (kind == MAP_LAYER_OBJECTS && reader->first_object_layer < 0)
    reader->first_object_layer = (int32_t)map->layer_count - 1;
  return layer;
}

map_object_t *map_add_object(map_reader_t *reader) {
  map_t *map = reader->map;
  if (map->object_count == MAP_MAX_OBJECTS) {
    map_fail(reader, "too many objects (at most %u per map)", MAP_MAX_OBJECTS);
    return NULL;
  }
  map->objects = reserve_item(reader, map->objects, &map->object_capacity, map->object_count, sizeof *map->objects);
  map_object_t *object = &map->objects[map->object_count++];
  *object = (map_object_t){.visible = true};
  return object;
}

static uint32_t add_image(map_reader_t *reader, const char *path) {
  map_t *map = reader->map;
  for (uint32_t i = 0; i < map->image_count; ++i)
    if (strcmp(map->images[i], path) == 0)
      return i;
  if (map->image_count == MAX_IMAGES) {
    map_fail(reader, "too many images (at most %u per map)", MAX_IMAGES);
    return MAP_NO_IMAGE;
  }
  map->images = reserve_item(reader, map->images, &map->image_capacity, map->image_count, sizeof *map->images);
  map->images[map->image_count] = alloc_copy_text(reader->allocator, path);
  return map->image_count++;
}

uint32_t map_add_image(map_reader_t *reader, const char *name) {
  char path[512];
  return map_resolve_path(reader, name, path, sizeof path) ? add_image(reader, path) : MAP_NO_IMAGE;
}

uint32_t map_add_keyed_image(map_reader_t *reader, const json_t *owner) {
  const char *name = map_read_text(owner, "image"), *colour = map_read_text(owner, "transparentcolor");
  char path[512 + 8];
  if (!map_resolve_path(reader, name, path, 512)) {
    map_skip(reader, "the image");
    return MAP_NO_IMAGE;
  }
  colour += colour[0] == '#';
  if (strlen(colour) == 8) // Tiled writes the opacity first
    colour += 2;
  if (strlen(colour) == 6 && strspn(colour, "0123456789abcdefABCDEF") == 6) {
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "%c%s", MAP_COLOUR_KEY, colour);
  }
  uint32_t image = add_image(reader, path);
  if (image == MAP_NO_IMAGE)
    map_skip(reader, "the image");
  return image;
}

bool map_add_frame(map_reader_t *reader, uint32_t tile, int32_t ms) {
  map_t *map = reader->map;
  if (map->frame_count == MAP_MAX_TILES)
    return map_fail(reader, "too many animation frames (at most %u per map)", MAP_MAX_TILES);
  map->frames = reserve_item(reader, map->frames, &map->frame_capacity, map->frame_count, sizeof *map->frames);
  map->frames[map->frame_count++] = (map_frame_t){tile, (uint32_t)ms};
  return true;
}

void map_add_part(map_reader_t *reader, const map_part_t *part) {
  map_t *map = reader->map;
  map->parts = reserve_item(reader, map->parts, &map->part_capacity, map->part_count, sizeof *map->parts);
  map->parts[map->part_count++] = *part;
}

void map_add_tileset(map_reader_t *reader, const char *name, uint32_t first, uint32_t count) {
  map_t *map = reader->map;
  map->tilesets =
      reserve_item(reader, map->tilesets, &map->tileset_capacity, map->tileset_count, sizeof *map->tilesets);
  map->tilesets[map->tileset_count++] =
      (map_tileset_t){.name = alloc_copy_text(reader->allocator, name), .first = first, .count = count};
}

bool map_allocate_tiles(map_reader_t *reader, uint32_t count) {
  map_t *map = reader->map;
  if (count > MAP_MAX_TILES)
    return map_fail(reader, "too many tiles: %u (at most %u per map)", count, MAP_MAX_TILES);
  if (count > map->tile_capacity)
    map->tiles = array_grow(reader->allocator, map->tiles, &map->tile_capacity, count, sizeof *map->tiles);
  for (; map->tile_count < count; ++map->tile_count)
    map->tiles[map->tile_count] = (map_tile_t){.image = MAP_NO_IMAGE};
  return true;
}

// Counts the cells of new blocks against the limit of the map. Returns true on success, or false with an error if the
// map has too many cells.
static bool reserve_cells(map_reader_t *reader, uint64_t cells) {
  if (reader->cells + cells > MAP_MAX_CELLS)
    return map_fail(reader, "too many cells: at most %u in all blocks of %u × %u cells that contain tiles",
                    MAP_MAX_CELLS, MAP_BLOCK_SIDE, MAP_BLOCK_SIDE);
  reader->cells += cells;
  return true;
}

bool map_allocate_cells(map_reader_t *reader, map_layer_t *layer, int32_t left, int32_t top, uint32_t columns,
                        uint32_t rows) {
  shoal_assert(!layer->blocks, "layer %s already has cells", layer->name);
  if (left < -MAP_MAX_COORDINATE || top < -MAP_MAX_COORDINATE || left + (int64_t)columns > MAP_MAX_COORDINATE ||
      top + (int64_t)rows > MAP_MAX_COORDINATE)
    return map_fail(reader, "columns %d to %lld and rows %d to %lld are out of range [%d, %d]: move the cells", left,
                    left + (long long)columns - 1, top, top + (long long)rows - 1, -MAP_MAX_COORDINATE,
                    MAP_MAX_COORDINATE - 1);
  uint32_t block_columns = (columns + MAP_BLOCK_SIDE - 1) >> MAP_BLOCK_SHIFT,
           block_rows = (rows + MAP_BLOCK_SIDE - 1) >> MAP_BLOCK_SHIFT;
  size_t count = (size_t)block_columns * block_rows;
  if (!reserve_cells(reader, count * sizeof *layer->blocks / sizeof **layer->blocks))
    return false;
  layer->left = left;
  layer->top = top;
  layer->columns = columns;
  layer->rows = rows;
  layer->block_columns = block_columns;
  layer->block_rows = block_rows;
  layer->blocks = count ? alloc_resize(reader->allocator, NULL, 0, count * sizeof *layer->blocks) : NULL;
  for (size_t i = 0; i < count; ++i)
    layer->blocks[i] = map_empty_block;
  return true;
}

bool map_set_cell(map_reader_t *reader, map_layer_t *layer, int32_t column, int32_t row, uint32_t cell) {
  uint32_t x = (uint32_t)column - (uint32_t)layer->left, y = (uint32_t)row - (uint32_t)layer->top;
  shoal_assert(x < layer->columns && y < layer->rows, "cell %d, %d is outside of layer %s", column, row, layer->name);
  uint32_t **block = &layer->blocks[(size_t)(y >> MAP_BLOCK_SHIFT) * layer->block_columns + (x >> MAP_BLOCK_SHIFT)];
  if (*block == map_empty_block) {
    if (cell == 0)
      return true;
    if (!reserve_cells(reader, MAP_BLOCK_CELLS))
      return false;
    *block = alloc_resize(reader->allocator, NULL, 0, MAP_BLOCK_CELLS * sizeof **block);
    memset(*block, 0, MAP_BLOCK_CELLS * sizeof **block);
  }
  (*block)[(y & (MAP_BLOCK_SIDE - 1)) << MAP_BLOCK_SHIFT | (x & (MAP_BLOCK_SIDE - 1))] = cell;
  return true;
}

bool map_set_cells(map_reader_t *reader, map_layer_t *layer, int32_t left, int32_t top, uint32_t columns, uint32_t rows,
                   const uint32_t *cells) {
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < columns; ++x)
      if (!map_set_cell(reader, layer, left + (int32_t)x, top + (int32_t)y, cells[(size_t)y * columns + x]))
        return false;
  return true;
}

// --- properties

void map_add_property(map_reader_t *reader, map_properties_t *properties, const char *name, map_value_t type,
                      double number, const char *text) {
  size_t bytes = properties->count * sizeof *properties->items;
  shoal_assert(name && text, "name and text must not be NULL");
  properties->items = alloc_resize(reader->allocator, properties->items, bytes, bytes + sizeof *properties->items);
  properties->items[properties->count++] = (map_property_t){.name = alloc_copy_text(reader->allocator, name),
                                                            .text = alloc_copy_text(reader->allocator, text),
                                                            .number = number,
                                                            .type = type};
}

const map_property_t *map_property(const map_properties_t *p, const char *name) {
  for (uint32_t i = 0; i < p->count; ++i)
    if (strcmp(p->items[i].name, name) == 0)
      return &p->items[i];
  return NULL;
}

void map_free_properties(allocator_t *a, map_properties_t *p) {
  for (uint32_t i = 0; i < p->count; ++i) {
    alloc_free_text(a, p->items[i].name);
    alloc_free_text(a, p->items[i].text);
    map_free_properties(a, &p->items[i].elements);
  }
  alloc_resize(a, p->items, p->count * sizeof *p->items, 0);
  *p = (map_properties_t){0};
}

void map_write_point(json_writer_t *out, double x, double y) {
  char text[64];
  int length = snprintf(text, sizeof text, "%s%.9g,%.9g", out->text.count > 0 ? " " : "", x, y);
  shoal_assert(length > 0 && (size_t)length < sizeof text, "a point of %d bytes does not fit", length);
  json_write_bytes(out, text, (size_t)length);
}

static const map_property_t *find_own_or_inherited(const map_properties_t *own, const map_properties_t *inherited,
                                                   const char *name) {
  const map_property_t *property = map_property(own, name);
  return property || !inherited ? property : map_property(inherited, name);
}

static bool is_property_true(const map_property_t *property) {
  return property && (property->type == MAP_BOOL || property->type == MAP_NUMBER) && property->number != 0;
}

void map_set_tile_collision(map_tile_t *t, const map_properties_t *p, const map_properties_t *inherited) {
  const map_property_t *solid = find_own_or_inherited(p, inherited, "solid");
  const map_property_t *left = find_own_or_inherited(p, inherited, "slope_left");
  const map_property_t *right = find_own_or_inherited(p, inherited, "slope_right");
  t->solid = is_property_true(solid);
  t->declares_solid = solid != NULL;
  t->one_way = is_property_true(find_own_or_inherited(p, inherited, "one_way"));
  t->slope = left || right;
  t->ground[0] = left ? (float)fmin(fmax(left->number, 0), 1) : 0.0f;
  t->ground[1] = right ? (float)fmin(fmax(right->number, 0), 1) : 0.0f;
}
