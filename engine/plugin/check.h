// Checks of a plugin's declarations, before anything of it is used.
#ifndef SHOAL_PLUGIN_CHECK_H
#define SHOAL_PLUGIN_CHECK_H

#include "plugin/plugin.h"

// False with a message at the first mistake.
bool plugin_check(plugins_o *p, plugin_t *x, error_t *error);
// Builds the schema of a component that the plugin declares (`own`) or uses; free it with schema_fini and the world's
// allocator.
bool plugin_build_schema(plugins_o *p, const plugin_t *x, const shoal_component *c, bool own, schema_t *s,
                         error_t *error);

#endif
