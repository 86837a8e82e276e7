// Determines what each token that contains the name denotes, from the token's position in a table or call, or from the
// value whose member is read.
#include "luajit/lua_mentions.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

typedef enum verdict_t { VERDICT_NONE, VERDICT_CHECK, VERDICT_CERTAIN } verdict_t;

typedef struct finder_t {
  const lua_values_t *values;
  const lua_roles_t *roles;
  const lua_tokens_t *lua;
  const lua_name_t *name;
} finder_t;

static bool is_word(const finder_t *x, uint32_t i, const char *word) {
  return lua_tokens_match_word(x->lua, i, word);
}

static bool key_is(const finder_t *x, const lua_context_t *context, const char *key) {
  return context->key > 0 && lua_roles_is_name(x->lua, context->key, key);
}

static verdict_t choose_verdict(bool is_certain) {
  return is_certain ? VERDICT_CERTAIN : VERDICT_NONE;
}

static bool is_field_at(const finder_t *x, const char *component, const char *path, const char *name) {
  char whole[LUA_ROLE_PATH];
  snprintf(whole, sizeof whole, "%s", path);
  if (name)
    lua_values_append_name(whole, sizeof whole, name);
  return strcmp(component, x->name->component) == 0 && strcmp(whole, x->name->path) == 0;
}

// --- keys of tables

// Returns true if the value at token i is a table whose first key is a field of the component.
static bool is_values_table(const finder_t *x, uint32_t i) {
  char field[LUA_ROLE_NAME];
  if (!is_word(x, i, "{") || !is_word(x, i + 2, "="))
    return false;
  lua_roles_copy_name(x->lua, i + 1, field, sizeof field);
  return x->values->is_field(x->values->context, x->name->name, field);
}

static verdict_t judge_component_key(const finder_t *x, const lua_role_t *of, uint32_t value) {
  switch (of->kind) {
  case LUA_ROLE_DECLARATIONS:
  case LUA_ROLE_COMPONENTS:
  case LUA_ROLE_CHILD: return VERDICT_CERTAIN;
  case LUA_ROLE_OVERRIDES: return choose_verdict(strcmp(x->name->name, "children") != 0);
  case LUA_ROLE_VALUES: return choose_verdict(strcmp(of->name, "disabled") == 0);
  case LUA_ROLE_UNKNOWN: return is_values_table(x, value) && !x->name->is_ambiguous ? VERDICT_CERTAIN : VERDICT_CHECK;
  default: return VERDICT_NONE;
  }
}

// Determines whether a key of a table with the role `of` is a mention. `value`: the first token of the key's value.
static verdict_t judge_key(const finder_t *x, const lua_role_t *of, uint32_t value) {
  const lua_name_t *n = x->name;
  bool is_unknown = of->kind == LUA_ROLE_UNKNOWN;
  switch (n->kind) {
  case LUA_NAME_COMPONENT: return judge_component_key(x, of, value);
  case LUA_NAME_FIELD:
    if (of->kind == LUA_ROLE_DECLARED || of->kind == LUA_ROLE_VALUES)
      return choose_verdict(is_field_at(x, of->name, of->path, n->name));
    break;
  case LUA_NAME_ASSEMBLAGE: return is_unknown ? VERDICT_CHECK : choose_verdict(of->kind == LUA_ROLE_ASSEMBLAGES);
  case LUA_NAME_STATE: return is_unknown ? VERDICT_CHECK : choose_verdict(of->kind == LUA_ROLE_STATES);
  case LUA_NAME_EVENT:
    return is_unknown ? VERDICT_CHECK : choose_verdict(of->kind == LUA_ROLE_EVENTS || of->kind == LUA_ROLE_HANDLERS);
  }
  return is_unknown ? VERDICT_CHECK : VERDICT_NONE;
}

