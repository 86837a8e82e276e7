// Resolves names in source text to the expressions they stand for, through locals, `require` and tables. Records the
// first expression whose value is known only at run time, so that the caller can report it.
#include "luajit/literal.h"

#include "base/assert.h"
#include "base/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (4u << 20)
#define MAX_STEPS 24 // maximum number of locals and files followed to resolve a name
#define MAX_DEPTH 16 // maximum depth of inheritance

static const literal_span_t NOT_FOUND;

void literal_search_begin(literal_search_t *search, allocator_t *memory, const char *folder) {
  shoal_assert(memory && path_is_absolute(folder), "memory must not be NULL, and folder must be absolute, got '%s'",
               folder);
  *search = (literal_search_t){.memory = memory, .folder = folder};
}

void literal_search_end(literal_search_t *search) {
  for (uint32_t i = 0; i < search->file_count; ++i) {
    lua_tokens_fini(&search->files[i]->lua, search->memory);
    file_free(search->memory, search->files[i]->text, search->files[i]->bytes);
    alloc_resize(search->memory, search->files[i], sizeof **search->files, 0);
  }
  search->file_count = 0;
}

// --- files

static literal_file_t *load_file(literal_search_t *search, const char *name) {
  char path[LITERAL_PATH];
  for (uint32_t i = 0; i < search->file_count; ++i)
    if (strcmp(search->files[i]->name, name) == 0)
      return search->files[i];
  if (search->file_count == LITERAL_MAX_FILES || strlen(name) >= sizeof search->files[0]->name)
    return NULL;
  literal_file_t *file = alloc_resize(search->memory, NULL, 0, sizeof *file);
  memset(file, 0, sizeof *file);
  snprintf(file->name, sizeof file->name, "%s", name);
  file->text = search->read ? search->read(search->context, search->memory, name, &file->bytes)
                            : file_read_limited(search->memory, path_join(path, sizeof path, search->folder, name),
                                                MAX_BYTES, &file->bytes, NULL);
  if (!file->text || !lua_tokens_read(&file->lua, search->memory, file->text, file->bytes, NULL)) {
    lua_tokens_fini(&file->lua, search->memory);
    file_free(search->memory, file->text, file->bytes);
    alloc_resize(search->memory, file, sizeof *file, 0);
    return NULL;
  }
  return search->files[search->file_count++] = file;
}

static bool token_is(literal_span_t span, uint32_t i, const char *word) {
  return lua_tokens_match_word(&span.file->lua, i, word);
}

static const lua_token_t *token_at(literal_span_t span, uint32_t i) {
  shoal_assert(span.file && i < span.file->lua.tokens.count, "token %u is out of range (count %u)", i,
               span.file ? span.file->lua.tokens.count : 0);
  return &span.file->lua.tokens.items[i];
}

static literal_span_t parse_value(literal_file_t *file, uint32_t i) {
  shoal_assert(i < file->lua.tokens.count, "token %u of %s is out of range (count %u)", i, file->name,
               file->lua.tokens.count);
  uint32_t end = lua_tokens_skip_expression(&file->lua, i);
  return end > i ? (literal_span_t){file, i, end} : NOT_FOUND;
}

static bool is_table_constructor(literal_span_t span) {
  return span.file && token_is(span, span.first, "{") &&
         lua_tokens_skip_bracket(&span.file->lua, span.first) == span.last;
}

uint32_t literal_line(literal_span_t span) {
  return token_at(span, span.first)->line;
}

void literal_copy_text(literal_span_t span, char *out, size_t bytes) {
  uint32_t start = token_at(span, span.first)->at,
           end = token_at(span, span.last - 1)->at + token_at(span, span.last - 1)->bytes;
  int count = (int)(end - start < 60 ? end - start : 60);
  snprintf(out, bytes, "%.*s%s", count, span.file->text + start, end - start > 60 ? "…" : "");
  for (char *cursor = out; *cursor; ++cursor)
    *cursor = *cursor == '\n' || *cursor == '\t' ? ' ' : *cursor;
}

bool literal_is_plain(literal_span_t span) {
  uint32_t value_token = span.first + (span.file && token_is(span, span.first, "-"));
  if (!span.file || value_token + 1 != span.last)
    return false;
  lua_token_kind_t kind = token_at(span, value_token)->kind;
  return kind == TOKEN_NUMBER ||
         (value_token == span.first && (kind == TOKEN_STRING || kind == TOKEN_LONG_STRING ||
                                        token_is(span, value_token, "true") || token_is(span, value_token, "false")));
}

