// Determines the meaning of each token that contains the name, from the token's position in a table or call, or from
// the value whose member is read.
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

static bool is_word(const finder_t *finder, uint32_t i, const char *word) {
  return lua_tokens_match_word(finder->lua, i, word);
}

static bool key_is(const finder_t *finder, const lua_context_t *context, const char *key) {
  return context->key > 0 && lua_roles_is_name(finder->lua, context->key, key);
}

static verdict_t choose_verdict(bool is_certain) {
  return is_certain ? VERDICT_CERTAIN : VERDICT_NONE;
}

static bool is_field_at(const finder_t *finder, const char *component, const char *path, const char *name) {
  char full_path[LUA_ROLE_PATH];
  snprintf(full_path, sizeof full_path, "%s", path);
  if (name)
    lua_values_append_name(full_path, sizeof full_path, name);
  return strcmp(component, finder->name->component) == 0 && strcmp(full_path, finder->name->path) == 0;
}

// --- keys of tables

// Returns true if the value at token i is a table whose first key is a field of the component.
static bool is_values_table(const finder_t *finder, uint32_t i) {
  char field[LUA_ROLE_NAME];
  if (!is_word(finder, i, "{") || !is_word(finder, i + 2, "="))
    return false;
  lua_roles_copy_name(finder->lua, i + 1, field, sizeof field);
  return finder->values->is_field(finder->values->context, finder->name->name, field);
}

static verdict_t judge_component_key(const finder_t *finder, const lua_role_t *table_role, uint32_t value) {
  switch (table_role->kind) {
  case LUA_ROLE_DECLARATIONS:
  case LUA_ROLE_COMPONENTS:
  case LUA_ROLE_CHILD: return VERDICT_CERTAIN;
  case LUA_ROLE_OVERRIDES: return choose_verdict(strcmp(finder->name->name, "children") != 0);
  case LUA_ROLE_VALUES: return choose_verdict(strcmp(table_role->name, "disabled") == 0);
  case LUA_ROLE_UNKNOWN:
    return is_values_table(finder, value) && !finder->name->is_ambiguous ? VERDICT_CERTAIN : VERDICT_CHECK;
  default: return VERDICT_NONE;
  }
}

// Determines whether a key of a table with this role is a mention. `value`: the first token of the key's
// value.
static verdict_t judge_key(const finder_t *finder, const lua_role_t *table_role, uint32_t value) {
  const lua_name_t *name = finder->name;
  bool is_unknown = table_role->kind == LUA_ROLE_UNKNOWN;
  switch (name->kind) {
  case LUA_NAME_COMPONENT: return judge_component_key(finder, table_role, value);
  case LUA_NAME_FIELD:
    if (table_role->kind == LUA_ROLE_DECLARED || table_role->kind == LUA_ROLE_VALUES)
      return choose_verdict(is_field_at(finder, table_role->name, table_role->path, name->name));
    break;
  case LUA_NAME_ASSEMBLAGE:
    return is_unknown ? VERDICT_CHECK : choose_verdict(table_role->kind == LUA_ROLE_ASSEMBLAGES);
  case LUA_NAME_STATE: return is_unknown ? VERDICT_CHECK : choose_verdict(table_role->kind == LUA_ROLE_STATES);
  case LUA_NAME_EVENT:
    return is_unknown ? VERDICT_CHECK
                      : choose_verdict(table_role->kind == LUA_ROLE_EVENTS || table_role->kind == LUA_ROLE_HANDLERS);
  }
  return is_unknown ? VERDICT_CHECK : VERDICT_NONE;
}

// Returns the token "{" of the table in which token i is a key; 0 if token i is not a key. Keys are `name =` and
// ["name"] =.
static uint32_t find_table_of_key(const finder_t *finder, uint32_t i) {
  bool is_string = finder->lua->tokens.items[i].kind == TOKEN_STRING;
  uint32_t key_start = i - is_string, next_token = i + 1 + is_string, parent = finder->roles->parent.items[key_start];
  bool has_brackets = !is_string || (i > 0 && is_word(finder, i - 1, "[") && is_word(finder, i + 1, "]"));
  bool begins = key_start > 0 &&
                (key_start - 1 == parent || is_word(finder, key_start - 1, ",") || is_word(finder, key_start - 1, ";"));
  return has_brackets && begins && is_word(finder, next_token, "=") && is_word(finder, parent, "{") ? parent : 0;
}

