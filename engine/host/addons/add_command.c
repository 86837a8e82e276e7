// Implements `shoal add`: copies a new add-on, replaces an older version that has not been edited, and refuses to
// replace an edited version.
#include "addons/add_command.h"

#include "addons/addon_archive.h"
#include "addons/addon_install.h"
#include "addons/addon_lock.h"
#include "addons/game_addons.h"
#include "base/assert.h"
#include "base/confined_folder.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/portable_name.h"
#include "base/nearest_name.h"
#include "luajit/lua_edit.h"
#include "platform/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] = "expected ./shoal add PATH [--to GAME] [--replace] (see ./shoal add --help)";

// State of the game's copy in addons/NAME.
typedef enum copy_t {
  COPY_NONE,     // the folder does not exist
  COPY_SAME,     // same files as the source
  COPY_UNEDITED, // same files as in addons.lock
  COPY_EDITED,   // files differ from addons.lock
  COPY_UNLOCKED  // not listed in addons.lock
} copy_t;

typedef struct add_command_t {
  allocator_t memory;
  const char *argument, *game_argument; // PATH and GAME of the command line
  bool replaces;
  paths_t paths;
  char shipped_folder[FILE_PATH_BYTES];
  // Absolute paths. `addon_folder` is addons/NAME of the game.
  char source_path[FILE_PATH_BYTES], game_folder[PATH_MAX_BYTES], addon_folder[FILE_PATH_BYTES];
  addon_files_t files;
  addon_info_t info;
  addon_lock_t lock;
  game_addons_t addons;
  bool has_addons;
  copy_t copy;
  char installed_version[ADDON_VERSION_BYTES]; // version of the game's copy; "" if unknown
  json_writer_t changes;                       // differences between the game's copy and addons.lock
  char kept_path[160]; // new path of the edited folder, relative to the game; "" if it is not moved
} add_command_t;

// --- arguments

static bool parse_arguments(add_command_t *add, int argc, const char *const *argv, error_info_t *error) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--replace") == 0) {
      add->replaces = true;
    } else if (strcmp(argv[i], "--to") == 0 && i + 1 < argc) {
      add->game_argument = argv[++i];
    } else if (strncmp(argv[i], "--to=", 5) == 0) {
      add->game_argument = argv[i] + 5;
    } else if (argv[i][0] == '-') {
      nearest_name_init(&nearest, argv[i]);
      nearest_name_offer(&nearest, "--replace");
      nearest_name_offer(&nearest, "--to");
      return error_set(error, strcmp(argv[i], "--to") == 0 ? "%s requires a game%s" : "unknown option “%s”%s", argv[i],
                       nearest_name_hint(&nearest, hint, sizeof hint));
    } else if (add->argument) {
      return error_set(error, "expected one add-on, got “%s” and “%s”", add->argument, argv[i]);
    } else {
      add->argument = argv[i];
    }
  }
  return add->argument || error_set(error, "%s", USAGE);
}

// Finds the game: a folder or, if `target` is not a folder with a game, the name of a game shipped with Shoal.
static bool resolve_game(add_command_t *add, error_info_t *error) {
  char file[FILE_PATH_BYTES];
  const char *target = add->game_argument ? add->game_argument : ".";
  path_join(file, sizeof file, target, "game.lua");
  if (!add->game_argument && !file_exists(file))
    return error_set(error, "the current folder is not a game: use --to GAME");
  bool is_name = !strchr(target, '/') && target[0] != '.' && !file_exists(file);
  return is_name ? paths_find_game(&add->paths, target, add->game_folder, error)
                 : paths_resolve_game_folder(target, add->game_folder, error);
}

// --- the source

static bool read_source(add_command_t *add, error_info_t *error) {
  char addons[FILE_PATH_BYTES];
  if (!path_resolve(add->argument, add->source_path))
    return error_set(error, "%s: %s", add->argument, errno == ENOENT ? "file not found" : strerror(errno));
  if (paths_is_below(add->source_path, path_join(addons, sizeof addons, add->game_folder, "addons")))
    return error_set(error, "%s is already in addons/ of the game: list it in game.lua", add->argument);
  if (paths_is_below(add->game_folder, add->source_path))
    return error_set(error, "%s contains the game: move the add-on to a different folder", add->argument);
  bool ok = file_is_folder(add->source_path) ? addon_files_read(&add->files, add->source_path, true, error)
                                             : addon_archive_read(&add->files, add->argument, error);
  if (!ok)
    return false;
  const addon_file_t *info_file = addon_files_find(&add->files, "addon.lua");
  error_info_t reason = {0};
  if (!addon_files_check_names(&add->files, &reason))
    return error_set(error, "%s: %s", add->argument, reason.text);
  if (!info_file)
    return error_set(error,
                     "%s is not an add-on: it has no addon.lua: create it with "
                     "return { name = \"…\", version = \"1.0.0\" }",
                     add->argument);
  for (uint32_t i = 0; i < add->files.files.count; ++i) {
    const addon_file_t *source_file = &add->files.files.items[i];
    if (path_ends_with(source_file->path, ".lua") &&
        !lua_source_check_size(source_file->path, source_file->bytes, &reason))
      return error_set(error, "%s: %s", add->argument, reason.text);
  }
  if (!addon_info_parse(&add->memory, info_file->data, info_file->bytes, &add->info, &reason))
    return error_set(error, "%s: %s", add->argument, reason.text);
  char wrong[sizeof add->info.name];
  const char *fault = portable_name_find_fault(add->info.name, wrong, sizeof wrong);
  return !fault || error_set(error, "%s: invalid name “%s” in addon.lua: %s", add->argument, wrong, fault);
}

