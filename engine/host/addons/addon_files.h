// The files of an add-on: read from its folder or from an archive (addons/addon_archive.h), hashed, compared, written.
//
// An add-on consists of all its files except hidden files (".x"). Links are files with the contents of their targets.
// The checksum of an add-on is the SHA-256 of the lines that `sha256sum` prints for its files, sorted by path.
#ifndef SHOAL_ADDONS_ADDON_FILES_H
#define SHOAL_ADDONS_ADDON_FILES_H

#include "base/array.h"
#include "base/error.h"
#include "base/json_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDON_MAX_FILES 10000u
#define ADDON_MAX_BYTES ((size_t)256 << 20) // maximum size of all files together
#define ADDON_MAX_PATH 256                  // length of a path in an add-on, plus 1
#define ADDON_MAX_DEPTH 16u                 // maximum number of folders in a path
#define ADDON_HASH_BYTES 65                 // a SHA-256 in hexadecimal digits, plus 1

typedef struct addon_file_t {
  char *path; // path relative to the add-on's folder: "systems/spin.lua"
  char *data; // content, followed by '\0'; NULL if only the hash is known
  size_t bytes;
  char hash[ADDON_HASH_BYTES];
} addon_file_t;

typedef struct addon_files_t {
  allocator_t *memory;
  ARRAY(addon_file_t) files; // files, sorted bytewise by path
  size_t bytes;              // total data size of all files
} addon_files_t;

void addon_files_init(addon_files_t *f, allocator_t *memory);
void addon_files_fini(addon_files_t *f);

// Appends a file. Takes ownership of `data`: memory that file_read returned for the same allocator, or NULL. Call
// addon_files_sort after the last file.
void addon_files_add(addon_files_t *f, const char *path, char *data, size_t bytes);
// Removes all files after the first `count`.
void addon_files_truncate(addon_files_t *f, uint32_t count);
// Removes the first `bytes` bytes, the name of the folder that contains all files, from the path of file `i`.
void addon_files_strip_prefix(addon_files_t *f, uint32_t i, size_t bytes);
// Sorts the files, and computes the hashes of files with data.
void addon_files_sort(addon_files_t *f);
// Adds all files in a folder, an absolute path. Without `keep_data`, keeps only the hashes of the files. Returns true
// on success, or false with a message if a file cannot be read, a path is invalid, a link leads out of the folder, or a
// limit is exceeded.
bool addon_files_read(addon_files_t *f, const char *folder, bool keep_data, error_info_t *error);
// Returns true if the path can be a file of an add-on: relative, within ADDON_MAX_PATH and ADDON_MAX_DEPTH, in UTF-8,
// and without empty names, ".", "..", control characters and backslashes. Otherwise, sets an error that begins with the
// path.
bool addon_files_check_path(const char *path, error_info_t *error);
// Returns true if every system can store the names of all files (base/portable_name.h). Otherwise, sets an error that
// begins with a path.
bool addon_files_check_names(const addon_files_t *f, error_info_t *error);

const addon_file_t *addon_files_find(const addon_files_t *f, const char *path); // returns NULL if no file has this path
void addon_files_hash(const addon_files_t *f, char *out); // writes the add-on's checksum to `out` (ADDON_HASH_BYTES)
// Appends a line to `out` (may be NULL) for each difference: "  changed  systems/spin.lua". Returns the number of
// lines.
uint32_t addon_files_compare(const addon_files_t *old, const addon_files_t *current, json_writer_t *out);

// Writes all files to a new folder, without waiting until they are on disk. Returns true on success. On failure,
// returns false with a message and leaves the folder incomplete.
bool addon_files_write(const addon_files_t *f, const char *folder, error_info_t *error);

#endif
