// The sources of VMs: reads each file once, records which files were requested, and hashes their contents.
#include "script/sources.h"

#include "base/assert.h"
#include "base/archive.h"
#include "base/array.h"
#include "base/confined_folder.h"
#include "base/file_status.h"
#include "base/files.h"
#include "base/hash.h"
#include "luajit/code_file.h"
#include "luajit/lua_edit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ENGINE_PREFIX[] = SOURCES_ENGINE;

typedef struct source_t {
  char *name, *text; // name and text of the file; `text` is NULL until read
  char *read_error;  // reason why the file could not be read when the sources were sealed; NULL on success
  const void *code;  // bytecode; NULL until the file is compiled
  size_t bytes, code_bytes;
  bool is_kept;   // true if the text is copied from the previous sources (sources_keep_files)
  bool requested; // true if the file was requested before the sources were sealed
  bool is_unfinished;
  bool is_built; // true if `code` points into the build's file of compiled scripts
} source_t;

typedef struct addon_t {
  char name[SOURCES_ADDON_NAME], version[SOURCES_ADDON_VERSION], folder[1024];
} addon_t;

struct sources_o {
  allocator_t memory;
  atomic_uint owners; // number of owners; atomic, because a thread may load a new version from the sources of a game
  char game_folder[1024], engine_folder[1024];
  ARRAY(source_t) game_files;   // files of the game and its add-ons, sorted by name
  ARRAY(source_t) engine_files; // scripts of the engine, sorted by name
  ARRAY(char *) kept_names;     // files whose texts are copied from `previous` (sources_keep_files)
  ARRAY(addon_t) addons;        // add-ons in the order in which they were added
  sources_o *previous;          // sources whose bytecode is reused for files with equal contents; may be NULL
  bool copies_previous;         // true if texts of the game and its add-ons are copied from `previous`
  code_file_o *code_file;       // the build's file of compiled scripts, searched after `previous`; may be NULL
  bool shares_archive;          // true if `code_file` is in the same archive as the engine's scripts
  error_info_t list_error;      // error of listing the game's files; "" on success
  bool lacks_addon;             // true if an add-on was not found
  char missing_name[256];       // first file of `previous` that these sources lack; "" if no file is missing
  error_info_t useless_link; // message about the first ignored link; "" if no link was ignored (sources_useless_link)
  uint64_t hash;
  bool sealed;
};

// --- list of files

static void add_game_file(sources_o *sources, const char *name) {
  source_t file = {.name = alloc_copy_text(&sources->memory, name)};
  array_push(&sources->memory, &sources->game_files, file);
}

// Returns the name of a file relative to its root: the game's folder, or the folder of an add-on.
static const char *get_name_in_root(const char *name) {
  const char *slash = strncmp(name, SOURCES_ADDONS, sizeof SOURCES_ADDONS - 1) == 0
                          ? strchr(name + sizeof SOURCES_ADDONS - 1, '/')
                          : NULL;
  return slash ? slash + 1 : name;
}

// Returns true if scripts can read the file as data (scripts/shoal/media/data_files.lua).
static bool is_data_file(const char *name) {
  static const char *const ENDS[] = {".json", ".csv", ".tsv", ".txt", ".md"};
  name = get_name_in_root(name);
  for (size_t i = 0; strncmp(name, "assets/", 7) == 0 && i < sizeof ENDS / sizeof *ENDS; ++i)
    if (path_ends_with(name, ENDS[i]))
      return true;
  return false;
}

bool sources_is_source_file(const char *name) {
  name = get_name_in_root(name);
  return is_data_file(name) || (path_ends_with(name, ".lua") && strncmp(name, "assets/", 7) != 0) ||
         (strncmp(name, "scenes/", 7) == 0 && path_ends_with(name, ".json"));
}

static bool is_source_file(void *context, const char *relative) {
  (void)context;
  return sources_is_source_file(relative);
}

