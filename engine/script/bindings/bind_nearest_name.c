// Lua functions that suggest the nearest known name for an unknown name.
#include "bindings/bind.h"

#include "base/nearest_name.h"
#include "platform/input.h"

// similar(name, list of names) → the nearest name; nil if no name is similar. Ignores elements that are not strings.
static int find_nearest_name(lua_State *L) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, luaL_checkstring(L, 1));
  luaL_checktype(L, 2, LUA_TTABLE);
  for (int i = 1, count = (int)lua_objlen(L, 2); i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    if (lua_type(L, -1) == LUA_TSTRING)
      nearest_name_offer(&nearest, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  if (nearest.best[0])
    lua_pushstring(L, nearest.best);
  else
    lua_pushnil(L);
  return 1;
}

// input_suggest_binding(text) → the key, button or axis nearest to an unknown binding; nil if no name is similar
static int find_nearest_input(lua_State *L) {
  char name[96];
  if (!input_suggest_binding(luaL_checkstring(L, 1), name, sizeof name))
    return 0;
  lua_pushstring(L, name);
  return 1;
}

void bind_nearest_name(lua_State *L) {
  static const luaL_Reg list[] = {
      {"similar", find_nearest_name},
      {"input_suggest_binding", find_nearest_input},
      {NULL, NULL},
  };
  bind_functions(L, list, NULL);
}
