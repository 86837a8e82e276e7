// Changes files and folders with functions of Windows. The C library provides the descriptors; each owns a handle.
#include "base/file_system.h"

#include "base/file_status.h"
#include "base/folder_reader.h"
#include "base/native_file.h"
#include "base/system_random.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#define MAX_TRANSFER_BYTES ((size_t)1 << 30) // maximum number of bytes of one call
#define MAX_NAMES 100                        // attempts to find a new name
#define READ (FILE_READ_DATA | FILE_READ_EA)
#define WRITE (FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES)

// --- files

int file_system_open(const char *path, bool writes) {
  uint32_t options = writes ? FILE_NON_DIRECTORY_FILE : 0;
  return native_to_file(native_open(
      path, &(native_open_t){.access = READ | (writes ? WRITE : 0), .disposition = FILE_OPEN, .options = options}));
}

// Opens a file unless it is a link. Returns the descriptor, or -1 with errno: ELOOP for a link, as on Linux.
static int open_unlinked(const char *path, uint32_t access, uint32_t disposition) {
  file_status_t status;
  int file = native_to_file(native_open(
      path, &(native_open_t){.access = access, .disposition = disposition, .options = FILE_OPEN_REPARSE_POINT}));
  if (file < 0)
    return -1;
  bool is_read = file_status_of_open(file, &status);
  if (is_read && status.type != FILE_TYPE_LINK)
    return file;
  int failure = is_read ? ELOOP : errno;
  file_system_close(file);
  errno = failure;
  return -1;
}

int file_system_open_unlinked(const char *path) {
  return open_unlinked(path, READ, FILE_OPEN);
}

// A new file inherits the access list of its folder, which in the user's profile excludes other users.
int file_system_create_private(const char *path) {
  return native_to_file(native_open(
      path, &(native_open_t){.access = WRITE, .disposition = FILE_CREATE, .options = FILE_NON_DIRECTORY_FILE}));
}

int file_system_open_private(const char *path) {
  return open_unlinked(path, READ | WRITE, FILE_OPEN_IF);
}

// Replaces the six characters at `out` with random letters and digits.
static bool randomize(char out[6]) {
  static const char CHARACTERS[] = "abcdefghijklmnopqrstuvwxyz012345"; // 32: names are compared regardless of case
  unsigned char bytes[6];
  if (!system_random(bytes, sizeof bytes)) {
    errno = EIO;
    return false;
  }
  for (size_t i = 0; i < sizeof bytes; ++i)
    out[i] = CHARACTERS[bytes[i] % 32];
  return true;
}

