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

static const literal_span_t NOTHING;

void literal_search_begin(literal_search_t *x, allocator_t *memory, const char *folder) {
  shoal_assert(memory && folder[0] == '/', "memory must not be NULL, and folder must be absolute, got '%s'", folder);
  *x = (literal_search_t){.memory = memory, .folder = folder};
}

void literal_search_end(literal_search_t *x) {
  for (uint32_t i = 0; i < x->file_count; ++i) {
    lua_tokens_fini(&x->files[i]->lua, x->memory);
    file_free(x->memory, x->files[i]->text, x->files[i]->bytes);
    alloc_resize(x->memory, x->files[i], sizeof **x->files, 0);
  }
  x->file_count = 0;
}

// --- files

static literal_file_t *load_file(literal_search_t *x, const char *name) {
  char path[LITERAL_PATH];
  for (uint32_t i = 0; i < x->file_count; ++i)
    if (strcmp(x->files[i]->name, name) == 0)
      return x->files[i];
  if (x->file_count == LITERAL_MAX_FILES || strlen(name) >= sizeof x->files[0]->name)
    return NULL;
  literal_file_t *f = alloc_resize(x->memory, NULL, 0, sizeof *f);
  memset(f, 0, sizeof *f);
  snprintf(f->name, sizeof f->name, "%s", name);
  f->text =
      x->read ? x->read(x->context, x->memory, name, &f->bytes)
              : file_read_limited(x->memory, path_join(path, sizeof path, x->folder, name), MAX_BYTES, &f->bytes, NULL);
  if (!f->text || !lua_tokens_read(&f->lua, x->memory, f->text, f->bytes, NULL)) {
    lua_tokens_fini(&f->lua, x->memory);
    file_free(x->memory, f->text, f->bytes);
    alloc_resize(x->memory, f, sizeof *f, 0);
    return NULL;
  }
  return x->files[x->file_count++] = f;
}

static bool token_is(literal_span_t s, uint32_t i, const char *word) {
  return lua_tokens_match_word(&s.file->lua, i, word);
}

static const lua_token_t *token_at(literal_span_t s, uint32_t i) {
  shoal_assert(s.file && i < s.file->lua.tokens.count, "token %u is out of range (count %u)", i,
               s.file ? s.file->lua.tokens.count : 0);
  return &s.file->lua.tokens.items[i];
}

static literal_span_t parse_value(literal_file_t *f, uint32_t i) {
  shoal_assert(i < f->lua.tokens.count, "token %u of %s is out of range (count %u)", i, f->name, f->lua.tokens.count);
  uint32_t last = lua_tokens_skip_expression(&f->lua, i);
  return last > i ? (literal_span_t){f, i, last} : NOTHING;
}

static bool is_table_constructor(literal_span_t s) {
  return s.file && token_is(s, s.first, "{") && lua_tokens_skip_bracket(&s.file->lua, s.first) == s.last;
}

uint32_t literal_line(literal_span_t s) {
  return token_at(s, s.first)->line;
}

void literal_copy_text(literal_span_t s, char *out, size_t bytes) {
  uint32_t at = token_at(s, s.first)->at, end = token_at(s, s.last - 1)->at + token_at(s, s.last - 1)->bytes;
  int count = (int)(end - at < 60 ? end - at : 60);
  snprintf(out, bytes, "%.*s%s", count, s.file->text + at, end - at > 60 ? "…" : "");
  for (char *c = out; *c; ++c)
    *c = *c == '\n' || *c == '\t' ? ' ' : *c;
}

bool literal_is_plain(literal_span_t s) {
  uint32_t first = s.first + (s.file && token_is(s, s.first, "-"));
  if (!s.file || first + 1 != s.last)
    return false;
  lua_token_kind_t kind = token_at(s, first)->kind;
  return kind == TOKEN_NUMBER ||
         (first == s.first && (kind == TOKEN_STRING || token_is(s, first, "true") || token_is(s, first, "false")));
}

// --- names

static literal_span_t find_return_value(literal_file_t *f) {
  uint32_t found = f ? lua_tokens_find_return_value(&f->lua) : 0;
  return found > 0 ? parse_value(f, found) : NOTHING;
}