// --- strings

// Bits of the kinds of names that a list, member, argument or string can contain.
enum {
  NAMES_COMPONENT = 1,
  NAMES_ASSEMBLAGE = 2,
  NAMES_STATE = 4,
  NAMES_EVENT = 8,
  NAMES_SYSTEM = 16,
  NAMES_PATH = 32,
  NAMES_FORMER = 64
};

static int get_list_name_kinds(lua_role_kind_t kind) {
  switch (kind) {
  case LUA_ROLE_NAMES:
  case LUA_ROLE_QUERY: return NAMES_COMPONENT;
  case LUA_ROLE_PARENTS: return NAMES_ASSEMBLAGE;
  case LUA_ROLE_SYSTEMS: return NAMES_SYSTEM;
  case LUA_ROLE_FORMER_NAMES: return NAMES_FORMER;
  default: return 0;
  }
}

// Returns the kinds of names that a string can contain as the value of `context`'s key.
static int get_member_name_kinds(const finder_t *finder, const lua_role_t *table_role, const lua_context_t *context) {
  bool is_declaration = table_role->kind == LUA_ROLE_ASSEMBLAGE || table_role->kind == LUA_ROLE_CHILD;
  if (table_role->kind == LUA_ROLE_FORMER_NAMES || key_is(finder, context, "renamed_from"))
    return NAMES_FORMER;
  if ((is_declaration && key_is(finder, context, "without")) ||
      (table_role->kind == LUA_ROLE_SYSTEM && key_is(finder, context, "query")) ||
      (table_role->kind == LUA_ROLE_QUERY) || (table_role->path[0] == '\0' && key_is(finder, context, "requires")))
    return NAMES_COMPONENT;
  if ((is_declaration && key_is(finder, context, "is")) ||
      (table_role->kind == LUA_ROLE_ENTITY && key_is(finder, context, "assemblage")))
    return NAMES_ASSEMBLAGE;
  if ((table_role->kind == LUA_ROLE_STATES && key_is(finder, context, "initial")) ||
      (table_role->kind == LUA_ROLE_ENTITY && key_is(finder, context, "state")))
    return NAMES_STATE;
  if ((table_role->kind == LUA_ROLE_SYSTEM || table_role->kind == LUA_ROLE_BEHAVIOUR) &&
      (key_is(finder, context, "after") || key_is(finder, context, "before")))
    return NAMES_SYSTEM;
  bool is_path = (table_role->kind == LUA_ROLE_STEPS && key_is(finder, context, "tween")) ||
                 (table_role->kind == LUA_ROLE_VALUES && key_is(finder, context, "bind"));
  return is_path ? NAMES_PATH : 0;
}

static int get_argument_name_kinds(const finder_t *finder, const lua_context_t *context) {
  static const struct {
    const char *name;
    bool is_method;
    uint32_t argument; // number of the argument; 0: any argument
    int name_kinds;
  } calls[] = {{"has", true, 1, NAMES_COMPONENT},
               {"add", true, 1, NAMES_COMPONENT},
               {"set", true, 1, NAMES_COMPONENT},
               {"remove", true, 1, NAMES_COMPONENT},
               {"disable", true, 1, NAMES_COMPONENT},
               {"enable", true, 1, NAMES_COMPONENT},
               {"enter", true, 1, NAMES_STATE},
               {"send", true, 1, NAMES_EVENT},
               {"lookup", false, 1, NAMES_COMPONENT},
               {"changes", false, 1, NAMES_COMPONENT},
               {"targets", false, 2, NAMES_COMPONENT},
               {"each", false, 0, NAMES_COMPONENT | NAMES_ASSEMBLAGE},
               {"count", false, 1, NAMES_COMPONENT | NAMES_ASSEMBLAGE},
               {"spawn", false, 1, NAMES_ASSEMBLAGE},
               {"spawn_many", false, 1, NAMES_ASSEMBLAGE},
               {"emit", false, 1, NAMES_EVENT},
               {"emit_many", false, 1, NAMES_EVENT},
               {"after", false, 2, NAMES_EVENT},
               {"system", false, 1, NAMES_SYSTEM},
               {"tween", false, 2, NAMES_PATH},
               {"who_targets", false, 2, NAMES_PATH}};
  bool is_method = context->callee > 0 && is_word(finder, context->callee - 1, ":");
  bool is_world_call =
      context->callee > 1 && is_word(finder, context->callee - 1, ".") && is_word(finder, context->callee - 2, "world");
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (is_word(finder, context->callee, calls[i].name) && (calls[i].is_method ? is_method : is_world_call) &&
        (calls[i].argument == 0 || calls[i].argument == context->argument))
      return calls[i].name_kinds;
  return 0;
}

