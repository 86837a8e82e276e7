// Confined folders, which no path can leave: used for the folders of games, which may come from untrusted sources.
//
// In a confined folder, a relative symbolic link that leads to a different file in the folder works. Absolute links and
// links that lead outside are refused: they could show a script any file that the user can read, or let the program
// write outside the game. The kernel resolves and opens a path in one step (openat2 with RESOLVE_BENEATH), so an
// attacker gains nothing by replacing a folder with a link between two steps. Without openat2, this module walks the
// path with one descriptor per component.
//
// A folder stays confined until the process ends. All functions may be called from any thread, and after a fork.
#ifndef SHOAL_BASE_CONFINED_FOLDER_H
#define SHOAL_BASE_CONFINED_FOLDER_H

#include "base/error.h"
#include "base/file_status.h"

#include <stdbool.h>
#include <stddef.h>

// Confines everything below `folder`, an absolute path without a trailing '/' and not "/". Does nothing if the folder
// is already confined.
void confine_folder(const char *folder);

typedef enum confined_use_t {
  CONFINED_READ,
  CONFINED_WRITE,   // creates a missing file; keeps the content of an existing file
  CONFINED_APPEND,  // like CONFINED_WRITE, but each write appends to the file
  CONFINED_LIST,    // reads the names in a folder; the path must be a folder
  CONFINED_EXAMINE, // reads the status: the descriptor is valid only for file_status_of_open
  // The path must be a folder; the descriptor is also valid for functions that take an open folder.
  CONFINED_EXAMINE_FOLDER
} confined_use_t;

// Opens a file or folder without waiting, even if it is a pipe. Returns a descriptor that child programs do not
// inherit, or -1 with errno on failure. Fails with EXDEV if `path` is in a confined folder and leads outside it. If
// confined folders are nested, the innermost folder applies.
int confined_open(const char *path, confined_use_t use);
// Like file_status(), but fails with EXDEV if `path` is in a confined folder and leads outside it.
bool confined_status(const char *path, file_status_t *out);
// Opens the folder that contains `path`, and sets `*name` to the last component of `path`, for functions of
// base/file_system.h that take an open folder. Returns the descriptor of the folder, or -1 with errno on failure.
int confined_open_parent(const char *path, const char **name);

// Sets an error that names the link in `path` that leads outside, or `path` if no such link is found. Returns false.
bool confined_set_error(const char *path, error_info_t *error);

// Opens `relative` beneath the folder `root` as confined_open does, without openat2. Returns the descriptor, or -1 with
// errno on failure. For tests and for systems without openat2.
int confined_open_by_walking(int root, const char *relative, confined_use_t use);

#endif
