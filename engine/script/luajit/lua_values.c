// Evaluates chains of members, indices and calls. A local is evaluated at its declaration.
#include "luajit/lua_values.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 8u // maximum depth of locals that are initialized with other locals

static bool is_word(const lua_values_t *x, uint32_t i, const char *word) {
  return lua_tokens_match_word(x->roles->lua, i, word);
}

static const lua_token_t *token_at(const lua_values_t *x, uint32_t i) {
  return &x->roles->lua->tokens.items[i];
}

static bool is_name(const lua_values_t *x, uint32_t i) {
  return i < x->roles->lua->tokens.count && token_at(x, i)->kind == TOKEN_NAME;
}

static void copy_name(const lua_values_t *x, uint32_t i, char *out, size_t bytes) {
  lua_roles_copy_name(x->roles->lua, i, out, bytes);
}

static lua_value_t make_value(lua_value_kind_t kind) {
  return (lua_value_t){.kind = kind};
}

static lua_value_t make_columns(const char *component) {
  lua_value_t out = {.kind = LUA_VALUE_COLUMNS};
  snprintf(out.name, sizeof out.name, "%s", component);
  return out;
}

void lua_values_append_name(char *path, size_t bytes, const char *name) {
  size_t used = strlen(path);
  snprintf(path + used, bytes - used, "%s%s", used ? "." : "", name);
}

static lua_value_t evaluate_expression(const lua_values_t *x, uint32_t begin, uint32_t end, uint32_t depth);

// --- variables

static bool is_same_name(const lua_values_t *x, uint32_t a, uint32_t b) {
  const lua_token_t *s = token_at(x, a), *t = token_at(x, b);
  const char *text = x->roles->lua->text;
  return s->kind == TOKEN_NAME && t->kind == TOKEN_NAME && s->bytes == t->bytes &&
         memcmp(text + s->at, text + t->at, s->bytes) == 0;
}

// Returns the position, from 1, of the variable in the list of names at token i; 0 if the list lacks the variable. Sets
// *end to the token after the list.
static uint32_t find_variable_in_list(const lua_values_t *x, uint32_t i, uint32_t variable, uint32_t *end) {
  uint32_t found = 0;
  for (uint32_t n = 1; is_name(x, i); ++n) {
    found = found == 0 && is_same_name(x, i, variable) ? n : found;
    ++i;
    if (!is_word(x, i, ","))
      break;
    ++i;
  }
  *end = i;
  return found;
}

// Returns the value of the expression with this number, from 1, in the list of expressions at token i.
static lua_value_t evaluate_nth(const lua_values_t *x, uint32_t i, uint32_t n, uint32_t depth) {
  for (; n > 1; --n) {
    i = lua_tokens_skip_expression(x->roles->lua, i);
    if (!is_word(x, i, ","))
      return make_value(LUA_VALUE_UNKNOWN);
    ++i;
  }
  return evaluate_expression(x, i, lua_tokens_skip_expression(x->roles->lua, i), depth + 1);
}

// Returns the value of a parameter of the function at token `function`, from the function's position in a table or a
// call.
static lua_value_t evaluate_parameter(const lua_values_t *x, uint32_t function, uint32_t n) {
  lua_context_t context = lua_roles_find_context(x->roles, function);
  lua_role_t of = {0};
  if (context.kind == LUA_CONTEXT_ARGUMENT && n == 1)
    return make_value(is_word(x, context.callee, "spawn_many")  ? LUA_VALUE_VIEW
                      : is_word(x, context.callee, "emit_many") ? LUA_VALUE_EVENT
                                                                : LUA_VALUE_UNKNOWN);
  if (context.kind != LUA_CONTEXT_ELEMENT)
    return make_value(LUA_VALUE_UNKNOWN);
  of = lua_roles_find_table_role(x->roles, context.table);
  if (of.kind == LUA_ROLE_HANDLERS) {
    lua_context_t table = lua_roles_find_context(x->roles, context.table);
    lua_role_t outer = table.kind == LUA_CONTEXT_ELEMENT ? lua_roles_find_table_role(x->roles, table.table) : of;
    bool is_behaviour = outer.kind == LUA_ROLE_BEHAVIOUR;
    return is_behaviour && n == 1 ? make_columns(outer.name) : make_value(n == 1u + is_behaviour ? LUA_VALUE_EVENT : 0);
  }
  if (of.kind == LUA_ROLE_BEHAVIOUR && n == 1)
    return make_columns(of.name);
  if (of.kind == LUA_ROLE_SYSTEM && n == 1)
    return make_value(lua_roles_is_name(x->roles->lua, context.key, "update") ? LUA_VALUE_VIEW : LUA_VALUE_ENTITY);
  bool takes_entity = of.kind == LUA_ROLE_COMPONENTS || of.kind == LUA_ROLE_STEPS;
  return make_value(takes_entity && n == 1 ? LUA_VALUE_ENTITY : LUA_VALUE_UNKNOWN);
}

