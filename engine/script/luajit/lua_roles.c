// Finds the role of a table by walking outwards: the role follows from the table's position in the enclosing table or
// call, whose own role is found in the same way.
#include "luajit/lua_roles.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 24u // maximum nesting depth of tables

static bool is_word(const lua_roles_t *roles, uint32_t i, const char *word) {
  return lua_tokens_match_word(roles->lua, i, word);
}

static lua_token_kind_t token_kind(const lua_roles_t *roles, uint32_t i) {
  return i < roles->lua->tokens.count ? roles->lua->tokens.items[i].kind : TOKEN_END;
}

static bool is_any_name(const lua_roles_t *roles, uint32_t i, const char *const *names) {
  while (*names && !is_word(roles, i, *names))
    ++names;
  return *names;
}

static bool is_keyword(const lua_roles_t *roles, uint32_t i) {
  static const char *const names[] = {"and", "do", "else",   "elseif", "for",   "function", "if",     "in", "local",
                                      "not", "or", "return", "then",   "until", "while",    "repeat", NULL};
  return is_any_name(roles, i, names);
}

void lua_roles_copy_name(const lua_tokens_t *lua, uint32_t i, char *out, size_t bytes) {
  const lua_token_t *token = &lua->tokens.items[i];
  uint32_t quotes = token->kind == TOKEN_STRING;
  out[0] = '\0';
  if (token->kind == TOKEN_NAME || token->kind == TOKEN_STRING)
    snprintf(out, bytes, "%.*s", (int)(token->bytes - 2 * quotes), lua->text + token->at + quotes);
}

bool lua_roles_is_name(const lua_tokens_t *lua, uint32_t i, const char *name) {
  const lua_token_t *token = &lua->tokens.items[i];
  uint32_t quotes = token->kind == TOKEN_STRING;
  return (token->kind == TOKEN_NAME || quotes) && token->bytes == strlen(name) + 2 * quotes &&
         memcmp(lua->text + token->at + quotes, name, strlen(name)) == 0;
}

// --- setup

void lua_roles_init(lua_roles_t *roles, allocator_t *memory, const lua_tokens_t *lua, const char *file) {
  ARRAY(uint32_t) open_bracket = {0};
  *roles = (lua_roles_t){.lua = lua, .file = file, .memory = memory, .returned = lua_tokens_find_return_value(lua)};
  for (uint32_t i = 0; i < lua->tokens.count; ++i) {
    int nesting = lua_token_nesting(lua->text, &lua->tokens.items[i]);
    if (nesting < 0 && open_bracket.count > 0)
      --open_bracket.count;
    array_push(memory, &roles->parent, open_bracket.count > 0 ? open_bracket.items[open_bracket.count - 1] : 0);
    if (nesting > 0)
      array_push(memory, &open_bracket, i);
  }
  array_free(memory, &open_bracket);
}

void lua_roles_fini(lua_roles_t *roles) {
  array_free(roles->memory, &roles->parent);
}

// --- places

// Returns the first token of the name, a.b.c or a:b, that ends with token i.
static uint32_t find_chain_start(const lua_roles_t *roles, uint32_t i) {
  while (i >= 2 && (is_word(roles, i - 1, ".") || is_word(roles, i - 1, ":")) && token_kind(roles, i - 2) == TOKEN_NAME)
    i -= 2;
  return i;
}

static uint32_t count_arguments_before(const lua_roles_t *roles, uint32_t open_bracket, uint32_t i) {
  uint32_t count = 0, depth = roles->lua->tokens.items[open_bracket].depth + 1;
  for (uint32_t k = open_bracket + 1; k < i; ++k)
    count += roles->lua->tokens.items[k].depth == depth && is_word(roles, k, ",");
  return count;
}

static lua_context_t find_argument_context(const lua_roles_t *roles, uint32_t open_bracket, uint32_t i) {
  lua_context_t context = {.kind = LUA_CONTEXT_OTHER};
  if (open_bracket > 0 && token_kind(roles, open_bracket - 1) == TOKEN_NAME && !is_keyword(roles, open_bracket - 1))
    context = (lua_context_t){.kind = LUA_CONTEXT_ARGUMENT,
                              .callee = open_bracket - 1,
                              .open_bracket = open_bracket,
                              .argument = count_arguments_before(roles, open_bracket, i) + 1};
  return context;
}

