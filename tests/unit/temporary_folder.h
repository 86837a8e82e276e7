// Temporary folders of tests.
#ifndef SHOAL_TESTS_TEMPORARY_FOLDER_H
#define SHOAL_TESTS_TEMPORARY_FOLDER_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Creates the folder /tmp/shoal-NAME-XXXXXX with random characters instead of X, and stores its path in `path`.
static inline void temporary_folder_create(char *path, size_t size, const char *name) {
  snprintf(path, size, "/tmp/shoal-%s-XXXXXX", name);
  assert_non_null(mkdtemp(path));
}

// Same as temporary_folder_create, but creates the folder in memory if the machine has /dev/shm, so that tests do not
// wait for a disk.
static inline void temporary_folder_create_in_memory(char *path, size_t size, const char *name) {
  snprintf(path, size, "/dev/shm/shoal-%s-XXXXXX", name);
  if (!mkdtemp(path))
    temporary_folder_create(path, size, name);
}

// Removes a folder and everything in it.
static inline void temporary_folder_remove(const char *path) {
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

#endif
