// One test for each change of LuaJIT's source (engine/script/luajit/changes), which fails without the change.
#include "test.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static lua_State *open_state(void) {
  lua_State *L = luaL_newstate();
  assert_non_null(L);
  luaL_openlibs(L);
  return L;
}

static int setup(void **state) {
  *state = open_state();
  return 0;
}

static int teardown(void **state) {
  lua_close(*state);
  return 0;
}
FIXTURE(lua_State, setup, teardown)

static void run_lua(lua_State *L, const char *code) {
  if (luaL_dostring(L, code))
    fail_msg("%s", lua_tostring(L, -1));
}

#if defined(__x86_64__) // on arm64, scripts are not compiled
// Program for swap_whole_registers.patch: random loops over tables with many live values.
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

// load_table_entries_early: random loops that use numbers of an entry after they have read another entry. All
// values are multiples of 1/16 and are only added, so that the result does not depend on the order of entries.
static const char number_loops[] =
    "local seed = 1\n"
    "local function pick(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed % 65536 % n + 1 end\n"
    "local shapes = { 'n = n + v * 2', 'n = n - v', 'if next(t, k) then n = n + 1 end', 'n = n + v * #tostring(k)',\n"
    "  'local _, w = next(u) n = n + w * v', 'local _, w = next(u, next(u)) n = n + w', 's[1] = v n = n + s[1]',\n"
    "  'local q = { v, 1 } n = n + q[1]', 'n = n + (u[1] or 0)', 'n = n + math.max(v, 2)', 's[k] = v n = n + s[k]' }\n"
    "local function loop()\n"
    "  local lines = { 'local t, u = ... local n, s = 0, {} for round = 1, 40 do for k, v in pairs(t) do' }\n"
    "  for i = 1, 2 + pick(9) do lines[#lines + 1] = 'do ' .. shapes[pick(#shapes)] .. ' end' end\n"
    "  lines[#lines + 1] = 'end end return n'\n"
    "  return table.concat(lines, '\\n')\n"
    "end\n"
    "jit.opt.start('hotloop=5', 'hotexit=3')\n"
    "local t, u = { 1.5, 2.5, 3.5, 4.5, 5.5, a = 1.25, b = 2.5, c = 3.75 }, { 7, 8, x = 9.5 }\n"
    "for i = 1, 200 do\n"
    "  local text = loop()\n"
    "  local plain = loadstring(text)\n"
    "  jit.off(plain)\n"
    "  assert(plain(t, u) == loadstring(text)(t, u), text)\n"
    "  jit.flush()\n"
    "end\n";

