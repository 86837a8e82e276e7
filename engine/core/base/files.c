// POSIX implementation of files and folders. Only regular files are opened, so a pipe or a device never blocks. Files
// are written under a temporary name and then renamed. Paths inside a mounted archive are read from it; paths inside a
// confined folder cannot leave it through links.
#include "base/files.h"

#include "base/archive.h"
#include "base/assert.h"
#include "base/array.h"
#include "base/confined_folder.h"
#include "base/interrupt.h"
#include "base/nearest_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
// Maximum size of one read. After each read of this size, file_read checks for an interrupt.
#define PIECE_BYTES ((size_t)4 << 20)

bool file_exists(const char *path) {
  struct stat info;
  if (archive_find_entry(path))
    return true;
  return confined_stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool path_exists(const char *path) {
  struct stat info;
  if (archive_contains(path))
    return archive_find_entry(path) || archive_is_folder(path);
  return lstat(path, &info) == 0;
}

bool file_is_folder(const char *path) {
  struct stat info;
  if (archive_is_folder(path))
    return true;
  return confined_stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static size_t append_text(char *out, size_t out_bytes, size_t at, const char *text, size_t length) {
  size_t available = out_bytes - 1 - at;
  if (length > available)
    length = available;
  memmove(out + at, text, length);
  out[at + length] = '\0';
  return at + length;
}

char *path_join(char *out, size_t out_bytes, const char *folder, const char *name) {
  shoal_assert(out_bytes > 0, "out_bytes must not be 0 (joining %s and %s)", folder, name);
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/')
    length--;
  size_t at = append_text(out, out_bytes, 0, folder, length);
  if (length > 0 && folder[length - 1] != '/')
    at = append_text(out, out_bytes, at, "/", 1);
  append_text(out, out_bytes, at, name, strlen(name));
  return out;
}

static const char *file_kind_name(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISREG(mode)  ? "a file"
                          : "a device";
}

static int compare_entries(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

// Writes a suggestion for a missing file, the most similar name in its folder, to `hint`, and the folder to `folder`.
// Returns true if the folder can be read.
static bool suggest_neighbour(const char *path, char *folder, size_t folder_bytes, char *hint, uint32_t hint_bytes) {
  const char *slash = strrchr(path, '/');
  struct dirent **names = NULL;
  nearest_name_t like;
  snprintf(folder, folder_bytes, "%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : ".");
  int count = scandir(folder, &names, NULL, compare_entries);
  nearest_name_init(&like, slash ? slash + 1 : path);
  for (int i = 0; i < count; free(names[i++]))
    nearest_name_offer(&like, names[i]->d_name);
  free(names);
  nearest_name_hint(&like, hint, hint_bytes);
  return count >= 0;
}

// Sets the error for a path that could not be opened, according to errno, which is preserved. Returns false.
static bool set_open_error(const char *path, error_info_t *error) {
  char folder[PATH_BYTES], hint[SIMILAR_MAX + 32];
  struct stat link;
  int reason = errno;
  if (!error)
    return false;
  if (reason == EXDEV)
    confined_set_error(path, error);
  else if (reason != ENOENT)
    error_set(error, "cannot open %s: %s", path, strerror(reason));
  else if (lstat(path, &link) == 0)
    error_set(error, "cannot open %s: broken link", path);
  else if (suggest_neighbour(path, folder, sizeof folder, hint, sizeof hint))
    error_set(error, "%s: file not found%s", path, hint);
  else
    error_set(error, "%s: folder %s not found", path, folder);
  errno = reason;
  return false;
}

// Opens a regular file. Returns -1 with an error on failure. Uses O_NONBLOCK, because opening a pipe would block; the
// flag has no effect on regular files.
static int open_regular(const char *path, int flags, struct stat *info, error_info_t *error) {
  int file = confined_open(path, flags | O_NONBLOCK | O_NOCTTY, 0666);
  if (file >= 0 && fstat(file, info) == 0 && S_ISREG(info->st_mode))
    return file;
  int reason = errno;
  if (file >= 0 || (confined_stat(path, info) == 0 && !S_ISREG(info->st_mode)))
    error_set(error, "%s: expected a file, got %s", path, file_kind_name(info->st_mode));
  else {
    errno = reason;
    set_open_error(path, error);
  }
  if (file >= 0)
    close(file);
  return -1;
}

// Reads to the end of the file, regardless of the size that stat returned: the file may grow or shrink while it is
// read. Returns NULL with errno on failure.
static char *read_to_end(allocator_t *a, int file, size_t expected, size_t *size_bytes) {
  size_t capacity = expected + 1, size = 0;
  char *text = alloc_resize(a, NULL, 0, capacity);
  for (;;) {
    if (size + 1 == capacity) {
      text = alloc_resize(a, text, capacity, capacity * 2);
      capacity *= 2;
    }
    size_t available = capacity - size - 1;
    ssize_t got = read(file, text + size, available < PIECE_BYTES ? available : PIECE_BYTES);
    if (got < 0 && errno == EINTR)
      continue;
    bool stopped = got == (ssize_t)PIECE_BYTES && interrupt_is_pending();
    if (stopped || size > FILE_MAX_BYTES)
      errno = stopped ? ECANCELED : EFBIG;
    if (got < 0 || stopped || size > FILE_MAX_BYTES) {
      alloc_resize(a, text, capacity, 0);
      return NULL;
    }
    if (got == 0)
      break;
    size += (size_t)got;
  }
  text = alloc_resize(a, text, capacity, size + 1);
  text[size] = '\0';
  *size_bytes = size;
  return text;
}

static bool check_size(const char *path, size_t bytes, size_t max_bytes, error_info_t *error) {
  return bytes <= max_bytes ||
         error_set(error, "%s: the file is too large: %zu MB (at most %zu MB)", path, bytes >> 20, max_bytes >> 20);
}

static char *read_entry(allocator_t *a, const archive_entry_t *entry, size_t *size_bytes, error_info_t *error) {
  char *text = alloc_resize(a, NULL, 0, entry->bytes + 1);
  text[entry->bytes] = '\0';
  *size_bytes = entry->bytes;
  if (archive_read_entry(entry, text, entry->bytes, error))
    return text;
  alloc_resize(a, text, entry->bytes + 1, 0);
  return NULL;
}

char *file_read_limited(allocator_t *a, const char *path, size_t max_bytes, size_t *size_bytes, error_info_t *error) {
  shoal_assert(a && path, "allocator and path must not be NULL");
  struct stat info;
  const archive_entry_t *entry = archive_find_entry(path);
  if (entry)
    return check_size(path, entry->bytes, max_bytes, error) ? read_entry(a, entry, size_bytes, error) : NULL;
  int file = open_regular(path, O_RDONLY, &info, error);
  if (file < 0)
    return NULL;
  char *text = NULL;
  bool fits = check_size(path, (size_t)info.st_size, max_bytes, error);
  if (fits && !(text = read_to_end(a, file, (size_t)info.st_size, size_bytes)))
    error_set(error, "cannot read %s: %s", path, errno == ECANCELED ? "reading was interrupted" : strerror(errno));
  close(file);
  return text;
}

char *file_read(allocator_t *a, const char *path, size_t *size_bytes, error_info_t *error) {
  return file_read_limited(a, path, FILE_MAX_BYTES, size_bytes, error);
}

size_t file_read_start(const char *path, void *out, size_t max_bytes) {
  struct stat info;
  const archive_entry_t *entry = archive_find_entry(path);
  if (entry)
    return archive_read_entry(entry, out, max_bytes, NULL) ? max_bytes < entry->bytes ? max_bytes : entry->bytes : 0;
  int file = open_regular(path, O_RDONLY, &info, NULL);
  ssize_t got = file < 0 ? 0 : read(file, out, max_bytes);
  if (file >= 0)
    close(file);
  return got > 0 ? (size_t)got : 0;
}

int file_create(const char *path, error_info_t *error) {
  struct stat info;
  int file = open_regular(path, O_WRONLY | O_CREAT, &info, error);
  if (file < 0 || ftruncate(file, 0) == 0)
    return file;
  error_set(error, "cannot write %s: %s", path, strerror(errno));
  close(file);
  return -1;
}

bool file_write_all(int file, const void *data, size_t size_bytes) {
  for (const char *at = data; size_bytes > 0;) {
    ssize_t written = write(file, at, size_bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    at += written;
    size_bytes -= (size_t)written;
  }
  return true;
}

FILE *file_open(const char *path, bool append, error_info_t *error) {
  struct stat info;
  int file = open_regular(path, O_WRONLY | O_CREAT | (append ? O_APPEND : 0), &info, error);
  if (file < 0)
    return NULL;
  FILE *stream = append || ftruncate(file, 0) == 0 ? fdopen(file, append ? "ab" : "wb") : NULL;
  if (stream)
    return stream;
  error_set(error, "cannot write %s: %s", path, strerror(errno));
  close(file);
  return NULL;
}

void file_free(allocator_t *a, char *text, size_t size_bytes) {
  if (text)
    alloc_resize(a, text, size_bytes + 1, 0);
}

// Writes a temporary file in the open folder and renames it to `name`. Returns false with errno on failure.
static bool replace_file(int folder, const char *name, const char *temporary, const void *data, size_t size_bytes) {
  unlinkat(folder, temporary, 0); // a killed process with the same id may have left this file behind
  int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  bool good = file_write_all(file, data, size_bytes) && fsync(file) == 0;
  int reason = errno;
  if (close(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && renameat(folder, temporary, folder, name) == 0)
    return true;
  if (good)
    reason = errno;
  unlinkat(folder, temporary, 0);
  errno = reason;
  return false;
}

bool file_write(const char *path, const void *data, size_t size_bytes, error_info_t *error) {
  shoal_assert(data || size_bytes == 0, "data is NULL, but size is %zu bytes (%s)", size_bytes, path);
  char temporary[NAME_MAX + 1];
  const char *name;
  struct stat info;
  int folder = confined_open_parent(path, &name);
  if (folder < 0)
    return set_open_error(path, error);
  int length = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", name, (long)getpid());
  bool good = false;
  if (length < 0 || (size_t)length >= sizeof temporary)
    error_set(error, "%s: the file name is too long (at most %zu bytes with a suffix)", path, sizeof temporary - 1);
  else if (confined_stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    error_set(error, "%s: expected a file, got %s", path, file_kind_name(info.st_mode));
  else if (!(good = replace_file(folder, name, temporary, data, size_bytes)))
    set_open_error(path, error);
  close(folder);
  return good;
}

// Returns the process id in the name of a temporary file of file_write, NAME.PID.tmp; 0 for other names.
static long parse_temporary_owner(const char *name) {
  size_t length = strlen(name);
  if (!path_ends_with(name, ".tmp"))
    return 0;
  size_t begin = length - strlen(".tmp");
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')
    begin--;
  return begin > 1 && name[begin - 1] == '.' ? strtol(name + begin, NULL, 10) : 0;
}

void file_remove_stale(const char *folder, bool (*is_running)(long process)) {
  DIR *entries = archive_contains(folder) ? NULL : opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    long owner = parse_temporary_owner(entry->d_name);
    if (owner > 0 && !is_running(owner))
      unlinkat(dirfd(entries), entry->d_name, 0);
  }
  if (entries)
    closedir(entries);
}

typedef ARRAY(char *) path_array_t;

bool path_ends_with(const char *path, const char *suffix) {
  size_t length = strlen(path), suffix_length = strlen(suffix);
  return length > suffix_length && strcmp(path + length - suffix_length, suffix) == 0;
}

// --- walking

typedef struct file_id_t {
  dev_t device;
  ino_t inode;
} file_id_t;

typedef struct walker_t {
  const file_walk_t *walk;
  char path[PATH_BYTES];
  size_t top; // offset in `path` of the part below the walked folder
  file_id_t ancestors[FILE_MAX_DEPTH + 1];
  uint32_t depth, folders, entries;
  bool too_many;
} walker_t;

static bool is_ancestor_folder(const walker_t *w, const struct stat *info) {
  for (uint32_t i = 0; i < w->depth; ++i)
    if (w->ancestors[i].device == info->st_dev && w->ancestors[i].inode == info->st_ino)
      return true;
  return false;
}

// Opens the folder at w->path. Returns NULL if the folder is nested too deeply, is rejected by `enters`, is one of its
// own ancestors (a link loop), or cannot be opened.
static DIR *enter_folder(walker_t *w) {
  const file_walk_t *walk = w->walk;
  struct stat info;
  if (w->depth > FILE_MAX_DEPTH || (walk->enters && !walk->enters(walk->context, w->path, w->path + w->top)))
    return NULL;
  int file = confined_open(w->path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
  DIR *folder = file >= 0 && fstat(file, &info) == 0 && !is_ancestor_folder(w, &info) ? fdopendir(file) : NULL;
  if (!folder && file >= 0)
    close(file);
  if (folder)
    w->ancestors[w->depth] = (file_id_t){info.st_dev, info.st_ino};
  return folder;
}

static bool walk_folder(walker_t *w);

// Only a link can lead out of the walked folder, so files and folders need no confined lookup.
static int stat_entry(const char *path, unsigned char type, struct stat *info) {
  return type == DT_REG || type == DT_DIR ? lstat(path, info) : confined_stat(path, info);
}

static void visit_entry(walker_t *w, unsigned char type) {
  const file_walk_t *walk = w->walk;
  const char *relative = w->path + w->top;
  struct stat info;
  bool accepted = !walk->accepts || walk->accepts(walk->context, relative);
  if (type == DT_REG && !accepted)
    return;
  if (stat_entry(w->path, type, &info) != 0) {
    if (errno == EXDEV && walk->refused)
      walk->refused(walk->context, w->path, relative);
    return;
  }
  if (S_ISDIR(info.st_mode)) {
    w->depth++;
    walk_folder(w); // unreadable folders are treated as empty
    w->depth--;
  } else if (S_ISREG(info.st_mode) && accepted) {
    walk->file(walk->context, w->path, relative, &info);
  }
}

static bool should_skip_name(const file_walk_t *walk, const char *name) {
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return true;
  return walk->skips ? walk->skips(walk->context, name) : name[0] == '.';
}

// Walks the folder at w->path, which is unchanged on return. Returns false if the folder cannot be entered.
static bool walk_folder(walker_t *w) {
  size_t length = strlen(w->path);
  DIR *folder = enter_folder(w);
  if (!folder)
    return false;
  w->too_many |= ++w->folders > FILE_MAX_FOLDERS;
  for (struct dirent *entry; !w->too_many && (entry = readdir(folder));) {
    if (should_skip_name(w->walk, entry->d_name))
      continue;
    if (length + strlen(entry->d_name) + 2 <= sizeof w->path) {
      w->path[length] = '/';
      memcpy(w->path + length + 1, entry->d_name, strlen(entry->d_name) + 1);
      visit_entry(w, entry->d_type);
      w->path[length] = '\0';
    }
    w->too_many |= ++w->entries > FILE_MAX_ENTRIES;
  }
  closedir(folder);
  return true;
}

// Returns true if the walk skips any component of this path.
static bool should_skip_path(const file_walk_t *walk, const char *relative) {
  char name[PATH_BYTES];
  for (const char *part = relative; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(part, "/"), part);
    if (should_skip_name(walk, name))
      return true;
  }
  return false;
}

static void walk_archive(const file_walk_t *walk) {
  shoal_assert(!walk->enters, "`enters` is not supported in archives");
  char path[PATH_BYTES], folder[PATH_BYTES];
  const archive_entry_t *items = NULL;
  path_join(folder, sizeof folder, walk->folder, "");
  size_t top = strlen(folder);
  uint32_t count = archive_list_folder(walk->folder, &items);
  for (uint32_t i = 0; i < count; ++i) {
    path_join(path, sizeof path, archive_path(), items[i].name);
    const char *relative = path + top;
    struct stat info = {.st_mode = S_IFREG | 0444, .st_size = (off_t)items[i].bytes};
    if (!should_skip_path(walk, relative) && (!walk->accepts || walk->accepts(walk->context, relative)))
      walk->file(walk->context, path, relative, &info);
  }
}

bool file_walk(const file_walk_t *walk, error_info_t *error) {
  shoal_assert(walk->folder, "folder must not be NULL");
  if (archive_is_folder(walk->folder)) {
    walk_archive(walk);
    return true;
  }
  walker_t w = {.walk = walk};
  size_t length = append_text(w.path, sizeof w.path, 0, walk->folder, strlen(walk->folder));
  while (length > 1 && w.path[length - 1] == '/')
    w.path[--length] = '\0';
  w.top = length + 1;
  w.path[w.top] = '\0'; // "" for the walked folder itself
  if (!walk_folder(&w))
    return error_set(error, "%s: %s", walk->folder, strerror(errno));
  return !w.too_many ||
         error_set(error, "%s: the folder contains more than %u folders or %u files: remove links to parent folders",
                   walk->folder, FILE_MAX_FOLDERS, FILE_MAX_ENTRIES);
}

// --- lists

typedef struct lister_t {
  allocator_t *allocator;
  const char *suffix;
  path_array_t found;
} lister_t;

static bool has_suffix(void *context, const char *relative) {
  return path_ends_with(relative, ((lister_t *)context)->suffix);
}

static void list_file(void *context, const char *path, const char *relative, const struct stat *info) {
  (void)path, (void)info;
  lister_t *l = context;
  char *copy = alloc_copy_text(l->allocator, relative);
  array_push(l->allocator, &l->found, copy);
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Lists a link that leaves a confined folder, so that reading it reports the problem.
static void list_refused_link(void *context, const char *path, const char *relative) {
  if (has_suffix(context, relative))
    list_file(context, path, relative, NULL);
}

bool file_list(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_info_t *error) {
  lister_t l = {.allocator = a, .suffix = suffix};
  path_array_t *found = &l.found;
  *out = (file_list_t){0};
  bool ok = file_walk(
      &(file_walk_t){
          .folder = folder, .accepts = has_suffix, .file = list_file, .refused = list_refused_link, .context = &l},
      error);
  if (found->count > 0) {
    qsort(found->items, found->count, sizeof *found->items, compare_paths);
    out->paths =
        alloc_resize(a, found->items, found->capacity * sizeof *found->items, found->count * sizeof *found->items);
    out->count = found->count;
  }
  if (!ok)
    file_list_free(a, out);
  return ok;
}

void file_list_free(allocator_t *a, file_list_t *list) {
  for (uint32_t i = 0; i < list->count; ++i)
    alloc_resize(a, list->paths[i], strlen(list->paths[i]) + 1, 0);
  if (list->paths)
    alloc_resize(a, list->paths, list->count * sizeof *list->paths, 0);
  *list = (file_list_t){0};
}

int file_user_folder(char *out, size_t out_bytes, const char *variable, const char *fallback, const char *below) {
  const char *base = getenv(variable), *home = getenv("HOME");
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  if (base && base[0] == '/')
    return snprintf(out, out_bytes, "%s/%s", base, below);
  return home && home[0] == '/' ? snprintf(out, out_bytes, "%s/%s/%s", home, fallback, below) : -1;
}

bool file_create_folders(char *path, error_info_t *error) {
  shoal_assert(path[0] == '/', "folder must be absolute, got %s", path);
  for (char *at = path + 1;; ++at) {
    char end = *at;
    if (end != '/' && end != '\0')
      continue;
    *at = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      return error_set(error, "cannot create the folder %s: %s", path, strerror(errno));
    *at = end;
    if (end == '\0')
      return true;
  }
}
