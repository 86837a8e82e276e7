// Checks the free space of the file system that contains Mesa's shader cache.
#include "platform/driver_cache.h"

#include "base/files.h"
#include "base/user_folders.h"
#include "platform/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

// Minimum free space. The index of the cache takes 1.3 MB; the rest is a reserve for other programs.
#define MIN_FREE_BYTES (16u << 20)

// Stores the path of the cache folder in `out`, found in the same way as Mesa finds it. Returns true on success, or
// false if Mesa uses no cache folder.
static bool find_folder(char *out, size_t bytes) {
  const char *configured = getenv("MESA_SHADER_CACHE_DIR");
  int length = configured && configured[0] ? snprintf(out, bytes, "%s", configured)
                                           : user_folder_find(USER_FOLDER_CACHE, "mesa_shader_cache", out, bytes);
  return length > 0 && (size_t)length < bytes;
}

bool driver_cache_check_space(void) {
  char folder[PATH_MAX_BYTES];
  struct statvfs space;
  if (getenv("MESA_SHADER_CACHE_DISABLE") || !find_folder(folder, sizeof folder))
    return false;
  int failed = statvfs(folder, &space);
  for (char *slash; failed != 0 && errno == ENOENT && (slash = strrchr(folder, '/')) != NULL && slash > folder;) {
    *slash = '\0'; // the folder does not exist yet: check its parent
    failed = statvfs(folder, &space);
  }
  if (failed != 0 || (unsigned long long)space.f_bavail * space.f_frsize >= MIN_FREE_BYTES)
    return false;
  return setenv("MESA_SHADER_CACHE_DISABLE", "true", 0) == 0;
}
