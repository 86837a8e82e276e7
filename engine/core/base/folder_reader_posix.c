// Reads folders with readdir. A folder_reader_o is a DIR.
#include "base/folder_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

folder_reader_o *folder_reader_open(const char *path) {
  return (folder_reader_o *)opendir(path);
}

folder_reader_o *folder_reader_open_file(int folder) {
  return (folder_reader_o *)fdopendir(folder);
}

void folder_reader_close(folder_reader_o *r) {
  if (r)
    closedir((DIR *)r);
}

const char *folder_reader_next(folder_reader_o *r, file_type_t *type) {
  const struct dirent *entry;
  do {
    errno = 0;
    entry = readdir((DIR *)r);
  } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
  if (!entry)
    return NULL;
  if (type)
    *type = entry->d_type == DT_REG   ? FILE_TYPE_REGULAR
            : entry->d_type == DT_DIR ? FILE_TYPE_FOLDER
            : entry->d_type == DT_LNK ? FILE_TYPE_LINK
                                      : FILE_TYPE_UNKNOWN;
  return entry->d_name;
}

bool folder_reader_status(folder_reader_o *r, const char *name, file_status_t *out) {
  return file_status_of_entry(dirfd((DIR *)r), name, out);
}

bool folder_reader_remove_file(folder_reader_o *r, const char *name) {
  return unlinkat(dirfd((DIR *)r), name, 0) == 0;
}
