// Open files and sockets that the host holds for plugins, so that they survive a reload (shoal/outside.h).
#ifndef SHOAL_PLUGIN_HELD_FILES_H
#define SHOAL_PLUGIN_HELD_FILES_H

#include "plugin/context.h"

typedef struct held_file_t {
  char name[64];
  int file;
} held_file_t;

// Takes ownership of a file and closes one held under the same name. Returns false after a warning.
bool plugin_hold(plugin_t *x, const char *name, int file);
// Returns the descriptor held under a name, or -1 if not found. While the plugin is being opened, a file of the
// previous instance counts, too, and the result is a duplicate.
int plugin_held(plugin_t *x, const char *name);
void plugin_drop(plugin_t *x, const char *name); // closes the file, if held
void plugin_drop_all(plugin_t *x);

#endif
