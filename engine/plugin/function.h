// Calls functions of plugins by number, for scripts and other plugins.
#ifndef SHOAL_PLUGIN_FUNCTION_H
#define SHOAL_PLUGIN_FUNCTION_H

#include "plugin/plugin.h"

// Calls a function by its number; `results` is an array of PLUGIN_MAX_VALUES. Returns false with a message.
bool plugin_call_numbered(plugins_o *p, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                          shoal_value *results, error_t *error);

#endif
