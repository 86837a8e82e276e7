// Infers the meaning of an expression in a game's Lua file, for example the columns of a component: q.motion,
// e.gun.left, or a local that was assigned one of them. Reads only the text: locals, parameters of known functions, and
// the functions of Shoal's API. Everything else is LUA_VALUE_UNKNOWN.
#ifndef SHOAL_LUAJIT_LUA_VALUES_H
#define SHOAL_LUAJIT_LUA_VALUES_H

#include "luajit/lua_roles.h"

typedef enum lua_value_kind_t {
  LUA_VALUE_UNKNOWN,
  LUA_VALUE_PLAIN,   // a table of the game; or a module, a library or its data (`name`: the library)
  LUA_VALUE_WORLD,   // world, or its function `name`
  LUA_VALUE_SINGLES, // a table of components by name: world.single, q.has
  LUA_VALUE_VIEW,    // the columns of a query
  LUA_VALUE_ENTITY,
  LUA_VALUE_ENTITIES, // a column of entities
  LUA_VALUE_EVENT,    // the columns of an event
  LUA_VALUE_COLUMNS   // the component `name`, or its record or field `path`
} lua_value_kind_t;

typedef struct lua_value_t {
  lua_value_kind_t kind;
  char name[LUA_ROLE_NAME];
  char path[LUA_ROLE_PATH];
} lua_value_t;

typedef struct lua_values_t {
  const lua_roles_t *roles;
  bool (*is_component)(void *context, const char *name);
  // Returns true if the component has a field or a record at this path.
  bool (*is_field)(void *context, const char *component, const char *path);
  void *context;
} lua_values_t;

// Returns the value whose member is read at token i, a name after ".": the value of q.motion for token vx in
// q.motion.vx.
lua_value_t lua_values_find_base(const lua_values_t *values, uint32_t i);
// Appends a name to a path: "colors" and "r" become "colors.r".
void lua_values_append_name(char *path, size_t bytes, const char *name);

#endif
