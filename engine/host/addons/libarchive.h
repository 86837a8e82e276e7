// The functions of libarchive that Shoal uses. libarchive is opened when the first archive is read, so that game
// packages need neither libarchive nor its dependencies (35 MB).
#ifndef SHOAL_ADDONS_LIBARCHIVE_H
#define SHOAL_ADDONS_LIBARCHIVE_H

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>

#define LIBARCHIVE_FUNCTIONS(X)                                                                                        \
  X(read_new)                                                                                                          \
  X(read_support_format_zip)                                                                                           \
  X(read_support_format_tar)                                                                                           \
  X(read_support_filter_gzip)                                                                                          \
  X(read_support_filter_zstd)                                                                                          \
  X(read_open_memory)                                                                                                  \
  X(read_next_header)                                                                                                  \
  X(read_data)                                                                                                         \
  X(read_free)                                                                                                         \
  X(error_string)                                                                                                      \
  X(entry_pathname)                                                                                                    \
  X(entry_filetype)                                                                                                    \
  X(entry_symlink)                                                                                                     \
  X(entry_hardlink)                                                                                                    \
  X(entry_is_encrypted)

typedef struct libarchive_t {
#define POINTER(name_) __typeof__(archive_##name_) *name_;
  LIBARCHIVE_FUNCTIONS(POINTER)
#undef POINTER
} libarchive_t;

// Returns the function table, or NULL with a message if libarchive is not installed.
const libarchive_t *libarchive_load(error_info_t *error);

#endif
