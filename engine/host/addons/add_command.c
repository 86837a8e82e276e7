// Decides what `shoal add` does: copies a new add-on, replaces an older unedited one, refuses to replace an edited one.
#include "addons/add_command.h"

#include "addons/addon_archive.h"
#include "addons/addon_install.h"
#include "addons/addon_lock.h"
#include "addons/game_addons.h"
#include "base/assert.h"
#include "base/confined_folder.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "luajit/lua_edit.h"
#include "platform/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char USAGE[] = "expected ./shoal add PATH [--to GAME] [--replace] (see ./shoal add --help)";

// State of the game's copy in addons/NAME.
typedef enum copy_t {
  COPY_NONE,     // the folder does not exist
  COPY_SAME,     // same files as the source
  COPY_UNEDITED, // same files as in addons.lock
  COPY_EDITED,   // files differ from addons.lock
  COPY_UNLOCKED  // not listed in addons.lock
} copy_t;

typedef struct adding_t {
  allocator_t memory;
  const char *argument, *to; // PATH and GAME of the command line
  bool replace;
  paths_t paths;
  char shipped[PATH_MAX];
  char source[PATH_MAX], game[PATH_MAX_BYTES], folder[PATH_MAX]; // absolute; folder: addons/NAME of the game
  addon_files_t files;
  addon_info_t info;
  addon_lock_t lock;
  game_addons_t addons;
  bool has_addons;
  copy_t copy;
  char before[ADDON_VERSION_BYTES]; // version of the game's copy; "" if unknown
  json_writer_t changes;            // differences between the game's copy and addons.lock
  char kept[160];                   // new path of the edited folder, relative to the game; "" if it is not moved
} adding_t;

// --- arguments

static bool parse_arguments(adding_t *x, int argc, const char *const *argv, error_info_t *error) {
  char hint[SIMILAR_MAX + 32];
  nearest_name_t nearest;
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--replace") == 0) {
      x->replace = true;
    } else if (strcmp(argv[i], "--to") == 0 && i + 1 < argc) {
      x->to = argv[++i];
    } else if (strncmp(argv[i], "--to=", 5) == 0) {
      x->to = argv[i] + 5;
    } else if (argv[i][0] == '-') {
      nearest_name_init(&nearest, argv[i]);
      nearest_name_offer(&nearest, "--replace");
      nearest_name_offer(&nearest, "--to");
      return error_set(error, strcmp(argv[i], "--to") == 0 ? "%s requires a game%s" : "unknown option “%s”%s", argv[i],
                       nearest_name_hint(&nearest, hint, sizeof hint));
    } else if (x->argument) {
      return error_set(error, "expected one add-on, got “%s” and “%s”", x->argument, argv[i]);
    } else {
      x->argument = argv[i];
    }
  }
  return x->argument || error_set(error, "%s", USAGE);
}

// Finds the game: a folder or, if `to` is not a folder with a game, the name of a game shipped with Shoal.
static bool resolve_game(adding_t *x, error_info_t *error) {
  char file[PATH_MAX];
  const char *to = x->to ? x->to : ".";
  path_join(file, sizeof file, to, "game.lua");
  if (!x->to && !file_exists(file))
    return error_set(error, "the current folder is not a game: use --to GAME");
  bool is_name = !strchr(to, '/') && to[0] != '.' && !file_exists(file);
  return is_name ? paths_find_game(&x->paths, to, x->game, error) : paths_resolve_game_folder(to, x->game, error);
}

// --- the source

static bool read_source(adding_t *x, error_info_t *error) {
  char addons[PATH_MAX];
  if (!realpath(x->argument, x->source))
    return error_set(error, "%s: %s", x->argument, errno == ENOENT ? "file not found" : strerror(errno));
  if (paths_is_below(x->source, path_join(addons, sizeof addons, x->game, "addons")))
    return error_set(error, "%s is already in addons/ of the game: list it in game.lua", x->argument);
  if (paths_is_below(x->game, x->source))
    return error_set(error, "%s contains the game: move the add-on to another folder", x->argument);
  bool ok = file_is_folder(x->source) ? addon_files_read(&x->files, x->source, true, error)
                                      : addon_archive_read(&x->files, x->argument, error);
  if (!ok)
    return false;
  const addon_file_t *file = addon_files_find(&x->files, "addon.lua");
  error_info_t why = {0};
  if (!file)
    return error_set(error,
                     "%s is not an add-on: it has no addon.lua: create it with "
                     "return { name = \"…\", version = \"1.0.0\" }",
                     x->argument);
  for (uint32_t i = 0; i < x->files.files.count; ++i) {
    const addon_file_t *f = &x->files.files.items[i];
    if (path_ends_with(f->path, ".lua") && !lua_source_check_size(f->path, f->bytes, &why))
      return error_set(error, "%s: %s", x->argument, why.text);
  }
  return addon_info_parse(&x->memory, file->data, file->bytes, &x->info, &why) ||
         error_set(error, "%s: %s", x->argument, why.text);
}

