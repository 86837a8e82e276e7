// Absolute paths on POSIX systems. Paths are resolved with realpath.
#include "base/file_path.h"

#include <stdlib.h>

void path_use_slashes(char *path) {
  (void)path;
}

bool path_is_absolute(const char *path) {
  return path[0] == '/';
}

bool path_resolve(const char *path, char *out) {
  return realpath(path, out) != NULL;
}
