// Commands with which ./shoal package --for windows makes a package from shoal.exe and the archive of `shoal pack`:
//
//   shoal pack-program SHOAL.EXE OUT.EXE TITLE VERSION ICON   writes the game's program (packing/windows_program.h)
//   shoal pack-folder FOLDER FILE.zip                         writes a zip file that contains the folder
#ifndef SHOAL_PACKING_WINDOWS_PACKAGE_H
#define SHOAL_PACKING_WINDOWS_PACKAGE_H

#include <stdbool.h>

// Runs one of the commands if argv[1] names it. Returns true and stores the exit code in `*code`: 0, or 2 after
// printing an error. Returns false if argv[1] is a different command.
bool windows_package_run(int argc, const char *const *argv, int *code);

#endif