// Returns the value of the elements of a table or column. Tables of the game may contain entities; data and modules do
// not.
static lua_value_t get_element(lua_value_t of) {
  switch (of.kind) {
  case LUA_VALUE_ENTITIES: return make_value(LUA_VALUE_ENTITY);
  case LUA_VALUE_COLUMNS: return of;
  case LUA_VALUE_PLAIN: return of.name[0] ? of : make_value(LUA_VALUE_UNKNOWN);
  default: return make_value(LUA_VALUE_UNKNOWN);
  }
}

// Returns the value of the variable with this number, from 1, of a loop whose word `in` is at token i.
static lua_value_t evaluate_loop_variable(const lua_values_t *x, uint32_t i, uint32_t n, uint32_t depth) {
  if (is_word(x, i, "in") && is_word(x, i + 1, "world") && is_word(x, i + 3, "each"))
    return make_value(n == 1 ? LUA_VALUE_ENTITY : LUA_VALUE_UNKNOWN);
  if (is_word(x, i, "in") && (is_word(x, i + 1, "pairs") || is_word(x, i + 1, "ipairs")) && n == 2)
    return get_element(evaluate_nth(x, i + 3, 1, depth));
  return make_value(LUA_VALUE_UNKNOWN);
}

static bool find_parameter_list(const lua_values_t *x, uint32_t function, uint32_t *out) {
  uint32_t i = function + 1;
  while (is_name(x, i) || is_word(x, i, ".") || is_word(x, i, ":"))
    ++i;
  *out = i + 1;
  return is_word(x, i, "(");
}

// Returns the value of the variable at token i. Declarations in closed blocks, which are deeper than all tokens between
// them and i, are not visible.
static lua_value_t evaluate_variable(const lua_values_t *x, uint32_t i, uint32_t depth) {
  uint32_t min = token_at(x, i)->depth, end = 0, list = 0;
  for (uint32_t k = i; k-- > 0;) {
    uint32_t level = token_at(x, k)->depth, n = 0;
    bool encloses = level < min;
    min = encloses ? level : min;
    if (level > min)
      continue;
    if (encloses && is_word(x, k, "function") && find_parameter_list(x, k, &list) &&
        (n = find_variable_in_list(x, list, i, &end)) > 0)
      return evaluate_parameter(x, k, n);
    if (is_word(x, k, "local") && (n = find_variable_in_list(x, k + 1, i, &end)) > 0 && end < i)
      return is_word(x, end, "=") ? evaluate_nth(x, end + 1, n, depth) : make_value(LUA_VALUE_UNKNOWN);
    if (is_word(x, k, "for") && (n = find_variable_in_list(x, k + 1, i, &end)) > 0)
      return evaluate_loop_variable(x, end, n, depth);
  }
  return make_value(LUA_VALUE_UNKNOWN);
}

// --- chains

static lua_value_t evaluate_root(const lua_values_t *x, uint32_t i, uint32_t depth) {
  static const char *const plain[] = {"require", "settings",  "input",  "assets", "draw",  "audio", "music",
                                      "log",     "math",      "string", "table",  "shoal", "json",  "bit",
                                      "utf8",    "coroutine", "os",     "ffi",    "{",     NULL};
  lua_value_t found =
      is_name(x, i) && depth < MAX_DEPTH ? evaluate_variable(x, i, depth) : make_value(LUA_VALUE_UNKNOWN);
  if (found.kind != LUA_VALUE_UNKNOWN)
    return found;
  for (size_t k = 0; plain[k]; ++k)
    if (is_word(x, i, plain[k])) {
      found = make_value(LUA_VALUE_PLAIN);
      snprintf(found.name, sizeof found.name, "%s", plain[k][0] == '{' ? "" : plain[k]);
      return found;
    }
  return make_value(is_word(x, i, "world") ? LUA_VALUE_WORLD : LUA_VALUE_UNKNOWN);
}

static lua_value_t read_field(const lua_values_t *x, lua_value_t of, const char *name) {
  char path[LUA_ROLE_PATH];
  snprintf(path, sizeof path, "%s", of.path);
  lua_values_append_name(path, sizeof path, name);
  if (of.path[0] == '\0' && strcmp(name, "entity") == 0 && !x->is_field(x->context, of.name, path))
    return make_value(LUA_VALUE_ENTITY); // self.entity
  if (x->is_field(x->context, of.name, path))
    snprintf(of.path, sizeof of.path, "%s", path);
  return of; // otherwise the name of an instance
}