static void on_game_file(void *context, const char *path, const char *relative, const file_status_t *status) {
  (void)path;
  if (!is_data_file(relative) || status->size_bytes <= SOURCES_MAX_DATA)
    add_game_file(context, relative);
}

// Lists a source although its link leaves the folder, so that loading the source reports the reason. Otherwise, stores
// a message about the first useless link outside assets/.
static void on_useless_game_link(void *context, const char *path, const char *relative) {
  sources_o *sources = context;
  if (errno == EXDEV && sources_is_source_file(relative))
    add_game_file(sources, relative);
  else if (!sources->useless_link.text[0] &&
           strncmp(get_name_in_root(relative), "assets/", 7) != 0) // assets are reported when requested
    file_set_link_error(path, &sources->useless_link);
}

// Lists the game's files. A failure is reported when a file is read, and when the sources are sealed.
static void scan_game_files(sources_o *sources) {
  file_walk_t walk = {.folder = sources->game_folder,
                      .should_report = is_source_file,
                      .on_file = on_game_file,
                      .on_useless_link = on_useless_game_link,
                      .context = sources};
  if (file_walk(&walk, &sources->list_error))
    sources->list_error.text[0] = 0;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const source_t *)a)->name, ((const source_t *)b)->name);
}

// --- life cycle

sources_o *sources_create(const char *game_folder, const char *engine_folder, sources_o *previous) {
  shoal_assert(game_folder && engine_folder, "game_folder and engine_folder must not be NULL");
  allocator_t memory = {0};
  sources_o *sources = alloc_resize(&memory, NULL, 0, sizeof *sources);
  *sources = (sources_o){.memory = memory, .owners = 1, .previous = previous};
  if (previous)
    sources_retain(previous);
  snprintf(sources->game_folder, sizeof sources->game_folder, "%s", game_folder);
  snprintf(sources->engine_folder, sizeof sources->engine_folder, "%s", engine_folder);
  if (!archive_contains(game_folder))
    confine_folder(game_folder);
  char path[FILE_PATH_BYTES];
  // do not search a folder without game.lua, because it may contain any number of files
  if (file_exists(path_join(path, sizeof path, game_folder, "game.lua")))
    scan_game_files(sources);
  if (sources->game_files.count > 0)
    qsort(sources->game_files.items, sources->game_files.count, sizeof *sources->game_files.items, compare_names);
  return sources;
}

static void add_changed_file(sources_o *sources, const source_change_t *change) {
  if (!change->text)
    return;
  source_t file = {.name = alloc_copy_text(&sources->memory, change->name), .bytes = change->bytes};
  file.text = alloc_resize(&sources->memory, NULL, 0, change->bytes + 1);
  memcpy(file.text, change->text, change->bytes);
  file.text[change->bytes] = '\0';
  array_push(&sources->memory, &sources->game_files, file);
}

sources_o *sources_create_changed(sources_o *base, const source_change_t *changes, uint32_t count) {
  shoal_assert(base->sealed, "only sealed sources can be changed");
  allocator_t memory = {0};
  sources_o *sources = alloc_resize(&memory, NULL, 0, sizeof *sources);
  *sources = (sources_o){.memory = memory, .owners = 1, .previous = base, .copies_previous = true};
  sources_retain(base);
  memcpy(sources->game_folder, base->game_folder, sizeof sources->game_folder);
  memcpy(sources->engine_folder, base->engine_folder, sizeof sources->engine_folder);
  sources->list_error = base->list_error;
  for (uint32_t i = 0, k = 0; i < base->game_files.count || k < count;) {
    const char *name = i < base->game_files.count ? base->game_files.items[i].name : NULL;
    int order = !name ? 1 : k == count ? -1 : strcmp(name, changes[k].name);
    shoal_assert(k == 0 || k == count || strcmp(changes[k - 1].name, changes[k].name) < 0,
                 "changes are not sorted: %s is out of order", changes[k].name);
    if (order < 0)
      add_game_file(sources, name);
    else
      add_changed_file(sources, &changes[k++]);
    i += order <= 0;
  }
  return sources;
}