// Returns the value of the variable `name` in the statement that begins at i: local a, b = 1, 2.
static literal_span_t find_local_value(literal_file_t *f, uint32_t i, const lua_token_t *name) {
  uint32_t position = 0, match = UINT32_MAX;
  for (++i; f->lua.tokens.items[i].kind == TOKEN_NAME; i += 2, ++position) {
    const lua_token_t *x = &f->lua.tokens.items[i];
    if (x->bytes == name->bytes && memcmp(f->text + x->at, f->text + name->at, x->bytes) == 0)
      match = position;
    if (!lua_tokens_match_word(&f->lua, i + 1, ","))
      break;
  }
  if (match == UINT32_MAX || !lua_tokens_match_word(&f->lua, i + 1, "="))
    return NOTHING;
  literal_span_t found = parse_value(f, i + 2);
  for (; found.file && match > 0; --match)
    found = lua_tokens_match_word(&f->lua, found.last, ",") ? parse_value(f, found.last + 1) : NOTHING;
  return found;
}

static literal_span_t find_local(literal_span_t s) {
  const lua_token_t *name = token_at(s, s.first);
  literal_span_t found = NOTHING;
  for (uint32_t i = 0; i < s.first; ++i)
    if (s.file->lua.tokens.items[i].depth == 0 && token_is(s, i, "local") && !token_is(s, i + 1, "function")) {
      literal_span_t value = find_local_value(s.file, i, name);
      found = value.file ? value : found;
    }
  return found;
}

// Loads the file named by a call to `require`, such as require "lib.looks". Returns NULL for other expressions, and if
// the file cannot be loaded.
static literal_file_t *find_required(literal_search_t *x, literal_span_t s) {
  char name[128] = "";
  uint32_t at = s.first + 1 + token_is(s, s.first + 1, "(");
  const lua_token_t *t = token_at(s, at);
  if (!token_is(s, s.first, "require") || t->kind != TOKEN_STRING || t->bytes + 4 >= sizeof name ||
      s.last != at + 1 + (at > s.first + 1))
    return NULL;
  for (uint32_t i = 1; i + 1 < t->bytes; ++i)
    name[i - 1] = (char)(s.file->text[t->at + i] == '.' ? '/' : s.file->text[t->at + i]);
  strcat(name, ".lua");
  return name[0] == '/' || strstr(name, "//") ? NULL : load_file(x, name);
}

static literal_span_t find_member(literal_search_t *x, literal_span_t s, const char *key, size_t bytes, int depth);

// Resolves names as far as the text allows: tuning.rocks, hull.
static literal_span_t resolve_names(literal_search_t *x, literal_span_t s, int depth) {
  for (; s.file && depth < MAX_STEPS; ++depth) {
    literal_file_t *other = find_required(x, s);
    if (other) {
      literal_span_t value = find_return_value(other);
      if (!value.file)
        return s;
      s = value;
      continue;
    }
    if (token_at(s, s.first)->kind != TOKEN_NAME || token_is(s, s.first, "function") || literal_is_plain(s))
      return s;
    literal_span_t base = find_local(s);
    uint32_t i = s.first + 1;
    for (; base.file && i + 1 < s.last && token_is(s, i, "."); i += 2)
      base = find_member(x, base, s.file->text + token_at(s, i + 1)->at, token_at(s, i + 1)->bytes, depth + 1);
    if (!base.file || i != s.last)
      return s;
    s = base;
  }
  return s;
}

static void record_calculated(literal_search_t *x, literal_span_t s) {
  if (!x->calculated.file && s.file)
    x->calculated = s;
}

static bool is_key_token(literal_span_t s, uint32_t i, const char *key, size_t bytes) {
  const lua_token_t *t = token_at(s, i);
  uint32_t quotes = t->kind == TOKEN_STRING;
  return (quotes || t->kind == TOKEN_NAME) && t->bytes == bytes + 2 * quotes &&
         memcmp(s.file->text + t->at + quotes, key, bytes) == 0;
}

