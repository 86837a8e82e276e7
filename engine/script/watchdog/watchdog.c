// Stops scripts with a hook. The signal handler uses the thread's state, the guard that it points to, and
// lua_sethook. Each value written by both the handler and the interrupted code is a single word.
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

typedef struct thread_state_t {
  watchdog_guard_t *volatile current; // innermost guard of this thread; NULL outside scripts
  volatile uint32_t serial; // serial number that changes when a guard begins or ends and when its budget is set
  uint32_t seen_serial;     // value of `serial` at the previous check; used only by the signal handler
  // time on the thread's clock when `seen_serial` last changed; used only by the signal handler
  volatile int64_t began_ns;
  volatile bool is_collecting; // true while garbage is collected because of the memory limit
  signals_timer_t timer;
  const interrupt_thread_t *interrupt;
} thread_state_t;

static _Thread_local thread_state_t thread_state;
static double slowness = 1;

// --- stopping

static _Noreturn void leave_script(watchdog_guard_t *guard, lua_State *L) {
  if (guard->inspect)
    guard->inspect(guard, L);
  foreign_restore_current(guard->foreign);
  longjmp(guard->out, 1);
}

// Collects garbage. Returns true if the script may continue; false if memory is still full, or if the guard has no
// `is_full`.
static bool has_collected_enough(watchdog_guard_t *guard, lua_State *L) {
  int64_t start_ns = now_thread_ns();
  if (!guard->is_full)
    return false;
  thread_state.is_collecting = true;
  lua_gc(L, LUA_GCCOLLECT, 0);
  thread_state.is_collecting = false;
  if (guard->is_full(guard))
    return false;
  // In this order, a check between two of these lines neither counts the collection nor leaves a hook without a reason.
  thread_state.began_ns += now_thread_ns() - start_ns;
  guard->reason = WATCHDOG_NONE;
  lua_sethook(L, NULL, 0, 0);
  return true;
}

static void stop_in_hook(lua_State *L, lua_Debug *record) {
  watchdog_guard_t *guard = thread_state.current;
  (void)record;
  if (!guard || !guard->reason || foreign_current_call() != guard->foreign)
    return;
  if (guard->reason != WATCHDOG_MEMORY || !has_collected_enough(guard, L))
    leave_script(guard, L);
}

// Async-signal-safe on the VM's own thread, like all functions that the handler calls.
static void request_stop(const thread_state_t *state, watchdog_reason_t reason, int64_t used_ns) {
  watchdog_guard_t *guard = state->current;
  guard->began_ns = state->seen_serial == state->serial ? state->began_ns : used_ns;
  guard->reason = reason;
  lua_sethook(guard->L, stop_in_hook, LUA_MASKCOUNT, 1);
}

static int64_t budget_ns(const thread_state_t *state) {
  const int64_t interrupted_ns = WATCHDOG_INTERRUPTED_MS * NS_PER_MS;
  int64_t ns = state->current->budget_ns;
  if (interrupt_is_requested_on(state->interrupt) && (ns == 0 || ns > interrupted_ns))
    ns = interrupted_ns;
  return ns ? ns : INT64_MAX;
}

// Sets the hook at each check until the script has stopped, because a hook can be lost. LuaJIT changes its hook mask in
// several steps: if a signal arrives between reading and writing the mask, LuaJIT overwrites the hook.
static void check_budget(thread_state_t *state, int64_t used_ns) {
  watchdog_guard_t *guard = state->current;
  if (state->seen_serial != state->serial) {
    state->seen_serial = state->serial;
    state->began_ns = used_ns;
  }
  bool is_late = used_ns - state->began_ns - signals_time_step_ns() >= budget_ns(state);
  watchdog_reason_t late_reason = interrupt_is_requested_on(state->interrupt) ? WATCHDOG_INTERRUPT : WATCHDOG_TIME;
  if (guard->reason == WATCHDOG_MEMORY && is_late && !state->is_collecting)
    guard->reason = late_reason; // a reason for which on_long_operation can leave the script
  if (guard->reason)
    lua_sethook(guard->L, stop_in_hook, LUA_MASKCOUNT, 1);
  else if (is_late)
    request_stop(state, late_reason, used_ns);
}

