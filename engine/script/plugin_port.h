// How scripts reach plugins, which live in the host room: what they bring as plain data, and one way to call their
// functions.
#ifndef SHOAL_SCRIPT_PLUGIN_PORT_H
#define SHOAL_SCRIPT_PLUGIN_PORT_H

#include "base/error.h"
#include "shoal/types.h"

typedef struct plugin_port_t {
  void *context;
  // Opens the plugins that game.lua names (once; later calls do nothing). Those that cannot be had are left out.
  void (*open)(void *context, const char *const *names, uint32_t count);
  // Those that are open, 0 …; NULL past the last one.
  const shoal_plugin *(*get)(void *context, uint32_t i);
  // Those that were named and could not be had; NULL past the last one.
  const char *(*missing)(void *context, uint32_t i);
  // Calls function `function` of plugin `plugin`, with as many arguments and results as it declares. False with a
  // message when it failed. Lists and texts among the results hold until the same function is called again.
  bool (*call)(void *context, uint32_t plugin, uint32_t function, const shoal_value *arguments, shoal_value *results,
               error_t *error);
} plugin_port_t;

// For Lua, through the FFI: port->call.
// The number in a value that a plugin gave, as Lua may see it.
double plugin_number(const shoal_value *v);
bool plugin_call(const plugin_port_t *port, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                 shoal_value *results, error_t *error);

#endif
