// Libraries of plugins as files: search, copy, handshake.
#ifndef SHOAL_PLUGIN_LIBRARY_H
#define SHOAL_PLUGIN_LIBRARY_H

#include "plugin/plugin.h"

bool plugin_find(plugins_o *p, const char *name, char *path); // false and "" if none of the folders has it
bool plugin_read(plugins_o *p, plugin_t *x, error_t *error);  // reads the library into memory
void plugin_forget_bytes(plugins_o *p, plugin_t *x);
// Copies and opens the library and compares versions and sizes; sets x->def. False with a message, and nothing is open.
bool plugin_load(plugins_o *p, plugin_t *x, error_t *error);
void plugin_unload(plugin_t *x);

#endif
