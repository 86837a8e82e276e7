// What a signal handler touches: the thread's `me`, the guard that it points to, lua_sethook and siglongjmp. Everything that both sides
// write is one word.
#include "script/watchdog.h"

#include "base/assert.h"
#include "script/arena.h"
#include "script/hostcall.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define NS_PER_MS 1000000
#define STACK_WORDS 4096 // that are looked at for a return address

#define MOST_LIBRARIES 256
#define COPIER_BYTES 2048 // of one; what lies behind a shorter one is another of them

typedef struct library_t {
  uintptr_t from, to; // its code
  bool harmless;
} library_t;

static library_t libraries[MOST_LIBRARIES]; // those that are there before the first script
static uint32_t library_count;
static library_t unwinder;   // the one that carries errors
static uintptr_t copiers[8]; // memcpy and its like: where they begin
static uint32_t copier_count;

typedef struct registers_t {
  uintptr_t pc; // 0 where it is not known
  const uintptr_t *stack;
} registers_t;

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
  watchdog_guard_t *g = me.current;
  (void)at;
  if (!g || !g->reason || hostcall_inside)
    return;
  g->by_hook = true;
  if (g->see)
    g->see(g->context, L);
  siglongjmp(g->out, 1);
}

// Async-signal-safe on the VM's own thread, as is everything below that the handler calls.
static void first_stage(watchdog_guard_t *g, watchdog_reason_t reason, int64_t now_ns) {
  g->stopped_ns = now_ns;
  g->began_ns = me.seen == me.serial ? me.began_ns : now_ns;
  g->reason = reason;
  lua_sethook(g->L, stop, LUA_MASKCOUNT, 1);
}

_Noreturn static void jump(watchdog_guard_t *g) {
  siglongjmp(g->out, 1);
}

static const library_t *library_of(uintptr_t pc) {
  for (uint32_t i = 0; i < library_count; ++i)
    if (pc >= libraries[i].from && pc < libraries[i].to)
      return &libraries[i];
  return NULL;
}

// Where the processor's position is not known, nothing is taken for compiled code.
static bool is_compiled(uintptr_t pc) {
  return pc != 0 && !library_of(pc);
}

// A thread may be torn out of LuaJIT, of what it has compiled, of the few functions of ours that LuaJIT calls, and of copying bytes: none of
// them holds a lock. The unwinder that carries errors, the dynamic linker and the C library may. What lies in no library was made by
// LuaJIT.
static bool may_be_left(uintptr_t pc) {
  const library_t *library = library_of(pc);
  for (uint32_t i = 0; i < copier_count; ++i)
    if (pc >= copiers[i] && pc < copiers[i] + COPIER_BYTES)
      return true;
  return !library || library->harmless;
}

static int add_library(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  uintptr_t here = (uintptr_t)&add_library, luajit = (uintptr_t)&lua_newstate;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || library_count == MOST_LIBRARIES)
      continue;
    uintptr_t unwind = (uintptr_t)&_Unwind_RaiseException;
    if (unwind >= from && unwind < to)
      unwinder = (library_t){.from = from, .to = to};
    bool harmless = (here >= from && here < to) || (luajit >= from && luajit < to);
    libraries[library_count++] = (library_t){.from = from, .to = to, .harmless = harmless};
  }
  return 0;
}

static void find_copiers(void) {
  static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    uintptr_t at = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
    if (at)
      copiers[copier_count++] = at;
  }
}

// Is no error on its way, as far as the stack shows? Then LuaJIT has written down where the script is, or was not long ago. Words that
// nobody uses any more may lie on the stack as well: then nothing is said, though it could be.
#ifdef __GNUC__
__attribute__((no_sanitize("address"))) // it looks between what is somebody's
#endif
static bool
is_whole(const watchdog_guard_t *g, const uintptr_t *stack) {
  for (int i = 0; i < STACK_WORDS && stack < (const uintptr_t *)g; ++i, ++stack)
    if (*stack >= unwinder.from && *stack < unwinder.to)
      return false;
  return true;
}

// A function of the host has come to its end, and the second stage waited for that.
void hostcall_stop(void) {
  watchdog_guard_t *g = me.current;
  hostcall_wanted = false;
  g->whole = !is_compiled(hostcall_caller()) && is_whole(g, __builtin_frame_address(0));
  jump(g);
}

static void set_timer(uint32_t period_ms) {
  struct itimerspec spec = {{0}, {0}};
  spec.it_interval.tv_nsec = spec.it_value.tv_nsec = (long)period_ms * NS_PER_MS;
  timer_settime(me.timer, 0, &spec, NULL);
}

