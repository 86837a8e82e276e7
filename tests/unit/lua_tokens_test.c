// The Lua tokeniser (luajit/lua_tokens.h), compared with LuaJIT's own lexer.
#include "luajit/lua_tokens.h"

#include "base/files.h"
#include "test.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static allocator_t memory;
typedef ARRAY(char) bytes_t;

static void append_bytes(bytes_t *out, const char *text, size_t bytes) {
  array_reserve(&memory, out, out->count + (uint32_t)bytes + 1);
  memcpy(out->items + out->count, text, bytes);
  out->count += (uint32_t)bytes;
}

// Writes the tokens to `out`, separated by spaces and on their original lines. Returns false if a token is malformed.
static bool rejoin_tokens(const char *text, size_t bytes, bytes_t *out) {
  lua_reader_t r = lua_reader_init(text, bytes);
  lua_token_t x;
  uint32_t line = 1;
  bool ok = true;
  append_bytes(out, text, r.at); // copies a shebang line
  do {
    x = lua_reader_next(&r);
    assert_true(x.at + x.bytes <= bytes && x.at + x.bytes == r.at && x.line >= line);
    assert_true((x.bytes > 0) == (x.kind != TOKEN_END));
    append_bytes(out, " ", 1);
    for (; line < x.line; ++line)
      append_bytes(out, "\n", 1);
    append_bytes(out, text + x.at, x.bytes);
    ok &= x.kind != TOKEN_MALFORMED;
    line = r.line;
  } while (x.kind != TOKEN_END);
  return ok;
}

static void assert_tokens(const char *text, const char *expected) {
  lua_reader_t r = lua_reader_init(text, strlen(text));
  bytes_t found = {0};
  for (lua_token_t x; (x = lua_reader_next(&r)).kind != TOKEN_END;) {
    append_bytes(&found, found.count > 0 ? "|" : "", found.count > 0);
    append_bytes(&found, text + x.at, x.bytes);
    append_bytes(&found, x.kind == TOKEN_MALFORMED ? "?" : "", x.kind == TOKEN_MALFORMED);
  }
  append_bytes(&found, "", 1);
  assert_string_equal(found.items, expected);
  array_free(&memory, &found);
}

TEST(lua_source_is_split_into_tokens_of_every_kind) {
  assert_tokens("a.b1 = _x:y(3)", "a|.|b1|=|_x|:|y|(|3|)");
  assert_tokens("1+2 0x1p-4 1e+5 1LL 0xfULL 2i .5 3..4 0xep+1 1e", "1|+|2|0x1p-4|1e+5|1LL|0xfULL|2i|.5|3..4|0xep+1|1e");
  assert_tokens("a...b a..b a<=b ~=::l::", "a|...|b|a|..|b|a|<=|b|~=|::|l|::");
  assert_tokens("'a\\'b' \"\\\\\" '\\z \n  b' '\\\nc'", "'a\\'b'|\"\\\\\"|'\\z \n  b'|'\\\nc'");
  assert_tokens("[[a]] [==[ ]] ]=] ]==] t[a[1]] t[ [[x]] ]", "[[a]]|[==[ ]] ]=] ]==]|t|[|a|[|1|]|]|t|[|[[x]]|]");
  assert_tokens("a --[[ b ]] c --[==[\n]] ]==] d -- e\nf --[=g\nh", "a|c|d|f|h");
  assert_tokens("#!/bin/lua a\nb", "b");
  assert_tokens("\xef\xbb\xbf# a\nb", "b");
  assert_tokens("größe = 1", "größe|=|1");
  assert_tokens("a 'b\nc \"d", "a|'b?|c|\"d?");
  assert_tokens("a [[b", "a|[[b?");
  assert_tokens("a --[[b", "a| --[[b?");
  assert_tokens("a ! b && c ~ '\\", "a|!?|b|&?|&?|c|~?|'\\?");
}

TEST(lua_lines_end_with_cr_lf_or_both) {
  static const char text[] = "a\r\nb\n\rc\rd\n\ne '\\\r\n' f [[\r\n\r]] g";
  static const uint32_t lines[] = {1, 2, 3, 4, 6, 6, 7, 7, 9};
  lua_reader_t r = lua_reader_init(text, sizeof text - 1);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
    assert_int_equal(lua_reader_next(&r).line, lines[i]);
  assert_int_equal(lua_reader_next(&r).kind, TOKEN_END);
}

