// How the host calls a plugin's functions.
#ifndef SHOAL_PLUGIN_ENTER_H
#define SHOAL_PLUGIN_ENTER_H

#include "plugin/context.h"

typedef struct plugin_piece_t {
  where_t where;
  const char *kind, *name; // for reports: "system", "heat.cool"
} plugin_piece_t;

// Calls call(data), which calls a function of the plugin. False with a message if that threw an exception, used a row
// that does not exist, or a context that is not its own. Any thread.
bool plugin_enter(plugin_t *x, const plugin_piece_t *piece, void (*call)(void *data), void *data, error_t *error);
// Warns if parts of the plugin left other rules of arithmetic behind. Main thread, after all parts.
void plugin_tell_rules(plugin_t *x);

#endif
