// In the process that dies nothing can be trusted, and little is allowed. So what it leaves is made in parts, each by a
// copy of it; one that hangs or dies as well takes nothing else down.
#ifndef SHOAL_CRASH_REPORT_STAGE_H
#define SHOAL_CRASH_REPORT_STAGE_H

#include <stdbool.h>

// Calls part(context) in a copy, and waits for its end: three seconds of its processor time, and three of standing
// still. False when it did not come to its end, or left with another status than 0. In the handler of a signal, too.
bool crash_stage(void (*part)(const void *context), const void *context);

#endif
