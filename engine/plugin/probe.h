// Opens all plugins in a forked child first, since loading may crash.
#ifndef SHOAL_PLUGIN_PROBE_H
#define SHOAL_PLUGIN_PROBE_H

#include "plugin/plugin.h"

// Returns true if one of them crashed or hung: it is now among the refused, and the others must be tried again. Returns
// false without trying where the system cannot fork.
bool plugin_probe(plugins_o *p, const char *const *names, uint32_t count);

#endif
