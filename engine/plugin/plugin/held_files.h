// Open files and sockets that the host holds for plugins, so that they survive a reload (shoal/external_resources.h).
#ifndef SHOAL_PLUGIN_HELD_FILES_H
#define SHOAL_PLUGIN_HELD_FILES_H

#include "plugin/context.h"

typedef struct held_file_t {
  char name[64];
  int fd;
} held_file_t;

// Takes ownership of a descriptor, and closes the descriptor previously held under the same name. Returns true on
// success. Logs a warning and returns false if the name is invalid, the descriptor is not open, or 64 files are held,
// none of them under this name. The caller then keeps the descriptor.
bool plugin_hold_file(plugin_t *plugin, const char *name, int fd);
// Returns the descriptor held under a name, or -1 if the name is unknown. While the plugin is being opened, also
// searches the descriptors of the previous instance, and returns a duplicate, or -1 if the descriptor cannot be
// duplicated.
int plugin_get_held_file(plugin_t *plugin, const char *name);
void plugin_close_held_file(plugin_t *plugin, const char *name); // does nothing if the name is unknown
void plugin_close_held_files(plugin_t *plugin);

#endif
