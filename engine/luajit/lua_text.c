// The tokens of Lua 5.1 and LuaJIT. Expressions are passed over by their grammar, without a tree.
#include "luajit/lua_text.h"

#include "base/assert.h"

#include <ctype.h>
#include <string.h>

typedef struct reader_t {
  const char *text;
  size_t bytes, at;
  uint32_t line;
} reader_t;

static char look(const reader_t *r, size_t ahead) {
  return r->at + ahead < r->bytes ? r->text[r->at + ahead] : '\0';
}

static void pass(reader_t *r, size_t count) {
  for (; count > 0 && r->at < r->bytes; --count)
    r->line += r->text[r->at++] == '\n';
}

// At "[[" or "[==[": how many bytes that has; 0 when it opens nothing.
static size_t opens_long(const reader_t *r) {
  size_t level = 0;
  if (look(r, 0) != '[')
    return 0;
  while (look(r, 1 + level) == '=')
    ++level;
  return look(r, 1 + level) == '[' ? level + 2 : 0;
}

static bool pass_long(reader_t *r, size_t opening) {
  pass(r, opening);
  for (; r->at < r->bytes; pass(r, 1)) {
    size_t level = 0;
    if (look(r, 0) != ']')
      continue;
    while (look(r, 1 + level) == '=')
      ++level;
    if (level + 2 != opening || look(r, 1 + level) != ']')
      continue;
    pass(r, opening);
    return true;
  }
  return false;
}

static bool pass_blank(reader_t *r) {
  for (;;) {
    while (r->at < r->bytes && isspace((unsigned char)look(r, 0)))
      pass(r, 1);
    if (look(r, 0) != '-' || look(r, 1) != '-')
      return true;
    pass(r, 2);
    size_t opening = opens_long(r);
    if (opening > 0 && !pass_long(r, opening))
      return false;
    while (opening == 0 && r->at < r->bytes && look(r, 0) != '\n')
      pass(r, 1);
  }
}

static bool pass_quoted(reader_t *r) {
  char quote = look(r, 0);
  for (pass(r, 1); r->at < r->bytes && look(r, 0) != '\n'; pass(r, 1)) {
    if (look(r, 0) == quote) {
      pass(r, 1);
      return true;
    }
    if (look(r, 0) == '\\')
      pass(r, 1);
  }
  return false;
}

static size_t symbol_bytes(const reader_t *r) {
  static const char *const words[] = {"...", "..", "==", "~=", "<=", ">=", "::"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (r->at + strlen(words[i]) <= r->bytes && memcmp(r->text + r->at, words[i], strlen(words[i])) == 0)
      return strlen(words[i]);
  return look(r, 0) && strchr("+-*/%^#=<>(){}[];:,.", look(r, 0)) ? 1 : 0;
}

static bool pass_number(reader_t *r) {
  bool hex = look(r, 0) == '0' && (look(r, 1) | 32) == 'x';
  while (isalnum((unsigned char)look(r, 0)) || look(r, 0) == '.' ||
         ((look(r, 0) == '+' || look(r, 0) == '-') && (r->text[r->at - 1] | 32) == (hex ? 'p' : 'e')))
    pass(r, 1);
  return true;
}

static bool read_token(reader_t *r, lua_token_t *out) {
  char c = look(r, 0);
  size_t opening = opens_long(r);
  *out = (lua_token_t){.at = (uint32_t)r->at, .line = r->line};
  bool fine = true;
  if (isalpha((unsigned char)c) || c == '_') {
    out->kind = LUA_NAME;
    while (isalnum((unsigned char)look(r, 0)) || look(r, 0) == '_')
      pass(r, 1);
  } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)look(r, 1)))) {
    out->kind = LUA_NUMBER;
    fine = pass_number(r);
  } else if (c == '"' || c == '\'') {
    out->kind = LUA_STRING;
    fine = pass_quoted(r);
  } else if (opening > 0) {
    out->kind = LUA_LONG_STRING;
    fine = pass_long(r, opening);
  } else {
    out->kind = LUA_SYMBOL;
    size_t bytes = symbol_bytes(r);
    fine = bytes > 0;
    pass(r, bytes);
  }
  out->bytes = (uint32_t)r->at - out->at;
  return fine;
}

bool lua_text_is(const lua_text_t *t, uint32_t i, const char *word) {
  const lua_token_t *x = &t->tokens.items[i];
  return i < t->tokens.count && (x->kind == LUA_NAME || x->kind == LUA_SYMBOL) && x->bytes == strlen(word) &&
         memcmp(t->text + x->at, word, x->bytes) == 0;
}

