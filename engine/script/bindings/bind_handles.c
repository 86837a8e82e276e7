// Lua functions for entity handles, which are light userdata and cannot be passed through the FFI.
#include "bindings/bind.h"

#include "script/handles.h"

// set_handle_metatable(table): sets the metatable that all light userdata share.
static int set_handle_metatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushlightuserdata(L, (void *)1);
  lua_pushvalue(L, 1);
  lua_setmetatable(L, -2);
  return 0;
}

static void set_handle(lua_State *L, int table, int i, const shoal_entity *ids) {
  handles_push_handle(L, ids[i - 1]);
  lua_rawseti(L, table, i);
}

// handle_list(address of ids, count) → array of handles
static int create_handle_list(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 1);
  int count = (int)luaL_checkinteger(L, 2);
  lua_createtable(L, count, 0);
  for (int i = 1; i <= count; ++i)
    set_handle(L, 3, i, ids);
  return 1;
}

// fill_handles(list, address of ids, count): sets elements 1 to `count` of the list to handles.
static int fill_handles(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 2);
  int count = (int)luaL_checkinteger(L, 3);
  for (int i = 1; i <= count; ++i)
    set_handle(L, 1, i, ids);
  return 0;
}

// sparse_list(address of ids, count) → a table with only the elements that the operator # examines to find the length
// `count`: powers of two, then a binary search. The elements are in the hash part, because # would start with an array
// part. Returns nil if this LuaJIT examines different elements.
static int create_sparse_list(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 1);
  int count = (int)luaL_checkinteger(L, 2), low = 0, high = 1;
  lua_createtable(L, 0, 64);
  for (; high <= count; high *= 2)
    set_handle(L, 3, low = high, ids);
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (middle <= count)
      set_handle(L, 3, low = middle, ids);
    else
      high = middle;
  }
  if (lua_objlen(L, 3) != (size_t)count)
    lua_pushnil(L);
  return 1;
}

void bind_handles(lua_State *L) {
  static const luaL_Reg list[] = {
      {"share_handles", bind_share_handles},
      {"grow_handles", bind_grow_handles},
      {"set_handle_metatable", set_handle_metatable},
      {"handle_list", create_handle_list},
      {"fill_handles", fill_handles},
      {"sparse_list", create_sparse_list},
      {NULL, NULL},
  };
  bind_functions(L, list, NULL);
}
