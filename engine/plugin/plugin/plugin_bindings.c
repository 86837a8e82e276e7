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

static void set_text_field(lua_State *L, const char *name, const char *text) {
  if (!text)
    return;
  lua_pushstring(L, text);
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
  for (const shoal_system *s = plugin->systems; s && s->name; ++s) {
    lua_newtable(L);
    set_text_field(L, "name", s->name);
    set_names_field(L, "with", s->query);
    set_names_field(L, "without", s->without);
    set_names_field(L, "any", s->any);
    set_names_field(L, "optional", s->optional);
    lua_rawseti(L, -2, ++count);
  }
}

static void push_functions(lua_State *L, const shoal_plugin *plugin) {
  int count = 0;
  lua_newtable(L);
  for (const shoal_function *f = plugin->functions; f && f->name; ++f) {
    lua_newtable(L);
    set_text_field(L, "name", f->name);
    set_text_field(L, "takes", f->parameters);
    set_text_field(L, "gives", f->results);
    set_text_field(L, "doc", f->doc);
    lua_pushboolean(L, f->pure);
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
  for (const shoal_command *o = plugin->commands; o && o->name; ++o) {
    lua_newtable(L);
    set_text_field(L, "name", o->name);
    set_text_field(L, "help", o->help);
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
  const open_call_t *c = context;
  plugins_open(c->plugins, c->names, c->count);
}

// Opens the plugins on the main thread, because constructors of libraries and `open` functions run.
static bool open_on_main_thread(plugins_o *p, const char **names, uint32_t count) {
  open_call_t call = {p, names, count};
  if (count > 0 || p->desc.extra_count > 0)
    return main_call(run_open_call, &call);
  run_open_call(&call);
  return true;
}

// open_plugins(names) →
//   { plugins = { { name, version, doc, functions, systems, panels, commands } }, missing = { name } }
static int open_plugins(lua_State *L) {
  plugins_o *p = bind_get_context(L);
  const char *names[MAX_PLUGINS];
  int count = (int)lua_objlen(L, 1);
  if (count > MAX_PLUGINS)
    return luaL_error(L, "too many plugins: %d (at most %d)", (int)count, MAX_PLUGINS);
  for (int i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, i + 1);
    names[i] = luaL_checkstring(L, -1); // the string is valid while the list is on the Lua stack
    lua_pop(L, 1);
  }
  if (!open_on_main_thread(p, names, (uint32_t)count))
    return luaL_error(L, MAIN_CALLS_CLOSED);
  lua_newtable(L);
  lua_newtable(L);
  for (uint32_t i = 0; i < p->list.count; ++i) {
    push_plugin(L, p->list.items[i]->def);
    push_panels(L, p->list.items[i]->def->panels);
    lua_setfield(L, -2, "panels");
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_setfield(L, -2, "plugins");
  lua_newtable(L);
  for (uint32_t i = 0; i < p->missing.count; ++i) {
    lua_pushstring(L, p->missing.items[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_setfield(L, -2, "missing");
  return 1;
}

static void set_number_field(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, shoal_f64(number));
  lua_setfield(L, -2, name);
}

static void push_widget(lua_State *L, const plugin_widget_t *w) {
  static const char *const kinds[] = {"label", "value", "slider", "button", "plot"};
  lua_newtable(L);
  set_text_field(L, "kind", kinds[w->kind]);
  set_text_field(L, "label", w->label);
  if (w->kind == SHOAL_WIDGET_VALUE)
    set_text_field(L, "text", w->text);
  if (w->kind == SHOAL_WIDGET_SLIDER || w->kind == SHOAL_WIDGET_PLOT)
    set_number_field(L, "value", w->value);
  if (w->kind != SHOAL_WIDGET_SLIDER)
    return;
  set_number_field(L, "min", w->min);
  set_number_field(L, "max", w->max);
  set_number_field(L, "entity", w->entity);
  set_text_field(L, "component", w->component);
  set_text_field(L, "field", w->field);
  if (w->is_integer) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "whole");
  }
}

// plugin_panel(plugin, panel, picked, pressed) → widgets (scripts/shoal/world/cockpit.lua); nil, message
static int plugin_panel(lua_State *L) {
  uint32_t plugin = (uint32_t)luaL_checkinteger(L, 1), panel = (uint32_t)luaL_checkinteger(L, 2);
  shoal_entity picked = (shoal_entity)luaL_checknumber(L, 3);
  const char *pressed = luaL_optstring(L, 4, NULL);
  error_info_t error = {0};
  plugin_widgets_t *out = lua_newuserdata(L, sizeof *out);
  out->count = 0;
  bool ok = plugin_draw_panel(bind_get_context(L), plugin, panel, picked, pressed, out, &error);
  if (!ok)
    return bind_push_error(L, error.text);
  lua_newtable(L);
  for (uint32_t i = 0; i < out->count; ++i) {
    push_widget(L, &out->items[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

double plugin_value_to_number(const shoal_value *v) {
  return shoal_f64(v->number);
}

BIND_CHECK_STRUCTS(PLUGIN_ABI_STRUCTS)

static const char ABI[] = BIND_TEXT(PLUGIN_ABI_TYPES) BIND_TEXT(PLUGIN_ABI_FUNCTIONS);

static const luaL_Reg FUNCTIONS[] = {
    {"add_plugin_folder", add_plugin_folder},
    {"open_plugins", open_plugins},
    {"plugin_panel", plugin_panel},
    {NULL, NULL},
};

void plugin_bindings_open(lua_State *L, void *plugins) {
  bind_functions(L, FUNCTIONS, plugins);
  bind_address(L, "plugins", plugins);
  bind_declarations(L, ABI);
}