// --- names

static literal_span_t find_return_value(literal_file_t *file) {
  uint32_t value_token = file ? lua_tokens_find_return_value(&file->lua) : 0;
  return value_token > 0 ? parse_value(file, value_token) : NOT_FOUND;
}

// Returns the value of the variable `name` in the statement that begins at i: local a, b = 1, 2.
static literal_span_t find_local_value(literal_file_t *file, uint32_t i, const lua_token_t *name) {
  uint32_t index = 0, match = UINT32_MAX;
  for (++i; file->lua.tokens.items[i].kind == TOKEN_NAME; i += 2, ++index) {
    const lua_token_t *token = &file->lua.tokens.items[i];
    if (token->bytes == name->bytes && memcmp(file->text + token->at, file->text + name->at, token->bytes) == 0)
      match = index;
    if (!lua_tokens_match_word(&file->lua, i + 1, ","))
      break;
  }
  if (match == UINT32_MAX || !lua_tokens_match_word(&file->lua, i + 1, "="))
    return NOT_FOUND;
  literal_span_t value = parse_value(file, i + 2);
  for (; value.file && match > 0; --match)
    value = lua_tokens_match_word(&file->lua, value.last, ",") ? parse_value(file, value.last + 1) : NOT_FOUND;
  return value;
}

static literal_span_t find_local(literal_span_t span) {
  const lua_token_t *name = token_at(span, span.first);
  literal_span_t last_value = NOT_FOUND;
  for (uint32_t i = 0; i < span.first; ++i)
    if (span.file->lua.tokens.items[i].depth == 0 && token_is(span, i, "local") && !token_is(span, i + 1, "function")) {
      literal_span_t value = find_local_value(span.file, i, name);
      last_value = value.file ? value : last_value;
    }
  return last_value;
}

// Loads the file named by a call to `require`, such as require "lib.looks". Returns the file, or NULL if the expression
// is not such a call or the file cannot be loaded.
static literal_file_t *find_required(literal_search_t *search, literal_span_t span) {
  char name[128] = "";
  uint32_t argument = span.first + 1 + token_is(span, span.first + 1, "(");
  const lua_token_t *token = token_at(span, argument);
  if (!token_is(span, span.first, "require") || token->kind != TOKEN_STRING || token->bytes + 4 >= sizeof name ||
      span.last != argument + 1 + (argument > span.first + 1))
    return NULL;
  for (uint32_t i = 1; i + 1 < token->bytes; ++i)
    name[i - 1] = (char)(span.file->text[token->at + i] == '.' ? '/' : span.file->text[token->at + i]);
  strcat(name, ".lua");
  return path_is_rooted(name) || strstr(name, "//") ? NULL : load_file(search, name);
}

static literal_span_t find_member(literal_search_t *x, literal_span_t s, const char *key, size_t bytes, int depth);

// Returns the expression that the names stand for, as far as the text allows: tuning.rocks, hull.
static literal_span_t resolve_names(literal_search_t *search, literal_span_t span, int depth) {
  for (; span.file && depth < MAX_STEPS; ++depth) {
    literal_file_t *required = find_required(search, span);
    if (required) {
      literal_span_t value = find_return_value(required);
      if (!value.file)
        return span;
      span = value;
      continue;
    }
    if (token_at(span, span.first)->kind != TOKEN_NAME || token_is(span, span.first, "function") ||
        literal_is_plain(span))
      return span;
    literal_span_t base = find_local(span);
    uint32_t i = span.first + 1;
    for (; base.file && i + 1 < span.last && token_is(span, i, "."); i += 2)
      base = find_member(search, base, span.file->text + token_at(span, i + 1)->at, token_at(span, i + 1)->bytes,
                         depth + 1);
    if (!base.file || i != span.last)
      return span;
    span = base;
  }
  return span;
}

static void record_calculated(literal_search_t *search, literal_span_t span) {
  if (!search->calculated.file && span.file)
    search->calculated = span;
}

static bool is_key_token(literal_span_t span, uint32_t i, const char *key, size_t bytes) {
  const lua_token_t *token = token_at(span, i);
  uint32_t quotes = token->kind == TOKEN_STRING;
  return (quotes || token->kind == TOKEN_NAME) && token->bytes == bytes + 2 * quotes &&
         memcmp(span.file->text + token->at + quotes, key, bytes) == 0;
}

