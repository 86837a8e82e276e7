// Reads and edits Tiled maps. An edit is checked by parsing the edited text with the game's map reader.
#include "cockpit/level_map.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/request.h"
#include "platform/assets.h"
#include "tiles/map_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_EDITS 10000u
#define MAX_PAINTED_CELLS (1u << 20) // maximum number of cells that one edit sets
#define DEGREES_PER_RADIAN (180 / 3.14159265358979323846)

// --- reading

typedef struct map_loader_t {
  const game_o *game;
  const char *name, *text; // `text`: edited map; NULL: read the map from its file
  size_t bytes;
} map_loader_t;

static char *read_asset(void *context, allocator_t *allocator, const char *name, size_t *bytes, error_info_t *error) {
  const map_loader_t *files = context;
  char path[1200];
  if (files->text && strcmp(name, files->name) == 0) {
    *bytes = files->bytes;
    return memcpy(alloc_resize(allocator, NULL, 0, files->bytes + 1), files->text, files->bytes + 1);
  }
  if (!assets_find(files->game->desc.assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return NULL;
  }
  return file_read(allocator, path, bytes, error);
}

static map_t *read_map(cockpit_o *cockpit, const char *name, const char *text, size_t bytes, error_info_t *error) {
  map_loader_t files = {.game = host_game(cockpit->host), .name = name, .text = text, .bytes = bytes};
  map_source_t source = {.context = &files, .read = read_asset};
  return map_read(&cockpit->memory, &source, name, "", error);
}

// Stores the path of the map asset `name`, relative to the game's folder. Returns true on success, or false with an
// error if the asset is not a .tmj file of the game.
static bool find_file(cockpit_o *cockpit, const char *name, char *out, size_t bytes, error_info_t *error) {
  const game_o *game = host_game(cockpit->host);
  char path[1200], game_path[1200];
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  if (path_ends_with(name, ".ldtk"))
    return error_set(error, "%.100s is an LDtk project: edit it in LDtk", name);
  if (path_ends_with(name, ".tmx"))
    return error_set(error, "%.100s is XML: edit it in Tiled, or save it as .tmj to edit it here", name);
  if (!path_ends_with(name, ".tmj"))
    return error_set(error, "%.100s is not a map: expected the name of a .tmj file in assets/", name);
  if (!assets_find(game->desc.assets, name, path, sizeof path))
    return error_set(error, "%s", path);
  if (strcmp(path, path_join(game_path, sizeof game_path, game->desc.assets->game, name)) != 0)
    return error_set(error, "%.100s is not in the game's own assets: copy it to assets/ to edit it", name);
  return snprintf(out, bytes, "assets/%s", name) < (int)bytes ||
         error_set(error, "the path of %.64s is too long: shorten it", name);
}

bool level_map_open(cockpit_o *cockpit, const char *name, const char *client_stamp, level_map_t *out,
                    error_info_t *error) {
  size_t bytes = 0;
  *out = (level_map_t){0};
  if (!find_file(cockpit, name, out->file, sizeof out->file, error))
    return false;
  map_loader_t files = {.game = host_game(cockpit->host)};
  char *text = read_asset(&files, &cockpit->memory, name, &bytes, error);
  if (!text)
    return false;
  snprintf(out->stamp, sizeof out->stamp, "%016" PRIx64, hash_bytes(text, bytes, 0));
  bool is_current = client_stamp && strcmp(client_stamp, out->stamp) == 0;
  out->map = is_current ? NULL : read_map(cockpit, name, text, bytes, error);
  out->json = out->map ? json_loadb(text, bytes, 0, NULL) : NULL;
  file_free(&cockpit->memory, text, bytes);
  return is_current || out->map;
}

void level_map_close(level_map_t *level) {
  map_destroy(level->map);
  json_decref(level->json);
}

typedef ARRAY(const json_t *) json_list_t;

// Lists the objects of all layers in file order, which is the order of map_t. Recursive for layer groups.
static void list_objects(allocator_t *allocator, const json_t *layers, json_list_t *out) {
  size_t i, k;
  json_t *layer, *object;
  json_array_foreach((json_t *)(uintptr_t)layers, i, layer) {
    if (strcmp(get_text_member(layer, "type"), "group") == 0)
      list_objects(allocator, json_object_get(layer, "layers"), out);
    else if (strcmp(get_text_member(layer, "type"), "objectgroup") == 0)
      json_array_foreach(json_object_get(layer, "objects"), k, object) {
        array_push(allocator, out, object);
      }
  }
}

static void write_number(json_writer_t *out, const char *key, double number) {
  json_write_key(out, key);
  json_write_number(out, number);
}

static void write_object(const map_object_t *object, const json_t *json, json_writer_t *out) {
  static const char *const shapes[] = {"rect", "ellipse", "point", "polygon", "polyline", "tile"};
  char *properties = json_dumps(json_object_get(json, "properties"), JSON_COMPACT);
  const json_t *angle = json_object_get(json, "rotation");
  json_write_begin(out, '{');
  json_write_integer_pair(out, "id", object->id);
  json_write_integer_pair(out, "layer", object->layer);
  json_write_pair(out, "name", object->name);
  json_write_pair(out, "class", object->class_name);
  json_write_pair(out, "shape", shapes[object->shape]);
  write_number(out, "x", json_number_value(json_object_get(json, "x")));
  write_number(out, "y", json_number_value(json_object_get(json, "y")));
  write_number(out, "width", object->width);
  write_number(out, "height", object->height);
  write_number(out, "rotation", angle ? json_number_value(angle) : object->angle * DEGREES_PER_RADIAN);
  json_write_integer_pair(out, "cell", object->shape == MAP_TILE_SHAPE ? object->cell : 0);
  json_write_pair(out, "points", object->points ? object->points : "");
  json_write_bool_pair(out, "visible", !json_is_false(json_object_get(json, "visible")));
  json_write_key(out, "properties");
  json_write_raw(out, properties ? properties : "[]", properties ? strlen(properties) : 2);
  json_write_end(out, '}');
  free(properties);
}

void level_map_write(const level_map_t *level, json_writer_t *out) {
  json_list_t list = {0};
  list_objects(level->map->allocator, json_object_get(level->json, "layers"), &list);
  shoal_assert(list.count == level->map->object_count, "%s has %u objects, not %u", level->file, list.count,
               level->map->object_count);
  json_write_pair(out, "file", level->file);
  json_write_bool_pair(out, "infinite", json_is_true(json_object_get(level->json, "infinite")));
  json_write_key(out, "things");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < list.count; ++i)
    write_object(&level->map->objects[i], list.items[i], out);
  json_write_end(out, ']');
  array_free(level->map->allocator, &list);
}