// Checks the budget of the innermost guard; without a guard, disarms the timer. Lengthens the timer's period if signals
// arrive faster than they are handled (`is_late`).
static void on_timer(void *context, int64_t cpu_ns, bool is_late) {
  thread_state_t *state = context;
  if (is_late)
    signals_timer_lengthen_period(&state->timer, MIN_PERIOD_US);
  if (state->current)
    check_budget(state, cpu_ns);
  else
    signals_timer_disarm(&state->timer);
}

// Returns true if L belongs to the VM of this guard.
static bool is_guarded(const watchdog_guard_t *guard, lua_State *L) {
  return guard && lua_topointer(L, LUA_REGISTRYINDEX) == lua_topointer(guard->L, LUA_REGISTRYINDEX);
}

// Called by LuaJIT for any VM. Leaves the script immediately, unless a foreign call is running inside the guard.
static void on_stack_overflow(lua_State *L) {
  watchdog_guard_t *guard = thread_state.current;
  if (!is_guarded(guard, L) || guard->reason)
    return;
  request_stop(&thread_state, WATCHDOG_STACK, now_thread_ns());
  if (foreign_current_call() == guard->foreign)
    leave_script(guard, L);
}

// Called by LuaJIT for any VM, inside a library function or instruction that takes long. Leaves a script that must be
// stopped. Garbage cannot be collected here, so a script that uses too much memory continues to its next instruction.
static void on_long_operation(lua_State *L) {
  watchdog_guard_t *guard = thread_state.current;
  if (is_guarded(guard, L) && guard->reason && guard->reason != WATCHDOG_MEMORY && !thread_state.is_collecting &&
      foreign_current_call() == guard->foreign)
    leave_script(guard, L);
}

void watchdog_check_stack(void) {
  const watchdog_guard_t *guard = thread_state.current;
  while (guard && guard->enclosing)
    guard = guard->enclosing;
  if (guard && (const char *)guard - (const char *)__builtin_frame_address(0) > MAX_STACK &&
      !thread_state.current->reason)
    request_stop(&thread_state, WATCHDOG_STACK, now_thread_ns());
}

// --- timers

static pthread_once_t install_once = PTHREAD_ONCE_INIT;

static void install_handlers(void) {
  signals_set_timer_handler(SIGNALS_SCRIPT, on_timer);
  luaJIT_overflow = on_stack_overflow;
  luaJIT_long = on_long_operation;
}

static void arm_timer(int64_t budget_ns) {
  const int64_t max_period_us = WATCHDOG_PERIOD_MS * 1000, budget_us = budget_ns / 1000;
  int64_t period_us = budget_us == 0 || budget_us >= 10 * max_period_us ? max_period_us
                      : budget_us >= 10000                              ? budget_us / 10
                      : budget_us >= 1000                               ? 1000
                                                                        : budget_us;
  pthread_once(&install_once, install_handlers);
  thread_state.interrupt = interrupt_thread();
  signals_timer_arm(&thread_state.timer, SIGNALS_SCRIPT, (uint32_t)period_us, &thread_state);
}

void watchdog_rest(void) {
  shoal_assert(!thread_state.current, "a script is running");
  signals_timer_disarm(&thread_state.timer);
}

void watchdog_reset_after_fork(void) {
  signals_timer_reset_after_fork(&thread_state.timer, true);
  if (thread_state.current)
    arm_timer(thread_state.current->budget_ns);
}

// --- guards

static void push_guard(watchdog_guard_t *guard, lua_State *L, int64_t budget_ns) {
  guard->L = L;
  guard->budget_ns = budget_ns;
  guard->reason = WATCHDOG_NONE;
  guard->began_ns = guard->ended_ns = 0;
  guard->enclosing = thread_state.current;
  guard->inspect = NULL;
  guard->is_full = NULL;
  guard->foreign = foreign_current_call();
  thread_state.serial++;
  thread_state.current = guard;
  interrupt_script_flag = &guard->reason;
  arm_timer(budget_ns);
}

void watchdog_begin(watchdog_guard_t *guard, lua_State *L, uint32_t budget_ms) {
  push_guard(guard, L, (int64_t)budget_ms * NS_PER_MS);
}

// The serial must change last: the handler restarts the budget when the serial has changed.
void watchdog_set_budget(uint32_t budget_ms) {
  if (!thread_state.current || thread_state.current->reason)
    return;
  thread_state.current->budget_ns = (int64_t)budget_ms * NS_PER_MS;
  thread_state.serial++;
  arm_timer(thread_state.current->budget_ns);
}

