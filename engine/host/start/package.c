// Finds the package that the running program is part of, and writes the archives of packages.
#include "start/package.h"

#include "base/archive.h"
#include "base/array.h"
#include "base/confined_folder.h"
#include "base/assert.h"
#include "base/file_status.h"
#include "base/files.h"
#include "base/portable_name.h"
#include "base/program_path.h"
#include "base/user_folders.h"
#include "luajit/code_file.h"
#include "script/sources.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading

static bool read_text(const json_t *object, const char *key, char *out, size_t bytes) {
  const char *text = json_string_value(json_object_get(object, key));
  if (!text || strlen(text) >= bytes)
    return false;
  snprintf(out, bytes, "%s", text);
  return true;
}

static bool read_metadata(package_t *p, const char *text) {
  char engine[32] = "";
  json_t *values = json_loads(text, 0, NULL);
  bool ok = json_integer_value(json_object_get(values, "format")) == PACKAGE_FORMAT &&
            read_text(values, "title", p->title, sizeof p->title) && read_text(values, "id", p->id, sizeof p->id) &&
            read_text(values, "version", p->version, sizeof p->version) &&
            read_text(values, "shoal", p->shoal, sizeof p->shoal) && read_text(values, "engine", engine, sizeof engine);
  p->engine_hash = strtoull(engine, NULL, 16);
  p->trusted = json_is_true(json_object_get(values, "trust"));
  json_decref(values);
  return ok;
}

static bool read_archive(package_t *p, const char *archive) {
  char path[FILE_PATH_BYTES];
  size_t size = 0;
  allocator_t memory = {0};
  path_join(path, sizeof path, archive, "package.json");
  char *text = file_read(&memory, path, &size, NULL);
  bool ok = text && read_metadata(p, text);
  file_free(&memory, text, size);
  path_join(path, sizeof path, archive, "games");
  // The last folder is the package's id, so saves use that id if game.lua has no id.
  path_join(path, sizeof path, path, p->id);
  if (!ok || strlen(path) >= sizeof p->game || !file_is_folder(path))
    return false;
  memcpy(p->game, path, strlen(path) + 1);
  return true;
}

// Returns true if the program seems to be a package without its archive: its name, of `name_bytes` bytes without the
// suffix of programs, is not "shoal", and next to it is the licence that each package contains.
static bool is_missing_archive(const char *program, const char *slash, size_t name_bytes) {
  char licence[FILE_PATH_BYTES];
  shoal_assert(slash >= program, "slash must point into %s", program);
  snprintf(licence, sizeof licence, "%.*s/licences/shoal.txt", (int)(slash - program), program);
  return !(name_bytes == 5 && memcmp(slash + 1, "shoal", 5) == 0) && file_exists(licence);
}

package_status_t package_find_and_mount(const char *argv0, package_t *out, error_info_t *error) {
  shoal_assert(argv0 && out, "argv0 and out must not be NULL");
  char program[FILE_PATH_BYTES], archive[FILE_PATH_BYTES + sizeof ".data"];
  bool found = false;
  *out = (package_t){0};
  if (!program_path_find(argv0, program))
    return PACKAGE_NONE;
  char *slash = strrchr(program, '/');
  size_t bytes = strlen(program), suffix_bytes = strlen(program_path_suffix());
  if (path_ends_with(program, program_path_suffix()))
    bytes -= suffix_bytes;
  snprintf(archive, sizeof archive, "%.*s.data", (int)bytes, program);
  bool mounted = archive_mount(archive, &found, NULL);
  if (!mounted && !found && !(slash && is_missing_archive(program, slash, bytes - (size_t)(slash + 1 - program))))
    return PACKAGE_NONE;
  if (mounted && slash && (size_t)(slash - program) < sizeof out->folder && strlen(slash + 1) < sizeof out->program &&
      read_archive(out, archive)) {
    snprintf(out->program, sizeof out->program, "%s", slash + 1);
    snprintf(out->folder, sizeof out->folder, "%.*s", (int)(slash - program), program);
    return PACKAGE_FOUND;
  }
  if (mounted)
    archive_unmount();
  error_set(error, "A file of this game is %s: %s.\nPlease unpack the game again, or download it again.",
            found ? "damaged" : "missing", archive);
  return PACKAGE_DAMAGED;
}

