// Something that may crash is done in a forked child first, for nothing but to see whether it comes back, and with what
// (process/child.h).
#ifndef SHOAL_RELOAD_DRY_RUN_H
#define SHOAL_RELOAD_DRY_RUN_H

#include "base/error.h"

#include <stdint.h>

// Calls act(context, error) in the child and waits for `limit_ms` at most. False with its sentence when it returned
// false, and with one that begins with `what` when it crashed, ended the program or did not come back. True also where
// the system has no fork, or refuses one.
bool dry_run(bool (*act)(void *context, error_t *error), void *context, uint32_t limit_ms, const char *what,
             error_t *error);

#endif
