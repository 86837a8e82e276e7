// A crashing process cannot be trusted and may do little. Its report is written in parts, each by a forked child; a
// part that hangs or crashes does not affect the others.
#ifndef SHOAL_CRASH_REPORT_STAGE_H
#define SHOAL_CRASH_REPORT_STAGE_H

#include <stdbool.h>

// Calls part(context) in a child and waits for it, up to three seconds of its processor time or three seconds without
// progress. Returns false if it did not finish, or exited with a status other than 0. Async-signal-safe.
bool crash_stage(void (*part)(const void *context), const void *context);

#endif
