// Library for LD_PRELOAD that makes one file system call fail: opening, reading or examining a file or a folder. The
// suite tests/scenarios/file_faults.sh builds it. A call counts if its path is below one of the folders in
// FAULT_FOLDERS, which are separated by ':'. Environment:
//   FAULT_AT     number of the call that fails, from 1; 0: no call fails
//   FAULT_ERROR  its errno value
//   FAULT_LOG    path of a file to which each process appends "count N" when it exits, and the call that failed
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))find_real(#name))

// Shared by all threads; a forked child continues the count of its parent.
static struct {
  long at;
  int error;
  const char *folders, *log;
  atomic_long count;
} faults;

static void *find_real(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function)
    abort();
  return function;
}

static void write_line(const char *format, ...) {
  char line[PATH_MAX + 128];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  int file = faults.log ? (int)syscall(SYS_openat, AT_FDCWD, faults.log, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
  if (file < 0)
    return;
  if (write(file, line, (size_t)length) < 0)
    abort();
  close(file);
}

__attribute__((constructor)) static void read_environment(void) {
  const char *at = getenv("FAULT_AT"), *error = getenv("FAULT_ERROR");
  faults.at = at ? atol(at) : 0;
  faults.error = error ? atoi(error) : EIO;
  faults.folders = getenv("FAULT_FOLDERS");
  faults.log = getenv("FAULT_LOG");
}

__attribute__((destructor)) static void write_count(void) {
  write_line("count %ld\n", (long)atomic_load(&faults.count));
}

static bool is_below_folders(const char *path) {
  for (const char *folder = faults.folders; folder && *folder;) {
    size_t length = strcspn(folder, ":");
    if (strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0'))
      return true;
    folder += length + (folder[length] == ':');
  }
  return false;
}

// Stores the absolute path of `path` relative to an open folder; "" if unknown.
static void find_path(int folder, const char *path, char out[PATH_MAX]) {
  char link[64], base[PATH_MAX] = "";
  out[0] = '\0';
  if (path && path[0] == '/') {
    snprintf(out, PATH_MAX, "%s", path);
    return;
  }
  if (folder == AT_FDCWD)
    snprintf(link, sizeof link, "/proc/self/cwd");
  else
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, base, sizeof base - 1);
  if (length > 0)
    snprintf(out, PATH_MAX, "%.*s%s%s", (int)length, base, path && path[0] ? "/" : "", path ? path : "");
}

// Returns true and sets errno if this call must fail; otherwise returns false and keeps errno.
static bool must_fail(const char *call, int folder, const char *path) {
  char full_path[PATH_MAX];
  int saved_errno = errno;
  find_path(folder, path, full_path);
  bool fails = is_below_folders(full_path) && atomic_fetch_add(&faults.count, 1) + 1 == faults.at;
  if (fails)
    write_line("failed %s %s\n", call, full_path);
  errno = fails ? faults.error : saved_errno;
  return fails;
}

static mode_t read_mode(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define DEFINE_OPEN(name)                                                                                              \
  int name(const char *path, int flags, ...) {                                                                         \
    va_list arguments;                                                                                                 \
    va_start(arguments, flags);                                                                                        \
    mode_t mode = read_mode(flags, arguments);                                                                         \
    va_end(arguments);                                                                                                 \
    return must_fail("open", AT_FDCWD, path) ? -1 : REAL(name)(path, flags, mode);                                     \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                                                                            \
  int name(int folder, const char *path, int flags, ...) {                                                             \
    va_list arguments;                                                                                                 \
    va_start(arguments, flags);                                                                                        \
    mode_t mode = read_mode(flags, arguments);                                                                         \
    va_end(arguments);                                                                                                 \
    return must_fail("open", folder, path) ? -1 : REAL(name)(folder, path, flags, mode);                               \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

// The program calls openat2 in this way.
long syscall(long number, ...) {
  va_list arguments;
  long a[6];
  va_start(arguments, number);
  for (int i = 0; i < 6; ++i)
    a[i] = va_arg(arguments, long);
  va_end(arguments);
#ifdef SYS_openat2
  if (number == SYS_openat2 && must_fail("open", (int)a[0], (const char *)a[1]))
    return -1;
#endif
  return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define DEFINE_FOPEN(name)                                                                                             \
  FILE *name(const char *path, const char *mode) {                                                                     \
    return must_fail("open", AT_FDCWD, path) ? NULL : REAL(name)(path, mode);                                          \
  }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

DIR *opendir(const char *path) {
  return must_fail("open", AT_FDCWD, path) ? NULL : REAL(opendir)(path);
}

DIR *fdopendir(int folder) {
  return must_fail("open", folder, NULL) ? NULL : REAL(fdopendir)(folder);
}

// Counts only the first call for a folder and the call that reaches its end.
#define DEFINE_READDIR(name, type)                                                                                     \
  struct type *name(DIR *folder) {                                                                                     \
    bool is_first = telldir(folder) == 0;                                                                              \
    struct type *entry = REAL(name)(folder);                                                                           \
    return (is_first || !entry) && must_fail("readdir", dirfd(folder), NULL) ? NULL : entry;                           \
  }
DEFINE_READDIR(readdir, dirent)
DEFINE_READDIR(readdir64, dirent64)

ssize_t read(int file, void *out, size_t bytes) {
  return must_fail("read", file, NULL) ? -1 : REAL(read)(file, out, bytes);
}

ssize_t pread(int file, void *out, size_t bytes, off_t offset) {
  return must_fail("read", file, NULL) ? -1 : REAL(pread)(file, out, bytes, offset);
}

ssize_t pread64(int file, void *out, size_t bytes, off64_t offset) {
  return must_fail("read", file, NULL) ? -1 : REAL(pread64)(file, out, bytes, offset);
}

char *realpath(const char *path, char *out) {
  return must_fail("realpath", AT_FDCWD, path) ? NULL : REAL(realpath)(path, out);
}

int access(const char *path, int mode) {
  return must_fail("access", AT_FDCWD, path) ? -1 : REAL(access)(path, mode);
}

#define DEFINE_STAT(name, type)                                                                                        \
  int name(const char *path, struct type *out) {                                                                       \
    return must_fail(#name, AT_FDCWD, path) ? -1 : REAL(name)(path, out);                                              \
  }
DEFINE_STAT(stat, stat)
DEFINE_STAT(stat64, stat64)
DEFINE_STAT(lstat, stat)
DEFINE_STAT(lstat64, stat64)

int fstat(int file, struct stat *out) {
  return must_fail("fstat", file, NULL) ? -1 : REAL(fstat)(file, out);
}

int fstat64(int file, struct stat64 *out) {
  return must_fail("fstat", file, NULL) ? -1 : REAL(fstat64)(file, out);
}

int fstatat(int folder, const char *path, struct stat *out, int flags) {
  return must_fail("fstatat", folder, path) ? -1 : REAL(fstatat)(folder, path, out, flags);
}
