// Stops scripts that run too long or use too much memory. Code that enters Lua holds a guard. A timer signal on the
// same thread checks the guard every few milliseconds. When a limit is exceeded, the check sets a hook, which LuaJIT
// calls before the next instruction. Compiled code checks for hooks at the start of each trace and in each iteration of
// a loop; string patterns, table.sort and the parser check while they run (luajit/changes). The Lua state is consistent
// when the hook is called, so the guard's `inspect` may read its stack. Once a hook is set, operations on long strings
// and tables call the watchdog while they run. The thread leaves the script with longjmp, so that the script cannot
// catch the stop with pcall. The VM is then unusable and must be dropped with its memory, without lua_close.
//
// Nothing is interrupted in C code of the host. The hook does not leave a script from a foreign call
// (process/foreign_call.h) that began after the guard: a script that calls a plugin is stopped after the plugin has
// returned. Functions of the host that take long delay a stop by their duration.
//
// Budgets are CPU time of the thread, so a busy machine does not stop scripts, and waiting is not counted.
// Entering costs a few stores; the timer is armed only when needed.
//
// Without timers that signal a thread (process/signals.h) only memory and stacks are limited, as watchdog_test reports.
// Each thread has its own timer; any number of VMs can be guarded at the same time.
#ifndef SHOAL_WATCHDOG_WATCHDOG_H
#define SHOAL_WATCHDOG_WATCHDOG_H

#include "base/limits.h"

#include <lua.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum watchdog_reason_t {
  WATCHDOG_NONE,
  WATCHDOG_TIME,
  WATCHDOG_MEMORY,
  WATCHDOG_INTERRUPT, // the program must exit
  WATCHDOG_STACK      // endless recursion overflowed the stack
} watchdog_reason_t;

// One entry into Lua. The guard is a local variable of the function that enters:
//
//   if (setjmp(guard.out) == 0) {
//     watchdog_begin(&guard, L, budget_ms);
//     status = lua_pcall(L, …);
//   } else
//     stopped = true;
//   watchdog_end(&guard);
typedef struct watchdog_guard_t {
  jmp_buf out;
  lua_State *L;
  struct watchdog_guard_t *enclosing;
  volatile int64_t budget_ns; // CPU time budget; 0: no limit, except that scripts stop when the program must exit
  // Callbacks, set after watchdog_begin; may be NULL. `inspect` is called when the script is stopped, and may read the
  // stack, which has no free slots after a stack overflow (see `reason`). `is_full` returns true if the script must be
  // stopped because of its memory after a full collection; if it is NULL, the script is stopped without a collection.
  void (*inspect)(const struct watchdog_guard_t *guard, lua_State *L);
  bool (*is_full)(const struct watchdog_guard_t *guard);
  void *context;                  // the caller's pointer, for use in the callbacks
  struct foreign_call_t *foreign; // innermost foreign call when the guard began
  volatile int64_t began_ns;      // time of the first check, at most one period after the start
  int64_t ended_ns;               // time of the stop; 0 unless stopped
  volatile int reason;            // reason of the stop, a watchdog_reason_t
} watchdog_guard_t;

// Returns the approximate CPU time until the script was stopped, in ms; for logs.
double watchdog_spent_ms(const watchdog_guard_t *guard);
void watchdog_begin(watchdog_guard_t *guard, lua_State *L, uint32_t budget_ms);
// Sets the budget of this thread's innermost guard and starts counting again. Does nothing without a guard, or if the
// script is already being stopped.
void watchdog_set_budget(uint32_t budget_ms);
// Ends `guard`, which must be this thread's innermost guard. Returns the reason why the script was stopped, or
// WATCHDOG_NONE if it was not stopped.
watchdog_reason_t watchdog_end(watchdog_guard_t *guard);

// Collects garbage before the script's next instruction, and stops the script if it still uses too much memory (see
// `is_full`). The collection's time does not count against the budget. Called by an allocator on the guard's thread.
void watchdog_on_memory_limit(void *unused);

// Stops the script if it uses too much of the C stack. Called before C functions run Lua functions
// (scripts/shoal/base/protected_call.lua), because LuaJIT does not limit the depth of such calls. Overflows of a Lua
// stack stop scripts too: the depth that recursion reaches differs between builds, so scripts cannot catch the error.
void watchdog_check_stack(void);

// Stops this thread's timer, which otherwise interrupts the thread once after its last guard has ended. Call without an
// open guard, before the thread sleeps.
void watchdog_rest(void);

// Returns the state of this thread's innermost guard; NULL outside scripts. Async-signal-safe.
lua_State *watchdog_current_state(void);

// Call in a child after fork, which does not inherit timers: starts this thread's timer again if a guard is open.
void watchdog_reset_after_fork(void);

// Returns true if endless scripts are stopped on this machine. The first call tests this in about a millisecond; later
// calls return the same result. Main thread only, without an open guard.
bool watchdog_test(void);

// Returns the factor by which this machine is slower than the reference machines for which budgets are chosen, in [1,
// 10], as measured by watchdog_test. Returns 1 before the first call to watchdog_test.
double watchdog_get_slowness(void);

#endif
