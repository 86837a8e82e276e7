// Calls functions of plugins by index, for scripts and other plugins.
#ifndef SHOAL_PLUGIN_FUNCTION_CALL_H
#define SHOAL_PLUGIN_FUNCTION_CALL_H

#include "plugin/plugin.h"

// Calls the function with index `function` of the plugin with index `plugin`. `results` has PLUGIN_MAX_VALUES elements.
// On failure returns false with a message.
bool plugin_call_by_number(plugins_o *p, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                           shoal_value *results, error_info_t *error);

#endif
