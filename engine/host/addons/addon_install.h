// Copies an add-on into a game and writes the files that list it, as one transaction: a failure changes nothing. If the
// process is killed, the game has either the old or the new folder.
#ifndef SHOAL_ADDONS_ADDON_INSTALL_H
#define SHOAL_ADDONS_ADDON_INSTALL_H

#include "addons/addon_files.h"

typedef struct addon_text_t {
  char path[512];
  json_writer_t text; // new text of the file; "" if the file does not change
} addon_text_t;

typedef struct addon_install_t {
  allocator_t *memory;
  const char *game, *name;    // absolute folder of the game, and the add-on's name
  const addon_files_t *files; // files to install; NULL: addons/NAME has these files already
  const char *kept_path;      // new path of the previous addons/NAME, relative to the game; NULL: deletes the folder
  addon_text_t *text_files;   // text files to write once the folder is in place
  uint32_t text_count;
} addon_install_t;

// Locks the game against concurrent runs of `./shoal add`, and removes the files of killed runs. Returns a descriptor
// for the caller to close, or -1 with a message if a different run holds the lock, or the folder cannot be opened.
int addon_install_lock(const char *game, error_info_t *error);
// Installs the add-on. Returns true on success. On failure, returns false with a message and leaves the game unchanged.
bool addon_install_run(const addon_install_t *desc, error_info_t *error);

#endif
