// Parses `addons` in game.lua, and edits it with luajit/lua_edit.h.
#include "addons/game_addons.h"

#include "base/assert.h"
#include "base/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "game.lua"
#define MAX_BYTES ((size_t)4 << 20)

static char *read_game_file(void *context, allocator_t *memory, const char *name, size_t *bytes) {
  game_addons_t *g = context;
  char path[FILE_PATH_BYTES];
  return file_read_limited(memory, path_join(path, sizeof path, g->game, name), MAX_BYTES, bytes, &g->read_error);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Reads addon.lua from the add-on's folder, which is searched in the same places as when a game runs. Returns true on
// success, or false if addon.lua is missing or invalid.
static bool read_info(const game_addons_t *g, game_addon_t *entry) {
  char folder[FILE_PATH_BYTES], real_path[FILE_PATH_BYTES], relative[sizeof "addons/" + sizeof entry->path];
  snprintf(relative, sizeof relative, "%s%s", strchr(entry->path, '/') ? "" : "addons/", entry->path);
  path_join(folder, sizeof folder, g->game, relative);
  if (!strchr(entry->path, '/') && !file_is_folder(folder))
    path_join(folder, sizeof folder, g->shipped, entry->path);
  return path_resolve(folder, real_path) && addon_info_read(g->memory, real_path, &entry->info, NULL);
}

// Reads an entry of `addons`: a path, or { path, as = name }. Returns true on success, or false if the entry does not
// consist of literals, or a string is too long.
static bool read_entry(literal_span_t element, game_addon_t *out) {
  literal_span_t path = element, alias = {0};
  bool ok = true;
  if (lua_tokens_match_word(&element.file->lua, element.first, "{")) {
    uint32_t i = element.first + 1;
    lua_entry_t entry;
    ok = lua_edit_next_element(element, &i, &entry) && entry.name == 0;
    path = (literal_span_t){element.file, entry.value, entry.last};
    alias = lua_edit_find_value(element, "as");
  }
  out->line = literal_line(element);
  if (!ok || !addon_copy_string(path, out->path, sizeof out->path))
    return false;
  for (size_t length = strlen(out->path); length > 1 && out->path[length - 1] == '/';)
    out->path[--length] = '\0';
  if (alias.file)
    return addon_copy_string(alias, out->name, sizeof out->name);
  return snprintf(out->name, sizeof out->name, "%s", base_name(out->path)) < (int)sizeof out->name;
}

bool game_addons_read(game_addons_t *g, allocator_t *memory, const char *game, const char *shipped,
                      error_info_t *error) {
  static const char *const KEYS[] = {"addons"};
  shoal_assert(path_is_absolute(game) && path_is_absolute(shipped), "the folders must be absolute, got %s and %s", game,
               shipped);
  *g = (game_addons_t){.memory = memory, .game = game, .shipped = shipped};
  lua_edit_init(&g->edit, memory, read_game_file, g);
  g->config = lua_edit_find_table(&g->edit, FILE_NAME, NULL, 0, error);
  if (!g->config.file && g->read_error.text[0] && error)
    *error = g->read_error;
  if (!g->config.file)
    return false;
  literal_span_t root = literal_find_return_value(&g->edit.search, FILE_NAME);
  if (!literal_find_value(&g->edit.search, root, KEYS[0]).file && !lua_edit_find_value(g->config, KEYS[0]).file)
    return true;
  g->list = lua_edit_find_table(&g->edit, FILE_NAME, KEYS, 1, error);
  if (!g->list.file)
    return false;
  lua_entry_t element;
  for (uint32_t i = g->list.first + 1; lua_edit_next_element(g->list, &i, &element);) {
    game_addon_t entry = {0};
    if (read_entry((literal_span_t){g->list.file, element.value, element.last}, &entry)) {
      if (!read_info(g, &entry))
        entry.info = (addon_info_t){0};
      array_push(memory, &g->entries, entry);
    }
  }
  return true;
}

void game_addons_fini(game_addons_t *g) {
  array_free(g->memory, &g->entries);
  lua_edit_fini(&g->edit);
}

const game_addon_t *game_addons_find(const game_addons_t *g, const char *name) {
  for (uint32_t i = 0; i < g->entries.count; ++i)
    if (strcmp(g->entries.items[i].path, name) == 0)
      return &g->entries.items[i];
  return NULL;
}

bool game_addons_add(game_addons_t *g, const char *name, error_info_t *error) {
  char value[ADDON_NAME_BYTES + 8];
  for (uint32_t i = 0; i < g->entries.count; ++i) {
    const game_addon_t *entry = &g->entries.items[i];
    if (strcmp(entry->name, name) == 0 || strcmp(entry->info.name, name) == 0)
      return error_set_at(error, g->list.file->name, entry->line,
                          "the game already uses an add-on named %s (%s): remove that add-on from addons, or give "
                          "it a different name",
                          name, entry->path);
  }
  snprintf(value, sizeof value, g->list.file ? "\"%s\"" : "{ \"%s\" }", name);
  if (g->list.file)
    lua_edit_insert(&g->edit, g->list, NULL, value);
  else
    lua_edit_insert(&g->edit, g->config, "addons", value);
  return true;
}

const char *game_addons_write(game_addons_t *g, json_writer_t *out, error_info_t *error) {
  literal_file_t *file = g->list.file ? g->list.file : g->config.file;
  lua_edit_write(&g->edit, file, out);
  return lua_source_check(file->name, out->text.items, out->text.count, error) ? file->name : NULL;
}

// --- requirements

static void write_line(json_writer_t *out, const char *line) {
  json_write_text(out, line);
  json_write_text(out, "\n");
}

static bool is_shipped(const game_addons_t *g, const char *name) {
  char folder[FILE_PATH_BYTES];
  return file_is_folder(path_join(folder, sizeof folder, g->shipped, name));
}

static void check_requirement(const game_addons_t *g, const char *dependent, const addon_requirement_t *requirement,
                              const addon_info_t *addon, uint32_t *count, json_writer_t *out) {
  char line[256];
  if (!addon && is_shipped(g, requirement->name))
    snprintf(line, sizeof line, "%s requires %s %s, which the game does not use: add \"%s\" to addons in game.lua",
             dependent, requirement->name, requirement->version, requirement->name);
  else if (!addon)
    snprintf(line, sizeof line, "%s requires %s %s, which the game does not use: run ./shoal add with the path of %s",
             dependent, requirement->name, requirement->version, requirement->name);
  else if (!addon_version_meets(addon->version, requirement->version))
    snprintf(line, sizeof line, "%s requires %s %s, but the game has version %s", dependent, requirement->name,
             requirement->version, addon->version);
  else
    return;
  write_line(out, line);
  ++*count;
}

uint32_t game_addons_check_requirements(const game_addons_t *g, const addon_info_t *info, json_writer_t *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < info->requires_count; ++i) {
    const addon_info_t *addon = NULL;
    for (uint32_t k = 0; k < g->entries.count; ++k)
      if (strcmp(g->entries.items[k].info.name, info->requires[i].name) == 0)
        addon = &g->entries.items[k].info;
    check_requirement(g, info->name, &info->requires[i], addon, &count, out);
  }
  for (uint32_t k = 0; k < g->entries.count; ++k) {
    const addon_info_t *dependent = &g->entries.items[k].info;
    for (uint32_t i = 0; i < dependent->requires_count && strcmp(dependent->name, info->name) != 0; ++i)
      if (strcmp(dependent->requires[i].name, info->name) == 0)
        check_requirement(g, dependent->name, &dependent->requires[i], info, &count, out);
  }
  return count;
}
