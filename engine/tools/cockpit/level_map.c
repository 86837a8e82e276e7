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
#define MAX_PAINTED (1u << 20) // maximum number of cells that one edit sets
#define DEGREES (180 / 3.14159265358979323846)

// --- reading

typedef struct map_files_t {
  const game_o *game;
  const char *name, *text; // the edited map; NULL: read from its file
  size_t bytes;
} map_files_t;

static char *read_asset(void *context, allocator_t *a, const char *name, size_t *bytes, error_info_t *error) {
  const map_files_t *x = context;
  char path[1200];
  if (x->text && strcmp(name, x->name) == 0) {
    *bytes = x->bytes;
    return memcpy(alloc_resize(a, NULL, 0, x->bytes + 1), x->text, x->bytes + 1);
  }
  if (!assets_find(x->game->desc.assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return NULL;
  }
  return file_read(a, path, bytes, error);
}

static map_t *read_map(cockpit_o *c, const char *name, const char *text, size_t bytes, error_info_t *error) {
  map_files_t files = {.game = host_game(c->host), .name = name, .text = text, .bytes = bytes};
  map_source_t source = {.context = &files, .read = read_asset};
  return map_read(&c->memory, &source, name, "", error);
}

// Stores the path of a map's file, relative to the game's folder.
static bool find_file(cockpit_o *c, const char *name, char *out, size_t bytes, error_info_t *error) {
  const game_o *g = host_game(c->host);
  char path[1200], own[1200];
  if (!g)
    return error_set(error, COCKPIT_NO_GAME);
  if (path_ends_with(name, ".ldtk"))
    return error_set(error, "%.100s is an LDtk project: edit it in LDtk", name);
  if (!path_ends_with(name, ".tmj"))
    return error_set(error, "%.100s is not a map: expected the name of a .tmj file in assets/", name);
  if (!assets_find(g->desc.assets, name, path, sizeof path))
    return error_set(error, "%s", path);
  if (strcmp(path, path_join(own, sizeof own, g->desc.assets->game, name)) != 0)
    return error_set(error, "%.100s is not in the game's own assets: copy it to assets/ to edit it", name);
  return snprintf(out, bytes, "assets/%s", name) < (int)bytes ||
         error_set(error, "the path of %.64s is too long: shorten it", name);
}

bool level_map_open(cockpit_o *c, const char *name, const char *client_stamp, level_map_t *out, error_info_t *error) {
  size_t bytes = 0;
  *out = (level_map_t){0};
  if (!find_file(c, name, out->file, sizeof out->file, error))
    return false;
  map_files_t files = {.game = host_game(c->host)};
  char *text = read_asset(&files, &c->memory, name, &bytes, error);
  if (!text)
    return false;
  snprintf(out->stamp, sizeof out->stamp, "%016" PRIx64, hash_bytes(text, bytes, 0));
  bool is_current = client_stamp && strcmp(client_stamp, out->stamp) == 0;
  out->map = is_current ? NULL : read_map(c, name, text, bytes, error);
  out->json = out->map ? json_loadb(text, bytes, 0, NULL) : NULL;
  file_free(&c->memory, text, bytes);
  return is_current || out->map;
}

void level_map_close(level_map_t *x) {
  map_destroy(x->map);
  json_decref(x->json);
}

typedef ARRAY(const json_t *) json_list_t;

// Lists the objects of all layers in file order, which is the order of map_t. Recursive for layer groups.
static void list_objects(allocator_t *a, const json_t *layers, json_list_t *out) {
  size_t i, k;
  json_t *layer, *object;
  json_array_foreach((json_t *)(uintptr_t)layers, i, layer) {
    if (strcmp(text_member(layer, "type"), "group") == 0)
      list_objects(a, json_object_get(layer, "layers"), out);
    else if (strcmp(text_member(layer, "type"), "objectgroup") == 0)
      json_array_foreach(json_object_get(layer, "objects"), k, object) {
        array_push(a, out, object);
      }
  }
}

static void write_number(json_writer_t *out, const char *key, double number) {
  json_write_key(out, key);
  json_write_number(out, number);
}

static void write_object(const map_object_t *o, const json_t *file, json_writer_t *out) {
  static const char *const shapes[] = {"rect", "ellipse", "point", "polygon", "polyline", "tile"};
  char *properties = json_dumps(json_object_get(file, "properties"), JSON_COMPACT);
  const json_t *angle = json_object_get(file, "rotation");
  json_write_begin(out, '{');
  json_write_integer_pair(out, "id", o->id);
  json_write_integer_pair(out, "layer", o->layer);
  json_write_pair(out, "name", o->name);
  json_write_pair(out, "class", o->class_name);
  json_write_pair(out, "shape", shapes[o->shape]);
  write_number(out, "x", json_number_value(json_object_get(file, "x")));
  write_number(out, "y", json_number_value(json_object_get(file, "y")));
  write_number(out, "width", o->width);
  write_number(out, "height", o->height);
  write_number(out, "rotation", angle ? json_number_value(angle) : o->angle * DEGREES);
  json_write_integer_pair(out, "cell", o->shape == MAP_TILE_SHAPE ? o->cell : 0);
  json_write_pair(out, "points", o->points ? o->points : "");
  json_write_bool_pair(out, "visible", !json_is_false(json_object_get(file, "visible")));
  json_write_key(out, "properties");
  json_write_raw(out, properties ? properties : "[]", properties ? strlen(properties) : 2);
  json_write_end(out, '}');
  free(properties);
}

void level_map_write(const level_map_t *x, json_writer_t *out) {
  json_list_t list = {0};
  list_objects(x->map->allocator, json_object_get(x->json, "layers"), &list);
  shoal_assert(list.count == x->map->object_count, "%s has %u objects, not %u", x->file, list.count,
               x->map->object_count);
  json_write_pair(out, "file", x->file);
  json_write_bool_pair(out, "infinite", json_is_true(json_object_get(x->json, "infinite")));
  json_write_key(out, "things");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < list.count; ++i)
    write_object(&x->map->objects[i], list.items[i], out);
  json_write_end(out, ']');
  array_free(x->map->allocator, &list);
}