// Returns the value of a key in a table constructor; if `key` is NULL, the `number`-th positional value (from 1).
static literal_span_t find_entry(literal_span_t span, const char *key, size_t bytes, uint32_t number) {
  literal_span_t found = NOT_FOUND;
  lua_entry_t entry;
  shoal_assert(span.last > span.first + 1, "a table must have at least 2 tokens, got %u", span.last - span.first);
  for (uint32_t i = span.first + 1; (i = lua_tokens_read_entry(&span.file->lua, i, &entry)) > 0;) {
    bool matches =
        key ? entry.name > 0 && is_key_token(span, entry.name, key, bytes) : entry.name == 0 && --number == 0;
    found = matches ? (literal_span_t){span.file, entry.value, entry.last} : found;
  }
  return found;
}

// Returns the value last assigned to the field `key` of the local that `span` names: M.ship = { … }.
static literal_span_t find_assignment(literal_span_t span, const char *key, size_t bytes) {
  literal_span_t value = NOT_FOUND;
  if (span.last != span.first + 1 || token_at(span, span.first)->kind != TOKEN_NAME)
    return value;
  const lua_token_t *name = token_at(span, span.first);
  for (uint32_t i = 0; i + 4 < span.file->lua.tokens.count; ++i) {
    const lua_token_t *token = token_at(span, i);
    if (token->depth == 0 && token->kind == TOKEN_NAME && token->bytes == name->bytes &&
        memcmp(span.file->text + token->at, span.file->text + name->at, token->bytes) == 0 &&
        token_is(span, i + 1, ".") && is_key_token(span, i + 2, key, bytes) && token_is(span, i + 3, "="))
      value = parse_value(span.file, i + 4);
  }
  return value;
}

static literal_span_t find_member(literal_search_t *search, literal_span_t span, const char *key, size_t bytes,
                                  int depth) {
  if (!span.file || depth >= MAX_STEPS)
    return NOT_FOUND;
  literal_span_t value = find_assignment(span, key, bytes);
  if (value.file)
    return value;
  span = resolve_names(search, span, depth + 1);
  if (is_table_constructor(span))
    return find_entry(span, key, bytes, 0);
  record_calculated(search, span);
  return NOT_FOUND;
}

static literal_span_t find_named_member(literal_search_t *search, literal_span_t span, const char *key) {
  return find_member(search, span, key, strlen(key), 0);
}

literal_file_t *literal_open_file(literal_search_t *search, const char *name) {
  return load_file(search, name);
}

literal_span_t literal_find_return_value(literal_search_t *search, const char *name) {
  return find_return_value(load_file(search, name));
}

literal_span_t literal_resolve(literal_search_t *search, literal_span_t span) {
  return resolve_names(search, span, 0);
}

literal_span_t literal_find_value(literal_search_t *search, literal_span_t span, const char *key) {
  return find_named_member(search, span, key);
}

// --- vectors

static int parse_vector_axis(const char *field, size_t *base_bytes) {
  const char *dot = strrchr(field, '.'), *axes = "xyzw";
  const char *axis = dot && dot[1] && !dot[2] ? strchr(axes, dot[1]) : NULL;
  *base_bytes = axis ? (size_t)(dot - field) : strlen(field);
  return axis ? (int)(axis - axes) : -1;
}

// Returns the argument with this number, from 1, of a call: f(a, b), T { … }. Its `file` is NULL if the call lacks the
// argument.
static literal_span_t find_argument(literal_span_t span, uint32_t number) {
  uint32_t i = span.first;
  while (i + 2 < span.last && token_at(span, i)->kind == TOKEN_NAME && token_is(span, i + 1, "."))
    i += 2;
  if (i + 1 >= span.last || token_at(span, i)->kind != TOKEN_NAME ||
      lua_tokens_skip_bracket(&span.file->lua, i + 1) != span.last)
    return NOT_FOUND;
  if (token_is(span, i + 1, "("))
    return find_entry((literal_span_t){span.file, i + 1, span.last}, NULL, 0, number);
  return token_is(span, i + 1, "{") && number == 1 ? (literal_span_t){span.file, i + 1, span.last} : NOT_FOUND;
}

// Returns true if the last name of an expression or a called function is one of `names`: "f32" in t.f32(1).
static bool is_call_of_any(literal_span_t span, const char *const *names) {
  uint32_t i = span.first;
  if (!span.file || token_at(span, i)->kind != TOKEN_NAME)
    return false;
  while (i + 2 < span.last && token_is(span, i + 1, "."))
    i += 2;
  for (; *names; ++names)
    if (token_is(span, i, *names))
      return true;
  return false;
}

