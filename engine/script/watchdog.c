// What a signal handler touches: the thread's `me`, the guard that it points to, lua_sethook, raise and siglongjmp. Everything that both
// sides write is one word.
#include "script/watchdog.h"

#include "base/assert.h"
#include "script/arena.h"
#include "script/hostcall.h"

#include <errno.h>
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS 1000000

typedef struct thread_t {
  watchdog_guard_t *volatile current; // innermost
  volatile uint32_t serial;           // of the entry that `current` stands for
  volatile bool armed;
  uint32_t seen;    // handler: the serial at its last look
  int64_t began_ns; // handler: the thread's clock when it first saw that serial
  timer_t timer;
  bool has_timer, tried;
  uint32_t period_ms;
} thread_t;

static _Thread_local thread_t me;
static lua_State *claimed; // whose compiled loops poll
static volatile sig_atomic_t interrupted;
static watchdog_means_t means = {true, true}; // until watchdog_test knows better
static bool tested;

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int64_t thread_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000 * NS_PER_MS + t.tv_nsec;
}

// ----------------------------------------------------------------------------------------------------------------- stopping

static void stop(lua_State *L, lua_Debug *at) {
  (void)at;
  lua_pushliteral(L, "stopped");
  lua_error(L);
}

// Async-signal-safe on the VM's own thread, as is everything below that the handler calls.
static void stop_at_next_instruction(const watchdog_guard_t *g) {
  lua_sethook(g->L, stop, LUA_MASKCOUNT, 1);
  if (g->L == claimed)
    raise(SIGPROF); // compiled code looks at the hooks now
}

static void first_stage(watchdog_guard_t *g, watchdog_reason_t reason, int64_t now_ns) {
  g->stopped_ns = now_ns;
  g->reason = reason;
  stop_at_next_instruction(g);
}

static int64_t budget_ns(const watchdog_guard_t *g) {
  uint32_t ms = g->budget_ms;
  if (interrupted && (ms == 0 || ms > WATCHDOG_INTERRUPTED_MS))
    ms = WATCHDOG_INTERRUPTED_MS;
  return ms ? (int64_t)ms * NS_PER_MS : INT64_MAX;
}

static void look(watchdog_guard_t *g) {
  int64_t now_ns = thread_ns();
  if (me.seen != me.serial) {
    me.seen = me.serial;
    me.began_ns = now_ns;
  }
  if (!g->reason) {
    if (now_ns - me.began_ns >= budget_ns(g))
      first_stage(g, interrupted ? WATCHDOG_INTERRUPT : WATCHDOG_TIME, now_ns);
    return;
  }
  uint32_t wait_ms = me.period_ms < WATCHDOG_PERIOD_MS ? 2 : WATCHDOG_SECOND_STAGE_MS;
  if (now_ns - g->stopped_ns < (int64_t)wait_ms * NS_PER_MS)
    return;
  if (means.jumps && hostcall_is_marked() && !hostcall_inside)
    siglongjmp(g->out, 1);
  stop_at_next_instruction(g); // the host was at work: for when it comes back
}

static void set_timer(uint32_t period_ms) {
  struct itimerspec spec = {{0}, {0}};
  spec.it_interval.tv_nsec = spec.it_value.tv_nsec = (long)period_ms * NS_PER_MS;
  timer_settime(me.timer, 0, &spec, NULL);
}

static void on_timer(int number, siginfo_t *info, void *context) {
  (void)number, (void)info, (void)context;
  int before = errno;
  watchdog_guard_t *g = me.current;
  if (g) {
    look(g);
  } else if (me.armed) {
    me.armed = false;
    set_timer(0);
  }
  errno = before;
}

// ------------------------------------------------------------------------------------------------------------------- timers

static pthread_key_t timer_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_of_thread(void *thread) {
  thread_t *t = thread;
  if (t->has_timer)
    timer_delete(t->timer);
  t->has_timer = false;
}

// Jumping out of the handler must leave no signal blocked: nothing is blocked while it runs.
static void install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_timer;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigaction(WATCHDOG_SIGNAL, &action, NULL);
  pthread_key_create(&timer_key, end_of_thread);
}

static bool create_timer(void) {
  struct sigevent event;
  pthread_once(&once, install);
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = WATCHDOG_SIGNAL;
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  me.tried = true;
  me.has_timer = timer_create(CLOCK_MONOTONIC, &event, &me.timer) == 0;
  if (me.has_timer)
    pthread_setspecific(timer_key, &me);
  return me.has_timer;
}

