// Helpers that expose C functions to the engine's Lua, and the binders that register them (bind_NAME.c).
#ifndef SHOAL_BINDINGS_BIND_H
#define SHOAL_BINDINGS_BIND_H

#include "script/handles.h"

#include <lauxlib.h>
#include <lua.h>

// Converts a list of declarations to a string literal.
#define BIND_TEXT_OF(...) #__VA_ARGS__
#define BIND_TEXT(...) BIND_TEXT_OF(__VA_ARGS__)

// --- for the `open` callback of a vm_library_t, which is called with the table `native` on top of the stack
void bind_functions(lua_State *L, const luaL_Reg *list, void *context);
void *bind_get_context(lua_State *L); // returns the context passed to bind_functions; call inside one of its functions
// Sets an address, as a number, in the table on top of the stack.
void bind_address(lua_State *L, const char *name, const void *address);
void bind_text(lua_State *L, const char *name, const char *text); // sets a string in the table on top of the stack
// Appends C declarations for ffi.cdef to the field `abi` of the table on top of the stack. Lua finds the functions by
// name.
void bind_declarations(lua_State *L, const char *text);

int bind_push_error(lua_State *L, const char *message); // pushes nil and the message, and returns 2

// --- binders, each of which adds the functions of its file to the table on top of the stack
void bind_draw(lua_State *L);
void bind_files(lua_State *L);
void bind_handles(lua_State *L);
void bind_log(lua_State *L);
void bind_lua_tokens(lua_State *L);
void bind_nearest_name(lua_State *L);
void bind_sources(lua_State *L);

// --- functions for Lua, described as (arguments) → results
#define JSON_MAX_DEPTH 100
// (text) → true, value; on failure: false, message, with line and column for invalid JSON. Numbers become doubles, null
// becomes nil; null in an array is an error.
int bind_json_decode(lua_State *L);
int bind_number_text(lua_State *L); // (number, is_float) → its shortest text (base/number_text.h)

// (query, may_write, table of parameters, their count) → array of rows, number of rows changed; on failure: nil,
// message
int bind_sql(lua_State *L);
int bind_watch(lua_State *L); // (query, on) → true; on failure: nil, message

#endif