static const char *const VECTORS[] = {"vec2", "vec3", "vec4", "quat", NULL};

static literal_span_t find_vector_component(literal_search_t *search, literal_span_t span, int axis) {
  static const char *const letters[] = {"x", "y", "z", "w"};
  span = resolve_names(search, span, 0);
  if (is_call_of_any(span, VECTORS)) {
    literal_span_t argument = find_argument(span, 1);
    if (!is_table_constructor(argument))
      return find_argument(span, (uint32_t)axis + 1);
    span = argument;
  }
  if (is_table_constructor(span)) {
    literal_span_t found = find_entry(span, letters[axis], 1, 0);
    return found.file ? found : find_entry(span, NULL, 0, (uint32_t)axis + 1);
  }
  return span;
}

// Finds the value of a field in the table of a component. `bytes`: length of `path`, which may lead through records.
// `notes_table`: true to store the table of the innermost record in search->table.
static literal_span_t find_field(literal_search_t *search, literal_span_t span, const char *path, size_t bytes,
                                 bool notes_table) {
  const char *end = path + bytes;
  for (const char *cursor = path, *dot; span.file; cursor = dot + 1) {
    dot = memchr(cursor, '.', (size_t)(end - cursor));
    span = find_member(search, span, cursor, (size_t)((dot ? dot : end) - cursor), 0);
    if (!dot)
      return span;
    span = span.file ? resolve_names(search, span, 0) : NOT_FOUND;
    if (notes_table && is_table_constructor(span)) {
      search->table = span;
      search->table_bytes = (uint32_t)(dot + 1 - path);
    }
  }
  return NOT_FOUND;
}

// --- assemblages

static bool is_single_value(literal_span_t span) {
  return span.file && !is_table_constructor(span) && literal_is_plain(span);
}

static literal_span_t find_component_value(literal_search_t *search, literal_span_t components,
                                           const literal_query_t *query) {
  size_t base_bytes = 0;
  int axis = parse_vector_axis(query->field, &base_bytes);
  literal_span_t span =
      components.file ? resolve_names(search, find_named_member(search, components, query->component), 0) : NOT_FOUND;
  if (!span.file || is_single_value(span))
    return span;
  if (query->is_many && query->instance[0])
    span = resolve_names(search, find_named_member(search, span, query->instance), 0);
  bool notes_table = is_table_constructor(span) && !search->table.file;
  if (notes_table)
    search->table = span;
  span = span.file ? find_field(search, span, query->field, base_bytes, notes_table) : NOT_FOUND;
  return span.file && axis >= 0 ? find_vector_component(search, span, axis) : resolve_names(search, span, 0);
}

static literal_span_t find_declaration(literal_search_t *search, const char *name, size_t bytes) {
  char folder[LITERAL_PATH], file[128];
  file_list_t list;
  literal_span_t span = find_return_value(load_file(search, "assemblages.lua"));
  span = span.file ? find_member(search, span, name, bytes, 0) : NOT_FOUND;
  if (span.file ||
      !file_list(search->memory, path_join(folder, sizeof folder, search->folder, "assemblages"), ".lua", &list, NULL))
    return span;
  for (uint32_t i = 0; i < list.count && !span.file; ++i) {
    snprintf(file, sizeof file, "assemblages/%s", list.paths[i]);
    span = find_return_value(load_file(search, file));
    span = span.file ? find_member(search, span, name, bytes, 0) : NOT_FOUND;
  }
  file_list_free(search->memory, &list);
  return span;
}

static literal_span_t find_declared_value(literal_search_t *x, literal_span_t s, const char *path_left,
                                          const literal_query_t *query, int depth);

// Returns the value in the assemblages that the declaration inherits from; the last assemblage that sets the value
// takes precedence. The value's `file` is NULL if no assemblage sets it.
static literal_span_t find_inherited_value(literal_search_t *search, literal_span_t span, const char *child_path,
                                           const literal_query_t *query, int depth) {
  literal_span_t found = NOT_FOUND, list = resolve_names(search, find_named_member(search, span, "is"), 0);
  for (uint32_t i = 1; list.file && depth < MAX_DEPTH; ++i) {
    literal_span_t name = is_table_constructor(list) ? find_entry(list, NULL, 0, i) : i == 1 ? list : NOT_FOUND;
    if (!name.file)
      break;
    const lua_token_t *token = token_at(name, name.first);
    if (token->kind != TOKEN_STRING)
      continue;
    literal_span_t parent = find_declaration(search, name.file->text + token->at + 1, token->bytes - 2);
    literal_span_t value = parent.file ? find_declared_value(search, parent, child_path, query, depth + 1) : NOT_FOUND;
    found = value.file ? value : found;
  }
  return found;
}