// --- editing

typedef struct map_edit_request_t {
  proposal_t *proposal;
  map_edit_t edit;
  const map_t *map; // map before the edits
  const json_t *item;
  char path[32]; // path of the edit in the request: "edits.N"
  ARRAY(map_paint_t) cells;
} map_edit_request_t;

static bool add_edit_problem(map_edit_request_t *change, const error_info_t *reason) {
  return proposal_add_problem(change->proposal, change->path, "%s", reason->text);
}

static bool read_layer(map_edit_request_t *change, map_edit_layer_t *out) {
  const json_t *index = json_object_get(change->item, "layer");
  *out = (map_edit_layer_t){.index = (uint32_t)json_integer_value(index),
                            .name = json_string_value(json_object_get(change->item, "layer_name"))};
  if (!json_is_integer(index) || json_integer_value(index) < 0 || json_integer_value(index) >= MAP_MAX_LAYERS)
    return proposal_add_problem(change->proposal, change->path, "“layer” must be an integer from 0 to %d",
                                MAP_MAX_LAYERS - 1);
  return true;
}

static bool read_id(map_edit_request_t *change, uint32_t *out) {
  const json_t *id = json_object_get(change->item, "id");
  *out = (uint32_t)json_integer_value(id);
  if (!json_is_integer(id) || json_integer_value(id) <= 0 || json_integer_value(id) > INT32_MAX)
    return proposal_add_problem(change->proposal, change->path, "“id” must be an object id (an integer)");
  return true;
}

static bool check_cell(map_edit_request_t *change, json_int_t cell) {
  bool in_range = cell >= 0 && cell <= UINT32_MAX;
  uint32_t tile = in_range ? MAP_TILE((uint32_t)cell) : 0, count = change->map->tile_count;
  if (!in_range || ((uint32_t)cell & ~MAP_FLIPS) != tile)
    return proposal_add_problem(change->proposal, change->path, "a cell must be a tile number with flip bits, got %lld",
                                (long long)cell);
  if (tile >= count && count < 2)
    return proposal_add_problem(change->proposal, change->path, "unknown tile %u: the map has no tileset", tile);
  return tile < count || proposal_add_problem(change->proposal, change->path,
                                              "unknown tile %u: the tiles of the map are 1 to %u", tile, count - 1);
}

