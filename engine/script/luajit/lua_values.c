// Evaluates chains of members, indices and calls. A local is evaluated at its declaration.
#include "luajit/lua_values.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 8u // maximum depth of locals that are initialized with other locals

static bool is_word(const lua_values_t *values, uint32_t i, const char *word) {
  return lua_tokens_match_word(values->roles->lua, i, word);
}

static const lua_token_t *token_at(const lua_values_t *values, uint32_t i) {
  return &values->roles->lua->tokens.items[i];
}

static bool is_name(const lua_values_t *values, uint32_t i) {
  return i < values->roles->lua->tokens.count && token_at(values, i)->kind == TOKEN_NAME;
}

static void copy_name(const lua_values_t *values, uint32_t i, char *out, size_t bytes) {
  lua_roles_copy_name(values->roles->lua, i, out, bytes);
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
  size_t length = strlen(path);
  snprintf(path + length, bytes - length, "%s%s", length ? "." : "", name);
}

static lua_value_t evaluate_expression(const lua_values_t *x, uint32_t begin, uint32_t end, uint32_t depth);

// --- variables

static bool is_same_name(const lua_values_t *values, uint32_t a, uint32_t b) {
  const lua_token_t *a_token = token_at(values, a), *b_token = token_at(values, b);
  const char *text = values->roles->lua->text;
  return a_token->kind == TOKEN_NAME && b_token->kind == TOKEN_NAME && a_token->bytes == b_token->bytes &&
         memcmp(text + a_token->at, text + b_token->at, a_token->bytes) == 0;
}

// Returns the position, from 1, of the variable in the name list at token i, or 0 if the list lacks the variable. Sets
// *end to the token after the list.
static uint32_t find_variable_in_list(const lua_values_t *values, uint32_t i, uint32_t variable, uint32_t *end) {
  uint32_t match = 0;
  for (uint32_t position = 1; is_name(values, i); ++position) {
    match = match == 0 && is_same_name(values, i, variable) ? position : match;
    ++i;
    if (!is_word(values, i, ","))
      break;
    ++i;
  }
  *end = i;
  return match;
}

// Returns the value of the expression with this number, from 1, in the list of expressions at token i.
static lua_value_t evaluate_nth(const lua_values_t *values, uint32_t i, uint32_t number, uint32_t depth) {
  for (; number > 1; --number) {
    i = lua_tokens_skip_expression(values->roles->lua, i);
    if (!is_word(values, i, ","))
      return make_value(LUA_VALUE_UNKNOWN);
    ++i;
  }
  return evaluate_expression(values, i, lua_tokens_skip_expression(values->roles->lua, i), depth + 1);
}

// Returns the value of a parameter of the function at token `function`, from the function's position in a table or a
// call.
static lua_value_t evaluate_parameter(const lua_values_t *values, uint32_t function, uint32_t number) {
  lua_context_t context = lua_roles_find_context(values->roles, function);
  lua_role_t table_role = {0};
  if (context.kind == LUA_CONTEXT_ARGUMENT && number == 1)
    return make_value(is_word(values, context.callee, "spawn_many")  ? LUA_VALUE_VIEW
                      : is_word(values, context.callee, "emit_many") ? LUA_VALUE_EVENT
                                                                     : LUA_VALUE_UNKNOWN);
  if (context.kind != LUA_CONTEXT_ELEMENT)
    return make_value(LUA_VALUE_UNKNOWN);
  table_role = lua_roles_find_table_role(values->roles, context.table);
  if (table_role.kind == LUA_ROLE_HANDLERS) {
    lua_context_t table = lua_roles_find_context(values->roles, context.table);
    lua_role_t outer_role =
        table.kind == LUA_CONTEXT_ELEMENT ? lua_roles_find_table_role(values->roles, table.table) : table_role;
    bool is_behaviour = outer_role.kind == LUA_ROLE_BEHAVIOUR;
    return is_behaviour && number == 1 ? make_columns(outer_role.name)
                                       : make_value(number == 1u + is_behaviour ? LUA_VALUE_EVENT : 0);
  }
  if (table_role.kind == LUA_ROLE_BEHAVIOUR && number == 1)
    return make_columns(table_role.name);
  if (table_role.kind == LUA_ROLE_SYSTEM && number == 1)
    return make_value(lua_roles_is_name(values->roles->lua, context.key, "update") ? LUA_VALUE_VIEW : LUA_VALUE_ENTITY);
  bool takes_entity = table_role.kind == LUA_ROLE_COMPONENTS || table_role.kind == LUA_ROLE_STEPS;
  return make_value(takes_entity && number == 1 ? LUA_VALUE_ENTITY : LUA_VALUE_UNKNOWN);
}

// Returns the value that represents the elements of a table or column. The game's tables may contain entities; data and
// modules do not.
static lua_value_t get_element(lua_value_t base) {
  switch (base.kind) {
  case LUA_VALUE_ENTITIES: return make_value(LUA_VALUE_ENTITY);
  case LUA_VALUE_COLUMNS: return base;
  case LUA_VALUE_PLAIN: return base.name[0] ? base : make_value(LUA_VALUE_UNKNOWN);
  default: return make_value(LUA_VALUE_UNKNOWN);
  }
}

