// Lists the loaded files (sources as loaded by the game's VM, and assets) and opens them in an editor.
#include "cockpit/loaded_files.h"

#include "addons/addon_lock.h"
#include "base/archive.h"
#include "base/assert.h"
#include "base/file_status.h"
#include "base/files.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/game_files.h"
#include "cockpit/request.h"
#include "process/child.h"
#include "script/script.h"

#include <stdio.h>
#include <string.h>

#define MAX_FILES 2000u
#define MAX_ARGUMENTS 24
#define MAX_SOURCE (1u << 20)
#define MAX_DEFINITIONS (2u << 20)

static void write_sources(const game_o *game, json_writer_t *out) {
  sources_o *sources = vm_sources(game->vm);
  shoal_assert(sources_is_sealed(sources), "the sources must be sealed before they are listed");
  const char *name;
  error_info_t error = {0};
  for (uint32_t i = 0; (name = sources_file_name(sources, i)) != NULL && i < MAX_FILES; ++i) {
    size_t bytes = 0;
    bool loaded = sources_read_text(sources, name, &bytes, &error) != NULL;
    json_write_begin(out, '[');
    json_write_string(out, name);
    json_write_string(out, loaded ? "source" : "unread");
    json_write_integer(out, (long long)bytes);
    json_write_end(out, ']');
  }
}

typedef struct listing_t {
  json_writer_t *out;
  const char *kind, *prefix;
  uint32_t count;
} listing_t;

static void write_asset(void *context, const char *path, const char *relative, const file_status_t *status) {
  listing_t *listing = context;
  char name[400];
  (void)path;
  if (listing->count++ >= MAX_FILES)
    return;
  snprintf(name, sizeof name, "%s%s", listing->prefix, relative);
  json_write_begin(listing->out, '[');
  json_write_string(listing->out, name);
  json_write_string(listing->out, listing->kind);
  json_write_integer(listing->out, (long long)status->size_bytes);
  json_write_end(listing->out, ']');
}

static bool write_assets(const char *folder, const char *prefix, json_writer_t *out, error_info_t *error) {
  listing_t listing = {out, "asset", prefix, 0};
  file_walk_t walk = {.folder = folder, .is_optional = true, .on_file = write_asset, .context = &listing};
  return !folder[0] || file_walk(&walk, error);
}

static bool write_addon_assets(const sources_o *s, json_writer_t *out, error_info_t *error) {
  const char *name;
  bool ok = true;
  for (uint32_t i = 0; ok && (name = sources_addon_name(s, i)) != NULL; ++i) {
    char folder[PATH_MAX_BYTES + 16], prefix[SOURCES_ADDON_NAME + 32];
    snprintf(prefix, sizeof prefix, SOURCES_ADDONS "%s/assets/", name);
    ok = write_assets(path_join(folder, sizeof folder, sources_addon_folder(s, i), "assets"), prefix, out, error);
  }
  return ok;
}

bool loaded_files_write(cockpit_o *cockpit, json_writer_t *out, error_info_t *error) {
  game_o *game = host_game(cockpit->host);
  if (!game || !game->vm)
    return error_set(error, COCKPIT_NO_GAME);
  json_write_key(out, "columns");
  json_write_raw(out, "[\"name\",\"kind\",\"bytes\"]", 23);
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  write_sources(game, out);
  bool ok = write_assets(game->desc.assets->game, "assets/", out, error) &&
            write_addon_assets(vm_sources(game->vm), out, error);
  json_write_end(out, ']');
  server_set_assets(cockpit->server, game->desc.assets->game); // allows the page to load assets
  json_write_bool_pair(out, "editor", host_options(cockpit->host)->editor != NULL);
  return ok;
}

