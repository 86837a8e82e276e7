// Reads the names in a folder, in the order of the file system.
#ifndef SHOAL_BASE_FOLDER_READER_H
#define SHOAL_BASE_FOLDER_READER_H

#include "base/file_status.h"

typedef struct folder_reader_o folder_reader_o;

// Open a folder. Return a reader, or NULL with errno on failure. folder_reader_open_file reads the folder with this
// descriptor, which the reader owns on success.
folder_reader_o *folder_reader_open(const char *path);
folder_reader_o *folder_reader_open_file(int folder);
void folder_reader_close(folder_reader_o *r); // accepts NULL

// Returns the next name except "." and "..", valid until the next call. Returns NULL with errno on failure, and NULL
// with errno 0 after the last name. `type`, which may be NULL, receives FILE_TYPE_REGULAR, FILE_TYPE_FOLDER,
// FILE_TYPE_LINK or, for all other types and if the file system stores no types, FILE_TYPE_UNKNOWN.
const char *folder_reader_next(folder_reader_o *r, file_type_t *type);

// Read the status of a file in the folder, or remove the file, even if the folder has been moved. Do not follow links.
// Return true on success, or false with errno.
bool folder_reader_status(folder_reader_o *r, const char *name, file_status_t *out);
bool folder_reader_remove_file(folder_reader_o *r, const char *name);

#endif
