// A copy of a game's folder that tests edit and mend again. Paths are relative to the game.
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

// What the game was, and where the copy lies.
typedef struct folder_t {
  allocator_t memory;
  char place[256];
  folder_file_t *files;
  uint32_t count;
} folder_t;

// Copies all of `from` into a new temporary folder. Ends the program when that cannot be done, as everything here does.
void folder_init(folder_t *f, const char *from);
void folder_fini(folder_t *f); // removes the copy
// Makes every file again what it was; what is there besides goes.
void folder_mend(folder_t *f);

char *folder_path(const folder_t *f, const char *path, char out[1024]);
void folder_write(const folder_t *f, const char *path, const void *bytes,
                  size_t size_bytes);                    // and the folders that it lies in
void folder_remove(const folder_t *f, const char *path); // a file, a link, or a folder with all in it
// The file as it is now; a '\0' follows. Free with free(). NULL when it cannot be read.
char *folder_read(const folder_t *f, const char *path, size_t *size_bytes);

#endif
