// Something that may crash is done in a forked child first, for nothing but to see whether it comes back. Nothing of this process
// changes. In the child there is one thread, and nobody hears what it says.
#ifndef SHOAL_HOST_REHEARSE_H
#define SHOAL_HOST_REHEARSE_H

#include "base/error.h"

#include <stdint.h>

// Calls act(context) in the child and waits for `limit_ms` at most. False with a sentence that begins with `what` when it crashed, ended
// the program or did not come back. True also where the system has no fork, or refuses one.
bool rehearse(void (*act)(void *context), void *context, uint32_t limit_ms, const char *what, error_t *error);

#endif
