// Handlers of signals that terminate the process: crashes, on every thread. Child processes (process/child.h) write the
// location of their crash to the shared text of the child, so that an error can name the function.
//
// Handlers run on a signal stack of their own, because an overflowed stack has no room: crash_stack_add sets it up for
// a thread. Nothing is caught in builds with a sanitizer, which reports these signals better.
#ifndef SHOAL_CRASH_SIGNAL_HANDLER_H
#define SHOAL_CRASH_SIGNAL_HANDLER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct crash_signal_t {
  int number;
  const void *address; // memory that the signal concerns; NULL if it specifies none
  const void *code;    // the instruction; NULL on unsupported processors
} crash_signal_t;

// Called from the signal handler on the crashing thread. Afterwards the previous handler runs, or the process
// terminates.
typedef void crash_handler_t(const crash_signal_t *signal);

void crash_catch(crash_handler_t *callback);
// Restores the previous handlers, except where they were replaced meanwhile.
void crash_release(void);

// Returns true once per process: threads that crash later wait here, so that they do not interrupt the first report.
// Returns false on the first thread if it crashes again while reporting.
bool crash_is_first(void);

// Sets up a signal stack for this thread, to be removed with crash_stack_remove; NULL if it has one already.
void *crash_stack_add(void);
void crash_stack_remove(void *stack);

// From now on child processes report where they crash.
void crash_locate_in_children(void);

#endif
