// The sources of VMs: reads each file once, records which files were requested, and hashes their contents.
#include "script/sources.h"

#include "base/assert.h"
#include "base/archive.h"
#include "base/array.h"
#include "base/confined_folder.h"
#include "base/files.h"
#include "base/hash.h"
#include "luajit/code_file.h"
#include "luajit/lua_edit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 4096

static const char ENGINE[] = SOURCES_ENGINE;

typedef struct source_t {
  char *name, *text; // text: NULL until read
  char *problem;     // why the file could not be read when the sources were sealed; NULL if it was read
  const void *code;  // NULL until compiled
  size_t bytes, code_bytes;
  bool requested; // true if the file was requested before the sources were sealed
  bool built;     // `code` points into the build's file of compiled scripts
} source_t;

typedef struct addon_t {
  char name[SOURCES_ADDON_NAME], version[SOURCES_ADDON_VERSION], folder[1024];
} addon_t;

struct sources_o {
  allocator_t memory;
  atomic_uint owners; // a thread may load a new version from sources that a running game uses
  char game_folder[1024], engine_folder[1024];
  ARRAY(source_t) game;   // sorted by name
  ARRAY(source_t) engine; // sorted by name
  ARRAY(addon_t) addons;  // in the order in which they were added
  sources_o *before;      // sources whose bytecode is reused for files with equal contents; may be NULL
  code_file_o *built;     // the build's file of compiled scripts, searched after `before`; may be NULL
  bool shares_archive;    // `built` is in the same archive as the engine's scripts
  error_info_t problem;   // error of listing the game's files; "" on success
  error_info_t
      refused_link; // message about the first link that leaves the game's folder and is not a source; may be ""
  uint64_t hash;
  bool sealed;
};

// --- list of files

static void add_game_file(sources_o *s, const char *name) {
  source_t file = {.name = alloc_copy_text(&s->memory, name)};
  array_push(&s->memory, &s->game, file);
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

static void on_game_file(void *context, const char *path, const char *relative, const struct stat *info) {
  (void)path;
  if (!is_data_file(relative) || info->st_size <= SOURCES_MAX_DATA)
    add_game_file(context, relative);
}

// A source is listed although its link leaves the folder, so that loading it reports why it cannot be read.
static void on_refused_game_link(void *context, const char *path, const char *relative) {
  sources_o *s = context;
  if (sources_is_source_file(relative))
    add_game_file(s, relative);
  else if (!s->refused_link.text[0] &&
           strncmp(get_name_in_root(relative), "assets/", 7) != 0) // assets are reported when requested
    confined_set_error(path, &s->refused_link);
}

// Lists the game's files. If this fails, the error is reported when a file is read.
static void scan_game_files(sources_o *s) {
  file_walk_t walk = {.folder = s->game_folder,
                      .accepts = is_source_file,
                      .file = on_game_file,
                      .refused = on_refused_game_link,
                      .context = s};
  if (file_walk(&walk, &s->problem))
    s->problem.text[0] = 0;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const source_t *)a)->name, ((const source_t *)b)->name);
}

// --- life cycle

sources_o *sources_create(const char *game_folder, const char *engine_folder, sources_o *before) {
  shoal_assert(game_folder && engine_folder, "game_folder and engine_folder must not be NULL");
  allocator_t memory = {0};
  sources_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (sources_o){.memory = memory, .owners = 1, .before = before};
  if (before)
    sources_retain(before);
  snprintf(s->game_folder, sizeof s->game_folder, "%s", game_folder);
  snprintf(s->engine_folder, sizeof s->engine_folder, "%s", engine_folder);
  if (!archive_contains(game_folder))
    confine_folder(game_folder);
  char path[PATH_BYTES];
  // do not search a folder without game.lua, because it may contain any number of files
  if (file_exists(path_join(path, sizeof path, game_folder, "game.lua")))
    scan_game_files(s);
  if (s->game.count > 0)
    qsort(s->game.items, s->game.count, sizeof *s->game.items, compare_names);
  return s;
}

static void free_source(sources_o *s, source_t *file);

typedef struct addon_walk_t {
  sources_o *s;
  const char *name;
} addon_walk_t;

static void add_addon_file(const addon_walk_t *x, const char *relative) {
  char name[PATH_BYTES];
  snprintf(name, sizeof name, SOURCES_ADDONS "%s/%s", x->name, relative);
  add_game_file(x->s, name);
}

