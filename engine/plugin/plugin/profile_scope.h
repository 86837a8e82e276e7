// Profiling scopes of plugins (shoal/profile.h).
#ifndef SHOAL_PLUGIN_PROFILE_SCOPE_H
#define SHOAL_PLUGIN_PROFILE_SCOPE_H

#include "plugin/context.h"

#define PLUGIN_MAX_SCOPES 128u

// Begins a scope, given its full name. The caller must check PLUGIN_MAX_OPEN_SCOPES and PLUGIN_MAX_SCOPES.
void plugin_begin_scope(plugin_t *x, const char *name);
void plugin_end_scope(plugin_t *x); // ends the innermost scope
// Ends all open scopes except the `first` outermost ones, and warns if the plugin has left such scopes open.
void plugin_end_scopes(plugin_t *x, uint32_t first);

#endif
