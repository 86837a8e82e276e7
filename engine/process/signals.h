// All that this program hears by signals, and how it hears it; no other file speaks of them. That it was asked to
// end; faults, which are code that did what it must not; and timers, by which a handler looks now and then at what its
// thread is doing. A system that tells of these in another way brings a file in the place of signals.c.
//
// Handlers are async-signal-safe and run on the thread that they are about.
#ifndef SHOAL_PROCESS_SIGNALS_H
#define SHOAL_PROCESS_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- asked to end

// The first SIGINT or SIGTERM calls interrupt_ask (base/interrupt.h); the second one ends the program at once.
void signals_catch_end(void);

// --- faults

// "SIGSEGV" and "memory that is not there"; for others "signal 12" and "a signal". As long as the thread's next call.
const char *signals_name(int number);
const char *signals_words(int number);
// Given up by the program itself: such a fault has no address.
bool signals_is_abort(int number);

// `address` is what it concerns, NULL where that is not known; `code` the instruction, NULL on other processors.
typedef void signals_fault_t(int number, const void *address, const void *code);

// From every thread, until signals_release_faults. When `hear` returns, who was there before hears of it, or the
// process ends.
void signals_catch_faults(signals_fault_t *hear);
// Who was there before is back, unless somebody else has come since.
void signals_release_faults(void);
// In a copy of the process: `hear` is called for the first one, and then the copy ends by it.
void signals_catch_faults_of_copy(signals_fault_t *hear);

// Calls act(context). False when it did not come to its end, for it touched memory that is not there: what it held is
// not given back. Not inside itself.
bool signals_guarded(void (*act)(void *context), void *context);

// Where this thread's handlers of faults run: a stack that has overflowed has no room for them. NULL: there is none.
#define SIGNALS_STACK_BYTES ((size_t)256 * 1024)
void signals_use_stack(void *stack, size_t bytes);
bool signals_has_stack(void);

// --- threads and copies of the process

// A thread that is made between the two hears of its own faults alone: signals are for the thread that they were made
// for.
typedef struct signals_mask_t {
  _Alignas(16) unsigned char bytes[128];
} signals_mask_t;
void signals_hush(signals_mask_t *before);
void signals_unhush(const signals_mask_t *before);

// In a copy: faults end it, nothing waits, and it ends by itself after so many seconds; `politely`: when it is asked
// to, too.
void signals_be_plain(uint32_t ends_after_s, bool politely);
void signals_end_after(uint32_t seconds);

// --- timers

// Where a thread was.
typedef struct signals_place_t {
  uintptr_t code; // 0 where it is not known
  uintptr_t link; // what holds a return address that need not be on the stack; 0 on processors that put it there
  const uintptr_t *stack;
} signals_place_t;

// Who looks. Each has a timer for each thread; one look at a time, and `errno` is as it was when it ends.
typedef enum signals_looker_t {
  SIGNALS_SCRIPT,  // it may jump out of its handler, see signals_jumps
  SIGNALS_FOREIGN, // on the stack for faults, where there is one
  SIGNALS_LOOKERS
} signals_looker_t;

// `late`: more looks were due than could be had.
void signals_hear_timers(signals_looker_t who, void (*look)(const signals_place_t *at, bool late));
// In `look`, before a longjmp out of it: else its signal would wait for ever.
void signals_jumps(signals_looker_t who);

// In thread-local memory that begins as zeros; it is deleted when the thread ends. Where a system has no timers that
// signal a thread, nothing is ever looked at.
typedef struct signals_timer_t signals_timer_t;
struct signals_timer_t {
  volatile bool armed;
  bool is_there, tried;
  uint32_t period_us;
  void *timer;
  signals_timer_t *next; // of the same thread
};

// Looks at this thread every `period_us` from now on, or more often if it does already. False when there is no such
// timer.
bool signals_timer_arm(signals_timer_t *t, signals_looker_t who, uint32_t period_us);

// Of the handler, and so async-signal-safe.
void signals_timer_hurry(signals_timer_t *t, uint32_t period_us); // looks more often from now on
void signals_timer_relax(signals_timer_t *t, uint32_t period_us); // at most so often
void signals_timer_rest(signals_timer_t *t);                      // not any more, until it is armed

// In a copy, which has no timers. `again`: arming makes a new one; otherwise it is refused from now on.
void signals_timer_after_fork(signals_timer_t *t, bool again);

#endif
