// Parses Lua source for the engine's scripts: finds the positions of tables in a file, and removes strings and
// comments.
#include "bindings/bind.h"

#include "luajit/lua_tokens.h"

#include <stdlib.h>

#define MAX_DEPTH 32 // maximum nesting of tables

static void push_key(lua_State *L, const lua_tokens_t *t, const lua_entry_t *x, int *count) {
  const lua_token_t *name = &t->tokens.items[x->name];
  uint32_t quote = name->kind == TOKEN_STRING;
  if (x->name == 0)
    lua_pushinteger(L, ++*count);
  else if (name->kind == TOKEN_NUMBER)
    lua_pushnumber(L, strtod(t->text + name->at, NULL));
  else
    lua_pushlstring(L, t->text + name->at + quote, name->bytes - 2 * quote);
}

static void push_positions(lua_State *L, const lua_tokens_t *t, uint32_t i, int depth) {
  lua_entry_t x;
  int count = 0;
  luaL_checkstack(L, 4, "positions");
  lua_createtable(L, 0, 1);
  if (lua_tokens_match_word(t, i, "{") && depth < MAX_DEPTH)
    for (uint32_t at = i + 1, entry = 1; (at = lua_tokens_read_entry(t, at, &x)) > 0; ++entry) {
      push_key(L, t, &x, &count);
      push_positions(L, t, x.value, depth + 1);
      lua_pushinteger(L, (lua_Integer)entry);
      lua_rawseti(L, -2, 0);
      lua_settable(L, -3);
    }
  lua_pushinteger(L, (lua_Integer)t->tokens.items[i].line);
  lua_setfield(L, -2, "line");
}

static int push_root(lua_State *L) {
  const lua_tokens_t *t = lua_touserdata(L, 1);
  push_positions(L, t, lua_tokens_find_return_value(t), 0);
  return 1;
}

// places(source) → the positions in the table constructor that a file returns: `line` is the line of the constructor,
// and each key or index of the constructor has the positions of its value, whose element 0 is the index of the entry in
// the constructor. nil if the file does not return a table constructor.
static int read_positions(lua_State *L) {
  size_t bytes = 0;
  const char *source = luaL_checklstring(L, 1, &bytes);
  allocator_t memory = {0};
  lua_tokens_t t;
  int status = 0;
  lua_pushcfunction(L, push_root);
  lua_pushlightuserdata(L, &t);
  bool found = lua_tokens_read(&t, &memory, source, bytes, NULL) &&
               lua_tokens_match_word(&t, lua_tokens_find_return_value(&t), "{");
  if (found)
    status = lua_pcall(L, 1, 1, 0);
  lua_tokens_fini(&t, &memory);
  return status == 0 ? found : lua_error(L);
}

static void add_lines(luaL_Buffer *out, uint32_t count) {
  for (; count > 0; --count)
    luaL_addchar(out, '\n');
}

// bare(source) → the source without comments, with each string replaced by "" or ''. Keeps line numbers, and leaves
// malformed parts unchanged.
static int strip_source(lua_State *L) {
  size_t bytes = 0;
  const char *source = luaL_checklstring(L, 1, &bytes);
  lua_reader_t r = lua_reader_init(source, bytes);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (lua_reader_t before = r;; before = r) {
    lua_token_t x = lua_reader_next(&r);
    add_lines(&out, x.line - before.line);
    if (x.line == before.line && x.at > before.at)
      luaL_addchar(&out, ' ');
    if (x.kind == TOKEN_END)
      break;
    bool is_string = x.kind == TOKEN_STRING || x.kind == TOKEN_LONG_STRING;
    luaL_addlstring(&out, is_string ? (source[x.at] == '\'' ? "''" : "\"\"") : source + x.at, is_string ? 2 : x.bytes);
    add_lines(&out, is_string ? r.line - x.line : 0);
  }
  luaL_pushresult(&out);
  return 1;
}

// tokens(source) → array of the tokens as strings, array of their lines.
static int list_tokens(lua_State *L) {
  size_t bytes = 0;
  const char *source = luaL_checklstring(L, 1, &bytes);
  lua_reader_t r = lua_reader_init(source, bytes);
  lua_newtable(L);
  lua_newtable(L);
  int count = 0;
  for (lua_token_t x = lua_reader_next(&r); x.kind != TOKEN_END; x = lua_reader_next(&r)) {
    lua_pushlstring(L, source + x.at, x.bytes);
    lua_rawseti(L, 2, ++count);
    lua_pushinteger(L, x.line);
    lua_rawseti(L, 3, count);
  }
  return 2;
}

void bind_lua_tokens(lua_State *L) {
  static const luaL_Reg list[] = {
      {"positions", read_positions}, {"bare", strip_source}, {"tokens", list_tokens}, {NULL, NULL}};
  bind_functions(L, list, NULL);
}
