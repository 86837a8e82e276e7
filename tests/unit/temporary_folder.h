// Temporary folders of tests.
#ifndef SHOAL_TESTS_TEMPORARY_FOLDER_H
#define SHOAL_TESTS_TEMPORARY_FOLDER_H

#include "base/file_path.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/user_folders.h"
#include "test.h"

#include <stdio.h>

// Creates a folder with a unique name, which contains `name`, and stores its path in `path`. It is in the folder for
// temporary files, or in /tmp if the path would have `size` bytes or more.
static inline void temporary_folder_create(char *path, size_t size, const char *name) {
  if (snprintf(path, size, "%s/shoal-%s-XXXXXX", user_folder_temporary(), name) >= (int)size)
    assert_in_range(snprintf(path, size, "/tmp/shoal-%s-XXXXXX", name), 1, size - 1);
  assert_true(file_system_create_temporary_folder(path));
}

// Same as temporary_folder_create, but creates the folder in memory if the machine has /dev/shm, so that tests do not
// wait for a disk.
static inline void temporary_folder_create_in_memory(char *path, size_t size, const char *name) {
  snprintf(path, size, "/dev/shm/shoal-%s-XXXXXX", name);
  if (!file_system_create_temporary_folder(path))
    temporary_folder_create(path, size, name);
}

// Writes a text to the file `name` in a folder. An existing file is overwritten.
static inline void temporary_folder_write(const char *folder, const char *name, const char *text) {
  char path[FILE_PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// Removes a folder and everything in it.
static inline void temporary_folder_remove(const char *path) {
  file_status_t status;
  file_system_remove_tree(path);
  assert_false(file_status_of_link(path, &status));
}

#endif