static void on_addon_file(void *context, const char *path, const char *relative, const struct stat *info) {
  (void)path;
  if (!is_data_file(relative) || info->st_size <= SOURCES_MAX_DATA)
    add_addon_file(context, relative);
}

// A source is listed although its link leaves the folder, so that loading it reports why it cannot be read.
static void on_refused_addon_link(void *context, const char *path, const char *relative) {
  (void)path;
  if (sources_is_source_file(relative))
    add_addon_file(context, relative);
}

// Removes the files that were listed with the game's folder.
static void remove_addon_files(sources_o *s, const char *name) {
  char prefix[SOURCES_ADDON_NAME + sizeof SOURCES_ADDONS];
  size_t length = (size_t)snprintf(prefix, sizeof prefix, SOURCES_ADDONS "%s/", name);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->game.count; ++i) {
    if (strncmp(s->game.items[i].name, prefix, length) == 0)
      free_source(s, &s->game.items[i]);
    else
      s->game.items[kept++] = s->game.items[i];
  }
  s->game.count = kept;
}

static const addon_t *find_addon(const sources_o *s, const char *name, size_t length) {
  for (uint32_t i = 0; i < s->addons.count; ++i)
    if (strncmp(s->addons.items[i].name, name, length) == 0 && s->addons.items[i].name[length] == '\0')
      return &s->addons.items[i];
  return NULL;
}

bool sources_add_addon(sources_o *s, const char *name, const char *folder, error_info_t *error) {
  addon_t addon = {0};
  const addon_t *existing = find_addon(s, name, strlen(name));
  if (existing && strcmp(existing->folder, folder) == 0)
    return true;
  if (existing)
    return error_set(error, "two add-ons are named %s: %s and %s: rename one of them", name, existing->folder, folder);
  if (s->sealed || s->addons.count == SOURCES_MAX_ADDONS)
    return error_set(error,
                     s->sealed ? "add-ons cannot be added after the game is loaded" : "too many add-ons (at most %u)",
                     SOURCES_MAX_ADDONS);
  if (strlen(name) >= sizeof addon.name || strlen(folder) >= sizeof addon.folder)
    return error_set(error, "the path of the add-on %s is too long (at most %zu bytes)", name, sizeof addon.folder - 1);
  snprintf(addon.name, sizeof addon.name, "%s", name);
  snprintf(addon.folder, sizeof addon.folder, "%s", folder);
  if (!archive_contains(folder))
    confine_folder(folder);
  remove_addon_files(s, name);
  addon_walk_t x = {.s = s, .name = name};
  file_walk_t walk = {.folder = folder,
                      .accepts = is_source_file,
                      .file = on_addon_file,
                      .refused = on_refused_addon_link,
                      .context = &x};
  if (!file_walk(&walk, error))
    return false;
  if (s->game.count > 0)
    qsort(s->game.items, s->game.count, sizeof *s->game.items, compare_names);
  array_push(&s->memory, &s->addons, addon);
  return true;
}

const char *sources_addon_name(const sources_o *s, uint32_t i) {
  return i < s->addons.count ? s->addons.items[i].name : NULL;
}

const char *sources_addon_folder(const sources_o *s, uint32_t i) {
  return i < s->addons.count ? s->addons.items[i].folder : NULL;
}

void sources_set_addon_version(sources_o *s, const char *name, const char *version) {
  for (uint32_t i = 0; i < s->addons.count && !s->sealed; ++i)
    if (strcmp(s->addons.items[i].name, name) == 0)
      snprintf(s->addons.items[i].version, sizeof s->addons.items[i].version, "%s", version);
}

const char *sources_addon_version(const sources_o *s, uint32_t i) {
  return i < s->addons.count ? s->addons.items[i].version : "";
}

const char *sources_refused_link(const sources_o *s) {
  return s->refused_link.text;
}

void sources_use_code_file(sources_o *s, const char *path) {
  shoal_assert(!s->built, "sources already have a file of compiled scripts");
  s->built = path[0] ? code_file_open(path) : NULL;
  s->shares_archive = s->built && archive_contains(path) && archive_contains(s->engine_folder);
}

void sources_retain(sources_o *s) {
  shoal_assert(s->owners > 0, "sources are already freed");
  atomic_fetch_add(&s->owners, 1);
}

static void drop_code(sources_o *s, source_t *file) {
  if (!file->built)
    alloc_resize(&s->memory, (void *)(uintptr_t)file->code, file->code_bytes, 0);
  file->code = NULL;
  file->code_bytes = 0;
  file->built = false;
}

