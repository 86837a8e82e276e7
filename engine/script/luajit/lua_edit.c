// Edits of tables in Lua source text. Edits are collected as splices of the original texts and applied when a text is
// written. Splices at the same position are applied in the order in which they were added.
#include "luajit/lua_edit.h"

#include "base/assert.h"
#include "schema/schema_build.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#define MAX_COLUMNS 110u // a one-line table that would exceed this width is split into one line per element

static const literal_span_t NOTHING;

void lua_edit_init(lua_edit_t *x, allocator_t *memory, literal_reader_t read, void *context) {
  *x = (lua_edit_t){0};
  literal_search_begin(&x->search, memory, "/");
  x->search.read = read;
  x->search.context = context;
  splices_init(&x->splices, memory);
}

void lua_edit_fini(lua_edit_t *x) {
  splices_fini(&x->splices);
  literal_search_end(&x->search);
}

bool lua_is_name(const char *text) {
  return schema_is_valid_name(text, SIZE_MAX) && !schema_is_lua_keyword(text);
}

bool lua_source_check_size(const char *name, size_t bytes, error_info_t *error) {
  return bytes <= LUA_SOURCE_MAX_BYTES ||
         error_set(error,
                   "%.400s: a Lua file can have at most %u MB, got %.1f MB: split the file, or move its data to a JSON "
                   "or CSV file in assets/ (assets.json, assets.csv)",
                   name, LUA_SOURCE_MAX_BYTES >> 20, (double)bytes / (1 << 20));
}

bool lua_source_check(const char *name, const char *text, size_t bytes, error_info_t *error) {
  lua_State *L = luaL_newstate();
  char chunk[160];
  shoal_assert(L, "out of memory for a Lua state (%s)", name);
  snprintf(chunk, sizeof chunk, "@%s", name);
  bool ok = luaL_loadbuffer(L, text, bytes, chunk) == 0 || error_set(error, "%s", lua_tostring(L, -1));
  lua_close(L);
  return ok;
}

// --- positions

static const lua_token_t *token_at(literal_span_t s, uint32_t i) {
  shoal_assert(s.file && i < s.file->lua.tokens.count, "token %u is out of range", i);
  return &s.file->lua.tokens.items[i];
}

static uint32_t token_end(literal_span_t s, uint32_t i) {
  return token_at(s, i)->at + token_at(s, i)->bytes;
}

static uint32_t find_line_start(const literal_file_t *f, uint32_t at) {
  while (at > 0 && f->text[at - 1] != '\n')
    --at;
  return at;
}

static uint32_t find_indent_end(const literal_file_t *f, uint32_t line) {
  while (f->text[line] == ' ' || f->text[line] == '\t')
    ++line;
  return line;
}

// Returns true if only blanks precede the position in its line.
static bool begins_line(const literal_file_t *f, uint32_t at) {
  return find_indent_end(f, find_line_start(f, at)) == at;
}

static bool spans_lines(const literal_file_t *f, uint32_t at, uint32_t end) {
  return memchr(f->text + at, '\n', end - at) != NULL;
}

// Skips blanks and comments up to the end of the line. A comment that spans lines is skipped as a whole. Returns the
// position of the line's end or of the next token.
static uint32_t skip_line_rest(const literal_file_t *f, uint32_t at) {
  for (const char *text = f->text;;) {
    while (text[at] == ' ' || text[at] == '\t')
      ++at;
    if (text[at] != '-' || text[at + 1] != '-')
      return at;
    uint32_t level = (uint32_t)lua_tokens_measure_long_bracket(text + at + 2, f->bytes - at - 2);
    if (level == 0) {
      at += (uint32_t)strcspn(text + at, "\r\n");
      return at;
    }
    for (at += 2 + level; text[at]; ++at)
      if (text[at] == ']' && strspn(text + at + 1, "=") + 2 == level && text[at + level - 1] == ']')
        break;
    at += text[at] ? level : 0;
  }
}

// --- layout

static bool is_separator(literal_span_t s, uint32_t i) {
  return lua_tokens_match_word(&s.file->lua, i, ",") || lua_tokens_match_word(&s.file->lua, i, ";");
}

