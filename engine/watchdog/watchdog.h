// Stops scripts that run too long, in two stages. Code that enters Lua holds a guard; a timer signal on the same thread
// checks it every few milliseconds.
//
//   1. When the budget is exceeded, the next interpreted instruction calls a hook. The Lua state is consistent then:
//      the guard's `inspect` may read its stack, and then the thread jumps out with longjmp. No Lua error is raised, so
//      the script cannot catch it with pcall.
//   2. Compiled code and C functions of LuaJIT (string patterns, table.sort) do not call hooks. The thread jumps out of
//      compiled code 5 ms later (code that returns to the interpreter meanwhile calls the hook), and out of C functions
//      15 ms later; sooner if the budget is below 10 ms. While a host function (host_call.h) or code that may hold a
//      lock runs, the jump is delayed until that function or code returns.
//
// A jump leaves only scripts, that is, LuaJIT's code and code that LuaJIT has generated, on a thread that is neither in
// a host function nor in a foreign call (process/foreign_call.h) that began after the guard. A script that calls a
// plugin is stopped after the plugin has returned.
//
// In both cases the VM is then unusable and must be dropped with its memory, without lua_close.
//
// Budgets are CPU time of the thread, so a busy machine does not stop scripts, and waiting is not counted.
// Entering costs a few stores; the timer is armed only when needed. Compiled code runs at full speed.
//
// Without timers that signal a thread (process/signals.h) nothing is stopped, as watchdog_test_stages reports. Each
// thread has its own timer; any number of VMs can be guarded at the same time.
#ifndef SHOAL_WATCHDOG_WATCHDOG_H
#define SHOAL_WATCHDOG_WATCHDOG_H

#include "base/limits.h"

#include <lua.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WATCHDOG_MAX_PLACES 128u

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
//
// The order matters: the thread may jump to guard.out at any time after watchdog_begin.
typedef struct watchdog_guard_t {
  jmp_buf out;
  lua_State *L;
  struct watchdog_guard_t *outer;
  volatile int64_t budget_ns; // 0: no limit, except that scripts stop when the program must exit
  // callback that may read the stack, which has no free slots after a stack overflow (see `reason`); set after
  // watchdog_begin, may be NULL
  void (*inspect)(const struct watchdog_guard_t *guard, lua_State *L);
  void *context; // passed by the caller for use in `inspect`
  bool by_hook;  // stopped by the first stage, or by a stack overflow outside compiled code
  bool whole;    // if not by_hook: stopped in a C function of LuaJIT, so the stack of L can be inspected
  // if not by_hook: the current position if it is in compiled code, otherwise return addresses in compiled code
  uintptr_t places[WATCHDOG_MAX_PLACES];
  uint32_t place_count;
  bool outer_inside, outer_wanted;
  struct foreign_call_t *foreign; // innermost foreign call when the guard began
  volatile int64_t began_ns;      // time of the first check, at most one period after the start
  int64_t ended_ns;               // time of the stop; 0 unless stopped
  volatile int reason;            // reason of the stop, a watchdog_reason_t
  volatile int64_t stopped_ns;    // time on the thread's clock when the first stage began
} watchdog_guard_t;

// Returns the approximate CPU time until the script was stopped, in ms; for logs.
double watchdog_spent_ms(const watchdog_guard_t *g);
void watchdog_begin(watchdog_guard_t *g, lua_State *L, uint32_t budget_ms);
// Sets the budget of this thread's innermost guard and starts counting again. Does nothing without a guard, or if the
// script is already being stopped.
void watchdog_set_budget(uint32_t budget_ms);
// Ends `g`, which must be this thread's innermost guard. Returns why the script was stopped, or WATCHDOG_NONE if it was
// not.
watchdog_reason_t watchdog_end(watchdog_guard_t *g);

// Sets the return address that a C function sees when the interpreter calls it. On the stack, this address marks the
// end of a C function's frames.
void watchdog_set_interpreter(uintptr_t calls_from);

// Stops the script because it uses too much memory. Called by an allocator on the guard's thread.
void watchdog_on_memory_limit(void *unused);

// Returns the block size to which Lua grows a stack that has overflowed; 0 before watchdog_test_stages, and on systems
// where scripts cannot be interrupted.
size_t watchdog_overflow_bytes(void);
// Stops the script because of a stack overflow; called by an allocator for a block of that size. The stack is still
// consistent at this point: LuaJIT's own handling may crash when compiled code overflows the stack, and depends on a
// recursion depth that varies between runs. Returns outside scripts, in host functions and plugins, if the script is
// already being stopped, and where the second stage does not work.
void watchdog_on_stack_overflow(void *unused);
// Stops the script as watchdog_on_stack_overflow does, if it uses too much of the C stack. Called before C functions
// run Lua functions (scripts/shoal/base/protected_call.lua), because LuaJIT does not limit the depth of such calls.
void watchdog_check_stack(void);

// Returns the state of this thread's innermost guard; NULL outside scripts. Async-signal-safe.
lua_State *watchdog_current_state(void);

// Call in a child after fork, which does not inherit timers: starts this thread's timer again if a guard is open.
void watchdog_reset_after_fork(void);

typedef struct watchdog_means_t {
  bool hooks; // the first stage works
  bool jumps; // the second stage works
} watchdog_means_t;

// Tests both stages and a stack overflow on this machine, in about two milliseconds; later calls return the same
// result. Main thread only, without an open guard.
watchdog_means_t watchdog_test_stages(void);

// Returns how many times slower this machine is than the reference machines for which budgets are chosen, in [1, 10],
// as measured by watchdog_test_stages; 1 before it was called.
double watchdog_get_slowness(void);

#endif
