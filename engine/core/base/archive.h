// A zip file as a folder. base/files.h finds the entries of a mounted archive below the archive's path:
// "/games/pong.data" contains "/games/pong.data/scripts/…". A package stores its scripts, assets and game in one
// archive. Any zip program can open the archive. All entries have the same date and no owner, so the same entries in
// the same order produce the same bytes.
//
// The archive comment ends with 16 characters, the XXH3 hash of all preceding bytes: a truncated or modified file is
// rejected as a whole.
#ifndef SHOAL_BASE_ARCHIVE_H
#define SHOAL_BASE_ARCHIVE_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct archive_entry_t {
  const char *name; // path of the entry in the archive, such as "scripts/shoal/boot.lua"
  const uint8_t *packed;
  size_t packed_bytes, bytes;
  uint32_t crc;
  bool deflated; // true if compressed with deflate; false if stored uncompressed
} archive_entry_t;

// Mounts the archive of this process. Call it before other threads read files. The archive stays mounted until
// archive_unmount or the end of the process. `path` must be absolute. Returns true on success, or false with a message
// if the file is missing, not regular, empty, unreadable or damaged. `*exists` is false only if the file is missing.
bool archive_mount(const char *path, bool *exists, error_info_t *error);
void archive_unmount(void);
const char *archive_path(void); // returns the path of the mounted archive, or NULL if no archive is mounted

// Returns true if `address` is in the archive's memory. A fault there means that the file was changed or truncated
// while the program was running. May be called from a signal handler.
bool archive_has_address(const void *address);

// Returns true if the path is the path of the mounted archive, or inside the archive.
bool archive_contains(const char *path);
// Returns the entry at an absolute path, or NULL if the archive has no such entry.
const archive_entry_t *archive_find_entry(const char *path);
bool archive_is_folder(const char *path);
// Returns the number of entries below a folder, at any depth, and, if not 0, points `*entries` at them, sorted by name.
uint32_t archive_list_folder(const char *folder, const archive_entry_t **entries);
// Reads the first `max_bytes` of an entry, or the whole entry if it is shorter, into `out`. Verifies the entry's
// checksum only if the whole entry is read. Returns true on success, or false with a message if the entry is damaged.
bool archive_read_entry(const archive_entry_t *entry, void *out, size_t max_bytes, error_info_t *error);

typedef struct archive_writer_o archive_writer_o;
archive_writer_o *archive_writer_create(const char *path, error_info_t *error);
// Adds an entry. If `stored` is true, does not compress the data (images and sounds are already compressed). Returns
// true on success, or false with a message if writing fails or the archive would have too many entries or bytes.
bool archive_writer_add_entry(archive_writer_o *writer, const char *name, const void *data, size_t bytes, bool stored,
                              error_info_t *error);
// Writes the checksum, closes the file and frees the writer. Returns true on success, or false with a message if
// writing failed; the file is then unusable.
bool archive_writer_finish(archive_writer_o *writer, error_info_t *error);

#endif
