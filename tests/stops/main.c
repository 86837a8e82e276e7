// A long campaign: stops scripts of all kinds, many thousands of times, and reports how late each kind was stopped.
//
//   stops [--count N] [--seed S] [--signals] [--state FILE]
//
// --signals sends the watchdog's signal every 0.1 ms, while traces are recorded and compiled: LuaJIT changes its hook
// mask in several steps, and no signal between two steps may lose a stop. With --state, the totals of earlier runs are
// read from the file and written back, so that a campaign can be split over several runs. Exits with 1 if a script was
// not stopped for the expected reason, or if a kind that checks regularly was stopped more than LATE_MS after its
// budget MAX_ATTEMPTS times in a row: on a shared machine, CPU time that other processes have taken counts as the
// thread's own.
#include "base/random.h"
#include "watchdog/arena.h"
#include "watchdog/watchdog.h"

#include <lauxlib.h>
#include <lualib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { LATE_MS = 50, MAX_ATTEMPTS = 8, WATCHDOG_SIGNAL = 5, SIGNAL_NS = 100000, MEMORY_MB = 256 };

// `linear`: a single call that LuaJIT cannot leave, of a function that takes linear time; it may end late.
typedef struct kind_t {
  const char *name, *code;
  bool linear;
  watchdog_reason_t reason; // accepted in addition to WATCHDOG_TIME
} kind_t;

static const kind_t KINDS[] = {
    {"loop", "while true do end", false, 0},
    {"loop in pcall", "while true do pcall(function() while true do end end) end", false, 0},
    {"loop with a side exit", "local n = 0 while true do n = n + 1 if n % 7 == 0 then n = n + 2 end end", false, 0},
    {"nested loops", "while true do for i = 1, 100 do for k = 1, 10 do end end end", false, 0},
    {"repeat", "local t = {} repeat t[1] = (t[1] or 0) + 1 until false", false, 0},
    {"goto", "::again:: goto again", false, 0},
    {"tail calls", "local function f(x) return f(x + 1) end f(1)", false, 0},
    {"recursion", "local function f(x) return 1 + f(x + 1) end f(1)", false, WATCHDOG_STACK},
    {"recursion in a loop",
     "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end while true do f(90) end", false, 0},
    {"mutual recursion", "local g local function f(x) return 1 + g(x) end g = function(x) return 2 + f(x) end f(1)",
     false, WATCHDOG_STACK},
    {"coroutine", "coroutine.wrap(function() while true do end end)()", false, 0},
    {"coroutines", "while true do local c = coroutine.wrap(function() coroutine.yield(1) end) c() c() end", false, 0},
    {"metamethod",
     "local t = setmetatable({}, { __index = function() return 1 end }) local n = 0 while true do n = n + t.x "
     "end",
     false, 0},
    {"endless metamethod", "local t = setmetatable({}, { __add = function(a) while true do end end }) local x = t + t",
     false, 0},
    {"pairs",
     "local t = {} for i = 1, 1000 do t['k' .. i] = i end while true do for k, v in pairs(t) do t[k] = v + 1 end "
     "end",
     false, 0},
    {"ffi",
     "local ffi = require('ffi') local p = ffi.new('double[1000]') while true do for i = 0, 999 do p[i] = p[i] + 1 "
     "end end",
     false, 0},
    {"garbage", "local t while true do t = { {}, {} } end", false, 0},
    {"strings", "local s = '' while true do s = ('x' .. #s):rep(20) end", false, 0},
    {"closures", "local f while true do f = function() return f end end", false, 0},
    {"pattern", "string.find(('a'):rep(3000), '.-.-.-.-b')", false, 0},
    {"optional parts", "string.find(('a'):rep(30), ('a?'):rep(30) .. ('a'):rep(30) .. 'b')", false, 0},
    {"gsub", "string.gsub(('a'):rep(1e5), '.*b', '')", false, 0},
    {"gmatch", "for _ in string.gmatch(('a'):rep(1e5), 'a*a*a*b') do end", false, 0},
    {"class", "string.find(('a'):rep(3e4), ('[' .. ('b'):rep(3e4) .. 'a]*c'))", false, 0},
    {"back reference", "string.match(('a'):rep(1e5), '(.+)%1b')", false, 0},
    {"sort", "local t = {} for i = 1, 3e6 do t[i] = i * 7919 % 3000017 end table.sort(t) while true do end", false, 0},
    {"sort with a comparison",
     "local t = {} for i = 1, 1e6 do t[i] = i * 7919 % 1000003 end table.sort(t, function(a, b) "
     "return a < b end) while true do end",
     false, 0},
    // Short enough that the string, which LuaJIT builds in two calls, is ready within the limit even on a slow machine.
    {"parser", "load('return {' .. ('1,'):rep(1e6) .. '}') while true do end", false, 0},
    {"load", "while true do load('local a = 1 return a + 1')() end", false, 0},
    {"error", "while true do pcall(error, 'x') end", false, 0},
    {"plain find", "while true do string.find(('a'):rep(4e6), ('a'):rep(2e6) .. 'b', 1, true) end", true, 0},
    {"rep", "while true do local s = ('x'):rep(3e7) end", true, 0},
    {"concat", "local t = {} for i = 1, 1e5 do t[i] = 'xyz' end while true do table.concat(t) end", true, 0},
    {"reverse", "local s = ('x'):rep(3e6) while true do s:reverse() end", true, 0},
    {"insert at the front", "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.insert(t, 1, 0) end", true,
     0},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

typedef struct total_t {
  unsigned long stops, late;
  double worst_ms; // maximum time after the budget
} total_t;

static total_t totals[KIND_COUNT];

static double thread_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Runs a script until it is stopped. Returns the CPU time used, in ms.
static double stop_once(const kind_t *k, uint32_t budget_ms, watchdog_reason_t *reason) {
  watchdog_guard_t guard;
  arena_o *arena =
      arena_create(&(arena_desc_t){.cap_bytes = (size_t)MEMORY_MB << 20, .on_over_cap = watchdog_on_memory_limit});
  lua_State *L = lua_newstate(arena_resize, arena);
  luaL_openlibs(L);
  if (luaL_loadbuffer(L, k->code, strlen(k->code), "=script") != 0) {
    fprintf(stderr, "%s: %s\n", k->name, lua_tostring(L, -1));
    exit(2);
  }
  double began_ms = thread_ms();
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, budget_ms);
    lua_pcall(L, 0, 0, 0);
  }
  *reason = watchdog_end(&guard);
  double spent_ms = thread_ms() - began_ms;
  arena_destroy(arena);
  return spent_ms;
}