// Returns the value in a declaration or in the assemblages that it inherits from; its `file` is NULL if the value is
// not set. `child_path`: remaining path of child names, "/turret/lamp".
static literal_span_t find_declared_value(literal_search_t *search, literal_span_t span, const char *child_path,
                                          const literal_query_t *query, int depth) {
  literal_span_t found = NOT_FOUND;
  if (child_path[0]) {
    size_t bytes = strcspn(child_path + 1, "/");
    literal_span_t children = resolve_names(search, find_named_member(search, span, "children"), 0), child = NOT_FOUND;
    if (is_table_constructor(children))
      child = find_entry(children, child_path + 1, bytes, 0);
    if (is_table_constructor(children) && !child.file && strtoul(child_path + 1, NULL, 10) > 0)
      child = find_entry(children, NULL, 0, (uint32_t)strtoul(child_path + 1, NULL, 10));
    found = child.file ? find_declared_value(search, child, child_path + 1 + bytes, query, depth) : NOT_FOUND;
    return found.file ? found : find_inherited_value(search, span, child_path, query, depth);
  }
  literal_span_t states = query->state ? find_named_member(search, span, "states") : NOT_FOUND;
  if (states.file)
    found = find_component_value(search, find_named_member(search, states, query->state), query);
  literal_span_t components = find_named_member(search, span, "components");
  if (!found.file)
    found = find_component_value(search, components.file ? components : span, query);
  return found.file ? found : find_inherited_value(search, span, child_path, query, depth);
}

literal_span_t literal_find_assemblage_value(literal_search_t *search, const literal_query_t *query) {
  size_t bytes = strcspn(query->assemblage, "/");
  shoal_assert(query->component && query->field && query->instance, "component, field and instance must not be NULL");
  literal_span_t span = find_declaration(search, query->assemblage, bytes);
  search->is_declared = span.file != NULL;
  return span.file ? find_declared_value(search, span, query->assemblage + bytes, query, 0) : NOT_FOUND;
}

// --- components

static const char *const TYPES[] = {"f32", "f64", "i8",   "i16",    "i32",   "u8",
                                    "u16", "u32", "bool", "string", "asset", NULL};

bool literal_is_enum(literal_span_t span) {
  static const char *const ENUM[] = {"enum", NULL};
  return span.file && is_call_of_any(span, ENUM);
}

bool literal_is_type(literal_span_t span) {
  return span.file && is_call_of_any(span, TYPES) &&
         (span.last == span.first + 1 || token_is(span, span.last - 2, ".")) && span.last > span.first + 1;
}

literal_span_t literal_find_table(literal_search_t *search, literal_span_t span) {
  static const char *const wrappers[] = {"many", "single", NULL};
  span = resolve_names(search, span, 0);
  if (span.file && is_call_of_any(span, wrappers))
    span = resolve_names(search, find_argument(span, 1), 0);
  return is_table_constructor(span) ? span : NOT_FOUND;
}

literal_span_t literal_find_component_default(literal_search_t *search, const char *file,
                                              const literal_query_t *query) {
  size_t base_bytes = 0;
  int axis = parse_vector_axis(query->field, &base_bytes);
  literal_span_t span = find_return_value(load_file(search, file));
  literal_span_t declared = span.file ? find_named_member(search, span, query->component) : NOT_FOUND;
  span = literal_find_table(search, declared);
  if (!span.file) {
    record_calculated(search, resolve_names(search, declared, 0));
    return NOT_FOUND;
  }
  span = find_field(search, span, query->field, base_bytes, false);
  span = resolve_names(search, span, 0);
  if (span.file && axis >= 0)
    return find_vector_component(search, span, axis);
  literal_span_t argument = span.file && is_call_of_any(span, TYPES) ? find_argument(span, 1) : NOT_FOUND;
  return literal_is_plain(resolve_names(search, argument, 0)) ? resolve_names(search, argument, 0) : span;
}
