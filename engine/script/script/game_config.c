// Default values of game.lua, and the reader of the table of settings that scripts/shoal/load/loader.lua builds from
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

typedef struct reader_t {
  lua_State *L;
  error_info_t *error;
  bool failed; // true after the first failure, which is reported; later reads do nothing
} reader_t;

// Pushes the field's value. If the value has the wrong type, sets the error and pushes nothing.
static bool push_field(reader_t *r, const char *name, int type) {
  if (r->failed)
    return false;
  lua_getfield(r->L, -1, name);
  if (lua_type(r->L, -1) == type)
    return true;
  error_set(r->error, "game.lua: %s must be a %s, got %s%s", name, lua_typename(r->L, type),
            lua_isnil(r->L, -1) ? "" : "a ", luaL_typename(r->L, -1));
  lua_pop(r->L, 1);
  r->failed = true;
  return false;
}

static void read_text(reader_t *r, const char *name, char *out, size_t bytes) {
  if (!push_field(r, name, LUA_TSTRING))
    return;
  snprintf(out, bytes, "%s", lua_tostring(r->L, -1));
  lua_pop(r->L, 1);
}

static double read_number(reader_t *r, const char *name) {
  if (!push_field(r, name, LUA_TNUMBER))
    return 0;
  double number = lua_tonumber(r->L, -1);
  lua_pop(r->L, 1);
  return number;
}

static bool read_bool(reader_t *r, const char *name) {
  if (!push_field(r, name, LUA_TBOOLEAN))
    return false;
  bool value = lua_toboolean(r->L, -1);
  lua_pop(r->L, 1);
  return value;
}

bool game_config_read(lua_State *L, vm_game_t *out, error_info_t *error) {
  reader_t r = {.L = L, .error = error};
  *out = (vm_game_t){0};
  read_text(&r, "title", out->title, sizeof out->title);
  read_text(&r, "id", out->id, sizeof out->id);
  read_text(&r, "version", out->version, sizeof out->version);
  out->width = (int)read_number(&r, "width");
  out->height = (int)read_number(&r, "height");
  out->tick_rate = (uint32_t)read_number(&r, "tick_rate");
  out->history_mb = (uint32_t)read_number(&r, "history");
  out->history_is_set = read_bool(&r, "history_is_set");
  out->autosave_s = (uint32_t)read_number(&r, "autosave");
  out->dead_zone = (float)read_number(&r, "dead_zone");
  read_text(&r, "fonts", out->fonts, sizeof out->fonts);
  out->sharp = read_bool(&r, "sharp");
  out->window.width = (int)read_number(&r, "window_width");
  out->window.height = (int)read_number(&r, "window_height");
  out->window.scale = (letterbox_mode_t)read_number(&r, "scale");
  out->window.fullscreen = read_bool(&r, "fullscreen");
  out->window.fixed = !read_bool(&r, "resizable");
  out->window.tearing = !read_bool(&r, "vsync");
  read_text(&r, "icon", out->icon, sizeof out->icon);
  return !r.failed;
}

void vm_add_bus(vm_o *vm, const char *name, float volume, float duck, float attack_s, float release_s,
                const char *under, float lowpass_hz, float reverb) {
  uint32_t at = 0; // a rebuilt VM declares all buses again, so reuse the entry with this name
  while (at < vm->buses.count && strcmp(vm->buses.items[at].name, name) != 0)
    ++at;
  if (at == AUDIO_MAX_BUSES)
    return;
  vm->buses.count += at == vm->buses.count;
  audio_bus_t *bus = &vm->buses.items[at];
  *bus = (audio_bus_t){.volume = volume,
                       .duck = duck,
                       .attack_s = attack_s,
                       .release_s = release_s,
                       .lowpass_hz = lowpass_hz,
                       .reverb = reverb};
  snprintf(bus->name, sizeof bus->name, "%s", name);
  snprintf(bus->under, sizeof bus->under, "%s", under);
}

bool vm_read_game_config(vm_o *vm, vm_game_t *out, script_report_t *report) {
  error_info_t error = {0};
  if (!vm_call(vm, "game", 0, 1)) {
    *report = vm->caught;
    return false;
  }
  bool ok = game_config_read(vm->L, out, &error);
  out->buses = vm->buses;
  lua_settop(vm->L, VM_KEPT);
  error_set_piece(&error, "game.lua");
  return ok || report_fill_from_error(report, &error);
}
