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
// Defines call_NAME, a function for plugin_enter: its data is a `type`, and `statement` uses it as `x`.
#define PLUGIN_CALL(name, type, statement)                                                                             \
  static void call_##name(void *data) {                                                                                \
    type *x = data;                                                                                                    \
    statement;                                                                                                         \
  }
// Warns if parts of the plugin left other rules of arithmetic behind. Main thread, after all parts.
void plugin_tell_rules(plugin_t *x);

#endif
