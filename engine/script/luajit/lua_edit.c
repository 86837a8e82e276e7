// Edits of tables in Lua source text. Edits are collected as splices of the original text and applied when the text is
// written. Splices at the same position are applied in the order in which they were added.
#include "luajit/lua_edit.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "schema/schema_build.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#define MAX_SYNTAX_ERROR_BYTES 200u // maximum size of a message that lua_shorten_syntax_error returns
#define MAX_COLUMNS 110u // maximum width of a one-line table; a wider table is split into one line per element

static const literal_span_t NOT_FOUND;

void lua_edit_init(lua_edit_t *edit, allocator_t *memory, literal_reader_t read, void *context) {
  *edit = (lua_edit_t){0};
  literal_search_begin(&edit->search, memory, "/");
  edit->search.read = read;
  edit->search.context = context;
  splices_init(&edit->splices, memory);
}

void lua_edit_fini(lua_edit_t *edit) {
  splices_fini(&edit->splices);
  literal_search_end(&edit->search);
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

const char *lua_shorten_syntax_error(lua_State *L) {
  size_t length;
  const char *message = lua_tolstring(L, -1, &length);
  size_t end = strcspn(message, "\r\n");
  if (end > MAX_SYNTAX_ERROR_BYTES)
    end = utf8_character_start(message, MAX_SYNTAX_ERROR_BYTES);
  if (end == length)
    return message;
  lua_pushlstring(L, message, end);
  lua_pushfstring(L, "%s…'", lua_tostring(L, -1));
  lua_replace(L, -3);
  lua_pop(L, 1);
  return lua_tostring(L, -1);
}

bool lua_source_check(const char *name, const char *text, size_t bytes, error_info_t *error) {
  lua_State *L = luaL_newstate();
  char chunk[160];
  shoal_assert(L, "out of memory for a Lua state (%s)", name);
  snprintf(chunk, sizeof chunk, "@%s", name);
  bool ok = luaL_loadbuffer(L, text, bytes, chunk) == 0 || error_set(error, "%s", lua_shorten_syntax_error(L));
  if (!ok && error)
    error->may_be_unfinished = lua_source_ends_early(lua_tostring(L, -1));
  lua_close(L);
  return ok;
}

bool lua_source_ends_early(const char *message) {
  static const char END[] = "near '<eof>'";
  size_t length = strlen(message);
  return length >= sizeof END - 1 && strcmp(message + length - (sizeof END - 1), END) == 0;
}

// --- positions

static const lua_token_t *token_at(literal_span_t span, uint32_t i) {
  shoal_assert(span.file && i < span.file->lua.tokens.count, "token %u is out of range", i);
  return &span.file->lua.tokens.items[i];
}

static uint32_t token_end(literal_span_t span, uint32_t i) {
  return token_at(span, i)->at + token_at(span, i)->bytes;
}

static uint32_t find_line_start(const literal_file_t *file, uint32_t position) {
  while (position > 0 && file->text[position - 1] != '\n')
    --position;
  return position;
}

static uint32_t find_indent_end(const literal_file_t *file, uint32_t position) {
  while (file->text[position] == ' ' || file->text[position] == '\t')
    ++position;
  return position;
}

// Returns true if only blanks precede the position in its line.
static bool begins_line(const literal_file_t *file, uint32_t position) {
  return find_indent_end(file, find_line_start(file, position)) == position;
}

static bool spans_lines(const literal_file_t *file, uint32_t start, uint32_t end) {
  return memchr(file->text + start, '\n', end - start) != NULL;
}

// Skips blanks and comments up to the end of the line. A comment that spans lines is skipped as a whole. Returns the
// position of the line's end or of the next token.
static uint32_t skip_line_rest(const literal_file_t *file, uint32_t position) {
  for (const char *text = file->text;;) {
    while (text[position] == ' ' || text[position] == '\t')
      ++position;
    if (text[position] != '-' || text[position + 1] != '-')
      return position;
    uint32_t level = (uint32_t)lua_tokens_measure_long_bracket(text + position + 2, file->bytes - position - 2);
    if (level == 0) {
      position += (uint32_t)strcspn(text + position, "\r\n");
      return position;
    }
    for (position += 2 + level; text[position]; ++position)
      if (text[position] == ']' && strspn(text + position + 1, "=") + 2 == level && text[position + level - 1] == ']')
        break;
    position += text[position] ? level : 0;
  }
}

// --- layout

static bool is_separator(literal_span_t span, uint32_t i) {
  return lua_tokens_match_word(&span.file->lua, i, ",") || lua_tokens_match_word(&span.file->lua, i, ";");
}

lua_layout_t lua_edit_detect_layout(const literal_file_t *file) {
  lua_layout_t layout = {.indent = "  ", .newline = "\n", .quote = '"', .trailing = true};
  const char *newline = memchr(file->text, '\n', file->bytes);
  uint32_t singles = 0, doubles = 0, separated_count = 0, unseparated_count = 0;
  bool has_indent = false, has_deep_indent = false;
  if (newline && newline > file->text && newline[-1] == '\r')
    layout.newline = "\r\n";
  for (uint32_t i = 0; i + 1 < file->lua.tokens.count; ++i) {
    const lua_token_t *token = &file->lua.tokens.items[i];
    uint32_t line = find_line_start(file, token->at), blanks = token->at - line;
    bool is_closing = lua_tokens_match_word(&file->lua, i, "}");
    singles += token->kind == TOKEN_STRING && file->text[token->at] == '\'';
    doubles += token->kind == TOKEN_STRING && file->text[token->at] == '"';
    bool is_first = token->depth == 1 ? !has_indent : !has_deep_indent && !has_indent;
    if (is_first && blanks > 0 && !is_closing && begins_line(file, token->at) && blanks < sizeof layout.indent) {
      has_indent = token->depth == 1;
      has_deep_indent =
          true; // a deeper line shows one level if its tables are opened in one line: return { entities = {
      memcpy(layout.indent, file->text + line, blanks);
      layout.indent[blanks] = '\0';
    }
    if (is_closing && i > 0 && begins_line(file, token->at) && !lua_tokens_match_word(&file->lua, i - 1, "{")) {
      bool separated = is_separator((literal_span_t){(literal_file_t *)(uintptr_t)file, 0, 0}, i - 1);
      separated_count += separated;
      unseparated_count += !separated;
    }
  }
  layout.quote = singles > doubles ? '\'' : '"';
  layout.trailing = separated_count >= unseparated_count;
  return layout;
}

// --- splices

static void add_splice(lua_edit_t *edit, const literal_file_t *file, uint32_t start, uint32_t end,
                       uint32_t text_start) {
  shoal_assert(end <= file->bytes, "bytes %u to %u are out of range (size %zu)", start, end, file->bytes);
  splices_add(&edit->splices, file, start, end, text_start);
}

void lua_edit_replace_bytes(lua_edit_t *edit, literal_file_t *file, uint32_t start, uint32_t end, const char *text) {
  splices_replace(&edit->splices, file, start, end, text);
}

void lua_edit_write(lua_edit_t *edit, literal_file_t *file, json_writer_t *out) {
  splices_write(&edit->splices, file, file->text, file->bytes, out);
}

// Appends a value with the file's quotes, line endings and indentation. `indent`, `indent_bytes`: indentation of the
// first line.
static void write_value(lua_edit_t *edit, const lua_layout_t *layout, const char *indent, uint32_t indent_bytes,
                        const char *value) {
  bool changes_quotes = layout->quote != '"' && !strchr(value, layout->quote) && !strchr(value, '\\');
  for (const char *cursor = value; *cursor; ++cursor) {
    if (*cursor == '\n')
      json_write_text(&edit->splices.replacements, layout->newline);
    else if (*cursor == '\t')
      json_write_text(&edit->splices.replacements, layout->indent);
    else
      json_write_bytes(&edit->splices.replacements, *cursor == '"' && changes_quotes ? &layout->quote : cursor, 1);
    if (*cursor == '\n' && cursor[1] != '\n')
      json_write_bytes(&edit->splices.replacements, indent, indent_bytes);
  }
}

static void write_element(lua_edit_t *edit, const lua_layout_t *layout, const char *indent, uint32_t indent_bytes,
                          const char *key, const char *value) {
  if (key && lua_is_name(key)) {
    json_write_text(&edit->splices.replacements, key);
    json_write_text(&edit->splices.replacements, " = ");
  } else if (key) {
    json_write_text(&edit->splices.replacements, "[");
    json_write_bytes(&edit->splices.replacements, &layout->quote, 1);
    json_write_text(&edit->splices.replacements, key);
    json_write_bytes(&edit->splices.replacements, &layout->quote, 1);
    json_write_text(&edit->splices.replacements, "] = ");
  }
  write_value(edit, layout, indent, indent_bytes, value);
}

// --- finding

bool lua_edit_next_element(literal_span_t table, uint32_t *i, lua_entry_t *out) {
  uint32_t next = *i + 1 < table.last ? lua_tokens_read_entry(&table.file->lua, *i, out) : 0;
  *i = next > 0 ? next : *i;
  return next > 0;
}

static bool token_is_key(literal_span_t span, uint32_t i, const char *key) {
  const lua_token_t *token = token_at(span, i);
  uint32_t quotes = token->kind == TOKEN_STRING;
  return (quotes || token->kind == TOKEN_NAME) && token->bytes == strlen(key) + 2 * quotes &&
         memcmp(span.file->text + token->at + quotes, key, strlen(key)) == 0;
}

// Returns the last element with this key; its `name` is 0 if the table lacks the key.
static lua_entry_t find_element(literal_span_t table, const char *key) {
  lua_entry_t found = {0}, entry;
  for (uint32_t i = table.first + 1; lua_edit_next_element(table, &i, &entry);)
    if (entry.name > 0 && token_is_key(table, entry.name, key))
      found = entry;
  return found;
}

literal_span_t lua_edit_find_value(literal_span_t table, const char *key) {
  lua_entry_t found = find_element(table, key);
  return found.name > 0 ? (literal_span_t){table.file, found.value, found.last} : NOT_FOUND;
}

bool lua_edit_is_table(literal_span_t span) {
  return span.file && lua_tokens_match_word(&span.file->lua, span.first, "{") &&
         lua_tokens_skip_bracket(&span.file->lua, span.first) == span.last;
}

bool lua_edit_is_empty(literal_span_t table) {
  lua_entry_t entry;
  uint32_t i = table.first + 1;
  return !lua_edit_next_element(table, &i, &entry);
}

void lua_edit_copy_key(literal_span_t table, uint32_t name, char *out, size_t bytes) {
  const lua_token_t *token = token_at(table, name);
  uint32_t quotes = token->kind == TOKEN_STRING;
  snprintf(out, bytes, "%.*s", (int)(token->bytes - 2 * quotes), table.file->text + token->at + quotes);
}

bool lua_edit_reject_code(literal_span_t span, const char *subject, error_info_t *error) {
  char source[128];
  literal_copy_text(span, source, sizeof source);
  return error_set_at(error, span.file->name, literal_line(span),
                      "cannot change %s, which code creates (%s): edit the file", subject, source);
}

static literal_span_t reject_code(literal_span_t span, const char *subject, error_info_t *error) {
  lua_edit_reject_code(span, subject, error);
  return NOT_FOUND;
}

// Checks that the file assigns no elements with computed keys to the local that holds the table: made[name] = … Returns
// true if there is no such assignment, otherwise false with an error.
static bool check_no_computed_keys(literal_span_t named, const char *subject, error_info_t *error) {
  if (named.last != named.first + 1 || token_at(named, named.first)->kind != TOKEN_NAME)
    return true;
  const lua_tokens_t *lua = &named.file->lua;
  const lua_token_t *name = token_at(named, named.first);
  for (uint32_t i = 0; i + 2 < lua->tokens.count; ++i) {
    const lua_token_t *token = &lua->tokens.items[i];
    bool is_same_name = token->kind == TOKEN_NAME && token->bytes == name->bytes &&
                        (i == 0 || !lua_tokens_match_word(lua, i - 1, ".")) &&
                        memcmp(lua->text + token->at, lua->text + name->at, token->bytes) == 0;
    if (!is_same_name || !lua_tokens_match_word(lua, i + 1, "["))
      continue;
    uint32_t next_token = lua_tokens_skip_bracket(lua, i + 1);
    if (lua_tokens_match_word(lua, next_token, "=")) {
      reject_code((literal_span_t){named.file, i, next_token}, subject, error);
      return false;
    }
  }
  return true;
}

literal_span_t lua_edit_find_table(lua_edit_t *edit, const char *file, const char *const *keys, uint32_t count,
                                   error_info_t *error) {
  char subject[160];
  literal_span_t span = literal_find_return_value(&edit->search, file);
  snprintf(subject, sizeof subject, "the table that %.100s returns", file);
  if (!span.file) {
    error_set(error, "%s must return a table", file);
    return NOT_FOUND;
  }
  for (uint32_t i = 0;; ++i) {
    literal_span_t table = literal_find_table(&edit->search, span);
    if (!table.file)
      return reject_code(literal_resolve(&edit->search, span), subject, error);
    if (!check_no_computed_keys(span, subject, error))
      return NOT_FOUND;
    if (i == count)
      return table;
    literal_span_t next = literal_find_value(&edit->search, span, keys[i]);
    next = next.file ? next : literal_find_value(&edit->search, table, keys[i]);
    snprintf(subject, sizeof subject, "%.100s", keys[i]);
    if (!next.file) {
      error_set_at(error, table.file->name, literal_line(table), "%s not found in the table at this line", keys[i]);
      return NOT_FOUND;
    }
    span = next;
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
  lua_entry_t entry;
  for (uint32_t i = table.first + 1, begin = i; lua_edit_next_element(table, &i, &entry); begin = i) {
    out.count++;
    out.last_name = begin;
    out.last_end = entry.last;
    out.separated = is_separator(table, entry.last);
  }
  return out;
}

// Returns the position after the last element and its separator.
static uint32_t last_position(const insertion_t *insertion) {
  return token_end(insertion->table, insertion->count == 0  ? insertion->table.first
                                     : insertion->separated ? insertion->last_end
                                                            : insertion->last_end - 1);
}

static uint32_t close_position(const insertion_t *insertion) {
  return token_at(insertion->table, insertion->table.last - 1)->at;
}

static void write_line_begin(lua_edit_t *edit, const insertion_t *insertion, uint32_t line, uint32_t levels) {
  const literal_file_t *file = insertion->table.file;
  json_write_text(&edit->splices.replacements, insertion->layout.newline);
  json_write_bytes(&edit->splices.replacements, file->text + line, find_indent_end(file, line) - line);
  for (uint32_t i = 0; i < levels; ++i)
    json_write_text(&edit->splices.replacements, insertion->layout.indent);
}

static char *make_indentation(lua_edit_t *edit, const insertion_t *insertion, uint32_t line, uint32_t levels,
                              uint32_t *bytes) {
  const literal_file_t *file = insertion->table.file;
  uint32_t blanks = find_indent_end(file, line) - line, level_bytes = (uint32_t)strlen(insertion->layout.indent);
  *bytes = blanks + levels * level_bytes;
  char *indentation = alloc_resize(edit->search.memory, NULL, 0, *bytes + 1);
  memcpy(indentation, file->text + line, blanks);
  for (uint32_t i = 0; i < levels; ++i)
    memcpy(indentation + blanks + i * level_bytes, insertion->layout.indent, level_bytes);
  return indentation;
}

// Adds the missing separator after the last element.
static void add_missing_separator(lua_edit_t *edit, const insertion_t *insertion) {
  if (insertion->count > 0 && !insertion->separated)
    lua_edit_replace_bytes(edit, insertion->table.file, last_position(insertion), last_position(insertion), ",");
}

// Appends an element to a one-line table: { a = 1 } becomes { a = 1, b = 2 }.
static void insert_in_line(lua_edit_t *edit, const insertion_t *insertion, const char *key, const char *value) {
  literal_file_t *file = insertion->table.file;
  uint32_t start = last_position(insertion), end = start, text_start = edit->splices.replacements.text.count;
  if (insertion->count == 0) {
    end = close_position(insertion);
    start = find_indent_end(file, start) == end ? start : end; // skips a comment in the table
  }
  bool needs_blank = start == 0 || file->text[start - 1] != ' ';
  json_write_text(&edit->splices.replacements, insertion->count > 0 && !insertion->separated ? ", "
                                               : needs_blank                                 ? " "
                                                                                             : "");
  write_element(edit, &insertion->layout, "", 0, key, value);
  json_write_text(&edit->splices.replacements, insertion->count == 0 ? " " : insertion->separated ? "," : "");
  add_splice(edit, file, start, end, text_start);
}

// Splits a one-line table into one line per element, and appends an element.
static void expand_and_insert(lua_edit_t *edit, const insertion_t *insertion, const char *key, const char *value) {
  literal_file_t *file = insertion->table.file;
  uint32_t line = find_line_start(file, token_at(insertion->table, insertion->table.first)->at), indent_bytes,
           text_start;
  lua_entry_t entry;
  for (uint32_t i = insertion->table.first + 1; insertion->count > 0 && i < insertion->table.last - 1;) {
    uint32_t gap = token_end(insertion->table, i - 1);
    text_start = edit->splices.replacements.text.count;
    write_line_begin(edit, insertion, line, 1);
    add_splice(edit, file, gap, find_indent_end(file, gap), text_start);
    if (!lua_edit_next_element(insertion->table, &i, &entry))
      break;
  }
  add_missing_separator(edit, insertion);
  char *indent = make_indentation(edit, insertion, line, 1, &indent_bytes);
  uint32_t end = last_position(insertion);
  text_start = edit->splices.replacements.text.count;
  write_line_begin(edit, insertion, line, 1);
  write_element(edit, &insertion->layout, indent, indent_bytes, key, value);
  json_write_text(&edit->splices.replacements, insertion->layout.trailing ? "," : "");
  uint32_t blanks = find_indent_end(file, end);
  if (blanks == close_position(insertion)) {
    write_line_begin(edit, insertion, line, 0);
    add_splice(edit, file, end, blanks, text_start);
  } else { // a comment precedes the closing bracket
    add_splice(edit, file, end, end, text_start);
    text_start = edit->splices.replacements.text.count;
    write_line_begin(edit, insertion, line, 0);
    add_splice(edit, file, close_position(insertion), close_position(insertion), text_start);
  }
  alloc_resize(edit->search.memory, indent, indent_bytes + 1, 0);
}

// Returns true if an empty line precedes the last element.
static bool has_blank_line_before_last(const insertion_t *insertion) {
  const literal_file_t *file = insertion->table.file;
  uint32_t line = find_line_start(file, token_at(insertion->table, insertion->last_name)->at);
  while (line > 0) { // skips the comment above the element
    uint32_t previous_line = find_line_start(file, line - 1), first_character = find_indent_end(file, previous_line);
    if (file->text[first_character] != '-' || file->text[first_character + 1] != '-')
      return insertion->count > 1 && (file->text[first_character] == '\n' || file->text[first_character] == '\r');
    line = previous_line;
  }
  return false;
}

// Appends an element to a table of several lines.
static void insert_as_line(lua_edit_t *edit, const insertion_t *insertion, const char *key, const char *value) {
  literal_file_t *file = insertion->table.file;
  uint32_t close_at = close_position(insertion), indent_bytes;
  uint32_t open_line = find_line_start(file, token_at(insertion->table, insertion->table.first)->at);
  uint32_t line =
      insertion->count > 0 ? find_line_start(file, token_at(insertion->table, insertion->last_name)->at) : open_line;
  uint32_t levels = line == open_line ? 1 : 0;
  bool closes_alone = begins_line(file, close_at);
  add_missing_separator(edit, insertion);
  char *indent = make_indentation(edit, insertion, line, levels, &indent_bytes);
  uint32_t position =
      insertion->count == 0 && closes_alone ? find_line_start(file, close_at) : last_position(insertion);
  if (insertion->count > 0 && closes_alone)
    position = skip_line_rest(file, position);
  uint32_t text_start = edit->splices.replacements.text.count;
  if (insertion->count == 0 && closes_alone) { // an empty table, or a table that contains only comments
    json_write_bytes(&edit->splices.replacements, indent, indent_bytes);
    write_element(edit, &insertion->layout, indent, indent_bytes, key, value);
    json_write_text(&edit->splices.replacements, insertion->layout.trailing ? "," : "");
    json_write_text(&edit->splices.replacements, insertion->layout.newline);
  } else {
    if (insertion->count > 0 && has_blank_line_before_last(insertion))
      json_write_text(&edit->splices.replacements, insertion->layout.newline);
    write_line_begin(edit, insertion, line, levels);
    write_element(edit, &insertion->layout, indent, indent_bytes, key, value);
    json_write_text(&edit->splices.replacements, insertion->separated ? "," : "");
  }
  add_splice(edit, file, position, position, text_start);
  alloc_resize(edit->search.memory, indent, indent_bytes + 1, 0);
}

void lua_edit_insert(lua_edit_t *edit, literal_span_t table, const char *key, const char *value) {
  insertion_t insertion = read_elements(table);
  const literal_file_t *file = table.file;
  uint32_t open_at = token_at(table, table.first)->at, close_at = close_position(&insertion), end = close_at;
  shoal_assert(lua_tokens_match_word(&file->lua, table.first, "{"), "the span is not a table");
  while (end < file->bytes && file->text[end] != '\n')
    ++end;
  size_t columns = end - find_line_start(file, open_at) + (key ? strlen(key) : 0) + strlen(value) + 5;
  if (spans_lines(file, open_at, close_at))
    insert_as_line(edit, &insertion, key, value);
  else if (!strchr(value, '\n') && columns <= MAX_COLUMNS)
    insert_in_line(edit, &insertion, key, value);
  else
    expand_and_insert(edit, &insertion, key, value);
}

// --- removing

// An element to be removed, and the tokens around it.
typedef struct removal_t {
  uint32_t begin, last;    // tokens [begin, last), without the separator
  uint32_t previous, next; // first tokens of the previous and the next element; 0: no such element
  uint32_t previous_last;  // token after the preceding element
  bool separated, previous_separated;
} removal_t;

static removal_t find_removal(literal_span_t table, uint32_t index) {
  removal_t removal = {0};
  lua_entry_t entry;
  uint32_t element = 0;
  for (uint32_t i = table.first + 1, begin = i; lua_edit_next_element(table, &i, &entry); begin = i, ++element) {
    if (element + 1 == index) {
      removal.previous = begin;
      removal.previous_last = entry.last;
      removal.previous_separated = is_separator(table, entry.last);
    } else if (element == index) {
      removal.begin = begin;
      removal.last = entry.last;
      removal.separated = is_separator(table, entry.last);
    } else if (element == index + 1) {
      removal.next = begin;
    }
  }
  shoal_assert(index < element, "element %u is out of range (count %u)", index, element);
  return removal;
}

// Removes the element with its lines, and returns true. Returns false, without a change, if anything else is on its
// lines. For a last element without a separator, also removes the separator of the preceding element.
static bool remove_lines(lua_edit_t *edit, literal_span_t table, const removal_t *removal) {
  literal_file_t *file = table.file;
  uint32_t start = token_at(table, removal->begin)->at,
           end = token_end(table, removal->separated ? removal->last : removal->last - 1);
  end = skip_line_rest(file, end);
  if (!begins_line(file, start) || (file->text[end] != '\n' && file->text[end] != '\r'))
    return false;
  end += file->text[end] == '\r';
  end += file->text[end] == '\n';
  if (!removal->next && removal->previous && removal->previous_separated && !removal->separated)
    lua_edit_replace_bytes(edit, file, token_at(table, removal->previous_last)->at,
                           token_end(table, removal->previous_last), "");
  lua_edit_replace_bytes(edit, file, find_line_start(file, start), end, "");
  return true;
}

void lua_edit_remove(lua_edit_t *edit, literal_span_t table, uint32_t index) {
  removal_t removal = find_removal(table, index);
  uint32_t start = token_at(table, removal.begin)->at, end = token_end(table, removal.last - 1);
  if (remove_lines(edit, table, &removal))
    return;
  if (removal.next) {
    end = token_at(table, removal.next)->at;
  } else if (removal.previous) {
    start = token_end(table, removal.previous_last - 1);
  } else {
    start = token_end(table, table.first);
    end = token_at(table, table.last - 1)->at;
  }
  lua_edit_replace_bytes(edit, table.file, start, end, "");
}

bool lua_edit_remove_key(lua_edit_t *edit, literal_span_t table, const char *key) {
  lua_entry_t entry;
  uint32_t element = 0, last_match = UINT32_MAX;
  for (uint32_t i = table.first + 1; lua_edit_next_element(table, &i, &entry); ++element)
    if (entry.name > 0 && token_is_key(table, entry.name, key))
      last_match = element;
  if (last_match != UINT32_MAX)
    lua_edit_remove(edit, table, last_match);
  return last_match != UINT32_MAX;
}

// --- replacing

void lua_edit_replace(lua_edit_t *edit, literal_span_t span, const char *value) {
  lua_layout_t layout = lua_edit_detect_layout(span.file);
  uint32_t start = token_at(span, span.first)->at, line = find_line_start(span.file, start),
           text_start = edit->splices.replacements.text.count;
  write_value(edit, &layout, span.file->text + line, find_indent_end(span.file, line) - line, value);
  add_splice(edit, span.file, start, token_end(span, span.last - 1), text_start);
}

static void rename_token(lua_edit_t *edit, literal_span_t span, uint32_t i, const char *new_name) {
  const lua_token_t *token = token_at(span, i);
  uint32_t quotes = token->kind == TOKEN_STRING;
  lua_edit_replace_bytes(edit, span.file, token->at + quotes, token->at + token->bytes - quotes, new_name);
}

bool lua_edit_rename_key(lua_edit_t *edit, literal_span_t table, const char *key, const char *new_key,
                         error_info_t *error) {
  lua_entry_t element = find_element(table, key);
  if (element.name == 0)
    return error_set_at(error, table.file->name, literal_line(table), "%s not found in the table at this line", key);
  rename_token(edit, table, element.name, new_key);
  return true;
}

// Removes the string `name` and its separator from a list.
static void remove_name(lua_edit_t *edit, literal_span_t list, const char *name) {
  lua_entry_t entry;
  for (uint32_t i = list.first + 1, element = i; lua_edit_next_element(list, &i, &entry); element = i) {
    if (entry.name > 0 || entry.last != entry.value + 1 || !token_is_key(list, entry.value, name))
      continue;
    bool is_last = i + 1 >= list.last;
    uint32_t start = is_last && element > list.first + 1 ? token_end(list, element - 2) : token_at(list, element)->at;
    lua_edit_replace_bytes(edit, list.file, start, is_last ? token_end(list, entry.value) : token_at(list, i)->at, "");
    return;
  }
}

// Adds a string at the beginning of a list, and removes the string `current`: "a" becomes { "NAME", "a" }. Returns true
// on success, or false with an error if the list is neither a string nor a table constructor.
static bool prepend_name(lua_edit_t *edit, literal_span_t list, const char *name, const char *current,
                         error_info_t *error) {
  const lua_token_t *token = token_at(list, list.first);
  char text[512];
  if (lua_tokens_match_word(&list.file->lua, list.first, "{")) {
    bool is_empty = list.last == list.first + 2;
    char quote = lua_edit_detect_layout(list.file).quote;
    uint32_t position = is_empty ? token->at + 1 : token_at(list, list.first + 1)->at;
    snprintf(text, sizeof text, is_empty ? " %c%s%c " : "%c%s%c, ", quote, name, quote);
    lua_edit_replace_bytes(edit, list.file, position, position, text);
    remove_name(edit, list, current);
    return true;
  }
  if (list.last != list.first + 1 || token->kind != TOKEN_STRING)
    return reject_code(list, "renamed_from", error).file != NULL;
  if (token_is_key(list, list.first, current))
    snprintf(text, sizeof text, "\"%s\"", name);
  else
    snprintf(text, sizeof text, "{ \"%s\", \"%.*s\" }", name, (int)token->bytes - 2, list.file->text + token->at + 1);
  lua_edit_replace(edit, list, text);
  return true;
}

// Adds `field = "OLD"` to the value of renamed_from. If the field was renamed before, the table contains `old_name` as
// a key, which is renamed to `field`. Returns true on success, or false with an error.
static bool add_former_field(lua_edit_t *edit, literal_span_t value, const char *field, const char *old_name,
                             error_info_t *error) {
  char text[512];
  if (lua_tokens_match_word(&value.file->lua, value.first, "{")) {
    lua_entry_t existing = find_element(value, old_name);
    snprintf(text, sizeof text, "\"%s\"", old_name);
    if (existing.name == 0) {
      lua_edit_insert(edit, value, field, text);
      return true;
    }
    rename_token(edit, value, existing.name, field);
    return prepend_name(edit, (literal_span_t){value.file, existing.value, existing.last}, old_name, field, error);
  }
  if (value.last != value.first + 1 || token_at(value, value.first)->kind != TOKEN_STRING)
    return reject_code(value, "renamed_from", error).file != NULL;
  const lua_token_t *token = token_at(value, value.first);
  snprintf(text, sizeof text, "{ \"%.*s\", %s = \"%s\" }", (int)token->bytes - 2, value.file->text + token->at + 1,
           field, old_name);
  lua_edit_replace(edit, value, text);
  return true;
}

bool lua_edit_add_renamed_from(lua_edit_t *edit, literal_span_t table, bool is_field, const char *old_name,
                               const char *new_name, error_info_t *error) {
  char text[512];
  literal_span_t former_names = lua_edit_find_value(table, "renamed_from");
  if (former_names.file && is_field)
    return add_former_field(edit, former_names, new_name, old_name, error);
  if (former_names.file)
    return prepend_name(edit, former_names, old_name, new_name, error);
  if (is_field)
    snprintf(text, sizeof text, "{ %s = \"%s\" }", new_name, old_name);
  else
    snprintf(text, sizeof text, "\"%s\"", old_name);
  lua_edit_insert(edit, table, "renamed_from", text);
  return true;
}