sources_o *sources_create_from_texts(const char *game_folder, const char *engine_folder, const source_change_t *files,
                                     uint32_t count, const source_addon_t *addons, uint32_t addon_count) {
  allocator_t memory = {0};
  sources_o *base = alloc_resize(&memory, NULL, 0, sizeof *base);
  *base = (sources_o){.memory = memory, .owners = 1, .sealed = true};
  snprintf(base->game_folder, sizeof base->game_folder, "%s", game_folder);
  snprintf(base->engine_folder, sizeof base->engine_folder, "%s", engine_folder);
  for (uint32_t i = 0; i < count; ++i)
    add_changed_file(base, &files[i]);
  for (uint32_t i = 0; i < addon_count; ++i) {
    addon_t addon = {0};
    snprintf(addon.name, sizeof addon.name, "%s", addons[i].name);
    snprintf(addon.version, sizeof addon.version, "%s", addons[i].version);
    snprintf(addon.folder, sizeof addon.folder, "%s", addons[i].folder);
    array_push(&base->memory, &base->addons, addon);
  }
  sources_o *sources = sources_create_changed(base, NULL, 0);
  sources_release(base);
  return sources;
}

static void free_source(sources_o *s, source_t *file);

typedef struct addon_walk_t {
  sources_o *sources;
  const char *name;
} addon_walk_t;

static void add_addon_file(const addon_walk_t *addon_walk, const char *relative) {
  char name[FILE_PATH_BYTES];
  snprintf(name, sizeof name, SOURCES_ADDONS "%s/%s", addon_walk->name, relative);
  add_game_file(addon_walk->sources, name);
}

static void on_addon_file(void *context, const char *path, const char *relative, const file_status_t *status) {
  (void)path;
  if (!is_data_file(relative) || status->size_bytes <= SOURCES_MAX_DATA)
    add_addon_file(context, relative);
}

// Lists a source although its link leaves the folder, so that loading the source reports the reason.
static void on_useless_addon_link(void *context, const char *path, const char *relative) {
  (void)path;
  if (errno == EXDEV && sources_is_source_file(relative))
    add_addon_file(context, relative);
}

// Removes an add-on's files that were listed with the game's folder.
static void remove_addon_files(sources_o *sources, const char *name) {
  char prefix[SOURCES_ADDON_NAME + sizeof SOURCES_ADDONS];
  size_t length = (size_t)snprintf(prefix, sizeof prefix, SOURCES_ADDONS "%s/", name);
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < sources->game_files.count; ++i) {
    if (strncmp(sources->game_files.items[i].name, prefix, length) == 0)
      free_source(sources, &sources->game_files.items[i]);
    else
      sources->game_files.items[kept_count++] = sources->game_files.items[i];
  }
  sources->game_files.count = kept_count;
}

static source_t *find_listed_file(const sources_o *sources, const char *name);

static void remove_game_file(sources_o *sources, source_t *file) {
  uint32_t i = (uint32_t)(file - sources->game_files.items);
  free_source(sources, file);
  memmove(file, file + 1, (--sources->game_files.count - i) * sizeof *file);
}

// Marks the kept files that the previous sources have, listing kept files that are missing on disk. Removes the kept
// files that the previous sources lack from the list. Call after files have been listed.
static void apply_kept_files(sources_o *sources) {
  for (uint32_t i = 0; i < sources->kept_names.count; ++i) {
    const char *name = sources->kept_names.items[i];
    bool existed = find_listed_file(sources->previous, name) != NULL;
    source_t *file = find_listed_file(sources, name);
    if (file && !existed)
      remove_game_file(sources, file);
    if (!file && existed) {
      add_game_file(sources, name);
      qsort(sources->game_files.items, sources->game_files.count, sizeof *sources->game_files.items, compare_names);
      file = find_listed_file(sources, name);
    }
    if (existed)
      file->is_kept = true;
  }
}

