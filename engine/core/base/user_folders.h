// Folders for the files of the user who runs the program.
#ifndef SHOAL_BASE_USER_FOLDERS_H
#define SHOAL_BASE_USER_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum user_folder_t {
  USER_FOLDER_DATA, // folder of saves, keys and reports: $XDG_DATA_HOME, or ~/.local/share
  USER_FOLDER_CACHE // folder of files that can be created again: $XDG_CACHE_HOME, or ~/.cache
} user_folder_t;

// Writes the path of `subfolder` in one of the user's folders; the subfolder may be missing. Returns the length of the
// untruncated path, or -1 if the system reports no absolute path for the folder.
int user_folder_find(user_folder_t folder, const char *subfolder, char *out, size_t out_bytes);
// Sets the absolute path of a folder for this process and the programs that it starts. Returns true on success, or
// false with errno.
bool user_folder_set(user_folder_t folder, const char *path);

// Returns the folder for temporary files, which all users may share: $TMPDIR, or /tmp.
const char *user_folder_temporary(void);
// Writes the path of the folder for files that exist while the program runs, and that only this user may read:
// $XDG_RUNTIME_DIR/shoal, or a folder of this user in /tmp. The folder may be missing.
void user_folder_runtime(char *out, size_t out_bytes);

#endif
