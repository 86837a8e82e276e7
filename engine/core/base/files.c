// Files and folders. Only regular files are opened, so the program never blocks on a pipe or a device. Files are
// written under a temporary name and then renamed. Paths inside a mounted archive are read from it; paths inside a
// confined folder cannot leave it through links.
#include "base/files.h"

#include "base/archive.h"
#include "base/assert.h"
#include "base/array.h"
#include "base/confined_folder.h"
#include "base/file_system.h"
#include "base/folder_reader.h"
#include "base/interrupt.h"
#include "base/nearest_name.h"
#include "base/pages.h"
#include "base/process_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256 // maximum size of a file name, with its terminating zero
// Maximum size of one read. After each read of this size, file_read checks for an interrupt.
#define READ_CHUNK_BYTES ((size_t)4 << 20)

// Returns true if the error code proves that no usable file or folder has the examined path. Other codes, such as
// EACCES, EIO and EMFILE, prove nothing.
static bool proves_absence(int code) {
  return code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG || code == ELOOP || code == EXDEV;
}

bool file_exists(const char *path) {
  file_status_t status;
  if (archive_find_entry(path))
    return true;
  return confined_status(path, &status) ? status.type == FILE_TYPE_REGULAR : !proves_absence(errno);
}

bool path_exists(const char *path) {
  file_status_t status;
  if (archive_contains(path))
    return archive_find_entry(path) || archive_is_folder(path);
  return file_status_of_link(path, &status) || !proves_absence(errno);
}

bool file_is_folder(const char *path) {
  file_status_t status;
  if (archive_is_folder(path))
    return true;
  return confined_status(path, &status) ? status.type == FILE_TYPE_FOLDER : !proves_absence(errno);
}

static const char *name_type(file_type_t type) {
  return type == FILE_TYPE_FOLDER    ? "a folder"
         : type == FILE_TYPE_PIPE    ? "a pipe"
         : type == FILE_TYPE_SOCKET  ? "a socket"
         : type == FILE_TYPE_REGULAR ? "a file"
                                     : "a device";
}

