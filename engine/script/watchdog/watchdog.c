// Stops scripts with a hook. The signal handler uses the thread's `me`, the guard that it points to, and lua_sethook.
// Each value written by both the handler and the interrupted code is a single word.
#include "watchdog/watchdog.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "process/foreign_call.h"
#include "process/signals.h"
#include "watchdog/arena.h"

#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <pthread.h>
#include <string.h>

#define MAX_STACK ((ptrdiff_t)2 << 20) // maximum bytes of C stack below the outermost guard; LuaJIT does not limit it
#define MIN_PERIOD_US 1000             // minimum period of the timer, for systems on which signals are slow

typedef struct thread_t {
  watchdog_guard_t *volatile current; // innermost guard
  volatile uint32_t serial;           // changes when a guard begins or ends and when its budget is set
  uint32_t seen;                      // signal handler: value of `serial` at the previous check
  volatile int64_t began_ns;          // signal handler: time on the thread's clock when `seen` last changed
  signals_timer_t timer;
} thread_t;

static _Thread_local thread_t me;
static double slowness = 1;

// --- stopping

static _Noreturn void leave_script(watchdog_guard_t *g, lua_State *L) {
  if (g->inspect)
    g->inspect(g, L);
  foreign_restore_current(g->foreign);
  longjmp(g->out, 1);
}

// Collects garbage. Returns true if the script may go on.
static bool has_collected_enough(watchdog_guard_t *g, lua_State *L) {
  int64_t before_ns = now_thread_ns();
  if (!g->is_full)
    return false;
  lua_gc(L, LUA_GCCOLLECT, 0);
  if (g->is_full(g))
    return false;
  // In this order, a check between two of these lines neither counts the collection nor leaves a hook without a reason.
  me.began_ns += now_thread_ns() - before_ns;
  g->reason = WATCHDOG_NONE;
  lua_sethook(L, NULL, 0, 0);
  return true;
}

static void stop_in_hook(lua_State *L, lua_Debug *at) {
  watchdog_guard_t *g = me.current;
  (void)at;
  if (!g || !g->reason || foreign_current_call() != g->foreign)
    return;
  if (g->reason != WATCHDOG_MEMORY || !has_collected_enough(g, L))
    leave_script(g, L);
}

// Async-signal-safe on the VM's own thread, like all functions that the handler calls.
static void request_stop(watchdog_guard_t *g, watchdog_reason_t reason, int64_t used_ns) {
  g->began_ns = me.seen == me.serial ? me.began_ns : used_ns;
  g->reason = reason;
  lua_sethook(g->L, stop_in_hook, LUA_MASKCOUNT, 1);
}

static int64_t budget_ns(const watchdog_guard_t *g) {
  const int64_t interrupted_ns = WATCHDOG_INTERRUPTED_MS * NS_PER_MS;
  int64_t ns = g->budget_ns;
  if (interrupt_is_requested() && (ns == 0 || ns > interrupted_ns))
    ns = interrupted_ns;
  return ns ? ns : INT64_MAX;
}

// Until the script has stopped, sets the hook at each check: LuaJIT changes its hook mask in several steps, so that a
// signal may fall between reading and writing it.
static void check_budget(watchdog_guard_t *g) {
  int64_t used_ns = now_thread_ns();
  if (me.seen != me.serial) {
    me.seen = me.serial;
    me.began_ns = used_ns;
  }
  if (g->reason)
    lua_sethook(g->L, stop_in_hook, LUA_MASKCOUNT, 1);
  else if (used_ns - me.began_ns >= budget_ns(g))
    request_stop(g, interrupt_is_requested() ? WATCHDOG_INTERRUPT : WATCHDOG_TIME, used_ns);
}

// Checks the budget of the innermost guard; without a guard, disarms the timer. Lengthens the timer's period if signals
// arrive faster than they are handled (`late`).
static void on_timer(bool late) {
  watchdog_guard_t *g = me.current;
  if (late)
    signals_timer_lengthen_period(&me.timer, MIN_PERIOD_US);
  if (g)
    check_budget(g);
  else
    signals_timer_disarm(&me.timer);
}

// Called by LuaJIT for any VM. Leaves the script, unless a foreign call has made the call that overflowed the stack.
static void on_stack_overflow(lua_State *L) {
  watchdog_guard_t *g = me.current;
  bool is_script = g && lua_topointer(L, LUA_REGISTRYINDEX) == lua_topointer(g->L, LUA_REGISTRYINDEX);
  if (!is_script || g->reason)
    return;
  request_stop(g, WATCHDOG_STACK, now_thread_ns());
  if (foreign_current_call() == g->foreign)
    leave_script(g, L);
}

void watchdog_check_stack(void) {
  const watchdog_guard_t *g = me.current;
  while (g && g->outer)
    g = g->outer;
  if (g && (const char *)g - (const char *)__builtin_frame_address(0) > MAX_STACK && !me.current->reason)
    request_stop(me.current, WATCHDOG_STACK, now_thread_ns());
}

// --- timers

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void install_handlers(void) {
  signals_set_timer_handler(SIGNALS_SCRIPT, on_timer);
  luaJIT_overflow = on_stack_overflow;
}

static void arm_timer(int64_t budget_ns) {
  const int64_t longest_us = WATCHDOG_PERIOD_MS * 1000, us = budget_ns / 1000;
  int64_t period_us = us == 0 || us >= 10 * longest_us ? longest_us : us >= 10000 ? us / 10 : us >= 1000 ? 1000 : us;
  pthread_once(&once, install_handlers);
  signals_timer_arm(&me.timer, SIGNALS_SCRIPT, (uint32_t)period_us);
}

