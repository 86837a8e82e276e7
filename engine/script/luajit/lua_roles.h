// Determines the roles of tables in a game's Lua files from the text alone: whether a table declares components,
// contains the values of a component, or is a query. Also finds the context of an expression, such as an argument of a
// call. Follows Shoal's conventions for files (components.lua, systems/…) and the functions of its API. Tables that are
// stored in a local first are found at the first use of the local. Everything else is LUA_ROLE_UNKNOWN.
#ifndef SHOAL_LUAJIT_LUA_ROLES_H
#define SHOAL_LUAJIT_LUA_ROLES_H

#include "luajit/lua_tokens.h"

#define LUA_ROLE_NAME 64u
#define LUA_ROLE_PATH 128u

typedef enum lua_role_kind_t {
  LUA_ROLE_UNKNOWN,
  LUA_ROLE_DECLARATIONS, // components by name
  LUA_ROLE_DECLARED,     // fields of a declaration (`name`), or of its record (`path`)
  LUA_ROLE_EVENTS,       // events by name
  LUA_ROLE_EVENT,        // fields of an event
  LUA_ROLE_ASSEMBLAGES,  // assemblages by name
  LUA_ROLE_ASSEMBLAGE,   // keys of an assemblage
  LUA_ROLE_CHILDREN,     // children by name
  LUA_ROLE_CHILD,        // keys of an assemblage and components
  LUA_ROLE_STATES,       // components by state
  LUA_ROLE_COMPONENTS,   // values by component name
  LUA_ROLE_OVERRIDES,    // values by component, and `children`
  LUA_ROLE_OVERRIDDEN_CHILDREN,
  LUA_ROLE_VALUES,      // values of the component `name`, or of its record `path`
  LUA_ROLE_NAMES,       // list of component names
  LUA_ROLE_PARENTS,     // list of assemblages
  LUA_ROLE_SYSTEMS,     // list of systems
  LUA_ROLE_QUERY,       // list of components, with `without`, `any` and `optional`
  LUA_ROLE_QUERIES,     // queries by name
  LUA_ROLE_HANDLERS,    // functions by event
  LUA_ROLE_SYSTEM,      // keys of a system
  LUA_ROLE_BEHAVIOUR,   // keys of a behaviour; `name`: the behaviour
  LUA_ROLE_SCENE,       // keys of a scene, or list of entities
  LUA_ROLE_ENTITIES,    // entities of a scene
  LUA_ROLE_ENTITY,      // keys of a scene entity
  LUA_ROLE_STEPS,       // steps of a sequence, or keys of a step
  LUA_ROLE_GAME,        // keys of game.lua
  LUA_ROLE_GROUPS,      // lists of components
  LUA_ROLE_FORMER_NAMES // value of renamed_from
} lua_role_kind_t;

typedef struct lua_role_t {
  lua_role_kind_t kind;
  char name[LUA_ROLE_NAME]; // name of the component, event or behaviour
  char path[LUA_ROLE_PATH]; // names of the records, joined with "."; "" outside records
} lua_role_t;

// The file being analysed.
typedef struct lua_roles_t {
  const lua_tokens_t *lua;
  const char *file;       // path relative to the game's folder: "systems/move.lua"
  ARRAY(uint32_t) parent; // token that opens the innermost bracket or block around each token, or 0
  uint32_t returned;      // token at which the file's return value begins; 0: no return value
  allocator_t *memory;
  // Returns true if `name` is a record of the component at this path; other keys are instance names.
  bool (*is_record)(void *context, const char *component, const char *path, const char *name);
  void *context;
} lua_roles_t;

typedef enum lua_context_kind_t {
  LUA_CONTEXT_OTHER,    // an operand, a statement, …
  LUA_CONTEXT_ROOT,     // the value that the file returns
  LUA_CONTEXT_ELEMENT,  // an element of a table
  LUA_CONTEXT_ARGUMENT, // an argument of a call
  LUA_CONTEXT_LOCAL     // the first value of a local or a global
} lua_context_kind_t;

// The context of an expression: the enclosing table, call or declaration.
typedef struct lua_context_t {
  lua_context_kind_t kind;
  uint32_t table;        // the token "{" of the table that contains an element
  uint32_t key;          // token of an element's key, a name or a string; 0 for list elements
  uint32_t callee;       // token of the called function's name, for an argument: c in a.b.c(x)
  uint32_t open_bracket; // the token "(" before an argument; 0 if the call has no brackets
  uint32_t argument;     // number of an argument, from 1
  uint32_t variable;     // token of a local's name
} lua_context_t;

// Initializes `roles`; `lua` and `file` are borrowed. Set is_record and context afterwards if tables may contain
// instances.
void lua_roles_init(lua_roles_t *roles, allocator_t *memory, const lua_tokens_t *lua, const char *file);
void lua_roles_fini(lua_roles_t *roles);

// Returns the context of the expression that begins at token i.
lua_context_t lua_roles_find_context(const lua_roles_t *roles, uint32_t i);
// Returns the role of the table that token i, "{", opens.
lua_role_t lua_roles_find_table_role(const lua_roles_t *roles, uint32_t i);
// Returns the role that a table in this context has, even if the expression is not a table.
lua_role_t lua_roles_find_role_at(const lua_roles_t *roles, const lua_context_t *context);

// Copies a name or the content of a string without escapes; writes "" for any other token.
void lua_roles_copy_name(const lua_tokens_t *lua, uint32_t i, char *out, size_t bytes);
// Returns true if token i is this name, or a string with this content.
bool lua_roles_is_name(const lua_tokens_t *lua, uint32_t i, const char *name);

#endif
