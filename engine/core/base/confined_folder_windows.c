// Confined folders: a walk opens each component of a path in its open folder and resolves links itself.
#include "base/confined_folder.h"

#include "base/assert.h"
#include "base/file_path.h"
#include "base/file_system.h"
#include "base/native_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#define MAX_LINKS 40   // maximum number of links followed, as on Linux; a longer chain counts as a cycle
#define MAX_DEPTH 64   // maximum nesting depth of folders during a walk
#define NAME_BYTES 766 // 255 UTF-16 units need at most 765 bytes

static native_open_t get_desc(confined_use_t use) {
  static const native_open_t DESCS[] = {
      [CONFINED_READ] = {.access = FILE_READ_DATA | FILE_READ_EA, .disposition = FILE_OPEN},
      [CONFINED_WRITE] = {.access = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES,
                          .disposition = FILE_OPEN_IF,
                          .options = FILE_NON_DIRECTORY_FILE},
      // Without the right FILE_WRITE_DATA, each write appends.
      [CONFINED_APPEND] = {.access = FILE_APPEND_DATA | FILE_WRITE_ATTRIBUTES,
                           .disposition = FILE_OPEN_IF,
                           .options = FILE_NON_DIRECTORY_FILE},
      [CONFINED_LIST] = {.access = FILE_LIST_DIRECTORY | FILE_TRAVERSE,
                         .disposition = FILE_OPEN,
                         .options = FILE_DIRECTORY_FILE},
      [CONFINED_EXAMINE] = {.disposition = FILE_OPEN},
      [CONFINED_EXAMINE_FOLDER] = {.access = FILE_TRAVERSE, .disposition = FILE_OPEN, .options = FILE_DIRECTORY_FILE},
  };
  shoal_assert((size_t)use < sizeof DESCS / sizeof *DESCS, "use %d is out of range", (int)use);
  return DESCS[use];
}

typedef struct confined_folder_t {
  struct confined_folder_t *next;
  size_t length;
  char path[];
} confined_folder_t;

// A list that only grows. Any thread can therefore read it without a lock.
static _Atomic(confined_folder_t *) confined_folders;

// Windows compares names regardless of case. Only Latin letters are compared in this way here: the program passes the
// folder's own spelling.
static const confined_folder_t *find_confined_folder(const char *path) {
  const confined_folder_t *innermost = NULL;
  for (const confined_folder_t *folder = atomic_load(&confined_folders); folder; folder = folder->next)
    if (_strnicmp(path, folder->path, folder->length) == 0 &&
        (path[folder->length] == '/' || path[folder->length] == '\0') &&
        (!innermost || folder->length > innermost->length))
      innermost = folder;
  return innermost;
}