// Returns true if the token at i is compared with the result of a call e:METHOD(), which may precede or follow the
// token.
static bool is_compared_with(const finder_t *finder, uint32_t i, const char *method) {
  bool precedes = i >= 5 && (is_word(finder, i - 1, "==") || is_word(finder, i - 1, "~=")) &&
                  is_word(finder, i - 2, ")") && is_word(finder, i - 3, "(") && is_word(finder, i - 4, method) &&
                  is_word(finder, i - 5, ":");
  if (precedes || (!is_word(finder, i + 1, "==") && !is_word(finder, i + 1, "~=")))
    return precedes;
  uint32_t end = lua_tokens_skip_expression(finder->lua, i + 2);
  return end >= 4 && is_word(finder, end - 1, ")") && is_word(finder, end - 3, method) && is_word(finder, end - 4, ":");
}

// Returns the kinds of names that the string at token i can contain; 0 if unknown.
static int get_string_name_kinds(const finder_t *finder, uint32_t i) {
  lua_context_t context = lua_roles_find_context(finder->roles, i);
  if (is_compared_with(finder, i, "state"))
    return NAMES_STATE;
  if (is_compared_with(finder, i, "assemblage"))
    return NAMES_ASSEMBLAGE;
  if (context.kind == LUA_CONTEXT_ARGUMENT && (lua_roles_find_role_at(finder->roles, &context).kind != LUA_ROLE_QUERY ||
                                               is_word(finder, context.callee, "each")))
    return get_argument_name_kinds(finder, &context);
  if (context.kind == LUA_CONTEXT_ELEMENT) {
    lua_role_t table_role = lua_roles_find_table_role(finder->roles, context.table);
    return context.key ? get_member_name_kinds(finder, &table_role, &context) : get_list_name_kinds(table_role.kind);
  }
  return context.kind == LUA_CONTEXT_LOCAL ? get_list_name_kinds(lua_roles_find_role_at(finder->roles, &context).kind)
                                           : 0;
}

static verdict_t judge_equal_string(const finder_t *finder, uint32_t i, int name_kinds) {
  const lua_name_t *name = finder->name;
  static const int kinds_by_name[] = {[LUA_NAME_COMPONENT] = NAMES_COMPONENT,
                                      [LUA_NAME_ASSEMBLAGE] = NAMES_ASSEMBLAGE,
                                      [LUA_NAME_STATE] = NAMES_STATE,
                                      [LUA_NAME_EVENT] = NAMES_EVENT};
  int expected = name->kind == LUA_NAME_FIELD ? 0 : kinds_by_name[name->kind] | (name->is_system ? NAMES_SYSTEM : 0);
  bool is_index = i > 0 && is_word(finder, i - 1, "[");
  if (name_kinds == 0 || is_index)
    return VERDICT_CHECK;
  if (name->kind == LUA_NAME_ASSEMBLAGE && name_kinds & NAMES_COMPONENT &&
      finder->values->is_component(finder->values->context, name->name))
    return VERDICT_NONE; // world.count("wolf") counts the component
  return choose_verdict((name_kinds & expected) != 0);
}

// --- paths and strings that contain the name

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (unsigned char)c >= 128;
}

// Returns the position of the word in text of this length; `bytes` if the text lacks it.
static size_t find_whole_word(const char *text, size_t bytes, const char *word) {
  size_t length = strlen(word);
  for (size_t i = 0; length > 0 && i + length <= bytes; ++i)
    if (memcmp(text + i, word, length) == 0 && (i == 0 || !is_name_byte(text[i - 1])) &&
        (i + length == bytes || !is_name_byte(text[i + length])))
      return i;
  return bytes;
}

