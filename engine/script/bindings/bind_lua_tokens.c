// Parses Lua source for the engine's scripts: finds the positions of tables in a file, and removes strings and
// comments.
#include "bindings/bind.h"

#include "luajit/lua_tokens.h"

#include <stdlib.h>

#define MAX_DEPTH 32 // maximum nesting of tables

static void push_key(lua_State *L, const lua_tokens_t *lua, const lua_entry_t *entry, int *count) {
  const lua_token_t *name = &lua->tokens.items[entry->name];
  uint32_t quote = name->kind == TOKEN_STRING;
  if (entry->name == 0)
    lua_pushinteger(L, ++*count);
  else if (name->kind == TOKEN_NUMBER)
    lua_pushnumber(L, strtod(lua->text + name->at, NULL));
  else
    lua_pushlstring(L, lua->text + name->at + quote, name->bytes - 2 * quote);
}

static void push_positions(lua_State *L, const lua_tokens_t *lua, uint32_t i, int depth) {
  lua_entry_t entry;
  int count = 0;
  luaL_checkstack(L, 4, "positions");
  lua_createtable(L, 0, 1);
  if (lua_tokens_match_word(lua, i, "{") && depth < MAX_DEPTH)
    for (uint32_t token = i + 1, entry_index = 1; (token = lua_tokens_read_entry(lua, token, &entry)) > 0;
         ++entry_index) {
      push_key(L, lua, &entry, &count);
      push_positions(L, lua, entry.value, depth + 1);
      lua_pushinteger(L, (lua_Integer)entry_index);
      lua_rawseti(L, -2, 0);
      lua_settable(L, -3);
    }
  lua_pushinteger(L, (lua_Integer)lua->tokens.items[i].line);
  lua_setfield(L, -2, "line");
}

static int push_root(lua_State *L) {
  const lua_tokens_t *lua = lua_touserdata(L, 1);
  push_positions(L, lua, lua_tokens_find_return_value(lua), 0);
  return 1;
}

// positions(source) → the positions in the table constructor that a file returns; nil if the file does not return a
// table constructor. `line` is the line of the constructor. Each key or index of the constructor has the positions of
// its value; their element 0 is the index of the entry in the constructor.
static int read_positions(lua_State *L) {
  size_t bytes = 0;
  const char *source = luaL_checklstring(L, 1, &bytes);
  allocator_t memory = {0};
  lua_tokens_t lua;
  int status = 0;
  lua_pushcfunction(L, push_root);
  lua_pushlightuserdata(L, &lua);
  bool found = lua_tokens_read(&lua, &memory, source, bytes, NULL) &&
               lua_tokens_match_word(&lua, lua_tokens_find_return_value(&lua), "{");
  if (found)
    status = lua_pcall(L, 1, 1, 0);
  lua_tokens_fini(&lua, &memory);
  return status == 0 ? found : lua_error(L);
}

static void add_lines(luaL_Buffer *out, uint32_t count) {
  for (; count > 0; --count)
    luaL_addchar(out, '\n');
}

// bare(source) → the source without comments, with each string replaced with "" or ''. Keeps line numbers, and leaves
// malformed parts unchanged.
static int strip_source(lua_State *L) {
  size_t bytes = 0;
  const char *source = luaL_checklstring(L, 1, &bytes);
  lua_reader_t reader = lua_reader_init(source, bytes);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (lua_reader_t previous = reader;; previous = reader) {
    lua_token_t token = lua_reader_next(&reader);
    add_lines(&out, token.line - previous.line);
    if (token.line == previous.line && token.at > previous.at)
      luaL_addchar(&out, ' ');
    if (token.kind == TOKEN_END)
      break;
    bool is_string = token.kind == TOKEN_STRING || token.kind == TOKEN_LONG_STRING;
    luaL_addlstring(&out, is_string ? (source[token.at] == '\'' ? "''" : "\"\"") : source + token.at,
                    is_string ? 2 : token.bytes);
    add_lines(&out, is_string ? reader.line - token.line : 0);
  }
  luaL_pushresult(&out);
  return 1;
}

// tokens(source) → array of the tokens as strings, array of their lines.
static int list_tokens(lua_State *L) {
  size_t bytes = 0;
  const char *source = luaL_checklstring(L, 1, &bytes);
  lua_reader_t reader = lua_reader_init(source, bytes);
  lua_newtable(L);
  lua_newtable(L);
  int count = 0;
  for (lua_token_t token = lua_reader_next(&reader); token.kind != TOKEN_END; token = lua_reader_next(&reader)) {
    lua_pushlstring(L, source + token.at, token.bytes);
    lua_rawseti(L, 2, ++count);
    lua_pushinteger(L, token.line);
    lua_rawseti(L, 3, count);
  }
  return 2;
}

void bind_lua_tokens(lua_State *L) {
  static const luaL_Reg list[] = {
      {"positions", read_positions}, {"bare", strip_source}, {"tokens", list_tokens}, {NULL, NULL}};
  bind_functions(L, list, NULL);
}
