// Whether the program was asked to end (SIGTERM, SIGINT), and whether long work on a thread must end. Any thread;
// async-signal-safe.
#ifndef SHOAL_BASE_INTERRUPT_H
#define SHOAL_BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_ask(void);
bool interrupt_asked(void);

// Returns whether long work must end: for a script, when that script has been stopped; otherwise when the program must
// end.
bool interrupt_wanted(void);

// Not 0 once the script that runs on this thread has been stopped; NULL outside scripts. Set by the watchdog.
extern _Thread_local const volatile int *interrupt_script;

#endif
