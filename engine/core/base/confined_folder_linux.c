// Confined folders: openat2 where the system supports it, otherwise a walk that resolves links itself.
#include "base/confined_folder.h"

#include "base/assert.h"
#include "base/file_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_LINKS 40     // maximum number of links followed, as in Linux; a longer chain counts as a cycle
#define MAX_DEPTH 64     // maximum nesting depth of folders during a walk
#define MAX_ATTEMPTS 128 // maximum number of openat2 calls; EAGAIN: a rename prevented the check
#define CREATE_MODE 0666 // permissions of created files, restricted by the umask

// Returns the flags for open(). O_NONBLOCK: opening a pipe would otherwise block; the flag has no effect on regular
// files.
static int get_flags(confined_use_t use) {
  static const int FLAGS[] = {
      [CONFINED_READ] = O_RDONLY | O_NONBLOCK | O_NOCTTY,
      [CONFINED_WRITE] = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY,
      [CONFINED_APPEND] = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY,
      [CONFINED_LIST] = O_RDONLY | O_DIRECTORY | O_NONBLOCK,
      [CONFINED_EXAMINE] = O_PATH,
      [CONFINED_EXAMINE_FOLDER] = O_PATH | O_DIRECTORY,
  };
  shoal_assert((size_t)use < sizeof FLAGS / sizeof *FLAGS, "use %d is out of range", (int)use);
  return FLAGS[use] | O_CLOEXEC;
}

typedef struct confined_folder_t {
  struct confined_folder_t *next;
  size_t length;
  char path[];
} confined_folder_t;

// A list that only grows. Any thread can therefore read it without a lock, even in a child process that was forked
// while a thread added a folder.
static _Atomic(confined_folder_t *) confined_folders;

static const confined_folder_t *find_confined_folder(const char *path) {
  const confined_folder_t *innermost = NULL;
  for (const confined_folder_t *folder = atomic_load(&confined_folders); folder; folder = folder->next)
    if (strncmp(path, folder->path, folder->length) == 0 &&
        (path[folder->length] == '/' || path[folder->length] == '\0') &&
        (!innermost || folder->length > innermost->length))
      innermost = folder;
  return innermost;
}

void confine_folder(const char *folder) {
  size_t length = strlen(folder);
  shoal_assert(folder[0] == '/' && length > 1 && folder[length - 1] != '/',
               "expected an absolute path other than / and without a trailing /, got %s", folder);
  const confined_folder_t *existing = find_confined_folder(folder);
  if (existing && existing->length == length)
    return;
  confined_folder_t *added = malloc(sizeof *added + length + 1);
  if (!added)
    abort();
  added->length = length;
  memcpy(added->path, folder, length + 1);
  added->next = atomic_load(&confined_folders);
  while (!atomic_compare_exchange_weak(&confined_folders, &added->next, added))
    ;
}

// --- walking

typedef struct walk_t {
  int folders[MAX_DEPTH]; // descriptors from the root to the current folder; the first is borrowed
  int depth;
  int link_count;                  // number of links followed so far
  char remaining[FILE_PATH_BYTES]; // path components that are not resolved yet
} walk_t;

static int set_errno(int code) {
  errno = code;
  return -1;
}

static int close_keeping_errno(int descriptor) {
  int saved_errno = errno;
  close(descriptor);
  return set_errno(saved_errno);
}

// Replaces a link with its target, followed by the remaining path. Returns true on success, or false with errno.
static bool expand_link(walk_t *walk, const char *name, const char *remaining_path) {
  char target[FILE_PATH_BYTES], joined[FILE_PATH_BYTES];
  ssize_t length = readlinkat(walk->folders[walk->depth], name, target, sizeof target - 1);
  if (length < 0)
    return false;
  target[length] = '\0';
  if (target[0] == '/' || ++walk->link_count > MAX_LINKS) {
    errno = target[0] == '/' ? EXDEV : ELOOP;
    return false;
  }
  size_t rest_length = strlen(remaining_path);
  if ((size_t)length + rest_length + 2 > sizeof joined) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(joined, target, (size_t)length);
  joined[length] = '/';
  memcpy(joined + length + 1, remaining_path, rest_length + 1);
  if (rest_length == 0)
    joined[length] = '\0';
  memcpy(walk->remaining, joined, strlen(joined) + 1);
  return true;
}

