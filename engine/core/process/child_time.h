// Time limits of child processes, for the implementations of child.h.
#ifndef SHOAL_PROCESS_CHILD_TIME_H
#define SHOAL_PROCESS_CHILD_TIME_H

#include "process/child.h"

// Updates `active_cpu_ns`. Returns true if the child has exceeded its CPU, idle or wall-clock limit. Main thread.
bool child_time_has_expired(child_t *child);
// Waits until the child closes its end of the pipe or is `late`, and discards its messages. Main thread.
void child_discard_messages(child_t *child);

#endif
