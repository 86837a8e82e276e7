// A crashing process can safely run only a few functions. A crash report is therefore written in parts. On Linux, a
// forked child writes each part, so a part that hangs or crashes does not affect the following parts. Windows cannot
// fork: a part runs in the crashing process, a fault ends only the part, and a part that hangs ends the process.
#ifndef SHOAL_CRASH_REPORT_STAGE_H
#define SHOAL_CRASH_REPORT_STAGE_H

#include <stdbool.h>

// Prepares crash_run_stage. Call once, before a crash is possible.
void crash_prepare_stages(void);
// Calls run(context) on the crashed thread or in a child, and waits for it: up to 3 seconds of CPU time, or 3 seconds
// without progress. Returns true on success, or false if the system cannot create a child, or if the part crashed, hung
// or called crash_fail_stage. Async-signal-safe.
bool crash_run_stage(void (*run)(const void *context), const void *context);
// Ends the part that runs now, which has failed.
_Noreturn void crash_fail_stage(void);
// Call for each fault. If the crashing process itself runs a part, ends this part and does not return.
void crash_leave_stage(void);

// Runs this process's executable silently with these arguments (the list ends with NULL), and waits as crash_run_stage
// does. Returns true if the exit status is 0, otherwise false.
bool crash_run_program(const char *const *arguments);
// Starts this process's executable, which then outlives this process. Returns true on success, otherwise false.
bool crash_start_program(const char *const *arguments);

#endif
