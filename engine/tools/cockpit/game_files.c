// Checks whether the cockpit can write a file of the game (a source or a scene), and requests a reload after the write.
#include "cockpit/game_files.h"

#include "base/file_path.h"
#include "base/file_status.h"
#include "cockpit/cockpit_state.h"

#include <errno.h>
#include <string.h>

bool game_files_is_inside(const char *name) {
  return name && name[0] && !path_is_rooted(name) && !strstr(name, "..") && !strchr(name, '\\') && strlen(name) < 300;
}

bool game_files_check_writable(const char *path, error_info_t *error) {
  file_status_t status;
  const char *slash = strrchr(path, '/');
  if (!file_status(path, &status))
    return errno == ENOENT || error_set(error, "cannot read %s: %s", slash ? slash + 1 : path, strerror(errno));
  if ((status.permissions & 0222) == 0 || !file_status_permits(path, FILE_USE_WRITE))
    return error_set(error, "%s is read-only: change the permissions of the file", slash ? slash + 1 : path);
  return true;
}

void game_files_notify_change(cockpit_o *cockpit, const file_changes_t *files) {
  const options_t *options = host_options(cockpit->host);
  if (options->watch != FILE_WATCH_OFF && (!options->headless || options->watch == FILE_WATCH_ON))
    return;
  for (uint32_t i = 0; i < files->files.count; ++i) {
    const file_change_t *change = &files->files.items[i];
    if (change->removed || (change->new_text && !host_reload_asset(cockpit->host, change->name)))
      host_request_reload(cockpit->host);
  }
}

bool game_files_is_scene_name(const char *name) {
  size_t bytes = strlen(name);
  for (size_t i = 0; i < bytes; ++i) {
    char ch = name[i];
    if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '-'))
      return false;
  }
  return bytes > 0 && bytes <= MAX_SCENE_NAME;
}