static void free_source(sources_o *s, source_t *file) {
  file_free(&s->memory, file->text, file->bytes);
  drop_code(s, file);
  alloc_free_text(&s->memory, file->name);
  if (file->problem)
    alloc_free_text(&s->memory, file->problem);
}

void sources_release(sources_o *s) {
  if (!s || atomic_fetch_sub(&s->owners, 1) > 1)
    return;
  for (uint32_t i = 0; i < s->game.count; ++i)
    free_source(s, &s->game.items[i]);
  for (uint32_t i = 0; i < s->engine.count; ++i)
    free_source(s, &s->engine.items[i]);
  sources_release(s->before);
  code_file_close(s->built);
  array_free(&s->memory, &s->game);
  array_free(&s->memory, &s->engine);
  array_free(&s->memory, &s->addons);
  allocator_t memory = s->memory;
  shoal_assert(memory.bytes == sizeof *s, "sources leaked %zu bytes", memory.bytes - sizeof *s);
  alloc_resize(&memory, s, sizeof *s, 0);
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

static source_t *find_listed_file(const sources_o *s, const char *name) {
  bool engine = strncmp(name, ENGINE, sizeof ENGINE - 1) == 0;
  source_t *files = engine ? s->engine.items : s->game.items;
  uint32_t count = engine ? s->engine.count : s->game.count, at = find_insert_index(files, count, name);
  return at < count && strcmp(files[at].name, name) == 0 ? &files[at] : NULL;
}

static void set_code(sources_o *s, source_t *file, const void *code, size_t bytes) {
  void *own = alloc_resize(&s->memory, NULL, 0, bytes);
  if (bytes > 0)
    memcpy(own, code, bytes);
  drop_code(s, file);
  file->code = own;
  file->code_bytes = bytes;
}

// Uses the build's bytecode if it was compiled from the same text, or if the text was not read (NULL).
static void use_built_code(sources_o *s, source_t *file) {
  size_t bytes = 0;
  const void *code =
      s->built && !file->code ? code_file_find_chunk(s->built, file->name, file->text, file->bytes, &bytes) : NULL;
  if (!code)
    return;
  file->code = code;
  file->code_bytes = bytes;
  file->built = true;
}

static void reuse_code(sources_o *s, source_t *file) {
  const source_t *existing = s->before ? find_listed_file(s->before, file->name) : NULL;
  if (existing && existing->code && existing->bytes == file->bytes &&
      memcmp(existing->text, file->text, file->bytes) == 0)
    set_code(s, file, existing->code, existing->code_bytes);
  use_built_code(s, file);
}

const char *sources_find_path(const sources_o *s, const char *name, char *out, size_t bytes) {
  const char *relative = get_name_in_root(name);
  size_t prefix = sizeof SOURCES_ADDONS - 1;
  const addon_t *addon = relative != name ? find_addon(s, name + prefix, (size_t)(relative - name) - prefix - 1) : NULL;
  return path_join(out, bytes, addon ? addon->folder : s->game_folder, addon ? relative : name);
}

// Reads a file of the game, of one of its add-ons, or of the engine. Returns NULL with an error on failure.
static char *read_file(sources_o *s, const char *name, size_t *bytes, error_info_t *error) {
  char path[PATH_BYTES];
  struct stat info;
  if (strncmp(name, ENGINE, sizeof ENGINE - 1) == 0)
    path_join(path, sizeof path, s->engine_folder, name + sizeof ENGINE - 1);
  else
    sources_find_path(s, name, path, sizeof path);
  if (path_ends_with(name, ".lua") && stat(path, &info) == 0 &&
      !lua_source_check_size(name, (size_t)info.st_size, error))
    return NULL;
  return file_read(&s->memory, path, bytes, error);
}

static bool read_text(sources_o *s, source_t *file, error_info_t *error) {
  if (file->text)
    return true;
  if (s->sealed)
    return file->problem ? error_set(error, "%s", file->problem)
                         : error_set(error, "%s: could not be read when the game was loaded", file->name);
  file->text = read_file(s, file->name, &file->bytes, error);
  if (!file->text)
    return false;
  reuse_code(s, file);
  return true;
}

// Inserts an engine file at index `at` of the sorted files, and returns it. Invalidates pointers to other engine files.
static source_t *add_engine_file(sources_o *s, uint32_t at, const char *name) {
  source_t file = {.name = alloc_copy_text(&s->memory, name)};
  array_push(&s->memory, &s->engine, file);
  memmove(s->engine.items + at + 1, s->engine.items + at, (s->engine.count - 1 - at) * sizeof file);
  s->engine.items[at] = file;
  shoal_assert((at == 0 || compare_names(&s->engine.items[at - 1], &s->engine.items[at]) < 0) &&
                   (at + 1 == s->engine.count || compare_names(&s->engine.items[at], &s->engine.items[at + 1]) < 0),
               "engine files are not sorted: %s is out of order", name);
  return &s->engine.items[at];
}

bool sources_has_file(const sources_o *s, const char *name) {
  return find_listed_file((sources_o *)(uintptr_t)s, name) != NULL;
}

static source_t *find_or_load(sources_o *s, const char *name, bool engine) {
  source_t *existing = find_listed_file(s, name);
  if (existing || !engine || s->sealed)
    return existing;
  return add_engine_file(s, find_insert_index(s->engine.items, s->engine.count, name), name);
}

const char *sources_read_text(sources_o *s, const char *name, size_t *bytes, error_info_t *error) {
  shoal_assert(name && name[0], "file name must not be empty");
  bool engine = strncmp(name, ENGINE, sizeof ENGINE - 1) == 0;
  source_t *file = find_or_load(s, name, engine);
  if (!engine && s->problem.text[0]) {
    error_set(error, "%s", s->problem.text);
    return NULL;
  }
  if (!file) {
    error_set(error, "%s: file not found", name);
    return NULL;
  }
  if (!read_text(s, file, error))
    return NULL;
  if (!s->sealed) // several threads read sealed sources, so they must not change
    file->requested = true;
  *bytes = file->bytes;
  return file->text;
}

const void *sources_get_code(const sources_o *s, const char *name, size_t *bytes) {
  const source_t *file = find_listed_file(s, name);
  *bytes = file ? file->code_bytes : 0;
  return file ? file->code : NULL;
}

const void *sources_get_built_code(sources_o *s, const char *name, size_t *bytes) {
  *bytes = 0;
  source_t *file =
      s->shares_archive && strncmp(name, ENGINE, sizeof ENGINE - 1) == 0 ? find_or_load(s, name, true) : NULL;
  if (!file)
    return NULL;
  if (!s->sealed && !file->text)
    use_built_code(s, file);
  *bytes = file->code_bytes;
  return file->code;
}

void sources_set_code(sources_o *s, const char *name, const void *code, size_t bytes) {
  source_t *file = s->sealed ? NULL : find_listed_file(s, name);
  shoal_assert(!file || file->text, "%s must be read before its code is stored", name);
  if (file)
    set_code(s, file, code, bytes);
}

const char *sources_file_name(const sources_o *s, uint32_t i) {
  return i < s->game.count ? s->game.items[i].name : NULL;
}

void sources_seal(sources_o *s) {
  if (s->sealed)
    return;
  error_info_t why;
  for (uint32_t i = 0; i < s->game.count; ++i) {
    source_t *file = &s->game.items[i];
    if (!read_text(s, file, &why))
      file->problem = alloc_copy_text(&s->memory, why.text);
    if (!file->requested && !is_data_file(file->name))
      continue;
    s->hash = hash_bytes(file->name, strlen(file->name) + 1, s->hash);
    s->hash = hash_bytes(file->text, file->bytes, s->hash);
  }
  sources_release(s->before);
  s->before = NULL;
  s->sealed = true;
}

bool sources_is_sealed(const sources_o *s) {
  return s->sealed;
}

uint64_t sources_hash(const sources_o *s) {
  shoal_assert(s->sealed, "sources must be sealed before they are hashed");
  return s->hash;
}

uint64_t sources_hash_engine(const char *folder) {
  char path[PATH_BYTES];
  allocator_t memory = {0};
  file_list_t list = {0};
  uint64_t hash = 0;
  if (!file_list(&memory, folder, ".lua", &list, NULL))
    return 0;
  for (uint32_t i = 0; i < list.count; ++i) {
    size_t bytes = 0;
    bool menu = strncmp(list.paths[i], "menu/", 5) == 0;
    char *text = menu ? NULL : file_read(&memory, path_join(path, sizeof path, folder, list.paths[i]), &bytes, NULL);
    if (!text)
      continue;
    hash = hash_bytes(text, bytes, hash);
    file_free(&memory, text, bytes);
  }
  file_list_free(&memory, &list);
  return hash;
}
