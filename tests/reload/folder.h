// A temporary copy of a game's folder that tests edit and restore. Paths are relative to the game.
#ifndef SHOAL_TESTS_RELOAD_FOLDER_H
#define SHOAL_TESTS_RELOAD_FOLDER_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct folder_file_t {
  char *path;
  char *bytes;
  size_t size_bytes;
} folder_file_t;

// The original files, and the path of the copy.
typedef struct folder_t {
  allocator_t memory;
  char place[256];
  folder_file_t *files;
  uint32_t count;
} folder_t;

// Copies all of `from` into a new temporary folder. Exits with a message on failure, like all functions here.
void folder_init(folder_t *f, const char *from);
void folder_fini(folder_t *f); // removes the copy
// Restores the content of all original files and removes all other files.
void folder_restore(folder_t *f);

char *folder_path(const folder_t *f, const char *path, char out[1024]);
// Writes a file of the copy. Creates missing parent folders.
void folder_write(const folder_t *f, const char *path, const void *bytes, size_t size_bytes);
void folder_remove(const folder_t *f, const char *path); // removes a file, a link, or a folder with its content
// Returns the current content of the file, terminated by '\0', or NULL if it cannot be read. The caller frees it with
// free().
char *folder_read(const folder_t *f, const char *path, size_t *size_bytes);

#endif
