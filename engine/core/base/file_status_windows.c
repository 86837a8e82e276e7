// Reads the status of files from open handles. Windows has no POSIX permissions: only the user's own are reported, from
// the attribute "read-only". The access list of a new file is inherited from its folder; in the user's profile, it
// excludes all other users except administrators.
#include "base/file_status.h"

#include "base/native_file.h"

#include <errno.h>
#include <io.h>
#include <string.h>
#include <windows.h>
#include <aclapi.h>
#include <winternl.h>

// Windows defines these names as macros; the results of GetFileType are named below instead.
#undef FILE_TYPE_UNKNOWN
#undef FILE_TYPE_PIPE

#define SYSTEM_TYPE_DEVICE 2 // results of GetFileType
#define SYSTEM_TYPE_PIPE 3
#define NS_PER_TICK 100 // FILETIME counts 100 ns since 1601
#define TICKS_TO_1970 INT64_C(116444736000000000)
#define OWN 1 // value of `owner` for files of this user
#define DIFFERENT 0
#define TOKEN_BYTES 256 // TOKEN_OWNER and its SID (at most 68 bytes)

static int64_t to_ns(LARGE_INTEGER time) {
  return (time.QuadPart - TICKS_TO_1970) * NS_PER_TICK;
}

// Returns true if new files of this process would have the same owner: the user, or the group of administrators if an
// administrator runs the program.
static bool is_own_sid(PSID owner) {
  _Alignas(TOKEN_OWNER) char bytes[TOKEN_BYTES];
  DWORD size;
  HANDLE token;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
    return false;
  bool is_own = (GetTokenInformation(token, TokenOwner, bytes, sizeof bytes, &size) &&
                 EqualSid(owner, ((TOKEN_OWNER *)(void *)bytes)->Owner)) ||
                (GetTokenInformation(token, TokenUser, bytes, sizeof bytes, &size) &&
                 EqualSid(owner, ((TOKEN_USER *)(void *)bytes)->User.Sid));
  CloseHandle(token);
  return is_own;
}

static uint32_t find_owner(HANDLE handle) {
  PSID owner = NULL;
  PSECURITY_DESCRIPTOR descriptor = NULL;
  if (GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL, &descriptor) !=
      ERROR_SUCCESS)
    return DIFFERENT;
  uint32_t result = owner && is_own_sid(owner) ? OWN : DIFFERENT;
  LocalFree(descriptor);
  return result;
}

static file_type_t type_of(DWORD attributes, DWORD tag) {
  bool is_link = attributes & FILE_ATTRIBUTE_REPARSE_POINT && IsReparseTagNameSurrogate(tag);
  return is_link ? FILE_TYPE_LINK : attributes & FILE_ATTRIBUTE_DIRECTORY ? FILE_TYPE_FOLDER : FILE_TYPE_REGULAR;
}

static bool read_identity(HANDLE handle, file_status_t *out) {
  FILE_ID_INFO id;
  BY_HANDLE_FILE_INFORMATION information;
  if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
    uint64_t halves[2]; // the second is 0, except on ReFS
    memcpy(halves, &id.FileId, sizeof halves);
    out->device = id.VolumeSerialNumber;
    out->number = halves[0] ^ halves[1] * UINT64_C(0x9e3779b97f4a7c15);
    return true;
  }
  if (!GetFileInformationByHandle(handle, &information))
    return false;
  out->device = information.dwVolumeSerialNumber;
  out->number = (uint64_t)information.nFileIndexHigh << 32 | information.nFileIndexLow;
  return true;
}

static bool read_status(HANDLE handle, file_status_t *out) {
  FILE_BASIC_INFO basic;
  FILE_STANDARD_INFO standard;
  FILE_ATTRIBUTE_TAG_INFO tag = {0};
  if (!handle)
    return false;
  DWORD kind = GetFileType(handle) & ~(DWORD)FILE_TYPE_REMOTE;
  if (kind == SYSTEM_TYPE_PIPE || kind == SYSTEM_TYPE_DEVICE) {
    *out = (file_status_t){.type = kind == SYSTEM_TYPE_PIPE ? FILE_TYPE_PIPE : FILE_TYPE_DEVICE, .owner = OWN};
    return true;
  }
  *out = (file_status_t){0};
  if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) ||
      !GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard) ||
      !read_identity(handle, out))
    return native_fail(GetLastError());
  if (basic.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
    GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag);
  out->type = type_of(basic.FileAttributes, tag.ReparseTag);
  bool is_folder = out->type == FILE_TYPE_FOLDER,
       is_fixed = !is_folder && basic.FileAttributes & FILE_ATTRIBUTE_READONLY;
  out->permissions = (is_fixed ? 0400u : 0600u) | (is_folder ? 0100u : 0u);
  out->owner = find_owner(handle);
  out->size_bytes = is_folder ? 0 : (uint64_t)standard.EndOfFile.QuadPart;
  out->accessed_ns = to_ns(basic.LastAccessTime);
  out->modified_ns = to_ns(basic.LastWriteTime);
  out->changed_ns = to_ns(basic.ChangeTime);
  return true;
}

