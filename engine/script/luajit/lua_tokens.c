// Tokenizer for LuaJIT's Lua. Finds the end of an expression from the grammar, without building a syntax tree.
#include "luajit/lua_tokens.h"

#include "base/assert.h"

#include <string.h>

static char peek_char(const lua_reader_t *r, size_t ahead) {
  return r->at + ahead < r->bytes ? r->text[r->at + ahead] : '\0';
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
static void advance_char(lua_reader_t *r) {
  char c = r->text[r->at++];
  if (!is_newline(c))
    return;
  r->line++;
  r->at += is_newline(peek_char(r, 0)) && peek_char(r, 0) != c;
}

size_t lua_tokens_measure_long_bracket(const char *text, size_t bytes) {
  size_t n = 1;
  if (bytes == 0 || text[0] != '[')
    return 0;
  while (n < bytes && text[n] == '=')
    ++n;
  return n < bytes && text[n] == '[' ? n + 1 : 0;
}

static size_t measure_long_bracket(const lua_reader_t *r) {
  return lua_tokens_measure_long_bracket(r->text + r->at, r->bytes - r->at);
}

static bool closes_long_bracket(const lua_reader_t *r, size_t opening) {
  size_t level = 0;
  if (peek_char(r, 0) != ']')
    return false;
  while (peek_char(r, 1 + level) == '=')
    ++level;
  return level + 2 == opening && peek_char(r, 1 + level) == ']';
}

static bool skip_long_bracket(lua_reader_t *r, size_t opening) {
  r->at += opening;
  while (r->at < r->bytes && !closes_long_bracket(r, opening))
    advance_char(r);
  bool is_closed = r->at < r->bytes;
  r->at += is_closed ? opening : 0;
  return is_closed;
}

// Skips white space and comments. Returns false if a comment is unterminated.
static bool skip_blanks_and_comments(lua_reader_t *r) {
  for (;;) {
    while (r->at < r->bytes && is_space(peek_char(r, 0)))
      advance_char(r);
    if (peek_char(r, 0) != '-' || peek_char(r, 1) != '-')
      return true;
    r->at += 2;
    size_t opening = measure_long_bracket(r);
    if (opening > 0 && !skip_long_bracket(r, opening))
      return false;
    while (opening == 0 && r->at < r->bytes && !is_newline(peek_char(r, 0)))
      advance_char(r);
  }
}

// Skips the character after a backslash; `\z` also skips white space.
static void skip_escaped(lua_reader_t *r) {
  bool skips = peek_char(r, 0) == 'z';
  if (r->at < r->bytes)
    advance_char(r);
  while (skips && r->at < r->bytes && is_space(peek_char(r, 0)))
    advance_char(r);
}

static bool skip_quoted_string(lua_reader_t *r) {
  char quote = r->text[r->at++];
  while (r->at < r->bytes && !is_newline(peek_char(r, 0))) {
    char c = r->text[r->at++];
    if (c == quote)
      return true;
    if (c == '\\')
      skip_escaped(r);
  }
  return false;
}

static size_t measure_symbol(const lua_reader_t *r) {
  static const char *const choices[] = {"...", "..", "==", "~=", "<=", ">=", "::"};
  for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i)
    if (r->at + strlen(choices[i]) <= r->bytes && memcmp(r->text + r->at, choices[i], strlen(choices[i])) == 0)
      return strlen(choices[i]);
  return peek_char(r, 0) && strchr("+-*/%^#=<>(){}[];:,.", peek_char(r, 0)) ? 1 : 0;
}

// Skips a number, including suffix letters (1LL, 2i) and the sign of its exponent.
static void skip_number(lua_reader_t *r) {
  char exponent = peek_char(r, 0) == '0' && (peek_char(r, 1) | 32) == 'x' ? 'p' : 'e';
  for (char c, before = '\0'; (c = peek_char(r, 0)); before = c, ++r->at)
    if (!is_digit(c) && !is_letter(c) && c != '.' && ((c != '-' && c != '+') || (before | 32) != exponent))
      break;
}

