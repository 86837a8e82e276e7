// Implements both stages of stopping a script. The signal handler uses the thread's `me`, the guard that it points to,
// lua_sethook and longjmp. Each value written by both the handler and the interrupted code is a single word.
#include "watchdog/watchdog.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "process/foreign_call.h"
#include "process/signals.h"
#include "watchdog/arena.h"
#include "watchdog/host_call.h"

#include <dlfcn.h>
#include <link.h>
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define STACK_WORDS 4096               // number of stack words that are searched for return addresses
#define COMPILED_BYTES INT32_MAX       // maximum distance between LuaJIT and its generated code
#define MAX_STACK ((ptrdiff_t)2 << 20) // maximum bytes of C stack below the outermost guard; LuaJIT does not limit it

#define MIN_PERIOD_US 1000 // minimum period of the timer, for systems on which signals are slow

#define MAX_LIBRARIES 256
// maximum size of a copying function; a shorter one is followed by other copying functions
#define COPIER_BYTES 2048

typedef struct library_t {
  uintptr_t from, to; // bounds of the code segment
  bool has_luajit;    // LuaJIT's library, or the program if LuaJIT is linked into it
} library_t;

static library_t libraries[MAX_LIBRARIES]; // libraries that were loaded before the first script
static uint32_t library_count;
static library_t unwinder;   // code of libgcc's unwinder, which raises errors
static uintptr_t copiers[8]; // addresses of memcpy and similar functions
static uint32_t copier_count;
static uintptr_t interpreter; // return address of the interpreter's calls to C functions; 0 if unknown
// glibc's async-signal-safe search in all loaded libraries; NULL before glibc 2.35. It returns 0 if it finds a library.
static int (*find_object)(void *code, void *result);

typedef struct thread_t {
  watchdog_guard_t *volatile current; // innermost guard
  volatile uint32_t serial;           // number of the entry into Lua that `current` represents
  uint32_t seen;                      // signal handler: value of `serial` at the previous check
  int64_t began_ns;                   // signal handler: time on the thread's clock when `seen` last changed
  signals_timer_t timer;
} thread_t;

static _Thread_local thread_t me;
static watchdog_means_t means = {true, true}; // stages that work; watchdog_test_stages updates them
static bool tested;
static double slowness = 1;
static size_t overflow_bytes;

// --- stopping

// Returns whether the guard's script runs, as opposed to a host function or a foreign call that the script has made.
static bool is_in_script(const watchdog_guard_t *g) {
  return !host_call_inside && foreign_current_call() == g->foreign;
}

// Calls `inspect`, marked as a host function, so that the second stage does not interrupt it. The end of the guard
// resets the mark.
static void call_inspect(watchdog_guard_t *g, lua_State *L) {
  host_call_inside = true;
  if (g->inspect)
    g->inspect(g, L);
}

_Noreturn static void jump_out_of_script(watchdog_guard_t *g) {
  foreign_restore_current(g->foreign);
  longjmp(g->out, 1);
}

static void stop_in_hook(lua_State *L, lua_Debug *at) {
  watchdog_guard_t *g = me.current;
  (void)at;
  if (!g || !g->reason || !is_in_script(g))
    return;
  g->by_hook = true;
  call_inspect(g, L);
  jump_out_of_script(g);
}

// Async-signal-safe on the VM's own thread, like all functions that the handler calls.
static void run_first_stage(watchdog_guard_t *g, watchdog_reason_t reason, int64_t used_ns) {
  g->stopped_ns = used_ns;
  g->began_ns = me.seen == me.serial ? me.began_ns : used_ns;
  g->reason = reason;
  lua_sethook(g->L, stop_in_hook, LUA_MASKCOUNT, 1);
}

static const library_t *find_library(uintptr_t pc) {
  for (uint32_t i = 0; i < library_count; ++i)
    if (pc >= libraries[i].from && pc < libraries[i].to)
      return &libraries[i];
  return NULL;
}

