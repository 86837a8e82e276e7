// Opens all plugins in a forked child as a trial, because loading may crash.
#ifndef SHOAL_PLUGIN_PROBE_H
#define SHOAL_PLUGIN_PROBE_H

#include "plugin/plugin.h"

// Opens the plugins in a forked child. Returns true if the child crashed, exited or hung while opening one of them. The
// library of that plugin is skipped from now on, and the caller must call the function again to try the remaining
// plugins. Returns false if all plugins were tried, if the child ended before it opened the first plugin, or if the
// process cannot be forked.
bool plugin_probe_libraries(plugins_o *plugins, const char *const *names, uint32_t count);

#endif
