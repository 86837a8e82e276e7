// Whether the program was asked to end (SIGTERM, SIGINT), and whether the work of a thread is to come to its end: told
// by a signal handler or a watchdog, and looked at by whatever may take long. Any thread; async-signal-safe.
#ifndef SHOAL_BASE_INTERRUPT_H
#define SHOAL_BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_ask(void);
bool interrupt_asked(void);

// For work of the host that takes long: is it to come to its end? When the program is to end, or as `look` says, which
// knows of scripts that were stopped.
bool interrupt_wanted(void);
void interrupt_look_with(bool (*look)(void)); // the same for the whole process, once

#endif