// Stops scripts of a kind until one is stopped in time, at most MAX_ATTEMPTS times; a linear kind may be late. Prints a
// message and returns false if the reason is unexpected or all attempts were late.
static bool run_kind(uint32_t i, random_t *r, uint32_t max_budget_ms) {
  const kind_t *k = &KINDS[i];
  double over_ms = 0;
  for (int attempt = 0; attempt < MAX_ATTEMPTS; ++attempt) {
    uint32_t budget_ms = 1 + random_u32(r) % max_budget_ms;
    watchdog_reason_t reason;
    over_ms = stop_once(k, budget_ms, &reason) - budget_ms;
    totals[i].stops++;
    totals[i].worst_ms = over_ms > totals[i].worst_ms ? over_ms : totals[i].worst_ms;
    if (reason != WATCHDOG_TIME && (k->reason == WATCHDOG_NONE || reason != k->reason)) {
      printf("%s: not stopped for its time: reason %d after %.1f ms\n", k->name, (int)reason, over_ms + budget_ms);
      return false;
    }
    if (k->linear || over_ms <= LATE_MS * watchdog_get_slowness())
      return true;
    totals[i].late++;
  }
  printf("%s: stopped %.1f ms after its budget\n", k->name, over_ms);
  return false;
}

static void send_signals(void) {
  struct sigevent event;
  timer_t timer;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN + WATCHDOG_SIGNAL;
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  struct itimerspec period = {{0, SIGNAL_NS}, {0, SIGNAL_NS}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &period, NULL) != 0) {
    perror("timer");
    exit(2);
  }
}

static void read_totals(const char *path) {
  FILE *f = path ? fopen(path, "r") : NULL;
  char name[64];
  total_t t;
  while (f && fscanf(f, "%63[^\t]\t%lu\t%lu\t%lf\n", name, &t.stops, &t.late, &t.worst_ms) == 4)
    for (uint32_t i = 0; i < KIND_COUNT; ++i)
      if (strcmp(KINDS[i].name, name) == 0)
        totals[i] = t;
  if (f)
    fclose(f);
}

static void write_totals(FILE *f) {
  for (uint32_t i = 0; f && i < KIND_COUNT; ++i)
    fprintf(f, "%s\t%lu\t%lu\t%.2f\n", KINDS[i].name, totals[i].stops, totals[i].late, totals[i].worst_ms);
}

int main(int argc, char **argv) {
  unsigned long count = 200, seed = 1, all = 0;
  const char *state = NULL;
  bool signals = false;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--signals") == 0)
      signals = true;
    else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc)
      count = strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
      seed = strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--state") == 0 && i + 1 < argc)
      state = argv[++i];
    else
      return fprintf(stderr, "usage: stops [--count N] [--seed S] [--signals] [--state FILE]\n"), 2;
  }
  random_t r;
  random_seed(&r, seed);
  read_totals(state);
  if (!watchdog_test())
    return printf("# skipped: this machine has no timers that signal a thread\n"), 0;
  if (signals)
    send_signals();
  bool ok = true;
  for (unsigned long i = 0; i < count && ok; ++i)
    ok = run_kind(signals ? random_u32(&r) % 19 : (uint32_t)(i % KIND_COUNT), &r, signals ? 1 : 12);
  write_totals(stdout);
  for (uint32_t i = 0; i < KIND_COUNT; ++i)
    all += totals[i].stops - totals[i].late; // a late stop is repeated
  printf("%lu stops\n", all);
  FILE *f = state ? fopen(state, "w") : NULL;
  write_totals(f);
  return (f && fclose(f) != 0) || !ok;
}
