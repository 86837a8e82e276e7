// A file of Lua as tokens, with their places: enough to find a literal in a table and to leave all around it alone.
// Nothing is run. Safe for any text.
#ifndef SHOAL_LUAJIT_LUA_TEXT_H
#define SHOAL_LUAJIT_LUA_TEXT_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum lua_token_kind_t {
  LUA_END,
  LUA_NAME,
  LUA_NUMBER,
  LUA_STRING,
  LUA_LONG_STRING,
  LUA_SYMBOL
} lua_token_kind_t;

typedef struct lua_token_t {
  lua_token_kind_t kind; // keywords are names
  uint32_t at, bytes, line;
  uint32_t depth; // in how many brackets and blocks it stands; 0: a statement of the file
} lua_token_t;

typedef struct lua_text_t {
  const char *text;          // borrowed
  ARRAY(lua_token_t) tokens; // the last one is LUA_END
} lua_text_t;

// False with a message, for a text or a comment without an end, or what is no token.
bool lua_text_read(lua_text_t *t, allocator_t *a, const char *text, size_t bytes, error_t *error);
void lua_text_fini(lua_text_t *t, allocator_t *a);

bool lua_text_is(const lua_text_t *t, uint32_t i, const char *word); // token i is this
uint32_t lua_text_after(const lua_text_t *t, uint32_t i);            // behind the bracket that token i opens
uint32_t lua_text_value(const lua_text_t *t, uint32_t i); // behind the expression that begins at i; i when none does

#endif
