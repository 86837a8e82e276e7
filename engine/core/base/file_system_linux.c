// Changes files and folders with Linux system calls.
#include "base/file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_OPEN_FOLDERS 16 // maximum number of open folders while a tree is removed; deeper trees reopen folders

int file_system_open(const char *path, bool writes) {
  return open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

int file_system_open_unlinked(const char *path) {
  return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int file_system_create_private(const char *path) {
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int file_system_open_private(const char *path) {
  return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int file_system_create_temporary(char *path, size_t suffix_bytes) {
  return mkostemps(path, (int)suffix_bytes, O_CLOEXEC);
}

bool file_system_close(int file) {
  return close(file) == 0;
}

bool file_system_is_open(int file) {
  return fcntl(file, F_GETFD) >= 0;
}

int file_system_duplicate(int file) {
  return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

void file_system_disable_inheritance(int file) {
  fcntl(file, F_SETFD, FD_CLOEXEC);
}

bool file_system_reopen_standard_files(void) {
  bool has_replaced = false;
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (file_system_is_open(file))
      continue;
    if (open("/dev/null", O_RDWR) != file) // uses the smallest free descriptor
      return has_replaced;
    has_replaced = true;
  }
  return has_replaced;
}

int64_t file_system_read(int file, void *out, size_t bytes) {
  ssize_t count;
  do
    count = read(file, out, bytes);
  while (count < 0 && errno == EINTR);
  return count;
}

int64_t file_system_write(int file, const void *data, size_t bytes) {
  ssize_t count;
  do
    count = write(file, data, bytes);
  while (count < 0 && errno == EINTR);
  return count;
}

bool file_system_write_at(int file, uint64_t offset, const void *data, size_t bytes) {
  return pwrite(file, data, bytes, (off_t)offset) == (ssize_t)bytes;
}

bool file_system_empty(int file) {
  return ftruncate(file, 0) == 0;
}

FILE *file_system_open_stream(int file, bool appends) {
  return fdopen(file, appends ? "ab" : "wb");
}

bool file_system_synchronize_file(int file) {
  return fsync(file) == 0;
}

static struct flock get_byte_range(uint64_t offset) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = 1};
}

bool file_system_lock_byte(int file, uint64_t offset) {
  struct flock range = get_byte_range(offset);
  return fcntl(file, F_SETLK, &range) == 0;
}

void file_system_unlock_byte(int file, uint64_t offset) {
  struct flock range = get_byte_range(offset);
  range.l_type = F_UNLCK;
  (void)fcntl(file, F_SETLK, &range); // always succeeds for an open file
}

bool file_system_find_lock_holder(int file, uint64_t offset, long *process) {
  struct flock range = get_byte_range(offset);
  if (fcntl(file, F_GETLK, &range) != 0 || range.l_type == F_UNLCK)
    return false;
  *process = range.l_pid > 0 ? range.l_pid : 0;
  return true;
}

size_t file_system_read_at(int file, uint64_t offset, void *out, size_t bytes) {
  ssize_t count = pread(file, out, bytes, (off_t)offset);
  return count > 0 ? (size_t)count : 0;
}

bool file_system_write_start(int file, const void *data, size_t bytes) {
  if (pwrite(file, data, bytes, 0) == (ssize_t)bytes)
    return true;
  int reason = errno;
  (void)!ftruncate(file, 0);
  errno = reason;
  return false;
}

bool file_system_add_name(const char *path, const char *new_path) {
  return link(path, new_path) == 0;
}

bool file_system_rename(const char *path, const char *new_path) {
  return rename(path, new_path) == 0;
}

bool file_system_exchange(const char *a, const char *b) {
  return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
}

int file_system_create_entry(int folder, const char *name) {
  return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

bool file_system_replace_entry(int folder, const char *new_name, const char *name) {
  return renameat(folder, new_name, folder, name) == 0;
}

bool file_system_remove_entry(int folder, const char *name) {
  return unlinkat(folder, name, 0) == 0;
}

bool file_system_remove_folder_entry(int folder, const char *name) {
  return unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

bool file_system_create_folder(const char *path, bool is_private) {
  return mkdir(path, is_private ? 0700 : 0777) == 0;
}

bool file_system_create_temporary_folder(char *path) {
  return mkdtemp(path) != NULL;
}

bool file_system_remove_folder(const char *path) {
  return rmdir(path) == 0;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *position) {
  (void)info, (void)kind, (void)position;
  remove(path);
  return 0;
}

void file_system_remove_tree(const char *path) {
  nftw(path, remove_entry, MAX_OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int file_system_open_folder(const char *path) {
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool file_system_lock(int file) {
  return flock(file, LOCK_EX | LOCK_NB) == 0;
}

bool file_system_synchronize(int file) {
  return syncfs(file) == 0;
}
