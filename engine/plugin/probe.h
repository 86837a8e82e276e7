// Opens all plugins in a forked child as a trial, because loading may crash.
#ifndef SHOAL_PLUGIN_PROBE_H
#define SHOAL_PLUGIN_PROBE_H

#include "plugin/plugin.h"

// Returns true if a plugin crashed or hung. It will not be opened any more; call this again to try the remaining
// plugins. Returns false if all plugins survived or the process cannot be forked.
bool plugin_probe_libraries(plugins_o *p, const char *const *names, uint32_t count);

#endif
