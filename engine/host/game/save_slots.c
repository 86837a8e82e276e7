// Finds and reads a game's saves.
#include "game/save_slots.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "base/user_folders.h"
#include "game/game.h"
#include "game/temporary_saves.h"
#include "platform/paths.h"
#include "store/save_list.h"

#include <stdio.h>
#include <string.h>

// Returns the name of the folder for saves: game.lua's `id`, or the name of the game's folder.
const char *save_slots_id(const game_o *g) {
  const char *slash = strrchr(g->folder, '/');
  return g->config.id[0] ? g->config.id : slash ? slash + 1 : g->folder;
}

// Checks that the folder belongs to this game. Folders of two games may have the same name, so the title of the game is
// stored with the saves. A unique id in game.lua avoids the conflict.
static bool check_title(const game_o *g, const char *folder, error_info_t *error) {
  allocator_t memory = {0};
  char path[PATH_MAX_BYTES + 8];
  size_t size = 0;
  path_join(path, sizeof path, folder, ".title");
  char *title = NULL;
  if (!g->config.id[0] && !file_read_optional(&memory, path, &title, &size, error))
    return false;
  bool matches = !title || strcmp(title, g->config.title) == 0;
  if (!matches)
    error_set(error,
              "the saves of %s belong to the game “%.60s”, but this is “%.60s”: set a unique id in game.lua, or id = "
              "\"%s\" if both are the same game",
              save_slots_id(g), title, g->config.title, save_slots_id(g));
  file_free(&memory, title, size);
  return matches;
}

static bool write_title(const game_o *g, const char *folder, error_info_t *error) {
  char path[PATH_MAX_BYTES + 8];
  path_join(path, sizeof path, folder, ".title");
  return file_exists(path) || file_write(path, g->config.title, strlen(g->config.title), error);
}

// Writes the path of the user's folder for saves, in ~/.local/share if XDG_DATA_HOME is not an absolute path. Returns
// true on success, or false with an error.
static bool find_user_folder_of(const char *id, char *out, size_t bytes, error_info_t *error) {
  char relative[sizeof "shoal/saves/" + PATH_MAX_BYTES];
  snprintf(relative, sizeof relative, "shoal/saves/%.*s", PATH_MAX_BYTES - 1, id);
  int length = user_folder_find(USER_FOLDER_DATA, relative, out, bytes);
  if (length < 0)
    return error_set(error, "cannot find a folder for saves: set HOME or XDG_DATA_HOME");
  return (length > 0 && (size_t)length < bytes) ||
         error_set(error,
                   "the path of the saves folder is too long (at most %zu bytes): set XDG_DATA_HOME to a shorter path",
                   bytes - 1);
}

static bool find_user_folder(const game_o *g, char *out, size_t bytes, error_info_t *error) {
  return find_user_folder_of(save_slots_id(g), out, bytes, error);
}

bool save_slots_folder(const game_o *g, char *out, size_t bytes, error_info_t *error) {
  char folder[PATH_MAX_BYTES];
  if (!find_user_folder(g, folder, sizeof folder, error))
    return false;
  if (g->desc.temporary_saves)
    temporary_saves_find(g->desc.temporary_saves, save_slots_id(g), folder, out, bytes);
  else
    snprintf(out, bytes, "%s", folder);
  return true;
}

static bool prepare_folder(const game_o *g, char *out, size_t bytes, error_info_t *error) {
  char folder[PATH_MAX_BYTES];
  if (g->desc.temporary_saves)
    return find_user_folder(g, folder, sizeof folder, error) &&
           temporary_saves_prepare(g->desc.temporary_saves, save_slots_id(g), folder, out, bytes, error);
  return find_user_folder(g, out, bytes, error) && file_create_folders(out, error);
}

static bool format_path(const char *folder, const char *name, const char *suffix, char *out, size_t bytes,
                        error_info_t *error) {
  int length = snprintf(out, bytes, "%s/%s%s", folder, name, suffix);
  return (length > 0 && (size_t)length < bytes) ||
         error_set(error, "the path of %s%s is too long (at most %zu bytes): choose a shorter name", name, suffix,
                   bytes - 1);
}

bool save_slots_path(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes,
                     error_info_t *error) {
  char folder[PATH_MAX_BYTES];
  return save_slots_folder(g, folder, sizeof folder, error) && check_title(g, folder, error) &&
         format_path(folder, name, suffix, out, bytes, error);
}

bool save_slots_prepare(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes,
                        error_info_t *error) {
  char folder[PATH_MAX_BYTES];
  return prepare_folder(g, folder, sizeof folder, error) && check_title(g, folder, error) &&
         write_title(g, folder, error) && format_path(folder, name, suffix, out, bytes, error);
}

bool save_slots_prepare_user_path(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes,
                                  error_info_t *error) {
  char folder[PATH_MAX_BYTES];
  return find_user_folder(g, folder, sizeof folder, error) && file_create_folders(folder, error) &&
         format_path(folder, name, suffix, out, bytes, error);
}

bool save_slots_find_user_path(const char *id, const char *name, const char *suffix, char *out, size_t bytes,
                               error_info_t *error) {
  char folder[PATH_MAX_BYTES];
  return find_user_folder_of(id, folder, sizeof folder, error) && format_path(folder, name, suffix, out, bytes, error);
}

const char *save_slots_hint(const char *path, const char *name, const char *suffix, char *out) {
  shoal_assert(strlen(path) > strlen(name) + strlen(suffix), "%s must end with /%s%s", path, name, suffix);
  char folder[PATH_MAX_BYTES + 80];
  allocator_t memory = {0};
  file_list_t list = {0};
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen(name) - strlen(suffix) - 1), path);
  if (file_list(&memory, folder, suffix, &list, NULL))
    for (uint32_t i = 0; i < list.count; ++i) {
      char slot[NEAREST_NAME_MAX_BYTES];
      snprintf(slot, sizeof slot, "%.*s", (int)(strlen(list.paths[i]) - strlen(suffix)), list.paths[i]);
      nearest_name_offer(&nearest, slot);
    }
  file_list_free(&memory, &list);
  return nearest_name_hint(&nearest, out, NEAREST_NAME_MAX_BYTES + 32);
}

bool save_slots_read(void *context, const char *name, allocator_t *a, void **bytes, size_t *size, error_info_t *error) {
  char path[PATH_MAX_BYTES + 80], hint[NEAREST_NAME_MAX_BYTES + 32];
  *bytes = NULL;
  if (!save_slots_path(context, name, ".sqlite", path, sizeof path, error))
    return false;
  if (!path_exists(path))
    return error_set(error, "save %s not found%s", name, save_slots_hint(path, name, ".sqlite", hint));
  *bytes = file_read(a, path, size, error);
  return *bytes != NULL;
}

bool save_slots_list(void *context, const char *key, allocator_t *a, void **bytes, size_t *size, error_info_t *error) {
  char folder[PATH_MAX_BYTES + 80];
  (void)key;
  *bytes = save_slots_path(context, "", "", folder, sizeof folder, error)
               ? save_list_slots(a, folder, save_slots_id(context), size, error)
               : NULL;
  return *bytes != NULL;
}