// --- editing

typedef struct map_change_request_t {
  proposal_t *x;
  map_edit_t edit;
  const map_t *map; // the map before the edits
  const json_t *item;
  char at[32]; // "edits.N"
  ARRAY(map_paint_t) cells;
} map_change_request_t;

static bool add_edit_problem(map_change_request_t *r, const error_info_t *why) {
  return proposal_add_problem(r->x, r->at, "%s", why->text);
}

static bool read_layer(map_change_request_t *r, map_edit_layer_t *out) {
  const json_t *index = json_object_get(r->item, "layer");
  *out = (map_edit_layer_t){.index = (uint32_t)json_integer_value(index),
                            .name = json_string_value(json_object_get(r->item, "layer_name"))};
  if (!json_is_integer(index) || json_integer_value(index) < 0 || json_integer_value(index) >= MAP_MAX_LAYERS)
    return proposal_add_problem(r->x, r->at, "“layer” must be an integer from 0 to %d", MAP_MAX_LAYERS - 1);
  return true;
}

static bool read_id(map_change_request_t *r, uint32_t *out) {
  const json_t *id = json_object_get(r->item, "id");
  *out = (uint32_t)json_integer_value(id);
  if (!json_is_integer(id) || json_integer_value(id) <= 0 || json_integer_value(id) > INT32_MAX)
    return proposal_add_problem(r->x, r->at, "“id” must be an object id (an integer)");
  return true;
}

static bool check_cell(map_change_request_t *r, json_int_t cell) {
  bool in_range = cell >= 0 && cell <= UINT32_MAX;
  uint32_t tile = in_range ? MAP_TILE((uint32_t)cell) : 0, count = r->map->tile_count;
  if (!in_range || ((uint32_t)cell & ~MAP_FLIPS) != tile)
    return proposal_add_problem(r->x, r->at, "a cell must be a tile number with flip bits, got %lld", (long long)cell);
  if (tile >= count && count < 2)
    return proposal_add_problem(r->x, r->at, "unknown tile %u: the map has no tileset", tile);
  return tile < count ||
         proposal_add_problem(r->x, r->at, "unknown tile %u: the tiles of the map are 1 to %u", tile, count - 1);
}

