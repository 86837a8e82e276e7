// Finds the installation from the location of the executable, and games by name or folder.
#include "platform/paths.h"

#include "base/archive.h"
#include "base/assert.h"
#include "base/file_status.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "base/program_path.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool use_root_if_valid(paths_t *paths, const char *root) {
  char engine[FILE_PATH_BYTES];
  path_join(engine, sizeof engine, root, "scripts/shoal");
  if (strlen(engine) + sizeof "/menu" > PATH_MAX_BYTES || !file_is_folder(engine))
    return false;
  memcpy(paths->root, root, strlen(root) + 1); // cannot overflow: `engine` is longer
  path_join(paths->engine, sizeof paths->engine, root, "scripts/shoal");
  path_join(paths->games, sizeof paths->games, root, "scripts/games");
  path_join(paths->examples, sizeof paths->examples, root, "scripts/examples");
  path_join(paths->menu, sizeof paths->menu, root, "scripts/shoal/menu");
  path_join(paths->assets, sizeof paths->assets, root, "assets");
  return true;
}

// Returns true if both files exist and `path` is not older than `reference`. Compiled scripts older than the program
// may contain incompatible bytecode of a different LuaJIT version.
static bool is_up_to_date(const char *path, const char *reference) {
  file_status_t status, reference_status;
  return file_status(path, &status) && file_status(reference, &reference_status) &&
         status.modified_ns >= reference_status.modified_ns;
}

// Uses the files next to the executable's folder. For build/release/bin/shoal, these are build/release/plugins and, if
// it is up to date, build/release/shoal.code.
static void use_build_files(paths_t *paths, const char *executable) {
  char folder[FILE_PATH_BYTES];
  snprintf(folder, sizeof folder, "%s", executable);
  for (int i = 0; i < 2; ++i) {
    char *slash = strrchr(folder, '/');
    if (!slash)
      return;
    *slash = 0;
  }
  if (strlen(folder) + sizeof "/plugins" <= PATH_MAX_BYTES)
    path_join(paths->plugins, sizeof paths->plugins, folder, "plugins");
  if (strlen(folder) + sizeof "/shoal.code" <= PATH_MAX_BYTES)
    path_join(paths->code, sizeof paths->code, folder, "shoal.code");
  if (paths->code[0] && !is_up_to_date(paths->code, executable))
    paths->code[0] = '\0';
}

// If the root is PREFIX/share/shoal, stores the paths of PREFIX/lib/shoal/plugins and, if they are up to date, of the
// compiled scripts.
static void use_installed_files(paths_t *paths, const char *executable) {
  static const char suffix[] = "/share/shoal";
  size_t length = strlen(paths->root), prefix_length = length - (sizeof suffix - 1);
  if (length < sizeof suffix - 1 || strcmp(paths->root + prefix_length, suffix) != 0 || length + 24 > PATH_MAX_BYTES)
    return;
  snprintf(paths->plugins, sizeof paths->plugins, "%.*s/lib/shoal/plugins", (int)prefix_length, paths->root);
  snprintf(paths->code, sizeof paths->code, "%.*s/lib/shoal/shoal.code", (int)prefix_length, paths->root);
  if (!executable || !is_up_to_date(paths->code, executable))
    paths->code[0] = '\0';
}

static bool find_root(paths_t *p, const char *folder) {
  char installed[FILE_PATH_BYTES];
  path_join(installed, sizeof installed, folder, "share/shoal");
  return use_root_if_valid(p, folder) || use_root_if_valid(p, installed);
}

static bool use_packaged_files(paths_t *paths, const char *archive, error_info_t *error) {
  char folder[FILE_PATH_BYTES];
  snprintf(folder, sizeof folder, "%s", archive);
  *strrchr(folder, '/') = '\0';
  if (!use_root_if_valid(paths, archive) || strlen(archive) + sizeof "/shoal.code" > PATH_MAX_BYTES)
    return error_set(error, "the path of the game folder is too long: move the game to a shorter path than %s", folder);
  path_join(paths->plugins, sizeof paths->plugins, folder, "plugins");
  // The file is part of the archive, so it always matches the program.
  path_join(paths->code, sizeof paths->code, archive, "shoal.code");
  return true;
}

