// Saves the entities whose `in_scene` names a scene, or all entities, as scenes/NAME.json in the game's folder.
#include "cockpit/scene_save.h"

#include "base/assert.h"
#include "base/files.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/game_files.h"
#include "cockpit/proposals.h"
#include "cockpit/request.h"
#include "store/scene.h"

#include <stdio.h>
#include <string.h>

typedef struct scene_target_t {
  const char *name;
  char file[MAX_SCENE_NAME + 16]; // path of the file: "scenes/NAME.json"
} scene_target_t;

static bool choose_file(cockpit_o *cockpit, const json_t *request, scene_target_t *out, error_info_t *error) {
  char path[PATH_MAX_BYTES + 128], lua_file[MAX_SCENE_NAME + 16];
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  out->name = json_string_value(json_object_get(request, "scene"));
  if (!out->name || !game_files_is_scene_name(out->name))
    return request_reject_member(request, "scene", error, "a scene name (letters, digits, _ and -)");
  snprintf(out->file, sizeof out->file, "scenes/%s.json", out->name);
  snprintf(lua_file, sizeof lua_file, "scenes/%s.lua", out->name);
  if (path_exists(path_join(path, sizeof path, host_state.folder, lua_file)))
    return error_set(error, "scene %s already exists in Lua (%s): choose a different name", out->name, lua_file);
  if (path_exists(path_join(path, sizeof path, host_state.folder, out->file)) &&
      !json_is_true(json_object_get(request, "replace")))
    return error_set(error, "%s already exists: set “replace” to overwrite it", out->file);
  return true;
}

typedef ARRAY(shoal_entity) scene_entities_t;

static void add_members(cockpit_o *cockpit, world_o *w, const char *scene, scene_entities_t *out) {
  const manager_o *manager = world_find_manager(w, "in_scene");
  uint32_t name = strings_find(world_strings(w), scene);
  int32_t column = manager ? schema_find_field(&manager->schema, "name") : -1;
  for (uint32_t row = 0; column >= 0 && name && row < manager->count; ++row)
    if ((uint32_t)columns_get(&manager->columns, row, (uint32_t)column) == name)
      array_push(&cockpit->memory, out, manager->owner[row]);
}

static void add_all_entities(cockpit_o *cockpit, world_o *w, scene_entities_t *out) {
  const entities_t *entities = world_entities(w);
  for (uint32_t i = 1; i < entities->used; ++i)
    if (entities->alive[i])
      array_push(&cockpit->memory, out, i | (shoal_entity)entities->generation[i] << SHOAL_ENTITY_INDEX_BITS);
}

// Writes the file without a preview, because the request states whether an existing file may be replaced.
static bool write_scene(cockpit_o *cockpit, const scene_target_t *scene, const scene_entities_t *list,
                        error_info_t *error) {
  size_t bytes = 0;
  char *text = scene_write(host_game(cockpit->host)->world, list->items, list->count, &cockpit->memory, &bytes, error);
  if (!text)
    return false;
  file_changes_t files;
  json_writer_t stamp;
  char title[MAX_SCENE_NAME + 16];
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  snprintf(title, sizeof title, "scene %s", scene->name);
  file_changes_init(&files, &cockpit->memory, host_state.folder);
  json_writer_init(&stamp, &cockpit->memory);
  bool ok = file_changes_put(&files, scene->file, text, bytes, error);
  alloc_resize(&cockpit->memory, text, bytes + 1, 0);
  if (ok && file_changes_count(&files) > 0) {
    file_changes_write_stamp(&files, &stamp);
    ok = proposal_write_files(cockpit, &files, json_writer_text(&stamp), title, error) != 0;
  }
  json_writer_fini(&stamp);
  file_changes_fini(&files);
  return ok;
}

bool scene_save_entities(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error) {
  scene_target_t scene;
  scene_entities_t list = {0};
  game_o *game = host_game(cockpit->host);
  shoal_assert(!cockpit_is_read_only(cockpit), "a read-only cockpit cannot save a scene");
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  if (!choose_file(cockpit, request, &scene, error))
    return false;
  if (json_is_true(json_object_get(request, "all")))
    add_all_entities(cockpit, game->world, &list);
  else
    add_members(cockpit, game->world, scene.name, &list);
  bool ok = list.count > 0 || error_set(error, "scene %s has no entities: place an entity in it first", scene.name);
  ok = ok && write_scene(cockpit, &scene, &list, error);
  if (ok) {
    json_write_pair(out, "file", scene.file);
    json_write_integer_pair(out, "entities", list.count);
  }
  array_free(&cockpit->memory, &list);
  return ok;
}
