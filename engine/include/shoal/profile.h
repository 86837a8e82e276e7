// Profiling scopes: measure parts of a system or function. The times are shown with the times of systems: in --stats,
// in the cockpit's list of systems, and in a panel of the overlay.
//
//   shoal_profile_begin(c, "solve");
//   …
//   shoal_profile_end(c);
//
// Scopes can be nested 8 levels deep. Scopes have no effect in systems with `.parallel` or `.concurrent` and in parts
// of shoal_parallel_for, which may run on several threads. A scope that is still open when the call ends is closed,
// with a warning. Times are not part of the world.
#ifndef SHOAL_PROFILE_H
#define SHOAL_PROFILE_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begins a scope. `name` is one line of up to 40 bytes. A plugin can have 128 different scopes. Fails the call if a
// limit is exceeded.
static inline void shoal_profile_begin(shoal_context *c, const char *name) {
  c->api->profile_begin(c, name);
}

// Ends the innermost scope. Fails the call if no scope is open.
static inline void shoal_profile_end(shoal_context *c) {
  c->api->profile_end(c);
}

#ifdef __cplusplus
}
#endif

#endif
