// Finds the role of a table by walking outwards: the role follows from the table's position in the enclosing table or
// call, whose own role is found in the same way.
#include "luajit/lua_roles.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 24u // maximum nesting depth of tables

static bool is_word(const lua_roles_t *x, uint32_t i, const char *word) {
  return lua_tokens_match_word(x->lua, i, word);
}

static lua_token_kind_t token_kind(const lua_roles_t *x, uint32_t i) {
  return i < x->lua->tokens.count ? x->lua->tokens.items[i].kind : TOKEN_END;
}

static bool is_any_name(const lua_roles_t *x, uint32_t i, const char *const *names) {
  while (*names && !is_word(x, i, *names))
    ++names;
  return *names;
}

static bool is_keyword(const lua_roles_t *x, uint32_t i) {
  static const char *const names[] = {"and", "do", "else",   "elseif", "for",   "function", "if",     "in", "local",
                                      "not", "or", "return", "then",   "until", "while",    "repeat", NULL};
  return is_any_name(x, i, names);
}

void lua_roles_copy_name(const lua_tokens_t *lua, uint32_t i, char *out, size_t bytes) {
  const lua_token_t *t = &lua->tokens.items[i];
  uint32_t quotes = t->kind == TOKEN_STRING;
  out[0] = '\0';
  if (t->kind == TOKEN_NAME || t->kind == TOKEN_STRING)
    snprintf(out, bytes, "%.*s", (int)(t->bytes - 2 * quotes), lua->text + t->at + quotes);
}

bool lua_roles_is_name(const lua_tokens_t *lua, uint32_t i, const char *name) {
  const lua_token_t *t = &lua->tokens.items[i];
  uint32_t quotes = t->kind == TOKEN_STRING;
  return (t->kind == TOKEN_NAME || quotes) && t->bytes == strlen(name) + 2 * quotes &&
         memcmp(lua->text + t->at + quotes, name, strlen(name)) == 0;
}

// --- setup

void lua_roles_init(lua_roles_t *x, allocator_t *memory, const lua_tokens_t *lua, const char *file) {
  ARRAY(uint32_t) open = {0};
  *x = (lua_roles_t){.lua = lua, .file = file, .memory = memory, .returned = lua_tokens_find_return_value(lua)};
  for (uint32_t i = 0; i < lua->tokens.count; ++i) {
    int nesting = lua_token_nesting(lua->text, &lua->tokens.items[i]);
    if (nesting < 0 && open.count > 0)
      --open.count;
    array_push(memory, &x->parent, open.count > 0 ? open.items[open.count - 1] : 0);
    if (nesting > 0)
      array_push(memory, &open, i);
  }
  array_free(memory, &open);
}

void lua_roles_fini(lua_roles_t *x) {
  array_free(x->memory, &x->parent);
}

// --- places

// Returns the first token of the name, a.b.c or a:b, that ends with token i.
static uint32_t find_chain_start(const lua_roles_t *x, uint32_t i) {
  while (i >= 2 && (is_word(x, i - 1, ".") || is_word(x, i - 1, ":")) && token_kind(x, i - 2) == TOKEN_NAME)
    i -= 2;
  return i;
}

static uint32_t count_arguments_before(const lua_roles_t *x, uint32_t open, uint32_t i) {
  uint32_t count = 0, depth = x->lua->tokens.items[open].depth + 1;
  for (uint32_t k = open + 1; k < i; ++k)
    count += x->lua->tokens.items[k].depth == depth && is_word(x, k, ",");
  return count;
}

static lua_context_t find_argument_context(const lua_roles_t *x, uint32_t open, uint32_t i) {
  lua_context_t out = {.kind = LUA_CONTEXT_OTHER};
  if (open > 0 && token_kind(x, open - 1) == TOKEN_NAME && !is_keyword(x, open - 1))
    out = (lua_context_t){.kind = LUA_CONTEXT_ARGUMENT,
                          .callee = open - 1,
                          .open = open,
                          .argument = count_arguments_before(x, open, i) + 1};
  return out;
}

