// Tokenizer for LuaJIT's Lua. Finds the end of an expression from the grammar, without building a syntax tree.
#include "luajit/lua_tokens.h"

#include "base/assert.h"

#include <string.h>

static char peek_char(const lua_reader_t *reader, size_t ahead) {
  return reader->at + ahead < reader->bytes ? reader->text[reader->at + ahead] : '\0';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Returns true for letters and `_`; as in LuaJIT, every byte of a multi-byte UTF-8 sequence is a letter.
static bool is_letter(char c) {
  return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_newline(char c) {
  return c == '\n' || c == '\r';
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Skips a character or a line break ("\n", "\r", "\r\n" or "\n\r"), and counts lines.
static void advance_char(lua_reader_t *reader) {
  char c = reader->text[reader->at++];
  if (!is_newline(c))
    return;
  reader->line++;
  reader->at += is_newline(peek_char(reader, 0)) && peek_char(reader, 0) != c;
}

size_t lua_tokens_measure_long_bracket(const char *text, size_t bytes) {
  size_t length = 1;
  if (bytes == 0 || text[0] != '[')
    return 0;
  while (length < bytes && text[length] == '=')
    ++length;
  return length < bytes && text[length] == '[' ? length + 1 : 0;
}

static size_t measure_long_bracket(const lua_reader_t *reader) {
  return lua_tokens_measure_long_bracket(reader->text + reader->at, reader->bytes - reader->at);
}

static bool closes_long_bracket(const lua_reader_t *reader, size_t opening) {
  size_t level = 0;
  if (peek_char(reader, 0) != ']')
    return false;
  while (peek_char(reader, 1 + level) == '=')
    ++level;
  return level + 2 == opening && peek_char(reader, 1 + level) == ']';
}

static bool skip_long_bracket(lua_reader_t *reader, size_t opening) {
  reader->at += opening;
  while (reader->at < reader->bytes && !closes_long_bracket(reader, opening))
    advance_char(reader);
  bool is_closed = reader->at < reader->bytes;
  reader->at += is_closed ? opening : 0;
  return is_closed;
}

// Skips white space and comments, and returns true; returns false if a comment is unterminated.
static bool skip_blanks_and_comments(lua_reader_t *reader) {
  for (;;) {
    while (reader->at < reader->bytes && is_space(peek_char(reader, 0)))
      advance_char(reader);
    if (peek_char(reader, 0) != '-' || peek_char(reader, 1) != '-')
      return true;
    reader->at += 2;
    size_t opening = measure_long_bracket(reader);
    if (opening > 0 && !skip_long_bracket(reader, opening))
      return false;
    while (opening == 0 && reader->at < reader->bytes && !is_newline(peek_char(reader, 0)))
      advance_char(reader);
  }
}

// Skips the character after a backslash; `\z` also skips white space.
static void skip_escaped(lua_reader_t *reader) {
  bool skips_space = peek_char(reader, 0) == 'z';
  if (reader->at < reader->bytes)
    advance_char(reader);
  while (skips_space && reader->at < reader->bytes && is_space(peek_char(reader, 0)))
    advance_char(reader);
}

static bool skip_quoted_string(lua_reader_t *reader) {
  char quote = reader->text[reader->at++];
  while (reader->at < reader->bytes && !is_newline(peek_char(reader, 0))) {
    char c = reader->text[reader->at++];
    if (c == quote)
      return true;
    if (c == '\\')
      skip_escaped(reader);
  }
  return false;
}

static size_t measure_symbol(const lua_reader_t *reader) {
  static const char *const SYMBOLS[] = {"...", "..", "==", "~=", "<=", ">=", "::"};
  for (size_t i = 0; i < sizeof SYMBOLS / sizeof *SYMBOLS; ++i)
    if (reader->at + strlen(SYMBOLS[i]) <= reader->bytes &&
        memcmp(reader->text + reader->at, SYMBOLS[i], strlen(SYMBOLS[i])) == 0)
      return strlen(SYMBOLS[i]);
  return peek_char(reader, 0) && strchr("+-*/%^#=<>(){}[];:,.", peek_char(reader, 0)) ? 1 : 0;
}

// Skips a number, including suffix letters (1LL, 2i) and the sign of its exponent.
static void skip_number(lua_reader_t *reader) {
  char exponent = peek_char(reader, 0) == '0' && (peek_char(reader, 1) | 32) == 'x' ? 'p' : 'e';
  for (char c, previous = '\0'; (c = peek_char(reader, 0)); previous = c, ++reader->at)
    if (!is_digit(c) && !is_letter(c) && c != '.' && ((c != '-' && c != '+') || (previous | 32) != exponent))
      break;
}

static lua_token_kind_t skip_token(lua_reader_t *reader) {
  char c = peek_char(reader, 0);
  if (is_letter(c)) {
    while (is_letter(peek_char(reader, 0)) || is_digit(peek_char(reader, 0)))
      reader->at++;
    return TOKEN_NAME;
  }
  if (is_digit(c) || (c == '.' && is_digit(peek_char(reader, 1)))) {
    skip_number(reader);
    return TOKEN_NUMBER;
  }
  if (c == '"' || c == '\'')
    return skip_quoted_string(reader) ? TOKEN_STRING : TOKEN_MALFORMED;
  size_t opening = measure_long_bracket(reader), symbol = measure_symbol(reader);
  if (opening > 0)
    return skip_long_bracket(reader, opening) ? TOKEN_LONG_STRING : TOKEN_MALFORMED;
  reader->at += symbol ? symbol : 1;
  return symbol ? TOKEN_SYMBOL : TOKEN_MALFORMED;
}

lua_reader_t lua_reader_init(const char *text, size_t bytes) {
  lua_reader_t reader = {.text = text, .bytes = bytes, .line = 1};
  shoal_assert(bytes < UINT32_MAX / 2, "Lua source is too large (%zu bytes)", bytes);
  if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
    reader.at = 3;
  if (peek_char(&reader, 0) == '#') // the text begins with a shebang line
    while (reader.at < bytes && !is_newline(peek_char(&reader, 0)))
      reader.at++;
  return reader;
}

lua_token_t lua_reader_next(lua_reader_t *reader) {
  lua_token_t token = {.kind = TOKEN_MALFORMED, .at = (uint32_t)reader->at, .line = reader->line};
  if (skip_blanks_and_comments(reader)) {
    token = (lua_token_t){.at = (uint32_t)reader->at, .line = reader->line};
    token.kind = reader->at < reader->bytes ? skip_token(reader) : TOKEN_END;
  }
  token.bytes = (uint32_t)reader->at - token.at;
  return token;
}

bool lua_token_is(const char *text, const lua_token_t *token, const char *word) {
  return (token->kind == TOKEN_NAME || token->kind == TOKEN_SYMBOL) && token->bytes == strlen(word) &&
         memcmp(text + token->at, word, token->bytes) == 0;
}

bool lua_tokens_match_word(const lua_tokens_t *lua, uint32_t i, const char *word) {
  return i < lua->tokens.count && lua_token_is(lua->text, &lua->tokens.items[i], word);
}

static bool token_is_one_of(const char *text, const lua_token_t *token, const char *const *choices) {
  while (*choices && !lua_token_is(text, token, *choices))
    ++choices;
  return *choices;
}

static bool token_at_is_one_of(const lua_tokens_t *lua, uint32_t i, const char *const *choices) {
  return i < lua->tokens.count && token_is_one_of(lua->text, &lua->tokens.items[i], choices);
}

// `while` and `for` are not counted, because the `do` that follows them opens the block.
int lua_token_nesting(const char *text, const lua_token_t *token) {
  static const char *const OPENING[] = {"(", "{", "[", "function", "if", "do", "repeat", NULL};
  static const char *const CLOSING[] = {")", "}", "]", "end", "until", NULL};
  return token_is_one_of(text, token, OPENING) - token_is_one_of(text, token, CLOSING);
}

bool lua_tokens_read(lua_tokens_t *lua, allocator_t *allocator, const char *text, size_t bytes, error_info_t *error) {
  lua_reader_t reader = lua_reader_init(text, bytes);
  lua_token_t token;
  uint32_t depth = 0;
  *lua = (lua_tokens_t){.text = text};
  do {
    token = lua_reader_next(&reader);
    if (token.kind == TOKEN_MALFORMED)
      return error_set(error, "line %u: invalid character, unterminated string or unterminated comment", token.line);
    int nesting = lua_token_nesting(text, &token);
    depth -= depth > 0 && nesting < 0;
    token.depth = depth;
    array_push(allocator, &lua->tokens, token);
    depth += nesting > 0;
  } while (token.kind != TOKEN_END);
  return true;
}

void lua_tokens_fini(lua_tokens_t *lua, allocator_t *allocator) {
  array_free(allocator, &lua->tokens);
}

uint32_t lua_tokens_skip_bracket(const lua_tokens_t *lua, uint32_t i) {
  shoal_assert(i < lua->tokens.count, "token %u is out of range (count %u)", i, lua->tokens.count);
  uint32_t depth = lua->tokens.items[i].depth;
  while (++i + 1 < lua->tokens.count)
    if (lua->tokens.items[i].depth <= depth)
      return i + 1;
  return lua->tokens.count - 1;
}

// Returns the position after the operand at i, or i if no operand follows.
static uint32_t skip_operand(const lua_tokens_t *lua, uint32_t i) {
  static const char *const KEYWORDS[] = {"and", "break", "do", "else",   "elseif", "end",   "for",  "goto",  "if",
                                         "in",  "local", "or", "repeat", "return", "until", "then", "while", NULL};
  static const char *const CONSTANTS[] = {"true", "false", "nil", NULL};
  const lua_token_t *token = &lua->tokens.items[i];
  if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_STRING || token->kind == TOKEN_LONG_STRING ||
      lua_tokens_match_word(lua, i, "...") || token_at_is_one_of(lua, i, CONSTANTS))
    return i + 1;
  if (lua_tokens_match_word(lua, i, "{") || lua_tokens_match_word(lua, i, "function"))
    return lua_tokens_skip_bracket(lua, i);
  if (lua_tokens_match_word(lua, i, "("))
    i = lua_tokens_skip_bracket(lua, i);
  else if (token->kind == TOKEN_NAME && !token_at_is_one_of(lua, i, KEYWORDS))
    ++i;
  else
    return i;
  for (;;) { // skips suffixes: calls and field accesses
    lua_token_kind_t kind = lua->tokens.items[i].kind;
    if (lua_tokens_match_word(lua, i, ".") || lua_tokens_match_word(lua, i, ":"))
      i += i + 2 < lua->tokens.count ? 2 : 1;
    else if (lua_tokens_match_word(lua, i, "(") || lua_tokens_match_word(lua, i, "[") ||
             lua_tokens_match_word(lua, i, "{"))
      i = lua_tokens_skip_bracket(lua, i);
    else if (kind == TOKEN_STRING || kind == TOKEN_LONG_STRING)
      ++i;
    else
      return i;
  }
}

uint32_t lua_tokens_skip_expression(const lua_tokens_t *lua, uint32_t i) {
  static const char *const PREFIXES[] = {"-", "not", "#", NULL};
  static const char *const OPERATORS[] = {
      "+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or", NULL};
  shoal_assert(i < lua->tokens.count, "token %u is out of range (count %u)", i, lua->tokens.count);
  for (uint32_t begin = i;;) {
    while (token_at_is_one_of(lua, i, PREFIXES))
      ++i;
    uint32_t next = skip_operand(lua, i);
    if (next == i)
      return begin;
    i = next;
    if (!token_at_is_one_of(lua, i, OPERATORS))
      return i;
    ++i;
  }
}

uint32_t lua_tokens_find_return_value(const lua_tokens_t *lua) {
  uint32_t value = 0;
  for (uint32_t i = 0; i + 1 < lua->tokens.count; ++i)
    if (lua->tokens.items[i].depth == 0 && lua_tokens_match_word(lua, i, "return"))
      value = i + 1;
  return value;
}

uint32_t lua_tokens_read_entry(const lua_tokens_t *lua, uint32_t i, lua_entry_t *entry) {
  shoal_assert(i < lua->tokens.count, "token %u is out of range (count %u)", i, lua->tokens.count);
  *entry = (lua_entry_t){.value = i};
  if (lua_tokens_match_word(lua, i, "[")) {
    uint32_t next = lua_tokens_skip_bracket(lua, i);
    bool is_literal = next == i + 3 && lua->tokens.items[i + 1].kind != TOKEN_NAME;
    *entry = (lua_entry_t){.name = is_literal ? i + 1 : i, .value = next + 1};
  } else if (lua->tokens.items[i].kind == TOKEN_NAME && lua_tokens_match_word(lua, i + 1, "=")) {
    *entry = (lua_entry_t){.name = i, .value = i + 2};
  }
  entry->last = entry->value < lua->tokens.count ? lua_tokens_skip_expression(lua, entry->value) : entry->value;
  if (entry->last == entry->value)
    return 0;
  return entry->last + (lua_tokens_match_word(lua, entry->last, ",") || lua_tokens_match_word(lua, entry->last, ";"));
}
