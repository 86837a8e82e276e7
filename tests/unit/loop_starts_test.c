// Rewriting the start values of counting loops when a script is loaded: luajit/loop_starts.h.
#include "luajit/loop_starts.h"

#include <lauxlib.h>
#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_rewritten(const char *text, const char *expected) {
  size_t size = 0;
  char *mended = loop_starts_rewrite(text, strlen(text), &size);
  if (expected) {
    assert_non_null(mended);
    assert_string_equal(mended, expected);
    assert_int_equal(size, strlen(expected));
  } else {
    assert_null(mended);
  }
  free(mended);
}

static void non_literal_loop_start_is_added_to_0(void **state) {
  (void)state;
  assert_rewritten("for i = -n, n do end", "for i = 0+(-n), n do end");
  assert_rewritten("for i = f(a, {b, 'c,'}, t[\",\"]), n, 2 do end",
                   "for i = 0+(f(a, {b, 'c,'}, t[\",\"])), n, 2 do end");
  assert_rewritten("for --[[,]] i --=\n = --[==[ , ]] ]==] n -- ,\n, 3 do end",
                   "for --[[,]] i --=\n = --[==[ , ]] ]==] 0+(n -- ,\n), 3 do end");
  assert_rewritten(
      "for i = (function() if a then local b, c = 1, 2 end for j = k, 3 do end return 1, 2 end)(), 3 do end",
      "for i = 0+((function() if a then local b, c = 1, 2 end for j = 0+(k), 3 do end return 1, 2 end)()), 3 do end");
  assert_rewritten("for i = 1 + -n, 2 do for j = i, 3 do end end",
                   "for i = 0+(1 + -n), 2 do for j = 0+(i), 3 do end end");
}

static void non_literal_loop_step_is_added_to_0(void **state) {
  (void)state;
  assert_rewritten("for i = 1, n, s do end", "for i = 1, n, 0+(s )do end");
  assert_rewritten("for i = a, n, -f(1, 2) do end", "for i = 0+(a), n, 0+(-f(1, 2) )do end");
  assert_rewritten("for i = 1, n, -0 do end", "for i = 1, n, 0+(-0 )do end");
  assert_rewritten("for i = 1, (function() for j = 1, 2, k do end end)(), 2 do end",
                   "for i = 1, (function() for j = 1, 2, 0+(k )do end end)(), 2 do end");
}

static void source_without_non_literal_loop_starts_is_unchanged(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"",
                                      "for",
                                      "for i",
                                      "for i =",
                                      "for i = n",
                                      "for i = 1, n do end",
                                      "for i = 1, n, -2 do end",
                                      "for i = 1, n, 0.5 do for j = 3, 1, -1",
                                      "for i = 1, n, 2",
                                      "for i = 1, n,",
                                      "for i = 1, n, s end",
                                      "for i = 0x1p-3, n do end",
                                      "for i = 1e-3, n do end",
                                      "for k, v in pairs(t) do end",
                                      "for k in f, 3 do end",
                                      "-- for i = n, 3 do end",
                                      "local s = 'for i = n, 3'",
                                      "local s = [=[for i = n, 3]=]",
                                      "t = { forI = n, 3 }",
                                      "for i = n end, 3",
                                      "for i = n), 3",
                                      "'",
                                      "[==[",
                                      "--[["};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i)
    assert_rewritten(TEXTS[i], NULL);
}

