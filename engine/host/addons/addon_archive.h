// Reads an add-on from an archive: .zip, .tar.gz or .tar.zst. Archives are untrusted, so everything is checked in
// memory before a file is written: paths, links, sizes, duplicates, checksums.
#ifndef SHOAL_ADDONS_ADDON_ARCHIVE_H
#define SHOAL_ADDONS_ADDON_ARCHIVE_H

#include "addons/addon_files.h"

// Adds the files of an archive to `f` and sorts them. addon.lua must be at the top of the archive or in its only
// folder. Skips hidden files, and reads links as copies of their targets. Returns true on success, or false with a
// message if the archive cannot be read, is no add-on, exceeds a limit, or contains an invalid path, link or entry.
bool addon_archive_read(addon_files_t *f, const char *path, error_info_t *error);
// Like addon_archive_read, for an archive in memory.
bool addon_archive_parse(addon_files_t *f, const char *data, size_t bytes, error_info_t *error);

#endif