// Reads the cells of an edit: [column, row, cell] or, for a rectangle, [column, row, cell, columns, rows]. Returns true
// on success, or false after reporting a problem.
static bool read_cells(map_edit_request_t *change, const json_t *entry) {
  json_int_t values[5] = {0, 0, 0, 1, 1};
  size_t count = json_array_size(entry);
  for (size_t i = 0; i < count && i < 5; ++i) {
    const json_t *item = json_array_get(entry, i);
    values[i] = json_integer_value(item);
    count = json_is_integer(item) ? count : 0;
  }
  bool ok = (count == 3 || count == 5) && llabs(values[0]) <= MAP_MAX_SIDE && llabs(values[1]) <= MAP_MAX_SIDE &&
            values[3] > 0 && values[4] > 0 && values[3] <= MAX_PAINTED_CELLS && values[4] <= MAX_PAINTED_CELLS;
  if (!ok)
    return proposal_add_problem(change->proposal, change->path,
                                "each element of “cells” must be [column, row, cell], or [column, row, "
                                "cell, columns, rows]");
  if (change->cells.count + values[3] * values[4] > MAX_PAINTED_CELLS)
    return proposal_add_problem(change->proposal, change->path, "too many cells: at most %u in one edit",
                                MAX_PAINTED_CELLS);
  for (json_int_t row = 0; row < values[4]; ++row)
    for (json_int_t column = 0; column < values[3]; ++column) {
      map_paint_t cell = {(int32_t)(values[0] + column), (int32_t)(values[1] + row), (uint32_t)values[2]};
      array_push(&change->proposal->cockpit->memory, &change->cells, cell);
    }
  return check_cell(change, values[2]);
}

static bool paint_cells(map_edit_request_t *change) {
  size_t i;
  json_t *entry;
  error_info_t reason = {0};
  map_edit_layer_t layer;
  const json_t *cells = json_object_get(change->item, "cells");
  change->cells.count = 0;
  if (!read_layer(change, &layer))
    return false;
  if (!json_is_array(cells))
    return proposal_add_problem(change->proposal, change->path, "“cells” must be a list");
  json_array_foreach((json_t *)(uintptr_t)cells, i, entry) {
    if (!read_cells(change, entry))
      return false;
  }
  return map_edit_paint(&change->edit, &layer, change->cells.items, change->cells.count, &reason) ||
         add_edit_problem(change, &reason);
}

// Checks the members that an edit sets in an object: the names, the types of numbers and strings, and the tile. Returns
// true on success, or false after reporting a problem. All other values are checked when the edited map is read.
static bool check_members(map_edit_request_t *change, const json_t *members) {
  static const char *const allowed[] = {"name",  "type", "x",       "y",       "width",    "height",  "rotation",
                                        "point", "gid",  "ellipse", "polygon", "polyline", "visible", "properties"};
  const char *key;
  json_t *value;
  if (!json_is_object(members))
    return proposal_add_problem(change->proposal, change->path, "“object” must be an object");
  json_object_foreach((json_t *)(uintptr_t)members, key, value) {
    bool found = false;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; ++i)
      found = found || strcmp(allowed[i], key) == 0;
    if (!found)
      return proposal_add_problem(change->proposal, change->path, "map objects have no member %.60s", key);
    bool is_number = strchr("xywhr", key[0]) != NULL, is_text = strcmp(key, "name") == 0 || strcmp(key, "type") == 0;
    if ((is_number && !json_is_number(value)) || (is_text && !json_is_string(value)))
      return proposal_add_problem(change->proposal, change->path, "%s must be a %s", key,
                                  is_number ? "number" : "string");
  }
  const json_t *gid = json_object_get(members, "gid");
  return !gid || check_cell(change, json_integer_value(gid));
}

// Returns a copy of the members. The key of the class depends on the map's version: "class" in 1.9, otherwise "type".
static json_t *copy_members(const map_edit_request_t *change, const json_t *members) {
  json_t *out = json_copy((json_t *)(uintptr_t)members), *version, *type = json_object_get(out, "type");
  version = json_edit_value(&change->edit.json,
                            json_edit_find(&change->edit.json, json_edit_root(&change->edit.json), "version"));
  if (type && json_string_value(version) && strcmp(json_string_value(version), "1.9") == 0) {
    json_object_set(out, "class", type);
    json_object_del(out, "type");
  }
  json_decref(version);
  return out;
}

