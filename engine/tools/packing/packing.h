// `shoal pack GAME FILE [--version V] [--trust] [--code FILE] [--native off]`, used by ./shoal package. Checks that the
// game starts. Compiles its systems in one more run for each instruction set, unless --native off is given. Writes
// the package archive (start/package.h). Prints the data that ./shoal package needs for its remaining steps, one item
// per line: "title T", "id ID", "version V", "folder F", "objects N", "icon FILE" if game.lua names an icon, "plugin
// FILE" for each plugin, and "addon NAME VERSION LICENCE" and "addon_folder FOLDER" for each add-on.
#ifndef SHOAL_PACKING_PACKING_H
#define SHOAL_PACKING_PACKING_H

// Runs `shoal pack`, or a command of windows_package.h. argv[1] must be "pack" or begin with "pack-". Returns the exit
// code: 0, or 2 after printing an error.
int packing_run(int argc, const char *const *argv);

#endif
