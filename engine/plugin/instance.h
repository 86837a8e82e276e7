// An instance of a plugin, from its declarations in the world until it is closed.
#ifndef SHOAL_PLUGIN_INSTANCE_H
#define SHOAL_PLUGIN_INSTANCE_H

#include "plugin/plugin.h"

#define PLUGIN_MAX_HANDOVER_BYTES                                                                                      \
  ((size_t)256 << 20) // maximum size of the bytes that an instance hands to the next one

// Declares the plugin's components, creates its managers and calls `open`. On failure returns false with a message;
// plugin_end then frees what exists.
bool plugin_begin(plugins_o *p, plugin_t *x, error_t *error);
void plugin_end(plugins_o *p, plugin_t *x);

#endif
