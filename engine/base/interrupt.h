// Whether the program must exit (SIGTERM, SIGINT), and whether long work on a thread must stop. Any thread;
// async-signal-safe.
#ifndef SHOAL_BASE_INTERRUPT_H
#define SHOAL_BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_request(void);
bool interrupt_requested(void);

// Returns whether long work must stop: inside a script, if that script was stopped; otherwise, if the program must
// exit.
bool interrupt_pending(void);

// Points to a value that becomes non-zero when this thread's script is stopped; NULL outside scripts. Set by the
// watchdog.
extern _Thread_local const volatile int *interrupt_script;

#endif
