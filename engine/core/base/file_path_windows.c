// Absolute paths on Windows. "/a" is a path on the current drive, which does not change while the program runs.
#include "base/file_path.h"

#include "base/native_file.h"

#include <windows.h>
#include <winternl.h>

void path_use_slashes(char *path) {
  for (char *c = path; *c; ++c)
    if (*c == '\\')
      *c = '/';
}

bool path_is_absolute(const char *path) {
  bool has_drive = ((path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z')) && path[1] == ':';
  return path[0] == '/' || (has_drive && (path[2] == '/' || path[2] == '\\'));
}

bool path_resolve(const char *path, char *out) {
  wchar_t wide[NATIVE_PATH_MAX];
  HANDLE handle = native_open(path, &(native_open_t){.disposition = FILE_OPEN});
  if (!handle)
    return false;
  DWORD count = GetFinalPathNameByHandleW(handle, wide, NATIVE_PATH_MAX, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
  if (count == 0 && native_path_from_utf8(path, wide)) // Wine 8 fails for paths of more than 260 units
    count = (DWORD)wcslen(wide);
  if (count == 0)
    native_fail(GetLastError());
  else if (count >= NATIVE_PATH_MAX)
    native_fail(ERROR_FILENAME_EXCED_RANGE);
  native_close(handle);
  return count > 0 && count < NATIVE_PATH_MAX && native_path_to_utf8(wide, count, out, FILE_PATH_BYTES);
}
