// Classic bindings for the engine's Lua that lie in files of their own: bind_NAME.c.
#ifndef SHOAL_SCRIPT_BIND_H
#define SHOAL_SCRIPT_BIND_H

#include "script/handles.h"

#include <lua.h>

int bind_refuse(lua_State *L, const char *message); // → nil, message

#define JSON_MOST_DEPTH 100
// (text) → true and its value; false and a message with line and column. Every number is a double, null is nil.
int bind_json_decode(lua_State *L);

// open_plugins(names) → { plugins = { { name, version, doc, functions, systems, docs, panels } }, missing = { name } }
int bind_open_plugins(lua_State *L);
int bind_plugin_panel(
    lua_State *L); // (plugin, panel, picked, pressed) → widgets (scripts/shoal/cockpit.lua); nil, message

// world.export and world.import. Each returns nil and a message when it fails.
int bind_scene_write(lua_State *L);     // (address of ids, how many) → text
int bind_scene_check(lua_State *L);     // (text, components that are passed over) → true; nil, message, line
int bind_scene_read(lua_State *L);      // the same → array of handles; nil, message, line
int bind_scene_read_file(lua_State *L); // (name, the same) → the same; line 0: of no line
int bind_scene_keep(lua_State *L);      // (name, text) → true
int bind_scene_fetch(lua_State *L);     // (name) → text

// (text, may it write, parameters as a table, how many) → array of rows, and how many rows a write changed; nil,
// message.
int bind_sql(lua_State *L);
int bind_watch(lua_State *L); // (text) → true; nil, message

#endif