static lua_context_t find_assignment_context(const lua_roles_t *roles, uint32_t i) {
  uint32_t parent = roles->parent.items[i], key = i - 2;
  bool is_in_table = parent < i && is_word(roles, parent, "{");
  if (token_kind(roles, key) == TOKEN_NAME && is_in_table)
    return (lua_context_t){.kind = LUA_CONTEXT_ELEMENT, .table = parent, .key = key};
  if (is_word(roles, key, "]") && token_kind(roles, key - 1) == TOKEN_STRING && is_in_table)
    return (lua_context_t){.kind = LUA_CONTEXT_ELEMENT, .table = parent, .key = key - 1};
  if (token_kind(roles, key) == TOKEN_NAME && !is_word(roles, key - 1, ".") && !is_word(roles, key - 1, ","))
    return (lua_context_t){.kind = LUA_CONTEXT_LOCAL, .variable = key};
  return (lua_context_t){.kind = LUA_CONTEXT_OTHER};
}

lua_context_t lua_roles_find_context(const lua_roles_t *roles, uint32_t i) {
  uint32_t parent = roles->parent.items[i], previous = i - 1;
  shoal_assert(i < roles->lua->tokens.count, "token %u is out of range (count %u)", i, roles->lua->tokens.count);
  if (i == 0)
    return (lua_context_t){.kind = LUA_CONTEXT_OTHER};
  if (i == roles->returned)
    return (lua_context_t){.kind = LUA_CONTEXT_ROOT};
  if (token_kind(roles, previous) == TOKEN_NAME && !is_keyword(roles, previous)) // f "text" or f { … }
    return (lua_context_t){.kind = LUA_CONTEXT_ARGUMENT, .callee = previous, .argument = 1};
  if (is_word(roles, previous, "=") && i > 1)
    return find_assignment_context(roles, i);
  bool begins = is_word(roles, previous, ",") || is_word(roles, previous, ";") || previous == parent;
  if (begins && is_word(roles, parent, "{"))
    return (lua_context_t){.kind = LUA_CONTEXT_ELEMENT, .table = parent};
  return begins && is_word(roles, parent, "(") ? find_argument_context(roles, parent, i)
                                               : (lua_context_t){.kind = LUA_CONTEXT_OTHER};
}

// --- roles of files

static lua_role_t make_role(lua_role_kind_t kind) {
  return (lua_role_t){.kind = kind};
}

static lua_role_t make_named_role(lua_role_kind_t kind, const char *name) {
  lua_role_t out = {.kind = kind};
  snprintf(out.name, sizeof out.name, "%s", name);
  return out;
}

static bool is_in_folder(const char *file, const char *folder) {
  size_t bytes = strlen(folder);
  return strncmp(file, folder, bytes) == 0 && (file[bytes] == '/' || strcmp(file + bytes, ".lua") == 0);
}

static lua_role_t find_file_role(const lua_roles_t *roles) {
  static const struct {
    const char *folder;
    lua_role_kind_t kind;
  } folders[] = {{"components", LUA_ROLE_DECLARATIONS},
                 {"assemblages", LUA_ROLE_ASSEMBLAGES},
                 {"events", LUA_ROLE_EVENTS},
                 {"systems", LUA_ROLE_SYSTEM},
                 {"scenes", LUA_ROLE_SCENE},
                 {"sequences", LUA_ROLE_STEPS},
                 {"game", LUA_ROLE_GAME},
                 {"behaviours", LUA_ROLE_BEHAVIOUR}};
  const char *slash = strrchr(roles->file, '/'), *stem = slash ? slash + 1 : roles->file;
  char name[LUA_ROLE_NAME];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(stem, "."), stem);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
    if (is_in_folder(roles->file, folders[i].folder))
      return make_named_role(folders[i].kind, folders[i].kind == LUA_ROLE_BEHAVIOUR ? name : "");
  return make_role(LUA_ROLE_UNKNOWN);
}