// Writes the path of the source relative to the game, so that addons.lock does not depend on the machine.
static void format_relative_source(const add_command_t *add, char *out, size_t bytes) {
  size_t common = 0, length = 0;
  for (size_t i = 0;; ++i) {
    bool game_ends = add->game_folder[i] == '/' || add->game_folder[i] == '\0',
         source_end = add->source_path[i] == '/' || add->source_path[i] == '\0';
    if (game_ends && source_end)
      common = i;
    if (add->game_folder[i] != add->source_path[i] || add->game_folder[i] == '\0')
      break;
  }
  out[0] = '\0';
  for (const char *c = add->game_folder + common; *c && length + 4 < bytes; ++c)
    if (*c == '/' && c[1])
      length += (size_t)snprintf(out + length, bytes - length, "../");
  snprintf(out + length, bytes - length, "%s", add->source_path + common + (add->source_path[common] == '/'));
}

// --- the game's copy

static bool classify_installed_copy(add_command_t *add, error_info_t *error) {
  const addon_locked_t *locked = addon_lock_find(&add->lock, add->info.name);
  addon_files_t installed_files;
  file_status_t status;
  if (!file_status_of_link(add->addon_folder, &status))
    return errno == ENOENT || error_set(error, "cannot read %s: %s", add->addon_folder, strerror(errno));
  if (status.type != FILE_TYPE_FOLDER)
    return error_set(error, "%s: expected a folder, got a link or a file: remove it", add->addon_folder);
  addon_files_init(&installed_files, &add->memory);
  bool ok = addon_files_read(&installed_files, add->addon_folder, false, error);
  addon_info_t installed;
  error_info_t reason = {0};
  if (ok && addon_info_read(&add->memory, add->addon_folder, &installed, &reason))
    snprintf(add->installed_version, sizeof add->installed_version, "%s", installed.version);
  else if (ok && reason.may_be_unfinished && addon_files_find(&installed_files, "addon.lua"))
    ok = error_set(error, "%s", reason.text);
  if (addon_files_compare(&add->files, &installed_files, NULL) == 0)
    add->copy = COPY_SAME;
  else if (!locked)
    add->copy = COPY_UNLOCKED;
  else
    add->copy = addon_files_compare(&locked->files, &installed_files, &add->changes) == 0 ? COPY_UNEDITED : COPY_EDITED;
  addon_files_fini(&installed_files);
  return ok;
}

// Returns true if the game's copy may be replaced, or false with a message otherwise.
static bool check_replacement(add_command_t *add, error_info_t *error) {
  const char *name = add->info.name;
  if (add->replaces || add->copy == COPY_NONE || add->copy == COPY_SAME)
    return true;
  if (add->copy == COPY_EDITED)
    return error_set(error, "addons/%s has been edited: use --replace to install version %s and keep the edited folder",
                     name, add->info.version);
  if (add->copy == COPY_UNLOCKED)
    return error_set(error,
                     "addons/%s exists but is not listed in addons.lock: use --replace to install version %s and keep "
                     "the old folder",
                     name, add->info.version);
  return !add->installed_version[0] || addon_version_compare(add->installed_version, add->info.version) <= 0 ||
         error_set(error, "the game has the newer version %s of %s: use --replace to install version %s",
                   add->installed_version, name, add->info.version);
}

// Chooses an unused path for the edited folder: addons/.replaced/glow-1.0.0, glow-1.0.0-2, …
static void choose_kept_path(add_command_t *add) {
  enum { MAX_KEPT = 10000 };
  char path[FILE_PATH_BYTES];
  const char *version = add->installed_version[0] ? add->installed_version : "unknown";
  for (unsigned i = 1; i == 1 || (i < MAX_KEPT && path_exists(path)); ++i) {
    snprintf(add->kept_path, sizeof add->kept_path, i == 1 ? "addons/.replaced/%s-%s" : "addons/.replaced/%s-%s-%u",
             add->info.name, version, i);
    path_join(path, sizeof path, add->game_folder, add->kept_path);
  }
}

// --- adding

