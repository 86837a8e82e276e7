// Replaces engine/plugin/ in a program that is linked without it (removable_modules.sh): no plugin is ever open, and
// all plugins that a game names are missing.
#include "bindings/bind.h"
#include "plugin/plugin_abi.h"
#include "plugin/plugins.h"

#include <lauxlib.h>

static char no_plugins; // stands for the plugins_o of every game

plugins_o *plugins_create(const plugins_desc_t *desc) {
  (void)desc;
  return (plugins_o *)&no_plugins;
}

bool plugins_schedule(plugins_o *plugins, schedule_o *schedule, error_info_t *error) {
  (void)plugins, (void)schedule, (void)error;
  return true;
}

bool plugins_stop_threads(error_info_t *error) {
  (void)error;
  return true;
}

// open_plugins(names) → { plugins = {}, missing = names }
static int open_plugins(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_setfield(L, -2, "plugins");
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "missing");
  return 1;
}

static void no_function(void) {
}
static const bind_function_t NO_FUNCTIONS[] = {{"", no_function}}; // for ffi.C

void plugin_bindings_open(lua_State *L, void *plugins) {
  static const luaL_Reg functions[] = {{"open_plugins", open_plugins}, {NULL, NULL}};
  bind_functions(L, functions, plugins);
  bind_address(L, "plugins", plugins);
  bind_declarations(L, BIND_TEXT(PLUGIN_ABI_TYPES) BIND_TEXT(PLUGIN_ABI_FUNCTIONS), NO_FUNCTIONS, 1);
}
