// Paths of the running program and of its current folder.
#ifndef SHOAL_BASE_PROGRAM_PATH_H
#define SHOAL_BASE_PROGRAM_PATH_H

#include "base/file_path.h"

#include <stdbool.h>

// Writes the absolute path of the program's file, without links, to `out` (FILE_PATH_BYTES bytes). `argv0`: first
// argument of the program, which is used if the system does not report the path and the argument contains '/'; may be
// NULL. Returns true, or false if the path is unknown.
bool program_path_find(const char *argv0, char *out);

// Returns the suffix of the files of programs: ".exe" on Windows, "" on Linux.
const char *program_path_suffix(void);

// Writes the path of the current folder to `out` (FILE_PATH_BYTES bytes). Returns true, or false with errno if unknown.
bool program_path_find_folder(char *out);

// Returns a path that executes the file of the running program, even if the file has been replaced since the program
// started, or `argv0` if the system has no such path. Async-signal-safe.
const char *program_path_to_execute(const char *argv0);

#endif