// Returns the value of a key in a table constructor; if `key` is NULL, the `number`-th positional value (from 1).
static literal_span_t find_entry(literal_span_t s, const char *key, size_t bytes, uint32_t number) {
  literal_span_t found = NOTHING;
  lua_entry_t x;
  shoal_assert(s.last > s.first + 1, "a table must have at least 2 tokens, got %u", s.last - s.first);
  for (uint32_t i = s.first + 1; (i = lua_tokens_read_entry(&s.file->lua, i, &x)) > 0;) {
    bool matches = key ? x.name > 0 && is_key_token(s, x.name, key, bytes) : x.name == 0 && --number == 0;
    found = matches ? (literal_span_t){s.file, x.value, x.last} : found;
  }
  return found;
}

// Returns the last value assigned to a field of the local `s`: M.ship = { … }.
static literal_span_t find_assignment(literal_span_t s, const char *key, size_t bytes) {
  literal_span_t found = NOTHING;
  if (s.last != s.first + 1 || token_at(s, s.first)->kind != TOKEN_NAME)
    return found;
  const lua_token_t *name = token_at(s, s.first);
  for (uint32_t i = 0; i + 4 < s.file->lua.tokens.count; ++i) {
    const lua_token_t *t = token_at(s, i);
    if (t->depth == 0 && t->kind == TOKEN_NAME && t->bytes == name->bytes &&
        memcmp(s.file->text + t->at, s.file->text + name->at, t->bytes) == 0 && token_is(s, i + 1, ".") &&
        is_key_token(s, i + 2, key, bytes) && token_is(s, i + 3, "="))
      found = parse_value(s.file, i + 4);
  }
  return found;
}

static literal_span_t find_member(literal_search_t *x, literal_span_t s, const char *key, size_t bytes, int depth) {
  if (!s.file || depth >= MAX_STEPS)
    return NOTHING;
  literal_span_t value = find_assignment(s, key, bytes);
  if (value.file)
    return value;
  s = resolve_names(x, s, depth + 1);
  if (is_table_constructor(s))
    return find_entry(s, key, bytes, 0);
  record_calculated(x, s);
  return NOTHING;
}

static literal_span_t find_named_member(literal_search_t *x, literal_span_t s, const char *key) {
  return find_member(x, s, key, strlen(key), 0);
}

literal_file_t *literal_open_file(literal_search_t *x, const char *name) {
  return load_file(x, name);
}

literal_span_t literal_find_return_value(literal_search_t *x, const char *name) {
  return find_return_value(load_file(x, name));
}

literal_span_t literal_resolve(literal_search_t *x, literal_span_t s) {
  return resolve_names(x, s, 0);
}

literal_span_t literal_find_value(literal_search_t *x, literal_span_t s, const char *key) {
  return find_named_member(x, s, key);
}

// --- vectors

static int parse_vector_axis(const char *field, size_t *base_bytes) {
  const char *dot = strrchr(field, '.'), *axes = "xyzw";
  const char *axis = dot && dot[1] && !dot[2] ? strchr(axes, dot[1]) : NULL;
  *base_bytes = axis ? (size_t)(dot - field) : strlen(field);
  return axis ? (int)(axis - axes) : -1;
}

// Returns an argument of a call: f(a, b), T { … }.
static literal_span_t find_argument(literal_span_t s, uint32_t number) {
  uint32_t i = s.first;
  while (i + 2 < s.last && token_at(s, i)->kind == TOKEN_NAME && token_is(s, i + 1, "."))
    i += 2;
  if (i + 1 >= s.last || token_at(s, i)->kind != TOKEN_NAME || lua_tokens_skip_bracket(&s.file->lua, i + 1) != s.last)
    return NOTHING;
  if (token_is(s, i + 1, "("))
    return find_entry((literal_span_t){s.file, i + 1, s.last}, NULL, 0, number);
  return token_is(s, i + 1, "{") && number == 1 ? (literal_span_t){s.file, i + 1, s.last} : NOTHING;
}

// Returns true if the last name of an expression or of a called function is one of `names`: "f32" in t.f32(1).
static bool is_call_of_any(literal_span_t s, const char *const *names) {
  uint32_t i = s.first;
  if (!s.file || token_at(s, i)->kind != TOKEN_NAME)
    return false;
  while (i + 2 < s.last && token_is(s, i + 1, "."))
    i += 2;
  for (; *names; ++names)
    if (token_is(s, i, *names))
      return true;
  return false;
}

