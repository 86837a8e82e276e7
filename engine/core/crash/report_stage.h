// A crashing process can safely run only a few functions. Its report is therefore written in parts, each by a forked
// child. A part that hangs or crashes does not affect the following parts.
#ifndef SHOAL_CRASH_REPORT_STAGE_H
#define SHOAL_CRASH_REPORT_STAGE_H

#include <stdbool.h>

// Calls run(context) in a child and waits for it: up to 3 seconds of the child's CPU time, or 3 seconds without
// progress. Returns true if the child exited with status 0, or false if the fork failed, or the child failed, crashed
// or hung. Async-signal-safe.
bool crash_run_stage(void (*run)(const void *context), const void *context);

#endif
