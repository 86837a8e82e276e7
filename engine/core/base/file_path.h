// File paths: UTF-8 with '/' as the separator on every system.
#ifndef SHOAL_BASE_FILE_PATH_H
#define SHOAL_BASE_FILE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define FILE_PATH_BYTES 4096u // maximum size of a path in bytes, including the final '\0'; mingw-w64's PATH_MAX is 260

// Replaces the separators of Windows in a path that a user has typed. Does nothing on other systems.
void path_use_slashes(char *path);
// Returns true if the path does not depend on the current folder: it begins with '/' or, on Windows, with "C:/".
bool path_is_absolute(const char *path);
// Returns true if at least one system would resolve the name outside the folder to which it is relative: it begins with
// '/' or '\\', or its second character is ':'. For names in game data, which every system must refuse.
bool path_is_rooted(const char *name);

// Returns true if `path` ends with `suffix` and is longer than `suffix`.
bool path_ends_with(const char *path, const char *suffix);
// Joins a folder (not "") and a name with one '/' into `out` (truncated to fit, always terminated). Returns `out`.
char *path_join(char *out, size_t out_bytes, const char *folder, const char *name);
// Writes the absolute path of an existing file or folder to `out` (FILE_PATH_BYTES bytes), without links, ".", ".." and
// repeated separators. Returns true on success, or false with errno.
bool path_resolve(const char *path, char *out);

#endif