// Writes a suggestion for a missing file, the most similar name in its folder, to `hint`, and the folder to `folder`.
// Returns true if the folder can be read.
static bool suggest_neighbour(const char *path, char *folder, size_t folder_bytes, char *hint, uint32_t hint_bytes) {
  const char *slash = strrchr(path, '/');
  nearest_name_t nearest, candidate;
  snprintf(folder, folder_bytes, "%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : ".");
  folder_reader_o *reader = folder_reader_open(folder);
  nearest_name_init(&nearest, slash ? slash + 1 : path);
  for (const char *name; reader && (name = folder_reader_next(reader, NULL));) {
    nearest_name_init(&candidate, nearest.name_to_match);
    nearest_name_offer(&candidate, name);
    if (candidate.distance < nearest.distance ||
        (candidate.distance == nearest.distance && strcmp(candidate.best, nearest.best) < 0))
      nearest = candidate;
  }
  folder_reader_close(reader);
  nearest_name_hint(&nearest, hint, hint_bytes);
  return reader != NULL;
}

// Returns the fix for an error code, as the end of a message; "" if no fix is known.
static const char *format_cure(int code) {
  switch (code) {
  case EACCES:
  case EPERM: return ": change the permissions of the file or its folder";
  case EIO: return ": check the disk or the network drive";
  case EMFILE:
  case ENFILE: return ": close programs, or raise the limit of open files (ulimit -n)";
  default: return "";
  }
}

// Sets the error for a path that could not be opened, according to errno, which is preserved. Returns false.
static bool set_open_error(const char *path, error_info_t *error) {
  char folder[FILE_PATH_BYTES], hint[NEAREST_NAME_MAX_BYTES + 32];
  file_status_t link;
  int saved_errno = errno;
  if (!error)
    return false;
  if (saved_errno == EXDEV)
    confined_set_error(path, error);
  else if (saved_errno != ENOENT)
    error_set(error, "cannot open %s: %s%s", path, strerror(saved_errno), format_cure(saved_errno));
  else if (file_status_of_link(path, &link))
    error_set(error, "cannot open %s: broken link", path);
  else if (suggest_neighbour(path, folder, sizeof folder, hint, sizeof hint))
    error_set(error, "%s: file not found%s", path, hint);
  else
    error_set(error, "%s: folder %s not found", path, folder);
  error->may_be_unfinished = saved_errno != EXDEV;
  errno = saved_errno;
  return false;
}

bool file_set_link_error(const char *path, error_info_t *error) {
  file_status_t status;
  return confined_status(path, &status) || set_open_error(path, error);
}

// Opens a regular file. Returns the descriptor, or -1 with an error on failure.
static int open_regular(const char *path, confined_use_t use, file_status_t *status, error_info_t *error) {
  int file = confined_open(path, use);
  bool is_examined = file >= 0 && file_status_of_open(file, status);
  if (is_examined && status->type == FILE_TYPE_REGULAR)
    return file;
  int saved_errno = errno;
  if (is_examined || (file < 0 && confined_status(path, status) && status->type != FILE_TYPE_REGULAR))
    error_set(error, "%s: expected a file, got %s", path, name_type(status->type));
  else {
    errno = saved_errno;
    set_open_error(path, error);
  }
  if (file >= 0)
    file_system_close(file);
  errno = saved_errno;
  return -1;
}

// Reads to the end of the file, regardless of the size that stat returned: the file may grow or shrink while it is
// read. Requests one byte more than expected, so that a single call usually finds the end. Returns the text, or NULL
// with errno on failure.
static char *read_to_end(allocator_t *a, int file, size_t expected_bytes, size_t *size_bytes) {
  size_t capacity = expected_bytes + 2, size = 0;
  char *text = alloc_resize(a, NULL, 0, capacity);
  for (;;) {
    if (size + 1 == capacity) {
      text = alloc_resize(a, text, capacity, capacity * 2);
      capacity *= 2;
    }
    size_t available = capacity - size - 1;
    int64_t count = file_system_read(file, text + size, available < READ_CHUNK_BYTES ? available : READ_CHUNK_BYTES);
    bool stopped = count == (int64_t)READ_CHUNK_BYTES && interrupt_is_pending();
    if (stopped || size > FILE_MAX_BYTES)
      errno = stopped ? ECANCELED : EFBIG;
    if (count < 0 || stopped || size > FILE_MAX_BYTES) {
      alloc_resize(a, text, capacity, 0);
      return NULL;
    }
    size += (size_t)count;
    if (count == 0 || (size == expected_bytes && (size_t)count < available && count < (int64_t)READ_CHUNK_BYTES))
      break;
  }
  text = alloc_resize(a, text, capacity, size + 1);
  text[size] = '\0';
  *size_bytes = size;
  return text;
}

// Sets the error for an open file that could not be read, according to errno.
static void set_read_error(const char *path, error_info_t *error) {
  int code = errno;
  error_set(error, "cannot read %s: %s%s", path, code == ECANCELED ? "reading was interrupted" : strerror(code),
            format_cure(code));
  if (error)
    error->may_be_unfinished = code != ECANCELED && code != EFBIG;
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
  shoal_assert(a && path, "a and path must not be NULL");
  file_status_t status;
  const archive_entry_t *entry = archive_find_entry(path);
  if (entry)
    return check_size(path, entry->bytes, max_bytes, error) ? read_entry(a, entry, size_bytes, error) : NULL;
  int file = open_regular(path, CONFINED_READ, &status, error);
  if (file < 0)
    return NULL;
  char *text = NULL;
  bool fits = check_size(path, status.size_bytes, max_bytes, error);
  if (fits && !(text = read_to_end(a, file, status.size_bytes, size_bytes)))
    set_read_error(path, error);
  file_system_close(file);
  return text;
}

char *file_read(allocator_t *a, const char *path, size_t *size_bytes, error_info_t *error) {
  return file_read_limited(a, path, FILE_MAX_BYTES, size_bytes, error);
}

bool file_read_optional(allocator_t *a, const char *path, char **text, size_t *size_bytes, error_info_t *error) {
  file_status_t status;
  error_info_t reason = {0};
  *size_bytes = 0;
  errno = 0;
  *text = file_read(a, path, size_bytes, &reason);
  // A broken link exists, so it is reported as an error.
  bool is_missing = !*text && (errno == ENOENT || errno == ENOTDIR) && !file_status_of_link(path, &status);
  if (!*text && !is_missing && error)
    *error = reason;
  return *text || is_missing;
}

const void *file_map(const char *path, size_t *size_bytes, error_info_t *error) {
  file_status_t status;
  int file = open_regular(path, CONFINED_READ, &status, error);
  *size_bytes = 0;
  if (file < 0)
    return NULL;
  errno = ENODATA;
  const void *bytes = status.size_bytes > 0 ? pages_map_file(file, status.size_bytes, true) : NULL;
  if (!bytes)
    error_set(error, "cannot read %s: %s", path, strerror(errno));
  file_system_close(file);
  *size_bytes = bytes ? status.size_bytes : 0;
  return bytes;
}

void file_unmap(const void *bytes, size_t size_bytes) {
  pages_release(bytes, size_bytes);
}

size_t file_read_start(const char *path, void *out, size_t max_bytes) {
  file_status_t status;
  const archive_entry_t *entry = archive_find_entry(path);
  if (entry)
    return archive_read_entry(entry, out, max_bytes, NULL) ? max_bytes < entry->bytes ? max_bytes : entry->bytes : 0;
  int file = open_regular(path, CONFINED_READ, &status, NULL);
  int64_t count = file < 0 ? 0 : file_system_read(file, out, max_bytes);
  if (file >= 0)
    file_system_close(file);
  return count > 0 ? (size_t)count : 0;
}

int file_create(const char *path, error_info_t *error) {
  file_status_t status;
  int file = open_regular(path, CONFINED_WRITE, &status, error);
  if (file < 0 || file_system_empty(file))
    return file;
  error_set(error, "cannot write %s: %s", path, strerror(errno));
  file_system_close(file);
  return -1;
}

const char *file_describe_write_error(int code) {
  return code ? strerror(code) : "the disk may be full";
}

bool file_write_all(int file, const void *data, size_t size_bytes) {
  for (const char *cursor = data; size_bytes > 0;) {
    int64_t written = file_system_write(file, cursor, size_bytes);
    if (written <= 0)
      return false;
    cursor += written;
    size_bytes -= (size_t)written;
  }
  return true;
}

FILE *file_open(const char *path, bool append, error_info_t *error) {
  file_status_t status;
  int file = open_regular(path, append ? CONFINED_APPEND : CONFINED_WRITE, &status, error);
  if (file < 0)
    return NULL;
  FILE *stream = append || file_system_empty(file) ? file_system_open_stream(file, append) : NULL;
  if (stream)
    return stream;
  error_set(error, "cannot write %s: %s", path, strerror(errno));
  file_system_close(file);
  return NULL;
}

void file_free(allocator_t *a, char *text, size_t size_bytes) {
  if (text)
    alloc_resize(a, text, size_bytes + 1, 0);
}

// Writes a temporary file in the open folder and renames it to `name`. Returns true on success, or false with errno.
static bool replace_file(int folder, const char *name, const char *temporary, const void *data, size_t size_bytes,
                         bool is_durable) {
  file_system_remove_entry(folder, temporary); // a killed process with the same id may have left this file
  int file = file_system_create_entry(folder, temporary);
  if (file < 0)
    return false;
  bool written = file_write_all(file, data, size_bytes) && (!is_durable || file_system_synchronize_file(file));
  int saved_errno = errno;
  if (!file_system_close(file) && written) {
    written = false;
    saved_errno = errno;
  }
  if (written && file_system_replace_entry(folder, temporary, name))
    return true;
  if (written)
    saved_errno = errno;
  file_system_remove_entry(folder, temporary);
  errno = saved_errno;
  return false;
}

static bool write_file(const char *path, const void *data, size_t size_bytes, bool is_durable, error_info_t *error) {
  shoal_assert(data || size_bytes == 0, "data is NULL, but size is %zu bytes (%s)", size_bytes, path);
  char temporary[NAME_BYTES];
  const char *name;
  file_status_t status;
  int folder = confined_open_parent(path, &name);
  if (folder < 0)
    return set_open_error(path, error);
  int length = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", name, process_id());
  bool written = false;
  if (length < 0 || (size_t)length >= sizeof temporary)
    error_set(error, "%s: the file name is too long (at most %zu bytes with a suffix)", path, sizeof temporary - 1);
  else if (confined_status(path, &status) && status.type != FILE_TYPE_REGULAR)
    error_set(error, "%s: expected a file, got %s", path, name_type(status.type));
  else if (!(written = replace_file(folder, name, temporary, data, size_bytes, is_durable)))
    set_open_error(path, error);
  file_system_close(folder);
  return written;
}

bool file_write(const char *path, const void *data, size_t size_bytes, error_info_t *error) {
  return write_file(path, data, size_bytes, true, error);
}

bool file_write_volatile(const char *path, const void *data, size_t size_bytes, error_info_t *error) {
  return write_file(path, data, size_bytes, false, error);
}

// Returns the process id in the name of a temporary file of file_write, NAME.PID.tmp; 0 for other names.
static long parse_temporary_owner(const char *name) {
  size_t length = strlen(name);
  if (!path_ends_with(name, ".tmp"))
    return 0;
  size_t digits = length - strlen(".tmp");
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    digits--;
  return digits > 1 && name[digits - 1] == '.' ? strtol(name + digits, NULL, 10) : 0;
}

void file_remove_stale(const char *folder, const char *prefix, bool (*is_running)(long process)) {
  folder_reader_o *reader = archive_contains(folder) ? NULL : folder_reader_open(folder);
  for (const char *name; reader && (name = folder_reader_next(reader, NULL));) {
    bool is_selected = !prefix || strncmp(name, prefix, strlen(prefix)) == 0;
    long owner = is_selected ? parse_temporary_owner(name) : 0;
    if (owner > 0 && !is_running(owner))
      folder_reader_remove_file(reader, name);
  }
  folder_reader_close(reader);
}

typedef ARRAY(char *) path_array_t;

// --- walking

typedef struct walker_t {
  const file_walk_t *walk;
  char path[FILE_PATH_BYTES];
  size_t relative_offset; // offset in `path` of the part below the walked folder
  file_status_t ancestors[FILE_MAX_DEPTH + 1];
  uint32_t depth, folder_count, entry_count;
  bool limit_exceeded;
  bool failed;         // true if a folder or an entry could not be read
  error_info_t *error; // error of the first failure; may be NULL
} walker_t;

// Stores the error of the first failure. `errno` describes the folder or entry at walker->path.
static void walk_fail(walker_t *walker) {
  int code = errno;
  error_info_t *error = walker->error;
  if (walker->failed)
    return;
  walker->failed = true;
  if (code == ENOENT || code == ENOTDIR)
    error_set(error,
              walker->depth > 0 || walker->path[walker->relative_offset]
                  ? "%s: removed while its folder was being read: try again"
                  : "%s: folder not found",
              walker->path);
  else
    error_set(error, "cannot read %s: %s%s%s", walker->path, strerror(code), format_cure(code),
              walker->path[walker->relative_offset] && !walker->walk->should_skip
                  ? ", or exclude it: begin its name with a dot"
                  : "");
  if (error)
    error->may_be_unfinished = true;
}

static bool is_ancestor_folder(const walker_t *walker, const file_status_t *status) {
  for (uint32_t i = 0; i < walker->depth; ++i)
    if (file_status_is_same(&walker->ancestors[i], status))
      return true;
  return false;
}

// Opens the folder at walker->path. Returns the open folder, or NULL with errno on failure. If the folder is skipped,
// returns NULL and sets errno to 0: the folder is nested too deeply, `should_enter` rejects it, or it is an ancestor of
// itself (a cycle of symbolic links).
static folder_reader_o *enter_folder(walker_t *walker) {
  const file_walk_t *walk = walker->walk;
  file_status_t status;
  errno = 0;
  if (walker->depth > FILE_MAX_DEPTH ||
      (walk->should_enter &&
       !walk->should_enter(walk->context, walker->path, walker->path + walker->relative_offset))) {
    errno = 0;
    return NULL;
  }
  int file = confined_open(walker->path, CONFINED_LIST), code = 0;
  folder_reader_o *folder = NULL;
  if (file < 0 || !file_status_of_open(file, &status))
    code = errno;
  else if (!is_ancestor_folder(walker, &status) && !(folder = folder_reader_open_file(file)))
    code = errno;
  if (!folder && file >= 0)
    file_system_close(file);
  if (folder)
    walker->ancestors[walker->depth] = status;
  errno = code;
  return folder;
}

static void walk_folder(walker_t *walker);

// Like file_status. Only a link can lead out of the walked folder, so files and folders need no confined lookup.
static bool read_entry_status(const char *path, file_type_t type, file_status_t *out) {
  return type == FILE_TYPE_REGULAR || type == FILE_TYPE_FOLDER ? file_status_of_link(path, out)
                                                               : confined_status(path, out);
}

// Returns true if the entry, which could not be examined (errno), is a link that leads nowhere or out of a confined
// folder. Preserves errno.
static bool is_useless_link(const char *path) {
  file_status_t status;
  int code = errno;
  bool is_link = (code == EXDEV || code == ENOENT || code == ENOTDIR || code == ELOOP) &&
                 file_status_of_link(path, &status) && status.type == FILE_TYPE_LINK;
  errno = code;
  return is_link;
}

static void visit_entry(walker_t *walker, file_type_t type) {
  const file_walk_t *walk = walker->walk;
  const char *relative = walker->path + walker->relative_offset;
  file_status_t status;
  bool accepted = !walk->should_report || walk->should_report(walk->context, relative);
  if (type == FILE_TYPE_REGULAR && !accepted)
    return;
  if (!read_entry_status(walker->path, type, &status)) {
    if (!is_useless_link(walker->path))
      walk_fail(walker);
    else if (walk->on_useless_link)
      walk->on_useless_link(walk->context, walker->path, relative);
    return;
  }
  if (status.type == FILE_TYPE_FOLDER) {
    walker->depth++;
    walk_folder(walker);
    walker->depth--;
  } else if (status.type == FILE_TYPE_REGULAR && accepted) {
    walk->on_file(walk->context, walker->path, relative, &status);
  }
}

static bool should_skip_name(const file_walk_t *walk, const char *name) {
  return walk->should_skip ? walk->should_skip(walk->context, name) : name[0] == '.';
}

// Visits an entry of the folder at walker->path. Leaves walker->path unchanged.
static void walk_entry(walker_t *walker, const char *name, file_type_t type) {
  size_t length = strlen(walker->path), name_bytes = strlen(name) + 1;
  if (length + 1 + name_bytes > sizeof walker->path) {
    errno = ENAMETOOLONG;
    walk_fail(walker);
    return;
  }
  walker->path[length] = '/';
  memcpy(walker->path + length + 1, name, name_bytes);
  visit_entry(walker, type);
  walker->path[length] = '\0';
}

// Visits all entries of the folder at walker->path, until the walk exceeds a limit. A missing optional folder counts as
// empty.
static void walk_folder(walker_t *walker) {
  folder_reader_o *folder = enter_folder(walker);
  bool is_absent = walker->depth == 0 && walker->walk->is_optional && errno == ENOENT;
  if (!folder && errno != 0 && !is_absent)
    walk_fail(walker);
  if (!folder)
    return;
  walker->limit_exceeded |= ++walker->folder_count > FILE_MAX_FOLDERS;
  while (!walker->limit_exceeded) {
    file_type_t type;
    const char *name = folder_reader_next(folder, &type);
    if (!name && errno != 0)
      walk_fail(walker);
    if (!name)
      break;
    if (should_skip_name(walker->walk, name))
      continue;
    walk_entry(walker, name, type);
    walker->limit_exceeded |= ++walker->entry_count > FILE_MAX_ENTRIES;
  }
  folder_reader_close(folder);
}

// Returns true if the walk skips any component of this path.
static bool should_skip_path(const file_walk_t *walk, const char *relative) {
  char name[FILE_PATH_BYTES];
  for (const char *component = relative; component;
       component = strchr(component, '/') ? strchr(component, '/') + 1 : NULL) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(component, "/"), component);
    if (should_skip_name(walk, name))
      return true;
  }
  return false;
}