static bool is_one_of(const lua_text_t *t, uint32_t i, const char *const *words) {
  for (; *words; ++words)
    if (lua_text_is(t, i, *words))
      return true;
  return false;
}

// `while … do … end` and `for … do … end` are blocks by their `do`.
static const char *const OPENS[] = {"(", "{", "[", "function", "if", "do", "repeat", NULL};
static const char *const CLOSES[] = {")", "}", "]", "end", "until", NULL};

bool lua_text_read(lua_text_t *t, allocator_t *a, const char *text, size_t bytes, error_t *error) {
  reader_t r = {.text = text, .bytes = bytes, .line = 1};
  uint32_t depth = 0;
  *t = (lua_text_t){.text = text};
  shoal_assert(bytes < UINT32_MAX / 2, "a file of %zu bytes", bytes);
  if (bytes > 1 && text[0] == '#') // for a shell
    while (r.at < bytes && look(&r, 0) != '\n')
      pass(&r, 1);
  for (;;) {
    lua_token_t x = {.line = r.line};
    if (!pass_blank(&r))
      return error_set(error, "line %u: a comment without an end", x.line);
    if (r.at >= bytes)
      break;
    uint32_t line = r.line;
    if (!read_token(&r, &x))
      return error_set(error, "line %u: this is no Lua", line);
    array_push(a, &t->tokens, x);
    uint32_t i = t->tokens.count - 1;
    depth -= depth > 0 && is_one_of(t, i, CLOSES);
    t->tokens.items[i].depth = depth;
    depth += is_one_of(t, i, OPENS);
  }
  lua_token_t end = {.kind = LUA_END, .at = (uint32_t)bytes, .line = r.line, .depth = depth};
  array_push(a, &t->tokens, end);
  return true;
}

void lua_text_fini(lua_text_t *t, allocator_t *a) {
  array_free(a, &t->tokens);
}

uint32_t lua_text_after(const lua_text_t *t, uint32_t i) {
  shoal_assert(i < t->tokens.count, "token %u of %u", i, t->tokens.count);
  uint32_t depth = t->tokens.items[i].depth;
  while (++i + 1 < t->tokens.count)
    if (t->tokens.items[i].depth <= depth)
      return i + 1;
  return t->tokens.count - 1;
}

// Behind the operand that begins at i; i when none does.
static uint32_t after_operand(const lua_text_t *t, uint32_t i) {
  static const char *const words[] = {"and", "break", "do", "else",   "elseif", "end",   "for",  "goto",  "if",
                                      "in",  "local", "or", "repeat", "return", "until", "then", "while", NULL};
  static const char *const constants[] = {"true", "false", "nil", NULL};
  const lua_token_t *x = &t->tokens.items[i];
  if (x->kind == LUA_NUMBER || x->kind == LUA_STRING || x->kind == LUA_LONG_STRING || lua_text_is(t, i, "...") ||
      is_one_of(t, i, constants))
    return i + 1;
  if (lua_text_is(t, i, "{") || lua_text_is(t, i, "function"))
    return lua_text_after(t, i);
  if (lua_text_is(t, i, "("))
    i = lua_text_after(t, i);
  else if (x->kind == LUA_NAME && !is_one_of(t, i, words))
    ++i;
  else
    return i;
  for (;;) { // what is called, or looked up in it
    lua_token_kind_t kind = t->tokens.items[i].kind;
    if (lua_text_is(t, i, ".") || lua_text_is(t, i, ":"))
      i += i + 2 < t->tokens.count ? 2 : 1;
    else if (lua_text_is(t, i, "(") || lua_text_is(t, i, "[") || lua_text_is(t, i, "{"))
      i = lua_text_after(t, i);
    else if (kind == LUA_STRING || kind == LUA_LONG_STRING)
      ++i;
    else
      return i;
  }
}

uint32_t lua_text_value(const lua_text_t *t, uint32_t i) {
  static const char *const before[] = {"-", "not", "#", NULL};
  static const char *const between[] = {
      "+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or", NULL};
  shoal_assert(i < t->tokens.count, "token %u of %u", i, t->tokens.count);
  for (uint32_t begin = i;;) {
    while (is_one_of(t, i, before))
      ++i;
    uint32_t next = after_operand(t, i);
    if (next == i)
      return begin;
    i = next;
    if (!is_one_of(t, i, between))
      return i;
    ++i;
  }
}