// --- roles of elements

// Role of a key's value in a table; the key NULL matches all keys.
typedef struct role_rule_t {
  lua_role_kind_t table_kind;
  const char *key;
  lua_role_kind_t element_kind;
} role_rule_t;

static const role_rule_t RULES[] = {
    {LUA_ROLE_DECLARED, "requires", LUA_ROLE_NAMES},
    {LUA_ROLE_DECLARED, "renamed_from", LUA_ROLE_FORMER_NAMES},
    {LUA_ROLE_EVENTS, NULL, LUA_ROLE_EVENT},
    {LUA_ROLE_EVENT, "renamed_from", LUA_ROLE_FORMER_NAMES},
    {LUA_ROLE_ASSEMBLAGES, NULL, LUA_ROLE_ASSEMBLAGE},
    {LUA_ROLE_ASSEMBLAGE, "components", LUA_ROLE_COMPONENTS},
    {LUA_ROLE_ASSEMBLAGE, "children", LUA_ROLE_CHILDREN},
    {LUA_ROLE_ASSEMBLAGE, "states", LUA_ROLE_STATES},
    {LUA_ROLE_ASSEMBLAGE, "without", LUA_ROLE_NAMES},
    {LUA_ROLE_ASSEMBLAGE, "is", LUA_ROLE_PARENTS},
    {LUA_ROLE_ASSEMBLAGE, "renamed_from", LUA_ROLE_FORMER_NAMES},
    {LUA_ROLE_CHILDREN, NULL, LUA_ROLE_CHILD},
    {LUA_ROLE_CHILD, "components", LUA_ROLE_COMPONENTS},
    {LUA_ROLE_CHILD, "children", LUA_ROLE_CHILDREN},
    {LUA_ROLE_CHILD, "states", LUA_ROLE_STATES},
    {LUA_ROLE_CHILD, "without", LUA_ROLE_NAMES},
    {LUA_ROLE_CHILD, "is", LUA_ROLE_PARENTS},
    {LUA_ROLE_STATES, "renamed_from", LUA_ROLE_FORMER_NAMES},
    {LUA_ROLE_STATES, NULL, LUA_ROLE_COMPONENTS},
    {LUA_ROLE_OVERRIDES, "children", LUA_ROLE_OVERRIDDEN_CHILDREN},
    {LUA_ROLE_OVERRIDDEN_CHILDREN, NULL, LUA_ROLE_OVERRIDES},
    {LUA_ROLE_QUERY, NULL, LUA_ROLE_QUERY},
    {LUA_ROLE_QUERIES, NULL, LUA_ROLE_QUERY},
    {LUA_ROLE_SYSTEM, "query", LUA_ROLE_QUERY},
    {LUA_ROLE_SYSTEM, "queries", LUA_ROLE_QUERIES},
    {LUA_ROLE_SYSTEM, "when", LUA_ROLE_COMPONENTS},
    {LUA_ROLE_SYSTEM, "on", LUA_ROLE_HANDLERS},
    {LUA_ROLE_SYSTEM, "after", LUA_ROLE_SYSTEMS},
    {LUA_ROLE_SYSTEM, "before", LUA_ROLE_SYSTEMS},
    {LUA_ROLE_BEHAVIOUR, "requires", LUA_ROLE_NAMES},
    {LUA_ROLE_BEHAVIOUR, "when", LUA_ROLE_COMPONENTS},
    {LUA_ROLE_BEHAVIOUR, "on", LUA_ROLE_HANDLERS},
    {LUA_ROLE_BEHAVIOUR, "after", LUA_ROLE_SYSTEMS},
    {LUA_ROLE_BEHAVIOUR, "before", LUA_ROLE_SYSTEMS},
    {LUA_ROLE_SCENE, "entities", LUA_ROLE_ENTITIES},
    {LUA_ROLE_ENTITIES, NULL, LUA_ROLE_ENTITY},
    {LUA_ROLE_ENTITY, "components", LUA_ROLE_COMPONENTS},
    {LUA_ROLE_ENTITY, "children", LUA_ROLE_ENTITIES},
    {LUA_ROLE_STEPS, NULL, LUA_ROLE_STEPS},
    {LUA_ROLE_GAME, "groups", LUA_ROLE_GROUPS},
    {LUA_ROLE_GROUPS, NULL, LUA_ROLE_NAMES},
};

