// Helpers that expose C functions to the engine's Lua, and the binders that register them (bind_NAME.c).
#ifndef SHOAL_BINDINGS_BIND_H
#define SHOAL_BINDINGS_BIND_H

#include "script/handles.h"

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>

// Converts a list of declarations to a string literal.
#define BIND_TEXT_OF(...) #__VA_ARGS__
#define BIND_TEXT(...) BIND_TEXT_OF(__VA_ARGS__)

// Converts a list of structs, such as ABI_STRUCTS (bindings/abi.h), to declarations.
#define BIND_STRUCT(name_) typedef struct name_ {
#define BIND_FIELD(type_, name_) type_ name_;
#define BIND_ARRAY(type_, name_, size_) type_ name_ size_;
#define BIND_STRUCT_END(name_)                                                                                         \
  }                                                                                                                    \
  name_;

// Check a list of structs against the structs of the same names. BIND_CHECK_STRUCTS(list) declares the listed structs
// as listed_NAME and asserts that each member has the same offset and size as in NAME.
#define BIND_CHECK_STRUCTS(list_)                                                                                      \
  list_(BIND_LISTED_STRUCT, BIND_FIELD, BIND_ARRAY, BIND_LISTED_END, BIND_LISTED_END)                                  \
      list_(BIND_CHECK_STRUCT, BIND_CHECK_FIELD, BIND_CHECK_ARRAY, BIND_CHECK_END, BIND_CHECK_PREFIX_END)
#define BIND_LISTED_STRUCT(name_) typedef struct listed_##name_ {
#define BIND_LISTED_END(name_)                                                                                         \
  }                                                                                                                    \
  listed_##name_;
#define BIND_CHECK_STRUCT(name_)                                                                                       \
  __attribute__((unused)) static void check_##name_(const name_ *s, const listed_##name_ *listed) {                    \
    (void)s, (void)listed;
#define BIND_CHECK_FIELD(type_, name_)                                                                                 \
  _Static_assert(offsetof(__typeof__(*s), name_) == offsetof(__typeof__(*listed), name_) &&                            \
                     sizeof s->name_ == sizeof listed->name_,                                                          \
                 "member " #name_ " differs from the list of structs for Lua");
#define BIND_CHECK_ARRAY(type_, name_, size_) BIND_CHECK_FIELD(type_, name_)
#define BIND_CHECK_END(name_)                                                                                          \
  _Static_assert(sizeof *s == sizeof *listed, #name_ " has another size in the list of structs for Lua");              \
  }
#define BIND_CHECK_PREFIX_END(name_) }

// --- for the `open` callback of a vm_library_t, which is called with the table `native` on top of the stack
void bind_functions(lua_State *L, const luaL_Reg *list, void *context);
void *bind_get_context(lua_State *L); // returns the context passed to bind_functions; only for functions of its list
// Sets an address, as a number, in the table on top of the stack.
void bind_address(lua_State *L, const char *name, const void *address);
void bind_text(lua_State *L, const char *name, const char *text); // sets a string in the table on top of the stack
// A function that Lua finds as ffi.C.NAME. The build generates the lists (scripts/build/ffi_functions.sh):
//   static const bind_function_t ABI_LIST[] = {
//   #include "abi_functions.h"
//   };
typedef struct bind_function_t {
  const char *name;
  void (*address)(void);
} bind_function_t;
#define BIND_FUNCTION(name_) {#name_, (void (*)(void))name_},

// Appends C declarations for ffi.cdef to the field `abi` of the table on top of the stack, and makes their functions
// available in ffi.C of all VMs of this process. `list` is sorted by name, has `count` functions, and must never be
// freed. May be called on any thread, and several times with the same list.
void bind_declarations(lua_State *L, const char *text, const bind_function_t *list, size_t count);
// Returns the address of a function in the lists, or NULL if the name is unknown. Thread-safe.
void *bind_find_function(const char *name);

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
// (text) → true, value; on failure: false, message, with line and column for invalid JSON. Numbers become doubles, and
// null becomes nil. Null in an array is an error.
int bind_json_decode(lua_State *L);
int bind_number_text(lua_State *L); // (number, is_float) → its shortest text (base/number_text.h)

// (query, may_write, table of parameters, their count) → array of rows, number of rows changed; on failure: nil,
// message
int bind_sql(lua_State *L);
// (query, number of queued queries) → true if the query can be watched; on failure: nil, message
int bind_check_watch(lua_State *L);
int bind_watch(lua_State *L); // (query, on): adds or removes a watch

#endif