static void arm(uint32_t budget_ms) {
  uint32_t period_ms = budget_ms == 0 || budget_ms >= 10 * WATCHDOG_PERIOD_MS ? WATCHDOG_PERIOD_MS
                       : budget_ms >= 10                                      ? budget_ms / 10
                                                                              : 1;
  if (me.armed && me.period_ms <= period_ms)
    return;
  if (!me.has_timer && (me.tried || !create_timer()))
    return;
  me.period_ms = period_ms;
  me.armed = true;
  set_timer(period_ms);
}

void watchdog_after_fork(void) {
  me.has_timer = me.tried = me.armed = false;
  if (me.current)
    arm(me.current->budget_ms);
}

// ------------------------------------------------------------------------------------------------------------------- guards

void watchdog_begin(watchdog_guard_t *g, lua_State *L, uint32_t budget_ms) {
  g->L = L;
  g->budget_ms = budget_ms;
  g->reason = WATCHDOG_NONE;
  g->outer = me.current;
  g->outer_inside = hostcall_inside;
  hostcall_inside = false;
  me.serial++;
  me.current = g;
  arm(budget_ms);
}

watchdog_reason_t watchdog_end(watchdog_guard_t *g) {
  shoal_assert(me.current == g, "guards end in the order in which they began, backwards");
  me.current = g->outer;
  me.serial++;
  hostcall_inside = g->outer_inside;
  if (g->reason)
    lua_sethook(g->L, NULL, 0, 0);
  return (watchdog_reason_t)g->reason;
}

void watchdog_over_memory(void) {
  watchdog_guard_t *g = me.current;
  if (g && !g->reason)
    first_stage(g, WATCHDOG_MEMORY, thread_ns());
}

void watchdog_interrupt(void) {
  interrupted = 1;
}

uint32_t watchdog_stack_used(void) {
  const watchdog_guard_t *g = me.current;
  while (g && g->outer)
    g = g->outer;
  const char *here = __builtin_frame_address(0);
  return g && (const char *)g > here ? (uint32_t)((const char *)g - here) : 0;
}

// ----------------------------------------------------------------------------------------------------------------- profiler

static void no_sample(void *data, lua_State *L, int samples, int state) {
  (void)data, (void)L, (void)samples, (void)state;
}

void watchdog_claim(lua_State *L) {
  if (claimed == L || !means.hooks)
    return;
  if (claimed)
    luaJIT_profile_stop(claimed);
  luaJIT_profile_start(L, "li1000000", no_sample, NULL);
  claimed = L;
}

void watchdog_forget(lua_State *L) {
  if (claimed != L)
    return;
  luaJIT_profile_stop(L);
  claimed = NULL;
}

// ---------------------------------------------------------------------------------------------------------------- self-test

// Loops that end by themselves after a second or so: where nothing can stop them, starting must not hang.
static const char LOOP[] = "local n = 0 for i = 1, 6e8 do n = n + i end";
static const char PATTERN[] = "string.find(('a'):rep(1300), '^.-.-.-b')";

// Runs `code` in a VM of its own with a budget of 2 ms. → was it stopped, and by a jump?
static bool try_out(const char *code, bool *jumped) {
  watchdog_guard_t guard;
  arena_o *arena = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, arena);
  volatile bool by_jump = false;
  luaL_openlibs(L);
  watchdog_claim(L);
  if (luaL_loadbuffer(L, code, strlen(code), "=test") == 0) {
    watchdog_begin(&guard, L, 2);
    if (sigsetjmp(guard.out, 0) == 0)
      lua_pcall(L, 0, 0, 0);
    else
      by_jump = true;
    watchdog_end(&guard);
  }
  bool stopped = guard.reason != WATCHDOG_NONE;
  watchdog_forget(L);
  arena_destroy(arena);
  *jumped = by_jump;
  return stopped;
}

watchdog_means_t watchdog_test(void) {
  bool jumped = false;
  if (tested)
    return means;
  tested = true;
  lua_State *had = claimed;
  bool hooks = try_out(LOOP, &jumped) && !jumped;
  bool jumps = try_out(PATTERN, &jumped) && jumped;
  means = (watchdog_means_t){.hooks = hooks, .jumps = jumps};
  if (had)
    watchdog_claim(had);
  return means;
}
