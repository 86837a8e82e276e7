// Tries to open all plugins in a forked child, because loading may crash.
#ifndef SHOAL_PLUGIN_PROBE_H
#define SHOAL_PLUGIN_PROBE_H

#include "plugin/plugin.h"

// Returns true if a plugin crashed or hung: it is refused from now on, and the other plugins must be tried again.
// Returns false if none did, or if the process cannot be forked.
bool plugin_probe(plugins_o *p, const char *const *names, uint32_t count);

#endif