static bool enter_folder(walk_t *walk, const char *name) {
  int folder = walk->depth + 1 < MAX_DEPTH
                   ? openat(walk->folders[walk->depth], name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                   : set_errno(ENAMETOOLONG);
  if (folder >= 0)
    walk->folders[++walk->depth] = folder;
  return folder >= 0;
}

static bool leave_folder(walk_t *walk) {
  if (walk->depth == 0) {
    errno = EXDEV;
    return false;
  }
  close(walk->folders[walk->depth--]);
  return true;
}

// Resolves the next component, and opens the file if it is the last component. Returns true if components remain;
// otherwise *result is the opened file, or -1 with errno.
static bool resolve_component(walk_t *walk, int flags, int *result) {
  char name[NAME_MAX + 1], remaining_path[FILE_PATH_BYTES];
  struct stat info;
  size_t start = strspn(walk->remaining, "/"), length = strcspn(walk->remaining + start, "/");
  *result = -1;
  if (length > NAME_MAX)
    return set_errno(ENAMETOOLONG) == 0;
  memcpy(name, walk->remaining + start, length);
  name[length] = '\0';
  snprintf(remaining_path, sizeof remaining_path, "%s", walk->remaining + start + length);
  memmove(remaining_path, remaining_path + strspn(remaining_path, "/"),
          strlen(remaining_path + strspn(remaining_path, "/")) + 1);
  bool is_last = remaining_path[0] == '\0';
  if (length == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
    if (length == 2 && !leave_folder(walk))
      return false;
    memcpy(walk->remaining, remaining_path, strlen(remaining_path) + 1);
    if (is_last)
      *result = openat(walk->folders[walk->depth], ".", flags, CREATE_MODE);
    return !is_last;
  }
  if (fstatat(walk->folders[walk->depth], name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
    return expand_link(walk, name, remaining_path);
  if (!is_last) {
    memcpy(walk->remaining, remaining_path, strlen(remaining_path) + 1);
    return enter_folder(walk, name);
  }
  // O_NOFOLLOW: the file may have been replaced by a symbolic link since fstatat.
  *result = openat(walk->folders[walk->depth], name, flags | O_NOFOLLOW, CREATE_MODE);
  return false;
}

int confined_open_by_walking(int root, const char *relative, confined_use_t use) {
  walk_t walk = {.folders = {root}};
  int result = -1;
  if (strlen(relative) >= sizeof walk.remaining)
    return set_errno(ENAMETOOLONG);
  memcpy(walk.remaining, relative, strlen(relative) + 1);
  while (resolve_component(&walk, get_flags(use), &result))
    ;
  int saved_errno = errno;
  while (walk.depth > 0)
    close(walk.folders[walk.depth--]);
  errno = saved_errno;
  return result;
}

// --- opening

#ifdef SYS_openat2
// struct open_how from <linux/openat2.h>, which older systems lack.
typedef struct open_how_t {
  uint64_t flags, mode, resolve;
} open_how_t;
#define BENEATH 0x08    // value of RESOLVE_BENEATH
#define NO_MAGICLINKS 2 // value of RESOLVE_NO_MAGICLINKS

static int open_beneath(int root, const char *relative, confined_use_t use) {
  int flags = get_flags(use);
  open_how_t how = {.flags = (uint64_t)(unsigned)flags,
                    .mode = flags & O_CREAT ? CREATE_MODE : 0,
                    .resolve = BENEATH | NO_MAGICLINKS};
  int file = -1;
  for (int i = 0; i < MAX_ATTEMPTS; ++i)
    if ((file = (int)syscall(SYS_openat2, root, relative, &how, sizeof how)) >= 0 || errno != EAGAIN)
      break;
  if (file < 0 && (errno == ENOSYS || errno == EPERM))
    return confined_open_by_walking(root, relative, use);
  return file;
}
#else
static int open_beneath(int root, const char *relative, confined_use_t use) {
  return confined_open_by_walking(root, relative, use);
}
#endif

int confined_open(const char *path, confined_use_t use) {
  const confined_folder_t *folder = find_confined_folder(path);
  if (!folder)
    return open(path, get_flags(use), CREATE_MODE);
  int root = open(folder->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return -1;
  const char *relative = path + folder->length;
  relative += strspn(relative, "/");
  int file = open_beneath(root, relative[0] ? relative : ".", use);
  if (file < 0)
    return close_keeping_errno(root);
  close(root);
  return file;
}

bool confined_status(const char *path, file_status_t *out) {
  if (!find_confined_folder(path))
    return file_status(path, out);
  int file = confined_open(path, CONFINED_EXAMINE);
  if (file < 0)
    return false;
  bool is_read = file_status_of_open(file, out);
  close_keeping_errno(file);
  return is_read;
}

int confined_open_parent(const char *path, const char **name) {
  char folder[FILE_PATH_BYTES];
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  size_t length = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
  if (length >= sizeof folder)
    return set_errno(ENAMETOOLONG);
  memcpy(folder, slash ? path : ".", slash ? length : 1);
  folder[slash ? length : 1] = '\0';
  return confined_open(folder, CONFINED_EXAMINE_FOLDER);
}

// Finds the first link in `path`, below the confined folder, that leads out of this folder. Stores the link and its
// target and returns true, or returns false if there is no such link.
static bool find_escaping_link(const confined_folder_t *folder, const char *path, char link[FILE_PATH_BYTES],
                               char target[FILE_PATH_BYTES]) {
  for (const char *end = path + folder->length; *end;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    snprintf(link, FILE_PATH_BYTES, "%.*s", (int)(end - path), path);
    ssize_t length = readlink(link, target, FILE_PATH_BYTES - 1);
    if (length < 0)
      continue;
    target[length] = '\0';
    int file = confined_open(link, CONFINED_EXAMINE);
    if (file < 0 && errno == EXDEV)
      return true;
    if (file >= 0)
      close(file);
  }
  return false;
}

bool confined_set_error(const char *path, error_info_t *error) {
  char link[FILE_PATH_BYTES], target[FILE_PATH_BYTES];
  const confined_folder_t *folder = find_confined_folder(path);
  if (folder && find_escaping_link(folder, path, link, target))
    return error_set(error, "%s: the link to %s leaves the game's folder: replace the link with a copy or %s", link,
                     target, target[0] == '/' ? "a relative link inside the folder" : "a link inside the folder");
  return error_set(error, "%s: the path leaves the folder %s", path, folder ? folder->path : "of the game");
}