void watchdog_reset_after_fork(void) {
  signals_timer_reset_after_fork(&me.timer, true);
  if (me.current)
    arm_timer(me.current->budget_ns);
}

// --- guards

static void push_guard(watchdog_guard_t *g, lua_State *L, int64_t budget_ns) {
  g->L = L;
  g->budget_ns = budget_ns;
  g->reason = WATCHDOG_NONE;
  g->began_ns = g->ended_ns = 0;
  g->outer = me.current;
  g->inspect = NULL;
  g->is_full = NULL;
  g->foreign = foreign_current_call();
  me.serial++;
  me.current = g;
  interrupt_script = &g->reason;
  arm_timer(budget_ns);
}

void watchdog_begin(watchdog_guard_t *g, lua_State *L, uint32_t budget_ms) {
  push_guard(g, L, (int64_t)budget_ms * NS_PER_MS);
}

// The serial must change last: the handler restarts the budget when it sees the new serial.
void watchdog_set_budget(uint32_t budget_ms) {
  if (!me.current || me.current->reason)
    return;
  me.current->budget_ns = (int64_t)budget_ms * NS_PER_MS;
  me.serial++;
  arm_timer(me.current->budget_ns);
}

watchdog_reason_t watchdog_end(watchdog_guard_t *g) {
  shoal_assert(me.current == g, "watchdog_end must be called for the innermost guard");
  me.current = g->outer;
  foreign_restore_current(g->foreign);
  interrupt_script = g->outer ? &g->outer->reason : NULL;
  me.serial++;
  if (g->reason)
    g->ended_ns = now_thread_ns();
  return (watchdog_reason_t)g->reason;
}

double watchdog_spent_ms(const watchdog_guard_t *g) {
  shoal_assert(g->reason, "the script was not stopped");
  return (double)(g->ended_ns - g->began_ns) / NS_PER_MS +
         (g->reason == WATCHDOG_MEMORY ? 0 : me.timer.period_us / 1000.0);
}

void watchdog_on_memory_limit(void *unused) {
  (void)unused;
  watchdog_guard_t *g = me.current;
  if (g && !g->reason)
    request_stop(g, WATCHDOG_MEMORY, now_thread_ns());
}

lua_State *watchdog_current_state(void) {
  const watchdog_guard_t *g = me.current;
  return g ? g->L : NULL;
}

// --- self-test

#define TRIAL_NS 100000 // budget of a trial; short, to keep startup fast
// maximum budget; a failed trial is repeated with ten times the budget, because signals may be slow
#define TRIAL_MAX_NS (TRIAL_NS * 100)
#define TRIAL_REPEATS 6e8 // iterations that take about a second, so that startup cannot hang if nothing stops them

static const char TRIAL[] = "local n = 0 for i = 1, ... do n = n + i end";
static const char MEASURED[] = "local n = 0 for i = 1, ... do n = n + i % 7 end";
#define MEASURED_REPEATS 1e4
#define MEASURED_NS 1.5e5 // maximum duration of the measurement on the reference machines, for which budgets are chosen
#define MEASURED_RUNS 5
#define MAX_SLOWNESS 10.0

static void run_trial(lua_State *L, double repeats) {
  lua_pushvalue(L, -1);
  lua_pushnumber(L, repeats);
  lua_pcall(L, 1, 0, 0);
}

// Returns true if a compiled loop is stopped in a new VM.
static bool stops_loop(int64_t budget_ns) {
  watchdog_guard_t guard = {.reason = WATCHDOG_NONE};
  arena_o *arena = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, arena);
  lua_pushcfunction(L, luaopen_jit);
  lua_pushliteral(L, LUA_JITLIBNAME);
  lua_call(L, 1, 0);
  if (luaL_loadbuffer(L, TRIAL, sizeof TRIAL - 1, "=test") == 0) {
    if (setjmp(guard.out) == 0) {
      push_guard(&guard, L, budget_ns);
      run_trial(L, TRIAL_REPEATS);
    }
    watchdog_end(&guard);
  }
  bool stopped = guard.reason != WATCHDOG_NONE;
  arena_destroy(arena);
  return stopped;
}

// Returns how slow this machine is (see watchdog_get_slowness). Uses the fastest of several runs, because other
// processes may have evicted the caches.
static double measure_slowness(void) {
  double min_ns = 1e12;
  lua_State *L = luaL_newstate();
  bool loaded = luaL_loadbuffer(L, MEASURED, sizeof MEASURED - 1, "=test") == 0;
  for (int i = 0; loaded && i < MEASURED_RUNS; ++i) {
    int64_t began_ns = now_thread_ns();
    run_trial(L, MEASURED_REPEATS);
    double ns = (double)(now_thread_ns() - began_ns);
    min_ns = ns < min_ns ? ns : min_ns;
  }
  lua_close(L);
  double times = loaded ? min_ns / MEASURED_NS : 1;
  return times < 1 ? 1 : times > MAX_SLOWNESS ? MAX_SLOWNESS : times;
}

double watchdog_get_slowness(void) {
  return slowness;
}

bool watchdog_test(void) {
  static bool tested, works;
  if (tested)
    return works;
  shoal_assert(!me.current, "watchdog_test must not be called inside a guard");
  tested = true;
  for (int64_t ns = TRIAL_NS; ns <= TRIAL_MAX_NS && !works; ns *= 10)
    works = stops_loop(ns);
  signals_timer_disarm(&me.timer); // disarm the timer, because the trials used a short period
  slowness = measure_slowness();
  return works;
}
