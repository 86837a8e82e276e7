// Finds the user's folders from the environment variables of the XDG Base Directory Specification.
#include "base/user_folders.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const VARIABLES[] = {"XDG_DATA_HOME", "XDG_CACHE_HOME"};
static const char *const DEFAULTS[] = {".local/share", ".cache"}; // paths relative to the home folder

int user_folder_find(user_folder_t folder, const char *subfolder, char *out, size_t out_bytes) {
  const char *path = getenv(VARIABLES[folder]), *home = getenv("HOME");
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  if (path && path[0] == '/')
    return snprintf(out, out_bytes, "%s/%s", path, subfolder);
  return home && home[0] == '/' ? snprintf(out, out_bytes, "%s/%s/%s", home, DEFAULTS[folder], subfolder) : -1;
}

bool user_folder_set(user_folder_t folder, const char *path) {
  return setenv(VARIABLES[folder], path, 1) == 0;
}

const char *user_folder_temporary(void) {
  const char *folder = getenv("TMPDIR");
  return folder && folder[0] ? folder : "/tmp";
}

void user_folder_runtime(char *out, size_t out_bytes) {
  const char *folder = getenv("XDG_RUNTIME_DIR");
  if (folder && folder[0] == '/')
    snprintf(out, out_bytes, "%s/shoal", folder);
  else
    snprintf(out, out_bytes, "/tmp/shoal-%u", (unsigned)getuid());
}