static lua_role_t find_record_role(const lua_roles_t *roles, const lua_role_t *parent, const char *key) {
  lua_role_t role = *parent;
  size_t length = strlen(role.path);
  bool is_record = parent->kind == LUA_ROLE_DECLARED || !roles->is_record ||
                   roles->is_record(roles->context, parent->name, parent->path, key);
  if (is_record && key[0])
    snprintf(role.path + length, sizeof role.path - length, "%s%s", length ? "." : "", key);
  return role;
}

// Returns the role of a table inside a table. `key`: key of the inner table; "" for a list element.
static lua_role_t find_element_role(const lua_roles_t *roles, const lua_role_t *parent, const char *key) {
  for (size_t i = 0; i < sizeof RULES / sizeof *RULES; ++i)
    if (RULES[i].table_kind == parent->kind && (!RULES[i].key || strcmp(RULES[i].key, key) == 0) &&
        (parent->path[0] == '\0' || parent->kind != LUA_ROLE_DECLARED || strcmp(key, "requires") != 0))
      return make_named_role(RULES[i].element_kind, RULES[i].element_kind == LUA_ROLE_EVENT ? key : "");
  switch (parent->kind) {
  case LUA_ROLE_DECLARATIONS: return make_named_role(LUA_ROLE_DECLARED, key);
  case LUA_ROLE_BEHAVIOUR:
    return strcmp(key, "fields") == 0 ? make_named_role(LUA_ROLE_DECLARED, parent->name) : make_role(0);
  case LUA_ROLE_COMPONENTS:
  case LUA_ROLE_CHILD:
  case LUA_ROLE_OVERRIDES: return make_named_role(LUA_ROLE_VALUES, key);
  case LUA_ROLE_SCENE: return make_role(key[0] ? LUA_ROLE_UNKNOWN : LUA_ROLE_ENTITY);
  case LUA_ROLE_DECLARED:
  case LUA_ROLE_VALUES: return find_record_role(roles, parent, key);
  default: return make_role(LUA_ROLE_UNKNOWN);
  }
}

// --- roles of arguments

static lua_role_t find_values_role(const lua_roles_t *roles, const lua_context_t *context) {
  char name[LUA_ROLE_NAME] = "";
  if (context->open_bracket && token_kind(roles, context->open_bracket + 1) == TOKEN_STRING &&
      is_word(roles, context->open_bracket + 2, ","))
    lua_roles_copy_name(roles->lua, context->open_bracket + 1, name, sizeof name);
  return name[0] ? make_named_role(LUA_ROLE_VALUES, name) : make_role(LUA_ROLE_UNKNOWN);
}

static lua_role_t find_argument_role(const lua_roles_t *roles, const lua_context_t *context) {
  static const struct {
    const char *object, *name;
    uint32_t argument;
    lua_role_kind_t kind;
  } calls[] = {{"world", "spawn", 1, LUA_ROLE_ENTITY},      {"world", "spawn", 2, LUA_ROLE_OVERRIDES},
               {"world", "define", 2, LUA_ROLE_ASSEMBLAGE}, {"world", "query", 1, LUA_ROLE_QUERY},
               {"world", "explain", 1, LUA_ROLE_QUERY},     {"world", "each", 1, LUA_ROLE_QUERY},
               {"world", "emit", 2, LUA_ROLE_EVENT},        {"world", "after", 3, LUA_ROLE_EVENT}};
  static const char *const setters[] = {"add", "set", NULL};
  uint32_t callee = context->callee;
  bool is_method = callee >= 2 && is_word(roles, callee - 1, ":");
  for (size_t i = 0; !is_method && callee >= 2 && i < sizeof calls / sizeof *calls; ++i)
    if (is_word(roles, callee, calls[i].name) && is_word(roles, callee - 2, calls[i].object) &&
        context->argument == calls[i].argument)
      return make_role(calls[i].kind);
  if (is_method && context->argument == 2 && is_any_name(roles, callee, setters))
    return find_values_role(roles, context);
  return is_method && context->argument == 2 && is_word(roles, callee, "send") ? make_role(LUA_ROLE_EVENT)
                                                                               : make_role(LUA_ROLE_UNKNOWN);
}

