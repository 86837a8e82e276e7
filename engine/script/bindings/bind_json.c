// Converts JSON to Lua values with jansson. Frees jansson's tree even if Lua runs out of memory.
#include "bindings/bind.h"

#include "base/assert.h"
#include "base/number_text.h"

#include <jansson.h>
#include <lauxlib.h>

static void push_value(lua_State *L, json_t *value, int depth);

static void push_list(lua_State *L, json_t *list, int depth) {
  size_t count = json_array_size(list);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; ++i) {
    push_value(L, json_array_get(list, i), depth);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

static void push_object(lua_State *L, json_t *object, int depth) {
  const char *key;
  json_t *value;
  lua_createtable(L, 0, (int)json_object_size(object));
  json_object_foreach(object, key, value) {
    lua_pushstring(L, key);
    push_value(L, value, depth);
    lua_rawset(L, -3);
  }
}

static void push_value(lua_State *L, json_t *value, int depth) {
  shoal_assert(depth <= JSON_MAX_DEPTH + 1, "JSON depth %d exceeds the limit", depth);
  luaL_checkstack(L, 4, "JSON");
  switch (json_typeof(value)) {
  case JSON_OBJECT: push_object(L, value, depth + 1); break;
  case JSON_ARRAY: push_list(L, value, depth + 1); break;
  case JSON_STRING: lua_pushlstring(L, json_string_value(value), json_string_length(value)); break;
  case JSON_INTEGER:
  case JSON_REAL: lua_pushnumber(L, json_number_value(value)); break;
  case JSON_NULL: lua_pushnil(L); break;
  default: lua_pushboolean(L, json_is_true(value)); break;
  }
}

static int push_root(lua_State *L) {
  push_value(L, lua_touserdata(L, 1), 0);
  return 1;
}

// Returns the reason why the value cannot be represented in Lua; NULL if Lua can represent it.
static const char *find_problem(json_t *value, int depth) {
  const char *key, *problem = NULL;
  json_t *element;
  size_t i;
  if (depth > JSON_MAX_DEPTH)
    return "arrays and objects are nested too deeply (at most 100 levels)";
  json_array_foreach(value, i, element) {
    if (json_is_null(element))
      return "arrays must not contain null: Lua lists cannot contain nil";
    if ((problem = find_problem(element, depth + 1)))
      return problem;
  }
  json_object_foreach(value, key, element) if ((problem = find_problem(element, depth + 1))) return problem;
  return NULL;
}

static int push_error(lua_State *L, const char *message) {
  lua_pushboolean(L, 0);
  lua_pushstring(L, message);
  return 2;
}

int bind_number_text(lua_State *L) {
  char digits[NUMBER_TEXT_BYTES];
  lua_pushlstring(L, digits, number_to_text(luaL_checknumber(L, 1), lua_toboolean(L, 2), digits));
  return 1;
}

int bind_json_decode(lua_State *L) {
  size_t bytes = 0;
  const char *text = luaL_checklstring(L, 1, &bytes), *problem;
  json_error_t json_error;
  lua_pushboolean(L, 1);
  lua_pushcfunction(L, push_root);
  json_t *root = json_loadb(
      text, bytes, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &json_error);
  if (!root) {
    lua_pushfstring(L, "line %d, column %d: %s", json_error.line, json_error.column, json_error.text);
    return push_error(L, lua_tostring(L, -1));
  }
  if ((problem = find_problem(root, 0)) == NULL) {
    lua_pushlightuserdata(L, root);
    int status = lua_pcall(L, 1, 1, 0);
    json_decref(root);
    return status == 0 ? 2 : lua_error(L);
  }
  json_decref(root);
  return push_error(L, problem);
}
