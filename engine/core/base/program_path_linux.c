// Finds the program's file through /proc, which is not mounted in every container.
#include "base/program_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_LINK "/proc/self/exe"

bool program_path_find(const char *argv0, char *out) {
  ssize_t length = readlink(PROGRAM_LINK, out, FILE_PATH_BYTES - 1);
  if (length > 0) {
    out[length] = '\0';
    return true;
  }
  return argv0 && strchr(argv0, '/') && realpath(argv0, out);
}

const char *program_path_suffix(void) {
  return "";
}

bool program_path_find_folder(char *out) {
  return getcwd(out, FILE_PATH_BYTES) != NULL;
}

const char *program_path_to_execute(const char *argv0) {
  return access(PROGRAM_LINK, X_OK) == 0 ? PROGRAM_LINK : argv0;
}