// Stores the offset of the name in the path of a field, "bite.power" or "gun.left.heat". Returns true on success, or
// false if the path does not lead to the component or the field.
static bool find_in_path(const finder_t *finder, const char *text, size_t bytes, size_t *offset) {
  const lua_name_t *name = finder->name;
  const char *component = name->kind == LUA_NAME_FIELD ? name->component : name->name;
  size_t component_bytes = strlen(component);
  if (name->kind != LUA_NAME_COMPONENT && name->kind != LUA_NAME_FIELD)
    return false;
  if (bytes <= component_bytes || memcmp(text, component, component_bytes) != 0 || text[component_bytes] != '.')
    return false;
  *offset = 0;
  if (name->kind == LUA_NAME_COMPONENT)
    return true;
  // The path follows the component or the name of an instance.
  for (size_t start = component_bytes + 1, skipped = 0; skipped < 2 && start < bytes; ++skipped) {
    size_t path_bytes = strlen(name->path), end = start + path_bytes;
    if (end <= bytes && memcmp(text + start, name->path, path_bytes) == 0 && (end == bytes || text[end] == '.')) {
      *offset = end - strlen(name->name);
      return true;
    }
    const char *dot = memchr(text + start, '.', bytes - start);
    start = dot ? (size_t)(dot - text) + 1 : bytes;
  }
  return false;
}

// Returns true if the string is a part of the name that an operator joins with a value: "foe_" .. kind.
static bool is_name_part(const finder_t *finder, uint32_t i, const char *text, size_t bytes) {
  const char *name = finder->name->name;
  size_t length = strlen(name);
  if (bytes < 2 || bytes >= length || finder->name->kind == LUA_NAME_FIELD)
    return false;
  bool is_prefix = memcmp(text, name, bytes) == 0 && is_word(finder, i + 1, "..");
  return is_prefix || (memcmp(text, name + length - bytes, bytes) == 0 && i > 0 && is_word(finder, i - 1, ".."));
}

// Returns true if the text mentions the name. A field is mentioned only together with its component, since names of
// fields such as x are too common.
static bool mentions_name(const finder_t *finder, const char *text, size_t bytes, size_t *offset) {
  *offset = find_whole_word(text, bytes, finder->name->name);
  return *offset < bytes &&
         (finder->name->kind != LUA_NAME_FIELD || find_whole_word(text, bytes, finder->name->component) < bytes);
}

static verdict_t judge_string(const finder_t *finder, uint32_t i, lua_mention_t *out) {
  const lua_token_t *token = &finder->lua->tokens.items[i];
  bool is_short = token->kind == TOKEN_STRING;
  const char *text = finder->lua->text + token->at + is_short;
  size_t bytes = token->bytes - 2u * is_short, offset = 0, length = strlen(finder->name->name);
  bool is_equal = is_short && bytes == length && memcmp(text, finder->name->name, length) == 0;
  verdict_t verdict = VERDICT_NONE;
  if (is_equal) {
    uint32_t table = find_table_of_key(finder, i);
    lua_role_t table_role = table ? lua_roles_find_table_role(finder->roles, table) : (lua_role_t){0};
    verdict =
        table ? judge_key(finder, &table_role, i + 3) : judge_equal_string(finder, i, get_string_name_kinds(finder, i));
  } else if (is_name_part(finder, i, text, bytes)) {
    verdict = VERDICT_CHECK;
    length = bytes;
  } else if (mentions_name(finder, text, bytes, &offset)) {
    int name_kinds = is_short ? get_string_name_kinds(finder, i) : 0;
    size_t path_offset = 0;
    bool is_path = name_kinds == NAMES_PATH && find_in_path(finder, text, bytes, &path_offset);
    offset = is_path ? path_offset : offset;
    verdict = is_path                                                  ? VERDICT_CERTAIN
              : name_kinds == NAMES_FORMER || name_kinds == NAMES_PATH ? VERDICT_NONE
                                                                       : VERDICT_CHECK;
  }
  out->at = token->at + is_short + (uint32_t)offset;
  out->end = out->at + (uint32_t)length;
  out->line = token->line;
  return verdict;
}

// --- members