// Returns the token "{" of the table in which token i is a key; 0 if token i is not a key. Keys are `name =` and
// ["name"] =.
static uint32_t find_table_of_key(const finder_t *x, uint32_t i) {
  bool is_string = x->lua->tokens.items[i].kind == TOKEN_STRING;
  uint32_t first = i - is_string, after = i + 1 + is_string, parent = x->roles->parent.items[first];
  bool has_brackets = !is_string || (i > 0 && is_word(x, i - 1, "[") && is_word(x, i + 1, "]"));
  bool begins = first > 0 && (first - 1 == parent || is_word(x, first - 1, ",") || is_word(x, first - 1, ";"));
  return has_brackets && begins && is_word(x, after, "=") && is_word(x, parent, "{") ? parent : 0;
}

// --- strings

// Bits of the kinds of names that a list, member, argument or string can contain.
enum { OF_COMPONENT = 1, OF_ASSEMBLAGE = 2, OF_STATE = 4, OF_EVENT = 8, OF_SYSTEM = 16, OF_PATH = 32, OF_FORMER = 64 };

static int get_list_names(lua_role_kind_t kind) {
  switch (kind) {
  case LUA_ROLE_NAMES:
  case LUA_ROLE_QUERY: return OF_COMPONENT;
  case LUA_ROLE_PARENTS: return OF_ASSEMBLAGE;
  case LUA_ROLE_SYSTEMS: return OF_SYSTEM;
  case LUA_ROLE_FORMER_NAMES: return OF_FORMER;
  default: return 0;
  }
}

// Returns the kinds of names that a string can contain as the value of the key of `context`.
static int get_member_names(const finder_t *x, const lua_role_t *of, const lua_context_t *context) {
  bool is_declaration = of->kind == LUA_ROLE_ASSEMBLAGE || of->kind == LUA_ROLE_CHILD;
  if (of->kind == LUA_ROLE_FORMER_NAMES || key_is(x, context, "renamed_from"))
    return OF_FORMER;
  if ((is_declaration && key_is(x, context, "without")) ||
      (of->kind == LUA_ROLE_SYSTEM && key_is(x, context, "query")) || (of->kind == LUA_ROLE_QUERY) ||
      (of->path[0] == '\0' && key_is(x, context, "requires")))
    return OF_COMPONENT;
  if ((is_declaration && key_is(x, context, "is")) || (of->kind == LUA_ROLE_ENTITY && key_is(x, context, "assemblage")))
    return OF_ASSEMBLAGE;
  if ((of->kind == LUA_ROLE_STATES && key_is(x, context, "initial")) ||
      (of->kind == LUA_ROLE_ENTITY && key_is(x, context, "state")))
    return OF_STATE;
  if ((of->kind == LUA_ROLE_SYSTEM || of->kind == LUA_ROLE_BEHAVIOUR) &&
      (key_is(x, context, "after") || key_is(x, context, "before")))
    return OF_SYSTEM;
  bool is_path = (of->kind == LUA_ROLE_STEPS && key_is(x, context, "tween")) ||
                 (of->kind == LUA_ROLE_VALUES && key_is(x, context, "bind"));
  return is_path ? OF_PATH : 0;
}

static int get_argument_names(const finder_t *x, const lua_context_t *context) {
  static const struct {
    const char *name;
    bool is_method;
    uint32_t argument; // 0: any
    int names;
  } calls[] = {{"has", true, 1, OF_COMPONENT},
               {"add", true, 1, OF_COMPONENT},
               {"set", true, 1, OF_COMPONENT},
               {"remove", true, 1, OF_COMPONENT},
               {"disable", true, 1, OF_COMPONENT},
               {"enable", true, 1, OF_COMPONENT},
               {"enter", true, 1, OF_STATE},
               {"send", true, 1, OF_EVENT},
               {"lookup", false, 1, OF_COMPONENT},
               {"changes", false, 1, OF_COMPONENT},
               {"targets", false, 2, OF_COMPONENT},
               {"each", false, 0, OF_COMPONENT | OF_ASSEMBLAGE},
               {"count", false, 1, OF_COMPONENT | OF_ASSEMBLAGE},
               {"spawn", false, 1, OF_ASSEMBLAGE},
               {"spawn_many", false, 1, OF_ASSEMBLAGE},
               {"emit", false, 1, OF_EVENT},
               {"emit_many", false, 1, OF_EVENT},
               {"after", false, 2, OF_EVENT},
               {"system", false, 1, OF_SYSTEM},
               {"tween", false, 2, OF_PATH},
               {"who_targets", false, 2, OF_PATH}};
  bool is_method = context->callee > 0 && is_word(x, context->callee - 1, ":");
  bool of_world =
      context->callee > 1 && is_word(x, context->callee - 1, ".") && is_word(x, context->callee - 2, "world");
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (is_word(x, context->callee, calls[i].name) && (calls[i].is_method ? is_method : of_world) &&
        (calls[i].argument == 0 || calls[i].argument == context->argument))
      return calls[i].names;
  return 0;
}