static void walk_archive(const file_walk_t *walk) {
  shoal_assert(!walk->should_enter, "`should_enter` is not supported in archives");
  char path[FILE_PATH_BYTES], folder[FILE_PATH_BYTES];
  const archive_entry_t *entries = NULL;
  path_join(folder, sizeof folder, walk->folder, "");
  size_t relative_offset = strlen(folder);
  uint32_t count = archive_list_folder(walk->folder, &entries);
  for (uint32_t i = 0; i < count; ++i) {
    path_join(path, sizeof path, archive_path(), entries[i].name);
    const char *relative = path + relative_offset;
    file_status_t status = {.type = FILE_TYPE_REGULAR, .permissions = 0444, .size_bytes = entries[i].bytes};
    if (!should_skip_path(walk, relative) && (!walk->should_report || walk->should_report(walk->context, relative)))
      walk->on_file(walk->context, path, relative, &status);
  }
}

bool file_walk(const file_walk_t *walk, error_info_t *error) {
  shoal_assert(walk->folder, "folder must not be NULL");
  if (archive_is_folder(walk->folder)) {
    walk_archive(walk);
    return true;
  }
  walker_t walker = {.walk = walk, .error = error};
  file_status_t status;
  if (walk->is_optional && !confined_status(walk->folder, &status) && proves_absence(errno))
    return true;
  snprintf(walker.path, sizeof walker.path - 1, "%s", walk->folder);
  size_t length = strlen(walker.path);
  while (length > 1 && walker.path[length - 1] == '/')
    walker.path[--length] = '\0';
  walker.relative_offset = length + 1;
  walker.path[walker.relative_offset] = '\0'; // the relative path is "" for the walked folder itself
  walk_folder(&walker);
  if (walker.failed)
    return false;
  return !walker.limit_exceeded ||
         error_set(error, "%s: the folder contains more than %u folders or %u files: remove links to parent folders",
                   walk->folder, FILE_MAX_FOLDERS, FILE_MAX_ENTRIES);
}

