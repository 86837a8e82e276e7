// Paths and files of Windows, for the files NAME_windows.c of other headers: the only place that converts paths between
// UTF-8 and UTF-16. A handle is a HANDLE of Windows, which is a pointer.
#ifndef SHOAL_BASE_NATIVE_FILE_H
#define SHOAL_BASE_NATIVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NATIVE_PATH_MAX 4200u // maximum number of UTF-16 units in a path, including its prefix and the final 0

// Sets errno for an error code of Windows (GetLastError). Returns false.
bool native_fail(uint32_t code);

// Converts a path to its absolute form, which begins with "\\?\", so that the path may be longer than 260 characters.
// Returns true on success, or false with errno.
bool native_path_from_utf8(const char *path, wchar_t out[NATIVE_PATH_MAX]);
// Converts `count` UTF-16 units of a path to UTF-8 with '/', without the prefix "\\?\". Returns true on success, or
// false with errno if the path needs more than `out_bytes`.
bool native_path_to_utf8(const wchar_t *path, size_t count, char *out, size_t out_bytes);

typedef struct native_open_t {
  uint32_t access;      // rights such as FILE_READ_DATA; the functions add the rights that file_status_of_open needs
  uint32_t disposition; // FILE_OPEN, FILE_CREATE or FILE_OPEN_IF
  uint32_t options;     // options such as FILE_DIRECTORY_FILE and FILE_OPEN_REPARSE_POINT
} native_open_t;

// Open a file or folder, by a path or by its name in an open folder. Other programs may read, write, rename and remove
// the file while it is open. A name must not contain a separator or ':'; NULL: the folder itself. Child programs do not
// inherit the handle. Return the handle, or NULL with errno on failure.
void *native_open(const char *path, const native_open_t *desc);
void *native_open_entry(void *folder, const char *name, const native_open_t *desc);
void native_close(void *handle); // accepts NULL; preserves errno

// Returns a descriptor that owns the handle, or -1 with errno; then the handle is closed. Returns -1 for NULL, the
// result of a failed native_open, and preserves errno.
int native_to_file(void *handle);
void *native_from_file(int file); // returns the handle of a descriptor, or NULL with errno if not open

// Moves an open file (right DELETE) to `name` in an open folder, and replaces an existing file, even if it is open.
// Waits up to a second for programs that prevent the replacement. Returns true on success, or false with errno.
bool native_rename_entry(void *handle, void *folder, const char *name);
// Removes an open file or folder (right DELETE). Returns true on success, or false with errno.
bool native_remove(void *handle);
// Reads the target of a symbolic link or junction, in UTF-8. `is_relative`: true if the target depends on the link's
// folder. Returns true on success, or false with errno.
bool native_read_link(void *handle, char *out, size_t out_bytes, bool *is_relative);

#endif
