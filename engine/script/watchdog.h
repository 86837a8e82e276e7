// Stops a script that does not end by itself, in two stages. Whatever enters Lua holds a guard meanwhile; a timer signal on the same
// thread looks at it every few milliseconds.
//
//   1. When the budget is spent, a hook on every instruction throws an error until the guard ends, so that no pcall of the script can
//      swallow it. Compiled loops look at hooks because LuaJIT's profiler is started, in line mode and practically without samples. Its
//      state is one per process: only one VM, the one that claimed it last, can have its compiled loops stopped like this.
//   2. A C function of LuaJIT (a string pattern, a sort) sees no hook. Some milliseconds later the thread jumps out of whatever it does
//      there. The VM is then good for nothing and must be dropped with its memory, without lua_close. As long as a function of the
//      host is at work (hostcall.h) this waits.
//
// A budget is time of the thread's processor, so that a busy machine stops nobody: what waits does not spend it. Entering costs two
// stores; the timer runs while there is something to look at.
//
// POSIX timers with SIGEV_THREAD_ID and a real-time signal (WATCHDOG_SIGNAL). Where they are missing nothing is stopped, and
// watchdog_test says so. Process-wide state lives here: one VM holds the profiler, each thread has its timer.
#ifndef SHOAL_SCRIPT_WATCHDOG_H
#define SHOAL_SCRIPT_WATCHDOG_H

#include <lua.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_SIGNAL (SIGRTMIN + 5)
#define WATCHDOG_PERIOD_MS 5u        // between two looks, at budgets of 50 ms and more
#define WATCHDOG_SECOND_STAGE_MS 15u // after the first
#define WATCHDOG_INTERRUPTED_MS 50u  // what a script may still use when the program was asked to end

typedef enum watchdog_reason_t {
  WATCHDOG_NONE,
  WATCHDOG_TIME,
  WATCHDOG_MEMORY,
  WATCHDOG_INTERRUPT // the program was asked to end
} watchdog_reason_t;

// One entry into Lua, in the frame that makes it:
//
//   watchdog_begin(&guard, L, budget_ms);
//   if (sigsetjmp(guard.out, 0) == 0) status = lua_pcall(L, …); else dead = true;
//   watchdog_end(&guard);
typedef struct watchdog_guard_t {
  sigjmp_buf out;
  lua_State *L;
  struct watchdog_guard_t *outer;
  uint32_t budget_ms; // 0: none, but for interrupts
  bool outer_inside;
  volatile sig_atomic_t reason; // watchdog_reason_t
  volatile int64_t stopped_ns;  // the thread's clock at the first stage
} watchdog_guard_t;

void watchdog_begin(watchdog_guard_t *g, lua_State *L, uint32_t budget_ms);
// What it was stopped for, WATCHDOG_NONE when it came to its end. The hook is gone.
watchdog_reason_t watchdog_end(watchdog_guard_t *g);

// This VM's compiled loops can be stopped from now on; those of the VM that had it before cannot, until it claims it again. What was
// compiled before is thrown away, so whoever alternates pays. No guard of another VM's may be open.
void watchdog_claim(lua_State *L);
// Before a VM goes, dead or alive.
void watchdog_forget(lua_State *L);

// By an allocator, on the thread of the guard: it has had enough memory.
void watchdog_over_memory(void);

// The program shall end: guards everywhere are left with WATCHDOG_INTERRUPTED_MS. From a signal handler or any thread.
void watchdog_interrupt(void);

// Bytes of the C stack between the outermost guard of this thread and here, 0 without one.
uint32_t watchdog_stack_used(void);

// In a child after fork: timers are not inherited.
void watchdog_after_fork(void);

typedef struct watchdog_means_t {
  bool hooks; // the first stage
  bool jumps; // the second one
} watchdog_means_t;

// Tries both stages on this machine, in about ten milliseconds; later calls only answer. Main thread, no guard open.
watchdog_means_t watchdog_test(void);

#endif