void sources_keep_files(sources_o *sources, const char *const *names, uint32_t count) {
  shoal_assert(sources->previous && !sources->sealed, "files can be kept only from previous sources, before sealing");
  for (uint32_t i = 0; i < count; ++i)
    array_push(&sources->memory, &sources->kept_names, alloc_copy_text(&sources->memory, names[i]));
  apply_kept_files(sources);
}

static const addon_t *find_addon(const sources_o *sources, const char *name, size_t length) {
  for (uint32_t i = 0; i < sources->addons.count; ++i)
    if (strncmp(sources->addons.items[i].name, name, length) == 0 && sources->addons.items[i].name[length] == '\0')
      return &sources->addons.items[i];
  return NULL;
}

// Adds an add-on whose files have been copied from the previous sources. Returns true on success, or false with a
// message if the previous sources lack the add-on or added it from a different folder. Sealed sources have no previous
// sources.
static bool add_previous_addon(sources_o *sources, const char *name, const char *folder, error_info_t *error) {
  const addon_t *addon = sources->previous ? find_addon(sources->previous, name, strlen(name)) : NULL;
  if (!addon || strcmp(addon->folder, folder) != 0)
    return error_set(error, "the add-on %s cannot be added: shared changes can contain only files of the game", name);
  array_push(&sources->memory, &sources->addons, *addon);
  return true;
}

bool sources_add_addon(sources_o *sources, const char *name, const char *folder, error_info_t *error) {
  addon_t addon = {0};
  const addon_t *existing = find_addon(sources, name, strlen(name));
  if (existing && strcmp(existing->folder, folder) == 0)
    return true;
  if (existing)
    return error_set(error, "two add-ons are named %s: %s and %s: rename one of them", name, existing->folder, folder);
  if (sources->copies_previous)
    return add_previous_addon(sources, name, folder, error);
  if (sources->sealed || sources->addons.count == SOURCES_MAX_ADDONS)
    return error_set(
        error, sources->sealed ? "add-ons cannot be added after the game is loaded" : "too many add-ons (at most %u)",
        SOURCES_MAX_ADDONS);
  if (strlen(name) >= sizeof addon.name || strlen(folder) >= sizeof addon.folder)
    return error_set(error, "the path of the add-on %s is too long (at most %zu bytes)", name, sizeof addon.folder - 1);
  snprintf(addon.name, sizeof addon.name, "%s", name);
  snprintf(addon.folder, sizeof addon.folder, "%s", folder);
  if (!archive_contains(folder))
    confine_folder(folder);
  remove_addon_files(sources, name);
  addon_walk_t addon_walk = {.sources = sources, .name = name};
  file_walk_t walk = {.folder = folder,
                      .should_report = is_source_file,
                      .on_file = on_addon_file,
                      .on_useless_link = on_useless_addon_link,
                      .context = &addon_walk};
  if (!file_walk(&walk, error))
    return false;
  if (sources->game_files.count > 0)
    qsort(sources->game_files.items, sources->game_files.count, sizeof *sources->game_files.items, compare_names);
  array_push(&sources->memory, &sources->addons, addon);
  apply_kept_files(sources);
  return true;
}

const char *sources_addon_name(const sources_o *sources, uint32_t i) {
  return i < sources->addons.count ? sources->addons.items[i].name : NULL;
}

const char *sources_addon_folder(const sources_o *sources, uint32_t i) {
  return i < sources->addons.count ? sources->addons.items[i].folder : NULL;
}

void sources_set_addon_version(sources_o *sources, const char *name, const char *version) {
  for (uint32_t i = 0; i < sources->addons.count && !sources->sealed; ++i)
    if (strcmp(sources->addons.items[i].name, name) == 0)
      snprintf(sources->addons.items[i].version, sizeof sources->addons.items[i].version, "%s", version);
}

const char *sources_addon_version(const sources_o *sources, uint32_t i) {
  return i < sources->addons.count ? sources->addons.items[i].version : "";
}

