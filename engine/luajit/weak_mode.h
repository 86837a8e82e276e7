// Renames the metatable field that makes a table weak. The garbage collector removes entries of weak tables at a
// different time in every run, so tables of scripts must never be weak, however they set `__mode`: with a computed key,
// or after setmetatable. Only code that knows the new name can create weak tables.
#ifndef SHOAL_LUAJIT_WEAK_MODE_H
#define SHOAL_LUAJIT_WEAK_MODE_H

#include <lua.h>
#include <stdbool.h>

// Makes the collector read the field `name` of metatables instead of `__mode`. Must be called right after lua_newstate.
// Returns false, and changes nothing, if LuaJIT's internal layout is unknown.
bool weak_mode_rename(lua_State *L, const char *name);

#endif
