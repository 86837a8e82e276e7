// Helpers shared by the bindings: reporting failures as nil and a message, filling the table `native`, and finding
// functions for ffi.C.
#include "bindings/bind.h"

#include "base/assert.h"

#include <luajit.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int bind_push_error(lua_State *L, const char *message) {
  lua_pushnil(L);
  lua_pushstring(L, message);
  return 2;
}

void *bind_get_context(lua_State *L) {
  return lua_touserdata(L, lua_upvalueindex(1));
}

void bind_functions(lua_State *L, const luaL_Reg *list, void *context) {
  for (const luaL_Reg *function = list; function->name; ++function) {
    lua_pushlightuserdata(L, context);
    lua_pushcclosure(L, function->func, 1);
    lua_setfield(L, -2, function->name);
  }
}

void bind_address(lua_State *L, const char *name, const void *address) {
  lua_pushnumber(L, (lua_Number)(uintptr_t)address);
  lua_setfield(L, -2, name);
}

void bind_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

// Each module with declarations has one slot. Slots are never emptied.
enum { MAX_LISTS = 8 };

typedef struct list_slot_t {
  _Atomic(const bind_function_t *) list;
  _Atomic size_t count; // number of functions in the list; 0 while the slot is being filled
} list_slot_t;

static list_slot_t slots[MAX_LISTS];

static int compare_name(const void *name, const void *function) {
  return strcmp(name, ((const bind_function_t *)function)->name);
}

void *bind_find_function(const char *name) {
  for (size_t i = 0; i < MAX_LISTS; ++i) {
    size_t count = atomic_load(&slots[i].count);
    const bind_function_t *found =
        count ? bsearch(name, atomic_load(&slots[i].list), count, sizeof *found, compare_name) : NULL;
    if (found)
      return (void *)(uintptr_t)found->address;
  }
  return NULL;
}

static void add_list(const bind_function_t *list, size_t count) {
  for (size_t i = 0; i < MAX_LISTS; ++i) {
    const bind_function_t *present = NULL;
    if (atomic_compare_exchange_strong(&slots[i].list, &present, list) || present == list) {
      atomic_store(&slots[i].count, count);
      return;
    }
  }
  shoal_assert(false, "more than %d lists of functions for ffi.C: raise MAX_LISTS", MAX_LISTS);
}

void bind_declarations(lua_State *L, const char *text, const bind_function_t *list, size_t count) {
  add_list(list, count);
  luaJIT_findsymbol = bind_find_function;
  lua_getfield(L, -1, "abi");
  lua_pushfstring(L, "%s%s", lua_isstring(L, -1) ? lua_tostring(L, -1) : "", text);
  lua_remove(L, -2);
  lua_setfield(L, -2, "abi");
}
