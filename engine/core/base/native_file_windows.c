// Opens files with NtCreateFile, because CreateFileW cannot open a name in an open folder.
#include "base/native_file.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#define NAME_UNITS 256                // maximum number of UTF-16 units in a name, including the final 0
#define MAX_ATTEMPTS 50               // attempts to replace a file that a different program has opened
#define RETRY_MS 20                   // virus scanners and indexers usually close a file within a few milliseconds
#define RENAME_INFORMATION 10         // FileRenameInformation
#define RENAME_INFORMATION_EX 65      // FileRenameInformationEx, since Windows 10 1607
#define DISPOSITION_INFORMATION_EX 64 // FileDispositionInformationEx, since Windows 10 1607
#define REPLACE_IF_EXISTS 1           // flags of FileRenameInformationEx: as in POSIX, the replaced file may be open
#define RENAME_POSIX 2
#define REMOVE_POSIX 0x13            // flags of FileDispositionInformationEx: also removes read-only files
#define STATUS_IS_FOLDER 0xC00000BAu // STATUS_FILE_IS_A_DIRECTORY
#define LINK_BYTES 16384             // MAXIMUM_REPARSE_DATA_BUFFER_SIZE
#define RELATIVE_LINK 1              // SYMLINK_FLAG_RELATIVE

// --- errors