TEST_IN(compiled_table_loops_give_the_same_results_as_the_interpreter, lua_State, L) {
  run_lua(L, table_loops);
  run_lua(L, number_loops);
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

TEST(compiled_code_sees_stores_through_aliases_and_template_types) {
  answer_t interpreted = run_program(LUAJIT_MODE_OFF), compiled = run_program(LUAJIT_MODE_ON);
  assert_memory_equal(&interpreted, &compiled, sizeof compiled);
}

// give_up_failing_exits: random loops with more live numbers than registers.
static const char crowded_loops[] =
    "local seed = 1\n"
    "local function pick(n)\n"
    "  seed = (seed * 1103515245 + 12345) % 2147483648\n"
    "  return math.floor(seed / 65536) % n + 1\n"
    "end\n"
    "local shapes = {\n"
    "  'v%a = v%b + (x > 0.3 and v%c or 1)', 'v%a = min(v%b, v%c) + x', 'if v%b > v%c then v%a = v%a - x end',\n"
    "  'if x < 0.5 then v%a = v%b * 0.5 else v%a, v%c = v%c, v%a end', 'b[i % 8 + 1] = v%b v%a = b[i % 7 + 1]' }\n"
    "local function loop()\n"
    "  local names, count = {}, 8 + pick(10)\n"
    "  for i = 1, count do names[i] = 'v' .. i end\n"
    "  local zeros = (', 0'):rep(count)\n"
    "  local lines = { 'local a, b = ... local min, ' .. table.concat(names, ', ') .. ' = math.min' .. zeros,\n"
    "    'for i = 1, 1000 do local x = a[i % 64 + 1]' }\n"
    "  for i = 1, count do\n"
    "    lines[i + 2] = shapes[pick(#shapes)]:gsub('%%(%a)', { a = i, b = pick(count), c = pick(count) })\n"
    "  end\n"
    "  return table.concat(lines, '\\n') .. ' end return ' .. table.concat(names, ' + ')\n"
    "end\n"
    "local failures, exit, worst = {}, nil, 0\n"
    "jit.attach(function(what, _, _, _, parent, number)\n"
    "  if what == 'start' then exit = parent and parent .. ':' .. number\n"
    "  elseif what == 'abort' and exit then\n"
    "    failures[exit] = (failures[exit] or 0) + 1\n"
    "    worst = math.max(worst, failures[exit])\n"
    "  end\n"
    "end, 'trace')\n"
    "for n = 1, 30 do\n"
    "  local code, a, b = assert(loadstring(loop())), {}, { 1, 2, 3, 4, 5, 6, 7, 8 }\n"
    "  for i = 1, 64 do a[i] = i * 37 % 64 / 64 end\n"
    "  for _ = 1, 10 do code(a, b) end\n"
    "end\n"
    "return worst\n";

TEST_IN(uncompilable_code_after_an_exit_is_not_compiled_repeatedly, lua_State, L) {
  run_lua(L, crowded_loops);
  assert_in_range(lua_tointeger(L, -1), 3, 8); // 4 attempts, and those to compile a jump to the interpreter
}
#endif

// find_loops_with_hook_checks: without this change, a compiled loop over pairs() does not end.
TEST_IN(compiled_loops_over_pairs_terminate, lua_State, L) {
  run_lua(L, "jit.opt.start('hotloop=3')\n"
             "local t, n = { a = 1, b = 2, c = 3 }, 0\n"
             "for i = 1, 100 do for _, v in pairs(t) do n = n + v end end\n"
             "assert(n == 600)\n"
             "for i = 1, 100 do for _ in pairs(i % 2 == 0 and t or {}) do n = n + 1 end end\n"
             "assert(n == 750)\n");
}

// The flag LUAJIT_ENABLE_CHECKHOOK: a hook that is set while compiled code runs.
static sigjmp_buf out_of_hook;
static lua_State *hooked;
static volatile sig_atomic_t signals_left; // number of signals until the hook counts as lost

enum { CALLED = 1, LOST };

static void leave_script(lua_State *L, lua_Debug *at) {
  (void)L, (void)at;
  siglongjmp(out_of_hook, CALLED);
}

static void set_hook(int number) {
  (void)number;
  if (--signals_left < 0)
    siglongjmp(out_of_hook, LOST);
  lua_sethook(hooked, leave_script, LUA_MASKCOUNT, 1);
}

// Calls set_hook after every `us` microseconds of real time. 0: stops the calls.
static void set_timer(int us) {
  struct sigaction action = {.sa_handler = us ? set_hook : SIG_IGN};
  struct itimerval period = {.it_interval.tv_usec = us, .it_value.tv_usec = us};
  assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
  assert_int_equal(setitimer(ITIMER_REAL, &period, NULL), 0);
}

// Runs an endless script until its hook is called; fails after 20 s of signals.
static void expect_hook(const char *code, int us) {
  hooked = open_state();
  assert_int_equal(luaL_loadstring(hooked, code), 0);
  signals_left = 20 * 1000 * 1000 / us;
  int result = sigsetjmp(out_of_hook, 1);
  if (result == 0) {
    set_timer(us);
    lua_call(hooked, 0, 0);
  }
  set_timer(0);
  if (result != CALLED)
    fail_msg("the hook was not called: %s", code);
  lua_sethook(hooked, NULL, 0, 0);
}

TEST(hooks_stop_compiled_code) {
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
TEST(hook_set_while_the_dispatch_table_changes_is_called) {
  for (int i = 0; i < 200; ++i)
    expect_hook("jit.opt.start('hotloop=1', 'hotexit=1')\n"
                "while true do\n"
                "  local f = loadstring('local n = ... for i = 1, 4 do n = n + i end return n')\n"
                "  for i = 1, 3 do f(i) end\n"
                "end\n",
                100 + i);
}

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100 }; // bit of the flags register that raises a signal after each instruction

static int steps_left; // number of instructions until the hook is set

static void set_hook_after_steps(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  if (--steps_left > 0)
    return;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  lua_sethook(hooked, leave_script, LUA_MASKCOUNT, 1);
}

// Switches the JIT compiler on or off, which changes the dispatch table, sets a hook after `steps` instructions, and
// runs a script. Returns false if the switch took fewer instructions.
static bool expect_hook_after_steps(int steps, int mode) {
  hooked = open_state();
  luaJIT_setmode(hooked, 0, LUAJIT_MODE_ENGINE | (mode == LUAJIT_MODE_ON ? LUAJIT_MODE_OFF : LUAJIT_MODE_ON));
  assert_int_equal(luaL_loadstring(hooked, "for i = 1, 1000 do end"), 0);
  steps_left = steps;
  __writeeflags(__readeflags() | TRAP_FLAG);
  luaJIT_setmode(hooked, 0, LUAJIT_MODE_ENGINE | mode);
  __writeeflags(__readeflags() & ~(unsigned long long)TRAP_FLAG);
  bool is_set = steps_left <= 0;
  if (is_set && sigsetjmp(out_of_hook, 1) == 0) {
    lua_call(hooked, 0, 0);
    fail_msg("the hook that was set after %d instructions was not called", steps);
  }
  lua_sethook(hooked, NULL, 0, 0);
  lua_close(hooked);
  return is_set;
}

// read_hooks_again: signals arrive after each instruction of a change of the dispatch table.
TEST(hook_set_after_any_instruction_of_a_dispatch_update_is_called) {
  struct sigaction action = {.sa_sigaction = set_hook_after_steps, .sa_flags = SA_SIGINFO}, before;
  assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
  int steps = 1;
  while (expect_hook_after_steps(steps, LUAJIT_MODE_OFF) && expect_hook_after_steps(steps, LUAJIT_MODE_ON))
    ++steps;
  assert_true(steps > 20);
  assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
}
#endif

// call_hooks_in_long_functions
TEST(hooks_stop_long_library_functions) {
  static const char *const codes[] = {
      "string.find(('a'):rep(3000), '.-.-.-.-b')",
      "local t = {} for i = 1, 3e5 do t[i] = i * 7919 % 300007 end while true do table.sort(t) end",
      "local text = 'return {' .. ('1,'):rep(1e6) .. '}' while true do loadstring(text) end",
  };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
    expect_hook(codes[i], 20000);
}

// find_text_in_linear_time: without this change, the searches take minutes.
TEST_IN(plain_text_is_found_in_linear_time, lua_State, L) {
  run_lua(L, "local s, t = ('a'):rep(4e6), ('a'):rep(2e6) .. 'b'\n"
             "assert(not s:find(t, 1, true))\n"
             "assert((s .. 'b'):find(t, 1, true) == 2e6 + 1)\n"
             "assert(('abc'):find('', 1, true) == 1 and ('abc'):find('c', 1, true) == 3)\n"
             "assert(('a\\0b\\0c'):find('\\0c', 1, true) == 4 and not ('abc'):find('abcd', 1, true))\n");
}

// copy_long_strings_quickly: repeating two bytes takes about as long as repeating one, and took twice as long before.
TEST_IN(long_strings_are_copied_quickly, lua_State, L) {
  run_lua(L, "local function time(s, n)\n"
             "  local fastest = math.huge\n"
             "  for i = 1, 7 do\n"
             "    collectgarbage()\n"
             "    local began = os.clock()\n"
             "    s:rep(n)\n"
             "    fastest = math.min(fastest, os.clock() - began)\n"
             "  end\n"
             "  return fastest\n"
             "end\n"
             "local ratio = math.huge\n"
             "for i = 1, 5 do\n"
             "  ratio = math.min(ratio, time('ab', 2e6) / time('a', 4e6))\n"
             "  if ratio < 1.5 then break end\n"
             "end\n"
             "assert(ratio < 1.5, ratio)\n"
             "local bytes = {}\n"
             "for i = 0, 255 do bytes[i + 1] = string.char(i) end\n"
             "bytes = table.concat(bytes)\n"
             "for first = 1, 256 do for last = first, first + 20 do\n"
             "  local s = bytes:sub(first, last)\n"
             "  assert(s:upper() == s:gsub('%l', function(c) return string.char(c:byte() - 32) end))\n"
             "  assert(s:lower() == s:gsub('%u', function(c) return string.char(c:byte() + 32) end))\n"
             "  assert(loadstring('return ' .. ('%q'):format(s))() == s)\n"
             "  local copies = ''\n"
             "  for n = 0, 5 do assert(s:rep(n) == copies) copies = copies .. s end\n"
             "end end\n");
}

// start_loops_at_positive_zero. The argument is 0, which LuaJIT's compiler must not treat as a constant.
TEST(loops_neither_start_nor_step_with_negative_zero) {
  static const char code[] =
      "local zero = ...\n"
      "local function count(first, last, step)\n"
      "  local n, signs = 0, 0\n"
      "  for i = first, last, step do\n"
      "    n = n + 1\n"
      "    if i == 0 then signs = signs + 1 / i end\n"
      "    if n == 4 then break end\n"
      "  end\n"
      "  return n, signs\n"
      "end\n"
      "local function check(first, last, step, n, signs)\n"
      "  for _ = 1, 100 do\n"
      "    local a, b = count(first, last, step)\n"
      "    assert(a == n and b == signs, ('%s, %s, %s: %s, %s'):format(first, last, step, a, b))\n"
      "  end\n"
      "end\n"
      "check(-zero, zero, 1, 1, math.huge) check(-zero, 0.5, 1, 1, math.huge) check(-zero, 2.5, 0.5, 4, math.huge)\n"
      "check(1, 5, -zero, 4, 0) check(1, -5, -zero, 0, 0) check(1.5, 5, -zero, 4, 0) check(-zero, 1, -zero, 4, "
      "math.huge)\n"
      "check('-0', '1', '1', 2, math.huge) check(-1, 1, 1, 3, math.huge) check(1, -1, -1, 3, math.huge)\n";
  for (int i = 0; i < 2; ++i) {
    lua_State *L = open_state();
    luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | (i ? LUAJIT_MODE_ON : LUAJIT_MODE_OFF));
    assert_int_equal(luaL_loadstring(L, code), 0);
    lua_pushnumber(L, 0);
    if (lua_pcall(L, 1, 0, 0))
      fail_msg("%s", lua_tostring(L, -1));
    lua_close(L);
  }
}