// Reads [column, row, cell] or, for a rectangle, [column, row, cell, columns, rows].
static bool read_cells(map_change_request_t *r, const json_t *entry) {
  json_int_t v[5] = {0, 0, 0, 1, 1};
  size_t count = json_array_size(entry);
  for (size_t i = 0; i < count && i < 5; ++i) {
    const json_t *item = json_array_get(entry, i);
    v[i] = json_integer_value(item);
    count = json_is_integer(item) ? count : 0;
  }
  bool ok = (count == 3 || count == 5) && llabs(v[0]) <= MAP_MAX_SIDE && llabs(v[1]) <= MAP_MAX_SIDE && v[3] > 0 &&
            v[4] > 0 && v[3] <= MAX_PAINTED && v[4] <= MAX_PAINTED;
  if (!ok)
    return proposal_add_problem(r->x, r->at,
                                "each element of “cells” must be [column, row, cell], or [column, row, "
                                "cell, columns, rows]");
  if (r->cells.count + v[3] * v[4] > MAX_PAINTED)
    return proposal_add_problem(r->x, r->at, "too many cells: at most %u in one edit", MAX_PAINTED);
  for (json_int_t row = 0; row < v[4]; ++row)
    for (json_int_t column = 0; column < v[3]; ++column) {
      map_paint_t p = {(int32_t)(v[0] + column), (int32_t)(v[1] + row), (uint32_t)v[2]};
      array_push(&r->x->c->memory, &r->cells, p);
    }
  return check_cell(r, v[2]);
}

static bool paint_cells(map_change_request_t *r) {
  size_t i;
  json_t *entry;
  error_info_t why = {0};
  map_edit_layer_t layer;
  const json_t *cells = json_object_get(r->item, "cells");
  r->cells.count = 0;
  if (!read_layer(r, &layer))
    return false;
  if (!json_is_array(cells))
    return proposal_add_problem(r->x, r->at, "“cells” must be a list");
  json_array_foreach((json_t *)(uintptr_t)cells, i, entry) {
    if (!read_cells(r, entry))
      return false;
  }
  return map_edit_paint(&r->edit, &layer, r->cells.items, r->cells.count, &why) || add_edit_problem(r, &why);
}

// Checks the members of an object that an edit sets. Their values are checked when the edited map is read.
static bool check_members(map_change_request_t *r, const json_t *members) {
  static const char *const allowed[] = {"name",  "type", "x",       "y",       "width",    "height",  "rotation",
                                        "point", "gid",  "ellipse", "polygon", "polyline", "visible", "properties"};
  const char *key;
  json_t *value;
  if (!json_is_object(members))
    return proposal_add_problem(r->x, r->at, "“object” must be an object");
  json_object_foreach((json_t *)(uintptr_t)members, key, value) {
    bool found = false;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; ++i)
      found = found || strcmp(allowed[i], key) == 0;
    if (!found)
      return proposal_add_problem(r->x, r->at, "map objects have no member %.60s", key);
    bool is_number = strchr("xywhr", key[0]) != NULL, is_text = strcmp(key, "name") == 0 || strcmp(key, "type") == 0;
    if ((is_number && !json_is_number(value)) || (is_text && !json_is_string(value)))
      return proposal_add_problem(r->x, r->at, "%s must be a %s", key, is_number ? "number" : "string");
  }
  const json_t *gid = json_object_get(members, "gid");
  return !gid || check_cell(r, json_integer_value(gid));
}

// Copies the members. The class gets the key of the map's version: "class" in 1.9, otherwise "type".
static json_t *copy_members(const map_change_request_t *r, const json_t *members) {
  json_t *out = json_copy((json_t *)(uintptr_t)members), *version, *type = json_object_get(out, "type");
  version = json_edit_value(&r->edit.json, json_edit_find(&r->edit.json, json_edit_root(&r->edit.json), "version"));
  if (type && json_string_value(version) && strcmp(json_string_value(version), "1.9") == 0) {
    json_object_set(out, "class", type);
    json_object_del(out, "type");
  }
  json_decref(version);
  return out;
}