// Returns the value of the variable with this number, from 1, of a loop whose word `in` is at token i.
static lua_value_t evaluate_loop_variable(const lua_values_t *values, uint32_t i, uint32_t number, uint32_t depth) {
  if (is_word(values, i, "in") && is_word(values, i + 1, "world") && is_word(values, i + 3, "each"))
    return make_value(number == 1 ? LUA_VALUE_ENTITY : LUA_VALUE_UNKNOWN);
  if (is_word(values, i, "in") && (is_word(values, i + 1, "pairs") || is_word(values, i + 1, "ipairs")) && number == 2)
    return get_element(evaluate_nth(values, i + 3, 1, depth));
  return make_value(LUA_VALUE_UNKNOWN);
}

static bool find_parameter_list(const lua_values_t *values, uint32_t function, uint32_t *out) {
  uint32_t i = function + 1;
  while (is_name(values, i) || is_word(values, i, ".") || is_word(values, i, ":"))
    ++i;
  *out = i + 1;
  return is_word(values, i, "(");
}

// Returns the value of the variable at token i. Declarations in closed blocks are not visible: they are deeper than at
// least one token between them and i.
static lua_value_t evaluate_variable(const lua_values_t *values, uint32_t i, uint32_t depth) {
  uint32_t min_depth = token_at(values, i)->depth, end = 0, first_name = 0;
  for (uint32_t token = i; token-- > 0;) {
    uint32_t depth_at = token_at(values, token)->depth, number = 0;
    bool encloses = depth_at < min_depth;
    min_depth = encloses ? depth_at : min_depth;
    if (depth_at > min_depth)
      continue;
    if (encloses && is_word(values, token, "function") && find_parameter_list(values, token, &first_name) &&
        (number = find_variable_in_list(values, first_name, i, &end)) > 0)
      return evaluate_parameter(values, token, number);
    if (is_word(values, token, "local") && (number = find_variable_in_list(values, token + 1, i, &end)) > 0 && end < i)
      return is_word(values, end, "=") ? evaluate_nth(values, end + 1, number, depth) : make_value(LUA_VALUE_UNKNOWN);
    if (is_word(values, token, "for") && (number = find_variable_in_list(values, token + 1, i, &end)) > 0)
      return evaluate_loop_variable(values, end, number, depth);
  }
  return make_value(LUA_VALUE_UNKNOWN);
}

// --- chains

static lua_value_t evaluate_root(const lua_values_t *values, uint32_t i, uint32_t depth) {
  static const char *const PLAIN_ROOTS[] = {"require", "settings",  "input",  "assets", "draw",  "audio", "music",
                                            "log",     "math",      "string", "table",  "shoal", "json",  "bit",
                                            "utf8",    "coroutine", "os",     "ffi",    "{",     NULL};
  lua_value_t value =
      is_name(values, i) && depth < MAX_DEPTH ? evaluate_variable(values, i, depth) : make_value(LUA_VALUE_UNKNOWN);
  if (value.kind != LUA_VALUE_UNKNOWN)
    return value;
  for (size_t k = 0; PLAIN_ROOTS[k]; ++k)
    if (is_word(values, i, PLAIN_ROOTS[k])) {
      value = make_value(LUA_VALUE_PLAIN);
      snprintf(value.name, sizeof value.name, "%s", PLAIN_ROOTS[k][0] == '{' ? "" : PLAIN_ROOTS[k]);
      return value;
    }
  return make_value(is_word(values, i, "world") ? LUA_VALUE_WORLD : LUA_VALUE_UNKNOWN);
}

static lua_value_t read_field(const lua_values_t *values, lua_value_t base, const char *name) {
  char path[LUA_ROLE_PATH];
  snprintf(path, sizeof path, "%s", base.path);
  lua_values_append_name(path, sizeof path, name);
  if (base.path[0] == '\0' && strcmp(name, "entity") == 0 && !values->is_field(values->context, base.name, path))
    return make_value(LUA_VALUE_ENTITY); // the member is self.entity
  if (values->is_field(values->context, base.name, path))
    snprintf(base.path, sizeof base.path, "%s", path);
  return base; // any other member is the name of an instance
}

static lua_value_t read_member(const lua_values_t *values, lua_value_t base, uint32_t i) {
  char name[LUA_ROLE_NAME];
  copy_name(values, i, name, sizeof name);
  switch (base.kind) {
  case LUA_VALUE_WORLD:
    snprintf(base.name, sizeof base.name, "%s", name);
    return strcmp(name, "single") == 0 ? make_value(LUA_VALUE_SINGLES) : base;
  case LUA_VALUE_VIEW:
    if (strcmp(name, "has") == 0 || strcmp(name, "entity") == 0)
      return make_value(name[0] == 'h' ? LUA_VALUE_SINGLES : LUA_VALUE_ENTITIES);
    return values->is_component(values->context, name) ? make_columns(name) : base; // any other name denotes a query
  case LUA_VALUE_SINGLES:
  case LUA_VALUE_ENTITY: return make_columns(name);
  case LUA_VALUE_COLUMNS: return read_field(values, base, name);
  case LUA_VALUE_PLAIN: return base;
  default: return values->is_component(values->context, name) ? make_columns(name) : make_value(LUA_VALUE_UNKNOWN);
  }
}

