// Reading and writing files and folders. Paths are UTF-8, '/' between parts. Returned text and lists belong to the
// caller.
//
// A game's folder may hold anything: links in a circle, pipes without a writer, files without end. Everything
// that the host opens of a game goes through here: only regular files are opened (or links to them), opening never
// waits, and walks of folders have an end. Paths below a mounted archive (base/archive.h) mean its entries, which can
// be read and not written.
#ifndef SHOAL_BASE_FILES_H
#define SHOAL_BASE_FILES_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stat;

#define FILE_MAX_BYTES ((size_t)1 << 30) // of a file that is read
#define FILE_MAX_DEPTH 32                // folders below folders
#define FILE_MAX_FOLDERS 10000u          // of a walk
#define FILE_MAX_ENTRIES 200000u         // of a walk: files and folders, wanted or not

typedef struct file_list_t {
  char **paths; // relative to the folder asked for, sorted bytewise, files only
  uint32_t count;
} file_list_t;

bool file_exists(const char *path);   // a regular file
bool file_is_there(const char *path); // whatever it is, a link to nothing included
bool file_is_folder(const char *path);

// The whole file with a '\0' after it; *size_bytes without it. NULL with a message when it cannot be read, is no
// regular file or is larger than FILE_MAX_BYTES, or when the program is to end before all of a large one is read.
char *file_read(allocator_t *a, const char *path, size_t *size_bytes, error_t *error);
// The same, and NULL with a message, before anything is read, when it has more than `most_bytes`.
char *file_read_within(allocator_t *a, const char *path, size_t most_bytes, size_t *size_bytes, error_t *error);
// The first bytes of it, at most `most`; returns how many. 0 when it cannot be read or is no regular file.
size_t file_peek(const char *path, void *out, size_t most);
void file_free(allocator_t *a, char *text, size_t size_bytes);

// Opens a regular file, new or there, for writing from its beginning (cut to nothing) or, with `append`, its end.
// NULL with a message.
FILE *file_open(const char *path, bool append, error_t *error);

// The same, cut to nothing, as a descriptor: no memory is asked for, and every write goes straight to the file. -1 with
// a message.
int file_create(const char *path, error_t *error);
bool file_put(int file, const void *data, size_t size_bytes); // all of it; false when the disk is full

// Through a temporary file and rename: a reader sees the old content or the new one. What stands at `path` must be a
// file, or nothing.
bool file_write(const char *path, const void *data, size_t size_bytes, error_t *error);

// A walk over everything below a folder, depth first, in the order of the file system. Links are followed, but not to
// a folder that the walk is inside of.
typedef struct file_walk_t {
  const char *folder;
  bool (*skips)(void *context, const char *name);     // a file or folder of this name; NULL: hidden ones (".x")
  bool (*wants)(void *context, const char *relative); // this file; NULL: all
  bool (*enters)(void *context, const char *path,
                 const char *relative); // this folder, before it is read; "" is the first. NULL: all
  void (*file)(void *context, const char *path, const char *relative, const struct stat *facts);
  void *context;
} file_walk_t;

// False with a message when the folder cannot be read, or when the walk was left because it holds more than
// FILE_MAX_….
bool file_walk(const file_walk_t *walk, error_t *error);

// Every file below `folder` whose name ends with `suffix` ("" for all), at any depth. Hidden ones (".x") are left out.
bool file_list(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_t *error);
void file_list_free(allocator_t *a, file_list_t *list);

bool path_ends_with(const char *path, const char *suffix); // and is longer than it
// Joins with one '/' into `out` (cut to fit, always terminated); returns `out`.
char *path_join(char *out, size_t out_bytes, const char *folder, const char *name);

// The user's folder for something: $VARIABLE/below where that is an absolute path, else $HOME/otherwise/below. Returns
// the length of the path, which is cut to fit, or -1 when neither variable says where.
int file_user_folder(char *out, size_t out_bytes, const char *variable, const char *otherwise, const char *below);

// Makes an absolute folder, and those above it, where they are not there. The path is as it was afterwards.
bool file_make_folders(char *path, error_t *error);

#endif
