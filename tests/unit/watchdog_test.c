// Stopping scripts that do not terminate: watchdog/watchdog.h.
#include "watchdog/watchdog.h"

#include "base/interrupt.h"
#include "../slowdown.h"
#include "process/foreign_call.h"
#include "watchdog/arena.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <lauxlib.h>
#include <lualib.h>

#define BUDGET_MS 20

// Returns the latest time at which a script must have stopped, in ms of CPU time since its start.
static double max_stop_ms(void) {
  return BUDGET_MS + 30 * cpu_slowdown();
}

typedef struct run_t {
  const char *prepare; // code that runs before the budget starts; may be NULL
  const char *code;
  uint32_t budget_ms;
  bool looks; // when stopped, inspects the script's stack for several periods of the timer
  // results
  watchdog_reason_t reason;
  bool left, looked;
  double ms; // CPU time used by the thread
} run_t;

static double thread_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// A host function that uses `ms` milliseconds of the thread's CPU time.
static int use_cpu(lua_State *L) {
  double until = thread_ms() + luaL_checknumber(L, 1);
  while (thread_ms() < until)
    ;
  return 0;
}

// A host function that enters foreign code, which calls the script again.
static int call_foreign_code(lua_State *L) {
  foreign_call_t call = {.owner = "slow", .kind = "system"};
  foreign_begin_call(&call);
  lua_call(L, lua_gettop(L) - 1, 0);
  foreign_end_call(&call);
  return 0;
}

static void inspect_slowly(const watchdog_guard_t *guard, lua_State *L) {
  run_t *r = guard->context;
  double until = thread_ms() + 12 * WATCHDOG_PERIOD_MS;
  while (thread_ms() < until)
    ;
  r->looked = lua_gettop(L) >= 0;
}

static void *run_guarded(void *context) {
  run_t *r = context;
  watchdog_guard_t guard;
  arena_o *arena = arena_create(&(arena_desc_t){.cap_bytes = 64 << 20, .on_over_cap = watchdog_on_memory_limit});
  lua_State *L = lua_newstate(arena_resize, arena);
  luaL_openlibs(L);
  lua_register(L, "busy", use_cpu);
  lua_register(L, "foreign", call_foreign_code);
  r->left = false;
  if (r->prepare)
    assert_int_equal(luaL_dostring(L, r->prepare), 0);
  assert_int_equal(luaL_loadbuffer(L, r->code, strlen(r->code), "=test"), 0);
  double began = thread_ms();
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, r->budget_ms);
    guard.context = r;
    guard.inspect = r->looks ? inspect_slowly : NULL;
    lua_pcall(L, 0, 0, 0);
  } else {
    r->left = true;
  }
  r->reason = watchdog_end(&guard);
  r->ms = thread_ms() - began;
  arena_destroy(arena);
  return NULL;
}

static run_t run_code(const char *code) {
  run_t r = {.code = code, .budget_ms = BUDGET_MS};
  run_guarded(&r);
  return r;
}

// Runs the code until it is stopped within `max_ms`, at most nine times. On a shared machine, stolen CPU time counts as
// the thread's own, so a run that is stopped late is repeated.
static run_t run_prepared_until(const char *prepare, const char *code, double max_ms) {
  run_t r = {.prepare = prepare, .code = code, .budget_ms = BUDGET_MS};
  run_guarded(&r);
  for (int i = 0; i < 8 && r.ms > max_ms; ++i)
    run_guarded(&r);
  return r;
}

static run_t run_until(const char *code, double max_ms) {
  return run_prepared_until(NULL, code, max_ms);
}

TEST(endless_scripts_are_stopped_on_this_machine) {
  assert_true(watchdog_test());
}

TEST(script_that_returns_within_its_budget_is_not_stopped) {
  run_t r = run_code("local n = 0 for i = 1, 1e6 do n = n + i end");
  assert_int_equal(r.reason, WATCHDOG_NONE);
}

// On a slow machine, the budget may expire before Lua runs.
TEST(script_whose_budget_expires_before_lua_is_entered_is_stopped) {
  watchdog_guard_t guard;
  volatile bool left = false;
  lua_State *L = luaL_newstate();
  assert_int_equal(luaL_loadstring(L, "entered = true while true do end"), 0);
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, BUDGET_MS);
    while (!guard.reason)
      ;
    lua_call(L, 0, 0);
  } else {
    left = true;
  }
  assert_int_equal(watchdog_end(&guard), WATCHDOG_TIME);
  lua_sethook(L, NULL, 0, 0);
  lua_getglobal(L, "entered");
  assert_true(left && lua_isnil(L, -1));
}

