// Operations whose cost grows with their operand are stopped before they end (luaJIT_long in watchdog/watchdog.c).
#include "watchdog/watchdog.h"

#include "watchdog/arena.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>

#define BUDGET_MS 1
#define UNLIMITED_MS 60000
#define MEASURED_RUNS 2
#define MAX_TRIES 40

// Creates the operand x of size n, and uses it. The code runs for 200 small operands, which get it compiled, and then
// for a large one.
typedef struct operation_t {
  const char *make, *use;
  double n; // size for which the operation takes about 15 ms
} operation_t;

#define TEXT "x = ('x'):rep(n)"
#define ARRAY "x = {} for i = 1, n do x[i] = i end"

static const operation_t OPERATIONS[] = {
    {TEXT, "r = x .. x", 2.5e7},
    {TEXT, "r = x .. 'a' .. x .. n", 2.5e7},
    {TEXT, "r = x:upper()", 2.5e7},
    {TEXT, "r = x:lower()", 2.5e7},
    {TEXT, "r = x:reverse()", 2.5e7},
    {TEXT, "r = x:sub(2)", 5e7},
    {TEXT, "r = x:rep(2)", 2.5e7},
    {TEXT, "r = x:rep(2, ',')", 2.5e7},
    {TEXT, "r = string.format('%s', x)", 2.5e7},
    {TEXT, "r = string.format('%5s%-5s', x, x)", 2.5e7},
    {TEXT, "r = string.format('%q', x)", 2.5e7},
    {TEXT, "r = string.format(x)", 2.5e7},
    {TEXT, "r = x:find('y')", 5e7},
    {TEXT, "r = x:find('xy', 1, true)", 3e7},
    {TEXT, "r = ('y'):find(x)", 2.5e7},
    {TEXT, "r = x:gsub('y', 'z')", 2e6},
    {"local text = ('x'):rep(n) x = { text, ('x'):rep(n / 2) .. 'y' }", "r = x[1]:find(x[2], 1, true)", 1.25e7},
    {"local text = ('x'):rep(n) x = { text .. 'a', text .. 'b' }", "r = x[1] < x[2]", 1e8},
    {TEXT, "r = table.concat({ x, x }, ',')", 2.5e7},
    {ARRAY, "r = table.concat(x, ',')", 250000},
    {ARRAY, "table.insert(x, 1, 0)", 2.5e6},
    {"x = {} for i = 1, n do x[i * 0.739085133] = i end", "x.new = 1", 262144},
    {"x = table_new(0, n) x[0.5] = 1", "r = table.maxn(x)", 4e6},
    {"x = n", "r = table_new(x, 0)", 7.5e6},
    {"x = n", "r = table_new(0, x)", 750000},
    {"x = table_new(0, n)", "table_clear(x)", 2e6},
    {"x = {} for i = 1, n do x[i] = { i } end", "if n > 1e5 then collectgarbage() end", 250000},
    {"x = '--' .. ('x'):rep(n)", "r = load(x)", 1.25e7},
    {"x = 'return [[' .. ('x'):rep(n) .. ']]'", "r = load(x)", 1.25e7},
    {"x = ('\\n'):rep(n)", "r = load(x)", 1.25e7},
};

typedef struct run_t {
  const operation_t *operation;
  double n;
  uint32_t budget_ms;
  bool is_compiled;
  // results
  watchdog_reason_t reason;
  bool has_inspected;
  double ms; // CPU time used by the operation
} run_t;

static double thread_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Reads the stack as the host does for its reports.
static void inspect(const watchdog_guard_t *guard, lua_State *L) {
  run_t *r = guard->context;
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); ++level) {
    lua_getinfo(L, "Sl", &frame);
    r->has_inspected |= frame.currentline == 2;
    for (int i = 1; lua_getlocal(L, &frame, i); ++i)
      lua_pop(L, 1);
  }
}

