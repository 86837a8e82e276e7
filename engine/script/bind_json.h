// JSON for the engine's Lua (scripts/shoal/json.lua).
#ifndef SHOAL_SCRIPT_BIND_JSON_H
#define SHOAL_SCRIPT_BIND_JSON_H

#include <lua.h>

#define JSON_MOST_DEPTH 100

// (text) → true and its value; false and a message with line and column. Every number is a double, null is nil.
int bind_json_decode(lua_State *L);

#endif
