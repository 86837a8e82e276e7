// Reads addon.lua with luajit/lua_edit.h, so that an add-on of unknown origin is not run before it is added.
#include "addons/addon_info.h"

#include "base/files.h"
#include "luajit/lua_edit.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "addon.lua"

// --- versions

// Stores the numbers of a version such as "1.2". Returns true on success, or false if the text is not a version.
static bool parse_version(const char *text, unsigned out[3]) {
  int ends[2] = {0, 0};
  out[0] = out[1] = out[2] = 0;
  if (strspn(text, "0123456789.") != strlen(text) || strlen(text) >= ADDON_VERSION_BYTES || text[0] == '.')
    return false;
  int count = sscanf(text, "%9u.%9u%n.%9u%n", &out[0], &out[1], &ends[0], &out[2], &ends[1]);
  return count >= 2 && text[ends[count - 2]] == '\0';
}

bool addon_version_is_valid(const char *version) {
  unsigned parts[3];
  return parse_version(version, parts);
}

int addon_version_compare(const char *a, const char *b) {
  unsigned a_parts[3], b_parts[3];
  parse_version(a, a_parts);
  parse_version(b, b_parts);
  for (uint32_t i = 0; i < 3; ++i)
    if (a_parts[i] != b_parts[i])
      return a_parts[i] < b_parts[i] ? -1 : 1;
  return 0;
}

bool addon_version_meets(const char *version, const char *requirement) {
  size_t operator_bytes = strspn(requirement, "<>="), blank_bytes = strspn(requirement + operator_bytes, " ");
  int order = addon_version_compare(version, requirement + operator_bytes + blank_bytes);
  if (operator_bytes == 2 && strncmp(requirement, ">=", 2) == 0)
    return order >= 0;
  return operator_bytes == 1 && requirement[0] == '>' ? order > 0 : order == 0;
}

// --- literals

bool addon_copy_string(literal_span_t literal, char *out, size_t bytes) {
  const lua_token_t *token =
      literal.file && literal.last == literal.first + 1 ? &literal.file->lua.tokens.items[literal.first] : NULL;
  if (!token || token->kind != TOKEN_STRING || token->bytes - 2 >= bytes ||
      memchr(literal.file->text + token->at, '\\', token->bytes))
    return false;
  snprintf(out, bytes, "%.*s", (int)token->bytes - 2, literal.file->text + token->at + 1);
  return true;
}

