// Library files of plugins: search, copy and handshake (reading the exported declarations).
#ifndef SHOAL_PLUGIN_LIBRARY_H
#define SHOAL_PLUGIN_LIBRARY_H

#include "plugin/plugin.h"

bool plugin_find(plugins_o *p, const char *name, char *path); // returns false and "" if no folder contains it
bool plugin_read(plugins_o *p, plugin_t *x, error_t *error);  // reads the library into memory
void plugin_forget_bytes(plugins_o *p, plugin_t *x);
// Copies and opens the library, compares versions and sizes, and sets x->def. On failure returns false with a message,
// and nothing is open.
bool plugin_load(plugins_o *p, plugin_t *x, error_t *error);
void plugin_unload(plugin_t *x);

#endif
