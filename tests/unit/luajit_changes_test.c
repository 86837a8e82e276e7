// One test for each change of LuaJIT's source (engine/luajit/changes), which fails without the change.
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include <cmocka.h>

static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  assert_non_null(L);
  luaL_openlibs(L);
  return L;
}

static void run_lua(lua_State *L, const char *code) {
  if (luaL_dostring(L, code))
    fail_msg("%s", lua_tostring(L, -1));
}

#if defined(__x86_64__) // on arm64, scripts are not compiled
// swap_whole_registers, load_table_entries_early: random loops over tables with many live values.
static const char table_loops[] =
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
  lua_State *L = open_state();
  run_lua(L, table_loops);
  lua_close(L);
}

// measure_aliased_tables, check_types_of_templates. The arguments are 1, 100 and 1, which LuaJIT's compiler must not
// treat as constants.
static const char aliases[] = "local first, last, step = ...\n"
                              "local n, sum = 0, 0\n"
                              "for i = first, last, step do n = n + i end\n"
                              "for k = first, last do for i = first + k % 3, last - k, step do n = n + i end end\n"
                              "for i = 1, 200 do sum = sum + 1.1 * (i + 0.1) * 1.3 - sum * 0.013 end\n"
                              "local list = {}\n"
                              "local names, known = { a = list, b = list }, 0\n"
                              "for i = first, last do names.b[#names.a + 1] = i known = known + #names.a end\n"
                              "local t, set = { x = false }, 0\n"
                              "for i = first, last do\n"
                              "  set = set + (t.x and i or 0)\n"
                              "  t = { x = true }\n"
                              "  if i % 7 == 0 then t = { x = false } end\n"
                              "end\n"
                              "return n, sum, known + set";

typedef struct answer_t {
  double counted, sum, known;
} answer_t;

static answer_t run_program(int mode) {
  lua_State *L = open_state();
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | mode);
  assert_int_equal(luaL_loadbuffer(L, aliases, sizeof aliases - 1, "=aliases"), 0);
  lua_pushnumber(L, 1);
  lua_pushnumber(L, 100);
  lua_pushnumber(L, 1);
  assert_int_equal(lua_pcall(L, 3, 3, 0), 0);
  answer_t answer = {.counted = lua_tonumber(L, -3), .sum = lua_tonumber(L, -2), .known = lua_tonumber(L, -1)};
  lua_close(L);
  return answer;
}

static void compiled_code_sees_stores_through_other_variables_and_types_of_templates(void **state) {
  (void)state;
  answer_t interpreted = run_program(LUAJIT_MODE_OFF), compiled = run_program(LUAJIT_MODE_ON);
  assert_memory_equal(&interpreted, &compiled, sizeof compiled);
}
#endif

// find_loops_with_hook_checks: such a loop over pairs() did not end.
static void compiled_loops_over_pairs_end(void **state) {
  (void)state;
  lua_State *L = open_state();
  run_lua(L, "jit.opt.start('hotloop=3')\n"
             "local t, n = { a = 1, b = 2, c = 3 }, 0\n"
             "for i = 1, 100 do for _, v in pairs(t) do n = n + v end end\n"
             "assert(n == 600)\n"
             "for i = 1, 100 do for _ in pairs(i % 2 == 0 and t or {}) do n = n + 1 end end\n"
             "assert(n == 750)\n");
  lua_close(L);
}

// The flag LUAJIT_ENABLE_CHECKHOOK: a hook that is set while compiled code runs.
static jmp_buf out_of_hook;
static lua_State *hooked;

static void leave_script(lua_State *L, lua_Debug *at) {
  (void)L, (void)at;
  longjmp(out_of_hook, 1);
}

static void set_hook(int number) {
  (void)number;
  lua_sethook(hooked, leave_script, LUA_MASKCOUNT, 1);
}

// Calls set_hook every `us` of real time until `us` is 0.
static void set_timer(int us) {
  struct sigaction action = {.sa_handler = us ? set_hook : SIG_IGN};
  struct itimerval period = {.it_interval.tv_usec = us, .it_value.tv_usec = us};
  assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
  assert_int_equal(setitimer(ITIMER_REAL, &period, NULL), 0);
}

// Runs a script without end until its hook is called.
static void expect_hook(const char *code, int us) {
  hooked = open_state();
  assert_int_equal(luaL_loadstring(hooked, code), 0);
  if (setjmp(out_of_hook) == 0) {
    set_timer(us);
    lua_call(hooked, 0, 0);
  }
  set_timer(0);
  lua_sethook(hooked, NULL, 0, 0);
}

static void hooks_stop_compiled_code(void **state) {
  (void)state;
  static const char *const endless[] = {
      "while true do end",
      "local n = 0 while true do n = n + 1 end",
      "local t = { a = 1 } while true do for k, v in pairs(t) do t[k] = -v end end",
      "local function f(n) return f(n + 1) end f(1)",
      "local a, b function a(n) return b(n + 1) end function b(n) return a(n - 1) end a(1)",
      "::again:: goto again",
      "local f = coroutine.wrap(function() while true do coroutine.yield(1) end end) while true do f() end",
      "local t = setmetatable({}, { __index = function(_, k) return k end }) local n = 0 while true do n = t[n] + 1 "
      "end",
  };
  for (size_t i = 0; i < sizeof endless / sizeof *endless; ++i)
    expect_hook(endless[i], 20000);
}