static lua_token_kind_t skip_token(lua_reader_t *r) {
  char c = peek_char(r, 0);
  if (is_letter(c)) {
    while (is_letter(peek_char(r, 0)) || is_digit(peek_char(r, 0)))
      r->at++;
    return TOKEN_NAME;
  }
  if (is_digit(c) || (c == '.' && is_digit(peek_char(r, 1)))) {
    skip_number(r);
    return TOKEN_NUMBER;
  }
  if (c == '"' || c == '\'')
    return skip_quoted_string(r) ? TOKEN_STRING : TOKEN_MALFORMED;
  size_t opening = measure_long_bracket(r), symbol = measure_symbol(r);
  if (opening > 0)
    return skip_long_bracket(r, opening) ? TOKEN_LONG_STRING : TOKEN_MALFORMED;
  r->at += symbol ? symbol : 1;
  return symbol ? TOKEN_SYMBOL : TOKEN_MALFORMED;
}

lua_reader_t lua_reader_init(const char *text, size_t bytes) {
  lua_reader_t r = {.text = text, .bytes = bytes, .line = 1};
  shoal_assert(bytes < UINT32_MAX / 2, "Lua source is too large (%zu bytes)", bytes);
  if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
    r.at = 3;
  if (peek_char(&r, 0) == '#') // a shebang line
    while (r.at < bytes && !is_newline(peek_char(&r, 0)))
      r.at++;
  return r;
}

lua_token_t lua_reader_next(lua_reader_t *r) {
  lua_token_t x = {.kind = TOKEN_MALFORMED, .at = (uint32_t)r->at, .line = r->line};
  if (skip_blanks_and_comments(r)) {
    x = (lua_token_t){.at = (uint32_t)r->at, .line = r->line};
    x.kind = r->at < r->bytes ? skip_token(r) : TOKEN_END;
  }
  x.bytes = (uint32_t)r->at - x.at;
  return x;
}

bool lua_token_is(const char *text, const lua_token_t *x, const char *word) {
  return (x->kind == TOKEN_NAME || x->kind == TOKEN_SYMBOL) && x->bytes == strlen(word) &&
         memcmp(text + x->at, word, x->bytes) == 0;
}

bool lua_tokens_match_word(const lua_tokens_t *t, uint32_t i, const char *word) {
  return i < t->tokens.count && lua_token_is(t->text, &t->tokens.items[i], word);
}

static bool token_is_one_of(const char *text, const lua_token_t *x, const char *const *choices) {
  while (*choices && !lua_token_is(text, x, *choices))
    ++choices;
  return *choices;
}

static bool token_at_is_one_of(const lua_tokens_t *t, uint32_t i, const char *const *choices) {
  return i < t->tokens.count && token_is_one_of(t->text, &t->tokens.items[i], choices);
}

// The blocks of `while … do … end` and `for … do … end` are counted at their `do`.
int lua_token_nesting(const char *text, const lua_token_t *x) {
  static const char *const opens[] = {"(", "{", "[", "function", "if", "do", "repeat", NULL};
  static const char *const closes[] = {")", "}", "]", "end", "until", NULL};
  return token_is_one_of(text, x, opens) - token_is_one_of(text, x, closes);
}

bool lua_tokens_read(lua_tokens_t *t, allocator_t *a, const char *text, size_t bytes, error_info_t *error) {
  lua_reader_t r = lua_reader_init(text, bytes);
  lua_token_t x;
  uint32_t depth = 0;
  *t = (lua_tokens_t){.text = text};
  do {
    x = lua_reader_next(&r);
    if (x.kind == TOKEN_MALFORMED)
      return error_set(error, "line %u: invalid character, unterminated string or unterminated comment", x.line);
    int nesting = lua_token_nesting(text, &x);
    depth -= depth > 0 && nesting < 0;
    x.depth = depth;
    array_push(a, &t->tokens, x);
    depth += nesting > 0;
  } while (x.kind != TOKEN_END);
  return true;
}

void lua_tokens_fini(lua_tokens_t *t, allocator_t *a) {
  array_free(a, &t->tokens);
}