// --- files that a player's game writes

bool package_create_report_folder(package_t *p, error_info_t *error) {
  shoal_assert(p->id[0], "the package must have an id");
  char path[FILE_PATH_BYTES], relative[sizeof "shoal/reports/" + sizeof p->id];
  snprintf(relative, sizeof relative, "shoal/reports/%s", p->id);
  int length = user_folder_find(USER_FOLDER_DATA, relative, path, sizeof path);
  if (length < 0)
    return error_set(error, "no folder for crash reports found: set HOME");
  if ((size_t)length >= sizeof p->reports)
    return error_set(error, "the path of the report folder is too long: set XDG_DATA_HOME to a shorter path");
  if (!file_create_folders(path, error))
    return false;
  memcpy(p->reports, path, (size_t)length + 1);
  return true;
}

bool package_use_portable_folder(const package_t *p, error_info_t *error) {
  shoal_assert(path_is_absolute(p->folder), "package folder must be absolute, got %s", p->folder);
  char path[PATH_MAX_BYTES + sizeof "/saved"];
  error_info_t reason = {0};
  snprintf(path, sizeof path, "%s/saved", p->folder);
  if (!file_create_folders(path, &reason) || !file_is_folder(path) || !file_status_permits(path, FILE_USE_WRITE))
    return error_set(error, "--portable: the game's folder is not writable (%s)", reason.text[0] ? reason.text : path);
  return user_folder_set(USER_FOLDER_DATA, path) || error_set(error, "--portable: %s", strerror(errno));
}

// --- writing

#define EXCLUDED_FOLDER "tests/" // folder of the game that is not archived
#define CODE "shoal.code"        // name of the scripts' bytecode in the archive
#define NAME_BYTES 256           // maximum size of a file name, with its terminating zero

typedef struct package_writer_t {
  archive_writer_o *writer;
  allocator_t memory;
  const char *const *excluded; // prefixes of relative paths that are not archived; ends with NULL
  ARRAY(char *) names;         // names of the archived files; owned
  error_info_t *error;
} package_writer_t;

static bool starts_with_any(const char *path, const char *const *prefixes) {
  while (*prefixes && strncmp(path, *prefixes, strlen(*prefixes)) != 0)
    ++prefixes;
  return *prefixes != NULL;
}

static bool ends_with_any(const char *name, const char *const *suffixes) {
  while (*suffixes && !path_ends_with(name, *suffixes))
    ++suffixes;
  return *suffixes;
}

// Returns true for files to store uncompressed: files in compressed formats, and bytecode, which is read at every
// start.
static bool is_stored_uncompressed(const char *name) {
  static const char *const SUFFIXES[] = {".png", ".jpg", ".jpeg", ".webp", ".aseprite", ".ase",
                                         ".ogg", ".mp3", ".flac", ".opus", ".code",     NULL};
  return ends_with_any(name, SUFFIXES);
}

// Returns true for files that are not archived: plugins (they are next to the program), recordings, saves, backup files
// of editors, and addons.lock (it contains paths of the developer's machine).
static bool is_excluded(const char *name) {
  static const char *const SUFFIXES[] = {".so", ".replay", ".sqlite", "~", ".orig", ".rej", ".tmp", NULL};
  return strcmp(name, "addons.lock") == 0 || ends_with_any(name, SUFFIXES);
}

// Rejects names that only some systems can store, so that a game made on Linux works on every system. Returns true if
// the name is portable, or false with an error.
static bool check_name(const char *path, const char *name, error_info_t *error) {
  char wrong[NAME_BYTES];
  const char *fault = portable_name_find_fault(name, wrong, sizeof wrong);
  return !fault || error_set(error, "%s: cannot package the name “%s”: %s: rename it", path, wrong, fault);
}

