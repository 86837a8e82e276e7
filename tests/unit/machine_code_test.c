// Compiled loops over tables with many live values (luajit/machine_code.h): compares random programs with the
// interpreter.
#include "luajit/machine_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <lauxlib.h>
#include <lualib.h>

static const char program[] =
    "local seed = 1\n"
    "local function pick(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed % 65536 % n + 1 end\n"
    "local shapes = {\n"
    "  'if o%a.x ~= v then n = n + 1 end', 'o%a.x = k', 'o%a.x, o%b.x = o%b.x, o%a.x', 's = v', 'o%a.y[1] = k',\n"
    "  'if o%a.y == o%b.y then n = n + 2 end', 'o%a, o%b = o%b, o%a', 'o%a.y = o%b.y',\n"
    "  'if o%a == o%b then o%a.x = v end' }\n"
    "local function loop()\n"
    "  local lines, count = {}, 3 + pick(13)\n"
    "  local function add(line) lines[#lines + 1] = line end\n"
    "  add 'local t = ... local n, s = 0, \"x\"'\n"
    "  for i = 1, count do add(('local o%d = { x = \"a%d\", y = {} }'):format(i, i)) end\n"
    "  add 'for round = 1, 60 do for k, v in pairs(t) do'\n"
    "  for i = 1, 3 + pick(21) do\n"
    "    add((shapes[pick(#shapes)]:gsub('%%(%a)', { a = pick(count), b = pick(count) })))\n"
    "  end\n"
    "  add 'end end return n, s'\n"
    "  for i = 1, count do add((', o%d.x, o%d.y[1]'):format(i, i)) end\n"
    "  return table.concat(lines, '\\n')\n"
    "end\n"
    "local function entries()\n"
    "  local t = {}\n"
    "  for i = 1, pick(6) - 1 do t[i] = pick(3) == 1 and 's' .. i or i end\n"
    "  for i = 1, pick(9) do t['q' .. i] = 's' .. i % 3 end\n"
    "  return t\n"
    "end\n"
    "jit.opt.start('hotloop=5', 'hotexit=3')\n"
    "for i = 1, 300 do\n"
    "  local text, t = loop(), entries()\n"
    "  local plain = loadstring(text)\n"
    "  jit.off(plain)\n"
    "  local wanted, got = { plain(t) }, { loadstring(text)(t) }\n"
    "  for k = 1, #wanted do assert(wanted[k] == got[k], text) end\n"
    "  jit.flush()\n"
    "end\n";

static void compiled_table_loops_give_the_same_results_as_the_interpreter(void **state) {
  (void)state;
  machine_code_patch_pairs();
  machine_code_patch_entries();
  bool mended = machine_code_patch_pairs() && machine_code_patch_entries(); // patching again has no effect
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  if (luaL_loadbuffer(L, program, sizeof program - 1, "=loops") != 0 || lua_pcall(L, 0, 0, 0) != 0)
    fail_msg("%s (mended: %d)", lua_tostring(L, -1), mended);
  lua_close(L);
}

int machine_code_tests(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(compiled_table_loops_give_the_same_results_as_the_interpreter)};
  return cmocka_run_group_tests_name("machine_code", tests, NULL, NULL);
}