// Returns whether `pc` is in a library that was loaded later, such as a plugin or a driver.
static bool is_in_later_library(uintptr_t pc) {
  char result[512]; // larger than any version of glibc's struct dl_find_object
  return find_object && find_object((void *)pc, result) == 0;
}

// Returns whether `pc` is in code compiled by LuaJIT; false for an unknown position (0).
static bool is_compiled(uintptr_t pc) {
  return pc != 0 && !find_library(pc) && !is_in_later_library(pc);
}

// Returns whether a thread that runs a script (is_in_script) may be interrupted at `pc`: in LuaJIT, in code that
// LuaJIT has compiled, in the few functions of Shoal that LuaJIT calls, and in functions that copy bytes. None of
// these holds a lock. The unwinder that raises errors, the dynamic linker and the C library may hold one.
static bool can_interrupt_at(uintptr_t pc) {
  const library_t *library = find_library(pc);
  for (uint32_t i = 0; i < copier_count; ++i)
    if (pc >= copiers[i] && pc < copiers[i] + COPIER_BYTES)
      return true;
  return library ? library->has_luajit : is_compiled(pc);
}

static int add_library(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  uintptr_t luajit = (uintptr_t)&lua_newstate;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || library_count == MAX_LIBRARIES)
      continue;
    uintptr_t unwind = (uintptr_t)&_Unwind_RaiseException;
    if (unwind >= from && unwind < to)
      unwinder = (library_t){.from = from, .to = to};
    bool has_luajit = luajit >= from && luajit < to;
    libraries[library_count++] = (library_t){.from = from, .to = to, .has_luajit = has_luajit};
  }
  return 0;
}

static void find_copy_functions(void) {
  static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    uintptr_t at = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
    if (at)
      copiers[copier_count++] = at;
  }
}

// Returns whether the stack shows no sign of an error being raised; LuaJIT's record of the script's position is then
// valid, or nearly so. Stale words on the stack may look like an error; the position is then not reported although it
// could be. The search stops at the interpreter's call to a C function.
#ifdef __GNUC__
__attribute__((no_sanitize("address"))) // the function reads across stack variables
#endif
static bool
is_whole(const watchdog_guard_t *g, uintptr_t link, const uintptr_t *stack) {
  if (link >= unwinder.from && link < unwinder.to)
    return false;
  for (int i = 0; i < STACK_WORDS && stack < (const uintptr_t *)g; ++i, ++stack)
    if (*stack == interpreter)
      return true;
    else if (*stack >= unwinder.from && *stack < unwinder.to)
      return false;
  return true;
}

static void record_code_address(watchdog_guard_t *g, uintptr_t pc) {
  uintptr_t luajit = (uintptr_t)&lua_newstate, distance = pc > luajit ? pc - luajit : luajit - pc;
  if (g->place_count < WATCHDOG_MAX_PLACES && distance < COMPILED_BYTES && is_compiled(pc))
    g->places[g->place_count++] = pc;
}

// Records the current position in g->places if it is in compiled code; otherwise the return addresses of compiled code
// that has called a C function, innermost first. Stale words on the stack may look like return addresses.
#ifdef __GNUC__
__attribute__((no_sanitize("address")))
#endif
static void
note_places(watchdog_guard_t *g, const signals_place_t *at) {
  const uintptr_t *stack = at->stack;
  record_code_address(g, at->code);
  if (g->place_count > 0)
    return;
  record_code_address(g, at->link);
  for (int i = 0; i < STACK_WORDS && stack < (const uintptr_t *)g && *stack != interpreter; ++i, ++stack)
    record_code_address(g, *stack);
}

// Called when a host function returns while the watchdog's second stage is waiting to stop the script.
void host_call_stop(void) {
  watchdog_guard_t *g = me.current;
  shoal_assert(g && g->reason && !host_call_inside,
               "host_call_stop called without a pending stop, or inside a host function");
  host_call_stop_pending = false;
  // No need for is_whole: a host function has just returned, so no error is being raised, and the stack of L is valid.
  g->whole = !is_compiled((uintptr_t)host_call_return);
  record_code_address(g, (uintptr_t)host_call_return);
  jump_out_of_script(g);
}