static int write_bytes(lua_State *L, const void *data, size_t bytes, void *out) {
  (void)L;
  append_bytes(out, data, bytes);
  return 0;
}

// Asserts that LuaJIT compiles the rejoined tokens to the same instructions, names and lines as the original text.
static void check_rejoined(lua_State *L, const char *text, size_t bytes, const char *name) {
  bytes_t rejoined = {0}, one = {0}, other = {0};
  if (!rejoin_tokens(text, bytes, &rejoined))
    fail_msg("%s: a token is malformed", name);
  if (luaL_loadbufferx(L, rejoined.items, rejoined.count, "=same", "t") != 0)
    fail_msg("%s: %s\n%.*s", name, lua_tostring(L, -1), (int)rejoined.count, rejoined.items);
  lua_dump(L, write_bytes, &one);
  lua_insert(L, -2); // keeps the function's strings alive, which the key order of table templates depends on
  lua_dump(L, write_bytes, &other);
  if (one.count != other.count || memcmp(one.items, other.items, one.count) != 0)
    fail_msg("%s: other instructions\n%.*s", name, (int)rejoined.count, rejoined.items);
  array_free(&memory, &rejoined);
  array_free(&memory, &one);
  array_free(&memory, &other);
  lua_settop(L, 1);
}

// Compiles "PREFIX TOKEN" and pushes the function or the error message. Returns true on success.
static bool load_token(lua_State *L, const char *prefix, const char *token, size_t bytes) {
  lua_pushfstring(L, "%s ", prefix);
  lua_pushlstring(L, token, bytes);
  lua_concat(L, 2);
  size_t size;
  const char *text = lua_tolstring(L, -1, &size);
  int status = luaL_loadbufferx(L, text, size, "=token", "t");
  lua_remove(L, -2);
  return status == 0;
}

// Returns true if compiling fails with an error that quotes the token as `as`.
static bool is_quoted_in_error(lua_State *L, const char *prefix, const char *token, size_t bytes, const char *as) {
  if (load_token(L, prefix, token, bytes))
    return false;
  lua_pushfstring(L, "'%s'", as);
  return strstr(lua_tostring(L, -2), lua_tostring(L, -1)) != NULL;
}

// Returns true if LuaJIT reads this text as a single token. After `local`, every token except a name or `function` is
// an error; a name or `function` is an error after a value. For strings the message contains the value.
static bool is_one_token(lua_State *L, const char *token, size_t bytes, lua_token_kind_t kind) {
  if (kind != TOKEN_STRING && kind != TOKEN_LONG_STRING) {
    lua_pushlstring(L, token, bytes);
    const char *as = lua_tostring(L, -1);
    return is_quoted_in_error(L, "local", token, bytes, as) || is_quoted_in_error(L, "return 1", token, bytes, as);
  }
  if (!load_token(L, "return", token, bytes))
    return false;
  lua_call(L, 0, 1);
  size_t length;
  const char *value = lua_tolstring(L, -1, &length);
  if (kind == TOKEN_LONG_STRING) {
    const char *begin = (const char *)memchr(token + 1, '[', bytes - 1) + 1;
    size_t bracket = (size_t)(begin - token);
    begin += *begin == '\n';
    return length + bracket == (size_t)(token + bytes - begin) && memcmp(value, begin, length) == 0;
  }
  char quote[2] = {token[0], '\0'};
  return strlen(value) < length ||
         is_quoted_in_error(L, "local", token, bytes, lua_pushfstring(L, "%s%s%s", quote, value, quote));
}

// Checks each token of the text once. The table at stack index 1 contains the tokens that were already checked.
static void check_tokens(lua_State *L, const char *text, size_t bytes, const char *name) {
  lua_reader_t r = lua_reader_init(text, bytes);
  for (lua_token_t x; (x = lua_reader_next(&r)).kind != TOKEN_END; lua_settop(L, 1)) {
    lua_pushlstring(L, text + x.at, x.bytes);
    lua_pushvalue(L, -1);
    lua_rawget(L, 1);
    if (lua_toboolean(L, -1))
      continue;
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
    lua_rawset(L, 1);
    if (!is_one_token(L, text + x.at, x.bytes, x.kind))
      fail_msg("%s:%u: not one token: %.*s", name, x.line, (int)x.bytes, text + x.at);
  }
}

