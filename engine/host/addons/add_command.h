// `shoal add PATH [--to GAME] [--replace]`: copies an add-on into a game, lists it in game.lua, and records its
// checksum in addons.lock.
#ifndef SHOAL_ADDONS_ADD_COMMAND_H
#define SHOAL_ADDONS_ADD_COMMAND_H

// Runs the command `shoal add`. argv[1] must be "add". Returns the exit code.
int add_command_run(int argc, const char *const *argv);

#endif