static bool is_addon_name(const char *text) {
  static const char FIRST[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  size_t length = strlen(text),
         valid_bytes = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
  return length > 0 && valid_bytes == length && strchr(FIRST, text[0]);
}

static bool read_text(literal_span_t table, const char *key, bool required, char *out, size_t bytes,
                      error_info_t *error) {
  literal_span_t value = lua_edit_find_value(table, key);
  if (!value.file && !required)
    return true;
  return addon_copy_string(value, out, bytes) ||
         error_set_at(error, FILE_NAME, literal_line(value.file ? value : table),
                      "%s must be a string of at most %zu bytes, such as %s = \"…\"", key, bytes - 1, key);
}

static bool read_requires(literal_span_t table, addon_info_t *out, error_info_t *error) {
  literal_span_t list = lua_edit_find_value(table, "requires");
  if (!list.file)
    return true;
  uint32_t line = literal_line(list), i = list.first + 1;
  lua_entry_t entry;
  bool ok = lua_tokens_match_word(&list.file->lua, list.first, "{");
  while (ok && lua_edit_next_element(list, &i, &entry)) {
    addon_requirement_t *requirement = &out->requires[out->requires_count];
    if (out->requires_count == sizeof out->requires / sizeof *out->requires)
      return error_set_at(error, FILE_NAME, line, "too many add-ons in requires (at most %zu)",
                          sizeof out->requires / sizeof *out->requires);
    const lua_token_t *name = &list.file->lua.tokens.items[entry.name];
    ok = entry.name > 0 && name->kind == TOKEN_NAME && name->bytes < sizeof requirement->name &&
         addon_copy_string((literal_span_t){list.file, entry.value, entry.last}, requirement->version,
                           sizeof requirement->version) &&
         addon_version_is_valid(requirement->version + strspn(requirement->version, "<>= "));
    if (ok)
      snprintf(requirement->name, sizeof requirement->name, "%.*s", (int)name->bytes, list.file->text + name->at);
    out->requires_count += ok;
  }
  return ok || error_set_at(error, FILE_NAME, line,
                            "requires must map add-on names to versions, such as requires = { menu = \">=1.0\" }");
}

// --- addon.lua as a whole

// Returns true if token i can be part of the file's values: a literal, or a name of a local or of a key.
static bool is_data_token(const lua_tokens_t *t, uint32_t i) {
  static const char *const SYMBOLS[] = {"{", "}", "[", "]", "=", ",", ";", "-"};
  static const char *const KEYWORDS[] = {"and", "break", "do",  "else", "elseif", "end",  "for",   "function", "goto",
                                         "if",  "in",    "not", "or",   "repeat", "then", "until", "while"};
  const lua_token_t *token = &t->tokens.items[i];
  bool is_data = token->kind != TOKEN_SYMBOL;
  for (size_t k = 0; token->kind == TOKEN_SYMBOL && k < sizeof SYMBOLS / sizeof *SYMBOLS; ++k)
    is_data |= lua_token_is(t->text, token, SYMBOLS[k]);
  for (size_t k = 0; token->kind == TOKEN_NAME && k < sizeof KEYWORDS / sizeof *KEYWORDS; ++k)
    is_data &= !lua_token_is(t->text, token, KEYWORDS[k]);
  return is_data;
}

static bool begins_statement(const lua_tokens_t *t, uint32_t i) {
  return lua_tokens_match_word(t, i, "return") || lua_tokens_match_word(t, i, "local") ||
         lua_tokens_match_word(t, i, ";");
}

// Returns true if token i is the name of a local that an earlier statement declares.
static bool is_local(const lua_tokens_t *t, uint32_t i) {
  const lua_token_t *token = &t->tokens.items[i];
  for (uint32_t k = 1; k < i; ++k) {
    const lua_token_t *earlier = &t->tokens.items[k];
    if (lua_tokens_match_word(t, k - 1, "local") && earlier->bytes == token->bytes &&
        memcmp(t->text + earlier->at, t->text + token->at, token->bytes) == 0)
      return true;
  }
  return false;
}

static bool is_constant(const lua_tokens_t *t, uint32_t i) {
  return lua_tokens_match_word(t, i, "true") || lua_tokens_match_word(t, i, "false") ||
         lua_tokens_match_word(t, i, "nil");
}

// Returns true if token i begins a value: it is "{", or neither a symbol, a key nor the start of a statement.
static bool is_value(const lua_tokens_t *t, uint32_t i) {
  const lua_token_t *token = &t->tokens.items[i];
  bool is_key = token->kind == TOKEN_NAME && lua_tokens_match_word(t, i + 1, "=");
  return (token->kind != TOKEN_SYMBOL || lua_tokens_match_word(t, i, "{")) && token->kind != TOKEN_END && !is_key &&
         !begins_statement(t, i);
}

static bool ends_value(const lua_tokens_t *t, uint32_t i) {
  const lua_token_t *token = &t->tokens.items[i];
  return lua_tokens_match_word(t, i, "}") || (token->kind != TOKEN_SYMBOL && !begins_statement(t, i));
}

// Returns true if token i is valid in a file that only declares locals with literals, and returns literals.
static bool is_token_of_data(const lua_tokens_t *t, uint32_t i) {
  const lua_token_t *token = &t->tokens.items[i];
  bool is_statement = begins_statement(t, i),
       is_statement_start = token->depth == 0 && (i == 0 || lua_tokens_match_word(t, i - 1, ";"));
  if (is_statement || token->kind == TOKEN_END)
    return token->depth == 0 || lua_tokens_match_word(t, i, ";");
  if (is_statement_start || !is_data_token(t, i))
    return false;
  if (!is_value(t, i))
    return token->kind != TOKEN_NAME || token->depth > 0 || lua_tokens_match_word(t, i - 1, "local");
  bool is_declaration = lua_tokens_match_word(t, i - 1, "local"); // a local without a value
  bool is_valid_value = token->kind != TOKEN_NAME || is_declaration || is_constant(t, i) || is_local(t, i);
  return is_valid_value && (is_declaration || !ends_value(t, i - 1));
}

// Returns true if addon.lua contains only data, or false with a message. An add-on of unknown origin must not run code
// before its files are checked.
static bool check_only_data(const char *text, size_t bytes, allocator_t *memory, error_info_t *error) {
  lua_tokens_t tokens;
  bool ok = lua_tokens_read(&tokens, memory, text, bytes, error);
  for (uint32_t i = 0; ok && i < tokens.tokens.count; ++i) {
    const lua_token_t *token = &tokens.tokens.items[i];
    ok = is_token_of_data(&tokens, i) ||
         error_set_at(error, FILE_NAME, token->line,
                      "addon.lua may only return a table of strings, numbers, booleans and tables, found %.*s: move "
                      "code to a different file of the add-on",
                      token->bytes < 40 ? (int)token->bytes : 40, text + token->at);
  }
  lua_tokens_fini(&tokens, memory);
  return ok;
}

typedef struct text_t {
  const char *text;
  size_t bytes;
} text_t;

static char *copy_text(void *context, allocator_t *memory, const char *name, size_t *bytes) {
  const text_t *source = context;
  if (strcmp(name, FILE_NAME) != 0)
    return NULL;
  char *out = alloc_resize(memory, NULL, 0, source->bytes + 1);
  memcpy(out, source->text, source->bytes);
  out[source->bytes] = '\0';
  *bytes = source->bytes;
  return out;
}

bool addon_info_parse(allocator_t *memory, const char *text, size_t bytes, addon_info_t *out, error_info_t *error) {
  text_t source = {text, bytes};
  lua_edit_t edit;
  *out = (addon_info_t){0};
  if (!lua_source_check_size(FILE_NAME, bytes, error) || !lua_source_check(FILE_NAME, text, bytes, error) ||
      !check_only_data(text, bytes, memory, error))
    return false;
  lua_edit_init(&edit, memory, copy_text, &source);
  literal_span_t table = lua_edit_find_table(&edit, FILE_NAME, NULL, 0, error);
  bool ok = table.file && read_text(table, "name", true, out->name, sizeof out->name, error) &&
            read_text(table, "version", true, out->version, sizeof out->version, error) &&
            read_text(table, "licence", false, out->licence, sizeof out->licence, error) &&
            read_requires(table, out, error);
  if (ok && !is_addon_name(out->name))
    ok = error_set_at(error, FILE_NAME, literal_line(lua_edit_find_value(table, "name")),
                      "name must consist of letters, digits and _, and not begin with a digit, got %s", out->name);
  else if (ok && !addon_version_is_valid(out->version))
    ok = error_set_at(error, FILE_NAME, literal_line(lua_edit_find_value(table, "version")),
                      "version must consist of two or three numbers, such as \"1.2.0\", got %s", out->version);
  lua_edit_fini(&edit);
  return ok;
}

bool addon_info_read(allocator_t *memory, const char *folder, addon_info_t *out, error_info_t *error) {
  char path[FILE_PATH_BYTES];
  size_t bytes = 0;
  char *text = file_read(memory, path_join(path, sizeof path, folder, FILE_NAME), &bytes, error);
  bool ok = text && addon_info_parse(memory, text, bytes, out, error);
  file_free(memory, text, bytes);
  return ok;
}