// step_no_loop_by_nan
TEST(loops_with_a_nan_step_have_no_iterations) {
  for (int i = 0; i < 2; ++i) {
    lua_State *L = open_state();
    luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | (i ? LUAJIT_MODE_ON : LUAJIT_MODE_OFF));
    run_lua(L, "local function count(first, last, step)\n"
               "  local n = 0\n"
               "  for _ = first, last, step do n = n + 1 end\n"
               "  return n\n"
               "end\n"
               "for _ = 1, 100 do\n"
               "  assert(count(1, 3, 1) == 3 and count(1, 3, math.huge) == 1)\n"
               "  for _, nan in ipairs { 0 / 0, -(0 / 0) } do\n" // NaNs of both signs
               "    assert(count(1, 3, nan) == 0 and count(3, 1, nan) == 0 and count(1, 1, nan) == 0)\n"
               "    assert(count(0.5, 3, nan) == 0 and count('1', '3', nan) == 0)\n"
               "  end\n"
               "end\n");
    lua_close(L);
  }
}

// tell_program_of_stack_overflows
static jmp_buf out_of_overflow;

static void leave_overflow(lua_State *L) {
  luaL_traceback(L, L, NULL, 0); // reads all positions
  longjmp(out_of_overflow, 1);
}

static void expect_overflow_call(const char *code) {
  lua_State *L = open_state();
  assert_int_equal(luaL_loadstring(L, code), 0);
  if (setjmp(out_of_overflow) == 0) {
    lua_pcall(L, 0, 0, 0);
    fail_msg("not called: %s", code);
  }
}

