// Begins and ends profiling scopes (shoal/profile.h), and keeps the open scopes of each plugin.
#ifndef SHOAL_PLUGIN_PROFILE_SCOPE_H
#define SHOAL_PLUGIN_PROFILE_SCOPE_H

#include "plugin/context.h"

#define PLUGIN_MAX_SCOPES 128u

// Begins a scope, given its full name. The caller must check PLUGIN_MAX_OPEN_SCOPES. Returns true on success, or false
// if the scope is new and there are already PLUGIN_MAX_SCOPES.
bool plugin_begin_scope(plugin_t *plugin, const char *name);
void plugin_end_scope(plugin_t *plugin); // ends the innermost scope
// Ends all open scopes except the `depth` outermost scopes, and warns if the plugin has left scopes open.
void plugin_end_scopes(plugin_t *plugin, uint32_t depth);

#endif
