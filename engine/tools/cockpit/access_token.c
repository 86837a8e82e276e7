// Access to running games: a secret token, and for each port a link file that only this user can read.
#include "cockpit/access_token.h"

#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/system_random.h"
#include "base/user_folders.h"
#include "cockpit/cockpit_state.h"
#include "server/http.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Writes the path of the folder for link files, and creates the folder if it is missing. Returns true on success, or
// false with an error if the folder cannot be created, or if the path is not a folder that only this user can access.
static bool create_link_folder(char *out, size_t bytes, error_info_t *error) {
  file_status_t status;
  user_folder_runtime(out, bytes);
  if (!file_system_create_folder(out, true) && errno != EEXIST)
    return error_set(error, "cannot create the folder %s: %s", out, strerror(errno));
  if (!file_status_of_link(out, &status) || status.type != FILE_TYPE_FOLDER || !file_status_is_own(&status) ||
      (status.permissions & 077) != 0)
    return error_set(error, "%s must be a folder that only this user can access: set the folder's permissions to 0700",
                     out);
  return true;
}

bool access_token_write_link(unsigned port, const char *link, char *path, size_t bytes, error_info_t *error) {
  char folder[400];
  if (!create_link_folder(folder, sizeof folder, error))
    return false;
  snprintf(path, bytes, "%s/%u", folder, port);
  remove(path);
  int fd = file_system_create_private(path);
  bool ok = fd >= 0 && file_write_all(fd, link, strlen(link)) && file_write_all(fd, "\n", 1);
  if (fd >= 0)
    file_system_close(fd);
  return ok || error_set(error, "cannot write %s: %s", path, strerror(errno));
}

bool access_token_generate(char *out, error_info_t *error) {
  uint8_t bytes[(HTTP_TOKEN_BYTES - 1) / 2];
  if (!system_random(bytes, sizeof bytes))
    return error_set(error, "the system's random number generator failed");
  for (size_t i = 0; i < sizeof bytes; ++i)
    snprintf(out + 2 * i, 3, "%02x", bytes[i]);
  return true;
}