// --- tables

static lua_role_t find_role_at(const lua_roles_t *x, const lua_context_t *context, uint32_t depth);

static lua_role_t find_table_role(const lua_roles_t *roles, uint32_t i, uint32_t depth) {
  lua_context_t context = lua_roles_find_context(roles, i);
  return depth < MAX_DEPTH ? find_role_at(roles, &context, depth + 1) : make_role(LUA_ROLE_UNKNOWN);
}

// Returns the role of the variable, from its first use as a whole value after its assignment; LUA_ROLE_UNKNOWN if no
// use has a role.
static lua_role_t find_variable_role(const lua_roles_t *roles, uint32_t variable, uint32_t depth) {
  const lua_token_t *name = &roles->lua->tokens.items[variable];
  lua_role_t role = {0};
  for (uint32_t i = variable + 1; i + 1 < roles->lua->tokens.count && role.kind == LUA_ROLE_UNKNOWN; ++i) {
    const lua_token_t *token = &roles->lua->tokens.items[i];
    bool is_same_name = token->kind == TOKEN_NAME && token->bytes == name->bytes &&
                        memcmp(roles->lua->text + token->at, roles->lua->text + name->at, token->bytes) == 0;
    if (!is_same_name || is_word(roles, i - 1, ".") || is_word(roles, i - 1, ":") ||
        lua_tokens_skip_expression(roles->lua, i) != i + 1)
      continue;
    lua_context_t context = lua_roles_find_context(roles, i);
    if (context.kind != LUA_CONTEXT_LOCAL)
      role = find_role_at(roles, &context, depth);
  }
  return role;
}

static bool is_wrapper(const lua_roles_t *roles, const lua_context_t *context) {
  static const char *const wrappers[] = {"many", "single", "metadata", NULL};
  return context->kind == LUA_CONTEXT_ARGUMENT && is_any_name(roles, context->callee, wrappers) &&
         is_word(roles, context->callee - 1, ".");
}

static lua_role_t find_role_at(const lua_roles_t *roles, const lua_context_t *context, uint32_t depth) {
  char key[LUA_ROLE_NAME] = "";
  if (depth >= MAX_DEPTH || context->kind == LUA_CONTEXT_OTHER)
    return make_role(LUA_ROLE_UNKNOWN);
  if (context->kind == LUA_CONTEXT_ROOT)
    return find_file_role(roles);
  if (is_wrapper(roles, context)) { // t.many { … }
    lua_context_t outer_context = lua_roles_find_context(roles, find_chain_start(roles, context->callee));
    return find_role_at(roles, &outer_context, depth + 1);
  }
  if (context->kind == LUA_CONTEXT_ARGUMENT)
    return find_argument_role(roles, context);
  if (context->kind == LUA_CONTEXT_LOCAL)
    return find_variable_role(roles, context->variable, depth + 1);
  lua_role_t table_role = find_table_role(roles, context->table, depth + 1);
  if (context->key)
    lua_roles_copy_name(roles->lua, context->key, key, sizeof key);
  return find_element_role(roles, &table_role, key);
}

lua_role_t lua_roles_find_role_at(const lua_roles_t *roles, const lua_context_t *context) {
  return find_role_at(roles, context, 0);
}

lua_role_t lua_roles_find_table_role(const lua_roles_t *roles, uint32_t i) {
  shoal_assert(is_word(roles, i, "{"), "token %u is not a table", i);
  return find_table_role(roles, i, 0);
}
