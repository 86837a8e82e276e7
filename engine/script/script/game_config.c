// Default values of game.lua, and the reader of the settings table that scripts/shoal/load/loader.lua builds from
// it.
#include "script/game_config.h"

#include "ecs/world.h"
#include "script/script.h"
#include "script/vm.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>

const vm_game_t GAME_DEFAULTS = {
    .title = "Shoal",
    .width = 1280,
    .height = 720,
    .tick_rate = WORLD_DEFAULT_TICK_RATE,
    .history_mb = 64,
    .dead_zone = PLATFORM_DEAD_ZONE,
};

static void set_number(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, number);
  lua_setfield(L, -2, name);
}

void game_config_push_defaults(lua_State *L) {
  lua_newtable(L);
  lua_pushstring(L, GAME_DEFAULTS.title);
  lua_setfield(L, -2, "title");
  set_number(L, "width", GAME_DEFAULTS.width);
  set_number(L, "height", GAME_DEFAULTS.height);
  set_number(L, "tick_rate", GAME_DEFAULTS.tick_rate);
  set_number(L, "history", GAME_DEFAULTS.history_mb);
  set_number(L, "dead_zone", (double)GAME_DEFAULTS.dead_zone);
}

typedef struct config_reader_t {
  lua_State *L;
  error_info_t *error;
  bool failed; // true after the first failure, which is reported; later reads do nothing
} config_reader_t;

// Pushes the field's value and returns true. If the value has the wrong type, sets the error, pushes nothing and
// returns false.
static bool push_field(config_reader_t *reader, const char *name, int type) {
  if (reader->failed)
    return false;
  lua_getfield(reader->L, -1, name);
  if (lua_type(reader->L, -1) == type)
    return true;
  error_set(reader->error, "game.lua: %s must be a %s, got %s%s", name, lua_typename(reader->L, type),
            lua_isnil(reader->L, -1) ? "" : "a ", luaL_typename(reader->L, -1));
  lua_pop(reader->L, 1);
  reader->failed = true;
  return false;
}

static void read_text(config_reader_t *reader, const char *name, char *out, size_t bytes) {
  if (!push_field(reader, name, LUA_TSTRING))
    return;
  snprintf(out, bytes, "%s", lua_tostring(reader->L, -1));
  lua_pop(reader->L, 1);
}

static double read_number(config_reader_t *reader, const char *name) {
  if (!push_field(reader, name, LUA_TNUMBER))
    return 0;
  double number = lua_tonumber(reader->L, -1);
  lua_pop(reader->L, 1);
  return number;
}

static bool read_bool(config_reader_t *reader, const char *name) {
  if (!push_field(reader, name, LUA_TBOOLEAN))
    return false;
  bool value = lua_toboolean(reader->L, -1);
  lua_pop(reader->L, 1);
  return value;
}

static void read_kind(config_reader_t *reader, served_kind_t *out) {
  read_text(reader, "name", out->name, sizeof out->name);
  read_text(reader, "scene", out->scene, sizeof out->scene);
  out->count = (uint32_t)read_number(reader, "count");
  out->players = (uint32_t)read_number(reader, "players");
  out->enter = read_bool(reader, "enter");
  out->sleeps = read_bool(reader, "sleeps");
}

static void read_kinds(config_reader_t *reader, vm_game_t *config) {
  if (!push_field(reader, "rooms", LUA_TTABLE))
    return;
  size_t count = lua_objlen(reader->L, -1);
  config->kind_count = count < SERVED_MAX_KINDS ? (uint32_t)count : SERVED_MAX_KINDS;
  for (uint32_t i = 0; i < config->kind_count; ++i) {
    lua_rawgeti(reader->L, -1, (int)i + 1);
    read_kind(reader, &config->kinds[i]);
    lua_pop(reader->L, 1);
  }
  lua_pop(reader->L, 1);
}