// Returns the result of a call. `open_token`: the token after the called function.
static lua_value_t evaluate_call(const lua_values_t *values, lua_value_t callee, const char *method,
                                 uint32_t open_token) {
  char name[LUA_ROLE_NAME] = "";
  const lua_tokens_t *lua = values->roles->lua;
  uint32_t first_argument = open_token + is_word(values, open_token, "(");
  if (strcmp(method, "parent") == 0 || strcmp(method, "child") == 0)
    return make_value(LUA_VALUE_ENTITY);
  if (method[0] || callee.kind != LUA_VALUE_WORLD)
    return callee.kind == LUA_VALUE_PLAIN && !method[0] ? callee : make_value(LUA_VALUE_UNKNOWN);
  if (strcmp(callee.name, "lookup") == 0 && lua->tokens.items[first_argument].kind == TOKEN_STRING) {
    copy_name(values, first_argument, name, sizeof name);
    return make_columns(name);
  }
  return make_value(strcmp(callee.name, "spawn") == 0 || strcmp(callee.name, "find") == 0 ? LUA_VALUE_ENTITY
                                                                                          : LUA_VALUE_UNKNOWN);
}

// Returns the value of the tokens [begin, end) if they are one chain, such as a.b[i]:c().d; otherwise an unknown value.
static lua_value_t evaluate_expression(const lua_values_t *values, uint32_t begin, uint32_t end, uint32_t depth) {
  const lua_tokens_t *lua = values->roles->lua;
  lua_value_t out = evaluate_root(values, begin, depth);
  char method[LUA_ROLE_NAME] = "";
  uint32_t i = is_name(values, begin) ? begin + 1 : lua_tokens_skip_bracket(lua, begin);
  if (token_at(values, begin)->kind == TOKEN_STRING || token_at(values, begin)->kind == TOKEN_NUMBER)
    return make_value(LUA_VALUE_UNKNOWN);
  while (i < end) {
    if (is_word(values, i, ".") && is_name(values, i + 1)) {
      out = read_member(values, out, i + 1);
      i += 2;
    } else if (is_word(values, i, ":") && is_name(values, i + 1)) {
      copy_name(values, i + 1, method, sizeof method);
      i += 2;
      if (i >= end)
        return make_value(LUA_VALUE_UNKNOWN);
      out = evaluate_call(values, out, method, i);
      i = is_word(values, i, "(") || is_word(values, i, "{") ? lua_tokens_skip_bracket(lua, i) : i + 1;
      method[0] = '\0';
    } else if (is_word(values, i, "[")) {
      out = get_element(out);
      i = lua_tokens_skip_bracket(lua, i);
    } else if (is_word(values, i, "(") || is_word(values, i, "{") || token_at(values, i)->kind == TOKEN_STRING) {
      out = evaluate_call(values, out, "", i);
      i = token_at(values, i)->kind == TOKEN_STRING ? i + 1 : lua_tokens_skip_bracket(lua, i);
    } else {
      return make_value(LUA_VALUE_UNKNOWN); // an operator follows
    }
  }
  return out;
}

// Returns the token that opens the bracket that token i closes.
static uint32_t find_opening_bracket(const lua_values_t *values, uint32_t i) {
  uint32_t depth = token_at(values, i)->depth;
  while (i > 0 && token_at(values, --i)->depth > depth)
    ;
  return i;
}

// Returns the first token of the chain that ends with token i.
static uint32_t find_chain_start(const lua_values_t *values, uint32_t i) {
  for (;;) {
    if (is_word(values, i, ")") || is_word(values, i, "]") || is_word(values, i, "}")) {
      uint32_t open_bracket = find_opening_bracket(values, i);
      bool has_prefix =
          open_bracket > 0 && (is_name(values, open_bracket - 1) || is_word(values, open_bracket - 1, ")") ||
                               is_word(values, open_bracket - 1, "]"));
      if (!has_prefix || lua_tokens_skip_expression(values->roles->lua, open_bracket - 1) == open_bracket - 1)
        return open_bracket;
      i = open_bracket - 1;
    } else if (i >= 2 && (is_word(values, i - 1, ".") || is_word(values, i - 1, ":"))) {
      i -= 2;
    } else {
      return i;
    }
  }
}

lua_value_t lua_values_find_base(const lua_values_t *values, uint32_t i) {
  return i >= 2 ? evaluate_expression(values, find_chain_start(values, i - 2), i - 1, 0)
                : make_value(LUA_VALUE_UNKNOWN);
}