bool native_fail(uint32_t code) {
  static const struct {
    DWORD code;
    int failure;
  } FAILURES[] = {
      {ERROR_FILE_NOT_FOUND, ENOENT},
      {ERROR_PATH_NOT_FOUND, ENOENT},
      {ERROR_INVALID_NAME, ENOENT},
      {ERROR_BAD_PATHNAME, ENOENT},
      {ERROR_BAD_NETPATH, ENOENT},
      {ERROR_INVALID_DRIVE, ENOENT},
      {ERROR_DIRECTORY, ENOTDIR},
      {ERROR_FILE_EXISTS, EEXIST},
      {ERROR_ALREADY_EXISTS, EEXIST},
      {ERROR_SHARING_VIOLATION, EBUSY},
      {ERROR_LOCK_VIOLATION, EAGAIN},
      {ERROR_DELETE_PENDING, EBUSY},
      {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
      {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
      {ERROR_INVALID_HANDLE, EBADF},
      {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
      {ERROR_OUTOFMEMORY, ENOMEM},
      {ERROR_COMMITMENT_LIMIT, ENOMEM},
      {ERROR_DISK_FULL, ENOSPC},
      {ERROR_HANDLE_DISK_FULL, ENOSPC},
      {ERROR_NOT_SAME_DEVICE, EXDEV},
      {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
      {ERROR_BUFFER_OVERFLOW, ENAMETOOLONG},
      {ERROR_BROKEN_PIPE, EPIPE},
      {ERROR_NO_DATA, EPIPE},
      {ERROR_NOT_SUPPORTED, ENOSYS},
      {ERROR_INVALID_FUNCTION, ENOSYS},
      {ERROR_INVALID_PARAMETER, EINVAL},
      {ERROR_NOT_A_REPARSE_POINT, EINVAL},
      {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
      {ERROR_WRITE_PROTECT, EROFS},
      {ERROR_ACCESS_DENIED, EACCES},
      {ERROR_PRIVILEGE_NOT_HELD, EPERM},
      {ERROR_FILE_TOO_LARGE, EFBIG},
      {ERROR_NOACCESS, EFAULT},
  };
  errno = EIO;
  for (size_t i = 0; i < sizeof FAILURES / sizeof *FAILURES; ++i)
    if (FAILURES[i].code == code)
      errno = FAILURES[i].failure;
  return false;
}

static bool fail_status(NTSTATUS status) {
  if ((uint32_t)status != STATUS_IS_FOLDER)
    return native_fail(RtlNtStatusToDosError(status));
  errno = EISDIR; // Windows would report ERROR_ACCESS_DENIED
  return false;
}

// --- paths

static bool set_errno(int failure) {
  errno = failure;
  return false;
}

bool native_path_from_utf8(const char *path, wchar_t out[NATIVE_PATH_MAX]) {
  wchar_t wide[NATIVE_PATH_MAX], full[NATIVE_PATH_MAX];
  if (!path[0])
    return set_errno(ENOENT);
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, NATIVE_PATH_MAX - 8) == 0)
    return set_errno(GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT);
  DWORD count = GetFullPathNameW(wide, NATIVE_PATH_MAX - 8, full, NULL); // also replaces '/' with '\'
  if (count == 0)
    return native_fail(GetLastError());
  if (count >= NATIVE_PATH_MAX - 8)
    return set_errno(ENAMETOOLONG);
  bool is_share = full[0] == '\\' && full[1] == '\\', is_device = is_share && (full[2] == '.' || full[2] == '?');
  const wchar_t *prefix = is_device ? L"" : is_share ? L"\\\\?\\UNC" : L"\\\\?\\";
  wcscpy(out, prefix);
  wcscat(out, full + (is_share && !is_device));
  return true;
}

bool native_path_to_utf8(const wchar_t *path, size_t count, char *out, size_t out_bytes) {
  bool has_prefix = count >= 4 && wcsncmp(path, L"\\\\?\\", 4) == 0;
  bool is_share = has_prefix && count >= 8 && wcsncmp(path + 4, L"UNC\\", 4) == 0;
  size_t skipped = is_share ? 7 : has_prefix ? 4 : 0, start = is_share;
  if (out_bytes <= start + 1)
    return set_errno(ENAMETOOLONG);
  out[0] = '/'; // the first character of "//server/share"; overwritten for all other paths
  int bytes = count > skipped ? WideCharToMultiByte(CP_UTF8, 0, path + skipped, (int)(count - skipped), out + start,
                                                    (int)(out_bytes - start - 1), NULL, NULL)
                              : 0;
  if (bytes == 0 && count > skipped)
    return set_errno(ENAMETOOLONG);
  out[start + (size_t)bytes] = '\0';
  for (char *c = out; *c; ++c)
    if (*c == '\\')
      *c = '/';
  return true;
}

// --- opening

static HANDLE open_native(HANDLE folder, wchar_t *name, const native_open_t *desc) {
  UNICODE_STRING text = {.Length = (USHORT)(wcslen(name) * sizeof *name), .Buffer = name};
  text.MaximumLength = text.Length;
  OBJECT_ATTRIBUTES attributes = {
      .Length = sizeof attributes, .RootDirectory = folder, .ObjectName = &text, .Attributes = OBJ_CASE_INSENSITIVE};
  IO_STATUS_BLOCK result;
  HANDLE handle = NULL;
  ACCESS_MASK access = desc->access | FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;
  NTSTATUS status = NtCreateFile(&handle, access, &attributes, &result, NULL, FILE_ATTRIBUTE_NORMAL,
                                 FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, desc->disposition,
                                 desc->options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT, NULL, 0);
  if (status >= 0)
    return handle;
  fail_status(status);
  return NULL;
}

void *native_open(const char *path, const native_open_t *desc) {
  wchar_t wide[NATIVE_PATH_MAX];
  if (!native_path_from_utf8(path, wide))
    return NULL;
  wide[1] = '?'; // the kernel's name of the folder "\\?\" and of the folder "\\.\"
  wide[2] = '?';
  return open_native(NULL, wide, desc);
}

void *native_open_entry(void *folder, const char *name, const native_open_t *desc) {
  wchar_t wide[NAME_UNITS] = L"";
  // Windows would interpret a name with ':' as a stream of a file, and '\' as a separator.
  if (name && (!name[0] || strpbrk(name, "/\\:"))) {
    errno = ENOENT;
    return NULL;
  }
  if (name && MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide, NAME_UNITS) == 0) {
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
    return NULL;
  }
  return open_native(folder, wide, desc);
}

void native_close(void *handle) {
  int failure = errno;
  if (handle)
    CloseHandle(handle);
  errno = failure;
}

int native_to_file(void *handle) {
  if (!handle)
    return -1;
  int file = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
  if (file < 0)
    native_close(handle);
  return file;
}

void *native_from_file(int file) {
  intptr_t handle = file < 0 ? -1 : _get_osfhandle(file);
  if (handle != -1 && handle != -2) // -2: a standard file without a handle
    return (void *)handle;
  errno = EBADF;
  return NULL;
}

// --- changing

// FILE_RENAME_INFORMATION of Windows' kernel
typedef struct rename_information_t {
  ULONG flags; // FileRenameInformation reads only a byte: 1 replaces an existing file
  HANDLE folder;
  ULONG name_bytes;
  WCHAR name[NAME_UNITS];
} rename_information_t;

static NTSTATUS rename_once(HANDLE handle, rename_information_t *information) {
  IO_STATUS_BLOCK result;
  information->flags = REPLACE_IF_EXISTS | RENAME_POSIX;
  NTSTATUS status = NtSetInformationFile(handle, &result, information, sizeof *information,
                                         (FILE_INFORMATION_CLASS)RENAME_INFORMATION_EX);
  if (status >= 0)
    return status;
  information->flags = 1; // the file system or the version of Windows lacks FileRenameInformationEx
  return NtSetInformationFile(handle, &result, information, sizeof *information,
                              (FILE_INFORMATION_CLASS)RENAME_INFORMATION);
}

static bool set_name(rename_information_t *information, const char *name) {
  bool is_entry = !strpbrk(name, "/\\:");
  int units =
      is_entry ? MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, information->name, NAME_UNITS) : 0;
  if (units <= 1)
    return set_errno(ENOENT);
  information->name_bytes = (ULONG)(units - 1) * (ULONG)sizeof *information->name;
  return true;
}

// Without FileRenameInformationEx, an open file cannot be replaced, but it can be renamed. The previous file gets a
// different name, and is removed once it is closed. If the program ends between the steps, both files exist with other
// names.
static bool replace_open_entry(HANDLE handle, rename_information_t *information, const char *name) {
  const native_open_t desc = {.access = DELETE, .disposition = FILE_OPEN, .options = FILE_OPEN_REPARSE_POINT};
  rename_information_t kept = {.folder = information->folder}, restored = {.folder = information->folder};
  char kept_name[NAME_UNITS];
  HANDLE previous = native_open_entry(information->folder, name, &desc);
  if (!previous)
    return false;
  snprintf(kept_name, sizeof kept_name, ".replaced.%lx.%lx.tmp", GetCurrentProcessId(), GetCurrentThreadId());
  bool is_replaced = false;
  NTSTATUS status = set_name(&kept, kept_name) && set_name(&restored, name) ? rename_once(previous, &kept) : -1;
  if (status >= 0) {
    status = rename_once(handle, information);
    is_replaced = status >= 0;
    if (is_replaced)
      native_remove(previous);
    else
      rename_once(previous, &restored);
  }
  native_close(previous);
  return is_replaced || fail_status(status);
}

bool native_rename_entry(void *handle, void *folder, const char *name) {
  rename_information_t information = {.folder = folder};
  if (!set_name(&information, name))
    return false;
  for (int i = 0;; ++i) {
    NTSTATUS status = rename_once(handle, &information);
    if (status >= 0)
      return true;
    fail_status(status);
    if ((errno != EACCES && errno != EBUSY) || i == MAX_ATTEMPTS)
      return false;
    if (replace_open_entry(handle, &information, name))
      return true;
    Sleep(RETRY_MS);
  }
}

bool native_remove(void *handle) {
  IO_STATUS_BLOCK result;
  ULONG flags = REMOVE_POSIX; // the name is free at once, even if a different program has opened the file
  FILE_DISPOSITION_INFO information = {.DeleteFile = TRUE};
  NTSTATUS status =
      NtSetInformationFile(handle, &result, &flags, sizeof flags, (FILE_INFORMATION_CLASS)DISPOSITION_INFORMATION_EX);
  if (status >= 0 || SetFileInformationByHandle(handle, FileDispositionInfo, &information, sizeof information))
    return true;
  return native_fail(GetLastError());
}

// Data of symbolic links and junctions. Junctions lack `flags`. Offsets are in bytes from the text that follows.
typedef struct link_data_t {
  ULONG tag;
  USHORT bytes, reserved;
  USHORT target_offset, target_bytes, shown_offset, shown_bytes;
  union {
    struct {
      ULONG flags;
      WCHAR text[1];
    } link;
    WCHAR junction[1];
  } data;
} link_data_t;

bool native_read_link(void *handle, char *out, size_t out_bytes, bool *is_relative) {
  union {
    link_data_t data;
    char bytes[LINK_BYTES];
  } link;
  DWORD bytes;
  if (!DeviceIoControl(handle, FSCTL_GET_REPARSE_POINT, NULL, 0, &link, sizeof link, &bytes, NULL))
    return native_fail(GetLastError());
  if (link.data.tag != IO_REPARSE_TAG_SYMLINK && link.data.tag != IO_REPARSE_TAG_MOUNT_POINT)
    return set_errno(EINVAL);
  bool is_link = link.data.tag == IO_REPARSE_TAG_SYMLINK;
  *is_relative = is_link && link.data.data.link.flags & RELATIVE_LINK;
  // The shown target of an absolute link lacks the kernel's prefix. Only the target itself is always present.
  bool is_shown = !*is_relative && link.data.shown_bytes > 0;
  size_t start = is_link ? offsetof(link_data_t, data.link.text) : offsetof(link_data_t, data.junction);
  size_t size = is_shown ? link.data.shown_bytes : link.data.target_bytes;
  start += is_shown ? link.data.shown_offset : link.data.target_offset;
  if (start % sizeof(WCHAR) != 0 || start + size > bytes)
    return set_errno(EINVAL);
  return native_path_to_utf8((const WCHAR *)(const void *)(link.bytes + start), size / sizeof(WCHAR), out, out_bytes);
}
