// Checks whether the cockpit can write one of the game's files (a source or a scene), and requests a reload after the
// write.
#ifndef SHOAL_COCKPIT_GAME_FILES_H
#define SHOAL_COCKPIT_GAME_FILES_H

#include "base/error.h"
#include "cockpit/file_changes.h"

typedef struct cockpit_o cockpit_o;

#define MAX_SCENE_NAME 64u // maximum length of a scene's name in bytes

bool game_files_is_scene_name(const char *name); // returns true for 1 to MAX_SCENE_NAME letters, digits, _ and -
// Returns true if `name` is a relative path that stays inside the game's folder. `name` may be NULL.
bool game_files_is_inside(const char *name);
// Returns true if `path` can be written, or does not exist. Otherwise, returns false with an error.
bool game_files_check_writable(const char *path, error_info_t *error);
// Must be called after writing files of the game. If no file watch will notice the change, reloads changed assets, and
// requests a reload if other files have changed or a file was removed.
void game_files_notify_change(cockpit_o *cockpit, const file_changes_t *files);

#endif
