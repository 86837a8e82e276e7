// Finds the program's file. Windows does not allow a running program's file to be replaced, so its path stays valid.
#include "base/program_path.h"

#include "base/file_path.h"
#include "base/native_file.h"

#include <windows.h>

bool program_path_find(const char *argv0, char *out) {
  wchar_t wide[NATIVE_PATH_MAX];
  char path[PATH_MAX];
  DWORD count = GetModuleFileNameW(NULL, wide, NATIVE_PATH_MAX);
  (void)argv0; // the system always reports the path
  return count > 0 && count < NATIVE_PATH_MAX && native_path_to_utf8(wide, count, path, sizeof path) &&
         path_resolve(path, out);
}

bool program_path_find_folder(char *out) {
  wchar_t wide[NATIVE_PATH_MAX];
  DWORD count = GetCurrentDirectoryW(NATIVE_PATH_MAX, wide);
  if (count == 0)
    return native_fail(GetLastError());
  return count < NATIVE_PATH_MAX ? native_path_to_utf8(wide, count, out, PATH_MAX)
                                 : native_fail(ERROR_FILENAME_EXCED_RANGE);
}

const char *program_path_to_execute(const char *argv0) {
  static char path[PATH_MAX]; // does not change once it is found
  return program_path_find(argv0, path) ? path : argv0;
}
