// Handlers for crash signals, on every thread. Child processes (process/child.h) write the location of their crash to
// memory that they share with the parent, so that an error message can name the function.
//
// Handlers run on a separate signal stack, because an overflowed stack has no free space; crash_stack_add sets one up
// for a thread. In builds with AddressSanitizer or ThreadSanitizer, which report these signals in more detail, no
// signal is caught.
#ifndef SHOAL_CRASH_SIGNAL_HANDLER_H
#define SHOAL_CRASH_SIGNAL_HANDLER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct crash_signal_t {
  int number;
  const void *address; // memory address that caused the signal; NULL if unknown
  const void *code;    // address of the instruction; NULL on unsupported processors
} crash_signal_t;

// Called from the signal handler on the crashing thread. Afterwards the previous handler runs, or the process
// terminates.
typedef void crash_handler_t(const crash_signal_t *signal);

void crash_install_handler(crash_handler_t *callback);
// Restores the previous handlers of all signals whose handler has not been replaced since crash_install_handler.
void crash_remove_handler(void);

// Returns true once per process, on the first thread that crashes. Threads that crash later wait in this function, so
// that they do not interrupt the report. Returns false on the first thread if it crashes again while it reports.
bool crash_claim_first_thread(void);

// Sets up a signal stack for this thread, to be removed with crash_stack_remove. Returns the stack, or NULL if the
// thread already has a signal stack, if memory cannot be mapped, or in builds that catch no signals.
void *crash_stack_add(void);
void crash_stack_remove(void *stack);

// From now on, child processes (process/child.h) write the location of a crash.
void crash_install_handler_in_children(void);

#endif
