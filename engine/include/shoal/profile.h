// How long parts of a system or function take, beside the times of systems: in --stats, in the list of systems of the
// cockpit, and as a panel of the overlay.
//
//   shoal_scope_begin(c, "solve");
//   …
//   shoal_scope_end(c);
//
// Scopes may lie within each other, 8 deep. In parts of parallel systems and of shoal_jobs they do nothing, for several
// would run at a time. One that is still open when the call ends, ends there, with a line in the log. What is measured
// is never part of the world.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_PROFILE_H
#define SHOAL_PROFILE_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// `name`: one line of up to 40 bytes; a plugin has 128 scopes at most.
static inline void shoal_scope_begin(shoal_context *c, const char *name) {
  c->api->scope_begin(c, name);
}

static inline void shoal_scope_end(shoal_context *c) {
  c->api->scope_end(c);
}

#ifdef __cplusplus
}
#endif

#endif
