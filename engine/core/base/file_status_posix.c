// Reads the status of files with stat.
#include "base/file_status.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

static file_type_t type_of(mode_t mode) {
  return S_ISREG(mode)    ? FILE_TYPE_REGULAR
         : S_ISDIR(mode)  ? FILE_TYPE_FOLDER
         : S_ISLNK(mode)  ? FILE_TYPE_LINK
         : S_ISFIFO(mode) ? FILE_TYPE_PIPE
         : S_ISSOCK(mode) ? FILE_TYPE_SOCKET
                          : FILE_TYPE_DEVICE;
}

static int64_t to_ns(struct timespec time) {
  return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

// Converts the result of a stat function that returned `code`. Returns true if the function succeeded.
static bool convert(int code, const struct stat *status, file_status_t *out) {
  if (code != 0)
    return false;
  *out = (file_status_t){.type = type_of(status->st_mode),
                         .permissions = status->st_mode & 07777,
                         .owner = status->st_uid,
                         .device = status->st_dev,
                         .number = status->st_ino,
                         .size_bytes = (uint64_t)status->st_size,
                         .accessed_ns = to_ns(status->st_atim),
                         .modified_ns = to_ns(status->st_mtim),
                         .changed_ns = to_ns(status->st_ctim)};
  return true;
}

bool file_status(const char *path, file_status_t *out) {
  struct stat status;
  return convert(stat(path, &status), &status, out);
}

bool file_status_of_link(const char *path, file_status_t *out) {
  struct stat status;
  return convert(lstat(path, &status), &status, out);
}

bool file_status_of_open(int file, file_status_t *out) {
  struct stat status;
  return convert(fstat(file, &status), &status, out);
}

bool file_status_of_entry(int folder, const char *name, file_status_t *out) {
  struct stat status;
  return convert(fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW), &status, out);
}

bool file_status_permits(const char *path, uint32_t uses) {
  int mode =
      (uses & FILE_USE_EXECUTE ? X_OK : 0) | (uses & FILE_USE_WRITE ? W_OK : 0) | (uses & FILE_USE_READ ? R_OK : 0);
  return access(path, mode) == 0;
}

bool file_status_set_permissions(const char *path, uint32_t permissions) {
  return chmod(path, (mode_t)permissions) == 0;
}

bool file_status_is_own(const file_status_t *status) {
  return status->owner == geteuid();
}

static struct timespec to_time(int64_t ns) {
  int64_t seconds = ns / NS_PER_S - (ns % NS_PER_S < 0);
  return (struct timespec){.tv_sec = seconds, .tv_nsec = ns - seconds * NS_PER_S};
}

bool file_status_set_times(const char *path, const file_status_t *times) {
  return utimensat(AT_FDCWD, path, (struct timespec[]){to_time(times->accessed_ns), to_time(times->modified_ns)}, 0) ==
         0;
}
