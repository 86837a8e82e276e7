// C functions for the engine's Lua: assets, saves, scene files, pausing, the menu, the lobby. Results that the
// simulation may use are recorded (time/external_input.h).
#include "game/game_bindings.h"

#include "animation/sheets.h"
#include "base/json_writer.h"
#include "base/now.h"
#include "bindings/bind_scene.h"
#include "game/game.h"
#include "game/players.h"
#include "game/save_slots.h"

#include <stdio.h>
#include <string.h>

static game_o *get_game(lua_State *L) {
  return bind_get_context(L);
}

// --- assets

// asset_exists(name) → true if the asset exists. The result stays in a cache, even if files are added or removed, until
// the code is replaced or the file watch reports a changed asset.
static int asset_exists(lua_State *L) {
  const game_o *g = get_game(L);
  char path[1100];
  const char *name = luaL_checkstring(L, 1);
  bool found = g->desc.external ? external_asset_exists(g->desc.external, name, g->desc.assets)
                                : g->desc.assets && assets_find(g->desc.assets, name, path, sizeof path);
  lua_pushboolean(L, found);
  return 1;
}

// clip_problem(image, clip) → description of the problem if the image's sheet is missing or lacks the clip; nil
// otherwise, and for repeated problems
static int find_clip_problem(lua_State *L) {
  const game_o *g = get_game(L);
  char problem[SHEETS_PROBLEM_BYTES];
  if (!sheets_find_clip_problem(components_sheets(g->components), luaL_checkstring(L, 1), luaL_checkstring(L, 2),
                                problem))
    return 0;
  lua_pushstring(L, problem);
  return 1;
}

// preload(name, is_first): requests an asset; `is_first` marks the first name of a list. Preloading must not influence
// the world.
static int preload(lua_State *L) {
  const game_o *g = get_game(L);
  const char *name = luaL_checkstring(L, 1);
  // Ignores names that begin with a zero byte: assets.preload has reported them.
  if (g->desc.preload && g->desc.external && name[0])
    preload_request(g->desc.preload, name, lua_toboolean(L, 2));
  return 0;
}

static bool read_preloaded(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                           error_info_t *error) {
  const game_o *g = context;
  uint32_t progress[2] = {0};
  (void)key, (void)error;
  if (g->desc.preload)
    preload_progress(g->desc.preload, &progress[0], &progress[1]);
  *size = sizeof progress;
  *bytes = alloc_resize(a, NULL, 0, sizeof progress + 1);
  memset(*bytes, 0, sizeof progress + 1);
  memcpy(*bytes, progress, sizeof progress);
  return true;
}

// Writes the numbers of loaded and requested assets. Records each call from the simulation separately, because assets
// may be requested between two calls.
static void count_preloaded(game_o *g, bool simulation, uint32_t progress[2]) {
  char key[48];
  if (!simulation) {
    if (g->desc.preload)
      preload_progress(g->desc.preload, &progress[0], &progress[1]);
    return;
  }
  progress[1] = 1;
  snprintf(key, sizeof key, "assets.ready#%u", external_count_call(g->desc.external, "assets.ready"));
  const external_result_t *result = external_request(g->desc.external, EXTERNAL_LOADED, key, read_preloaded, g);
  if (result->found && result->size == 2 * sizeof *progress)
    memcpy(progress, result->bytes, 2 * sizeof *progress);
}

// preloaded(is_simulation) → number of assets loaded or failed, number of assets requested
static int get_preload_progress(lua_State *L) {
  game_o *g = get_game(L);
  uint32_t progress[2] = {0};
  if (g->desc.external)
    count_preloaded(g, lua_toboolean(L, 1), progress);
  lua_pushinteger(L, (lua_Integer)progress[0]);
  lua_pushinteger(L, (lua_Integer)progress[1]);
  return 2;
}

// --- saves

// save_exists(name) → true if the save can be read, otherwise false and the reason; always true without external input
static int save_exists(lua_State *L) {
  game_o *g = get_game(L);
  const char *name = luaL_checkstring(L, 1);
  const external_result_t *result = NULL;
  if (g->desc.external)
    result = external_request(g->desc.external, EXTERNAL_SAVE, name, save_slots_read, g);
  lua_pushboolean(L, !result || result->found);
  if (!result || result->found)
    return 1;
  lua_pushlstring(L, (const char *)result->bytes, result->size < 1000 ? result->size : 1000);
  return 2;
}

// saves() → JSON (store/save_list.h); nothing without external input; on failure: nil, message. Each call is recorded
// separately, because saves may be added and removed between two calls.
static int list_saves(lua_State *L) {
  char key[48];
  game_o *g = get_game(L);
  if (!g->desc.external)
    return 0;
  snprintf(key, sizeof key, "/saves#%u", external_count_call(g->desc.external, "world.saves"));
  const external_result_t *result = external_request(g->desc.external, EXTERNAL_SAVE, key, save_slots_list, g);
  if (!result->found)
    lua_pushnil(L);
  lua_pushlstring(L, (const char *)result->bytes, result->size);
  return result->found ? 1 : 2;
}

// --- scene files

// scene_fetch(name) → text; on failure: nil, message
static int fetch_scene(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  size_t bytes = 0;
  error_info_t error = {0};
  const char *text = scene_files_fetch(get_game(L)->scene_files, name, &bytes, &error);
  if (!text)
    return bind_push_error(L, error.text);
  lua_pushlstring(L, text, bytes);
  return 1;
}