bool paths_find_installation(paths_t *paths, const char *program, error_info_t *error) {
  shoal_assert(paths && program, "paths and program must not be NULL");
  *paths = (paths_t){0};
  if (archive_path())
    return use_packaged_files(paths, archive_path(), error);
  const char *root_variable = getenv("SHOAL_ROOT");
  char path[FILE_PATH_BYTES];
  if (program_path_find(program, path))
    use_build_files(paths, path);
  if (root_variable && root_variable[0]) {
    if (path_resolve(root_variable, path) && use_root_if_valid(paths, path))
      return true;
    return error_set(error, "SHOAL_ROOT: %s does not contain scripts/shoal: set SHOAL_ROOT to the folder that does",
                     root_variable);
  }
  if (!program_path_find(program, path) && !program_path_find_folder(path))
    return error_set(error, "installation not found: set SHOAL_ROOT to the folder that contains scripts/shoal");
  char executable[FILE_PATH_BYTES];
  memcpy(executable, path, sizeof executable);
  for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
    *slash = 0;
    if (find_root(paths, path[0] ? path : "/")) {
      use_installed_files(paths, executable);
      return true;
    }
  }
  return error_set(error, "no folder above %s contains scripts/shoal: set SHOAL_ROOT to the folder that does",
                   executable);
}

bool paths_use_root(paths_t *paths, const char *root, error_info_t *error) {
  shoal_assert(paths && root, "paths and root must not be NULL");
  char path[FILE_PATH_BYTES];
  *paths = (paths_t){0};
  if (!path_resolve(root, path) || !find_root(paths, path))
    return error_set(error, "%s does not contain scripts/shoal: pass the folder that does", root);
  if (strlen(paths->root) + sizeof "/build/release/plugins" <= PATH_MAX_BYTES)
    path_join(paths->plugins, sizeof paths->plugins, paths->root, "build/release/plugins");
  use_installed_files(paths, NULL);
  return true;
}

// Appends the number of the last step to the path of a tutorial folder (FILE_PATH_BYTES bytes), whose subfolders 1, 2,
// … are games.
static void use_last_step(char *path) {
  enum { MAX_STEPS = 1000 };
  char file[FILE_PATH_BYTES + 32];
  size_t length = strlen(path);
  for (int step = 1; step <= MAX_STEPS && length + 16 < PATH_MAX_BYTES; ++step) {
    snprintf(file, sizeof file, "%.*s/%d/game.lua", (int)length, path, step);
    if (!file_exists(file))
      return;
    snprintf(path + length, FILE_PATH_BYTES - length, "/%d", step);
  }
}

bool paths_resolve_game_folder(const char *folder, char *out, error_info_t *error) {
  shoal_assert(folder && out, "folder and out must not be NULL");
  char path[FILE_PATH_BYTES], file[FILE_PATH_BYTES];
  if (!path_resolve(folder, path)) {
    if (errno == ENOENT || errno == ENOTDIR)
      return error_set(error, "folder not found: “%s”", folder);
    return error_set(error, "cannot read the folder “%s”: %s", folder, strerror(errno));
  }
  if (!file_is_folder(path))
    return error_set(error, "“%s” is a file: expected a game folder", folder);
  if (!file_status_permits(path, FILE_USE_READ | FILE_USE_EXECUTE))
    return error_set(error, "cannot read the folder “%s”: %s", folder, strerror(errno));
  if (!file_exists(path_join(file, sizeof file, path, "game.lua")))
    use_last_step(path);
  path_join(file, sizeof file, path, "game.lua");
  if (!file_exists(file))
    return error_set(error, "“%s” has no game.lua: pass the folder that contains game.lua", folder);
  if (!file_status_permits(file, FILE_USE_READ))
    return error_set(error, "cannot read “%s/game.lua”: %s", folder, strerror(errno));
  if (strlen(path) >= PATH_MAX_BYTES)
    return error_set(error, "the path of “%s” is too long: %zu bytes (at most %d): move the folder to a shorter path",
                     folder, strlen(path), PATH_MAX_BYTES - 1);
  memcpy(out, path, strlen(path) + 1);
  return true;
}