static int64_t compute_second_stage_ns(int64_t budget_ns) {
  if (budget_ns == 0 || budget_ns >= 10 * NOW_NS_PER_MS)
    return WATCHDOG_SECOND_STAGE_MS * NOW_NS_PER_MS;
  return budget_ns < 2 * NOW_NS_PER_MS ? budget_ns : 2 * NOW_NS_PER_MS;
}

static void run_second_stage(watchdog_guard_t *g, const signals_place_t *at, int64_t used_ns) {
  int64_t waited_ns = used_ns - g->stopped_ns, wait_ns = compute_second_stage_ns(g->budget_ns);
  bool early = waited_ns < wait_ns / 3, late = waited_ns >= wait_ns;
  if (!means.jumps || !host_call_is_marked())
    return;
  signals_timer_shorten_period(&me.timer, 1000);
  if (foreign_current_call() != g->foreign)
    return;
  if (host_call_inside)
    host_call_stop_pending = late;
  else if ((!early && is_compiled(at->code)) || (late && can_interrupt_at(at->code))) {
    note_places(g, at);
    g->whole = !is_compiled(at->code) && is_whole(g, at->link, at->stack);
    signals_prepare_jump(SIGNALS_SCRIPT);
    jump_out_of_script(g);
  }
}

static int64_t budget_ns(const watchdog_guard_t *g) {
  const int64_t interrupted_ns = WATCHDOG_INTERRUPTED_MS * NOW_NS_PER_MS;
  int64_t ns = g->budget_ns;
  if (interrupt_is_requested() && (ns == 0 || ns > interrupted_ns))
    ns = interrupted_ns;
  return ns ? ns : INT64_MAX;
}

static void check_budget(watchdog_guard_t *g, const signals_place_t *at) {
  int64_t used_ns = now_thread_ns();
  if (me.seen != me.serial) {
    me.seen = me.serial;
    me.began_ns = used_ns;
  }
  if (!g->reason && used_ns - me.began_ns >= budget_ns(g))
    run_first_stage(g, interrupt_is_requested() ? WATCHDOG_INTERRUPT : WATCHDOG_TIME, used_ns);
  if (g->reason)
    run_second_stage(g, at, used_ns);
}

// Checks the budget of the innermost guard; without a guard, disarms the timer. Lengthens the timer's period if signals
// arrive faster than they are handled (`late`).
static void on_timer(const signals_place_t *at, bool late) {
  watchdog_guard_t *g = me.current;
  if (late)
    signals_timer_lengthen_period(&me.timer, MIN_PERIOD_US);
  if (g)
    check_budget(g, at);
  else
    signals_timer_disarm(&me.timer);
}

// --- timers

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void install_handlers(void) {
  signals_set_timer_handler(SIGNALS_SCRIPT, on_timer);
  dl_iterate_phdr(add_library, NULL);
  find_copy_functions();
  find_object = (int (*)(void *, void *))(uintptr_t)dlsym(RTLD_DEFAULT, "_dl_find_object");
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
  g->by_hook = g->whole = false;
  g->place_count = 0;
  g->foreign = foreign_current_call();
  g->outer_inside = host_call_inside;
  g->outer_wanted = host_call_stop_pending;
  host_call_inside = host_call_stop_pending = false;
  me.serial++;
  me.current = g;
  interrupt_script = &g->reason;
  arm_timer(budget_ns);
}

void watchdog_begin(watchdog_guard_t *g, lua_State *L, uint32_t budget_ms) {
  push_guard(g, L, (int64_t)budget_ms * NOW_NS_PER_MS);
}

// The serial must change last: the handler restarts the budget when it sees the new serial.
void watchdog_set_budget(uint32_t budget_ms) {
  if (!me.current || me.current->reason)
    return;
  me.current->budget_ns = (int64_t)budget_ms * NOW_NS_PER_MS;
  me.serial++;
  arm_timer(me.current->budget_ns);
}

