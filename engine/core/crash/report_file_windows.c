// Crash report files on Windows: handles, because the descriptors of the C library have locks. The value of a handle
// has at most 32 significant bits.
#include "crash/report_file.h"

#include "base/native_file.h"

#include <windows.h>

// A handle without the right to write elsewhere appends. Pipes are not opened: their paths are devices.
int report_file_open(const char *path, bool is_new) {
  wchar_t wide[NATIVE_PATH_MAX];
  if (!native_path_from_utf8(path, wide) || wide[2] == L'.')
    return -1;
  HANDLE handle = CreateFileW(wide, is_new ? GENERIC_WRITE : FILE_APPEND_DATA | SYNCHRONIZE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              is_new ? CREATE_ALWAYS : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
  return (int)(intptr_t)handle; // -1 is INVALID_HANDLE_VALUE
}

bool report_file_write(int file, const char *text, size_t bytes) {
  DWORD written;
  return file != -1 && WriteFile((HANDLE)(intptr_t)file, text, (DWORD)bytes, &written, NULL);
}