// Runs the code in the interpreter first, then as a compiled loop.
static void loop_from_negative_zero_starts_at_0(void **state) {
  (void)state;
  static const char CODE[] =
      "local out = {}\n"
      "local function first(s) for i = -s, s do out[1] = i * 110 end return 1 / out[1] end\n"
      "local before = first(0)\n"
      "for _ = 1, 20 do first(100) end\n"
      "return before, first(0), 1 / -(out[1] + 0.5 - 0.5)\n"; // + 0.5 - 0.5 makes a double: an integer 0 has no sign
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  assert_int_equal(loop_starts_load(L, CODE, sizeof CODE - 1, "=loop"), 0);
  lua_call(L, 0, 3);
  assert_true(lua_tonumber(L, -3) > 0 && lua_tonumber(L, -2) > 0 && lua_tonumber(L, -1) < 0);
  loop_starts_install(L);
  lua_getglobal(L, "load");
  lua_pushlstring(L, CODE, sizeof CODE - 1);
  lua_call(L, 1, 1);
  lua_call(L, 0, 3);
  assert_true(lua_tonumber(L, -3) > 0 && lua_tonumber(L, -2) > 0 && lua_tonumber(L, -1) < 0);
  lua_close(L);
}

static void syntax_errors_match_those_of_the_original_source(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"for i = n, 3 d", "for i = , 3 do end", "for i = n +, 3 do end",
                                      "x = = 3 for i = n, 3 do end"};
  lua_State *L = luaL_newstate();
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i) {
    assert_int_not_equal(luaL_loadbufferx(L, TEXTS[i], strlen(TEXTS[i]), "=a", "t"), 0);
    assert_int_not_equal(loop_starts_load(L, TEXTS[i], strlen(TEXTS[i]), "=a"), 0);
    assert_string_equal(lua_tostring(L, -1), lua_tostring(L, -2));
  }
  lua_close(L);
}

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

// Rewrites random sequences of source fragments: LuaJIT must accept the rewritten source if it accepts the original.
static void rewriting_keeps_valid_source_valid(void **state) {
  (void)state;
  static const char *const PIECES[] = {"for i = n, 3 do ",
                                       " end ",
                                       "for i = -n ",
                                       ", ",
                                       "(",
                                       ")",
                                       "function() ",
                                       "do ",
                                       "'a,\\''",
                                       "--[[",
                                       "]]",
                                       "-- ",
                                       "\n",
                                       "if n then ",
                                       "f{",
                                       "}",
                                       "local a = ",
                                       "n ",
                                       "1e-3",
                                       "[=[",
                                       "]=]",
                                       "return ",
                                       "-",
                                       "t[",
                                       "]",
                                       "+",
                                       "end)()",
                                       "for k in ",
                                       "repeat ",
                                       "until n ",
                                       "\"",
                                       "while n do ",
                                       " = ",
                                       "3 ",
                                       "for "};
  lua_State *L = luaL_newstate();
  uint32_t seed = 7, loaded = 0;
  for (int i = 0; i < 60000; ++i) {
    char text[400] = "n = 1 for i = ";
    for (uint32_t left = 1 + next_random(&seed) % 8; left > 0; --left)
      strcat(text, PIECES[next_random(&seed) % (sizeof PIECES / sizeof *PIECES)]);
    strcat(text, ", 3 do end");
    size_t size = 0;
    char *mended = loop_starts_rewrite(text, strlen(text), &size);
    if (luaL_loadbufferx(L, text, strlen(text), "=a", "t") == 0 && mended) {
      if (luaL_loadbufferx(L, mended, size, "=a", "t") != 0)
        fail_msg("%s\nbecame\n%s\n%s", text, mended, lua_tostring(L, -1));
      ++loaded;
    }
    free(mended);
    lua_settop(L, 0);
  }
  assert_true(loaded > 100);
  lua_close(L);
}

int loop_starts_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(non_literal_loop_start_is_added_to_0),
      cmocka_unit_test(non_literal_loop_step_is_added_to_0),
      cmocka_unit_test(source_without_non_literal_loop_starts_is_unchanged),
      cmocka_unit_test(loop_from_negative_zero_starts_at_0),
      cmocka_unit_test(syntax_errors_match_those_of_the_original_source),
      cmocka_unit_test(rewriting_keeps_valid_source_valid),
  };
  return cmocka_run_group_tests_name("loop_starts", tests, NULL, NULL);
}
