// Open files and sockets that the host holds for a plugin, so that they outlive a reload (shoal/outside.h).
#ifndef SHOAL_PLUGIN_HELD_FILES_H
#define SHOAL_PLUGIN_HELD_FILES_H

#include "plugin/context.h"

typedef struct held_t {
  char name[64];
  int file;
} held_t;

// Takes the file over, in place of one with the same name. False after a line in the log.
bool plugin_hold(plugin_t *x, const char *name, int file);
// Returns its descriptor; while the plugin is opened, also a duplicate of the previous instance's. -1 if there is none.
int plugin_held(plugin_t *x, const char *name);
void plugin_drop(plugin_t *x, const char *name); // closes it
void plugin_drop_all(plugin_t *x);

#endif