// Returns true if the token at i is compared with the result of a call e:METHOD(), which may precede or follow the
// token.
static bool is_compared_with(const finder_t *x, uint32_t i, const char *method) {
  bool before = i >= 5 && (is_word(x, i - 1, "==") || is_word(x, i - 1, "~=")) && is_word(x, i - 2, ")") &&
                is_word(x, i - 3, "(") && is_word(x, i - 4, method) && is_word(x, i - 5, ":");
  if (before || (!is_word(x, i + 1, "==") && !is_word(x, i + 1, "~=")))
    return before;
  uint32_t end = lua_tokens_skip_expression(x->lua, i + 2);
  return end >= 4 && is_word(x, end - 1, ")") && is_word(x, end - 3, method) && is_word(x, end - 4, ":");
}

// Returns the kinds of names that the string at token i can contain; 0 if unknown.
static int get_string_names(const finder_t *x, uint32_t i) {
  lua_context_t context = lua_roles_find_context(x->roles, i);
  if (is_compared_with(x, i, "state"))
    return OF_STATE;
  if (is_compared_with(x, i, "assemblage"))
    return OF_ASSEMBLAGE;
  if (context.kind == LUA_CONTEXT_ARGUMENT &&
      (lua_roles_find_role_at(x->roles, &context).kind != LUA_ROLE_QUERY || is_word(x, context.callee, "each")))
    return get_argument_names(x, &context);
  if (context.kind == LUA_CONTEXT_ELEMENT) {
    lua_role_t of = lua_roles_find_table_role(x->roles, context.table);
    return context.key ? get_member_names(x, &of, &context) : get_list_names(of.kind);
  }
  return context.kind == LUA_CONTEXT_LOCAL ? get_list_names(lua_roles_find_role_at(x->roles, &context).kind) : 0;
}

static verdict_t judge_equal_string(const finder_t *x, uint32_t i, int names) {
  const lua_name_t *n = x->name;
  static const int kinds[] = {[LUA_NAME_COMPONENT] = OF_COMPONENT,
                              [LUA_NAME_ASSEMBLAGE] = OF_ASSEMBLAGE,
                              [LUA_NAME_STATE] = OF_STATE,
                              [LUA_NAME_EVENT] = OF_EVENT};
  int expected = n->kind == LUA_NAME_FIELD ? 0 : kinds[n->kind] | (n->is_system ? OF_SYSTEM : 0);
  bool is_index = i > 0 && is_word(x, i - 1, "[");
  if (names == 0 || is_index)
    return VERDICT_CHECK;
  if (n->kind == LUA_NAME_ASSEMBLAGE && names & OF_COMPONENT && x->values->is_component(x->values->context, n->name))
    return VERDICT_NONE; // world.count("wolf") counts the component
  return choose_verdict((names & expected) != 0);
}

// --- paths and other strings that contain the name

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (unsigned char)c >= 128;
}

// Returns the position of the word in a text of this length; `bytes` if the text lacks it.
static size_t find_whole_word(const char *text, size_t bytes, const char *word) {
  size_t length = strlen(word);
  for (size_t i = 0; length > 0 && i + length <= bytes; ++i)
    if (memcmp(text + i, word, length) == 0 && (i == 0 || !is_name_byte(text[i - 1])) &&
        (i + length == bytes || !is_name_byte(text[i + length])))
      return i;
  return bytes;
}

