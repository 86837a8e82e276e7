// `shoal pack GAME FILE [--version V] [--trust]`, for ./shoal package: starts the game once, writes the
// archive of its package (start/package.h), and prints what the rest of the package is made from: lines "title T",
// "id ID", "version V", "icon FILE" where game.lua names one, and, for each plugin, "plugin FILE".
#ifndef SHOAL_PACKING_PACKING_H
#define SHOAL_PACKING_PACKING_H

// argv[1] is "pack". Returns the exit code.
int packing_run(int argc, const char *const *argv);

#endif