static void second_stage(watchdog_guard_t *g, const registers_t *at, int64_t now_ns) {
  uint32_t wait_ms = g->budget_ms < 10 && g->budget_ms > 0 ? 2 : WATCHDOG_SECOND_STAGE_MS;
  bool late = now_ns - g->stopped_ns >= (int64_t)wait_ms * NS_PER_MS;
  if (!means.jumps || !hostcall_is_marked())
    return;
  if (late && me.period_ms > 1)
    set_timer(me.period_ms = 1);
  if (hostcall_inside)
    hostcall_wanted = late;
  else if (is_compiled(at->pc) || (late && may_be_left(at->pc))) {
    g->whole = !is_compiled(at->pc) && is_whole(g, at->stack);
    jump(g);
  }
}

static int64_t budget_ns(const watchdog_guard_t *g) {
  uint32_t ms = g->budget_ms;
  if (interrupted && (ms == 0 || ms > WATCHDOG_INTERRUPTED_MS))
    ms = WATCHDOG_INTERRUPTED_MS;
  return ms ? (int64_t)ms * NS_PER_MS : INT64_MAX;
}

static void look(watchdog_guard_t *g, const registers_t *at) {
  int64_t now_ns = thread_ns();
  if (me.seen != me.serial) {
    me.seen = me.serial;
    me.began_ns = now_ns;
  }
  if (!g->reason && now_ns - me.began_ns >= budget_ns(g))
    first_stage(g, interrupted ? WATCHDOG_INTERRUPT : WATCHDOG_TIME, now_ns);
  if (g->reason)
    second_stage(g, at, now_ns);
}

static registers_t registers_of(const ucontext_t *context) {
#if defined(__x86_64__) && defined(__linux__)
  const greg_t *r = context->uc_mcontext.gregs;
  return (registers_t){.pc = (uintptr_t)r[REG_RIP], .stack = (const uintptr_t *)r[REG_RSP]};
#else
  return (registers_t){.stack = (const uintptr_t *)context};
#endif
}

static void on_timer(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  int before = errno;
  watchdog_guard_t *g = me.current;
  if (g) {
    registers_t at = registers_of(context);
    look(g, &at);
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
  dl_iterate_phdr(add_library, NULL);
  find_copiers();
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
  g->began_ns = g->ended_ns = 0;
  g->outer = me.current;
  g->see = NULL;
  g->by_hook = g->whole = false;
  g->outer_inside = hostcall_inside;
  g->outer_wanted = hostcall_wanted;
  hostcall_inside = hostcall_wanted = false;
  me.serial++;
  me.current = g;
  arm(budget_ms);
}

watchdog_reason_t watchdog_end(watchdog_guard_t *g) {
  shoal_assert(me.current == g, "guards end in the order in which they began, backwards");
  me.current = g->outer;
  me.serial++;
  hostcall_inside = g->outer_inside;
  hostcall_wanted = g->outer_wanted;
  if (g->reason)
    g->ended_ns = thread_ns();
  return (watchdog_reason_t)g->reason;
}

double watchdog_spent_ms(const watchdog_guard_t *g) {
  return (double)(g->ended_ns - g->began_ns) / NS_PER_MS + (g->reason == WATCHDOG_MEMORY ? 0 : me.period_ms);
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

// ---------------------------------------------------------------------------------------------------------------- self-test

// Loops that end by themselves after a second or so: where nothing can stop them, starting must not hang.
static const char LOOP[] = "jit.off() local n = 0 for i = 1, 1e8 do n = n + i end";
static const char COMPILED[] = "local n = 0 for i = 1, 6e8 do n = n + i end";
static const char PATTERN[] = "string.find(('a'):rep(1300), '^.-.-.-b')";

// Runs `code` in a VM of its own with a budget of 2 ms. → was it stopped, and by the hook?
static bool try_out(const char *code, bool *by_hook) {
  watchdog_guard_t guard;
  arena_o *arena = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, arena);
  luaL_openlibs(L);
  if (luaL_loadbuffer(L, code, strlen(code), "=test") == 0) {
    watchdog_begin(&guard, L, 2);
    if (sigsetjmp(guard.out, 0) == 0)
      lua_pcall(L, 0, 0, 0);
    watchdog_end(&guard);
  }
  bool stopped = guard.reason != WATCHDOG_NONE;
  arena_destroy(arena);
  *by_hook = guard.by_hook;
  return stopped;
}

watchdog_means_t watchdog_test(void) {
  bool by_hook = false;
  if (tested)
    return means;
  tested = true;
  bool hooks = try_out(LOOP, &by_hook) && by_hook;
  bool jumps = try_out(PATTERN, &by_hook) && !by_hook && try_out(COMPILED, &by_hook) && !by_hook;
  means = (watchdog_means_t){.hooks = hooks, .jumps = jumps};
  return means;
}