// --- lists

typedef struct lister_t {
  allocator_t *allocator;
  const char *suffix;
  path_array_t paths;
} lister_t;

static bool has_suffix(void *context, const char *relative) {
  return path_ends_with(relative, ((lister_t *)context)->suffix);
}

static void list_file(void *context, const char *path, const char *relative, const file_status_t *status) {
  (void)path, (void)status;
  lister_t *lister = context;
  char *copy = alloc_copy_text(lister->allocator, relative);
  array_push(lister->allocator, &lister->paths, copy);
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Lists a link that leads out of a confined folder, so that reading it reports the problem.
static void list_useless_link(void *context, const char *path, const char *relative) {
  if (errno == EXDEV && has_suffix(context, relative))
    list_file(context, path, relative, NULL);
}

static bool list_files(allocator_t *a, const char *folder, const char *suffix, bool is_optional, file_list_t *out,
                       error_info_t *error) {
  lister_t lister = {.allocator = a, .suffix = suffix};
  path_array_t *paths = &lister.paths;
  *out = (file_list_t){0};
  bool ok = file_walk(&(file_walk_t){.folder = folder,
                                     .is_optional = is_optional,
                                     .should_report = has_suffix,
                                     .on_file = list_file,
                                     .on_useless_link = list_useless_link,
                                     .context = &lister},
                      error);
  if (paths->count > 0) {
    qsort(paths->items, paths->count, sizeof *paths->items, compare_paths);
    out->paths =
        alloc_resize(a, paths->items, paths->capacity * sizeof *paths->items, paths->count * sizeof *paths->items);
    out->count = paths->count;
  }
  if (!ok)
    file_list_free(a, out);
  return ok;
}

bool file_list(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_info_t *error) {
  return list_files(a, folder, suffix, false, out, error);
}

bool file_list_optional(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_info_t *error) {
  return list_files(a, folder, suffix, true, out, error);
}

void file_list_free(allocator_t *a, file_list_t *list) {
  for (uint32_t i = 0; i < list->count; ++i)
    alloc_resize(a, list->paths[i], strlen(list->paths[i]) + 1, 0);
  if (list->paths)
    alloc_resize(a, list->paths, list->count * sizeof *list->paths, 0);
  *list = (file_list_t){0};
}

bool file_create_folders(char *path, error_info_t *error) {
  shoal_assert(path_is_absolute(path), "folder must be absolute, got %s", path);
  for (char *cursor = path + 1;; ++cursor) {
    char separator = *cursor;
    if (separator != '/' && separator != '\0')
      continue;
    *cursor = '\0';
    if (!file_system_create_folder(path, false) && errno != EEXIST)
      return error_set(error, "cannot create the folder %s: %s", path, strerror(errno));
    *cursor = separator;
    if (separator == '\0')
      return true;
  }
}