TEST(stack_overflows_call_the_program) {
  static const char *const codes[] = {
      "local function f(n) return 1 + f(n + 1) end f(1)",
      "jit.off() local function f(n) return 1 + f(n + 1) end f(1)",
      "local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end }) return t[1]",
      "local function f(n) local a, b, c, d, e, g, h = n, n, n, n, n, n, n if n % 3 == 0 then a = 'x' elseif n % 5 == "
      "0 "
      "then b = {} end local r = f(n + 1) return a, b, c, d, e, g, h, r end f(1)",
      "local function f(n) return 1 + f(n + 1) end coroutine.wrap(f)(1)",
  };
  void (*before)(lua_State * L) = luaJIT_overflow;
  luaJIT_overflow = leave_overflow;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
    expect_overflow_call(codes[i]);
  luaJIT_overflow = before;
}

// look_up_machine_code_at_once: libgcc's unwinder calls the malloc of the program. Sanitizers define it themselves.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t bytes);
static _Thread_local uint32_t malloc_calls;

void *malloc(size_t bytes) {
  ++malloc_calls;
  return __libc_malloc(bytes);
}

TEST_IN(stack_walk_after_compiling_machine_code_does_not_allocate, lua_State, L) {
  void *frames[64];
  assert_true(backtrace(frames, 64) > 0); // loads the unwinder
  run_lua(L, "local n = 0 for i = 1, 1000 do n = n + i end");
  uint32_t before = malloc_calls;
  assert_true(backtrace(frames, 64) > 0);
  assert_int_equal(malloc_calls, before);
}
#endif

// unwind_errors_without_tables: counts the errors that libgcc's unwinder handles. AddressSanitizer requires it.
#if !defined(__SANITIZE_ADDRESS__)
static uint32_t table_unwinds;

_Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception) {
  static _Unwind_Reason_Code (*raise_exception)(struct _Unwind_Exception *);
  ++table_unwinds;
  if (!raise_exception)
    *(void **)&raise_exception = dlsym(RTLD_NEXT, "_Unwind_RaiseException");
  return raise_exception(exception);
}

TEST_IN(errors_are_caught_without_reading_unwind_tables, lua_State, L) {
  uint32_t before = table_unwinds;
  run_lua(L, "jit.off()\n"
             "for i = 1, 100 do\n"
             "  local function fail(n) if n == 0 then error({ i }) end fail(n - 1) return n end\n"
             "  local ok, thrown = pcall(fail, i)\n"
             "  assert(not ok and thrown[1] == i)\n"
             "  assert(select(2, xpcall(fail, function(e) return e[1] + 1 end, 3)) == i + 1)\n"
             "  assert(select(2, coroutine.resume(coroutine.create(fail), 3))[1] == i)\n"
             "  assert(not pcall(table.sort, { 3, 2, 1 }, function() fail(2) end))\n"
             "  assert(not pcall(string.gsub, 'text', '.', function() return pcall(fail, 1), fail(1) end))\n"
             "  assert(not pcall(string.rep))\n"
             "end\n");
  assert_int_equal(table_unwinds, before);
}

