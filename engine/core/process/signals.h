// All signals of this program: exit requests, faults, and timers that check a thread periodically. No other file
// installs signal handlers, so a port to a system without signals replaces signals_linux.c.
//
// Handlers are async-signal-safe. Fault handlers and, on Linux, timer checks run on the affected thread.
#ifndef SHOAL_PROCESS_SIGNALS_H
#define SHOAL_PROCESS_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- exit requests

// Catches SIGINT and SIGTERM. The first SIGINT and the first SIGTERM call interrupt_request (base/interrupt.h); a
// second signal of the same kind terminates the program, except a SIGTERM during a save (signals_begin_save). Ignores
// SIGXFSZ, so that writing beyond the limit of file sizes (RLIMIT_FSIZE) fails with EFBIG.
void signals_catch_termination(void);
// While a save is requested or written, ignores later SIGTERMs for at most 10 s after the first, and reports the second
// SIGTERM on standard error. Calls may be nested. Any thread.
void signals_begin_save(void);
void signals_end_save(void);
// Passes SIGINT, SIGTERM, SIGHUP and SIGQUIT on to a child process, except signals from the terminal, which also sends
// them to the child. 0: ignores these signals from now on.
void signals_forward_termination(int process);
// Call in a child process: it receives SIGTERM when its parent ends, if the system supports this.
void signals_end_with_parent(void);
// Calls `callback` in exit() and, if the C library has this function, in quick_exit(). Each call adds one callback.
void signals_at_exit(void (*callback)(void));
// Terminates this process with the signal, even if the signal is blocked or ignored.
void signals_raise_default(int number);

// --- faults

// Return the name of a signal, such as "SIGSEGV", and its description, such as "invalid memory access"; for unknown
// signals "signal 12" and "unknown signal". The name is valid until the thread's next call.
const char *signals_name(int number);
const char *signals_description(int number);
// Returns true for the signal of abort(). Such a fault has no address.
bool signals_is_abort(int number);

// Callback for a fault. `address`: the accessed memory, or NULL if unknown; `code`: the instruction, or NULL on
// unsupported processors.
typedef void signals_fault_t(int number, const void *address, const void *code);

// Calls `callback` for faults of all threads, until signals_release_faults is called. When the callback returns, the
// previous handler runs, or the process terminates.
void signals_catch_faults(signals_fault_t *callback);
// Restores the previous handlers, except where other code has replaced this program's handlers.
void signals_release_faults(void);
// Call in a child process: calls `callback` for the first fault, then terminates the child with the fault's signal.
void signals_catch_faults_in_child(signals_fault_t *callback);

// Sets the stack on which this thread handles faults; NULL: the thread's own stack. Stack overflows can be handled only
// on a separate stack.
#define SIGNALS_STACK_BYTES ((size_t)256 * 1024)
void signals_use_stack(void *stack, size_t bytes);
// Returns true if this thread has a separate signal stack.
bool signals_has_stack(void);

// --- threads and child processes

// signals_block_all blocks all signals except faults on this thread, and stores the previous mask in `out`;
// signals_restore_mask restores it. A thread created in between receives only signals that its own instructions cause,
// such as SIGSEGV. On Windows, no timer check suspends any thread in between; do not arm a new timer there.
typedef struct signals_mask_t {
  _Alignas(16) unsigned char bytes[128];
} signals_mask_t;
void signals_block_all(signals_mask_t *out);
void signals_restore_mask(const signals_mask_t *saved);

// Resets signal handling in a child: faults terminate the child, no signal is blocked, and the child terminates after
// `timeout_s` seconds (0: no timeout). `exit_on_request`: exit requests terminate the child too.
void signals_reset_in_child(uint32_t timeout_s, bool exit_on_request);
// Terminates the process with SIGALRM after this many seconds; 0 cancels a pending alarm.
void signals_set_alarm(uint32_t seconds);

// --- timers

// Users of timers. Each has one timer per thread. The checks of a timer do not overlap, and preserve errno.
typedef enum signals_client_t {
  SIGNALS_SCRIPT,
  SIGNALS_FOREIGN, // calls to plugins; checks run on the thread's alternate signal stack, if set
  SIGNALS_CLIENTS
} signals_client_t;

// Checks the timer's thread. Must not access thread-local variables, because some systems run the check on a different
// thread. `state`: argument of signals_timer_arm; `cpu_ns`: the thread's CPU time; `late`: true if the timer has
// expired several times since the previous check.
typedef void signals_check_f(void *state, int64_t cpu_ns, bool late);
void signals_set_timer_handler(signals_client_t client, signals_check_f *check);
// Returns the largest step in ns by which a check's `cpu_ns` advances; 0 if it advances continuously. A thread may have
// used less time between two checks than the difference, by up to one step.
int64_t signals_time_step_ns(void);

// A timer of one thread, in zero-initialized thread-local memory. The system's timer is deleted when the thread ends.
// On systems without timers for threads, the checks never run.
typedef struct signals_timer_t signals_timer_t;
struct signals_timer_t {
  volatile bool armed;
  bool created, creation_attempted;
  signals_client_t client;
  uint32_t period_us;
  void *timer, *state;
  signals_timer_t *next; // next timer of the same thread
};

// Starts checks of this thread every `period_us`. If checks are already more frequent, their period is kept. `state`:
// argument of the check. Returns true on success, or false if timers are unavailable.
bool signals_timer_arm(signals_timer_t *timer, signals_client_t client, uint32_t period_us, void *state);

// The following functions may be called by handlers, and are therefore async-signal-safe.

// Increases the period of the checks to `period_us`, unless it is already longer or the timer is not armed.
void signals_timer_lengthen_period(signals_timer_t *timer, uint32_t period_us);
// Stops the checks until the timer is armed again.
void signals_timer_disarm(signals_timer_t *timer);

// Forgets the parent's timer in a child process, which does not inherit timers. `allow_new_timer`: the next arming
// creates a new timer; otherwise arming fails from now on.
void signals_timer_reset_after_fork(signals_timer_t *timer, bool allow_new_timer);

#endif