// A jump out of foreign code would leak its resources and locks.
TEST(script_called_by_foreign_code_is_stopped_after_that_code_has_returned) {
  run_t r = run_until("foreign(function() for i = 1, 100 do busy(1) for k = 1, 1e4 do end end done = true end) "
                      "if done then busy(1) end while true do end",
                      5000);
  char words[64];
  assert_int_equal(r.reason, WATCHDOG_TIME);
  assert_true(r.left && r.ms > BUDGET_MS + 5);
  assert_string_equal(foreign_describe_call(words, sizeof words), "");
}

// A plugin may call a host function that runs a script.
TEST(stopped_script_inside_a_foreign_call_leaves_that_call_in_the_list) {
  foreign_call_t outer = {.owner = "outer", .kind = "system"};
  char words[64];
  foreign_begin_call(&outer);
  run_t r = run_code("string.find(('a'):rep(3000), '.-.-.-.-b')");
  assert_int_equal(r.reason, WATCHDOG_TIME);
  assert_true(r.left);
  assert_string_equal(foreign_describe_call(words, sizeof words), "plugin outer, system");
  foreign_end_call(&outer);
}

// A Lua error leaves foreign code without a call to foreign_end_call.
static int throw_in_foreign_code(lua_State *L) {
  foreign_call_t call = {.owner = "thrower", .kind = "system"};
  foreign_begin_call(&call);
  return luaL_error(L, "thrown");
}

TEST(end_of_a_guard_restores_the_list_of_foreign_calls) {
  watchdog_guard_t guard;
  char words[64];
  lua_State *L = luaL_newstate();
  lua_pushcfunction(L, throw_in_foreign_code);
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, 1000);
    assert_int_not_equal(lua_pcall(L, 0, 0, 0), 0);
  }
  assert_int_equal(watchdog_end(&guard), WATCHDOG_NONE);
  assert_string_equal(foreign_describe_call(words, sizeof words), "");
  lua_close(L);
}

TEST(stack_inspection_of_a_stopped_script_is_not_interrupted) {
  run_t r = {.code = "jit.off() while true do end", .budget_ms = BUDGET_MS, .looks = true};
  run_guarded(&r);
  assert_int_equal(r.reason, WATCHDOG_TIME);
  assert_true(r.left && r.looked);
  r = (run_t){.code = "jit.off() local function f() return 1 + f() end f()", .budget_ms = 1000, .looks = true};
  run_guarded(&r);
  assert_int_equal(r.reason, WATCHDOG_STACK);
  assert_true(r.left && r.looked);
}

TEST(endless_loops_are_stopped_soon_after_their_budget) {
  static const char *const loops[] = {
      "while true do end",
      "while true do pcall(function() while true do end end) end",
      "local function f() return f() end f()",
      "coroutine.wrap(function() while true do end end)()",
      "local co = coroutine.create(function() while true do coroutine.yield() end end) "
      "while true do coroutine.resume(co) end",
      "local t = {} for i = 1, 1000 do t['k' .. i] = i end while true do for k, v in pairs(t) do t[k] = v + 1 end end",
      "local ffi = require('ffi') local p = ffi.new('double[1000]') while true do for i = 0, 999 do p[i] = p[i] + 1 "
      "end end",
      "xpcall(function() while true do end end, function() while true do end end)",
  };
  for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
    run_t r = run_until(loops[i], max_stop_ms());
    assert_int_equal(r.reason, WATCHDOG_TIME);
    if (r.ms < BUDGET_MS || r.ms > max_stop_ms())
      fail_msg("stopped after %.1f ms: %s", r.ms, loops[i]);
  }
}