const char *sources_useless_link(const sources_o *sources) {
  return sources->useless_link.text;
}

void sources_use_code_file(sources_o *sources, const char *path) {
  shoal_assert(!sources->code_file, "sources already have a file of compiled scripts");
  sources->code_file = path[0] ? code_file_open(path) : NULL;
  sources->shares_archive = sources->code_file && archive_contains(path) && archive_contains(sources->engine_folder);
}

void sources_retain(sources_o *sources) {
  shoal_assert(sources->owners > 0, "sources are already freed");
  atomic_fetch_add(&sources->owners, 1);
}

static void drop_code(sources_o *sources, source_t *file) {
  if (!file->is_built)
    alloc_resize(&sources->memory, (void *)(uintptr_t)file->code, file->code_bytes, 0);
  file->code = NULL;
  file->code_bytes = 0;
  file->is_built = false;
}

static void free_source(sources_o *sources, source_t *file) {
  file_free(&sources->memory, file->text, file->bytes);
  drop_code(sources, file);
  alloc_free_text(&sources->memory, file->name);
  if (file->read_error)
    alloc_free_text(&sources->memory, file->read_error);
}

void sources_release(sources_o *sources) {
  if (!sources || atomic_fetch_sub(&sources->owners, 1) > 1)
    return;
  for (uint32_t i = 0; i < sources->game_files.count; ++i)
    free_source(sources, &sources->game_files.items[i]);
  for (uint32_t i = 0; i < sources->engine_files.count; ++i)
    free_source(sources, &sources->engine_files.items[i]);
  sources_release(sources->previous);
  code_file_close(sources->code_file);
  array_free(&sources->memory, &sources->game_files);
  array_free(&sources->memory, &sources->engine_files);
  for (uint32_t i = 0; i < sources->kept_names.count; ++i)
    alloc_free_text(&sources->memory, sources->kept_names.items[i]);
  array_free(&sources->memory, &sources->kept_names);
  array_free(&sources->memory, &sources->addons);
  allocator_t memory = sources->memory;
  shoal_assert(memory.bytes == sizeof *sources, "sources leaked %zu bytes", memory.bytes - sizeof *sources);
  alloc_resize(&memory, sources, sizeof *sources, 0);
}

// --- reading

