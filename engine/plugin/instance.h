// An instance of a plugin, from its declarations in the world to its end.
#ifndef SHOAL_PLUGIN_INSTANCE_H
#define SHOAL_PLUGIN_INSTANCE_H

#include "plugin/plugin.h"

#define PLUGIN_MAX_HANDED ((size_t)256 << 20) // bytes handed from one instance to the next

// Declares its components, creates its managers and calls `open`. Returns false with a message; then plugin_end frees
// the rest.
bool plugin_begin(plugins_o *p, plugin_t *x, error_t *error);
void plugin_end(plugins_o *p, plugin_t *x);

#endif
