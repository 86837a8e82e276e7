// Reading files and folders. Paths are UTF-8, '/' between parts. Returned text and lists belong to the caller.
#ifndef SHOAL_BASE_FILES_H
#define SHOAL_BASE_FILES_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct file_list_t {
  char **paths; // relative to the folder asked for, sorted bytewise, files only
  uint32_t count;
} file_list_t;

bool file_exists(const char *path);
bool file_is_folder(const char *path);

// The whole file with a '\0' after it; *size_bytes without it. NULL with a message when it cannot be read.
char *file_read(allocator_t *a, const char *path, size_t *size_bytes, error_t *error);
void file_free(allocator_t *a, char *text, size_t size_bytes);

// Through a temporary file and rename: a reader sees the old content or the new one.
bool file_write(const char *path, const void *data, size_t size_bytes, error_t *error);

// Every file below `folder` whose name ends with `suffix` ("" for all), at any depth. Hidden ones (".x") are left out.
bool file_list(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_t *error);
void file_list_free(allocator_t *a, file_list_t *list);

// Joins with one '/' into `out` (cut to fit, always terminated); returns `out`.
char *path_join(char *out, size_t out_bytes, const char *folder, const char *name);

#endif