// On a Zen 4 core, each call takes at least eight budgets. It must allocate less than the arena has: otherwise it may
// be stopped because of its memory, depending on the speed of the machine. The budget starts after the preparation, so
// that only the library function can use it up.
TEST(long_library_functions_are_stopped) {
  static const char *const samples[][2] = {
      {"text = ('a'):rep(3000)", "string.find(text, '.-.-.-.-b')"},
      {"text, pattern = ('a'):rep(30), ('a?'):rep(30) .. ('a'):rep(30) .. 'b'", "string.find(text, pattern)"},
      {"text = ('('):rep(1e5)", "string.find(text, '%b()', 1)"},
      {"text = ('a'):rep(1e5)", "string.match(text, '(.+)%1b')"},
      {"text = ('a'):rep(1e5)", "string.gsub(text, '.*b', '')"},
      {"text = ('a'):rep(1e5)", "for _ in string.gmatch(text, 'a*a*a*b') do end"},
      {"text, pattern = ('a'):rep(3e4), '[' .. ('b'):rep(3e4) .. 'a]*c'", "string.find(text, pattern)"},
      {"t = {} for i = 1, 2e6 do t[i] = i * 7919 % 3000017 end", "table.sort(t)"},
      {"t = {} for i = 1, 6e5 do t[i] = 'x' .. i * 7919 % 3000017 end", "table.sort(t)"},
      {"text = ('do end '):rep(4e6)", "load(text)"},
  };
  for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
    run_t r = run_prepared_until(samples[i][0], samples[i][1], max_stop_ms());
    if (r.reason != WATCHDOG_TIME || !r.left || r.ms > max_stop_ms())
      fail_msg("reason %d after %.1f ms: %s", (int)r.reason, r.ms, samples[i][1]);
  }
}

TEST(plain_text_searches_take_linear_time) {
  run_t r = run_until("string.find(('a'):rep(4e6), ('a'):rep(2e6) .. 'b', 1, true)", max_stop_ms());
  assert_true(r.ms <= max_stop_ms());
}

TEST(host_function_is_not_interrupted) {
  double max_ms = 120 + 30 * cpu_slowdown();
  run_t r = run_until("busy(120) while true do end", max_ms);
  assert_int_equal(r.reason, WATCHDOG_TIME);
  assert_true(r.ms >= 120 && r.ms <= max_ms);
}

TEST(each_thread_has_its_own_watchdog) {
  run_t r = {.code = "local n = 0 while true do n = n + 1 end", .budget_ms = BUDGET_MS};
  run_t s = r;
  for (int i = 0; i < 8 && (i == 0 || r.ms > max_stop_ms() || s.ms > max_stop_ms()); ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, run_guarded, &r);
    run_guarded(&s);
    pthread_join(thread, NULL);
  }
  assert_int_equal(r.reason, WATCHDOG_TIME);
  assert_int_equal(s.reason, WATCHDOG_TIME);
  assert_true(r.ms <= max_stop_ms());
  assert_true(s.ms <= max_stop_ms());
}

TEST(unbounded_allocation_is_stopped) {
  run_t r = {.code = "local t = {} while true do t[#t + 1] = { 1, 2, 3 } end", .budget_ms = 60000};
  run_guarded(&r);
  assert_int_equal(r.reason, WATCHDOG_MEMORY);
}

// The second and third scripts overflow the stack in compiled code.
TEST(infinite_recursion_is_stopped_and_cannot_be_caught) {
  static const char *const codes[] = {
      "local function f(n) return 1 + f(n + 1) end while true do pcall(f, 1) end",
      "local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end }) "
      "local function f(n) return t[n] end while true do xpcall(f, math.sqrt, 1) end",
      "local function f(n) local a, b, c, d, e, g, h = n, n, n, n, n, n, n if n % 3 == 0 then a = 'x' elseif n % 5 == "
      "0 "
      "then b = {} end local r = f(n + 1) return a, b, c, d, e, g, h, r end while true do xpcall(f, math.sqrt, 1) end",
      "jit.off() local function f() return (pcall(f)) end while true do f() end",
      "local function f(n) return 1 + f(n + 1) end while true do pcall(coroutine.wrap(f), 1) end",
      "local function f(n) return (tostring(setmetatable({}, { __tostring = f }))) end while true do pcall(f) end",
  };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i) {
    run_t r = {.code = codes[i], .budget_ms = 60000};
    run_guarded(&r);
    if (r.reason != WATCHDOG_STACK || !r.left)
      fail_msg("left for reason %d: %s", (int)r.reason, codes[i]);
  }
}

static size_t live_limit;

static bool is_full(const watchdog_guard_t *guard) {
  return (size_t)lua_gc(guard->L, LUA_GCCOUNT, 0) * 1024 >= live_limit;
}

// Runs a script in 8 MB of memory. Returns why it was stopped.
static watchdog_reason_t run_in_little_memory(const char *code) {
  watchdog_guard_t guard;
  arena_o *arena = arena_create(&(arena_desc_t){.cap_bytes = 8 << 20, .on_over_cap = watchdog_on_memory_limit});
  lua_State *L = lua_newstate(arena_resize, arena);
  luaL_openlibs(L);
  live_limit = (size_t)8 * 1024 * 1024 / 10 * 9;
  assert_int_equal(luaL_loadstring(L, code), 0);
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, 0);
    guard.is_full = is_full;
    assert_int_equal(lua_pcall(L, 0, 0, 0), 0);
  }
  watchdog_reason_t reason = watchdog_end(&guard);
  arena_destroy(arena);
  return reason;
}

