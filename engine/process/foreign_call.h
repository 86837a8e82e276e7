// Calls of foreign code that cannot be interrupted safely: functions of plugins. During the call the caller holds a
// foreign_call_t, so that crash reports can name it, and a timer signal on the same thread checks it: a call that
// exceeds its budget of processor time, or that is still running shortly after the program was asked to exit, ends the
// program with a report. Entering and leaving cost a few stores.
//
// Calls that end in exit() or pthread_exit() are reported in the same way, and a process that foreign code forked exits
// when it would return from the call.
//
// Limitations: a blocked call (on a lock or socket) uses no processor time and is noticed only when the program must
// exit; code that blocks the signal on its thread or calls _exit() is not noticed. Any thread; each has its own timer.
// Without per-thread timer signals (process/signals.h) nothing is checked.
#ifndef SHOAL_PROCESS_FOREIGN_CALL_H
#define SHOAL_PROCESS_FOREIGN_CALL_H

#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOREIGN_MAX_THREADS 64u // threads that make such calls; equals JOBS_MAX_WORKERS

typedef struct foreign_call_t {
  const char *owner, *kind, *name; // "heat", "system", "heat.cool"; valid during the call; `name` may be NULL
  uint32_t budget_ms;              // processor time of the thread; 0: no limit
  struct foreign_call_t *outer;
  // Written by the signal handler: the clock at its first check, and at its first check after the exit request.
  volatile int64_t began_ns, asked_ns;
} foreign_call_t;

typedef enum foreign_reason_t { FOREIGN_TIME, FOREIGN_INTERRUPT, FOREIGN_EXIT, FOREIGN_THREAD_EXIT } foreign_reason_t;

void foreign_begin(foreign_call_t *call);
void foreign_end(foreign_call_t *call);
// Names a thread that runs foreign code only, for reports. NULL ends it.
void foreign_name(foreign_call_t *call);
// Writes the innermost call of this thread: "plugin heat, system heat.cool"; "" if none. Async-signal-safe except for
// snprintf.
char *foreign_describe(char *out, size_t bytes);

// Sets the handler of calls that do not return. It runs on their thread, in a signal handler or during exit, and
// returns only if the process is exiting anyway. NULL: none.
void foreign_on_lost(void (*lost)(foreign_reason_t reason));
// In a child after fork: disables all checks.
void foreign_after_fork(void);

#endif
