// Calls to foreign code that cannot be interrupted safely: functions of plugins. The caller's foreign_call_t identifies
// the call in crash reports. A timer signal on the same thread checks the limits of the call. A call terminates the
// program with a report if it exceeds its budget of CPU time, or if it is still running shortly after an exit request.
// foreign_begin_call and foreign_end_call cost only a few stores.
//
// Calls that end in exit() or pthread_exit() are reported in the same way. A process forked by foreign code exits
// instead of returning from the call.
//
// Limitations: a call blocked on a lock or socket uses no CPU time, and is detected only when the program must exit.
// Code that blocks the signal on its thread or calls _exit() is not detected. On systems without per-thread timer
// signals (process/signals.h), no limit is checked. All functions are thread-safe; each thread has a timer.
#ifndef SHOAL_PROCESS_FOREIGN_CALL_H
#define SHOAL_PROCESS_FOREIGN_CALL_H

#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOREIGN_MAX_THREADS 64u // maximum number of threads that make foreign calls; equal to JOBS_MAX_WORKERS

typedef struct foreign_call_t {
  // Names, such as plugin "heat", kind "system" and name "heat.cool". Valid during the call; `name` may be NULL.
  const char *owner, *kind, *name;
  uint32_t budget_ms; // limit of the thread's CPU time; 0: no limit
  struct foreign_call_t *outer;
  const char *outer_missing; // missing component of the outer call; NULL if all lookups of that call succeeded
  // Written by the signal handler; 0 until then.
  volatile int64_t start_cpu_ns;    // CPU time at the first check of this call
  volatile int64_t exit_request_ns; // wall-clock time at the first check after an exit request
} foreign_call_t;

typedef enum foreign_reason_t { FOREIGN_TIME, FOREIGN_INTERRUPT, FOREIGN_EXIT, FOREIGN_THREAD_EXIT } foreign_reason_t;

void foreign_begin_call(foreign_call_t *call);
void foreign_end_call(foreign_call_t *call);
// Returns the innermost call of this thread; NULL outside foreign calls. Async-signal-safe.
foreign_call_t *foreign_current_call(void);
// Removes the calls that began after `call` from the list of this thread, because the thread has exited them with
// longjmp. `call` is an earlier result of foreign_current_call.
void foreign_restore_current(foreign_call_t *call);
// Sets the call that is named in reports about a thread that runs only foreign code; NULL removes it. `call` is
// borrowed.
void foreign_set_current(foreign_call_t *call);
// Writes a description of this thread's innermost call, such as "plugin heat, system heat.cool", or "" outside calls.
// Returns `out`. Async-signal-safe except for snprintf.
char *foreign_describe_call(char *out, size_t bytes);

// Stores the name of a component whose columns this thread's innermost call looked up without success. The string must
// stay valid during the call.
void foreign_set_missing_component(const char *name);
// Writes the fix for a crash at this memory address, beginning with ": ", if the innermost call probably accessed an
// element of a missing column; otherwise "". Returns `out`. Async-signal-safe except for snprintf.
char *foreign_describe_missing_component(const void *address, char *out, size_t bytes);

// Returns a description of the failure for a report, with the fix if one is known. Async-signal-safe.
const char *foreign_reason_text(foreign_reason_t reason);
// Reports that the current call does not return. Used by a caller that waits for foreign code on a different thread.
void foreign_report_lost_call(foreign_reason_t reason);

// Sets the function that handles calls that do not return; NULL removes it. The function runs on the thread of such a
// call, in a signal handler or while the process or the thread exits, or in foreign_report_lost_call. The function must
// return only if the process is exiting anyway.
void foreign_set_lost_callback(void (*callback)(foreign_reason_t reason));
// Call in a child after a fork: disables all checks.
void foreign_reset_after_fork(void);

#endif
