// An instance of a plugin, from the declaration of its components until it is closed.
#ifndef SHOAL_PLUGIN_INSTANCE_H
#define SHOAL_PLUGIN_INSTANCE_H

#include "plugin/plugin.h"

#define PLUGIN_MAX_HANDOVER_BYTES                                                                                      \
  ((size_t)256 << 20) // maximum size, in bytes, of the data handed over to the next instance

// Declares the plugin's components, creates its managers and calls `open`. Returns true on success, or false with a
// message. Call plugin_end_instance after success and after failure.
bool plugin_begin_instance(plugins_o *plugins, plugin_t *plugin, error_info_t *error);
void plugin_end_instance(plugins_o *plugins, plugin_t *plugin);

#endif
