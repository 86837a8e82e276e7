// Finds where the Lua files of a game mention a component, a field, an assemblage, a state or an event, to rename it.
// Each mention is either certain, or a place that a person must check: a string or a table whose meaning the text does
// not show. Names that are assembled at run time ("foe_" .. kind) are reported as such a place if a part of the name is
// a literal.
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

// What to find.
typedef struct lua_name_t {
  lua_name_kind_t kind;
  const char *name;      // of a field, the last name of its path
  const char *component; // of a field
  const char *path;      // of a field: "colors.r"
  bool is_system;        // a behaviour: its name is also that of a system
  bool is_ambiguous;     // members of other tables have the name, too, so a member of an unknown table is not certain
} lua_name_t;

typedef struct lua_mention_t {
  uint32_t at, end; // bytes of the name
  uint32_t line;
  bool is_certain;
} lua_mention_t;

typedef ARRAY(lua_mention_t) lua_mentions_t;

// Adds all mentions in the file, in order; free the list with array_free and the memory of x->roles. Old names in
// renamed_from are not mentions.
void lua_mentions_find(const lua_values_t *x, const lua_name_t *name, lua_mentions_t *out);
// Returns whether a table of unknown meaning has the name as a key, or whether it is assigned to a member of one.
bool lua_mentions_has_other_key(const lua_values_t *x, const lua_name_t *name);

#endif
