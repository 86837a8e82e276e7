// Opens all plugins in a forked child first, because loading may crash.
#ifndef SHOAL_PLUGIN_PROBE_H
#define SHOAL_PLUGIN_PROBE_H

#include "plugin/plugin.h"

// Returns true if a plugin crashed or hung: it is now refused, and the rest must be tried again. Returns false without
// a trial if the system cannot fork.
bool plugin_probe(plugins_o *p, const char *const *names, uint32_t count);

#endif