lua_layout_t lua_edit_detect_layout(const literal_file_t *f) {
  lua_layout_t out = {.indent = "  ", .newline = "\n", .quote = '"', .trailing = true};
  const char *newline = memchr(f->text, '\n', f->bytes);
  uint32_t singles = 0, doubles = 0, with = 0, without = 0;
  bool has_indent = false;
  if (newline && newline > f->text && newline[-1] == '\r')
    out.newline = "\r\n";
  for (uint32_t i = 0; i + 1 < f->lua.tokens.count; ++i) {
    const lua_token_t *t = &f->lua.tokens.items[i];
    uint32_t line = find_line_start(f, t->at), blanks = t->at - line;
    bool closes = lua_tokens_match_word(&f->lua, i, "}");
    singles += t->kind == TOKEN_STRING && f->text[t->at] == '\'';
    doubles += t->kind == TOKEN_STRING && f->text[t->at] == '"';
    if (!has_indent && blanks > 0 && t->depth == 1 && !closes && begins_line(f, t->at) && blanks < sizeof out.indent) {
      has_indent = true;
      memcpy(out.indent, f->text + line, blanks);
      out.indent[blanks] = '\0';
    }
    if (closes && i > 0 && begins_line(f, t->at) && !lua_tokens_match_word(&f->lua, i - 1, "{")) {
      bool separated = is_separator((literal_span_t){(literal_file_t *)(uintptr_t)f, 0, 0}, i - 1);
      with += separated;
      without += !separated;
    }
  }
  out.quote = singles > doubles ? '\'' : '"';
  out.trailing = with >= without;
  return out;
}

// --- splices

static void add_splice(lua_edit_t *x, const literal_file_t *file, uint32_t at, uint32_t end, uint32_t from) {
  shoal_assert(end <= file->bytes, "bytes %u to %u are out of range (size %zu)", at, end, file->bytes);
  splices_add(&x->splices, file, at, end, from);
}

void lua_edit_replace_bytes(lua_edit_t *x, literal_file_t *file, uint32_t at, uint32_t end, const char *text) {
  splices_replace(&x->splices, file, at, end, text);
}

void lua_edit_write(lua_edit_t *x, literal_file_t *file, json_writer_t *out) {
  splices_write(&x->splices, file, file->text, file->bytes, out);
}

// Appends a value with the file's quotes, line endings and indentation. `base`, `base_bytes`: indentation of the first
// line.
static void write_value(lua_edit_t *x, const lua_layout_t *layout, const char *base, uint32_t base_bytes,
                        const char *value) {
  bool changes_quotes = layout->quote != '"' && !strchr(value, layout->quote) && !strchr(value, '\\');
  for (const char *c = value; *c; ++c) {
    if (*c == '\n')
      json_write_text(&x->splices.replacements, layout->newline);
    else if (*c == '\t')
      json_write_text(&x->splices.replacements, layout->indent);
    else
      json_write_bytes(&x->splices.replacements, *c == '"' && changes_quotes ? &layout->quote : c, 1);
    if (*c == '\n' && c[1] != '\n')
      json_write_bytes(&x->splices.replacements, base, base_bytes);
  }
}

static void write_element(lua_edit_t *x, const lua_layout_t *layout, const char *base, uint32_t base_bytes,
                          const char *key, const char *value) {
  if (key && lua_is_name(key)) {
    json_write_text(&x->splices.replacements, key);
    json_write_text(&x->splices.replacements, " = ");
  } else if (key) {
    json_write_text(&x->splices.replacements, "[");
    json_write_bytes(&x->splices.replacements, &layout->quote, 1);
    json_write_text(&x->splices.replacements, key);
    json_write_bytes(&x->splices.replacements, &layout->quote, 1);
    json_write_text(&x->splices.replacements, "] = ");
  }
  write_value(x, layout, base, base_bytes, value);
}

// --- finding

bool lua_edit_next_element(literal_span_t table, uint32_t *i, lua_entry_t *out) {
  uint32_t next = *i + 1 < table.last ? lua_tokens_read_entry(&table.file->lua, *i, out) : 0;
  *i = next > 0 ? next : *i;
  return next > 0;
}