// Writes the path of the source relative to the game, so that addons.lock does not depend on the machine.
static void format_relative_source(const adding_t *x, char *out, size_t bytes) {
  size_t same = 0, at = 0;
  for (size_t i = 0;; ++i) {
    bool end = x->game[i] == '/' || x->game[i] == '\0', source_end = x->source[i] == '/' || x->source[i] == '\0';
    if (end && source_end)
      same = i;
    if (x->game[i] != x->source[i] || x->game[i] == '\0')
      break;
  }
  out[0] = '\0';
  for (const char *c = x->game + same; *c && at + 4 < bytes; ++c)
    if (*c == '/' && c[1])
      at += (size_t)snprintf(out + at, bytes - at, "../");
  snprintf(out + at, bytes - at, "%s", x->source + same + (x->source[same] == '/'));
}

// --- the game's copy

static bool classify_installed_copy(adding_t *x, error_info_t *error) {
  const addon_locked_t *locked = addon_lock_find(&x->lock, x->info.name);
  addon_files_t now;
  struct stat info;
  if (lstat(x->folder, &info) != 0)
    return true;
  if (!S_ISDIR(info.st_mode))
    return error_set(error, "%s: expected a folder, got a link or a file: remove it", x->folder);
  addon_files_init(&now, &x->memory);
  bool ok = addon_files_read(&now, x->folder, false, error);
  addon_info_t installed;
  if (ok && addon_info_read(&x->memory, x->folder, &installed, NULL))
    snprintf(x->before, sizeof x->before, "%s", installed.version);
  if (addon_files_compare(&x->files, &now, NULL) == 0)
    x->copy = COPY_SAME;
  else if (!locked)
    x->copy = COPY_UNLOCKED;
  else
    x->copy = addon_files_compare(&locked->files, &now, &x->changes) == 0 ? COPY_UNEDITED : COPY_EDITED;
  addon_files_fini(&now);
  return ok;
}

// Returns false with a message if the game's copy must not be replaced.
static bool check_replacement(adding_t *x, error_info_t *error) {
  const char *name = x->info.name;
  if (x->replace || x->copy == COPY_NONE || x->copy == COPY_SAME)
    return true;
  if (x->copy == COPY_EDITED)
    return error_set(error, "addons/%s has been edited: use --replace to install version %s and keep the edited folder",
                     name, x->info.version);
  if (x->copy == COPY_UNLOCKED)
    return error_set(error,
                     "addons/%s exists but is not listed in addons.lock: use --replace to install version %s and keep "
                     "the old folder",
                     name, x->info.version);
  return !x->before[0] || addon_version_compare(x->before, x->info.version) <= 0 ||
         error_set(error, "the game has the newer version %s of %s: use --replace to install version %s", x->before,
                   name, x->info.version);
}

// Chooses an unused path for the edited folder: addons/.replaced/glow-1.0.0, glow-1.0.0-2, …
static void choose_kept_path(adding_t *x) {
  char path[PATH_MAX];
  const char *version = x->before[0] ? x->before : "unknown";
  for (unsigned i = 1; i == 1 || path_exists(path); ++i) {
    snprintf(x->kept, sizeof x->kept, i == 1 ? "addons/.replaced/%s-%s" : "addons/.replaced/%s-%s-%u", x->info.name,
             version, i);
    path_join(path, sizeof path, x->game, x->kept);
  }
}

// --- adding

static bool prepare_install(adding_t *x, error_info_t *error) {
  if (!addon_lock_read(&x->lock, x->game, error) || !read_source(x, error))
    return false;
  x->has_addons = true;
  path_join(x->folder, sizeof x->folder, path_join(x->folder, sizeof x->folder, x->game, "addons"), x->info.name);
  return game_addons_read(&x->addons, &x->memory, x->game, x->shipped, error) && classify_installed_copy(x, error) &&
         check_replacement(x, error);
}