watchdog_reason_t watchdog_end(watchdog_guard_t *g) {
  shoal_assert(me.current == g, "watchdog_end must be called for the innermost guard");
  me.current = g->outer;
  foreign_restore_current(g->foreign);
  interrupt_script = g->outer ? &g->outer->reason : NULL;
  me.serial++;
  host_call_inside = g->outer_inside;
  host_call_stop_pending = g->outer_wanted;
  if (g->reason)
    g->ended_ns = now_thread_ns();
  return (watchdog_reason_t)g->reason;
}

double watchdog_spent_ms(const watchdog_guard_t *g) {
  shoal_assert(g->reason, "the script was not stopped");
  return (double)(g->ended_ns - g->began_ns) / NOW_NS_PER_MS +
         (g->reason == WATCHDOG_MEMORY ? 0 : me.timer.period_us / 1000.0);
}

void watchdog_set_interpreter(uintptr_t calls_from) {
  interpreter = calls_from;
}

void watchdog_on_memory_limit(void *unused) {
  (void)unused;
  watchdog_guard_t *g = me.current;
  if (g && !g->reason)
    run_first_stage(g, WATCHDOG_MEMORY, now_thread_ns());
}

lua_State *watchdog_current_state(void) {
  const watchdog_guard_t *g = me.current;
  return g ? g->L : NULL;
}

size_t watchdog_overflow_bytes(void) {
  return means.jumps && host_call_is_marked() ? overflow_bytes : 0;
}

// Leaves the script after a stack overflow or, inside a host call, as soon as the call returns. `from` is the code that
// caused the overflow. If `from` is in compiled code, the Lua stack cannot be inspected (see `whole` in the guard).
static void stop_on_overflow(uintptr_t from) {
  watchdog_guard_t *g = me.current;
  if (!g || g->reason)
    return;
  run_first_stage(g, WATCHDOG_STACK, now_thread_ns());
  if (!means.jumps || !host_call_is_marked() || foreign_current_call() != g->foreign)
    return;
  host_call_stop_pending = host_call_inside;
  if (host_call_inside)
    return;
  g->by_hook = !is_compiled(from);
  record_code_address(g, from);
  if (g->by_hook)
    call_inspect(g, g->L);
  jump_out_of_script(g);
}

void watchdog_on_stack_overflow(void *unused) {
  (void)unused;
  stop_on_overflow((uintptr_t)&lua_newstate);
}

void watchdog_check_stack(void) {
  const watchdog_guard_t *g = me.current;
  while (g && g->outer)
    g = g->outer;
  if (g && (const char *)g - (const char *)__builtin_frame_address(0) > MAX_STACK)
    stop_on_overflow((uintptr_t)__builtin_return_address(0));
}

// --- self-test

#define TRIAL_NS 100000 // budget of a trial; short, to keep startup fast
// maximum budget; a failed trial is repeated with ten times the budget, because signals may be slow
#define TRIAL_MAX_NS (TRIAL_NS * 100)

typedef struct trial_t {
  const char *code; // chunk whose argument is the number of iterations
  double before;    // iterations for warming up, so that compiling does not use up the budget
  double repeats;   // iterations that take about a second, so that startup cannot hang if nothing stops them
} trial_t;

static const trial_t LOOP = {"local n = 0 for i = 1, ... do n = n + i end", 100, 1e8};
static const trial_t COMPILED = {"local n = 0 for i = 1, ... do n = n + i end", 1000, 6e8};
static const trial_t PATTERN = {"string.find(('a'):rep(...), '^.-.-.-b')", 10, 1300};

static const trial_t MEASURED = {"local n = 0 for i = 1, ... do n = n + i % 7 end", 0, 1e4};
#define MEASURED_NS 1.5e5 // maximum duration of the measurement on the reference machines, for which budgets are chosen
#define MEASURED_RUNS 5
#define MAX_SLOWNESS 10.0

static void open_library(lua_State *L, const char *name, lua_CFunction open) {
  lua_pushcfunction(L, open);
  lua_pushstring(L, name);
  lua_call(L, 1, 0);
}

static void run_trial(lua_State *L, double repeats) {
  lua_pushvalue(L, -1);
  lua_pushnumber(L, repeats);
  lua_pcall(L, 1, 0, 0);
}

