// Stops a script that does not end by itself, in two stages. Whatever enters Lua holds a guard meanwhile; a timer
// signal on the same thread looks at it every few milliseconds.
//
//   1. When the budget is spent, the next instruction that is interpreted calls a hook. There the state is whole: the
//      guard's `see` may look at its stack, and then the thread jumps out of it. No error is thrown, so no pcall of the
//      script hears of it.
//   2. Compiled code and C functions of LuaJIT (a string pattern, a sort) see no hook. The thread jumps out of whatever
//      it does there: out of compiled code 5 ms later, for what returns to the interpreter meanwhile meets the hook;
//      out of C functions 15 ms later. While a function of the host is at work (host_call.h), the jump waits for its
//      end, and so it does in code that may hold a lock.
//
// Either way the VM is good for nothing afterwards and must be dropped with its memory, without lua_close.
//
// A budget is time of the thread's processor, so that a busy machine stops no script: what waits does not spend it.
// Entering costs a few stores; the timer runs while there is something to look at. Compiled code is as fast as
// without a watchdog.
//
// Where there are no timers that signal a thread (process/signals.h) nothing is stopped, and watchdog_test says so.
// Each thread has its timer; any number of VMs can be guarded at the same time.
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
  WATCHDOG_INTERRUPT, // the program was asked to end
  WATCHDOG_STACK      // a recursion without end
} watchdog_reason_t;

// One entry into Lua, in the frame that makes it:
//
//   if (setjmp(guard.out) == 0) {
//     watchdog_begin(&guard, L, budget_ms);
//     status = lua_pcall(L, …);
//   } else
//     stopped = true;
//   watchdog_end(&guard);
//
// In this order: from its beginning on it may be left at any time.
typedef struct watchdog_guard_t {
  jmp_buf out;
  lua_State *L;
  struct watchdog_guard_t *outer;
  volatile int64_t budget_ns;               // 0: none, but for interrupts
  void (*see)(void *context, lua_State *L); // by whoever holds the guard, after watchdog_begin; NULL: not called
  void *context;
  bool by_hook;                          // it was left by the first stage, or where its stack was full
  bool whole;                            // else: it was in a C function of LuaJIT, and the stack of L can be looked at
  uintptr_t places[WATCHDOG_MAX_PLACES]; // else: where it was, or where that returns to, as far as it is compiled code
  uint32_t place_count;
  bool outer_inside, outer_wanted;
  volatile int64_t began_ns;   // when it was first looked at, at most a period after it began
  int64_t ended_ns;            // 0 unless it was stopped
  volatile int reason;         // watchdog_reason_t
  volatile int64_t stopped_ns; // the thread's clock at the first stage
} watchdog_guard_t;

// How much of the thread's time it had when it was left, as far as that is known; for logs.
double watchdog_spent_ms(const watchdog_guard_t *g);
void watchdog_begin(watchdog_guard_t *g, lua_State *L, uint32_t budget_ms);
// The innermost guard of this thread has this budget, from now on.
void watchdog_set_budget(uint32_t budget_ms);
// What it was stopped for, WATCHDOG_NONE when it came to its end.
watchdog_reason_t watchdog_end(watchdog_guard_t *g);

// Where LuaJIT's interpreter calls C functions: one of them tells its return address. On the stack it marks the end of
// what a C function has called.
void watchdog_know_interpreter(uintptr_t calls_from);

// By an allocator, on the thread of the guard: it has had enough memory.
void watchdog_over_memory(void *unused);

// By an allocator: what Lua wants a block of this size for, in place of a smaller one, is a stack that has overflowed.
// 0 before watchdog_test, and where nothing can be torn out of a script.
size_t watchdog_overflow_bytes(void);
// By an allocator that is asked for that. The stack is still whole then; what LuaJIT would do next may crash when it
// comes from compiled code, and how deep a recursion had come by then differs from run to run. So the script is left
// from here, and does not come to see it. Returns only outside scripts and inside functions of the host.
void watchdog_over_stack(void *unused);
// By functions that call C, which calls Lua: leaves the script in the same way when it uses too much of the stack of C.
void watchdog_check_stack(void);

// What this thread is in, innermost; NULL outside scripts. In a signal handler too.
lua_State *watchdog_entered(void);

// In a child after fork: timers are not inherited.
void watchdog_after_fork(void);

typedef struct watchdog_means_t {
  bool hooks; // the first stage
  bool jumps; // the second one
} watchdog_means_t;

// Tries both stages and an overflow on this machine, in about two milliseconds; later calls only answer. Main thread,
// no guard open.
watchdog_means_t watchdog_test(void);

// How many times slower than the machine that budgets are made for this one is, from 1 to 10: what watchdog_test
// measured. 1 before.
double watchdog_slowness(void);

#endif