bool loaded_files_write_addons(cockpit_o *cockpit, json_writer_t *out, error_info_t *error) {
  game_o *game = host_game(cockpit->host);
  const char *name;
  if (!game || !game->vm)
    return error_set(error, COCKPIT_NO_GAME);
  const sources_o *sources = vm_sources(game->vm);
  addon_lock_t lock;
  addon_lock_init(&lock, &cockpit->memory);
  bool ok = archive_contains(game->folder) || addon_lock_read(&lock, game->folder, error);
  json_write_key(out, "columns");
  json_write_raw(out, "[\"name\",\"version\",\"folder\",\"edited\"]", 36);
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  for (uint32_t i = 0; ok && (name = sources_addon_name(sources, i)) != NULL; ++i) {
    const addon_locked_t *entry = addon_lock_find(&lock, name);
    json_write_begin(out, '[');
    json_write_string(out, name);
    json_write_string(out, sources_addon_version(sources, i));
    json_write_string(out, sources_addon_folder(sources, i));
    json_write_bool(out, entry && addon_lock_is_edited(&cockpit->memory, game->folder, entry));
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
  addon_lock_fini(&lock);
  return ok;
}

// Writes the path of a file in the game or its add-ons to `out`. Returns `out`.
static const char *find_path(const cockpit_o *cockpit, const char *name, char *out, size_t bytes) {
  const game_o *game = host_game(cockpit->host);
  host_state_t host_state;
  if (game && game->vm)
    return sources_find_path(vm_sources(game->vm), name, out, bytes);
  host_get_state(cockpit->host, &host_state);
  return path_join(out, bytes, host_state.folder, name);
}

bool loaded_files_write_source(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error) {
  const char *name = json_string_value(json_object_get(request, "file"));
  game_o *game = host_game(cockpit->host);
  char path[1024];
  size_t bytes = 0;
  if (!game_files_is_inside(name))
    return request_reject_member(request, "file", error, "one of the game's files, such as \"systems/move.lua\"");
  if (game && game->vm && strstr(name, ".lua")) {
    const char *text = sources_read_text(vm_sources(game->vm), name, &bytes, error);
    if (text)
      json_write_pair(out, "text", text);
    return text != NULL;
  }
  char *text =
      file_read_limited(&cockpit->memory, find_path(cockpit, name, path, sizeof path), MAX_SOURCE, &bytes, error);
  if (!text)
    return false;
  json_write_pair(out, "text", text);
  file_free(&cockpit->memory, text, bytes);
  return true;
}

bool loaded_files_write_definitions(cockpit_o *cockpit, json_writer_t *out, error_info_t *error) {
  char path[PATH_MAX_BYTES + 64];
  size_t bytes = 0;
  path_join(path, sizeof path, host_get_paths(cockpit->host)->root, "scripts/types/shoal.lua");
  char *text = file_read_limited(&cockpit->memory, path, MAX_DEFINITIONS, &bytes, error);
  if (!text)
    return false;
  json_write_pair(out, "text", text);
  file_free(&cockpit->memory, text, bytes);
  return true;
}

// --- editor

// Copies one argument of the editor command, replacing %f with the file and %l with the line.
static void write_argument(char *out, size_t bytes, const char *argument, const char *file, unsigned line) {
  shoal_assert(bytes > 0 && line > 0, "bytes and line must not be 0 (line %u of %s)", line, file);
  size_t used = 0;
  out[0] = '\0';
  for (; *argument && used + 1 < bytes; ++argument) {
    if (argument[0] == '%' && argument[1] == 'f')
      used += (size_t)snprintf(out + used, bytes - used, "%s", file), ++argument;
    else if (argument[0] == '%' && argument[1] == 'l')
      used += (size_t)snprintf(out + used, bytes - used, "%u", line), ++argument;
    else
      used += (size_t)snprintf(out + used, bytes - used, "%c", *argument);
  }
}

// Starts the editor without a shell, so that a file name is always one argument.
static bool start_editor(const char *command, const char *file, unsigned line) {
  static char arguments[MAX_ARGUMENTS][1200];
  const char *argv[MAX_ARGUMENTS + 1];
  char copy[1024], *saveptr = NULL;
  int count = 0;
  bool has_file_placeholder = strstr(command, "%f") != NULL;
  snprintf(copy, sizeof copy, "%s", command);
  for (char *argument = strtok_r(copy, " ", &saveptr); argument && count < MAX_ARGUMENTS - 1;
       argument = strtok_r(NULL, " ", &saveptr)) {
    write_argument(arguments[count], sizeof arguments[count], argument, file, line);
    argv[count] = arguments[count];
    ++count;
  }
  if (!has_file_placeholder && count < MAX_ARGUMENTS)
    argv[count++] = file;
  argv[count] = NULL;
  return count > 0 && child_launch_detached(argv);
}

bool loaded_files_open_in_editor(cockpit_o *cockpit, const json_t *request, error_info_t *error) {
  const char *name = json_string_value(json_object_get(request, "file")),
             *command = host_options(cockpit->host)->editor;
  long long line = json_integer_value(json_object_get(request, "line"));
  char path[1024];
  if (!game_files_is_inside(name))
    return request_reject_member(request, "file", error, "one of the game's files, such as \"systems/move.lua\"");
  if (!command)
    return error_set(
        error, "no editor is set: start the game with --editor \"code -g %%f:%%l\" (%%f is the file, %%l the line)");
  if (!file_exists(find_path(cockpit, name, path, sizeof path)))
    return error_set(error, "%.200s: file not found in the game's folder", name);
  return start_editor(command, path, line > 0 && line < 10000000 ? (unsigned)line : 1) ||
         error_set(error, "cannot start the editor “%s”: check --editor", command);
}
