// Plugins for the engine's Lua (scripts/shoal/plugins.lua): what they declare, as tables.
#ifndef SHOAL_SCRIPT_BIND_PLUGINS_H
#define SHOAL_SCRIPT_BIND_PLUGINS_H

#include <lua.h>

// open_plugins(names) → { plugins = { { name, version, doc, functions, systems, docs } }, missing = { name } }
int bind_open_plugins(lua_State *L);

#endif
