// Fills the table `native`: functions, addresses and facts that the engine's Lua cannot get through the FFI.
#include "bindings/bindings.h"

#include "base/archive.h"
#include "base/files.h"
#include "base/system_random.h"
#include "bindings/abi.h"
#include "bindings/bind_scene.h"
#include "platform/player_name.h"
#include "script/game_config.h"
#include "script/vm.h"

#include <luajit.h>
#include <string.h>

// secret() → a random name for a member of a proxy, which scripts must not be able to guess. Real randomness is
// acceptable here because it never reaches the simulation.
static int generate_random_name(lua_State *L) {
  unsigned char bytes[12];
  char text[2 * sizeof bytes + 1];
  if (!system_random(bytes, sizeof bytes))
    return luaL_error(L, "the system's random number generator failed");
  for (size_t i = 0; i < sizeof bytes; ++i) {
    text[2 * i] = (char)('a' + (bytes[i] & 15));
    text[2 * i + 1] = (char)('a' + (bytes[i] >> 4));
  }
  lua_pushlstring(L, text, 2 * sizeof bytes);
  return 1;
}

// Sets native.weak_keys and native.weak_values: values of __mode that make a table weak. Scripts cannot create light
// userdata, so their tables are never weak.
static void push_weak_modes(lua_State *L) {
  lua_pushlightuserdata(L, (void *)LUAJIT_WEAK_KEYS);
  lua_setfield(L, -2, "weak_keys");
  lua_pushlightuserdata(L, (void *)LUAJIT_WEAK_VALUES);
  lua_setfield(L, -2, "weak_values");
}

static void set_bool_field(lua_State *L, const char *name, bool value) {
  lua_pushboolean(L, value);
  lua_setfield(L, -2, name);
}

// Returns true if the game's folder is the folder `name` of scripts/shoal.
static bool is_engine_game(const vm_o *vm, const char *name) {
  char folder[1024];
  return strcmp(path_join(folder, sizeof folder, vm->engine_folder, name), vm->game_folder) == 0;
}

bool bindings_is_menu(const vm_o *vm) {
  return is_engine_game(vm, "menu");
}

// Sets native.lobby if the VM runs the lobby: the contents of the match's lobby or, outside a match, example contents.
static void push_lobby(lua_State *L, const vm_o *vm) {
  static const script_lobby_t EXAMPLE = {
      .title = "Lobby", .has_menu = true, .min_players = 2, .max_players = PLAYER_MAX_LOBBY};
  const script_lobby_t *lobby = vm->desc.lobby ? vm->desc.lobby : &EXAMPLE;
  if (!is_engine_game(vm, "lobby"))
    return;
  lua_newtable(L);
  bind_text(L, "title", lobby->title);
  bind_text(L, "addresses", lobby->addresses);
  bind_text(L, "key", lobby->key);
  if (vm->desc.lobby)
    bind_text(L, "language", lobby->language);
  lua_pushboolean(L, lobby->has_menu);
  lua_setfield(L, -2, "has_menu");
  lua_pushnumber(L, lobby->min_players);
  lua_setfield(L, -2, "min_players");
  lua_pushnumber(L, lobby->max_players);
  lua_setfield(L, -2, "max_players");
  lua_pushnumber(L, PLAYER_NAME_CHARACTERS);
  lua_setfield(L, -2, "name_characters");
  lua_setfield(L, -2, "lobby");
}

static const luaL_Reg FUNCTIONS[] = {
    {"secret", generate_random_name},
    {"sql", bind_sql},
    {"check_watch", bind_check_watch},
    {"watch", bind_watch},
    {"scene_write", bind_scene_write},
    {"scene_check", bind_scene_check},
    {"scene_read", bind_scene_read},
    {"fill_tilemaps", bind_fill_tilemaps},
    {"json_decode", bind_json_decode},
    {"number_text", bind_number_text},
    {NULL, NULL},
};

static void push_addresses(lua_State *L, vm_o *vm) {
  const vm_desc_t *desc = &vm->desc;
  bind_address(L, "world", desc->world);
  bind_address(L, "input", desc->input);
  bind_address(L, "input_before", desc->input_before);
  bind_address(L, "player_status", desc->player_status);
  bind_address(L, "player_colours", player_colours);
  bind_address(L, "draw", desc->draw);
  bind_address(L, "audio", desc->audio);
  bind_address(L, "requests", desc->requests);
  bind_address(L, "vm", vm);
  bind_address(L, "context", &vm->context);
  bind_address(L, "handles", &vm->handles);
  if (desc->match_menu)
    bind_address(L, "match_menu", desc->match_menu);
}

static void push_flags(lua_State *L, const vm_o *vm) {
  const vm_desc_t *desc = &vm->desc;
  set_bool_field(L, "trust", desc->trust);
  set_bool_field(L, "is_shared", desc->is_shared);
  set_bool_field(L, "is_served", desc->is_served);
  set_bool_field(L, "is_menu", bindings_is_menu(vm));
  set_bool_field(L, "is_packaged", archive_contains(vm->game_folder));
  // A rebuilt VM, and the match menu, must not repeat the log lines of the first load.
  set_bool_field(L, "is_silent", vm->builds > 1 || desc->match_menu);
  set_bool_field(L, "check_tables", desc->check_tables);
  set_bool_field(L, "no_jit", desc->no_jit);
  set_bool_field(L, "strict", desc->strict);
  set_bool_field(L, "metadata", desc->metadata);
}

void bindings_open(lua_State *L, void *context) {
  vm_o *vm = vm_of(L);
  (void)context;
  bind_functions(L, FUNCTIONS, NULL);
  bind_handles(L);
  bind_sources(L);
  bind_files(L);
  bind_log(L);
  bind_lua_tokens(L);
  bind_nearest_name(L);
  bind_draw(L);
  push_weak_modes(L);
  push_addresses(L, vm);
  abi_bind(L);
  game_config_push_defaults(L);
  lua_setfield(L, -2, "game_defaults");
  bind_text(L, "game_folder", vm->desc.game_folder);
  bind_text(L, "engine_folder", vm->desc.engine_folder);
  bind_text(L, "message", vm->desc.message);
  push_lobby(L, vm);
  push_flags(L, vm);
}
