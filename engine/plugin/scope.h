// Times of the parts of systems and functions that a plugin measures (shoal/profile.h).
#ifndef SHOAL_PLUGIN_SCOPE_H
#define SHOAL_PLUGIN_SCOPE_H

#include "plugin/context.h"

#define PLUGIN_MAX_OPEN_SCOPES 8u
#define PLUGIN_MAX_SCOPES 128u

typedef struct open_scope_t {
  uint32_t scope;
  double began_us;
} open_scope_t;

// Opens the scope of that full name. The caller checks both limits.
void plugin_begin_scope(plugin_t *x, const char *name);
void plugin_end_scope(plugin_t *x); // the innermost
// Ends all but the first `first`, with a line in the log.
void plugin_end_scopes(plugin_t *x, uint32_t first);

#endif