static lua_context_t find_assignment_context(const lua_roles_t *x, uint32_t i) {
  uint32_t parent = x->parent.items[i], key = i - 2;
  bool in_table = parent < i && is_word(x, parent, "{");
  if (token_kind(x, key) == TOKEN_NAME && in_table)
    return (lua_context_t){.kind = LUA_CONTEXT_ELEMENT, .table = parent, .key = key};
  if (is_word(x, key, "]") && token_kind(x, key - 1) == TOKEN_STRING && in_table)
    return (lua_context_t){.kind = LUA_CONTEXT_ELEMENT, .table = parent, .key = key - 1};
  if (token_kind(x, key) == TOKEN_NAME && !is_word(x, key - 1, ".") && !is_word(x, key - 1, ","))
    return (lua_context_t){.kind = LUA_CONTEXT_LOCAL, .variable = key};
  return (lua_context_t){.kind = LUA_CONTEXT_OTHER};
}

lua_context_t lua_roles_find_context(const lua_roles_t *x, uint32_t i) {
  uint32_t parent = x->parent.items[i], before = i - 1;
  shoal_assert(i < x->lua->tokens.count, "token %u is out of range (count %u)", i, x->lua->tokens.count);
  if (i == 0)
    return (lua_context_t){.kind = LUA_CONTEXT_OTHER};
  if (i == x->returned)
    return (lua_context_t){.kind = LUA_CONTEXT_ROOT};
  if (token_kind(x, before) == TOKEN_NAME && !is_keyword(x, before)) // f "text" or f { … }
    return (lua_context_t){.kind = LUA_CONTEXT_ARGUMENT, .callee = before, .argument = 1};
  if (is_word(x, before, "=") && i > 1)
    return find_assignment_context(x, i);
  bool begins = is_word(x, before, ",") || is_word(x, before, ";") || before == parent;
  if (begins && is_word(x, parent, "{"))
    return (lua_context_t){.kind = LUA_CONTEXT_ELEMENT, .table = parent};
  return begins && is_word(x, parent, "(") ? find_argument_context(x, parent, i)
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

static lua_role_t find_file_role(const lua_roles_t *x) {
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
  const char *slash = strrchr(x->file, '/'), *stem = slash ? slash + 1 : x->file;
  char name[LUA_ROLE_NAME];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(stem, "."), stem);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
    if (is_in_folder(x->file, folders[i].folder))
      return make_named_role(folders[i].kind, folders[i].kind == LUA_ROLE_BEHAVIOUR ? name : "");
  return make_role(LUA_ROLE_UNKNOWN);
}

// --- roles of elements

// Role of the value of a key in a table; the key NULL matches all keys.
typedef struct step_t {
  lua_role_kind_t from;
  const char *key;
  lua_role_kind_t to;
} step_t;

static const step_t steps[] = {
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

static lua_role_t find_record_role(const lua_roles_t *x, const lua_role_t *of, const char *key) {
  lua_role_t out = *of;
  size_t used = strlen(out.path);
  bool is_record = of->kind == LUA_ROLE_DECLARED || !x->is_record || x->is_record(x->context, of->name, of->path, key);
  if (is_record && key[0])
    snprintf(out.path + used, sizeof out.path - used, "%s%s", used ? "." : "", key);
  return out;
}

// Returns the role of a table that is an element of a table. `key`: "" for list elements.
static lua_role_t find_element_role(const lua_roles_t *x, const lua_role_t *of, const char *key) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
    if (steps[i].from == of->kind && (!steps[i].key || strcmp(steps[i].key, key) == 0) &&
        (of->path[0] == '\0' || of->kind != LUA_ROLE_DECLARED || strcmp(key, "requires") != 0))
      return make_named_role(steps[i].to, steps[i].to == LUA_ROLE_EVENT ? key : "");
  switch (of->kind) {
  case LUA_ROLE_DECLARATIONS: return make_named_role(LUA_ROLE_DECLARED, key);
  case LUA_ROLE_BEHAVIOUR:
    return strcmp(key, "fields") == 0 ? make_named_role(LUA_ROLE_DECLARED, of->name) : make_role(0);
  case LUA_ROLE_COMPONENTS:
  case LUA_ROLE_CHILD:
  case LUA_ROLE_OVERRIDES: return make_named_role(LUA_ROLE_VALUES, key);
  case LUA_ROLE_SCENE: return make_role(key[0] ? LUA_ROLE_UNKNOWN : LUA_ROLE_ENTITY);
  case LUA_ROLE_DECLARED:
  case LUA_ROLE_VALUES: return find_record_role(x, of, key);
  default: return make_role(LUA_ROLE_UNKNOWN);
  }
}

// --- roles of arguments

