// Who hears of signals that end the process: crashes, on every thread. In copies of the process (process/child.h) they
// leave where they came in the words of the child, so that a refusal can say which function it was.
//
// The handlers run on a stack of their own, for a stack that has overflowed has no room: crash_stack_add gives one to a
// thread. Nothing is caught in builds with a sanitizer, which has better words for the same signals.
#ifndef SHOAL_CRASH_SIGNAL_HANDLER_H
#define SHOAL_CRASH_SIGNAL_HANDLER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct crash_signal_t {
  int number;
  const void *address; // what it concerns; NULL where the signal does not say so
  const void *code;    // the instruction; NULL where the processor is not known
} crash_signal_t;

// On the thread that crashes, in the handler. When it returns, who was there before hears of it, or the process ends.
typedef void crash_hear_t(const crash_signal_t *signal);

void crash_catch(crash_hear_t *hear);
// Who was there before is back, unless somebody else has come since.
void crash_release(void);

// True once in a process: several threads may be lost in the same moment, and the report of the first is not cut off
// by the others, which wait here. False in the first one when it fails again while it reports.
bool crash_is_first(void);

// For this thread, until crash_stack_remove with what this returned; NULL when it has one.
void *crash_stack_add(void);
void crash_stack_remove(void *stack);

// Copies of the process that begin from now on say where they crash.
void crash_tell_in_copies(void);

#endif