static bool token_is_key(literal_span_t s, uint32_t i, const char *key) {
  const lua_token_t *t = token_at(s, i);
  uint32_t quotes = t->kind == TOKEN_STRING;
  return (quotes || t->kind == TOKEN_NAME) && t->bytes == strlen(key) + 2 * quotes &&
         memcmp(s.file->text + t->at + quotes, key, strlen(key)) == 0;
}

// Returns the last element with this key; its `name` is 0 if the table lacks the key.
static lua_entry_t find_element(literal_span_t table, const char *key) {
  lua_entry_t found = {0}, e;
  for (uint32_t i = table.first + 1; lua_edit_next_element(table, &i, &e);)
    if (e.name > 0 && token_is_key(table, e.name, key))
      found = e;
  return found;
}

literal_span_t lua_edit_find_value(literal_span_t table, const char *key) {
  lua_entry_t found = find_element(table, key);
  return found.name > 0 ? (literal_span_t){table.file, found.value, found.last} : NOTHING;
}

bool lua_edit_is_table(literal_span_t s) {
  return s.file && lua_tokens_match_word(&s.file->lua, s.first, "{") &&
         lua_tokens_skip_bracket(&s.file->lua, s.first) == s.last;
}

bool lua_edit_is_empty(literal_span_t table) {
  lua_entry_t e;
  uint32_t i = table.first + 1;
  return !lua_edit_next_element(table, &i, &e);
}

void lua_edit_copy_key(literal_span_t table, uint32_t name, char *out, size_t bytes) {
  const lua_token_t *t = token_at(table, name);
  uint32_t quotes = t->kind == TOKEN_STRING;
  snprintf(out, bytes, "%.*s", (int)(t->bytes - 2 * quotes), table.file->text + t->at + quotes);
}

bool lua_edit_reject_code(literal_span_t s, const char *subject, error_info_t *error) {
  char source[128];
  literal_copy_text(s, source, sizeof source);
  return error_set_at(error, s.file->name, literal_line(s), "cannot change %s, which code creates (%s): edit the file",
                      subject, source);
}

static literal_span_t reject_code(literal_span_t s, const char *subject, error_info_t *error) {
  lua_edit_reject_code(s, subject, error);
  return NOTHING;
}

// Returns false with an error if the file assigns elements with computed keys to the local that holds the table:
// made[name] = …
static bool check_no_computed_keys(literal_span_t named, const char *subject, error_info_t *error) {
  if (named.last != named.first + 1 || token_at(named, named.first)->kind != TOKEN_NAME)
    return true;
  const lua_tokens_t *lua = &named.file->lua;
  const lua_token_t *name = token_at(named, named.first);
  for (uint32_t i = 0; i + 2 < lua->tokens.count; ++i) {
    const lua_token_t *t = &lua->tokens.items[i];
    bool same = t->kind == TOKEN_NAME && t->bytes == name->bytes &&
                (i == 0 || !lua_tokens_match_word(lua, i - 1, ".")) &&
                memcmp(lua->text + t->at, lua->text + name->at, t->bytes) == 0;
    if (!same || !lua_tokens_match_word(lua, i + 1, "["))
      continue;
    uint32_t after = lua_tokens_skip_bracket(lua, i + 1);
    if (lua_tokens_match_word(lua, after, "=")) {
      reject_code((literal_span_t){named.file, i, after}, subject, error);
      return false;
    }
  }
  return true;
}

literal_span_t lua_edit_find_table(lua_edit_t *x, const char *file, const char *const *keys, uint32_t count,
                                   error_info_t *error) {
  char subject[160];
  literal_span_t s = literal_find_return_value(&x->search, file);
  snprintf(subject, sizeof subject, "the table that %.100s returns", file);
  if (!s.file) {
    error_set(error, "%s must return a table", file);
    return NOTHING;
  }
  for (uint32_t i = 0;; ++i) {
    literal_span_t table = literal_find_table(&x->search, s);
    if (!table.file)
      return reject_code(literal_resolve(&x->search, s), subject, error);
    if (!check_no_computed_keys(s, subject, error))
      return NOTHING;
    if (i == count)
      return table;
    literal_span_t next = literal_find_value(&x->search, s, keys[i]);
    next = next.file ? next : literal_find_value(&x->search, table, keys[i]);
    snprintf(subject, sizeof subject, "%.100s", keys[i]);
    if (!next.file) {
      error_set_at(error, table.file->name, literal_line(table), "%s not found in the table at this line", keys[i]);
      return NOTHING;
    }
    s = next;
  }
}