// The compiler reports the full table in machine code, where the handler is found through unwind tables.
TEST_IN(errors_of_compiled_code_are_caught, lua_State, L) {
  run_lua(L,
          "for i = 1, 300 do\n"
          "  local ok, text = pcall(function(t, key) for k = 1, 100 do t[k < 90 and k or key] = k end end, {}, nil)\n"
          "  assert(not ok and text:find('index is nil', 1, true), text)\n"
          "end\n");
}
#endif

// Refuses blocks of more than 64 KB.
static void *allocate_small_blocks(void *context, void *block, size_t old_bytes, size_t new_bytes) {
  (void)context;
  if (new_bytes == 0) {
    free(block);
    return NULL;
  }
  return new_bytes > old_bytes && new_bytes > (1 << 16) ? NULL : realloc(block, new_bytes);
}

// set_base_for_errors: a loop doubles a string until memory runs out. Before, functions at different depths catch the
// same error, so that the last base known to the interpreter belongs to a frame that no longer exists.
TEST(memory_errors_of_compiled_code_overwrite_no_variables) {
  lua_State *L = lua_newstate(allocate_small_blocks, NULL);
  assert_non_null(L);
  luaL_openlibs(L);
  run_lua(L, "jit.opt.start('hotloop=2', 'hotexit=2')\n"
             "local function double(n) local s = 'x' for _ = 1, n do s = s .. s end return s end\n"
             "local function fill(n) local t = {} for i = 1, n do t[i] = i end return t end\n"
             "local function fail(f, n)\n"
             "  local ok, text = pcall(f, n)\n"
             "  assert(not ok and text == 'not enough memory', text)\n"
             "end\n"
             "local function descend(f, n, depth)\n"
             "  if depth == 0 then return fail(f, n) end\n"
             "  descend(f, n, depth - 1)\n"
             "  return depth\n"
             "end\n"
             "jit.off(fail) jit.off(descend)\n"
             "local function check(f, ...)\n"
             "  for i = 1, select('#', ...) do assert(select(i, ...) == f, 'variable ' .. i) end\n"
             "end\n"
             "local function run(f, n, count)\n"
             "  local names = {}\n"
             "  for i = 1, count do names[i] = 'a' .. i end\n"
             "  local list = table.concat(names, ', ')\n"
             "  local text = 'local f, n, fail, check = ... local ' .. list .. ' = ' .. ('f, '):rep(count - 1) ..\n"
             "    'f for i = 1, 4 do fail(f, n) end check(f, ' .. list .. ')'\n"
             "  local keep = assert(loadstring(text))\n"
             "  for depth = 0, 10 do\n"
             "    descend(f, n, depth)\n"
             "    keep(f, n, fail, check)\n"
             "  end\n"
             "end\n"
             "for count = 1, 30 do run(double, 100, count) run(fill, 1e6, count) end\n");
  lua_close(L);
}

#if defined(__x86_64__)
// Overwrites the registers that a function must preserve, and does not restore them.
static int overwrite_registers(lua_State *L) {
  __asm__ volatile("mov $-1, %%rbx; mov $-1, %%r12; mov $-1, %%r13; mov $-1, %%r14; mov $-1, %%r15"
                   :
                   :
                   : "rbx", "r12", "r13", "r14", "r15");
  return luaL_error(L, "thrown");
}

// unwind_errors_without_tables: without it, the interpreter does not save r12 and r13.
TEST_IN(caught_errors_restore_the_registers_of_the_caller, lua_State, L) {
  uint64_t sums[6] = {0};
  for (uint64_t i = 0; i < 100; ++i) {
    uint64_t a = i * 3, b = i * 5, c = i * 7, d = i * 11, e = i * 13, f = i * 17;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f)); // kept in registers
    lua_pushcfunction(L, overwrite_registers);
    assert_int_equal(lua_pcall(L, 0, 0, 0), LUA_ERRRUN);
    assert_string_equal(lua_tostring(L, -1), "thrown");
    lua_pop(L, 1);
    sums[0] += a, sums[1] += b, sums[2] += c, sums[3] += d, sums[4] += e, sums[5] += f;
  }
  static const uint64_t factors[] = {3, 5, 7, 11, 13, 17};
  for (int i = 0; i < 6; ++i)
    assert_int_equal(sums[i], factors[i] * 4950);
}
#endif