static bool pack_file(package_writer_t *p, const char *path, const char *name) {
  size_t size = 0;
  shoal_assert(path_is_absolute(path), "path must be absolute, got %s", path);
  if (!check_name(path, name, p->error))
    return false;
  array_push(&p->memory, &p->names, alloc_copy_text(&p->memory, name));
  char *bytes = file_read(&p->memory, path, &size, p->error);
  bool ok = bytes && archive_writer_add_entry(p->writer, name, bytes, size, is_stored_uncompressed(name), p->error);
  file_free(&p->memory, bytes, size);
  return ok;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Returns true if no two names differ only in case, or false with an error. `game_folder`: the game's folder in the
// archive, which is omitted from the message.
static bool check_case(const package_writer_t *p, const char *game_folder, error_info_t *error) {
  portable_twins_t twins;
  size_t bytes = strlen(game_folder);
  if (!portable_name_find_twins((const char **)p->names.items, p->names.count, &twins))
    return true;
  size_t start = strncmp(twins.a, game_folder, bytes) == 0 && twins.a_length > bytes ? bytes + 1 : 0;
  return error_set(error, "cannot package both %.*s and %.*s: " PORTABLE_NAME_TWINS ": rename one of them",
                   (int)(twins.a_length - start), twins.a + start, (int)(twins.b_length - start), twins.b + start);
}

static void free_names(package_writer_t *p) {
  for (uint32_t i = 0; i < p->names.count; ++i)
    alloc_free_text(&p->memory, p->names.items[i]);
  array_free(&p->memory, &p->names);
}

// Returns true if a file of the game belongs to an add-on, a folder in addons/ with an addon.lua. pack_addons packs the
// add-ons that the game uses.
static bool is_in_addon(const file_list_t *list, const char *relative) {
  char path[FILE_PATH_BYTES], *key = path;
  static const char ADDONS[] = "addons/";
  const char *name = relative + sizeof ADDONS - 1;
  if (strncmp(relative, ADDONS, sizeof ADDONS - 1) != 0 || !strchr(name, '/'))
    return false;
  snprintf(path, sizeof path, "%.*s/addon.lua", (int)(strchr(name, '/') - relative), relative);
  return bsearch(&key, list->paths, list->count, sizeof *list->paths, compare_paths) != NULL;
}

static bool pack_folder(package_writer_t *p, const char *folder, const char *archive_folder) {
  file_list_t list = {0};
  bool ok = file_list(&p->memory, folder, "", &list, p->error);
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    char path[FILE_PATH_BYTES], name[FILE_PATH_BYTES];
    path_join(path, sizeof path, folder, list.paths[i]);
    path_join(name, sizeof name, archive_folder, list.paths[i]);
    bool is_omitted =
        starts_with_any(list.paths[i], p->excluded) || is_excluded(list.paths[i]) || is_in_addon(&list, list.paths[i]);
    ok = is_omitted || pack_file(p, path, name);
  }
  file_list_free(&p->memory, &list);
  return ok;
}

// Packs the add-ons under the names that the game gives them.
static bool pack_addons(package_writer_t *p, const package_desc_t *desc, const char *archive_folder) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < desc->addon_count; ++i) {
    char parent[FILE_PATH_BYTES], folder[FILE_PATH_BYTES];
    path_join(folder, sizeof folder, path_join(parent, sizeof parent, archive_folder, "addons"), desc->addons[i].name);
    ok = pack_folder(p, desc->addons[i].folder, folder);
  }
  return ok;
}

