// A zip file as a folder: once it is mounted, base/files.h finds its entries below its own path, "/games/pong.data"
// holding "/games/pong.data/scripts/…". A package keeps its scripts, its assets and its game in one. Any program that
// knows zip opens it; what writes it puts in no time and no owner, so that the same entries in the same order make the
// same bytes.
//
// The last 16 characters of a zip's comment are the XXH3 of all bytes before them: a file that was cut off or changed
// is refused whole.
#ifndef SHOAL_BASE_ARCHIVE_H
#define SHOAL_BASE_ARCHIVE_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct archive_entry_t {
  const char *name; // "scripts/shoal/boot.lua", relative to the archive
  const uint8_t *packed;
  size_t packed_bytes, bytes;
  uint32_t crc;
  bool deflated; // else as it is
} archive_entry_t;

// One for the process, before any other thread reads files; it stays until it is unmounted or the process ends. `path`
// is absolute. False with a message for people when it is not there, or damaged; then `*is_there` says which.
bool archive_mount(const char *path, bool *is_there, error_t *error);
void archive_unmount(void);
const char *archive_path(void); // NULL: none is mounted

// Does this path lie in the archive (or is it the archive itself)?
bool archive_holds(const char *path);
// The entry that an absolute path means; NULL when there is none.
const archive_entry_t *archive_find(const char *path);
bool archive_is_folder(const char *path);
// The entries below a folder, sorted bytewise by name: items[0 … count-1]. 0 for none.
uint32_t archive_below(const char *folder, const archive_entry_t **items);
// Reads at most `most` bytes of it into `out`, from its beginning. False with a message when it is damaged.
bool archive_read(const archive_entry_t *entry, void *out, size_t most, error_t *error);

typedef struct archive_writer_o archive_writer_o;
archive_writer_o *archive_writer_create(const char *path, error_t *error);
// `stored`: what is packed already (pictures, sounds) is not packed again.
bool archive_writer_add(archive_writer_o *w, const char *name, const void *data, size_t bytes, bool stored,
                        error_t *error);
// Seals and closes it, and frees the writer. False with a message; nothing of use lies at the path then.
bool archive_writer_end(archive_writer_o *w, error_t *error);

#endif