// remember_lengths_of_tables: without it, the length of the long list takes several times as long.
TEST_IN(length_of_a_list_is_found_in_constant_time, lua_State, L) {
  run_lua(L, "jit.off()\n"
             "local function create(n) local t = {} for i = 1, n do t[i] = i end return t end\n"
             "local function time(t)\n"
             "  local fastest = math.huge\n"
             "  for i = 1, 9 do\n"
             "    local began, n = os.clock(), 0\n"
             "    for i = 1, 50000 do n = n + #t end\n"
             "    fastest = math.min(fastest, os.clock() - began)\n"
             "  end\n"
             "  return fastest\n"
             "end\n"
             "local short, long, ratio = create(5), create(1200000), math.huge\n"
             "for i = 1, 20 do\n"
             "  ratio = math.min(ratio, time(long) / time(short))\n"
             "  if ratio < 1.4 then break end\n"
             "end\n"
             "assert(ratio < 1.4, ratio)\n");
}

TEST_IN(lengths_of_lists_that_grow_and_shrink_are_exact, lua_State, L) {
  run_lua(L, "for round = 1, 200 do\n"
             "  local t, n, seed = {}, 0, round\n"
             "  for step = 1, 300 do\n"
             "    seed = seed * 16807 % 2147483647\n"
             "    local kind, count = seed % 10, seed % 31\n"
             "    if kind < 4 then\n"
             "      t[#t + 1] = step n = n + 1\n"
             "    elseif kind < 7 then\n"
             "      t[#t] = nil n = math.max(n - 1, 0)\n"
             "    elseif kind < 8 then\n"
             "      for k = 1, count do n = n + 1 t[n] = k end\n"
             "    elseif kind < 9 then\n"
             "      for k = 1, math.min(n, count) do t[n] = nil n = n - 1 end\n"
             "    else\n"
             "      table.insert(t, 1, step) n = n + 1\n"
             "    end\n"
             "    assert(#t == n)\n"
             "  end\n"
             "end\n");
}

// use_ffi_symbols_of_the_program
static double hidden_function(double x) {
  return x * 3;
}

static void *find_hidden_function(const char *name) {
  return strcmp(name, "hidden_function") == 0 ? (void *)(uintptr_t)hidden_function : NULL;
}

TEST_IN(ffi_finds_functions_of_the_program, lua_State, L) {
  void *(*before)(const char *name) = luaJIT_findsymbol;
  luaJIT_findsymbol = find_hidden_function;
  run_lua(L, "local ffi = require('ffi')\n"
             "ffi.cdef 'double hidden_function(double x); int abs(int x);'\n"
             "assert(ffi.C.hidden_function(2) == 6 and ffi.C.abs(-2) == 2)\n");
  luaJIT_findsymbol = before;
}

// round_modulo_twice
TEST_IN(modulo_rounds_the_product_and_the_difference, lua_State, L) {
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
}

// mark_weak_tables_with_light_userdata
TEST_IN(tables_are_weak_only_with_light_userdata, lua_State, L) {
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
}

TEST_IN(finalizers_of_proxies_and_cdata_still_run, lua_State, L) {
  run_lua(L, "local ffi, freed = require('ffi'), 0\n"
             "do local p = newproxy(true) getmetatable(p).__gc = function() freed = freed + 1 end end\n"
             "ffi.gc(ffi.new('int[4]'), function() freed = freed + 1 end)\n"
             "collectgarbage() collectgarbage()\n"
             "assert(freed == 2)\n");
}

// print_long_fractions, restore_missing_metatables, report_stack_overflows
TEST_IN(reported_security_faults_are_fixed, lua_State, L) {
  run_lua(L, "for p = 1, 99 do for e = -300, 300, 50 do string.format('%.' .. p .. 'g', 1.7 * 10 ^ e) end end\n"
             "for p = 3, 14 do for e = -320, 300 do for _, m in ipairs { 1.5, 1.25, 3.000001 } do\n"
             "  local x = m * 10 ^ e\n"
             "  local short, long = ('%20.' .. p .. 'g'):format(x), ('%.' .. p - 1 .. 'e'):format(x)\n"
             "  assert(tonumber(short) == tonumber(long), long)\n"
             "end end end\n"
             "local t\n"
             "for i = 1, 200 do local x = setmetatable({}, nil) if i % 7 == 0 then t = x end end\n"
             "assert(getmetatable(t) == nil)\n"
             "local function deep(n) return 1 + deep(n + 1) end\n"
             "for _ = 1, 20 do assert(not pcall(deep, 1)) end\n"
             "local function wide(a, b, c, d, e, f) local t = { wide(a, b, c, d, e, f) } return t end\n"
             "local function variable(...) return 1 + variable(1, ...) end\n"
             "for _, f in ipairs { deep, wide, variable } do\n"
             "  for _, handler in ipairs { deep, wide, variable, function() return unpack({}, 1, 7990) end } do\n"
             "    local _, message = xpcall(f, handler, 1)\n"
             "    assert(type(message) == 'string' and (message:find('stack overflow', 1, true) or\n"
             "      message:find('error in error handling', 1, true)), message)\n"
             "  end\n"
             "end\n");
}