static bool pack_metadata(package_writer_t *p, const package_desc_t *desc) {
  char scripts[FILE_PATH_BYTES], engine[32];
  uint64_t hash;
  if (!sources_hash_engine(path_join(scripts, sizeof scripts, desc->root, "scripts/shoal"), &hash, p->error))
    return false;
  snprintf(engine, sizeof engine, "%016llx", (unsigned long long)hash);
  json_t *values =
      json_pack("{s:s,s:i,s:s,s:s,s:s,s:s,s:b}", "engine", engine, "format", PACKAGE_FORMAT, "title", desc->title, "id",
                desc->id, "version", desc->version, "shoal", desc->shoal, "trust", (int)desc->trusted);
  char *text = values ? json_dumps(values, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
  bool ok = text ? archive_writer_add_entry(p->writer, "package.json", text, strlen(text), false, p->error)
                 : error_set(p->error, "title, id and version must be valid UTF-8");
  free(text);
  json_decref(values);
  return ok;
}

static bool pack_objects(package_writer_t *p, const package_desc_t *desc) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < desc->object_count; ++i) {
    const codegen_object_t *object = &desc->objects[i];
    ok = archive_writer_add_entry(p->writer, object->name, object->bytes, object->size_bytes, false, p->error);
  }
  return ok;
}

// Archives the engine's scripts as bytecode, and also the game's scripts if this program's LuaJIT writes the same
// format.
static bool pack_bytecode(package_writer_t *p, const package_desc_t *desc) {
  // Add-ons are compiled only when the game starts, because their names can differ from the names of their folders.
  static const char *const EXCLUDED[] = {"assets/", "addons/", EXCLUDED_FOLDER, NULL};
  size_t size = 0;
  if (!desc->compiles_game)
    return !desc->code_file[0] || pack_file(p, desc->code_file, CODE);
  char *bytes = code_file_append_game(desc->code_file, desc->game, EXCLUDED, &p->memory, &size, p->error);
  bool ok = bytes && archive_writer_add_entry(p->writer, CODE, bytes, size, is_stored_uncompressed(CODE), p->error);
  file_free(&p->memory, bytes, size);
  return ok;
}

bool package_write(const package_desc_t *desc, const char *path, error_info_t *error) {
  // Excludes the menu of games, the cockpit, and the pictures of the menu and the documentation, which players do not
  // use.
  static const char *const IN_SCRIPTS[] = {"menu/", NULL}, *const IN_ASSETS[] = {"cockpit/", "pictures/", NULL},
                           *const IN_GAME[] = {EXCLUDED_FOLDER, NULL};
  shoal_assert(desc->id[0] && desc->title[0], "package title and id must not be empty");
  char game_folder[FILE_PATH_BYTES], folder[FILE_PATH_BYTES];
  package_writer_t writer = {.writer = archive_writer_create(path, error), .excluded = IN_SCRIPTS, .error = error};
  if (!writer.writer)
    return false;
  bool ok = pack_metadata(&writer, desc) && pack_bytecode(&writer, desc);
  ok = ok && pack_folder(&writer, path_join(folder, sizeof folder, desc->root, "scripts/shoal"), "scripts/shoal");
  writer.excluded = IN_ASSETS;
  ok = ok && pack_folder(&writer, path_join(folder, sizeof folder, desc->root, "assets"), "assets");
  if (ok && !path_resolve(desc->game, game_folder))
    ok = error_set(error, "cannot open the folder %s: %s", desc->game, strerror(errno));
  if (ok)
    confine_folder(game_folder); // players do not have the files to which links out of the folder point
  writer.excluded = IN_GAME;
  snprintf(folder, sizeof folder, "games/%s", desc->id);
  ok = ok && pack_folder(&writer, game_folder, folder) && pack_addons(&writer, desc, folder);
  ok = ok && check_case(&writer, folder, error) && pack_objects(&writer, desc);
  free_names(&writer);
  error_info_t finish_error = {0};
  bool finished = archive_writer_finish(writer.writer, &finish_error);
  if (ok && !finished)
    ok = error_set(error, "%s", finish_error.text);
  if (!ok)
    remove(path);
  return ok;
}
