// Calls of code that is not ours and cannot be torn out of what it does: a plugin's functions. Who calls one holds a
// foreign_call_t meanwhile, so that a report of a crash names it, and a timer signal on the same thread looks at it now
// and then: code that has used its budget of the thread's processor time, or that is still there a moment after the
// program was asked to end, ends the program with a report. Entering and leaving cost a few stores.
//
// Code that never comes back because it has called exit() or pthread_exit() is lost in the same way, and a copy of the
// process that it made (fork) ends where it would come back.
//
// What it cannot see: code that waits (a lock, a socket) uses no time, and is seen when the program is asked to end;
// code that blocks the signal on its thread, or that calls _exit(), is not seen at all. Any thread; each has its timer.
// Where there are no timers that signal a thread (process/signals.h) nothing is looked at.
#ifndef SHOAL_PROCESS_FOREIGN_CALL_H
#define SHOAL_PROCESS_FOREIGN_CALL_H

#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOREIGN_MAX_THREADS 64u // that make such calls: JOBS_MAX_WORKERS

typedef struct foreign_call_t {
  const char *owner, *kind, *name; // "heat", "system", "heat.cool": as long as the call; NULL for none
  uint32_t budget_ms;              // of processor time of the thread; 0: none
  struct foreign_call_t *outer;
  // Of the signal handler: clocks when it was first seen, and first seen after the program was asked to end.
  volatile int64_t began_ns, asked_ns;
} foreign_call_t;

typedef enum foreign_reason_t { FOREIGN_TIME, FOREIGN_INTERRUPT, FOREIGN_EXIT, FOREIGN_THREAD_EXIT } foreign_reason_t;

void foreign_begin(foreign_call_t *call);
void foreign_end(foreign_call_t *call);
// Of a thread that is foreign code's as a whole: only what reports say. NULL: it is over.
void foreign_name(foreign_call_t *call);
// "plugin heat, system heat.cool": the innermost call of this thread; "" for none. Async-signal-safe but for snprintf.
char *foreign_words(char *out, size_t bytes);

// What to do with a call that does not come back, on its thread, in a signal handler or while that ends. It returns
// only where the process is ending already. NULL: nothing is done.
void foreign_on_lost(void (*lost)(foreign_reason_t reason));
// In a child after fork: nothing is looked at any more.
void foreign_after_fork(void);

#endif
