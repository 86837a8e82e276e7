// Opens plugins by name and by path, each after the plugins that it needs.
#ifndef SHOAL_PLUGIN_OPEN_H
#define SHOAL_PLUGIN_OPEN_H

#include "plugin/plugin.h"

// A message from the child of plugin_probe_libraries to its parent.
typedef struct open_progress_t {
  uint64_t hash; // hash of the library being opened
  uint64_t done; // 1 when all plugins are open
  rejected_library_t rejected;
} open_progress_t;

void plugin_open_all(plugins_o *plugins, const char *const *names, uint32_t count);
void plugin_close_all(plugins_o *plugins);

#endif
