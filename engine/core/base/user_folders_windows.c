// Finds the user's folders from environment variables, which Windows sets for each user. The variables of the XDG
// specification have priority, as on Linux, so that a script can redirect the folders on every system.
#include "base/user_folders.h"

#include "base/assert.h"
#include "base/file_path.h"
#include "base/native_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

static const wchar_t *const VARIABLES[] = {L"XDG_DATA_HOME", L"XDG_CACHE_HOME"};
static const wchar_t *const SYSTEM_VARIABLES[] = {L"APPDATA", L"LOCALAPPDATA"};
static const char *const SUBFOLDERS[] = {"", "cache/"}; // caches share their folder with data of other programs

// Returns true and stores the value with '/' if it is an absolute path.
static bool read_variable(const wchar_t *name, char *out, size_t out_bytes) {
  wchar_t wide[NATIVE_PATH_MAX];
  DWORD count = GetEnvironmentVariableW(name, wide, NATIVE_PATH_MAX);
  return count > 0 && count < NATIVE_PATH_MAX && native_path_to_utf8(wide, count, out, out_bytes) &&
         path_is_absolute(out);
}

int user_folder_find(user_folder_t folder, const char *subfolder, char *out, size_t out_bytes) {
  char path[FILE_PATH_BYTES];
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  if (read_variable(VARIABLES[folder], path, sizeof path))
    return snprintf(out, out_bytes, "%s/%s", path, subfolder);
  return read_variable(SYSTEM_VARIABLES[folder], path, sizeof path)
             ? snprintf(out, out_bytes, "%s/%s%s", path, SUBFOLDERS[folder], subfolder)
             : -1;
}

bool user_folder_set(user_folder_t folder, const char *path) {
  wchar_t wide[NATIVE_PATH_MAX];
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, NATIVE_PATH_MAX) == 0)
    return native_fail(GetLastError());
  return SetEnvironmentVariableW(VARIABLES[folder], wide) || native_fail(GetLastError());
}

const char *user_folder_temporary(void) {
  static char path[FILE_PATH_BYTES]; // the variables do not change while the program runs
  if (!read_variable(L"TMPDIR", path, sizeof path) && !read_variable(L"TEMP", path, sizeof path))
    snprintf(path, sizeof path, "C:/Windows/Temp");
  return path;
}

void user_folder_runtime(char *out, size_t out_bytes) {
  char path[FILE_PATH_BYTES];
  if (read_variable(L"XDG_RUNTIME_DIR", path, sizeof path))
    snprintf(out, out_bytes, "%s/shoal", path);
  else // the folder for temporary files also belongs to this user
    snprintf(out, out_bytes, "%s/shoal", user_folder_temporary());
}
