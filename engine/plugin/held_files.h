// Open files and sockets that the host holds for plugins, so that they survive a reload (shoal/outside.h).
#ifndef SHOAL_PLUGIN_HELD_FILES_H
#define SHOAL_PLUGIN_HELD_FILES_H

#include "plugin/context.h"

typedef struct held_t {
  char name[64];
  int file;
} held_t;

// Takes over a file and replaces one with the same name. Returns false after a warning.
bool plugin_hold(plugin_t *x, const char *name, int file);
// Returns the descriptor; while the plugin is opened, also a duplicate of that of the previous instance. -1 if there is
// none.
int plugin_held(plugin_t *x, const char *name);
void plugin_drop(plugin_t *x, const char *name); // closes it
void plugin_drop_all(plugin_t *x);

#endif