int file_system_create_temporary(char *path, size_t suffix_bytes) {
  char *unique = path + strlen(path) - suffix_bytes - 6;
  for (int i = 0; i < MAX_NAMES && randomize(unique); ++i) {
    int file = native_to_file(native_open(
        path,
        &(native_open_t){.access = READ | WRITE, .disposition = FILE_CREATE, .options = FILE_NON_DIRECTORY_FILE}));
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

bool file_system_close(int file) {
  return _close(file) == 0;
}

bool file_system_is_open(int file) {
  return native_from_file(file);
}

int file_system_duplicate(int file) {
  HANDLE handle = native_from_file(file), copy = NULL, process = GetCurrentProcess();
  if (handle && !DuplicateHandle(process, handle, process, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
    native_fail(GetLastError());
  return native_to_file(copy);
}

void file_system_disable_inheritance(int file) {
  HANDLE handle = native_from_file(file);
  if (handle)
    SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
}

bool file_system_reopen_standard_files(void) {
  bool has_replaced = false;
  for (int file = 0; file <= 2; ++file) {
    if (file_system_is_open(file))
      continue;
    int null_device = _open("NUL", _O_RDWR | _O_BINARY);
    if (null_device < 0)
      return has_replaced;
    if (null_device != file) { // the descriptor is in use, but has no handle
      _dup2(null_device, file);
      _close(null_device);
    }
    has_replaced = true;
  }
  return has_replaced;
}

// Reads or writes at `position`, or at the current position if it is NULL. Returns the number of bytes, or -1 with
// errno.
static int64_t transfer(int file, void *out, const void *data, size_t bytes, OVERLAPPED *position) {
  HANDLE handle = native_from_file(file);
  DWORD count = 0, requested = (DWORD)(bytes < MAX_TRANSFER_BYTES ? bytes : MAX_TRANSFER_BYTES);
  if (!handle)
    return -1;
  if (out ? ReadFile(handle, out, requested, &count, position) : WriteFile(handle, data, requested, &count, position))
    return count;
  DWORD code = GetLastError();
  if (out && (code == ERROR_HANDLE_EOF || code == ERROR_BROKEN_PIPE)) // the end of a file, or of a pipe
    return 0;
  native_fail(code);
  return -1;
}

int64_t file_system_read(int file, void *out, size_t bytes) {
  return transfer(file, out, NULL, bytes, NULL);
}

int64_t file_system_write(int file, const void *data, size_t bytes) {
  return transfer(file, NULL, data, bytes, NULL);
}

static OVERLAPPED get_position(uint64_t offset) {
  return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

// Like pread and pwrite. Windows also moves the current position, so the previous position is restored.
static int64_t transfer_at(int file, uint64_t offset, void *out, const void *data, size_t bytes) {
  OVERLAPPED position = get_position(offset);
  HANDLE handle = native_from_file(file);
  LARGE_INTEGER previous, zero = {.QuadPart = 0};
  bool is_known = handle && SetFilePointerEx(handle, zero, &previous, FILE_CURRENT);
  int64_t count = transfer(file, out, data, bytes, &position);
  if (is_known)
    SetFilePointerEx(handle, previous, NULL, FILE_BEGIN);
  return count;
}

bool file_system_write_at(int file, uint64_t offset, const void *data, size_t bytes) {
  return transfer_at(file, offset, NULL, data, bytes) == (int64_t)bytes;
}

bool file_system_empty(int file) {
  HANDLE handle = native_from_file(file);
  FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = 0};
  return handle &&
         (SetFileInformationByHandle(handle, FileEndOfFileInfo, &end, sizeof end) || native_fail(GetLastError()));
}

FILE *file_system_open_stream(int file, bool appends) {
  return _fdopen(file, appends ? "ab" : "wb");
}

bool file_system_synchronize_file(int file) {
  HANDLE handle = native_from_file(file);
  return handle && (FlushFileBuffers(handle) || native_fail(GetLastError()));
}

// Other programs cannot read or write a locked byte, so callers lock bytes after the end of the file.
bool file_system_lock_byte(int file, uint64_t offset) {
  OVERLAPPED position = get_position(offset);
  HANDLE handle = native_from_file(file);
  return handle && (LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &position) ||
                    native_fail(GetLastError()));
}

void file_system_unlock_byte(int file, uint64_t offset) {
  OVERLAPPED position = get_position(offset);
  HANDLE handle = native_from_file(file);
  if (handle)
    UnlockFileEx(handle, 0, 1, 0, &position);
}

// Windows does not report which process has locked a byte. A lock of this process through a different descriptor also
// counts.
bool file_system_find_lock_holder(int file, uint64_t offset, long *process) {
  if (file_system_lock_byte(file, offset)) {
    file_system_unlock_byte(file, offset);
    return false;
  }
  *process = 0;
  return errno == EAGAIN;
}

size_t file_system_read_at(int file, uint64_t offset, void *out, size_t bytes) {
  int64_t count = transfer_at(file, offset, out, NULL, bytes);
  return count > 0 ? (size_t)count : 0;
}

bool file_system_write_start(int file, const void *data, size_t bytes) {
  if (file_system_write_at(file, 0, data, bytes))
    return true;
  int reason = errno;
  file_system_empty(file);
  errno = reason;
  return false;
}

bool file_system_add_name(const char *path, const char *new_path) {
  wchar_t existing[NATIVE_PATH_MAX], added[NATIVE_PATH_MAX];
  return native_path_from_utf8(path, existing) && native_path_from_utf8(new_path, added) &&
         (CreateHardLinkW(added, existing, NULL) || native_fail(GetLastError()));
}

bool file_system_exchange(const char *a, const char *b) {
  (void)a, (void)b;
  errno = ENOSYS; // Windows cannot exchange two names in one step
  return false;
}

// --- entries of an open folder

int file_system_create_entry(int folder, const char *name) {
  HANDLE handle = native_from_file(folder);
  return handle
             ? native_to_file(native_open_entry(
                   handle, name,
                   &(native_open_t){.access = WRITE, .disposition = FILE_CREATE, .options = FILE_NON_DIRECTORY_FILE}))
             : -1;
}

// Opens an entry, but not the target of a link, for removing or renaming it. Returns the handle, or NULL with errno.
static HANDLE open_to_remove(HANDLE folder, const char *name, uint32_t options) {
  const native_open_t desc = {.access = DELETE, .disposition = FILE_OPEN, .options = FILE_OPEN_REPARSE_POINT | options};
  return folder ? native_open_entry(folder, name, &desc) : native_open(name, &desc);
}

bool file_system_replace_entry(int folder, const char *new_name, const char *name) {
  HANDLE parent = native_from_file(folder), handle = parent ? open_to_remove(parent, new_name, 0) : NULL;
  bool is_replaced = handle && native_rename_entry(handle, parent, name);
  native_close(handle);
  return is_replaced;
}

static bool remove_opened(HANDLE handle) {
  bool is_removed = handle && native_remove(handle);
  native_close(handle);
  return is_removed;
}

bool file_system_remove_entry(int folder, const char *name) {
  HANDLE parent = native_from_file(folder);
  return parent && remove_opened(open_to_remove(parent, name, FILE_NON_DIRECTORY_FILE));
}

bool file_system_rename(const char *path, const char *new_path) {
  char folder_path[NATIVE_PATH_MAX];
  size_t length = strlen(new_path);
  while (length > 0 && !strchr("/\\", new_path[length - 1]))
    --length;
  snprintf(folder_path, sizeof folder_path, "%.*s", length ? (int)length : 1, length ? new_path : ".");
  int folder = file_system_open_folder(folder_path);
  HANDLE handle = folder >= 0 ? open_to_remove(NULL, path, 0) : NULL;
  bool is_renamed = handle && native_rename_entry(handle, native_from_file(folder), new_path + length);
  native_close(handle);
  if (folder >= 0)
    _close(folder);
  return is_renamed;
}

bool file_system_remove_folder_entry(int folder, const char *name) {
  HANDLE parent = native_from_file(folder);
  return parent && remove_opened(open_to_remove(parent, name, FILE_DIRECTORY_FILE));
}

// --- folders

bool file_system_create_folder(const char *path, bool is_private) {
  wchar_t wide[NATIVE_PATH_MAX];
  (void)is_private; // the access list that a user's profile inherits excludes other users
  return native_path_from_utf8(path, wide) && (CreateDirectoryW(wide, NULL) || native_fail(GetLastError()));
}

bool file_system_create_temporary_folder(char *path) {
  char *unique = path + strlen(path) - 6;
  for (int i = 0; i < MAX_NAMES && randomize(unique); ++i) {
    bool is_created = file_system_create_folder(path, true);
    if (is_created || errno != EEXIST)
      return is_created;
  }
  return false;
}

bool file_system_remove_folder(const char *path) {
  return remove_opened(open_to_remove(NULL, path, FILE_DIRECTORY_FILE));
}

// Opens an entry of a folder (NULL: a path) as a folder for remove_entries, but not the target of a link. Returns the
// descriptor, or -1.
static int open_subfolder(HANDLE parent, const char *name) {
  const native_open_t desc = {.access = READ | FILE_TRAVERSE,
                              .disposition = FILE_OPEN,
                              .options = FILE_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT};
  return native_to_file(parent ? native_open_entry(parent, name, &desc) : native_open(name, &desc));
}

// Removes the entries of an open folder, which this function closes.
static void remove_entries(int folder) {
  folder_reader_o *reader = folder_reader_open_file(folder);
  HANDLE parent = native_from_file(folder);
  file_type_t type;
  if (!reader)
    file_system_close(folder);
  for (const char *name; reader && (name = folder_reader_next(reader, &type));) {
    int subfolder = type == FILE_TYPE_FOLDER ? open_subfolder(parent, name) : -1;
    if (subfolder >= 0)
      remove_entries(subfolder);
    remove_opened(open_to_remove(parent, name, 0));
  }
  folder_reader_close(reader);
}

void file_system_remove_tree(const char *path) {
  file_status_t status;
  if (!file_status_of_link(path, &status))
    return;
  int folder = status.type == FILE_TYPE_FOLDER ? open_subfolder(NULL, path) : -1;
  if (folder >= 0)
    remove_entries(folder);
  remove_opened(open_to_remove(NULL, path, 0));
}

int file_system_open_folder(const char *path) {
  return native_to_file(native_open(
      path,
      &(native_open_t){.access = READ | FILE_TRAVERSE, .disposition = FILE_OPEN, .options = FILE_DIRECTORY_FILE}));
}

// Windows cannot lock a folder. Instead, the handle of the descriptor is replaced with a handle that has the right to
// remove the file, and does not share this right: a second such handle cannot be opened. While the file is locked,
// other programs can read and write it, but cannot rename or remove it.
bool file_system_lock(int file) {
  HANDLE handle = native_from_file(file), locked;
  BY_HANDLE_FILE_INFORMATION information;
  if (!handle)
    return false;
  if (!GetFileInformationByHandle(handle, &information))
    return native_fail(GetLastError());
  bool is_folder = information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
  locked = ReOpenFile(handle, GENERIC_READ | (is_folder ? 0 : GENERIC_WRITE) | DELETE,
                      FILE_SHARE_READ | FILE_SHARE_WRITE, FILE_FLAG_BACKUP_SEMANTICS);
  if (locked == INVALID_HANDLE_VALUE)
    return native_fail(GetLastError());
  int locked_file = native_to_file(locked);
  bool is_locked = locked_file >= 0 && _dup2(locked_file, file) == 0;
  if (locked_file >= 0)
    _close(locked_file);
  file_system_disable_inheritance(file); // _dup2 creates a handle that child programs would inherit
  return is_locked;
}

// Only administrators may write a whole file system to disk. Files are synchronized one by one.
bool file_system_synchronize(int file) {
  (void)file;
  errno = ENOSYS;
  return false;
}