// --- inserting

typedef struct insertion_t {
  literal_span_t table;
  lua_layout_t layout;
  uint32_t count;
  uint32_t last_name; // first token of the last element
  uint32_t last_end;  // token after the last element, without its separator
  bool separated;     // true if a separator follows the last element
} insertion_t;

static insertion_t read_elements(literal_span_t table) {
  insertion_t out = {.table = table, .layout = lua_edit_detect_layout(table.file), .last_end = table.first + 1};
  lua_entry_t e;
  for (uint32_t i = table.first + 1, begin = i; lua_edit_next_element(table, &i, &e); begin = i) {
    out.count++;
    out.last_name = begin;
    out.last_end = e.last;
    out.separated = is_separator(table, e.last);
  }
  return out;
}

// Returns the position after the last element and its separator.
static uint32_t last_position(const insertion_t *n) {
  return token_end(n->table, n->count == 0 ? n->table.first : n->separated ? n->last_end : n->last_end - 1);
}

static uint32_t close_position(const insertion_t *n) {
  return token_at(n->table, n->table.last - 1)->at;
}

static void write_line_begin(lua_edit_t *x, const insertion_t *n, uint32_t line, uint32_t levels) {
  const literal_file_t *f = n->table.file;
  json_write_text(&x->splices.replacements, n->layout.newline);
  json_write_bytes(&x->splices.replacements, f->text + line, find_indent_end(f, line) - line);
  for (uint32_t i = 0; i < levels; ++i)
    json_write_text(&x->splices.replacements, n->layout.indent);
}

static char *make_indentation(lua_edit_t *x, const insertion_t *n, uint32_t line, uint32_t levels, uint32_t *bytes) {
  const literal_file_t *f = n->table.file;
  uint32_t blanks = find_indent_end(f, line) - line, unit = (uint32_t)strlen(n->layout.indent);
  *bytes = blanks + levels * unit;
  char *base = alloc_resize(x->search.memory, NULL, 0, *bytes + 1);
  memcpy(base, f->text + line, blanks);
  for (uint32_t i = 0; i < levels; ++i)
    memcpy(base + blanks + i * unit, n->layout.indent, unit);
  return base;
}

// Adds the missing separator after the last element.
static void add_missing_separator(lua_edit_t *x, const insertion_t *n) {
  if (n->count > 0 && !n->separated)
    lua_edit_replace_bytes(x, n->table.file, last_position(n), last_position(n), ",");
}

// Appends an element to a one-line table: { a = 1 } becomes { a = 1, b = 2 }.
static void insert_in_line(lua_edit_t *x, const insertion_t *n, const char *key, const char *value) {
  literal_file_t *f = n->table.file;
  uint32_t at = last_position(n), end = at, from = x->splices.replacements.text.count;
  if (n->count == 0) {
    end = close_position(n);
    at = find_indent_end(f, at) == end ? at : end; // after a comment
  }
  bool needs_blank = at == 0 || f->text[at - 1] != ' ';
  json_write_text(&x->splices.replacements, n->count > 0 && !n->separated ? ", " : needs_blank ? " " : "");
  write_element(x, &n->layout, "", 0, key, value);
  json_write_text(&x->splices.replacements, n->count == 0 ? " " : n->separated ? "," : "");
  add_splice(x, f, at, end, from);
}