void confine_folder(const char *folder) {
  size_t length = strlen(folder);
  shoal_assert(path_is_absolute(folder) && length > 1 && folder[length - 1] != '/',
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
  HANDLE folders[MAX_DEPTH]; // handles from the root to the current folder; the first is borrowed
  int depth;
  int link_count;                  // number of links followed so far
  char remaining[FILE_PATH_BYTES]; // path components that are not resolved yet
} walk_t;

static bool fail(int code) {
  errno = code;
  return false;
}

// Replaces an open link with its target, followed by the remaining path. A junction, and any other object that leads
// elsewhere, is refused. Returns true on success, or false with errno.
static bool expand_link(walk_t *walk, HANDLE link, const char *remaining_path) {
  char target[FILE_PATH_BYTES], joined[FILE_PATH_BYTES];
  bool is_relative;
  if (!native_read_link(link, target, sizeof target, &is_relative))
    return fail(EXDEV);
  if (!is_relative || path_is_rooted(target))
    return fail(EXDEV);
  if (++walk->link_count > MAX_LINKS)
    return fail(ELOOP);
  int length = snprintf(joined, sizeof joined, "%s%s%s", target, remaining_path[0] ? "/" : "", remaining_path);
  if (length < 0 || (size_t)length >= sizeof joined)
    return fail(ENAMETOOLONG);
  memcpy(walk->remaining, joined, (size_t)length + 1);
  return true;
}

// Returns true if the open file leads elsewhere.
static bool is_link(HANDLE handle) {
  FILE_ATTRIBUTE_TAG_INFO info;
  return GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &info, sizeof info) &&
         info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

static bool leave_folder(walk_t *walk) {
  if (walk->depth == 0)
    return fail(EXDEV);
  native_close(walk->folders[walk->depth--]);
  return true;
}

// Opens the component `name` as its kind requires. Returns true if components remain; otherwise *result is the opened
// file, or NULL with errno. A file is never replaced by the target of a link, even if it becomes a link meanwhile,
// because FILE_OPEN_REPARSE_POINT opens the link itself.
static bool open_component(walk_t *walk, const char *name, const char *remaining_path, const native_open_t *last,
                           HANDLE *result) {
  bool is_last = remaining_path[0] == '\0';
  native_open_t desc =
      is_last ? *last
              : (native_open_t){.access = FILE_TRAVERSE, .disposition = FILE_OPEN, .options = FILE_DIRECTORY_FILE};
  desc.options |= FILE_OPEN_REPARSE_POINT;
  HANDLE opened = native_open_entry(walk->folders[walk->depth], name, &desc);
  if (!opened && errno != ENOENT &&
      is_last) { // a link to a folder is itself a folder, which a file's rights do not fit
    int failure = errno;
    const native_open_t examined = {.disposition = FILE_OPEN, .options = FILE_OPEN_REPARSE_POINT};
    opened = native_open_entry(walk->folders[walk->depth], name, &examined);
    if (opened && !is_link(opened)) {
      native_close(opened);
      opened = NULL;
    }
    errno = failure;
  }
  if (!opened)
    return false;
  if (is_link(opened)) {
    bool is_expanded = expand_link(walk, opened, remaining_path);
    native_close(opened);
    return is_expanded;
  }
  memmove(walk->remaining, remaining_path, strlen(remaining_path) + 1);
  if (is_last) {
    *result = opened;
    return false;
  }
  if (walk->depth + 1 == MAX_DEPTH) {
    native_close(opened);
    return fail(ENAMETOOLONG);
  }
  walk->folders[++walk->depth] = opened;
  return true;
}

// Resolves the next component. Returns true if components remain; otherwise *result is the opened file, or NULL with
// errno.
static bool resolve_component(walk_t *walk, const native_open_t *last, HANDLE *result) {
  char name[NAME_BYTES], remaining_path[FILE_PATH_BYTES];
  size_t start = strspn(walk->remaining, "/"), length = strcspn(walk->remaining + start, "/");
  if (length >= sizeof name)
    return fail(ENAMETOOLONG);
  memcpy(name, walk->remaining + start, length);
  name[length] = '\0';
  const char *rest = walk->remaining + start + length;
  rest += strspn(rest, "/");
  memcpy(remaining_path, rest, strlen(rest) + 1);
  if (length > 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
    return open_component(walk, name, remaining_path, last, result);
  if (length == 2 && !leave_folder(walk))
    return false;
  memcpy(walk->remaining, remaining_path, strlen(remaining_path) + 1);
  if (remaining_path[0])
    return true;
  *result = native_open_entry(walk->folders[walk->depth], NULL, last);
  return false;
}

static int open_beneath(HANDLE root, const char *relative, confined_use_t use) {
  walk_t walk = {.folders = {root}};
  native_open_t desc = get_desc(use);
  HANDLE result = NULL;
  if (strlen(relative) >= sizeof walk.remaining) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(walk.remaining, relative, strlen(relative) + 1);
  while (resolve_component(&walk, &desc, &result))
    ;
  while (walk.depth > 0)
    native_close(walk.folders[walk.depth--]);
  return native_to_file(result);
}

int confined_open_by_walking(int root, const char *relative, confined_use_t use) {
  HANDLE handle = native_from_file(root);
  return handle ? open_beneath(handle, relative, use) : -1;
}

// --- opening

int confined_open(const char *path, confined_use_t use) {
  const confined_folder_t *folder = find_confined_folder(path);
  native_open_t desc = get_desc(folder ? CONFINED_EXAMINE_FOLDER : use);
  HANDLE opened = native_open(folder ? folder->path : path, &desc);
  if (!folder || !opened)
    return native_to_file(opened);
  int file = open_beneath(opened, path + folder->length, use);
  native_close(opened);
  return file;
}

bool confined_status(const char *path, file_status_t *out) {
  if (!find_confined_folder(path))
    return file_status(path, out);
  int file = confined_open(path, CONFINED_EXAMINE);
  if (file < 0)
    return false;
  bool is_read = file_status_of_open(file, out);
  int failure = errno;
  file_system_close(file);
  errno = failure;
  return is_read;
}

int confined_open_parent(const char *path, const char **name) {
  char folder[FILE_PATH_BYTES];
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  size_t length = !slash ? 0 : slash == path || slash[-1] == ':' ? (size_t)(slash - path) + 1 : (size_t)(slash - path);
  if (length >= sizeof folder) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(folder, slash ? path : ".", slash ? length : 1);
  folder[slash ? length : 1] = '\0';
  return confined_open(folder, CONFINED_EXAMINE_FOLDER);
}

// Reads the target of the link itself. Returns true on success, or false if the file is not a link.
static bool read_link(const char *path, char *target, bool *is_relative) {
  const native_open_t desc = {.disposition = FILE_OPEN, .options = FILE_OPEN_REPARSE_POINT};
  HANDLE handle = native_open(path, &desc);
  bool is_read = handle && native_read_link(handle, target, FILE_PATH_BYTES, is_relative);
  native_close(handle);
  return is_read;
}

// Finds the first link in `path`, below the confined folder, that leads out of this folder. Stores the link and its
// target and returns true, or returns false if there is no such link.
static bool find_escaping_link(const confined_folder_t *folder, const char *path, char link[FILE_PATH_BYTES],
                               char target[FILE_PATH_BYTES], bool *is_relative) {
  for (const char *end = path + folder->length; *end;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    snprintf(link, FILE_PATH_BYTES, "%.*s", (int)(end - path), path);
    if (!read_link(link, target, is_relative))
      continue;
    int file = confined_open(link, CONFINED_EXAMINE);
    if (file < 0 && errno == EXDEV)
      return true;
    if (file >= 0)
      file_system_close(file);
  }
  return false;
}

bool confined_set_error(const char *path, error_info_t *error) {
  char link[FILE_PATH_BYTES], target[FILE_PATH_BYTES];
  bool is_relative;
  const confined_folder_t *folder = find_confined_folder(path);
  if (folder && find_escaping_link(folder, path, link, target, &is_relative))
    return error_set(error, "%s: the link to %s leaves the game's folder: replace the link with a copy or %s", link,
                     target, !is_relative ? "a relative link inside the folder" : "a link inside the folder");
  return error_set(error, "%s: the path leaves the folder %s", path, folder ? folder->path : "of the game");
}