static uint32_t check_folder(lua_State *L, const char *folder) {
  file_list_t list;
  uint32_t checked = 0;
  if (!file_list(&memory, folder, ".lua", &list, NULL))
    return 0;
  for (uint32_t i = 0; i < list.count; ++i) {
    char path[1024];
    size_t bytes = 0;
    char *text = file_read(&memory, path_join(path, sizeof path, folder, list.paths[i]), &bytes, NULL);
    if (text && luaL_loadbufferx(L, text, bytes, "=same", "t") == 0) { // some files contain syntax errors on purpose
      check_rejoined(L, text, bytes, path);
      check_tokens(L, text, bytes, path);
      ++checked;
    }
    lua_settop(L, 1);
    file_free(&memory, text, bytes);
  }
  file_list_free(&memory, &list);
  return checked;
}

TEST(lua_files_in_scripts_tests_and_engine_are_tokenized_as_in_luajit) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L); // 1LL needs the FFI library
  lua_newtable(L);
  assert_true(check_folder(L, "scripts") + check_folder(L, "tests") + check_folder(L, "engine") > 1000);
  lua_close(L);
}

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

// Reads random sequences of fragments, allocated without slack so that AddressSanitizer catches reads past the end.
TEST(random_source_is_tokenized_or_rejected_as_in_luajit) {
  static const char *const PIECES[] = {"a",  " ",    "\n", "\r\n", "'",  "\"",  "\\", "\\'", "\\z",      "[[",
                                       "]]", "[=[",  "]=", "]",    "--", "--[", "[",  "#",   "return ",  "1e",
                                       "-",  "0x1p", "..", "1LL",  "=",  "==",  "~",  "!",   "\xc3\xa9", "\xef\xbb\xbf",
                                       NULL};
  lua_State *L = luaL_newstate();
  uint32_t seed = 11, loaded = 0, refused = 0;
  luaL_openlibs(L);
  lua_newtable(L);
  for (int i = 0; i < 20000; ++i) {
    bytes_t text = {0}, rejoined = {0};
    append_bytes(&text, "return 'a', ", next_random(&seed) % 2 ? 12 : 0);
    for (uint32_t left = 1 + next_random(&seed) % 9; left > 0; --left) {
      const char *piece = PIECES[next_random(&seed) % (sizeof PIECES / sizeof *PIECES)];
      append_bytes(&text, piece ? piece : "\0", piece ? strlen(piece) : 1);
    }
    char *exact = memcpy(malloc(text.count + !text.count), text.items, text.count);
    bool ok = rejoin_tokens(exact, text.count, &rejoined);
    if (luaL_loadbufferx(L, exact, text.count, "=same", "t") == 0) {
      assert_true(ok);
      check_rejoined(L, exact, text.count, exact);
      ++loaded;
    } else if (strstr(lua_tostring(L, -1), "unfinished")) {
      assert_false(ok);
      ++refused;
    }
    lua_settop(L, 1);
    free(exact);
    array_free(&memory, &text);
    array_free(&memory, &rejoined);
  }
  assert_true(loaded > 500 && refused > 500);
  lua_close(L);
}

TEST(entries_of_a_returned_table_are_read_with_name_and_value) {
  static const char text[] = "local a = 1\nreturn { 1 + f{2}, x = function() return 3 end; ['y'] = -t.z[4], [a] = 5, }";
  static const char *const expected[] = {"{:1..}", "x:function..end", "'y':-..]", "[:5..5"};
  lua_tokens_t t;
  lua_entry_t x;
  assert_true(lua_tokens_read(&t, &memory, text, sizeof text - 1, NULL));
  uint32_t i = lua_tokens_find_return_value(&t);
  assert_true(lua_tokens_match_word(&t, i, "{"));
  ++i;
  for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
    char found[80];
    i = lua_tokens_read_entry(&t, i, &x);
    assert_true(i > 0);
    const lua_token_t *name = &t.tokens.items[x.name ? x.name : lua_tokens_find_return_value(&t)],
                      *first = &t.tokens.items[x.value], *last = &t.tokens.items[x.last - 1];
    snprintf(found, sizeof found, "%.*s:%.*s..%.*s", (int)name->bytes, text + name->at, (int)first->bytes,
             text + first->at, (int)last->bytes, text + last->at);
    assert_string_equal(found, expected[k]);
  }
  assert_int_equal(lua_tokens_read_entry(&t, i, &x), 0);
  lua_tokens_fini(&t, &memory);
}