// Splits a one-line table into one line per element, and appends an element.
static void expand_and_insert(lua_edit_t *x, const insertion_t *n, const char *key, const char *value) {
  literal_file_t *f = n->table.file;
  uint32_t line = find_line_start(f, token_at(n->table, n->table.first)->at), base_bytes, from;
  lua_entry_t e;
  for (uint32_t i = n->table.first + 1; n->count > 0 && i < n->table.last - 1;) {
    uint32_t gap = token_end(n->table, i - 1);
    from = x->splices.replacements.text.count;
    write_line_begin(x, n, line, 1);
    add_splice(x, f, gap, find_indent_end(f, gap), from);
    if (!lua_edit_next_element(n->table, &i, &e))
      break;
  }
  add_missing_separator(x, n);
  char *base = make_indentation(x, n, line, 1, &base_bytes);
  uint32_t at = last_position(n);
  from = x->splices.replacements.text.count;
  write_line_begin(x, n, line, 1);
  write_element(x, &n->layout, base, base_bytes, key, value);
  json_write_text(&x->splices.replacements, n->layout.trailing ? "," : "");
  uint32_t blanks = find_indent_end(f, at);
  if (blanks == close_position(n)) {
    write_line_begin(x, n, line, 0);
    add_splice(x, f, at, blanks, from);
  } else { // a comment precedes the closing bracket
    add_splice(x, f, at, at, from);
    from = x->splices.replacements.text.count;
    write_line_begin(x, n, line, 0);
    add_splice(x, f, close_position(n), close_position(n), from);
  }
  alloc_resize(x->search.memory, base, base_bytes + 1, 0);
}

// Returns true if an empty line precedes the last element.
static bool has_blank_line_before_last(const insertion_t *n) {
  const literal_file_t *f = n->table.file;
  uint32_t line = find_line_start(f, token_at(n->table, n->last_name)->at);
  while (line > 0) { // skips the comment above the element
    uint32_t before = find_line_start(f, line - 1), text = find_indent_end(f, before);
    if (f->text[text] != '-' || f->text[text + 1] != '-')
      return n->count > 1 && (f->text[text] == '\n' || f->text[text] == '\r');
    line = before;
  }
  return false;
}

// Appends an element to a table of several lines.
static void insert_as_line(lua_edit_t *x, const insertion_t *n, const char *key, const char *value) {
  literal_file_t *f = n->table.file;
  uint32_t close = close_position(n), base_bytes;
  uint32_t open_line = find_line_start(f, token_at(n->table, n->table.first)->at);
  uint32_t line = n->count > 0 ? find_line_start(f, token_at(n->table, n->last_name)->at) : open_line;
  uint32_t levels = line == open_line ? 1 : 0;
  bool closes_alone = begins_line(f, close);
  add_missing_separator(x, n);
  char *base = make_indentation(x, n, line, levels, &base_bytes);
  uint32_t at = n->count == 0 && closes_alone ? find_line_start(f, close) : last_position(n);
  if (n->count > 0 && closes_alone)
    at = skip_line_rest(f, at);
  uint32_t from = x->splices.replacements.text.count;
  if (n->count == 0 && closes_alone) { // after comments
    json_write_bytes(&x->splices.replacements, base, base_bytes);
    write_element(x, &n->layout, base, base_bytes, key, value);
    json_write_text(&x->splices.replacements, n->layout.trailing ? "," : "");
    json_write_text(&x->splices.replacements, n->layout.newline);
  } else {
    if (n->count > 0 && has_blank_line_before_last(n))
      json_write_text(&x->splices.replacements, n->layout.newline);
    write_line_begin(x, n, line, levels);
    write_element(x, &n->layout, base, base_bytes, key, value);
    json_write_text(&x->splices.replacements, n->separated ? "," : "");
  }
  add_splice(x, f, at, at, from);
  alloc_resize(x->search.memory, base, base_bytes + 1, 0);
}

void lua_edit_insert(lua_edit_t *x, literal_span_t table, const char *key, const char *value) {
  insertion_t n = read_elements(table);
  const literal_file_t *f = table.file;
  uint32_t open = token_at(table, table.first)->at, close = close_position(&n), end = close;
  shoal_assert(lua_tokens_match_word(&f->lua, table.first, "{"), "the span is not a table");
  while (end < f->bytes && f->text[end] != '\n')
    ++end;
  size_t columns = end - find_line_start(f, open) + (key ? strlen(key) : 0) + strlen(value) + 5;
  if (spans_lines(f, open, close))
    insert_as_line(x, &n, key, value);
  else if (!strchr(value, '\n') && columns <= MAX_COLUMNS)
    insert_in_line(x, &n, key, value);
  else
    expand_and_insert(x, &n, key, value);
}

