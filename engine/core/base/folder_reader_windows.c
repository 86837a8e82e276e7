// Reads folders with GetFileInformationByHandleEx, many names per call.
#include "base/folder_reader.h"

#include "base/file_system.h"
#include "base/native_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#undef FILE_TYPE_UNKNOWN // Windows defines this name as a macro

#define BUFFER_BYTES 16384
#define NAME_BYTES 1024 // a name of 255 UTF-16 units needs at most 765 bytes

struct folder_reader_o {
  int folder; // owned
  bool has_started;
  const FILE_ID_BOTH_DIR_INFO *entry; // the next entry in `buffer`; NULL: the buffer must be filled
  char name[NAME_BYTES];
  _Alignas(FILE_ID_BOTH_DIR_INFO) char buffer[BUFFER_BYTES];
};

folder_reader_o *folder_reader_open(const char *path) {
  int folder = file_system_open_folder(path);
  folder_reader_o *r = folder < 0 ? NULL : folder_reader_open_file(folder);
  if (!r && folder >= 0)
    file_system_close(folder);
  return r;
}

folder_reader_o *folder_reader_open_file(int folder) {
  file_status_t status;
  if (!file_status_of_open(folder, &status))
    return NULL;
  folder_reader_o *r = NULL;
  if (status.type != FILE_TYPE_FOLDER)
    errno = ENOTDIR;
  else if ((r = calloc(1, sizeof *r)))
    r->folder = folder;
  return r;
}

void folder_reader_close(folder_reader_o *r) {
  if (r)
    file_system_close(r->folder);
  free(r);
}

// Returns true if r->entry is an entry; false with errno 0 after the last entry, or with errno on failure.
static bool fill_buffer(folder_reader_o *r) {
  HANDLE handle = native_from_file(r->folder);
  FILE_INFO_BY_HANDLE_CLASS kind = r->has_started ? FileIdBothDirectoryInfo : FileIdBothDirectoryRestartInfo;
  if (r->entry)
    return true;
  if (!handle)
    return false;
  r->has_started = true;
  if (GetFileInformationByHandleEx(handle, kind, r->buffer, sizeof r->buffer)) {
    r->entry = (const FILE_ID_BOTH_DIR_INFO *)(const void *)r->buffer;
    return true;
  }
  DWORD code = GetLastError();
  native_fail(code);
  if (code == ERROR_NO_MORE_FILES || code == ERROR_FILE_NOT_FOUND) // not found: the root of a drive has no entries
    errno = 0;
  return false;
}

static file_type_t type_of(const FILE_ID_BOTH_DIR_INFO *entry) {
  // For a link, EaSize is the tag of the reparse point.
  return entry->FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT
             ? IsReparseTagNameSurrogate(entry->EaSize) ? FILE_TYPE_LINK : FILE_TYPE_UNKNOWN
         : entry->FileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FILE_TYPE_FOLDER
                                                            : FILE_TYPE_REGULAR;
}

const char *folder_reader_next(folder_reader_o *r, file_type_t *type) {
  do {
    if (!fill_buffer(r))
      return NULL;
    const FILE_ID_BOTH_DIR_INFO *entry = r->entry;
    if (!native_path_to_utf8(entry->FileName, entry->FileNameLength / sizeof *entry->FileName, r->name, sizeof r->name))
      return NULL;
    if (type)
      *type = type_of(entry);
    r->entry = entry->NextEntryOffset == 0
                   ? NULL
                   : (const FILE_ID_BOTH_DIR_INFO *)(const void *)((const char *)entry + entry->NextEntryOffset);
  } while (strcmp(r->name, ".") == 0 || strcmp(r->name, "..") == 0);
  return r->name;
}

bool folder_reader_status(folder_reader_o *r, const char *name, file_status_t *out) {
  return file_status_of_entry(r->folder, name, out);
}

bool folder_reader_remove_file(folder_reader_o *r, const char *name) {
  return file_system_remove_entry(r->folder, name);
}