static void push_operation(lua_State *L, const run_t *r) {
  char code[1024];
  snprintf(code, sizeof code,
           "local table_new, table_clear, list, x = require('table.new'), require('table.clear'), {}\n"
           "local function use(x, n) local r %s return r end\n"
           "local function make(n) local x %s return x end\n"
           "for i = 1, 200 do list[i] = make(i) end list[201] = make(%.0f)\n"
           "return function() for i = 1, 201 do use(list[i], i < 201 and i or %.0f) end end",
           r->operation->use, r->operation->make, r->n, r->n);
  assert_int_equal(luaL_loadbuffer(L, code, strlen(code), "=test"), 0);
  if (lua_pcall(L, 0, 1, 0) != 0)
    fail_msg("%s: %s", r->operation->make, lua_tostring(L, -1));
}

static void run(run_t *r) {
  watchdog_guard_t guard;
  arena_o *arena = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, arena);
  luaL_openlibs(L);
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | (r->is_compiled ? LUAJIT_MODE_ON : LUAJIT_MODE_OFF));
  push_operation(L, r);
  r->has_inspected = false;
  double began = thread_ms();
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, r->budget_ms);
    guard.context = r;
    guard.inspect = inspect;
    if (lua_pcall(L, 0, 0, 0) != 0)
      fail_msg("%s: %s", r->operation->use, lua_tostring(L, -1));
  }
  r->ms = thread_ms() - began;
  r->reason = watchdog_end(&guard);
  arena_destroy(arena);
}

// Returns the operation's duration without a limit, in ms, after it has enlarged the operand on fast machines. Uses the
// fastest of several runs: stolen CPU time and cold caches make a single run slower on a busy machine, and an operation
// that only seems long would end before the first check.
static double measure_unlimited(run_t *unlimited) {
  double wanted_ms = 10 * BUDGET_MS;
  unlimited->budget_ms = UNLIMITED_MS;
  for (;;) {
    double min_ms = INFINITY;
    for (int i = 0; i < MEASURED_RUNS && min_ms >= wanted_ms; ++i) {
      run(unlimited);
      min_ms = fmin(min_ms, unlimited->ms);
    }
    if (min_ms >= wanted_ms)
      return min_ms;
    unlimited->n = floor(unlimited->n * 1.2 * wanted_ms / fmax(min_ms, wanted_ms / 16));
  }
}

// Fails unless the operation is stopped in half of its time without a limit. On a shared machine, stolen CPU time
// counts as the thread's own, so a run that is stopped late, or that ends before the first signal, is repeated.
static void check_stop(run_t r, double unlimited_ms, bool is_compiled) {
  double max_ms = BUDGET_MS + unlimited_ms / 2;
  bool is_stopped = false;
  r.budget_ms = BUDGET_MS;
  r.is_compiled = is_compiled;
  for (int i = 0; i < MAX_TRIES && !is_stopped; ++i) {
    run(&r);
    is_stopped = r.reason == WATCHDOG_TIME && r.has_inspected && r.ms <= max_ms;
  }
  if (!is_stopped)
    fail_msg("%s: reason %d after %.1f of %.1f ms, %s, %s", r.operation->use, (int)r.reason, r.ms, unlimited_ms,
             r.has_inspected ? "in line 2" : "in an unknown line", is_compiled ? "compiled" : "interpreted");
}

TEST(operation_on_a_large_operand_is_stopped_before_it_ends) {
  for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; ++i) {
    run_t unlimited = {.operation = &OPERATIONS[i], .n = OPERATIONS[i].n};
    double unlimited_ms = measure_unlimited(&unlimited);
    const char *is_long = getenv("LONG"); // a normal run checks every second operation as machine code
    for (int is_compiled = 0; is_compiled < 2; ++is_compiled)
      if ((is_long && is_long[0]) || is_compiled == (int)(i % 2))
        check_stop(unlimited, unlimited_ms, is_compiled);
  }
}