static const char *const VECTORS[] = {"vec2", "vec3", "vec4", "quat", NULL};

static literal_span_t find_vector_component(literal_search_t *x, literal_span_t s, int axis) {
  static const char *const letters[] = {"x", "y", "z", "w"};
  s = resolve_names(x, s, 0);
  if (is_call_of_any(s, VECTORS)) {
    literal_span_t only = find_argument(s, 1);
    if (!is_table_constructor(only))
      return find_argument(s, (uint32_t)axis + 1);
    s = only;
  }
  if (is_table_constructor(s)) {
    literal_span_t found = find_entry(s, letters[axis], 1, 0);
    return found.file ? found : find_entry(s, NULL, 0, (uint32_t)axis + 1);
  }
  return s;
}

// Finds the value of a field in the table of a component. `bytes`: length of `path`, which may lead through records.
// `notes_table`: whether to store the table of the innermost record in x->table.
static literal_span_t find_field(literal_search_t *x, literal_span_t s, const char *path, size_t bytes,
                                 bool notes_table) {
  const char *end = path + bytes;
  for (const char *at = path, *dot; s.file; at = dot + 1) {
    dot = memchr(at, '.', (size_t)(end - at));
    s = find_member(x, s, at, (size_t)((dot ? dot : end) - at), 0);
    if (!dot)
      return s;
    s = s.file ? resolve_names(x, s, 0) : NOTHING;
    if (notes_table && is_table_constructor(s)) {
      x->table = s;
      x->table_bytes = (uint32_t)(dot + 1 - path);
    }
  }
  return NOTHING;
}

// --- assemblages

static bool is_single_value(literal_span_t s) {
  return s.file && !is_table_constructor(s) && literal_is_plain(s);
}

static literal_span_t find_component_value(literal_search_t *x, literal_span_t components,
                                           const literal_query_t *query) {
  size_t base = 0;
  int axis = parse_vector_axis(query->field, &base);
  literal_span_t s =
      components.file ? resolve_names(x, find_named_member(x, components, query->component), 0) : NOTHING;
  if (!s.file || is_single_value(s))
    return s;
  if (query->is_many && query->instance[0])
    s = resolve_names(x, find_named_member(x, s, query->instance), 0);
  bool notes_table = is_table_constructor(s) && !x->table.file;
  if (notes_table)
    x->table = s;
  s = s.file ? find_field(x, s, query->field, base, notes_table) : NOTHING;
  return s.file && axis >= 0 ? find_vector_component(x, s, axis) : resolve_names(x, s, 0);
}

static literal_span_t find_declaration(literal_search_t *x, const char *name, size_t bytes) {
  char folder[LITERAL_PATH], file[128];
  file_list_t list;
  literal_span_t s = find_return_value(load_file(x, "assemblages.lua"));
  s = s.file ? find_member(x, s, name, bytes, 0) : NOTHING;
  if (s.file || !file_list(x->memory, path_join(folder, sizeof folder, x->folder, "assemblages"), ".lua", &list, NULL))
    return s;
  for (uint32_t i = 0; i < list.count && !s.file; ++i) {
    snprintf(file, sizeof file, "assemblages/%s", list.paths[i]);
    s = find_return_value(load_file(x, file));
    s = s.file ? find_member(x, s, name, bytes, 0) : NOTHING;
  }
  file_list_free(x->memory, &list);
  return s;
}

static literal_span_t find_declared_value(literal_search_t *x, literal_span_t s, const char *path_left,
                                          const literal_query_t *query, int depth);

