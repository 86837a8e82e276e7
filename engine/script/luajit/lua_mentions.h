// Finds where the Lua files of a game mention a component, a field, an assemblage, a state or an event, to rename it.
// Each mention is either certain, or must be checked by a developer because the meaning of the string or table is
// unknown. Names that are assembled at run time ("foe_" .. kind) are reported as mentions to check if a part of the
// name is a literal.
#ifndef SHOAL_LUAJIT_LUA_MENTIONS_H
#define SHOAL_LUAJIT_LUA_MENTIONS_H

#include "luajit/lua_values.h"

typedef enum lua_name_kind_t {
  LUA_NAME_COMPONENT,
  LUA_NAME_FIELD,
  LUA_NAME_ASSEMBLAGE,
  LUA_NAME_STATE,
  LUA_NAME_EVENT
} lua_name_kind_t;

typedef struct lua_name_t {
  lua_name_kind_t kind;
  const char *name;      // name to find; for a field, the last name of `path`
  const char *component; // component to which the field belongs
  const char *path;      // path of a field, such as "colors.r"
  bool is_system;        // true for a behaviour, whose name is also the name of a system
  bool is_ambiguous;     // true if members of other tables have this name: mentions in unknown tables are uncertain
} lua_name_t;

typedef struct lua_mention_t {
  uint32_t at, end; // range of the name's bytes, [at, end)
  uint32_t line;
  bool is_certain;
} lua_mention_t;

typedef ARRAY(lua_mention_t) lua_mentions_t;

// Adds all mentions in the file to `out`, in order; free the list with array_free and `values->roles->memory`. Old
// names in renamed_from are not mentions.
void lua_mentions_find(const lua_values_t *values, const lua_name_t *name, lua_mentions_t *out);
// Returns true if a table of unknown meaning has the name as a key or as an assigned member, or if the file calls a
// function of this name in a table.
bool lua_mentions_has_other_key(const lua_values_t *values, const lua_name_t *name);

#endif