static void read_kept_events(config_reader_t *reader, vm_game_t *config) {
  if (!push_field(reader, "chronicle", LUA_TTABLE))
    return;
  size_t count = lua_objlen(reader->L, -1);
  config->kept_event_count = count < CHRONICLE_MAX_EVENTS ? (uint32_t)count : CHRONICLE_MAX_EVENTS;
  for (uint32_t i = 0; i < config->kept_event_count; ++i) {
    chronicle_event_t *out = &config->kept_events[i];
    lua_rawgeti(reader->L, -1, (int)i + 1);
    read_text(reader, "event", out->name, sizeof out->name);
    out->keep_s = (int64_t)read_number(reader, "seconds");
    lua_pop(reader->L, 1);
  }
  lua_pop(reader->L, 1);
}

bool game_config_read(lua_State *L, vm_game_t *config, error_info_t *error) {
  config_reader_t reader = {.L = L, .error = error};
  *config = (vm_game_t){0};
  read_text(&reader, "title", config->title, sizeof config->title);
  config->needs_invite = read_bool(&reader, "needs_invite");
  read_text(&reader, "id", config->id, sizeof config->id);
  read_text(&reader, "version", config->version, sizeof config->version);
  config->width = (int)read_number(&reader, "width");
  config->height = (int)read_number(&reader, "height");
  config->tick_rate = (uint32_t)read_number(&reader, "tick_rate");
  config->history_mb = (uint32_t)read_number(&reader, "history");
  config->history_is_set = read_bool(&reader, "history_is_set");
  config->autosave_s = (uint32_t)read_number(&reader, "autosave");
  config->dead_zone = (float)read_number(&reader, "dead_zone");
  read_text(&reader, "fonts", config->fonts, sizeof config->fonts);
  config->sharp = read_bool(&reader, "sharp");
  config->window.width = (int)read_number(&reader, "window_width");
  config->window.height = (int)read_number(&reader, "window_height");
  config->window.scale = (letterbox_mode_t)read_number(&reader, "scale");
  config->window.fullscreen = read_bool(&reader, "fullscreen");
  config->window.fixed = !read_bool(&reader, "resizable");
  config->window.tearing = !read_bool(&reader, "vsync");
  config->window.run_in_background = read_bool(&reader, "run_in_background");
  config->window.same_view = !read_bool(&reader, "expand_in_match");
  config->min_players = (uint32_t)read_number(&reader, "min_players");
  config->max_players = (uint32_t)read_number(&reader, "max_players");
  config->reads_pointers = read_bool(&reader, "reads_pointers");
  config->rewind = read_bool(&reader, "rewind");
  config->clips = read_bool(&reader, "clips");
  read_kinds(&reader, config);
  read_kept_events(&reader, config);
  read_text(&reader, "icon", config->icon, sizeof config->icon);
  return !reader.failed;
}

void vm_add_bus(vm_o *vm, const char *name, float volume, float duck, float attack_s, float release_s,
                const char *under, float lowpass_hz, float reverb) {
  uint32_t index = 0; // a rebuilt VM declares all buses again, so reuse the entry with this name
  while (index < vm->buses.count && strcmp(vm->buses.items[index].name, name) != 0)
    ++index;
  if (index == AUDIO_MAX_BUSES)
    return;
  vm->buses.count += index == vm->buses.count;
  audio_bus_t *bus = &vm->buses.items[index];
  *bus = (audio_bus_t){.volume = volume,
                       .duck = duck,
                       .attack_s = attack_s,
                       .release_s = release_s,
                       .lowpass_hz = lowpass_hz,
                       .reverb = reverb};
  snprintf(bus->name, sizeof bus->name, "%s", name);
  snprintf(bus->ducked_by, sizeof bus->ducked_by, "%s", under);
}

bool vm_read_game_config(vm_o *vm, vm_game_t *config, script_report_t *report) {
  error_info_t error = {0};
  if (!vm_call(vm, "game", 0, 1)) {
    *report = vm->caught;
    return false;
  }
  bool valid = game_config_read(vm->L, config, &error);
  config->buses = vm->buses;
  lua_settop(vm->L, VM_BASE_TOP);
  error_set_piece(&error, "game.lua");
  return valid || report_fill_from_error(report, &error);
}