static bool set_object(map_change_request_t *r) {
  const json_t *members = json_object_get(r->item, "object");
  error_info_t why = {0};
  uint32_t id;
  if (!read_id(r, &id) || !check_members(r, members))
    return false;
  json_t *copy = copy_members(r, members);
  bool ok = map_edit_set_object(&r->edit, id, copy, &why) || add_edit_problem(r, &why);
  json_decref(copy);
  return ok;
}

static bool add_object(map_change_request_t *r) {
  const json_t *members = json_object_get(r->item, "object"), *properties = json_object_get(members, "properties");
  error_info_t why = {0};
  uint32_t id;
  map_edit_layer_t layer;
  if (!read_layer(r, &layer) || !check_members(r, members))
    return false;
  json_t *copy = copy_members(r, members), *later = json_object();
  json_object_del(copy, "properties");
  bool ok = map_edit_add_object(&r->edit, &layer, copy, &id, &why);
  if (ok && properties) {
    json_object_set(later, "properties", (json_t *)(uintptr_t)properties);
    ok = map_edit_set_object(&r->edit, id, later, &why);
  }
  json_decref(copy);
  json_decref(later);
  return ok || add_edit_problem(r, &why);
}

static bool remove_object(map_change_request_t *r) {
  error_info_t why = {0};
  uint32_t id;
  return read_id(r, &id) && (map_edit_remove_object(&r->edit, id, &why) || add_edit_problem(r, &why));
}

static bool apply_edit(map_change_request_t *r) {
  const char *action = text_member(r->item, "do");
  if (strcmp(action, "paint") == 0)
    return paint_cells(r);
  if (strcmp(action, "add") == 0)
    return add_object(r);
  if (strcmp(action, "set") == 0)
    return set_object(r);
  if (strcmp(action, "remove") == 0)
    return remove_object(r);
  return proposal_add_problem(r->x, r->at, "unknown edit %.60s: use paint, add, set or remove", action);
}

// Puts the edited text into the proposal, or reports a problem if the game's map reader rejects it.
static bool put_text(map_change_request_t *r, const char *file, const char *name, error_info_t *error) {
  const json_edit_t *json = &r->edit.json;
  error_info_t why = {0};
  map_t *map = read_map(r->x->c, name, json->text, json->bytes, &why);
  if (!map) {
    proposal_add_problem(r->x, "edits", "%s", why.text);
    return true;
  }
  map_destroy(map);
  return file_changes_put(&r->x->files, file, json->text, json->bytes, error);
}

static bool apply_edits(map_change_request_t *r, const char *file, const char *name, error_info_t *error) {
  size_t bytes = 0, i;
  json_t *item;
  const json_t *edits = json_object_get(r->x->request, "edits");
  const char *text = file_changes_read(&r->x->files, file, &bytes, error);
  map_t *map = text ? read_map(r->x->c, name, text, bytes, error) : NULL;
  if (!map)
    return false;
  r->map = map;
  map_edit_init(&r->edit, &r->x->c->memory, name, text, bytes);
  json_array_foreach((json_t *)(uintptr_t)edits, i, item) {
    r->item = item;
    snprintf(r->at, sizeof r->at, "edits.%zu", i);
    apply_edit(r);
  }
  bool ok = r->x->problem_count > 0 || put_text(r, file, name, error);
  map_edit_fini(&r->edit);
  map_destroy(map);
  array_free(&r->x->c->memory, &r->cells);
  return ok;
}

bool level_map_propose(proposal_t *x, error_info_t *error) {
  const char *name = text_member(x->request, "map");
  const json_t *edits = json_object_get(x->request, "edits");
  char file[FILE_CHANGES_NAME];
  map_change_request_t r = {.x = x};
  if (!find_file(x->c, name, file, sizeof file, error))
    return false;
  if (!json_is_array(edits) || json_array_size(edits) > MAX_EDITS)
    return request_reject_member(x->request, "edits", error, "a list of at most %u edits", MAX_EDITS);
  snprintf(x->title, sizeof x->title, "map %s", name);
  return apply_edits(&r, file, name, error);
}
