// Finds the program's file. Windows does not allow the file of a running program to be overwritten. If the file is
// renamed and a new file gets its path, program_path_to_execute returns the path of the new file.
#include "base/program_path.h"

#include "base/file_path.h"
#include "base/native_file.h"

#include <pthread.h>
#include <windows.h>

bool program_path_find(const char *argv0, char *out) {
  wchar_t wide[NATIVE_PATH_MAX];
  char path[FILE_PATH_BYTES];
  DWORD count = GetModuleFileNameW(NULL, wide, NATIVE_PATH_MAX);
  (void)argv0; // the system always reports the path
  return count > 0 && count < NATIVE_PATH_MAX && native_path_to_utf8(wide, count, path, sizeof path) &&
         path_resolve(path, out);
}

const char *program_path_suffix(void) {
  return ".exe";
}

bool program_path_find_folder(char *out) {
  wchar_t wide[NATIVE_PATH_MAX];
  DWORD count = GetCurrentDirectoryW(NATIVE_PATH_MAX, wide);
  if (count == 0)
    return native_fail(GetLastError());
  return count < NATIVE_PATH_MAX ? native_path_to_utf8(wide, count, out, FILE_PATH_BYTES)
                                 : native_fail(ERROR_FILENAME_EXCED_RANGE);
}

static char found_path[FILE_PATH_BYTES]; // "" if unknown

static void find_once(void) {
  if (!program_path_find(NULL, found_path))
    found_path[0] = '\0';
}

const char *program_path_to_execute(const char *argv0) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_once);
  return found_path[0] ? found_path : argv0;
}
