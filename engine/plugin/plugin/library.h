// Plugin library files: search, copying, and the handshake, which reads the exported declarations.
#ifndef SHOAL_PLUGIN_LIBRARY_H
#define SHOAL_PLUGIN_LIBRARY_H

#include "plugin/plugin.h"

// Searches the folders for the library of the plugin `name` and stores its path. Returns true on success. If no folder
// contains the library, sets `path` to "" and returns false.
bool plugin_find_library(plugins_o *plugins, const char *name, char *path);
// Likewise, for a library that was built for a different system.
bool plugin_find_foreign_library(plugins_o *plugins, const char *name, char *path);
// Reads the library file into memory. Returns true on success, or false with a message if reading fails. The message
// begins with the path, unlike the messages of plugin_load_library.
bool plugin_read_library(plugins_o *plugins, plugin_t *plugin, error_info_t *error);
void plugin_free_library_bytes(plugins_o *plugins, plugin_t *plugin);
// Copies and opens the library, compares versions and sizes, and sets plugin->def. Returns true on success. On failure,
// returns false with a message, and the library is not open.
bool plugin_load_library(plugins_o *plugins, plugin_t *plugin, error_info_t *error);
void plugin_unload_library(plugin_t *plugin);
// Removes the copies of libraries that crashed processes have left in the temporary folder.
void plugin_remove_stale_copies(void);

#endif
