// Helpers shared by the bindings: reporting failures as nil and a message, and filling the table `native`.
#include "bindings/bind.h"

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

void bind_declarations(lua_State *L, const char *text) {
  lua_getfield(L, -1, "abi");
  lua_pushfstring(L, "%s%s", lua_isstring(L, -1) ? lua_tostring(L, -1) : "", text);
  lua_remove(L, -2);
  lua_setfield(L, -2, "abi");
}