static verdict_t judge_unknown_member(const finder_t *finder, uint32_t i) {
  char name[LUA_ROLE_NAME];
  if (finder->name->kind == LUA_NAME_COMPONENT && is_word(finder, i + 1, ".")) {
    lua_roles_copy_name(finder->lua, i + 2, name, sizeof name);
    if (finder->values->is_field(finder->values->context, finder->name->name, name))
      return VERDICT_CERTAIN;
  }
  bool is_named = finder->name->kind == LUA_NAME_COMPONENT || finder->name->kind == LUA_NAME_FIELD;
  return is_named && !finder->name->is_ambiguous ? VERDICT_CERTAIN : VERDICT_CHECK;
}

static verdict_t judge_member(const finder_t *finder, uint32_t i) {
  lua_value_t base = lua_values_find_base(finder->values, i);
  bool is_component = finder->name->kind == LUA_NAME_COMPONENT;
  switch (base.kind) {
  case LUA_VALUE_UNKNOWN: return judge_unknown_member(finder, i);
  case LUA_VALUE_PLAIN: return VERDICT_CHECK;
  case LUA_VALUE_SINGLES:
  case LUA_VALUE_VIEW:
  case LUA_VALUE_ENTITY: return choose_verdict(is_component);
  case LUA_VALUE_COLUMNS:
    if (is_component)
      return choose_verdict(strcmp(base.name, "disabled") == 0);
    return choose_verdict(finder->name->kind == LUA_NAME_FIELD &&
                          is_field_at(finder, base.name, base.path, finder->name->name));
  default: return VERDICT_NONE;
  }
}

static verdict_t judge_name(const finder_t *finder, uint32_t i) {
  uint32_t table = find_table_of_key(finder, i);
  if (i > 0 && is_word(finder, i - 1, "."))
    return judge_member(finder, i);
  if (!table)
    return VERDICT_NONE; // a variable, a method or a label
  lua_role_t table_role = lua_roles_find_table_role(finder->roles, table);
  return judge_key(finder, &table_role, i + 2);
}

// --- the file

static finder_t create_finder(const lua_values_t *values, const lua_name_t *name) {
  shoal_assert(name->name[0] && (name->kind != LUA_NAME_FIELD || name->component), "the name to find is incomplete");
  return (finder_t){.values = values, .roles = values->roles, .lua = values->roles->lua, .name = name};
}

void lua_mentions_find(const lua_values_t *values, const lua_name_t *name, lua_mentions_t *out) {
  finder_t finder = create_finder(values, name);
  for (uint32_t i = 0; i + 1 < finder.lua->tokens.count; ++i) {
    const lua_token_t *token = &finder.lua->tokens.items[i];
    lua_mention_t mention = {.at = token->at, .end = token->at + token->bytes, .line = token->line};
    verdict_t verdict = VERDICT_NONE;
    if (token->kind == TOKEN_NAME && lua_roles_is_name(finder.lua, i, name->name))
      verdict = judge_name(&finder, i);
    else if (token->kind == TOKEN_STRING || token->kind == TOKEN_LONG_STRING)
      verdict = judge_string(&finder, i, &mention);
    mention.is_certain = verdict == VERDICT_CERTAIN;
    if (verdict != VERDICT_NONE)
      array_push(values->roles->memory, out, mention);
  }
}

bool lua_mentions_has_other_key(const lua_values_t *values, const lua_name_t *name) {
  finder_t finder = create_finder(values, name);
  for (uint32_t i = 0; i + 1 < finder.lua->tokens.count; ++i) {
    if (!lua_roles_is_name(finder.lua, i, name->name))
      continue;
    uint32_t table = find_table_of_key(&finder, i);
    bool is_plain_key = table && lua_roles_find_table_role(finder.roles, table).kind == LUA_ROLE_UNKNOWN &&
                        (name->kind != LUA_NAME_COMPONENT || !is_values_table(&finder, i + 2));
    bool is_plain_member = i > 0 && is_word(&finder, i - 1, ".") && is_word(&finder, i + 1, "=") &&
                           lua_values_find_base(values, i).kind == LUA_VALUE_PLAIN;
    bool is_function = i > 1 && is_word(&finder, i - 1, ".") && is_word(&finder, i + 1, "(");
    if (is_plain_key || is_plain_member || is_function)
      return true;
  }
  return false;
}
