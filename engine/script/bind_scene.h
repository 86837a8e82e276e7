// world.export and world.import for the engine's Lua (native.scene_…). Each returns nil and a message when it fails.
#ifndef SHOAL_SCRIPT_BIND_SCENE_H
#define SHOAL_SCRIPT_BIND_SCENE_H

#include <lua.h>

int bind_scene_write(lua_State *L); // (address of ids, how many) → text
int bind_scene_check(lua_State *L); // (text, components that are passed over) → true; nil, message, line
int bind_scene_read(lua_State *L);  // the same → array of handles; nil, message, line
int bind_scene_keep(lua_State *L);  // (name, text) → true
int bind_scene_fetch(lua_State *L); // (name) → text

#endif
