// All signals of this program; no other file uses them: exit requests, faults, and timers whose handler checks
// periodically what its thread is doing. A port to a system without signals replaces signals.c.
//
// Handlers are async-signal-safe and run on the thread that they concern.
#ifndef SHOAL_PROCESS_SIGNALS_H
#define SHOAL_PROCESS_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- exit requests

// The first SIGINT or SIGTERM calls interrupt_request (base/interrupt.h); the second one terminates the program.
void signals_catch_end(void);

// --- faults

// "SIGSEGV" and "invalid memory access"; for other signals "signal 12" and "unknown signal". Valid until the thread's
// next call.
const char *signals_name(int number);
const char *signals_description(int number);
// Returns whether the program aborted itself; such a fault has no address.
bool signals_is_abort(int number);

// `address`: the accessed memory, NULL if unknown; `code`: the instruction, NULL on unsupported processors.
typedef void signals_fault_t(int number, const void *address, const void *code);

// Calls `callback` for faults of all threads, until signals_release_faults. Afterwards the previous handler runs, or
// the process terminates.
void signals_catch_faults(signals_fault_t *callback);
// Restores the previous handlers, except where they were replaced meanwhile.
void signals_release_faults(void);
// In a child process: calls `callback` for the first fault, then terminates the child with that signal.
void signals_catch_faults_of_copy(signals_fault_t *callback);

// Calls act(context). Returns false if it was aborted because it accessed invalid memory; resources that it held are
// leaked. Not reentrant.
bool signals_guarded(void (*act)(void *context), void *context);

// Sets the stack of this thread's fault handlers, which is needed to handle stack overflows. NULL: none.
#define SIGNALS_STACK_BYTES ((size_t)256 * 1024)
void signals_use_stack(void *stack, size_t bytes);
bool signals_has_stack(void);

// --- threads and child processes

// A thread created between these two calls receives only its own faults: all other signals are blocked on it.
typedef struct signals_mask_t {
  _Alignas(16) unsigned char bytes[128];
} signals_mask_t;
void signals_block(signals_mask_t *before);
void signals_unblock(const signals_mask_t *before);

// Resets signal handling in a child: faults terminate it, no signal is blocked, and it terminates after this many
// seconds. `politely`: exit requests also terminate it.
void signals_reset(uint32_t ends_after_s, bool politely);
void signals_end_after(uint32_t seconds);

// --- timers

// Where a thread was interrupted.
typedef struct signals_place_t {
  uintptr_t code; // 0 if unknown
  uintptr_t link; // the link register, for return addresses that need not be on the stack; 0 on processors without one
  const uintptr_t *stack;
} signals_place_t;

// Users of timers. Each has one timer per thread; its checks do not overlap and preserve `errno`.
typedef enum signals_client_t {
  SIGNALS_SCRIPT,  // may jump out of its handler, see signals_prepare_jump
  SIGNALS_FOREIGN, // uses the alternate signal stack if there is one
  SIGNALS_CLIENTS
} signals_client_t;

// Sets the function that checks the thread. `late`: checks were missed because they were due too often.
void signals_set_timer_handler(signals_client_t who, void (*look)(const signals_place_t *at, bool late));
// Call in `look` before a longjmp out of it: otherwise its signal stays blocked.
void signals_prepare_jump(signals_client_t who);

// Zero-initialised thread-local memory; the timer is deleted when the thread ends. On systems without timers that
// signal a thread, nothing is ever checked.
typedef struct signals_timer_t signals_timer_t;
struct signals_timer_t {
  volatile bool armed;
  bool is_there, tried;
  uint32_t period_us;
  void *timer;
  signals_timer_t *next; // of the same thread
};

// Checks this thread every `period_us`, or more often if it does already. Returns false if timers are unavailable.
bool signals_timer_arm(signals_timer_t *t, signals_client_t who, uint32_t period_us);

// For the handler, so async-signal-safe.
void signals_timer_shorten(signals_timer_t *t, uint32_t period_us);  // checks more often from now on
void signals_timer_lengthen(signals_timer_t *t, uint32_t period_us); // checks at most this often
void signals_timer_disarm(signals_timer_t *t);                       // stops checking until it is armed again

// In a child process, which inherits no timers. `again`: arming creates a new one; otherwise arming fails from now on.
void signals_timer_after_fork(signals_timer_t *t, bool again);

#endif