// Searches the assemblages that the declaration inherits from; the last one that sets the value wins.
static literal_span_t find_inherited_value(literal_search_t *x, literal_span_t s, const char *path_left,
                                           const literal_query_t *query, int depth) {
  literal_span_t found = NOTHING, list = resolve_names(x, find_named_member(x, s, "is"), 0);
  for (uint32_t i = 1; list.file && depth < MAX_DEPTH; ++i) {
    literal_span_t name = is_table_constructor(list) ? find_entry(list, NULL, 0, i) : i == 1 ? list : NOTHING;
    if (!name.file)
      break;
    const lua_token_t *t = token_at(name, name.first);
    if (t->kind != TOKEN_STRING)
      continue;
    literal_span_t parent = find_declaration(x, name.file->text + t->at + 1, t->bytes - 2);
    literal_span_t value = parent.file ? find_declared_value(x, parent, path_left, query, depth + 1) : NOTHING;
    found = value.file ? value : found;
  }
  return found;
}

// Searches a declaration and the assemblages that it inherits from. `path_left`: remaining path of child names,
// "/turret/lamp".
static literal_span_t find_declared_value(literal_search_t *x, literal_span_t s, const char *path_left,
                                          const literal_query_t *query, int depth) {
  literal_span_t found = NOTHING;
  if (path_left[0]) {
    size_t bytes = strcspn(path_left + 1, "/");
    literal_span_t children = resolve_names(x, find_named_member(x, s, "children"), 0), child = NOTHING;
    if (is_table_constructor(children))
      child = find_entry(children, path_left + 1, bytes, 0);
    if (is_table_constructor(children) && !child.file && strtoul(path_left + 1, NULL, 10) > 0)
      child = find_entry(children, NULL, 0, (uint32_t)strtoul(path_left + 1, NULL, 10));
    found = child.file ? find_declared_value(x, child, path_left + 1 + bytes, query, depth) : NOTHING;
    return found.file ? found : find_inherited_value(x, s, path_left, query, depth);
  }
  literal_span_t states = query->state ? find_named_member(x, s, "states") : NOTHING;
  if (states.file)
    found = find_component_value(x, find_named_member(x, states, query->state), query);
  literal_span_t components = find_named_member(x, s, "components");
  if (!found.file)
    found = find_component_value(x, components.file ? components : s, query);
  return found.file ? found : find_inherited_value(x, s, path_left, query, depth);
}

literal_span_t literal_find_assemblage_value(literal_search_t *x, const literal_query_t *query) {
  size_t bytes = strcspn(query->assemblage, "/");
  shoal_assert(query->component && query->field && query->instance, "component, field and instance must not be NULL");
  literal_span_t s = find_declaration(x, query->assemblage, bytes);
  return s.file ? find_declared_value(x, s, query->assemblage + bytes, query, 0) : NOTHING;
}

// --- components

static const char *const TYPES[] = {"f32", "f64", "i8",   "i16",    "i32",   "u8",
                                    "u16", "u32", "bool", "string", "asset", NULL};

bool literal_is_type(literal_span_t s) {
  return s.file && is_call_of_any(s, TYPES) && (s.last == s.first + 1 || token_is(s, s.last - 2, ".")) &&
         s.last > s.first + 1;
}

literal_span_t literal_find_table(literal_search_t *x, literal_span_t s) {
  static const char *const wrappers[] = {"many", "single", NULL};
  s = resolve_names(x, s, 0);
  if (s.file && is_call_of_any(s, wrappers))
    s = resolve_names(x, find_argument(s, 1), 0);
  return is_table_constructor(s) ? s : NOTHING;
}

literal_span_t literal_find_component_default(literal_search_t *x, const char *file, const literal_query_t *query) {
  size_t base = 0;
  int axis = parse_vector_axis(query->field, &base);
  literal_span_t s = find_return_value(load_file(x, file));
  literal_span_t declared = s.file ? find_named_member(x, s, query->component) : NOTHING;
  s = literal_find_table(x, declared);
  if (!s.file) {
    record_calculated(x, resolve_names(x, declared, 0));
    return NOTHING;
  }
  s = find_field(x, s, query->field, base, false);
  s = resolve_names(x, s, 0);
  if (s.file && axis >= 0)
    return find_vector_component(x, s, axis);
  literal_span_t inner = s.file && is_call_of_any(s, TYPES) ? find_argument(s, 1) : NOTHING;
  return literal_is_plain(resolve_names(x, inner, 0)) ? resolve_names(x, inner, 0) : s;
}