static bool set_object(map_edit_request_t *change) {
  const json_t *members = json_object_get(change->item, "object");
  error_info_t reason = {0};
  uint32_t id;
  if (!read_id(change, &id) || !check_members(change, members))
    return false;
  json_t *copy = copy_members(change, members);
  bool ok = map_edit_set_object(&change->edit, id, copy, &reason) || add_edit_problem(change, &reason);
  json_decref(copy);
  return ok;
}

static bool add_object(map_edit_request_t *change) {
  const json_t *members = json_object_get(change->item, "object"), *properties = json_object_get(members, "properties");
  error_info_t reason = {0};
  uint32_t id;
  map_edit_layer_t layer;
  if (!read_layer(change, &layer) || !check_members(change, members))
    return false;
  json_t *copy = copy_members(change, members), *property_update = json_object();
  json_object_del(copy, "properties");
  bool ok = map_edit_add_object(&change->edit, &layer, copy, &id, &reason);
  if (ok && properties) {
    json_object_set(property_update, "properties", (json_t *)(uintptr_t)properties);
    ok = map_edit_set_object(&change->edit, id, property_update, &reason);
  }
  json_decref(copy);
  json_decref(property_update);
  return ok || add_edit_problem(change, &reason);
}

static bool remove_object(map_edit_request_t *change) {
  error_info_t reason = {0};
  uint32_t id;
  return read_id(change, &id) &&
         (map_edit_remove_object(&change->edit, id, &reason) || add_edit_problem(change, &reason));
}

static bool apply_edit(map_edit_request_t *change) {
  const char *action = get_text_member(change->item, "do");
  if (strcmp(action, "paint") == 0)
    return paint_cells(change);
  if (strcmp(action, "add") == 0)
    return add_object(change);
  if (strcmp(action, "set") == 0)
    return set_object(change);
  if (strcmp(action, "remove") == 0)
    return remove_object(change);
  return proposal_add_problem(change->proposal, change->path, "unknown edit %.60s: use paint, add, set or remove",
                              action);
}

// Puts the edited text into the proposal, or reports a problem if the game's map reader rejects it. Returns true in
// both cases, or false with an error if the text cannot be put into the proposal.
static bool put_text(map_edit_request_t *change, const char *file, const char *name, error_info_t *error) {
  const json_edit_t *json = &change->edit.json;
  error_info_t reason = {0};
  map_t *map = read_map(change->proposal->cockpit, name, json->text, json->bytes, &reason);
  if (!map) {
    proposal_add_problem(change->proposal, "edits", "%s", reason.text);
    return true;
  }
  map_destroy(map);
  return file_changes_put(&change->proposal->files, file, json->text, json->bytes, error);
}

static bool apply_edits(map_edit_request_t *change, const char *file, const char *name, error_info_t *error) {
  size_t bytes = 0, i;
  json_t *item;
  const json_t *edits = json_object_get(change->proposal->request, "edits");
  const char *text = file_changes_read(&change->proposal->files, file, &bytes, error);
  map_t *map = text ? read_map(change->proposal->cockpit, name, text, bytes, error) : NULL;
  if (!map)
    return false;
  change->map = map;
  map_edit_init(&change->edit, &change->proposal->cockpit->memory, name, text, bytes);
  json_array_foreach((json_t *)(uintptr_t)edits, i, item) {
    change->item = item;
    snprintf(change->path, sizeof change->path, "edits.%zu", i);
    apply_edit(change);
  }
  bool ok = change->proposal->problem_count > 0 || put_text(change, file, name, error);
  map_edit_fini(&change->edit);
  map_destroy(map);
  array_free(&change->proposal->cockpit->memory, &change->cells);
  return ok;
}

bool level_map_propose(proposal_t *proposal, error_info_t *error) {
  const char *name = get_text_member(proposal->request, "map");
  const json_t *edits = json_object_get(proposal->request, "edits");
  char file[FILE_CHANGES_NAME];
  map_edit_request_t change = {.proposal = proposal};
  if (!find_file(proposal->cockpit, name, file, sizeof file, error))
    return false;
  if (!json_is_array(edits) || json_array_size(edits) > MAX_EDITS)
    return request_reject_member(proposal->request, "edits", error, "a list of at most %u edits", MAX_EDITS);
  snprintf(proposal->title, sizeof proposal->title, "map %s", name);
  return apply_edits(&change, file, name, error);
}
