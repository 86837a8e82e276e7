// Checks a plugin's declarations before any of them is used.
#ifndef SHOAL_PLUGIN_DECLARATION_CHECK_H
#define SHOAL_PLUGIN_DECLARATION_CHECK_H

#include "plugin/plugin.h"

// Checks all declarations of a plugin. Returns false with a message about the first error.
bool plugin_check_declarations(plugins_o *p, plugin_t *x, error_info_t *error);
// Builds the schema of a component that the plugin declares (`own`) or only uses. Returns false with a message if the
// declaration is invalid. Free the schema with schema_fini and the world's allocator.
bool plugin_build_schema(plugins_o *p, const plugin_t *x, const shoal_component *c, bool own, schema_t *s,
                         error_info_t *error);

#endif
