// Dry runs: code that may crash first runs in a forked child (process/child.h). The child reports the result if the
// code returns.
#ifndef SHOAL_RELOAD_DRY_RUN_H
#define SHOAL_RELOAD_DRY_RUN_H

#include "base/error.h"
#include "process/child.h"

#include <stdint.h>

// Calls function(context, error) in the child and waits up to `limit_ms` milliseconds. Returns true if the call
// returned true, and also if the system cannot fork. Returns false with the child's error if the call returned false.
// Returns false with an error that starts with `action` if the child crashed, exited or did not finish. Also returns
// false with an error if the program must exit.
bool dry_run_in_child(bool (*function)(void *context, error_info_t *error), void *context, uint32_t limit_ms,
                      const char *action, error_info_t *error);

// Sets the error about a child that ended, or was killed, before it sent its result. The error begins with `action`,
// such as "loading the new version of the game". Returns false.
bool dry_run_set_lost_error(const child_t *child, const char *action, error_info_t *error);

#endif
