// Splits Lua source into tokens with positions. Reads source token by token (lua_reader_next), or as an array in which
// brackets, blocks and expressions can be skipped (lua_tokens_read). The tokenizer agrees with LuaJIT's lexer on every
// text that LuaJIT loads, but does not validate numbers and escapes.
#ifndef SHOAL_LUAJIT_LUA_TOKENS_H
#define SHOAL_LUAJIT_LUA_TOKENS_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum lua_token_kind_t {
  TOKEN_END,
  TOKEN_NAME, // a name or a keyword
  TOKEN_NUMBER,
  TOKEN_STRING,
  TOKEN_LONG_STRING,
  TOKEN_SYMBOL,
  TOKEN_MALFORMED // an unterminated string or comment, or an invalid character; reading continues after it
} lua_token_kind_t;

typedef struct lua_token_t {
  lua_token_kind_t kind;
  uint32_t at, bytes, line;
  uint32_t depth; // number of enclosing brackets and blocks; 0 at the top level. Set only in a lua_tokens_t
} lua_token_t;

typedef struct lua_reader_t {
  const char *text; // source text; borrowed
  size_t bytes, at;
  uint32_t line;
} lua_reader_t;

lua_reader_t lua_reader_init(const char *text, size_t bytes);
// Returns the next token, or TOKEN_END at the end of the text.
lua_token_t lua_reader_next(lua_reader_t *reader);

typedef struct lua_tokens_t {
  const char *text;          // source text; borrowed
  ARRAY(lua_token_t) tokens; // tokens; the last token is TOKEN_END
} lua_tokens_t;

// Reads all tokens. Returns true on success, or false with a message if a token is malformed.
bool lua_tokens_read(lua_tokens_t *t, allocator_t *allocator, const char *text, size_t bytes, error_info_t *error);
void lua_tokens_fini(lua_tokens_t *t, allocator_t *allocator);

// Returns the length of the opening long bracket ("[[", "[=[", …) at the start of `text`; 0 if there is no such
// bracket.
size_t lua_tokens_measure_long_bracket(const char *text, size_t bytes);
bool lua_token_is(const char *text, const lua_token_t *token, const char *word);
// Returns 1 if the token opens a bracket or a block, -1 if it closes one, and 0 otherwise.
int lua_token_nesting(const char *text, const lua_token_t *token);
// Returns true if token i is this word or symbol.
bool lua_tokens_match_word(const lua_tokens_t *t, uint32_t i, const char *word);
// Returns the index of the token after the bracket that token i opens.
uint32_t lua_tokens_skip_bracket(const lua_tokens_t *t, uint32_t i);
// Returns the index of the token after the expression at i, or i if no expression follows.
uint32_t lua_tokens_skip_expression(const lua_tokens_t *t, uint32_t i);
// Returns the token after the last `return` outside functions and blocks, with which the file's return value begins; 0
// if there is no such `return`.
uint32_t lua_tokens_find_return_value(const lua_tokens_t *t);

// An element of a table constructor.
typedef struct lua_entry_t {
  uint32_t name;        // token of the key: a name, string or number, or the "[" of a computed key; 0: no key
  uint32_t value, last; // range of the value's tokens, [value, last)
} lua_entry_t;

// Reads the element at token i. Returns the token of the next element, or 0 if no element starts at i.
uint32_t lua_tokens_read_entry(const lua_tokens_t *t, uint32_t i, lua_entry_t *out);

#endif