// --- removing

// An element with the tokens around it.
typedef struct removal_t {
  uint32_t begin, last;  // tokens [begin, last), without the separator
  uint32_t before, next; // first tokens of the preceding and following elements; 0: no such element
  uint32_t before_last;  // token after the preceding element
  bool separated, before_separated;
} removal_t;

static removal_t find_removal(literal_span_t table, uint32_t index) {
  removal_t out = {0};
  lua_entry_t e;
  uint32_t n = 0;
  for (uint32_t i = table.first + 1, begin = i; lua_edit_next_element(table, &i, &e); begin = i, ++n) {
    if (n + 1 == index) {
      out.before = begin;
      out.before_last = e.last;
      out.before_separated = is_separator(table, e.last);
    } else if (n == index) {
      out.begin = begin;
      out.last = e.last;
      out.separated = is_separator(table, e.last);
    } else if (n == index + 1) {
      out.next = begin;
    }
  }
  shoal_assert(index < n, "element %u is out of range (count %u)", index, n);
  return out;
}

// Removes the element if nothing else is on its lines. For a last element without a separator, also removes the
// separator of the preceding element.
static bool remove_lines(lua_edit_t *x, literal_span_t table, const removal_t *r) {
  literal_file_t *f = table.file;
  uint32_t at = token_at(table, r->begin)->at, end = token_end(table, r->separated ? r->last : r->last - 1);
  end = skip_line_rest(f, end);
  if (!begins_line(f, at) || (f->text[end] != '\n' && f->text[end] != '\r'))
    return false;
  end += f->text[end] == '\r';
  end += f->text[end] == '\n';
  if (!r->next && r->before && r->before_separated && !r->separated)
    lua_edit_replace_bytes(x, f, token_at(table, r->before_last)->at, token_end(table, r->before_last), "");
  lua_edit_replace_bytes(x, f, find_line_start(f, at), end, "");
  return true;
}

void lua_edit_remove(lua_edit_t *x, literal_span_t table, uint32_t index) {
  removal_t r = find_removal(table, index);
  uint32_t at = token_at(table, r.begin)->at, end = token_end(table, r.last - 1);
  if (remove_lines(x, table, &r))
    return;
  if (r.next) {
    end = token_at(table, r.next)->at;
  } else if (r.before) {
    at = token_end(table, r.before_last - 1);
  } else {
    at = token_end(table, table.first);
    end = token_at(table, table.last - 1)->at;
  }
  lua_edit_replace_bytes(x, table.file, at, end, "");
}

bool lua_edit_remove_key(lua_edit_t *x, literal_span_t table, const char *key) {
  lua_entry_t e;
  uint32_t n = 0, found = UINT32_MAX;
  for (uint32_t i = table.first + 1; lua_edit_next_element(table, &i, &e); ++n)
    if (e.name > 0 && token_is_key(table, e.name, key))
      found = n;
  if (found != UINT32_MAX)
    lua_edit_remove(x, table, found);
  return found != UINT32_MAX;
}

// --- replacing

void lua_edit_replace(lua_edit_t *x, literal_span_t s, const char *value) {
  lua_layout_t layout = lua_edit_detect_layout(s.file);
  uint32_t at = token_at(s, s.first)->at, line = find_line_start(s.file, at), from = x->splices.replacements.text.count;
  write_value(x, &layout, s.file->text + line, find_indent_end(s.file, line) - line, value);
  add_splice(x, s.file, at, token_end(s, s.last - 1), from);
}

static void rename_token(lua_edit_t *x, literal_span_t s, uint32_t i, const char *to) {
  const lua_token_t *t = token_at(s, i);
  uint32_t quotes = t->kind == TOKEN_STRING;
  lua_edit_replace_bytes(x, s.file, t->at + quotes, t->at + t->bytes - quotes, to);
}