static lua_value_t read_member(const lua_values_t *x, lua_value_t of, uint32_t i) {
  char name[LUA_ROLE_NAME];
  copy_name(x, i, name, sizeof name);
  switch (of.kind) {
  case LUA_VALUE_WORLD:
    snprintf(of.name, sizeof of.name, "%s", name);
    return strcmp(name, "single") == 0 ? make_value(LUA_VALUE_SINGLES) : of;
  case LUA_VALUE_VIEW:
    if (strcmp(name, "has") == 0 || strcmp(name, "entity") == 0)
      return make_value(name[0] == 'h' ? LUA_VALUE_SINGLES : LUA_VALUE_ENTITIES);
    return x->is_component(x->context, name) ? make_columns(name) : of; // otherwise the name of a query
  case LUA_VALUE_SINGLES:
  case LUA_VALUE_ENTITY: return make_columns(name);
  case LUA_VALUE_COLUMNS: return read_field(x, of, name);
  case LUA_VALUE_PLAIN: return of;
  default: return x->is_component(x->context, name) ? make_columns(name) : make_value(LUA_VALUE_UNKNOWN);
  }
}

// Returns the result of a call. `open`: the token after the called function.
static lua_value_t evaluate_call(const lua_values_t *x, lua_value_t of, const char *method, uint32_t open) {
  char name[LUA_ROLE_NAME] = "";
  const lua_tokens_t *lua = x->roles->lua;
  uint32_t first = open + is_word(x, open, "(");
  if (strcmp(method, "parent") == 0 || strcmp(method, "child") == 0)
    return make_value(LUA_VALUE_ENTITY);
  if (method[0] || of.kind != LUA_VALUE_WORLD)
    return of.kind == LUA_VALUE_PLAIN && !method[0] ? of : make_value(LUA_VALUE_UNKNOWN);
  if (strcmp(of.name, "lookup") == 0 && lua->tokens.items[first].kind == TOKEN_STRING) {
    copy_name(x, first, name, sizeof name);
    return make_columns(name);
  }
  return make_value(strcmp(of.name, "spawn") == 0 || strcmp(of.name, "find") == 0 ? LUA_VALUE_ENTITY
                                                                                  : LUA_VALUE_UNKNOWN);
}

// Evaluates the tokens [begin, end) if they are one chain: a.b[i]:c().d
static lua_value_t evaluate_expression(const lua_values_t *x, uint32_t begin, uint32_t end, uint32_t depth) {
  const lua_tokens_t *lua = x->roles->lua;
  lua_value_t out = evaluate_root(x, begin, depth);
  char method[LUA_ROLE_NAME] = "";
  uint32_t i = is_name(x, begin) ? begin + 1 : lua_tokens_skip_bracket(lua, begin);
  if (token_at(x, begin)->kind == TOKEN_STRING || token_at(x, begin)->kind == TOKEN_NUMBER)
    return make_value(LUA_VALUE_UNKNOWN);
  while (i < end) {
    if (is_word(x, i, ".") && is_name(x, i + 1)) {
      out = read_member(x, out, i + 1);
      i += 2;
    } else if (is_word(x, i, ":") && is_name(x, i + 1)) {
      copy_name(x, i + 1, method, sizeof method);
      i += 2;
      if (i >= end)
        return make_value(LUA_VALUE_UNKNOWN);
      out = evaluate_call(x, out, method, i);
      i = is_word(x, i, "(") || is_word(x, i, "{") ? lua_tokens_skip_bracket(lua, i) : i + 1;
      method[0] = '\0';
    } else if (is_word(x, i, "[")) {
      out = get_element(out);
      i = lua_tokens_skip_bracket(lua, i);
    } else if (is_word(x, i, "(") || is_word(x, i, "{") || token_at(x, i)->kind == TOKEN_STRING) {
      out = evaluate_call(x, out, "", i);
      i = token_at(x, i)->kind == TOKEN_STRING ? i + 1 : lua_tokens_skip_bracket(lua, i);
    } else {
      return make_value(LUA_VALUE_UNKNOWN); // an operator
    }
  }
  return out;
}

// Returns the token that opens the bracket that token i closes.
static uint32_t find_opening_bracket(const lua_values_t *x, uint32_t i) {
  uint32_t depth = token_at(x, i)->depth;
  while (i > 0 && token_at(x, --i)->depth > depth)
    ;
  return i;
}

// Returns the first token of the chain that ends with token i.
static uint32_t find_chain_start(const lua_values_t *x, uint32_t i) {
  for (;;) {
    if (is_word(x, i, ")") || is_word(x, i, "]") || is_word(x, i, "}")) {
      uint32_t open = find_opening_bracket(x, i);
      bool has_prefix = open > 0 && (is_name(x, open - 1) || is_word(x, open - 1, ")") || is_word(x, open - 1, "]"));
      if (!has_prefix || lua_tokens_skip_expression(x->roles->lua, open - 1) == open - 1)
        return open;
      i = open - 1;
    } else if (i >= 2 && (is_word(x, i - 1, ".") || is_word(x, i - 1, ":"))) {
      i -= 2;
    } else {
      return i;
    }
  }
}

lua_value_t lua_values_find_base(const lua_values_t *x, uint32_t i) {
  return i >= 2 ? evaluate_expression(x, find_chain_start(x, i - 2), i - 1, 0) : make_value(LUA_VALUE_UNKNOWN);
}