// Runs the trial with this budget in a new VM, which compiles only if `compiled` is true. Returns whether the trial was
// stopped; *by_hook is true if the first stage stopped it.
static bool call_trial_code(const trial_t *trial, bool compiled, int64_t budget_ns, bool *by_hook) {
  watchdog_guard_t guard = {.reason = WATCHDOG_NONE};
  arena_o *arena = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, arena);
  open_library(L, LUA_STRLIBNAME, luaopen_string);
  if (compiled)
    open_library(L, LUA_JITLIBNAME, luaopen_jit);
  if (luaL_loadbuffer(L, trial->code, strlen(trial->code), "=test") == 0) {
    run_trial(L, trial->before);
    if (setjmp(guard.out) == 0) {
      push_guard(&guard, L, budget_ns);
      run_trial(L, trial->repeats);
    }
    watchdog_end(&guard);
  }
  bool stopped = guard.reason != WATCHDOG_NONE;
  arena_destroy(arena);
  *by_hook = guard.by_hook;
  return stopped;
}

// Returns whether the expected stage stops the trial. Tries longer budgets, too, because a short one may run out before
// the trial starts, or both stages may act before the trial's next instruction.
static bool passes_trial(const trial_t *trial, bool compiled, bool hook) {
  bool by_hook = false, works = false;
  for (int64_t ns = TRIAL_NS; ns <= TRIAL_MAX_NS && !works; ns *= 10)
    works = call_trial_code(trial, compiled, ns, &by_hook) && by_hook == hook;
  return works;
}

static const char OVERFLOWING[] = "local function f() return 1 + f() end f()";

// A lua_Alloc that records the largest size to which any block grows.
static void *record_largest_block(void *largest, void *old, size_t old_bytes, size_t bytes) {
  size_t *max_bytes = largest;
  *max_bytes = old_bytes > 0 && bytes > *max_bytes ? bytes : *max_bytes;
  if (bytes > 0)
    return realloc(old, bytes);
  free(old);
  return NULL;
}

// Returns the size in bytes to which Lua grows a stack that overflows, measured in a VM in which nothing else grows; 0
// if the stack does not overflow.
static size_t find_overflow_bytes(void) {
  size_t largest = 0;
  lua_State *L = lua_newstate(record_largest_block, &largest);
  bool overflows = luaL_loadstring(L, OVERFLOWING) == 0 && lua_pcall(L, 0, 0, 0) != 0;
  lua_close(L);
  return overflows ? largest : 0;
}

// Returns how slow this machine is (see watchdog_get_slowness). Uses the fastest of several runs, because other
// processes may have evicted the caches.
static double measure_slowness(void) {
  double min_ns = 1e12;
  lua_State *L = luaL_newstate();
  bool there = luaL_loadbuffer(L, MEASURED.code, strlen(MEASURED.code), "=test") == 0;
  for (int i = 0; there && i < MEASURED_RUNS; ++i) {
    int64_t began_ns = now_thread_ns();
    run_trial(L, MEASURED.repeats);
    double ns = (double)(now_thread_ns() - began_ns);
    min_ns = ns < min_ns ? ns : min_ns;
  }
  lua_close(L);
  double times = there ? min_ns / MEASURED_NS : 1;
  return times < 1 ? 1 : times > MAX_SLOWNESS ? MAX_SLOWNESS : times;
}

double watchdog_get_slowness(void) {
  return slowness;
}

watchdog_means_t watchdog_test_stages(void) {
  if (tested)
    return means;
  shoal_assert(!me.current, "watchdog_test_stages must not be called inside a guard");
  tested = true;
  bool hooks = passes_trial(&LOOP, false, true);
  bool jumps = passes_trial(&PATTERN, false, false) && passes_trial(&COMPILED, true, false);
  signals_timer_disarm(&me.timer); // disarm the timer, because the trials used a short period
  slowness = measure_slowness();
  overflow_bytes = find_overflow_bytes();
  means = (watchdog_means_t){.hooks = hooks, .jumps = jumps};
  return means;
}
