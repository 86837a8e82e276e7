// Checks a plugin's declarations before any of them is used.
#ifndef SHOAL_PLUGIN_DECLARATION_CHECK_H
#define SHOAL_PLUGIN_DECLARATION_CHECK_H

#include "plugin/plugin.h"

// Checks all declarations of a plugin. Returns true if they are valid, otherwise false with a message about the first
// error.
bool plugin_check_declarations(plugins_o *plugins, plugin_t *plugin, error_info_t *error);
// Builds the schema of a component that the plugin declares (`is_declared`) or only uses. Returns true on success, or
// false with a message if the declaration is invalid. Free the schema with schema_fini and the world's allocator.
bool plugin_build_schema(plugins_o *plugins, const plugin_t *plugin, const shoal_component *component, bool is_declared,
                         schema_t *schema, error_info_t *error);

#endif
