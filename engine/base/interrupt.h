// Stop requests for long-running work: the program must exit (SIGTERM, SIGINT), or a script was stopped. Any thread;
// async-signal-safe.
#ifndef SHOAL_BASE_INTERRUPT_H
#define SHOAL_BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_request(void);
bool interrupt_is_requested(void);

// Returns whether long work must stop: inside a script, whether that script was stopped; otherwise, whether the program
// must exit.
bool interrupt_is_pending(void);

// Points to a value that becomes non-zero when the watchdog stops this thread's script; NULL outside scripts.
extern _Thread_local const volatile int *interrupt_script;

#endif