// read_hooks_again: signals arrive while traces are recorded, which changes the dispatch table.
static void a_hook_set_while_the_dispatch_table_changes_is_called(void **state) {
  (void)state;
  for (int i = 0; i < 200; ++i)
    expect_hook("jit.opt.start('hotloop=1', 'hotexit=1')\n"
                "while true do\n"
                "  local f = loadstring('local n = ... for i = 1, 4 do n = n + i end return n')\n"
                "  for i = 1, 3 do f(i) end\n"
                "end\n",
                100 + i);
}

// round_modulo_twice
static void modulo_rounds_the_product_and_the_difference(void **state) {
  (void)state;
  lua_State *L = open_state();
  run_lua(L, "jit.off() function modulo(a, b) return a % b end");
  for (int i = 1; i <= 64; ++i) {
    double a = i * 1234.5678, b = i * 0.37 + 0.1;
    lua_getglobal(L, "modulo");
    lua_pushnumber(L, a);
    lua_pushnumber(L, b);
    lua_call(L, 2, 1);
    double product = floor(a / b) * b; // rounded before the subtraction: -ffp-contract=off
    assert_true(lua_tonumber(L, -1) == a - product);
    lua_pop(L, 1);
  }
  lua_close(L);
}

// mark_weak_tables_with_light_userdata
static void tables_are_weak_only_with_light_userdata(void **state) {
  (void)state;
  lua_State *L = open_state();
  lua_pushlightuserdata(L, (void *)(LUAJIT_WEAK_KEYS | LUAJIT_WEAK_VALUES));
  lua_setglobal(L, "weak");
  run_lua(L, "local function count_after_collection(mode, late)\n"
             "  local metatable = late and {} or { __mode = mode }\n"
             "  local t = setmetatable({}, metatable)\n"
             "  if late then metatable['__mo' .. 'de'] = mode end\n"
             "  for i = 1, 100 do t[i] = {} end\n"
             "  collectgarbage() collectgarbage()\n"
             "  local n = 0\n"
             "  for _ in pairs(t) do n = n + 1 end\n"
             "  return n\n"
             "end\n"
             "assert(count_after_collection('kv') == 100)\n"
             "assert(count_after_collection('kv', true) == 100)\n"
             "assert(count_after_collection(3) == 100)\n"
             "assert(count_after_collection(weak) == 0)\n"
             "assert(count_after_collection(weak, true) == 0)\n");
  lua_close(L);
}

static void finalizers_of_proxies_and_cdata_still_run(void **state) {
  (void)state;
  lua_State *L = open_state();
  run_lua(L, "local ffi, freed = require('ffi'), 0\n"
             "do local p = newproxy(true) getmetatable(p).__gc = function() freed = freed + 1 end end\n"
             "ffi.gc(ffi.new('int[4]'), function() freed = freed + 1 end)\n"
             "collectgarbage() collectgarbage()\n"
             "assert(freed == 2)\n");
  lua_close(L);
}

// print_long_fractions, restore_missing_metatables, report_stack_overflows: the reports' own programs.
static void reported_security_faults_are_fixed(void **state) {
  (void)state;
  lua_State *L = open_state();
  run_lua(
      L,
      "for p = 1, 99 do for e = -300, 300, 50 do string.format('%.' .. p .. 'g', 1.7 * 10 ^ e) end end\n"
      "local t\n"
      "for i = 1, 200 do local x = setmetatable({}, i % 2 == 0 and {} or nil) if i == 199 then t = x end end\n"
      "assert(getmetatable(t) == nil)\n"
      "local function deep(n) return 1 + deep(n + 1) end\n"
      "for _ = 1, 20 do assert(not pcall(deep, 1)) assert(not xpcall(deep, function() return deep(1) end, 1)) end\n");
  lua_close(L);
}

int luajit_changes_tests(void) {
  const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
    cmocka_unit_test(compiled_table_loops_give_the_same_results_as_the_interpreter),
    cmocka_unit_test(compiled_code_sees_stores_through_other_variables_and_types_of_templates),
#endif
    cmocka_unit_test(compiled_loops_over_pairs_end),
    cmocka_unit_test(hooks_stop_compiled_code),
    cmocka_unit_test(a_hook_set_while_the_dispatch_table_changes_is_called),
    cmocka_unit_test(modulo_rounds_the_product_and_the_difference),
    cmocka_unit_test(tables_are_weak_only_with_light_userdata),
    cmocka_unit_test(finalizers_of_proxies_and_cdata_still_run),
    cmocka_unit_test(reported_security_faults_are_fixed),
  };
  return cmocka_run_group_tests_name("luajit_changes", tests, NULL, NULL);
}