static bool prepare_install(add_command_t *add, error_info_t *error) {
  if (!addon_lock_read(&add->lock, add->game_folder, error) || !read_source(add, error))
    return false;
  add->has_addons = true;
  path_join(add->addon_folder, sizeof add->addon_folder,
            path_join(add->addon_folder, sizeof add->addon_folder, add->game_folder, "addons"), add->info.name);
  return game_addons_read(&add->addons, &add->memory, add->game_folder, add->shipped_folder, error) &&
         classify_installed_copy(add, error) && check_replacement(add, error);
}

// Prepares the new contents of addons.lock and game.lua. The text of a file that does not change stays empty. Returns
// true on success, or false with a message.
static bool write_text_files(add_command_t *add, addon_text_t text_files[2], error_info_t *error) {
  char source[sizeof add->lock.addons.items->source];
  format_relative_source(add, source, sizeof source);
  addon_lock_remove_missing(&add->lock, add->game_folder);
  addon_lock_set(&add->lock, add->info.name, add->info.version, source, &add->files);
  path_join(text_files[0].path, sizeof text_files[0].path, add->game_folder, ADDON_LOCK);
  if (!addon_lock_write(&add->lock, &text_files[0].text))
    return error_set(error, "%s: the path is not valid UTF-8", add->argument);
  if (game_addons_find(&add->addons, add->info.name))
    return true;
  const char *file = game_addons_add(&add->addons, add->info.name, error)
                         ? game_addons_write(&add->addons, &text_files[1].text, error)
                         : NULL;
  if (file)
    path_join(text_files[1].path, sizeof text_files[1].path, add->game_folder, file);
  return file != NULL;
}

static void print_result(add_command_t *add, bool listed) {
  const char *name = add->info.name, *version = add->info.version;
  json_writer_t lines;
  json_writer_init(&lines, &add->memory);
  if (add->copy == COPY_SAME && !listed)
    printf("%s %s is already in %s\n", name, version, add->game_folder);
  else if (add->copy == COPY_NONE || add->copy == COPY_SAME)
    printf("added %s %s to %s: addons/%s, %u files\n", name, version, add->game_folder, name, add->files.files.count);
  else
    printf("replaced %s %s with version %s in %s\n", name, add->installed_version, version, add->game_folder);
  if (add->kept_path[0])
    printf("the previous folder is now %s\n", add->kept_path);
  if (game_addons_check_requirements(&add->addons, &add->info, &lines) > 0) {
    fflush(stdout);
    char *text = json_writer_detach_text(&lines);
    size_t bytes = strlen(text) + 1;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
      fprintf(stderr, "warn: %s\n", line);
    alloc_resize(&add->memory, text, bytes, 0);
  }
  json_writer_fini(&lines);
}

static bool install_addon(add_command_t *add, error_info_t *error) {
  addon_text_t text_files[2] = {0};
  for (uint32_t i = 0; i < 2; ++i)
    json_writer_init(&text_files[i].text, &add->memory);
  if (add->copy == COPY_EDITED || add->copy == COPY_UNLOCKED)
    choose_kept_path(add);
  addon_install_t install = {.memory = &add->memory,
                             .game = add->game_folder,
                             .name = add->info.name,
                             .files = add->copy == COPY_SAME ? NULL : &add->files,
                             .kept_path = add->kept_path[0] ? add->kept_path : NULL,
                             .text_files = text_files,
                             .text_count = 2};
  bool ok = write_text_files(add, text_files, error) && addon_install_run(&install, error);
  if (ok)
    print_result(add, text_files[1].text.text.count > 0);
  for (uint32_t i = 0; i < 2; ++i)
    json_writer_fini(&text_files[i].text);
  return ok;
}

int add_command_run(int argc, const char *const *argv) {
  static add_command_t add;
  error_info_t error = {0};
  addon_files_init(&add.files, &add.memory);
  addon_lock_init(&add.lock, &add.memory);
  json_writer_init(&add.changes, &add.memory);
  bool ok = parse_arguments(&add, argc, argv, &error) && paths_find_installation(&add.paths, argv[0], &error) &&
            resolve_game(&add, &error);
  int lock = ok ? addon_install_lock(add.game_folder, &error) : -1;
  if (lock >= 0) {
    confine_folder(add.game_folder);
    path_join(add.shipped_folder, sizeof add.shipped_folder, add.paths.root, "scripts/addons");
    ok = prepare_install(&add, &error) && install_addon(&add, &error);
    file_system_close(lock);
  }
  ok = ok && lock >= 0;
  if (!ok)
    fprintf(stderr, "shoal: add: %s\n%s", error.text, json_writer_text(&add.changes));
  if (add.has_addons)
    game_addons_fini(&add.addons);
  json_writer_fini(&add.changes);
  addon_lock_fini(&add.lock);
  addon_files_fini(&add.files);
  shoal_assert(add.memory.bytes == 0, "shoal add leaked %zu bytes", add.memory.bytes);
  return ok ? 0 : 2;
}
