// Commands of the palette (Ctrl+K in the window and in the page of the cockpit), beside those of the game.
//
//   static void calm_all(shoal_context *c, shoal_entity picked) { … }
//
//   SHOAL_PLUGIN(…, .commands = SHOAL_COMMANDS({.name = "Calm all", .help = "no wind at all", .run = calm_all}))
//
// A command runs between two ticks, once, and may change the world, as a function that a script calls outside systems.
// It is part of the recording: a replay runs it after the same tick. The console and --exec run it as
// shoal.cockpit("Calm all").
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_COMMAND_H
#define SHOAL_COMMAND_H

#include "shoal/plugin.h"

#define SHOAL_MAX_COMMANDS 16 // of a plugin

struct shoal_command {
  const char *name; // for people: one line of up to 60 bytes; another one than others'
  const char *help; // one line; NULL for none
  void (*run)(shoal_context *c, shoal_entity picked); // picked: alive, or 0
};

#define SHOAL_COMMANDS(...) SHOAL_LIST(shoal_command, __VA_ARGS__, SHOAL_LIST_END)

#endif