// keep_the_table_of_strings
static void *count_long_blocks(void *context, void *block, size_t old_bytes, size_t bytes) {
  (void)old_bytes;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  *(uint32_t *)context += bytes >= 64 * 1024;
  return realloc(block, bytes);
}

TEST(the_table_of_strings_keeps_its_size_between_collections) {
  static const char cycles[] = "for i = 1, 200000 do last = 'text ' .. i + offset end offset = offset + 200000";
  uint32_t count = 0;
  lua_State *L = lua_newstate(count_long_blocks, &count);
  assert_non_null(L);
  luaL_openlibs(L);
  run_lua(L, "offset, strings, numbers = 0, {}, {}\n"
             "for i = 1, 15000 do strings[i] = 'live ' .. i end\n"
             "for i = 1, 500000 do numbers[i] = i end"); // many strings are created before the memory has doubled
  for (int i = 0; i < 4; ++i)
    run_lua(L, cycles);
  count = 0;
  for (int i = 0; i < 4; ++i)
    run_lua(L, cycles);
  assert_int_equal(count, 0);
  lua_close(L);
}

// write_filters_of_chains: a string that its filter hides would be created twice, and then be a different key.
TEST_IN(strings_are_found_after_their_table_was_swept_grown_and_rehashed, lua_State, L) {
  run_lua(L, "local kept = {}\n"
             "local function check(first, last)\n"
             "  for i = first, last do assert(kept['text ' .. i] == i, i) end\n"
             "end\n"
             "for step = 1, 6 do\n"
             "  for i = step * 1000, step * 1000 + 999 do kept['text ' .. i] = i end\n"
             "  for i = 1, 20000 do local text = 'dropped ' .. step .. i end\n" // the table grows
             "  collectgarbage()\n"
             "  check(1000, step * 1000 + 999)\n"
             "end\n"
             // Strings that differ only in characters that the primary hash ignores share a chain until it is rehashed.
             "local many = {}\n"
             "local function get_name(i) return ('a'):rep(20) .. ('%04d'):format(i) .. ('b'):rep(36) end\n"
             "for i = 1, 200 do many[get_name(i)] = i end\n"
             "collectgarbage()\n"
             "for i = 1, 200 do assert(many[get_name(i)] == i, i) end\n"
             "check(1000, 6999)");
}

// forward_loads_over_calls
#if defined(__x86_64__) // on arm64, scripts are not compiled
TEST_IN(objects_used_before_and_after_calls_of_c_are_not_allocated, lua_State, L) {
  run_lua(L, "local ffi = require('ffi')\n"
             "ffi.cdef 'int abs(int); void *memset(void *, int, size_t);'\n"
             "local pair = ffi.typeof('struct { int id, row; }')\n"
             "local function sum(n)\n"
             "  local total = 0\n"
             "  for i = 1, n do\n"
             "    local p = pair(i, 2 * i)\n"
             "    total = total + ffi.C.abs(-i) + p.id + p.row\n"
             "  end\n"
             "  return total\n"
             "end\n"
             "sum(1000)\n"
             "collectgarbage() collectgarbage('stop')\n"
             "local before = collectgarbage('count')\n"
             "assert(sum(100000) == 4 * 5000050000)\n"
             "assert(collectgarbage('count') - before < 100, 'objects were allocated')\n"
             "collectgarbage('restart')\n"
             // C may write to an object whose address it receives.
             "local function clear(n)\n"
             "  local total = 0\n"
             "  for i = 1, n do\n"
             "    local p = pair(i, i)\n"
             "    ffi.C.memset(p, 0, 8)\n"
             "    total = total + p.id + p.row\n"
             "  end\n"
             "  return total\n"
             "end\n"
             "assert(clear(1000) == 0)\n"
             "local function carry(n)\n"
             "  local total, p = 0, pair(0, 0)\n"
             "  for i = 1, n do\n"
             "    total = total + ffi.C.abs(p.id) + p.row\n"
             "    p = pair(i, 1)\n"
             "  end\n"
             "  return total\n"
             "end\n"
             "assert(carry(1000) == 999 * 500 + 999)");
}
#endif

