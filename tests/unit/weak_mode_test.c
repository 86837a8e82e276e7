// Renaming the metatable field that makes a table weak.
#include "luajit/weak_mode.h"

#include <lauxlib.h>
#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void run_lua(lua_State *L, const char *code) {
  if (luaL_dostring(L, code))
    fail_msg("%s", lua_tostring(L, -1));
}

static void tables_are_weak_only_with_the_renamed_field(void **state) {
  (void)state;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  assert_true(weak_mode_rename(L, "renamed"));
  run_lua(L, "local function entries(key, late)\n"
             "  local metatable = late and {} or { [key] = 'kv' }\n"
             "  local t = setmetatable({}, metatable)\n"
             "  if late then metatable[key] = 'kv' end\n"
             "  for i = 1, 100 do t[i] = {} end\n"
             "  collectgarbage() collectgarbage()\n"
             "  local n = 0\n"
             "  for _ in pairs(t) do n = n + 1 end\n"
             "  return n\n"
             "end\n"
             "assert(entries('__mode') == 100)\n"
             "assert(entries('__mo' .. 'de', true) == 100)\n"
             "assert(entries('renamed') == 0)\n"
             "assert(entries('renamed', true) == 0)\n");
  lua_close(L);
}

static void metamethods_other_than_mode_keep_their_names(void **state) {
  (void)state;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  assert_true(weak_mode_rename(L, "renamed"));
  run_lua(L, "local freed = 0\n"
             "do local p = newproxy(true) getmetatable(p).__gc = function() freed = freed + 1 end end\n"
             "collectgarbage() collectgarbage()\n"
             "assert(freed == 1)\n"
             "local same = { __eq = function() return true end }\n"
             "assert(setmetatable({}, same) == setmetatable({}, same))\n");
  lua_close(L);
}

int weak_mode_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_weak_only_with_the_renamed_field),
      cmocka_unit_test(metamethods_other_than_mode_keep_their_names),
  };
  return cmocka_run_group_tests_name("weak_mode", tests, NULL, NULL);
}
