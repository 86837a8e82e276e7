// How scripts reach plugins, which live in the host room: what they bring as plain data, and one way to call their
// functions.
#ifndef SHOAL_SCRIPT_PLUGIN_PORT_H
#define SHOAL_SCRIPT_PLUGIN_PORT_H

#include "base/error.h"
#include "schema/schema.h"
#include "shoal/types.h"

#define PLUGIN_MAX_WIDGETS 64u
#define PLUGIN_FIRST_COMMAND 1000u // commands are panels without widgets that are pressed

// What a panel of a plugin has said, with its texts.
typedef struct plugin_widget_t {
  shoal_widget_kind kind;
  char label[128], text[256];
  double value, min, max;
  bool whole; // of a field that holds whole numbers
  shoal_entity entity;
  char component[COMPONENT_NAME_MAX], field[FIELD_NAME_MAX];
} plugin_widget_t;

typedef struct plugin_widgets_t {
  uint32_t count;
  plugin_widget_t items[PLUGIN_MAX_WIDGETS];
} plugin_widgets_t;

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
  // Its panels for the cockpit, up to one without a title; NULL for none.
  const shoal_panel *(*panels)(void *context, uint32_t plugin);
  // Draws one, while `picked` is picked (0: nothing); with `pressed`, the label of a button, that is pressed. False
  // with a message. From PLUGIN_FIRST_COMMAND on: runs a command.
  bool (*panel)(void *context, uint32_t plugin, uint32_t panel, shoal_entity picked, const char *pressed,
                plugin_widgets_t *out, error_t *error);
} plugin_port_t;

// For Lua, through the FFI: port->call.
// The number in a value that a plugin gave, as Lua may see it.
double plugin_number(const shoal_value *v);
bool plugin_call(const plugin_port_t *port, uint32_t plugin, uint32_t function, const shoal_value *arguments,
                 shoal_value *results, error_t *error);

#endif
