// Lua functions that open plugins, return their declarations as tables, and draw their panels.
#include "plugin/plugin_abi.h"

#include "bindings/bind.h"
#include "plugin/panel.h"
#include "plugin/plugins.h"
#include "process/main_calls.h"
#include "shoal/command.h"
#include "shoal/number.h"

#include <lauxlib.h>

#define MAX_PLUGINS 64

static void set_text_field(lua_State *L, const char *name, const char *string) {
  if (!string)
    return;
  lua_pushstring(L, string);
  lua_setfield(L, -2, name);
}

static void set_names_field(lua_State *L, const char *role, const char *const *names) {
  lua_newtable(L);
  for (int i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i) {
    lua_pushstring(L, names[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, role);
}

static void push_systems(lua_State *L, const shoal_plugin *plugin) {
  int count = 0;
  lua_newtable(L);
  for (const shoal_system *system = plugin->systems; system && system->name; ++system) {
    lua_newtable(L);
    set_text_field(L, "name", system->name);
    set_names_field(L, "with", system->query);
    set_names_field(L, "without", system->without);
    set_names_field(L, "any", system->any);
    set_names_field(L, "optional", system->optional);
    lua_rawseti(L, -2, ++count);
  }
}

static void push_functions(lua_State *L, const shoal_plugin *plugin) {
  int count = 0;
  lua_newtable(L);
  for (const shoal_function *function = plugin->functions; function && function->name; ++function) {
    lua_newtable(L);
    set_text_field(L, "name", function->name);
    set_text_field(L, "takes", function->parameters);
    set_text_field(L, "gives", function->results);
    set_text_field(L, "doc", function->doc);
    lua_pushboolean(L, function->pure);
    lua_setfield(L, -2, "pure");
    lua_rawseti(L, -2, ++count);
  }
}

static void push_panels(lua_State *L, const shoal_panel *panel) {
  lua_newtable(L);
  for (int count = 1; panel && panel->title; ++panel, ++count) {
    lua_newtable(L);
    set_text_field(L, "title", panel->title);
    set_text_field(L, "sql", panel->sql);
    lua_pushboolean(L, panel->plot);
    lua_setfield(L, -2, "plot");
    lua_rawseti(L, -2, count);
  }
}

static void push_commands(lua_State *L, const shoal_plugin *plugin) {
  int count = 0;
  lua_newtable(L);
  for (const shoal_command *command = plugin->commands; command && command->name; ++command) {
    lua_newtable(L);
    set_text_field(L, "name", command->name);
    set_text_field(L, "help", command->help);
    lua_rawseti(L, -2, ++count);
  }
}

static void push_plugin(lua_State *L, const shoal_plugin *plugin) {
  lua_newtable(L);
  set_text_field(L, "name", plugin->name);
  set_text_field(L, "doc", plugin->doc);
  lua_pushnumber(L, plugin->version);
  lua_setfield(L, -2, "version");
  push_systems(L, plugin);
  lua_setfield(L, -2, "systems");
  push_functions(L, plugin);
  lua_setfield(L, -2, "functions");
  push_commands(L, plugin);
  lua_setfield(L, -2, "commands");
}

// add_plugin_folder(folder): adds a folder in which open_plugins searches for libraries
static int add_plugin_folder(lua_State *L) {
  plugins_add_folder(bind_get_context(L), luaL_checkstring(L, 1));
  return 0;
}

typedef struct open_call_t {
  plugins_o *plugins;
  const char **names;
  uint32_t count;
} open_call_t;

static void run_open_call(void *context) {
  const open_call_t *call = context;
  plugins_open(call->plugins, call->names, call->count);
}

// Opens the plugins on the main thread, because constructors of libraries and `open` functions run. Returns true on
// success, or false if the program accepts no more calls on the main thread.
static bool open_on_main_thread(plugins_o *plugins, const char **names, uint32_t count) {
  open_call_t call = {plugins, names, count};
  if (count > 0 || plugins->desc.extra_count > 0)
    return main_calls_invoke(run_open_call, &call);
  run_open_call(&call);
  return true;
}

// open_plugins(names) →
//   { plugins = { { name, version, doc, functions, systems, panels, commands } }, missing = { name } }
static int open_plugins(lua_State *L) {
  plugins_o *plugins = bind_get_context(L);
  const char *names[MAX_PLUGINS];
  int count = (int)lua_objlen(L, 1);
  if (count > MAX_PLUGINS)
    return luaL_error(L, "too many plugins: %d (at most %d)", (int)count, MAX_PLUGINS);
  for (int i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, i + 1);
    names[i] = luaL_checkstring(L, -1); // the string is valid while the list is on the Lua stack
    lua_pop(L, 1);
  }
  if (!open_on_main_thread(plugins, names, (uint32_t)count))
    return luaL_error(L, MAIN_CALLS_CLOSED);
  lua_newtable(L);
  lua_newtable(L);
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    push_plugin(L, plugins->list.items[i]->def);
    push_panels(L, plugins->list.items[i]->def->panels);
    lua_setfield(L, -2, "panels");
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_setfield(L, -2, "plugins");
  lua_newtable(L);
  for (uint32_t i = 0; i < plugins->missing.count; ++i) {
    lua_pushstring(L, plugins->missing.items[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_setfield(L, -2, "missing");
  return 1;
}

static void set_number_field(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, shoal_to_f64(number));
  lua_setfield(L, -2, name);
}

static void push_widget(lua_State *L, const plugin_widget_t *widget) {
  static const char *const kinds[] = {"label", "value", "slider", "button", "plot"};
  lua_newtable(L);
  set_text_field(L, "kind", kinds[widget->kind]);
  set_text_field(L, "label", widget->label);
  if (widget->kind == SHOAL_WIDGET_VALUE)
    set_text_field(L, "text", widget->text);
  if (widget->kind == SHOAL_WIDGET_SLIDER || widget->kind == SHOAL_WIDGET_PLOT)
    set_number_field(L, "value", widget->value);
  if (widget->kind != SHOAL_WIDGET_SLIDER)
    return;
  set_number_field(L, "min", widget->min);
  set_number_field(L, "max", widget->max);
  set_number_field(L, "entity", widget->entity);
  set_text_field(L, "component", widget->component);
  set_text_field(L, "field", widget->field);
  if (widget->is_integer) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "whole");
  }
}

// plugin_panel(plugin, panel, picked, pressed) → widgets (scripts/shoal/kit/cockpit.lua); nil, message
static int plugin_panel(lua_State *L) {
  uint32_t plugin = (uint32_t)luaL_checkinteger(L, 1), panel = (uint32_t)luaL_checkinteger(L, 2);
  shoal_entity selected = (shoal_entity)luaL_checknumber(L, 3);
  const char *pressed = luaL_optstring(L, 4, NULL);
  error_info_t error = {0};
  plugin_widgets_t *widgets = lua_newuserdata(L, sizeof *widgets);
  widgets->count = 0;
  bool ok = plugin_draw_panel(bind_get_context(L), plugin, panel, selected, pressed, widgets, &error);
  if (!ok)
    return bind_push_error(L, error.text);
  lua_newtable(L);
  for (uint32_t i = 0; i < widgets->count; ++i) {
    push_widget(L, &widgets->items[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

double plugin_value_to_number(const shoal_value *value) {
  return shoal_to_f64(value->number);
}

BIND_CHECK_STRUCTS(PLUGIN_ABI_STRUCTS)

static const char ABI[] = BIND_TEXT(PLUGIN_ABI_TYPES) BIND_TEXT(PLUGIN_ABI_FUNCTIONS);

static const bind_function_t ABI_LIST[] = {
#include "plugin_abi_functions.h"
};

static const luaL_Reg FUNCTIONS[] = {
    {"add_plugin_folder", add_plugin_folder},
    {"open_plugins", open_plugins},
    {"plugin_panel", plugin_panel},
    {NULL, NULL},
};

void plugin_bindings_open(lua_State *L, void *plugins) {
  bind_functions(L, FUNCTIONS, plugins);
  bind_address(L, "plugins", plugins);
  bind_declarations(L, ABI, ABI_LIST, sizeof ABI_LIST / sizeof *ABI_LIST);
}
