// How C functions are given to the engine's Lua, and those of this module (bind_NAME.c).
#ifndef SHOAL_BINDINGS_BIND_H
#define SHOAL_BINDINGS_BIND_H

#include "script/handles.h"

#include <lauxlib.h>
#include <lua.h>

// The text of a list of declarations.
#define BIND_TEXT_OF(...) #__VA_ARGS__
#define BIND_TEXT(...) BIND_TEXT_OF(__VA_ARGS__)

// --- for a vm_library_t, with the table `native` at the top of the stack
void bind_functions(lua_State *L, const luaL_Reg *list, void *context);
void *bind_context(lua_State *L); // of the function that runs: the one that bind_functions got
void bind_address(lua_State *L, const char *name, const void *address); // as a number
void bind_text(lua_State *L, const char *name, const char *text);       // into the table at the top of the stack
// Adds constant C declarations for ffi.cdef; the functions are found by name (watchdog/host_call.h).
void bind_declarations(lua_State *L, const char *text);

int bind_refuse(lua_State *L, const char *message); // → nil, message

// --- each adds the functions of one file
void bind_draw(lua_State *L);
void bind_files(lua_State *L);
void bind_handles(lua_State *L);
void bind_log(lua_State *L);
void bind_lua_text(lua_State *L);
void bind_similar(lua_State *L);
void bind_sources(lua_State *L);

// --- functions
#define JSON_MAX_DEPTH 100
// (text) → true and its value; false and a message with line and column. Every number is a double, null is nil.
int bind_json_decode(lua_State *L);
int bind_number_text(lua_State *L); // (number, as a float?) → its shortest text (base/number_text.h)

// (text, may it write, parameters as a table, how many) → array of rows, and how many rows a write changed; nil,
// message.
int bind_sql(lua_State *L);
int bind_watch(lua_State *L); // (text) → true; nil, message

#endif