TEST(only_live_memory_counts) {
  static const char *const ok[] = {
      "collectgarbage('stop') for i = 1, 1e6 do local t = { i, {} } end",
      "collectgarbage('stop') local t = {} for i = 1, 3e6 do t[i % 1000] = 'x' .. i end",
      "collectgarbage('stop') jit.off() for i = 1, 1e6 do local t = { i, {} } end",
      "for i = 1, 100 do local s = ('x'):rep(1e6 + i) end",
  };
  static const char *const full[] = {
      "local t = {} for i = 1, 1e6 do t[i] = { i } end",
      "jit.off() local t = {} for i = 1, 1e6 do t[i] = { i } end",
      "local s = 'x' while true do s = s .. s end",
  };
  for (size_t i = 0; i < sizeof ok / sizeof *ok; ++i)
    if (run_in_little_memory(ok[i]) != WATCHDOG_NONE)
      fail_msg("stopped: %s", ok[i]);
  for (size_t i = 0; i < sizeof full / sizeof *full; ++i)
    if (run_in_little_memory(full[i]) != WATCHDOG_MEMORY)
      fail_msg("not stopped: %s", full[i]);
}

static void request_interrupt(int signal) {
  (void)signal;
  interrupt_request();
}

// Runs in a child process because an interrupt is permanent. Without a budget, nothing else would end the loop.
TEST(interrupt_stops_an_unlimited_script_in_a_child_process) {
  pid_t child = fork();
  if (child == 0) {
    run_t r = {.code = "while true do end", .budget_ms = 0};
    watchdog_reset_after_fork();
    signal(SIGALRM, request_interrupt);
    alarm(1);
    run_guarded(&r);
    _exit(r.reason == WATCHDOG_INTERRUPT ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
}

// The script needs several times the 50 ms that a script has when the program must exit.
TEST(deferred_exit_request_does_not_stop_a_script_in_a_child_process) {
  pid_t child = fork();
  if (child == 0) {
    run_t r = {.code = "local n = 0 for i = 1, 3e8 do n = n + i % 7 end", .budget_ms = 0};
    watchdog_reset_after_fork();
    interrupt_defer_exit();
    interrupt_request();
    run_guarded(&r);
    _exit(r.reason == WATCHDOG_NONE && interrupt_is_exit_requested() && !interrupt_is_requested() ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
}

static int run_nested(lua_State *L) {
  run_guarded(lua_touserdata(L, lua_upvalueindex(1)));
  return 0;
}

TEST(timeout_of_a_nested_guard_does_not_stop_the_outer_call) {
  watchdog_guard_t guard;
  run_t inner = {.code = "string.find(('a'):rep(3000), '.-.-.-.-b')", .budget_ms = BUDGET_MS};
  lua_State *L = luaL_newstate();
  lua_pushlightuserdata(L, &inner);
  lua_pushcclosure(L, run_nested, 1);
  assert_int_equal(setjmp(guard.out), 0);
  watchdog_begin(&guard, L, 1000);
  assert_int_equal(lua_pcall(L, 0, 0, 0), 0);
  assert_int_equal(watchdog_end(&guard), WATCHDOG_NONE);
  assert_int_equal(inner.reason, WATCHDOG_TIME);
  lua_close(L);
}

// Neither the inner guard's time nor the outer guard's earlier time counts against the budget.
TEST(outer_guard_regains_its_full_budget_after_a_nested_one) {
  run_t inner = {.code = "busy(40)", .budget_ms = 1000};
  watchdog_guard_t guard;
  arena_o *arena = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, arena);
  luaL_openlibs(L);
  lua_register(L, "busy", use_cpu);
  lua_pushlightuserdata(L, &inner);
  lua_pushcclosure(L, run_nested, 1);
  lua_setglobal(L, "nest");
  assert_int_equal(luaL_loadstring(L, "busy(40) nest() busy(40) over = true while true do end"), 0);
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, 60);
    lua_pcall(L, 0, 0, 0);
  }
  assert_int_equal(watchdog_end(&guard), WATCHDOG_TIME);
  assert_int_equal(inner.reason, WATCHDOG_NONE);
  lua_getglobal(L, "over");
  assert_true(lua_toboolean(L, -1)); // set only before the last loop
  arena_destroy(arena);
}