uint32_t lua_tokens_skip_bracket(const lua_tokens_t *t, uint32_t i) {
  shoal_assert(i < t->tokens.count, "token %u is out of range (count %u)", i, t->tokens.count);
  uint32_t depth = t->tokens.items[i].depth;
  while (++i + 1 < t->tokens.count)
    if (t->tokens.items[i].depth <= depth)
      return i + 1;
  return t->tokens.count - 1;
}

// Returns the position after the operand at i, or i if no operand follows.
static uint32_t skip_operand(const lua_tokens_t *t, uint32_t i) {
  static const char *const choices[] = {"and", "break", "do", "else",   "elseif", "end",   "for",  "goto",  "if",
                                        "in",  "local", "or", "repeat", "return", "until", "then", "while", NULL};
  static const char *const constants[] = {"true", "false", "nil", NULL};
  const lua_token_t *x = &t->tokens.items[i];
  if (x->kind == TOKEN_NUMBER || x->kind == TOKEN_STRING || x->kind == TOKEN_LONG_STRING ||
      lua_tokens_match_word(t, i, "...") || token_at_is_one_of(t, i, constants))
    return i + 1;
  if (lua_tokens_match_word(t, i, "{") || lua_tokens_match_word(t, i, "function"))
    return lua_tokens_skip_bracket(t, i);
  if (lua_tokens_match_word(t, i, "("))
    i = lua_tokens_skip_bracket(t, i);
  else if (x->kind == TOKEN_NAME && !token_at_is_one_of(t, i, choices))
    ++i;
  else
    return i;
  for (;;) { // suffixes: calls and field accesses
    lua_token_kind_t kind = t->tokens.items[i].kind;
    if (lua_tokens_match_word(t, i, ".") || lua_tokens_match_word(t, i, ":"))
      i += i + 2 < t->tokens.count ? 2 : 1;
    else if (lua_tokens_match_word(t, i, "(") || lua_tokens_match_word(t, i, "[") || lua_tokens_match_word(t, i, "{"))
      i = lua_tokens_skip_bracket(t, i);
    else if (kind == TOKEN_STRING || kind == TOKEN_LONG_STRING)
      ++i;
    else
      return i;
  }
}

uint32_t lua_tokens_skip_expression(const lua_tokens_t *t, uint32_t i) {
  static const char *const before[] = {"-", "not", "#", NULL};
  static const char *const between[] = {
      "+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or", NULL};
  shoal_assert(i < t->tokens.count, "token %u is out of range (count %u)", i, t->tokens.count);
  for (uint32_t begin = i;;) {
    while (token_at_is_one_of(t, i, before))
      ++i;
    uint32_t next = skip_operand(t, i);
    if (next == i)
      return begin;
    i = next;
    if (!token_at_is_one_of(t, i, between))
      return i;
    ++i;
  }
}

uint32_t lua_tokens_find_return_value(const lua_tokens_t *t) {
  uint32_t found = 0;
  for (uint32_t i = 0; i + 1 < t->tokens.count; ++i)
    if (t->tokens.items[i].depth == 0 && lua_tokens_match_word(t, i, "return"))
      found = i + 1;
  return found;
}

uint32_t lua_tokens_read_entry(const lua_tokens_t *t, uint32_t i, lua_entry_t *out) {
  shoal_assert(i < t->tokens.count, "token %u is out of range (count %u)", i, t->tokens.count);
  *out = (lua_entry_t){.value = i};
  if (lua_tokens_match_word(t, i, "[")) {
    uint32_t after = lua_tokens_skip_bracket(t, i);
    bool is_literal = after == i + 3 && t->tokens.items[i + 1].kind != TOKEN_NAME;
    *out = (lua_entry_t){.name = is_literal ? i + 1 : i, .value = after + 1};
  } else if (t->tokens.items[i].kind == TOKEN_NAME && lua_tokens_match_word(t, i + 1, "=")) {
    *out = (lua_entry_t){.name = i, .value = i + 2};
  }
  out->last = out->value < t->tokens.count ? lua_tokens_skip_expression(t, out->value) : out->value;
  if (out->last == out->value)
    return 0;
  return out->last + (lua_tokens_match_word(t, out->last, ",") || lua_tokens_match_word(t, out->last, ";"));
}