// Writes the title of a game as a name to `out`: "rockfall", "rpg_battle". Writes "" if game.lua does not contain it as
// a literal.
static void read_title(const char *folder, const char *game, char *out, size_t bytes) {
  char path[FILE_PATH_BYTES], text[4096];
  snprintf(path, sizeof path, "%s/%s/game.lua", folder, game);
  text[file_read_start(path, text, sizeof text - 1)] = '\0';
  const char *title = strstr(text, "title = \"");
  title = title ? title + sizeof "title = \"" - 1 : "";
  size_t length = strcspn(title, "\"");
  snprintf(out, bytes, "%.*s", (int)(length < bytes ? length : 0), title);
  for (char *c = out; *c; ++c)
    *c = *c == ' ' ? '_' : (char)tolower((unsigned char)*c);
}

// Called for each game in a folder until it returns true. `name`: name of the game's folder; `title`: title of the
// game, written as a name.
typedef bool visit_game_f(void *user, const char *name, const char *title);
static bool visit_games(const char *folder, visit_game_f *visit, void *user) {
  allocator_t memory = {0};
  file_list_t list = {0};
  bool is_done = false;
  if (file_list(&memory, folder, "/game.lua", &list, NULL))
    for (uint32_t i = 0; i < list.count && !is_done; ++i) {
      char *slash = strrchr(list.paths[i], '/'), title[64];
      if (strchr(list.paths[i], '/') != slash)
        continue;
      *slash = '\0';
      read_title(folder, list.paths[i], title, sizeof title);
      is_done = visit(user, list.paths[i], title);
      *slash = '/';
    }
  file_list_free(&memory, &list);
  return is_done;
}

typedef struct title_search_t {
  const char *title;
  char name[64]; // result: the name of the game's folder
} title_search_t;

static bool compare_title(void *user, const char *name, const char *title) {
  title_search_t *search = user;
  snprintf(search->name, sizeof search->name, "%s", name);
  return strcmp(title, search->title) == 0;
}

static bool offer_game(void *user, const char *name, const char *title) {
  nearest_name_offer(user, name);
  if (title[0])
    nearest_name_offer(user, title);
  return false;
}

static const char *format_game_hint(const paths_t *p, const char *name, char *out, uint32_t out_bytes) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  visit_games(p->games, offer_game, &nearest);
  visit_games(p->examples, offer_game, &nearest);
  return nearest.best[0] ? nearest_name_hint(&nearest, out, out_bytes)
                         : ": use the name of a game, or the path of a folder with a game.lua";
}

bool paths_find_game(const paths_t *paths, const char *name, char *out, error_info_t *error) {
  shoal_assert(name && out, "name and out must not be NULL");
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  char folder[FILE_PATH_BYTES];
  path_join(folder, sizeof folder, paths->games, name);
  if (!file_is_folder(folder))
    path_join(folder, sizeof folder, paths->examples, name);
  bool is_name = name[0] && !strchr(name, '/') && name[0] != '.', found = is_name && file_is_folder(folder);
  title_search_t search = {.title = name};
  if (is_name && !found && visit_games(paths->games, compare_title, &search)) {
    path_join(folder, sizeof folder, paths->games, search.name);
    found = true;
  }
  if (!found && !error)
    return false; // skips the search for similar names, which would read all games
  if (!found)
    return error_set(error, "unknown game “%s”%s", name, format_game_hint(paths, name, hint, sizeof hint));
  return paths_resolve_game_folder(folder, out, error);
}

bool paths_find_game_or_folder(const paths_t *paths, const char *target, char *out, error_info_t *error) {
  char file[FILE_PATH_BYTES], hint[NEAREST_NAME_MAX_BYTES + 32];
  if (paths_find_game(paths, target, out, NULL))
    return true;
  path_join(file, sizeof file, target, "game.lua");
  bool is_path = strchr(target, '/') || target[0] == '.' || file_exists(file);
  if (!is_path)
    return paths_find_game(paths, target, out, error);
  if (paths_resolve_game_folder(target, out, error))
    return true;
  const char *name = strrchr(target, '/');
  size_t length = strlen(error->text);
  snprintf(error->text + length, sizeof error->text - length, "%s",
           format_game_hint(paths, name ? name + 1 : target, hint, sizeof hint));
  return false;
}

bool paths_is_ambiguous(const char *target, const char *folder) {
  char other[PATH_MAX_BYTES];
  error_info_t error = {0};
  return !strchr(target, '/') && paths_resolve_game_folder(target, other, &error) && strcmp(other, folder) != 0;
}

bool paths_is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}
