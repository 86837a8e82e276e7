// Reading and writing files and folders. Paths are UTF-8 with '/' as separator. Returned strings and lists belong to
// the caller.
//
// A game's folder may contain link loops, pipes without a writer, or endless files. The host therefore opens all of a
// game's files through this header: only regular files (or links to them) are opened, opening never blocks, and folder
// walks are bounded. Links that leave a game's folder are refused (base/confined_folder.h). Paths below a mounted
// archive (base/archive.h) refer to its entries, which are read-only.
#ifndef SHOAL_BASE_FILES_H
#define SHOAL_BASE_FILES_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/file_path.h"
#include "base/file_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FILE_MAX_BYTES ((size_t)1 << 30) // maximum size of a file that is read
#define FILE_MAX_DEPTH 32                // maximum nesting of folders; deeper folders are skipped
#define FILE_MAX_FOLDERS 10000u          // maximum number of folders per walk
#define FILE_MAX_ENTRIES 200000u         // maximum number of files and folders per walk, except skipped names

typedef struct file_list_t {
  char **paths; // paths of files, relative to the listed folder, sorted bytewise
  uint32_t count;
} file_list_t;

// These three functions treat a path that cannot be examined as present, for example because of its permissions, a
// failing disk or too many open files: opening it then reports the reason. Only missing files, invalid paths, cycles of
// links, and links that leave a confined folder count as absent.
bool file_exists(const char *path); // returns true for a regular file or a link to one
bool path_exists(const char *path); // returns true for a file of any type, and for a broken link
bool file_is_folder(const char *path);

// Reads a whole file and appends a '\0', which *size_bytes does not count. Returns the text, or NULL with a message if
// the file cannot be read, is not a regular file or is larger than FILE_MAX_BYTES, or if reading a large file is
// interrupted (base/interrupt.h).
char *file_read(allocator_t *a, const char *path, size_t *size_bytes, error_info_t *error);
// Like file_read, but succeeds for a missing file and stores NULL. Returns true, or false with a message on failure.
bool file_read_optional(allocator_t *a, const char *path, char **text, size_t *size_bytes, error_info_t *error);
// Like file_read, but also returns NULL with a message, before reading, if the file is larger than `max_bytes`.
char *file_read_limited(allocator_t *a, const char *path, size_t max_bytes, size_t *size_bytes, error_info_t *error);
// Maps the bytes of a file without copying them. Only for files that are replaced as a whole (file_write) and never
// changed in place: reading a mapping of a file that was truncated ends the process. Free the mapping with file_unmap.
// Returns the bytes, or NULL with a message if the file is empty, cannot be read or is not a regular file.
const void *file_map(const char *path, size_t *size_bytes, error_info_t *error);
void file_unmap(const void *bytes, size_t size_bytes); // accepts NULL
// Reads the first `max_bytes` bytes of a file, or the whole file if it is shorter. Returns the number of bytes read, or
// 0 if the file cannot be read or is not a regular file.
size_t file_read_start(const char *path, void *out, size_t max_bytes);
void file_free(allocator_t *a, char *text, size_t size_bytes);

// Opens a regular file for writing, creating it if needed. Truncates the file or, if `append`, writes at its end.
// Returns the file, or NULL with a message on failure.
FILE *file_open(const char *path, bool append, error_info_t *error);

// Like file_open with `append` false, but returns a descriptor: does not allocate memory or buffer writes. Returns the
// descriptor, or -1 with a message on failure.
int file_create(const char *path, error_info_t *error);
// Returns the description of a failed write's error code, or a likely reason if `code` is 0, as after a short write.
const char *file_describe_write_error(int code);
// Writes all bytes. Returns true on success, or false on errors, such as a full disk.
bool file_write_all(int file, const void *data, size_t size_bytes);

// Writes through a temporary file and a rename: readers see either the old or the new content. Returns true on success,
// or false with a message if writing fails, or if `path` exists and is neither a regular file nor a link to one.
bool file_write(const char *path, const void *data, size_t size_bytes, error_info_t *error);
// Like file_write, but does not wait for the disk: after a power failure, the file may be empty. For files that are not
// needed after the machine has restarted.
bool file_write_volatile(const char *path, const void *data, size_t size_bytes, error_info_t *error);

// A walk over everything below a folder, depth first, in the order of the file system (in an archive, sorted by name).
// Follows links, except to a folder that contains the current folder.
typedef struct file_walk_t {
  const char *folder;
  bool is_optional; // true if a missing `folder` counts as empty
  // Returns true to skip files and folders of this name. NULL: skips hidden names (".x").
  bool (*should_skip)(void *context, const char *name);
  // Returns true to report this file. NULL: reports all files.
  bool (*should_report)(void *context, const char *relative);
  // Returns true to enter this folder; "" is the walked folder itself. NULL: enters all folders; must be NULL for a
  // folder in an archive.
  bool (*should_enter)(void *context, const char *path, const char *relative);
  // Receives each reported file.
  void (*on_file)(void *context, const char *path, const char *relative, const file_status_t *status);
  // Receives the links that lead nowhere or, if errno is EXDEV, out of a confined folder (base/confined_folder.h).
  // NULL: skips them silently.
  void (*on_useless_link)(void *context, const char *path, const char *relative);
  void *context;
} file_walk_t;

// Walks the folder. Returns true if every folder was read to its end and every entry was examined. Returns false with
// the path and reason of the first failure, after walking the rest of the tree, or if the walk exceeded
// FILE_MAX_FOLDERS or FILE_MAX_ENTRIES and stopped.
bool file_walk(const file_walk_t *walk, error_info_t *error);

// Lists every file below `folder` whose name ends with `suffix` ("" for all), at any depth, except hidden files and
// folders (".x"). Includes links that leave a confined folder, although such links cannot be read, but no broken links.
// Returns true on success, or false with a message and an empty list if any folder or entry cannot be read (file_walk).
// file_list_optional treats a missing `folder` as an empty folder.
bool file_list(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_info_t *error);
bool file_list_optional(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_info_t *error);
void file_list_free(allocator_t *a, file_list_t *list);

// Sets the error for a link that leads nowhere or out of a confined folder. Returns true if the link has become valid
// meanwhile, otherwise false.
bool file_set_link_error(const char *path, error_info_t *error);

// Removes the temporary files NAME.PID.tmp that file_write left in a folder because its process was killed. Files of
// processes for which `is_running` returns true are kept. `prefix`: required start of the names; may be NULL.
void file_remove_stale(const char *folder, const char *prefix, bool (*is_running)(long process));

// Creates an absolute folder and its missing parents. Returns true on success, or false with a message; `path` then
// ends with the folder that could not be created.
bool file_create_folders(char *path, error_info_t *error);

#endif