// Stores the bytes of the name in the path of a field, "bite.power" or "gun.left.heat". Returns false if the path does
// not lead to the component or the field.
static bool find_in_path(const finder_t *x, const char *text, size_t bytes, size_t *at) {
  const lua_name_t *n = x->name;
  const char *component = n->kind == LUA_NAME_FIELD ? n->component : n->name;
  size_t used = strlen(component);
  if (n->kind != LUA_NAME_COMPONENT && n->kind != LUA_NAME_FIELD)
    return false;
  if (bytes <= used || memcmp(text, component, used) != 0 || text[used] != '.')
    return false;
  *at = 0;
  if (n->kind == LUA_NAME_COMPONENT)
    return true;
  for (size_t i = used + 1, skipped = 0; skipped < 2 && i < bytes; ++skipped) { // skips the name of an instance
    size_t path = strlen(n->path), end = i + path;
    if (end <= bytes && memcmp(text + i, n->path, path) == 0 && (end == bytes || text[end] == '.')) {
      *at = end - strlen(n->name);
      return true;
    }
    const char *dot = memchr(text + i, '.', bytes - i);
    i = dot ? (size_t)(dot - text) + 1 : bytes;
  }
  return false;
}

// Returns true if the string is a part of the name that an operator joins with a value: "foe_" .. kind.
static bool is_name_part(const finder_t *x, uint32_t i, const char *text, size_t bytes) {
  const char *name = x->name->name;
  size_t length = strlen(name);
  if (bytes < 2 || bytes >= length || x->name->kind == LUA_NAME_FIELD)
    return false;
  bool begins = memcmp(text, name, bytes) == 0 && is_word(x, i + 1, "..");
  return begins || (memcmp(text, name + length - bytes, bytes) == 0 && i > 0 && is_word(x, i - 1, ".."));
}

// Returns true if the text mentions the name. A field is mentioned only together with its component, since names of
// fields such as x are too common.
static bool mentions_name(const finder_t *x, const char *text, size_t bytes, size_t *at) {
  *at = find_whole_word(text, bytes, x->name->name);
  return *at < bytes && (x->name->kind != LUA_NAME_FIELD || find_whole_word(text, bytes, x->name->component) < bytes);
}

static verdict_t judge_string(const finder_t *x, uint32_t i, lua_mention_t *out) {
  const lua_token_t *t = &x->lua->tokens.items[i];
  bool is_short = t->kind == TOKEN_STRING;
  const char *text = x->lua->text + t->at + is_short;
  size_t bytes = t->bytes - 2u * is_short, at = 0, length = strlen(x->name->name);
  bool is_equal = is_short && bytes == length && memcmp(text, x->name->name, length) == 0;
  verdict_t verdict = VERDICT_NONE;
  if (is_equal) {
    uint32_t table = find_table_of_key(x, i);
    lua_role_t of = table ? lua_roles_find_table_role(x->roles, table) : (lua_role_t){0};
    verdict = table ? judge_key(x, &of, i + 3) : judge_equal_string(x, i, get_string_names(x, i));
  } else if (is_name_part(x, i, text, bytes)) {
    verdict = VERDICT_CHECK;
    length = bytes;
  } else if (mentions_name(x, text, bytes, &at)) {
    int names = is_short ? get_string_names(x, i) : 0;
    size_t found = 0;
    bool is_path = names == OF_PATH && find_in_path(x, text, bytes, &found);
    at = is_path ? found : at;
    verdict = is_path ? VERDICT_CERTAIN : names == OF_FORMER || names == OF_PATH ? VERDICT_NONE : VERDICT_CHECK;
  }
  out->at = t->at + is_short + (uint32_t)at;
  out->end = out->at + (uint32_t)length;
  out->line = t->line;
  return verdict;
}

// --- members