// Prepares the new texts of addons.lock and game.lua; a text stays empty if the file does not change.
static bool write_text_files(adding_t *x, addon_text_t text_files[2], error_info_t *error) {
  char source[sizeof x->lock.addons.items->source];
  format_relative_source(x, source, sizeof source);
  addon_lock_remove_missing(&x->lock, x->game);
  addon_lock_set(&x->lock, x->info.name, x->info.version, source, &x->files);
  path_join(text_files[0].path, sizeof text_files[0].path, x->game, ADDON_LOCK);
  if (!addon_lock_write(&x->lock, &text_files[0].text))
    return error_set(error, "%s: the path is not valid UTF-8", x->argument);
  if (game_addons_find(&x->addons, x->info.name))
    return true;
  const char *file = game_addons_add(&x->addons, x->info.name, error)
                         ? game_addons_write(&x->addons, &text_files[1].text, error)
                         : NULL;
  if (file)
    path_join(text_files[1].path, sizeof text_files[1].path, x->game, file);
  return file != NULL;
}

static void print_result(adding_t *x, bool listed) {
  const char *name = x->info.name, *version = x->info.version;
  json_writer_t lines;
  json_writer_init(&lines, &x->memory);
  if (x->copy == COPY_SAME && !listed)
    printf("%s %s is already in %s\n", name, version, x->game);
  else if (x->copy == COPY_NONE || x->copy == COPY_SAME)
    printf("added %s %s to %s: addons/%s, %u files\n", name, version, x->game, name, x->files.files.count);
  else
    printf("replaced %s %s with version %s in %s\n", name, x->before, version, x->game);
  if (x->kept[0])
    printf("the previous folder is now %s\n", x->kept);
  if (game_addons_check_requirements(&x->addons, &x->info, &lines) > 0) {
    fflush(stdout);
    char *text = json_writer_detach_text(&lines);
    size_t bytes = strlen(text) + 1;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
      fprintf(stderr, "warn: %s\n", line);
    alloc_resize(&x->memory, text, bytes, 0);
  }
  json_writer_fini(&lines);
}

static bool install_addon(adding_t *x, error_info_t *error) {
  addon_text_t text_files[2] = {0};
  for (uint32_t i = 0; i < 2; ++i)
    json_writer_init(&text_files[i].text, &x->memory);
  if (x->copy == COPY_EDITED || x->copy == COPY_UNLOCKED)
    choose_kept_path(x);
  addon_install_t install = {.memory = &x->memory,
                             .game = x->game,
                             .name = x->info.name,
                             .files = x->copy == COPY_SAME ? NULL : &x->files,
                             .kept = x->kept[0] ? x->kept : NULL,
                             .text_files = text_files,
                             .text_count = 2};
  bool ok = write_text_files(x, text_files, error) && addon_install_run(&install, error);
  if (ok)
    print_result(x, text_files[1].text.text.count > 0);
  for (uint32_t i = 0; i < 2; ++i)
    json_writer_fini(&text_files[i].text);
  return ok;
}

int add_command_run(int argc, const char *const *argv) {
  static adding_t x;
  error_info_t error = {0};
  addon_files_init(&x.files, &x.memory);
  addon_lock_init(&x.lock, &x.memory);
  json_writer_init(&x.changes, &x.memory);
  bool ok = parse_arguments(&x, argc, argv, &error) && paths_find_installation(&x.paths, argv[0], &error) &&
            resolve_game(&x, &error);
  int held = ok ? addon_install_lock(x.game, &error) : -1;
  if (held >= 0) {
    confine_folder(x.game);
    path_join(x.shipped, sizeof x.shipped, x.paths.root, "scripts/addons");
    ok = prepare_install(&x, &error) && install_addon(&x, &error);
    close(held);
  }
  ok = ok && held >= 0;
  if (!ok)
    fprintf(stderr, "shoal: add: %s\n%s", error.text, json_writer_text(&x.changes));
  if (x.has_addons)
    game_addons_fini(&x.addons);
  json_writer_fini(&x.changes);
  addon_lock_fini(&x.lock);
  addon_files_fini(&x.files);
  shoal_assert(x.memory.bytes == 0, "shoal add leaked %zu bytes", x.memory.bytes);
  return ok ? 0 : 2;
}