watchdog_reason_t watchdog_end(watchdog_guard_t *guard) {
  shoal_assert(thread_state.current == guard, "watchdog_end must be called for the innermost guard");
  thread_state.current = guard->enclosing;
  foreign_restore_current(guard->foreign);
  interrupt_script_flag = guard->enclosing ? &guard->enclosing->reason : NULL;
  thread_state.serial++;
  if (guard->reason)
    guard->ended_ns = now_thread_ns();
  return (watchdog_reason_t)guard->reason;
}

double watchdog_spent_ms(const watchdog_guard_t *guard) {
  shoal_assert(guard->reason, "the script was not stopped");
  return (double)(guard->ended_ns - guard->began_ns) / NS_PER_MS +
         (guard->reason == WATCHDOG_MEMORY ? 0 : thread_state.timer.period_us / 1000.0);
}

void watchdog_on_memory_limit(void *unused) {
  (void)unused;
  watchdog_guard_t *guard = thread_state.current;
  if (guard && !guard->reason)
    request_stop(&thread_state, WATCHDOG_MEMORY, now_thread_ns());
}

lua_State *watchdog_current_state(void) {
  const watchdog_guard_t *guard = thread_state.current;
  return guard ? guard->L : NULL;
}

// --- self-test

#define TRIAL_NS 100000 // budget of a trial; short, to keep startup fast
// maximum budget; a failed trial is repeated with ten times the budget, because signals may be slow
#define TRIAL_MAX_NS (TRIAL_NS * 100)
#define TRIAL_REPEATS 6e8 // number of iterations, which take about a second, so that startup cannot hang

static const char TRIAL_SCRIPT[] = "local n = 0 for i = 1, ... do n = n + i end";
static const char MEASURED_SCRIPT[] = "local n = 0 for i = 1, ... do n = n + i % 7 end";
#define MEASURED_REPEATS 1e4
#define MEASURED_NS 1.5e5 // maximum duration of the measurement on the reference machines, for which budgets are chosen
#define MEASURED_RUNS 5
#define MAX_SLOWNESS 10.0

static void run_trial(lua_State *L, double repeats) {
  lua_pushvalue(L, -1);
  lua_pushnumber(L, repeats);
  lua_pcall(L, 1, 0, 0);
}

// Runs a long compiled loop in a new VM. Returns true if the watchdog stops the loop.
static bool stops_loop(int64_t budget_ns) {
  watchdog_guard_t guard = {.reason = WATCHDOG_NONE};
  arena_o *arena = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, arena);
  lua_pushcfunction(L, luaopen_jit);
  lua_pushliteral(L, LUA_JITLIBNAME);
  lua_call(L, 1, 0);
  if (luaL_loadbuffer(L, TRIAL_SCRIPT, sizeof TRIAL_SCRIPT - 1, "=test") == 0) {
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

// Returns the slowness of this machine (watchdog_get_slowness). Uses the fastest of several runs, because other
// processes may have evicted the caches.
static double measure_slowness(void) {
  double min_ns = 1e12;
  lua_State *L = luaL_newstate();
  bool loaded = luaL_loadbuffer(L, MEASURED_SCRIPT, sizeof MEASURED_SCRIPT - 1, "=test") == 0;
  for (int i = 0; loaded && i < MEASURED_RUNS; ++i) {
    int64_t began_ns = now_thread_ns();
    run_trial(L, MEASURED_REPEATS);
    double ns = (double)(now_thread_ns() - began_ns);
    min_ns = ns < min_ns ? ns : min_ns;
  }
  lua_close(L);
  double factor = loaded ? min_ns / MEASURED_NS : 1;
  return factor < 1 ? 1 : factor > MAX_SLOWNESS ? MAX_SLOWNESS : factor;
}

double watchdog_get_slowness(void) {
  return slowness;
}

bool watchdog_test(void) {
  static bool tested, works;
  if (tested)
    return works;
  shoal_assert(!thread_state.current, "watchdog_test must not be called inside a guard");
  tested = true;
  for (int64_t ns = TRIAL_NS; ns <= TRIAL_MAX_NS && !works; ns *= 10)
    works = stops_loop(ns);
  signals_timer_disarm(&thread_state.timer); // disarm the timer, because the trials used a short period
  slowness = measure_slowness();
  return works;
}