static lua_role_t find_values_role(const lua_roles_t *x, const lua_context_t *context) {
  char name[LUA_ROLE_NAME] = "";
  if (context->open && token_kind(x, context->open + 1) == TOKEN_STRING && is_word(x, context->open + 2, ","))
    lua_roles_copy_name(x->lua, context->open + 1, name, sizeof name);
  return name[0] ? make_named_role(LUA_ROLE_VALUES, name) : make_role(LUA_ROLE_UNKNOWN);
}

static lua_role_t find_argument_role(const lua_roles_t *x, const lua_context_t *context) {
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
  bool is_method = callee >= 2 && is_word(x, callee - 1, ":");
  for (size_t i = 0; !is_method && callee >= 2 && i < sizeof calls / sizeof *calls; ++i)
    if (is_word(x, callee, calls[i].name) && is_word(x, callee - 2, calls[i].object) &&
        context->argument == calls[i].argument)
      return make_role(calls[i].kind);
  if (is_method && context->argument == 2 && is_any_name(x, callee, setters))
    return find_values_role(x, context);
  return is_method && context->argument == 2 && is_word(x, callee, "send") ? make_role(LUA_ROLE_EVENT)
                                                                           : make_role(LUA_ROLE_UNKNOWN);
}

// --- tables

static lua_role_t find_role_at(const lua_roles_t *x, const lua_context_t *context, uint32_t depth);

static lua_role_t find_table_role(const lua_roles_t *x, uint32_t i, uint32_t depth) {
  lua_context_t context = lua_roles_find_context(x, i);
  return depth < MAX_DEPTH ? find_role_at(x, &context, depth + 1) : make_role(LUA_ROLE_UNKNOWN);
}

// Finds the first use of the variable as a whole value after its assignment.
static lua_role_t find_variable_role(const lua_roles_t *x, uint32_t variable, uint32_t depth) {
  const lua_token_t *name = &x->lua->tokens.items[variable];
  lua_role_t found = {0};
  for (uint32_t i = variable + 1; i + 1 < x->lua->tokens.count && found.kind == LUA_ROLE_UNKNOWN; ++i) {
    const lua_token_t *t = &x->lua->tokens.items[i];
    bool same = t->kind == TOKEN_NAME && t->bytes == name->bytes &&
                memcmp(x->lua->text + t->at, x->lua->text + name->at, t->bytes) == 0;
    if (!same || is_word(x, i - 1, ".") || is_word(x, i - 1, ":") || lua_tokens_skip_expression(x->lua, i) != i + 1)
      continue;
    lua_context_t context = lua_roles_find_context(x, i);
    if (context.kind != LUA_CONTEXT_LOCAL)
      found = find_role_at(x, &context, depth);
  }
  return found;
}

static bool is_wrapper(const lua_roles_t *x, const lua_context_t *context) {
  static const char *const wrappers[] = {"many", "single", "metadata", NULL};
  return context->kind == LUA_CONTEXT_ARGUMENT && is_any_name(x, context->callee, wrappers) &&
         is_word(x, context->callee - 1, ".");
}

static lua_role_t find_role_at(const lua_roles_t *x, const lua_context_t *context, uint32_t depth) {
  char key[LUA_ROLE_NAME] = "";
  if (depth >= MAX_DEPTH || context->kind == LUA_CONTEXT_OTHER)
    return make_role(LUA_ROLE_UNKNOWN);
  if (context->kind == LUA_CONTEXT_ROOT)
    return find_file_role(x);
  if (is_wrapper(x, context)) { // t.many { … }
    lua_context_t outer = lua_roles_find_context(x, find_chain_start(x, context->callee));
    return find_role_at(x, &outer, depth + 1);
  }
  if (context->kind == LUA_CONTEXT_ARGUMENT)
    return find_argument_role(x, context);
  if (context->kind == LUA_CONTEXT_LOCAL)
    return find_variable_role(x, context->variable, depth + 1);
  lua_role_t table_role = find_table_role(x, context->table, depth + 1);
  if (context->key)
    lua_roles_copy_name(x->lua, context->key, key, sizeof key);
  return find_element_role(x, &table_role, key);
}

lua_role_t lua_roles_find_role_at(const lua_roles_t *x, const lua_context_t *context) {
  return find_role_at(x, context, 0);
}

lua_role_t lua_roles_find_table_role(const lua_roles_t *x, uint32_t i) {
  shoal_assert(is_word(x, i, "{"), "token %u is not a table", i);
  return find_table_role(x, i, 0);
}