// write_marks_of_new_objects. Each kind of object is created before the collection that keeps objects, and refers to
// newer objects later.
static const char kept_objects[] =
    "local ffi, slots, names = require('ffi'), {}, {}\n"
    "local function make_counter()\n"
    "  local value = { 0 }\n"
    "  return function() return value[1] end, function(v) value = { v } end\n"
    "end\n"
    "local function make_generator()\n"
    "  return coroutine.wrap(function(v) while true do v = coroutine.yield({ v }) end end)\n"
    "end\n"
    "for i = 1, 500 do\n"
    "  local read, write = make_counter()\n"
    "  slots[i] = { read = read, write = write, generate = make_generator(), number = ffi.new('int[1]'), text = '' }\n"
    "end\n"
    "function change(step)\n"
    "  for i = step % 7 + 1, #slots, 7 do\n"
    "    local slot, v = slots[i], step * 1000 + i\n"
    "    slot.write(v)\n"
    "    slot.value, slot.text, slot.number = slot.generate(v), 'text ' .. v, ffi.new('int[1]', v)\n"
    "    setmetatable(slot, { __index = { v = v } })\n"
    "    slot.f = setfenv(loadstring('return v'), { v = v })\n"
    "    slot.other = slots[v % #slots + 1]\n"
    "    names[i] = slot.text\n"
    "  end\n"
    "end\n"
    "function check()\n"
    "  for i, slot in ipairs(slots) do\n"
    "    local v = slot.v\n"
    "    if v then\n"
    "      assert(slot.read() == v and slot.value[1] == v and slot.text == 'text ' .. v and slot.number[0] == v)\n"
    "      assert(slot.f() == v and names[i] == slot.text and slot.other == slots[v % #slots + 1])\n"
    "    end\n"
    "  end\n"
    "end\n";

TEST_IN(kept_objects_may_refer_to_newer_objects, lua_State, L) {
  run_lua(L, kept_objects);
  for (int step = 0; step < 300; ++step) {
    if (step % 100 == 10)
      lua_gc(L, LUA_GCKEEP, 0);
    lua_pushinteger(L, step);
    lua_setglobal(L, "step");
    run_lua(L, "change(step) check()");
    lua_gc(L, step % 20 == 19 ? LUA_GCCOLLECT : LUA_GCSTEP, step % 50);
  }
  run_lua(L, "check()");
}

// LUA_GCKEEP during the collection that keeps objects has no effect: its sweep must not be left unfinished.
TEST_IN(objects_can_be_kept_again_at_any_step, lua_State, L) {
  run_lua(L, kept_objects);
  for (int step = 0; step < 3000; ++step) {
    if (step % 3 == 0)
      lua_gc(L, LUA_GCKEEP, 0);
    lua_pushinteger(L, step);
    lua_setglobal(L, "step");
    run_lua(L, step % 50 == 0 ? "change(step) check()" : "local new = { step }");
    lua_gc(L, LUA_GCSTEP, 0);
  }
  lua_gc(L, LUA_GCCOLLECT, 0);
  run_lua(L, "check()");
}

// debug.setupvalue can also change a variable that no code assigns, and can store an object that is already marked.
TEST_IN(debug_functions_may_change_upvalues_of_kept_functions, lua_State, L) {
  run_lua(L, "readers, values = {}, {}\n"
             "local function bind(value) return function() return value[1] end end\n"
             "for i = 1, 500 do readers[i] = bind({ 0 }) values[i] = { 0 } end");
  lua_gc(L, LUA_GCKEEP, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  for (int step = 0; step < 2000; ++step) {
    lua_pushinteger(L, step);
    lua_setglobal(L, "step");
    run_lua(L, "local i = step % #readers + 1\n"
               "values[i] = step % 2 == 0 and { step } or values[i]\n"
               "debug.setupvalue(readers[i], 1, step % 2 == 0 and { values[i][1] } or values[i])");
    lua_gc(L, LUA_GCSTEP, step % 5);
  }
  lua_gc(L, LUA_GCCOLLECT, 0);
  run_lua(L, "for i, read in ipairs(readers) do assert(read() == values[i][1]) end");
}

TEST_IN(memory_grows_little_between_collections_of_new_objects, lua_State, L) {
  run_lua(L, "loaded, offset = {}, 0\n"
             "for i = 1, 100000 do loaded[i] = { i, 'object ' .. i } end\n"
             "function create(n)\n"
             "  for i = 1, n do last = { 'text ' .. offset + i } end\n"
             "  offset = offset + n\n"
             "end\n"
             "collectgarbage()");
  int loaded_kb = lua_gc(L, LUA_GCCOUNT, 0), max_kb = 0;
  lua_gc(L, LUA_GCKEEP, 0);
  run_lua(L, "create(1000000)");
  for (int i = 0; i < 300; ++i) {
    run_lua(L, "create(1000)");
    int kb = lua_gc(L, LUA_GCCOUNT, 0);
    max_kb = kb > max_kb ? kb : max_kb;
  }
  assert_true(max_kb < loaded_kb + 4096); // if no objects are kept, memory doubles to 30 MB between collections
  run_lua(L, "for i = 1, 100000 do assert(loaded[i][1] == i and loaded[i][2] == 'object ' .. i) end");
}