// scene_keep(name, text) → true; on failure: nil, message
static int store_scene(lua_State *L) {
  size_t bytes = 0;
  error_info_t error = {0};
  const char *name = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &bytes);
  bool ok = scene_files_store(get_game(L)->scene_files, name, text, bytes, &error);
  if (!ok)
    return bind_push_error(L, error.text);
  lua_pushboolean(L, 1);
  return 1;
}

// scene_read_file(name, components to skip) → the same results as bind_scene_read, where line 0 means unknown. A file
// may have up to 64 MiB; passing its text as a Lua string would allocate the same amount again, in one block that no
// budget limits.
static int spawn_scene_file(lua_State *L) {
  scene_fault_t fault = {.line = 0};
  const char *name = luaL_checkstring(L, 1);
  scene_desc_t desc = {.ignored = luaL_checkstring(L, 2), .is_import = true};
  desc.text = scene_files_fetch(get_game(L)->scene_files, name, &desc.text_bytes, &fault.error);
  if (desc.text)
    return bind_scene_spawn(L, &desc);
  return bind_scene_push_error(L, &fault);
}

// scene_add_unsaved(name): adds a scene to the list of unsaved scenes
static int add_unsaved_scene(lua_State *L) {
  scene_files_add_unsaved(get_game(L)->scene_files, luaL_checkstring(L, 1));
  return 0;
}

// --- pause

// is_paused() → true if the game is paused
static int is_paused(lua_State *L) {
  lua_pushboolean(L, get_game(L)->paused);
  return 1;
}

// --- the menu

// hash_game(folder, engine) → hash of the game and the engine's scripts in these folders, in hexadecimal, as in
// lan_offer_t.files; nil if a file cannot be read
static int hash_game(lua_State *L) {
  uint64_t engine = 0;
  char text[20];
  sources_o *sources = sources_create(luaL_checkstring(L, 1), luaL_checkstring(L, 2), NULL);
  bool ok = sources_seal(sources, NULL) && sources_hash_engine(luaL_checkstring(L, 2), &engine, NULL);
  snprintf(text, sizeof text, "%016llx", ok ? (unsigned long long)sources_hash_all(sources, engine) : 0);
  sources_release(sources);
  lua_pushstring(L, ok ? text : NULL);
  return 1;
}

static void write_match(json_writer_t *out, const lan_found_t *found) {
  char address[LINK_ADDRESS_TEXT_BYTES], files[20];
  snprintf(files, sizeof files, "%016llx", (unsigned long long)found->offer.files);
  json_write_begin(out, '{');
  json_write_pair(out, "title", found->offer.title);
  json_write_pair(out, "name", found->offer.name);
  json_write_integer_pair(out, "players", found->offer.players);
  json_write_integer_pair(out, "max_players", found->offer.max_players);
  json_write_pair(out, "files", files);
  json_write_pair(out, "address", link_address_format(&found->address, address));
  json_write_end(out, '}');
}

static bool read_matches(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                         error_info_t *error) {
  const game_o *g = context;
  uint32_t count = 0;
  json_writer_t out;
  (void)key;
  if (!g->desc.lan_list)
    return error_set(error, "a program without a window does not search the local network");
  if (!lan_list_update(g->desc.lan_list, now_ns() / 1000, error))
    return false;
  json_writer_init(&out, a);
  json_write_begin(&out, '[');
  const lan_found_t *hosts = lan_list_get_hosts(g->desc.lan_list, &count);
  for (uint32_t i = 0; i < count; ++i)
    write_match(&out, &hosts[i]);
  json_write_end(&out, ']');
  *size = out.text.count;
  *bytes = json_writer_detach_text(&out);
  return true;
}

// find_matches() → JSON: matches in the local network; on failure: nil, message. Each call is recorded separately,
// because hosts may answer between two calls.
static int find_matches(lua_State *L) {
  char key[48];
  game_o *g = get_game(L);
  if (!g->desc.external)
    return bind_push_error(L, "matches are not searched here");
  snprintf(key, sizeof key, "menu/matches#%u", external_count_call(g->desc.external, "menu/matches"));
  const external_result_t *result = external_request(g->desc.external, EXTERNAL_PLUGIN, key, read_matches, g);
  if (!result->found)
    return bind_push_error(L, (const char *)result->bytes);
  lua_pushlstring(L, (const char *)result->bytes, result->size);
  return 1;
}

// --- the lobby

// rename_player(player, name) → the name that the player gets from the next tick on
static int rename_player(lua_State *L) {
  size_t size = 0;
  const char *name = luaL_checklstring(L, 2, &size);
  lua_pushstring(L, players_rename(get_game(L), (uint32_t)luaL_checkinteger(L, 1), name, size));
  return 1;
}

// choose_next_colour(player): gives the player the next free colour
static int choose_next_colour(lua_State *L) {
  players_choose_next_colour(get_game(L), (uint32_t)luaL_checkinteger(L, 1));
  return 0;
}

static const luaL_Reg FUNCTIONS[] = {
    {"asset_exists", asset_exists},
    {"choose_next_colour", choose_next_colour},
    {"clip_problem", find_clip_problem},
    {"find_matches", find_matches},
    {"hash_game", hash_game},
    {"is_paused", is_paused},
    {"preload", preload},
    {"preloaded", get_preload_progress},
    {"rename_player", rename_player},
    {"save_exists", save_exists},
    {"saves", list_saves},
    {"scene_add_unsaved", add_unsaved_scene},
    {"scene_fetch", fetch_scene},
    {"scene_keep", store_scene},
    {"scene_read_file", spawn_scene_file},
    {NULL, NULL},
};

void game_bindings_open(lua_State *L, void *game) {
  bind_functions(L, FUNCTIONS, game);
}