static verdict_t judge_unknown_member(const finder_t *x, uint32_t i) {
  char name[LUA_ROLE_NAME];
  if (x->name->kind == LUA_NAME_COMPONENT && is_word(x, i + 1, ".")) {
    lua_roles_copy_name(x->lua, i + 2, name, sizeof name);
    if (x->values->is_field(x->values->context, x->name->name, name))
      return VERDICT_CERTAIN;
  }
  bool is_named = x->name->kind == LUA_NAME_COMPONENT || x->name->kind == LUA_NAME_FIELD;
  return is_named && !x->name->is_ambiguous ? VERDICT_CERTAIN : VERDICT_CHECK;
}

static verdict_t judge_member(const finder_t *x, uint32_t i) {
  lua_value_t base = lua_values_find_base(x->values, i);
  bool of_component = x->name->kind == LUA_NAME_COMPONENT;
  switch (base.kind) {
  case LUA_VALUE_UNKNOWN: return judge_unknown_member(x, i);
  case LUA_VALUE_PLAIN: return VERDICT_CHECK;
  case LUA_VALUE_SINGLES:
  case LUA_VALUE_VIEW:
  case LUA_VALUE_ENTITY: return choose_verdict(of_component);
  case LUA_VALUE_COLUMNS:
    if (of_component)
      return choose_verdict(strcmp(base.name, "disabled") == 0);
    return choose_verdict(x->name->kind == LUA_NAME_FIELD && is_field_at(x, base.name, base.path, x->name->name));
  default: return VERDICT_NONE;
  }
}

static verdict_t judge_name(const finder_t *x, uint32_t i) {
  uint32_t table = find_table_of_key(x, i);
  if (i > 0 && is_word(x, i - 1, "."))
    return judge_member(x, i);
  if (!table)
    return VERDICT_NONE; // a variable, a method or a label
  lua_role_t of = lua_roles_find_table_role(x->roles, table);
  return judge_key(x, &of, i + 2);
}

// --- the file

static finder_t create_finder(const lua_values_t *x, const lua_name_t *name) {
  shoal_assert(name->name[0] && (name->kind != LUA_NAME_FIELD || name->component), "the name to find is incomplete");
  return (finder_t){.values = x, .roles = x->roles, .lua = x->roles->lua, .name = name};
}

void lua_mentions_find(const lua_values_t *values, const lua_name_t *name, lua_mentions_t *out) {
  finder_t x = create_finder(values, name);
  for (uint32_t i = 0; i + 1 < x.lua->tokens.count; ++i) {
    const lua_token_t *t = &x.lua->tokens.items[i];
    lua_mention_t found = {.at = t->at, .end = t->at + t->bytes, .line = t->line};
    verdict_t verdict = VERDICT_NONE;
    if (t->kind == TOKEN_NAME && lua_roles_is_name(x.lua, i, name->name))
      verdict = judge_name(&x, i);
    else if (t->kind == TOKEN_STRING || t->kind == TOKEN_LONG_STRING)
      verdict = judge_string(&x, i, &found);
    found.is_certain = verdict == VERDICT_CERTAIN;
    if (verdict != VERDICT_NONE)
      array_push(values->roles->memory, out, found);
  }
}

bool lua_mentions_has_other_key(const lua_values_t *values, const lua_name_t *name) {
  finder_t x = create_finder(values, name);
  for (uint32_t i = 0; i + 1 < x.lua->tokens.count; ++i) {
    if (!lua_roles_is_name(x.lua, i, name->name))
      continue;
    uint32_t table = find_table_of_key(&x, i);
    bool is_plain_key = table && lua_roles_find_table_role(x.roles, table).kind == LUA_ROLE_UNKNOWN &&
                        (name->kind != LUA_NAME_COMPONENT || !is_values_table(&x, i + 2));
    bool is_plain_member = i > 0 && is_word(&x, i - 1, ".") && is_word(&x, i + 1, "=") &&
                           lua_values_find_base(values, i).kind == LUA_VALUE_PLAIN;
    bool is_function = i > 1 && is_word(&x, i - 1, ".") && is_word(&x, i + 1, "(");
    if (is_plain_key || is_plain_member || is_function)
      return true;
  }
  return false;
}