// Returns the index of `name` in the sorted files, or the index at which it would be inserted.
static uint32_t find_insert_index(const source_t *files, uint32_t count, const char *name) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (strcmp(files[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static source_t *find_listed_file(const sources_o *sources, const char *name) {
  bool is_engine = strncmp(name, ENGINE_PREFIX, sizeof ENGINE_PREFIX - 1) == 0;
  source_t *files = is_engine ? sources->engine_files.items : sources->game_files.items;
  uint32_t count = is_engine ? sources->engine_files.count : sources->game_files.count,
           index = find_insert_index(files, count, name);
  return index < count && strcmp(files[index].name, name) == 0 ? &files[index] : NULL;
}

static void set_code(sources_o *sources, source_t *file, const void *code, size_t bytes) {
  void *copy = alloc_resize(&sources->memory, NULL, 0, bytes);
  if (bytes > 0)
    memcpy(copy, code, bytes);
  drop_code(sources, file);
  file->code = copy;
  file->code_bytes = bytes;
}

// Uses the build's bytecode for a file without bytecode, if it was compiled from the same text or the text was not
// read.
static void use_built_code(sources_o *sources, source_t *file) {
  size_t bytes = 0;
  const void *code = sources->code_file && !file->code
                         ? code_file_find_chunk(sources->code_file, file->name, file->text, file->bytes, &bytes)
                         : NULL;
  if (!code)
    return;
  file->code = code;
  file->code_bytes = bytes;
  file->is_built = true;
}

static void reuse_code(sources_o *sources, source_t *file) {
  const source_t *existing = sources->previous ? find_listed_file(sources->previous, file->name) : NULL;
  if (existing && existing->code && existing->bytes == file->bytes &&
      memcmp(existing->text, file->text, file->bytes) == 0)
    set_code(sources, file, existing->code, existing->code_bytes);
  use_built_code(sources, file);
}

const char *sources_find_path(const sources_o *sources, const char *name, char *out, size_t bytes) {
  const char *relative = get_name_in_root(name);
  size_t prefix = sizeof SOURCES_ADDONS - 1;
  const addon_t *addon =
      relative != name ? find_addon(sources, name + prefix, (size_t)(relative - name) - prefix - 1) : NULL;
  return path_join(out, bytes, addon ? addon->folder : sources->game_folder, addon ? relative : name);
}

// Returns a copy of a file's text in the previous sources, or NULL if they lack the file or have not read it.
static char *copy_previous_text(sources_o *sources, const char *name, size_t *bytes) {
  const source_t *file = find_listed_file(sources->previous, name);
  if (!file || !file->text)
    return NULL;
  char *text = alloc_resize(&sources->memory, NULL, 0, file->bytes + 1);
  memcpy(text, file->text, file->bytes + 1);
  *bytes = file->bytes;
  return text;
}

// Reads a file of the game, of one of its add-ons, or of the engine. Returns the text, or NULL with an error.
static char *read_file(sources_o *sources, const char *name, size_t *bytes, error_info_t *error) {
  char path[FILE_PATH_BYTES];
  file_status_t status;
  bool is_engine = strncmp(name, ENGINE_PREFIX, sizeof ENGINE_PREFIX - 1) == 0;
  char *copy = sources->copies_previous ? copy_previous_text(sources, name, bytes) : NULL;
  if (copy || (sources->copies_previous && !is_engine)) {
    if (!copy)
      error_set(error, "%s: could not be read when the game was loaded", name);
    return copy;
  }
  if (is_engine)
    path_join(path, sizeof path, sources->engine_folder, name + sizeof ENGINE_PREFIX - 1);
  else
    sources_find_path(sources, name, path, sizeof path);
  if (path_ends_with(name, ".lua") && file_status(path, &status) &&
      !lua_source_check_size(name, status.size_bytes, error))
    return NULL;
  return file_read(&sources->memory, path, bytes, error);
}

static bool read_text(sources_o *sources, source_t *file, error_info_t *error) {
  if (file->text)
    return true;
  if (sources->sealed)
    return file->read_error ? error_set(error, "%s", file->read_error)
                            : error_set(error, "%s: could not be read when the game was loaded", file->name);
  error_info_t reason = {0};
  file->text = file->is_kept ? copy_previous_text(sources, file->name, &file->bytes)
                             : read_file(sources, file->name, &file->bytes, &reason);
  if (!file->text && file->is_kept)
    error_set(&reason, "%s: could not be read when the game was loaded", file->name);
  file->is_unfinished = reason.may_be_unfinished;
  if (!file->text && error)
    *error = reason;
  if (!file->text)
    return false;
  reuse_code(sources, file);
  return true;
}

// Inserts an engine file at `index` in the sorted files, and returns it. Invalidates pointers to all engine files.
static source_t *add_engine_file(sources_o *sources, uint32_t index, const char *name) {
  source_t file = {.name = alloc_copy_text(&sources->memory, name)};
  array_push(&sources->memory, &sources->engine_files, file);
  memmove(sources->engine_files.items + index + 1, sources->engine_files.items + index,
          (sources->engine_files.count - 1 - index) * sizeof file);
  sources->engine_files.items[index] = file;
  shoal_assert(
      (index == 0 || compare_names(&sources->engine_files.items[index - 1], &sources->engine_files.items[index]) < 0) &&
          (index + 1 == sources->engine_files.count ||
           compare_names(&sources->engine_files.items[index], &sources->engine_files.items[index + 1]) < 0),
      "engine files are not sorted: %s is out of order", name);
  return &sources->engine_files.items[index];
}

bool sources_has_file(const sources_o *sources, const char *name) {
  return find_listed_file((sources_o *)(uintptr_t)sources, name) != NULL;
}

bool sources_is_listed(const sources_o *sources) {
  return !sources->list_error.text[0];
}

static source_t *find_or_load(sources_o *sources, const char *name, bool is_engine) {
  source_t *existing = find_listed_file(sources, name);
  if (existing || !is_engine || sources->sealed)
    return existing;
  return add_engine_file(sources, find_insert_index(sources->engine_files.items, sources->engine_files.count, name),
                         name);
}

const char *sources_read_text(sources_o *sources, const char *name, size_t *bytes, error_info_t *error) {
  shoal_assert(name && name[0], "file name must not be empty");
  bool is_engine = strncmp(name, ENGINE_PREFIX, sizeof ENGINE_PREFIX - 1) == 0;
  source_t *file = find_or_load(sources, name, is_engine);
  if (!is_engine && sources->list_error.text[0]) {
    if (error)
      *error = sources->list_error;
    return NULL;
  }
  if (!file) {
    error_set(error, "%s: file not found", name);
    return NULL;
  }
  if (!read_text(sources, file, error))
    return NULL;
  if (!sources->sealed) // several threads read sealed sources, so they must not change
    file->requested = true;
  *bytes = file->bytes;
  return file->text;
}

const void *sources_get_code(const sources_o *sources, const char *name, size_t *bytes) {
  const source_t *file = find_listed_file(sources, name);
  *bytes = file ? file->code_bytes : 0;
  return file ? file->code : NULL;
}

const void *sources_get_built_code(sources_o *sources, const char *name, size_t *bytes) {
  *bytes = 0;
  source_t *file = sources->shares_archive && strncmp(name, ENGINE_PREFIX, sizeof ENGINE_PREFIX - 1) == 0
                       ? find_or_load(sources, name, true)
                       : NULL;
  if (!file)
    return NULL;
  if (!sources->sealed && !file->text)
    use_built_code(sources, file);
  *bytes = file->code_bytes;
  return file->code;
}

void sources_set_code(sources_o *sources, const char *name, const void *code, size_t bytes) {
  source_t *file = sources->sealed ? NULL : find_listed_file(sources, name);
  shoal_assert(!file || file->text, "%s must be read before its code is stored", name);
  if (file)
    set_code(sources, file, code, bytes);
}

// --- unfinished files

void sources_mark_unfinished(sources_o *sources, const char *name) {
  source_t *file = sources->sealed ? NULL : find_listed_file(sources, name);
  if (file)
    file->is_unfinished = true;
}

void sources_mark_missing_addon(sources_o *sources) {
  sources->lacks_addon |= !sources->sealed;
}

// Returns true if the file belongs to an add-on that the previous sources use, but these sources do not.
static bool is_in_dropped_addon(const sources_o *sources, const char *name) {
  const char *in_root = get_name_in_root(name), *addon = name + sizeof SOURCES_ADDONS - 1;
  size_t length = in_root == name ? 0 : (size_t)(in_root - addon) - 1;
  return length > 0 && find_addon(sources->previous, addon, length) && !find_addon(sources, addon, length);
}

void sources_find_missing(sources_o *sources) {
  const sources_o *previous = sources->previous;
  sources->missing_name[0] = '\0';
  if (!previous || sources->sealed || sources->copies_previous)
    return;
  for (uint32_t i = 0; i < previous->game_files.count && !sources->missing_name[0]; ++i) {
    const char *name = previous->game_files.items[i].name;
    if (!find_listed_file(sources, name) && !is_in_dropped_addon(sources, name))
      snprintf(sources->missing_name, sizeof sources->missing_name, "%s", name);
  }
}

const char *sources_missing_file(const sources_o *sources) {
  return sources->missing_name[0] ? sources->missing_name : NULL;
}

bool sources_may_be_unfinished(const sources_o *sources, const char *name) {
  const source_t *file = find_listed_file(sources, name);
  return sources->list_error.may_be_unfinished || sources->lacks_addon || sources->missing_name[0] ||
         (file && file->is_unfinished);
}

const char *sources_file_name(const sources_o *sources, uint32_t i) {
  return i < sources->game_files.count ? sources->game_files.items[i].name : NULL;
}

// Reads a file that was not requested. Returns true on success, or if reading would always fail. Returns false with a
// message if the file may be readable later, because its permissions are wrong, the disk fails, or the file has just
// been removed: such a file must not be ignored silently.
static bool read_unrequested(sources_o *sources, source_t *file, error_info_t *error) {
  error_info_t reason = {0};
  if (read_text(sources, file, &reason))
    return true;
  file->read_error = alloc_copy_text(&sources->memory, reason.text);
  if (!reason.may_be_unfinished)
    return true;
  error_set(error, "%s", reason.text);
  if (error) {
    snprintf(error->file, sizeof error->file, "%s", file->name);
    error->may_be_unfinished = true;
  }
  return false;
}

// Returns true if sources_hash includes the file: it was requested before sealing, or scripts can read it as data.
static bool is_hashed(const source_t *file) {
  return file->requested || is_data_file(file->name);
}

bool sources_seal(sources_o *sources, error_info_t *error) {
  if (sources->sealed)
    return true;
  bool ok = !sources->list_error.text[0];
  if (!ok && error)
    *error = sources->list_error;
  for (uint32_t i = 0; i < sources->game_files.count; ++i) {
    source_t *file = &sources->game_files.items[i];
    ok = read_unrequested(sources, file, ok ? error : NULL) && ok;
    if (!is_hashed(file))
      continue;
    sources->hash = hash_bytes(file->name, strlen(file->name) + 1, sources->hash);
    sources->hash = hash_bytes(file->text, file->bytes, sources->hash);
  }
  sources_release(sources->previous);
  sources->previous = NULL;
  sources->sealed = true;
  return ok;
}

bool sources_is_sealed(const sources_o *sources) {
  return sources->sealed;
}

uint64_t sources_hash(const sources_o *sources) {
  shoal_assert(sources->sealed, "sources must be sealed before they are hashed");
  return sources->hash;
}

bool sources_hash_file(const sources_o *sources, uint32_t i, uint64_t *hash) {
  shoal_assert(sources->sealed && i < sources->game_files.count, "file %u of %u", i, sources->game_files.count);
  const source_t *file = &sources->game_files.items[i];
  *hash = hash_bytes(file->text, file->bytes, 1);
  return is_hashed(file);
}

uint64_t sources_hash_all(const sources_o *sources, uint64_t seed) {
  uint64_t hash = seed;
  shoal_assert(sources->sealed, "sources must be sealed before they are hashed");
  for (uint32_t i = 0; i < sources->game_files.count; ++i) {
    const source_t *file = &sources->game_files.items[i];
    if (strncmp(file->name, SOURCES_ADDONS, sizeof SOURCES_ADDONS - 1) == 0)
      continue;
    hash = hash_bytes(file->name, strlen(file->name) + 1, hash);
    hash = hash_bytes(file->text, file->bytes, hash);
  }
  return hash;
}

bool sources_hash_engine(const char *folder, uint64_t *hash, error_info_t *error) {
  char path[FILE_PATH_BYTES];
  allocator_t memory = {0};
  file_list_t list = {0};
  *hash = 0;
  bool ok = file_list(&memory, folder, ".lua", &list, error);
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    size_t bytes = 0;
    if (strncmp(list.paths[i], "menu/", 5) == 0)
      continue;
    char *text = file_read(&memory, path_join(path, sizeof path, folder, list.paths[i]), &bytes, error);
    ok = text != NULL;
    *hash = ok ? hash_bytes(text, bytes, *hash) : 0;
    file_free(&memory, text, bytes);
  }
  file_list_free(&memory, &list);
  return ok;
}