// Reads the status from a handle of native_open, and closes the handle.
static bool read_and_close(HANDLE handle, file_status_t *out) {
  bool is_read = read_status(handle, out);
  native_close(handle);
  return is_read;
}

bool file_status(const char *path, file_status_t *out) {
  return read_and_close(native_open(path, &(native_open_t){.disposition = FILE_OPEN}), out);
}

bool file_status_of_link(const char *path, file_status_t *out) {
  return read_and_close(
      native_open(path, &(native_open_t){.disposition = FILE_OPEN, .options = FILE_OPEN_REPARSE_POINT}), out);
}

bool file_status_of_open(int file, file_status_t *out) {
  return read_status(native_from_file(file), out);
}

bool file_status_of_entry(int folder, const char *name, file_status_t *out) {
  HANDLE handle = native_from_file(folder);
  return handle && read_and_close(native_open_entry(
                                      handle, name,
                                      &(native_open_t){.disposition = FILE_OPEN, .options = FILE_OPEN_REPARSE_POINT}),
                                  out);
}

// Opens the file with the requested rights, because the system decides them from access lists. The attribute
// "read-only" does not restrict folders.
bool file_status_permits(const char *path, uint32_t uses) {
  file_status_t status;
  uint32_t access = 0;
  if (!file_status(path, &status))
    return false;
  bool is_folder = status.type == FILE_TYPE_FOLDER;
  if (uses & FILE_USE_READ)
    access |= FILE_READ_DATA; // equal to FILE_LIST_DIRECTORY
  if (uses & FILE_USE_WRITE)
    access |= FILE_WRITE_DATA | FILE_APPEND_DATA; // equal to the rights to add files and folders
  if (uses & FILE_USE_EXECUTE)
    access |= FILE_EXECUTE; // equal to FILE_TRAVERSE
  if (!is_folder && uses & FILE_USE_WRITE && !(status.permissions & 0200)) {
    errno = EACCES;
    return false;
  }
  HANDLE handle = native_open(path, &(native_open_t){.access = access, .disposition = FILE_OPEN});
  native_close(handle);
  return handle;
}

static bool set_basic(const char *path, const FILE_BASIC_INFO *basic) {
  FILE_BASIC_INFO copy = *basic; // the system's function takes a pointer to data that it may change
  HANDLE handle = native_open(path, &(native_open_t){.access = FILE_WRITE_ATTRIBUTES, .disposition = FILE_OPEN});
  if (!handle)
    return false;
  bool is_set = SetFileInformationByHandle(handle, FileBasicInfo, &copy, sizeof copy) || native_fail(GetLastError());
  native_close(handle);
  return is_set;
}

bool file_status_set_permissions(const char *path, uint32_t permissions) {
  FILE_BASIC_INFO basic = {0}; // times of 0 are not changed
  HANDLE handle = native_open(path, &(native_open_t){.disposition = FILE_OPEN});
  if (!handle)
    return false;
  bool is_read =
      GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) || native_fail(GetLastError());
  native_close(handle);
  if (!is_read || basic.FileAttributes & FILE_ATTRIBUTE_DIRECTORY)
    return is_read;
  DWORD kept = basic.FileAttributes & ~(DWORD)(FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_NORMAL);
  basic = (FILE_BASIC_INFO){.FileAttributes = kept | (permissions & 0200 ? 0 : FILE_ATTRIBUTE_READONLY)};
  if (basic.FileAttributes == 0)
    basic.FileAttributes = FILE_ATTRIBUTE_NORMAL; // 0 would not change the attributes
  return set_basic(path, &basic);
}

bool file_status_is_own(const file_status_t *status) {
  return status->owner == OWN;
}

static LARGE_INTEGER to_ticks(int64_t ns) {
  int64_t ticks = ns / NS_PER_TICK - (ns % NS_PER_TICK < 0);
  return (LARGE_INTEGER){.QuadPart = ticks + TICKS_TO_1970};
}

bool file_status_set_times(const char *path, const file_status_t *times) {
  return set_basic(path, &(FILE_BASIC_INFO){.LastAccessTime = to_ticks(times->accessed_ns),
                                            .LastWriteTime = to_ticks(times->modified_ns)});
}
