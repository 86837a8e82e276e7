// world.sql and world.watch for the engine's Lua (native.sql, native.watch).
#ifndef SHOAL_SCRIPT_BIND_SQL_H
#define SHOAL_SCRIPT_BIND_SQL_H

#include <lua.h>

// (text, may it write, parameters as a table, how many) → array of rows, and how many rows a write changed; nil,
// message.
int bind_sql(lua_State *L);
// (text) → true; nil, message.
int bind_watch(lua_State *L);

#endif