bool lua_edit_rename_key(lua_edit_t *x, literal_span_t table, const char *key, const char *to, error_info_t *error) {
  lua_entry_t found = find_element(table, key);
  if (found.name == 0)
    return error_set_at(error, table.file->name, literal_line(table), "%s not found in the table at this line", key);
  rename_token(x, table, found.name, to);
  return true;
}

// Removes the string `name` and its separator from a list.
static void remove_name(lua_edit_t *x, literal_span_t list, const char *name) {
  lua_entry_t e;
  for (uint32_t i = list.first + 1, from = i; lua_edit_next_element(list, &i, &e); from = i) {
    if (e.name > 0 || e.last != e.value + 1 || !token_is_key(list, e.value, name))
      continue;
    bool is_last = i + 1 >= list.last;
    uint32_t at = is_last && from > list.first + 1 ? token_end(list, from - 2) : token_at(list, from)->at;
    lua_edit_replace_bytes(x, list.file, at, is_last ? token_end(list, e.value) : token_at(list, i)->at, "");
    return;
  }
}

// Adds a string at the beginning of a list, and removes the string `current`: "a" becomes { "NAME", "a" }. Returns
// false with an error if the list is neither a string nor a table constructor.
static bool prepend_name(lua_edit_t *x, literal_span_t list, const char *name, const char *current,
                         error_info_t *error) {
  const lua_token_t *t = token_at(list, list.first);
  char text[512];
  if (lua_tokens_match_word(&list.file->lua, list.first, "{")) {
    bool empty = list.last == list.first + 2;
    char quote = lua_edit_detect_layout(list.file).quote;
    uint32_t at = empty ? t->at + 1 : token_at(list, list.first + 1)->at;
    snprintf(text, sizeof text, empty ? " %c%s%c " : "%c%s%c, ", quote, name, quote);
    lua_edit_replace_bytes(x, list.file, at, at, text);
    remove_name(x, list, current);
    return true;
  }
  if (list.last != list.first + 1 || t->kind != TOKEN_STRING)
    return reject_code(list, "renamed_from", error).file != NULL;
  if (token_is_key(list, list.first, current))
    snprintf(text, sizeof text, "\"%s\"", name);
  else
    snprintf(text, sizeof text, "{ \"%s\", \"%.*s\" }", name, (int)t->bytes - 2, list.file->text + t->at + 1);
  lua_edit_replace(x, list, text);
  return true;
}

// Adds `field = "OLD"` to the value of renamed_from. If the field was renamed before, the table contains `old` as a
// key, which is renamed to `field`.
static bool add_former_field(lua_edit_t *x, literal_span_t value, const char *field, const char *old,
                             error_info_t *error) {
  char text[512];
  if (lua_tokens_match_word(&value.file->lua, value.first, "{")) {
    lua_entry_t before = find_element(value, old);
    snprintf(text, sizeof text, "\"%s\"", old);
    if (before.name == 0) {
      lua_edit_insert(x, value, field, text);
      return true;
    }
    rename_token(x, value, before.name, field);
    return prepend_name(x, (literal_span_t){value.file, before.value, before.last}, old, field, error);
  }
  if (value.last != value.first + 1 || token_at(value, value.first)->kind != TOKEN_STRING)
    return reject_code(value, "renamed_from", error).file != NULL;
  const lua_token_t *t = token_at(value, value.first);
  snprintf(text, sizeof text, "{ \"%.*s\", %s = \"%s\" }", (int)t->bytes - 2, value.file->text + t->at + 1, field, old);
  lua_edit_replace(x, value, text);
  return true;
}

bool lua_edit_add_renamed_from(lua_edit_t *x, literal_span_t table, bool of_field, const char *old, const char *to,
                               error_info_t *error) {
  char text[512];
  literal_span_t former = lua_edit_find_value(table, "renamed_from");
  if (former.file && of_field)
    return add_former_field(x, former, to, old, error);
  if (former.file)
    return prepend_name(x, former, old, to, error);
  if (of_field)
    snprintf(text, sizeof text, "{ %s = \"%s\" }", to, old);
  else
    snprintf(text, sizeof text, "\"%s\"", old);
  lua_edit_insert(x, table, "renamed_from", text);
  return true;
}
