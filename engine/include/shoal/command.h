// Commands that a plugin adds to the command palette (Ctrl+K in the window and in the cockpit).
//
//   static void calm_all(shoal_context *c, shoal_entity selected) { … }
//
//   SHOAL_PLUGIN(…, .commands = SHOAL_COMMANDS({.name = "Calm all", .help = "stops the wind", .run = calm_all}))
//
// A command runs once, between two ticks. Like a function that a script calls outside systems, a command may change the
// world. Commands are recorded: a replay runs them after the same tick. In the console and with --exec,
// shoal.cockpit("Calm all") runs the command.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_COMMAND_H
#define SHOAL_COMMAND_H

#include "shoal/plugin.h"

#define SHOAL_MAX_COMMANDS 16 // maximum number of commands per plugin

struct shoal_command {
  const char *name; // name shown to users: one line of up to 60 bytes; unique in the plugin
  const char *help; // help shown to users: one line; may be NULL
  void (*run)(shoal_context *c, shoal_entity selected); // `selected`: the selected entity; 0 if no entity is selected
};

#define SHOAL_COMMANDS(...) SHOAL_LIST(shoal_command, __VA_ARGS__, SHOAL_LIST_END)

#endif
