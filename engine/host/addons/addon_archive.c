// Reads archives with libarchive. Entries are read in order and collected in memory. Links are resolved at the end,
// when all files are known.
#include "addons/addon_archive.h"

#include "addons/addon_locale.h"
#include "base/dynamic_library.h"
#include "base/library_names.h"
#include "base/files.h"

#include <archive.h>
#include <archive_entry.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

// Maximum size in bytes of an unpacked .tar: its files and their headers.
#define MAX_TAR_BYTES (ADDON_MAX_BYTES + ADDON_MAX_FILES * (size_t)8192)
#define BLOCK_BYTES 65536u

// --- libarchive: opened when the first archive is read, so that game packages need neither libarchive nor its
// dependencies (35 MB)

// The functions of libarchive that Shoal uses.
#define LIBARCHIVE_FUNCTIONS(X)                                                                                        \
  X(read_new)                                                                                                          \
  X(read_support_format_zip)                                                                                           \
  X(read_support_format_tar)                                                                                           \
  X(read_support_filter_gzip)                                                                                          \
  X(read_support_filter_zstd)                                                                                          \
  X(read_open_memory)                                                                                                  \
  X(read_next_header)                                                                                                  \
  X(read_data)                                                                                                         \
  X(read_free)                                                                                                         \
  X(error_string)                                                                                                      \
  X(entry_pathname)                                                                                                    \
  X(entry_filetype)                                                                                                    \
  X(entry_symlink)                                                                                                     \
  X(entry_hardlink)                                                                                                    \
  X(entry_is_encrypted)

typedef struct libarchive_t {
#define POINTER(name_) __typeof__(archive_##name_) *name_;
  LIBARCHIVE_FUNCTIONS(POINTER)
#undef POINTER
} libarchive_t;

// Returns the function table, or NULL with a message if libarchive is not installed.
static const libarchive_t *load_libarchive(error_info_t *error) {
  static libarchive_t functions;
  static bool loaded;
  void *library = loaded ? NULL : dynamic_library_open(library_name(LIBRARY_NAME_ARCHIVE));
  bool found = library != NULL;
#define FIND(name_)                                                                                                    \
  if (found)                                                                                                           \
    found = (*(void **)&functions.name_ = dynamic_library_find(library, "archive_" #name_)) != NULL;
  LIBARCHIVE_FUNCTIONS(FIND)
#undef FIND
  loaded = loaded || found;
  if (!loaded)
    error_set(error, "cannot read archives: %s: run ./shoal deps", dynamic_library_error());
  return loaded ? &functions : NULL;
}

// --- reading

typedef struct link_t {
  char path[ADDON_MAX_PATH], target[ADDON_MAX_PATH]; // path and target of a link, relative to the archive's top folder
} link_t;

typedef struct archive_reader_t {
  const libarchive_t *library;
  struct archive *archive;
  addon_files_t *files;
  ARRAY(link_t) links;
  uint32_t entry_count;
  error_info_t *error;
} archive_reader_t;

// --- formats

typedef enum format_t { FORMAT_UNKNOWN, FORMAT_ZIP, FORMAT_GZIP, FORMAT_ZSTD } format_t;

static format_t find_format(const char *data, size_t bytes) {
  static const struct {
    const char *magic;
    size_t bytes;
    format_t format;
  } SIGNATURES[] = {{"PK\3\4", 4, FORMAT_ZIP},
                    {"PK\5\6", 4, FORMAT_ZIP}, // ZIP archive without entries
                    {"\x1f\x8b", 2, FORMAT_GZIP},
                    {"\x28\xb5\x2f\xfd", 4, FORMAT_ZSTD}};
  for (size_t i = 0; i < sizeof SIGNATURES / sizeof *SIGNATURES; ++i)
    if (bytes >= SIGNATURES[i].bytes && memcmp(data, SIGNATURES[i].magic, SIGNATURES[i].bytes) == 0)
      return SIGNATURES[i].format;
  return FORMAT_UNKNOWN;
}

// Returns true if the checksum of a gzip file is correct, or false with an error. Unpacks the file and discards the
// result, because libarchive does not verify the checksum.
static bool check_gzip(const char *data, size_t bytes, error_info_t *error) {
  static unsigned char out[BLOCK_BYTES];
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)bytes};
  size_t unpacked = 0;
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    return error_set(error, "out of memory");
  int status = Z_OK;
  while (status == Z_OK && unpacked <= MAX_TAR_BYTES) {
    stream.next_out = out;
    stream.avail_out = sizeof out;
    status = inflate(&stream, Z_NO_FLUSH);
    unpacked += sizeof out - stream.avail_out;
    if (status == Z_STREAM_END && stream.avail_in > 0) // a further member of the gzip file follows
      status = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (unpacked > MAX_TAR_BYTES)
    return error_set(error, "the add-on is too large (at most %zu MB)", ADDON_MAX_BYTES >> 20);
  return status == Z_STREAM_END || error_set(error, "the gzip data is damaged or incomplete");
}

static bool open_archive(archive_reader_t *reader, const char *data, size_t bytes) {
  format_t format = find_format(data, bytes);
  if (format == FORMAT_UNKNOWN)
    return error_set(reader->error, "expected a .zip, .tar.gz or .tar.zst file");
  if (format == FORMAT_GZIP && !check_gzip(data, bytes, reader->error))
    return false;
  if (format == FORMAT_ZIP)
    reader->library->read_support_format_zip(reader->archive);
  else
    reader->library->read_support_format_tar(reader->archive);
  if (format == FORMAT_GZIP)
    reader->library->read_support_filter_gzip(reader->archive);
  else if (format == FORMAT_ZSTD)
    reader->library->read_support_filter_zstd(reader->archive);
  return reader->library->read_open_memory(reader->archive, data, bytes) == ARCHIVE_OK ||
         error_set(reader->error, "damaged: %s", reader->library->error_string(reader->archive));
}

// --- entries

// Returns true if the path contains a hidden name or is in __MACOSX/, the folder that macOS adds to zip files.
static bool is_ignored_path(const char *path) {
  bool hidden = strncmp(path, "__MACOSX/", 9) == 0;
  for (const char *name = path; name && !hidden; name = strchr(name, '/') ? strchr(name, '/') + 1 : NULL)
    hidden = name[0] == '.';
  return hidden;
}

static bool set_damaged_error(archive_reader_t *reader, const char *path) {
  const char *reason = reader->library->error_string(reader->archive);
  return error_set(reader->error, "%s: the archive is damaged: %s", path, reason ? reason : "unknown error");
}

static bool read_file(archive_reader_t *reader, const char *path) {
  allocator_t *memory = reader->files->memory;
  size_t capacity = BLOCK_BYTES, bytes = 0, max_bytes = ADDON_MAX_BYTES - reader->files->bytes;
  char *data = alloc_resize(memory, NULL, 0, capacity);
  la_ssize_t read_bytes;
  while ((read_bytes = reader->library->read_data(reader->archive, data + bytes, capacity - bytes - 1)) > 0) {
    bytes += (size_t)read_bytes;
    if (bytes > max_bytes)
      break;
    if (capacity - bytes - 1 < BLOCK_BYTES / 2) {
      data = alloc_resize(memory, data, capacity, capacity * 2);
      capacity *= 2;
    }
  }
  bool ok = read_bytes == 0;
  if (bytes > max_bytes)
    error_set(reader->error, "the add-on is too large (at most %zu MB)", ADDON_MAX_BYTES >> 20);
  else if (read_bytes < 0)
    set_damaged_error(reader, path);
  data = alloc_resize(memory, data, capacity, bytes + 1);
  data[bytes] = '\0';
  if (ok)
    addon_files_add(reader->files, path, data, bytes);
  else
    file_free(memory, data, bytes);
  return ok;
}

// Resolves the target of a symbolic link. Returns true on success, or false if the target is outside the archive or too
// long.
static bool resolve_link(const char *path, const char *target, char *out) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (path_is_rooted(target) || target[0] == '\0')
    return false;
  memcpy(out, path, length);
  while (*target) {
    size_t bytes = strcspn(target, "/");
    if (bytes == 2 && strncmp(target, "..", 2) == 0) {
      if (length == 0)
        return false;
      while (length > 0 && out[--length] != '/')
        continue;
    } else if (bytes > 0 && !(bytes == 1 && target[0] == '.')) {
      if (length + bytes + 2 > ADDON_MAX_PATH)
        return false;
      if (length > 0)
        out[length++] = '/';
      memcpy(out + length, target, bytes);
      length += bytes;
    }
    target += bytes + (target[bytes] == '/');
  }
  out[length] = '\0';
  return true;
}

static bool add_link(archive_reader_t *reader, const char *path, const char *symbolic_target, const char *hard_target) {
  link_t link;
  if (!symbolic_target && !hard_target)
    return error_set(reader->error, "%s: the link has no target", path);
  if (!(symbolic_target ? resolve_link(path, symbolic_target, link.target)
                        : resolve_link("", hard_target, link.target)))
    return error_set(reader->error, "%s: the link leads out of the add-on: %.200s", path,
                     symbolic_target ? symbolic_target : hard_target);
  memcpy(link.path, path, strlen(path) + 1); // addon_files_check_path has limited the length
  array_push(reader->files->memory, &reader->links, link);
  return true;
}

static bool read_entry(archive_reader_t *reader, struct archive_entry *entry) {
  char path[ADDON_MAX_PATH + 2];
  const char *name = reader->library->entry_pathname(entry);
  const char *hard_target = reader->library->entry_hardlink(entry);
  unsigned type = reader->library->entry_filetype(entry);
  if (!name)
    return error_set(reader->error, "the name of an entry is not valid UTF-8");
  while (strncmp(name, "./", 2) == 0)
    name += 2;
  snprintf(path, sizeof path, "%s", name);
  size_t length = strlen(path);
  if (length > 1 && path[length - 1] == '/')
    path[length - 1] = '\0';
  if (path[0] == '\0' || strcmp(path, ".") == 0) // entry of the archive's top folder
    return type == AE_IFDIR || error_set(reader->error, "the name of an entry is empty");
  if (!addon_files_check_path(path, reader->error))
    return false;
  if (reader->library->entry_is_encrypted(entry))
    return error_set(reader->error, "%s: the file is encrypted", path);
  if (type == AE_IFDIR && !hard_target)
    return true;
  if (type == AE_IFLNK || hard_target)
    return add_link(reader, path, hard_target ? NULL : reader->library->entry_symlink(entry), hard_target);
  if (type != AE_IFREG)
    return error_set(reader->error, "%s: expected a file, a folder or a link, got a device or a pipe", path);
  return read_file(reader, path);
}

static bool read_entries(archive_reader_t *reader) {
  struct archive_entry *entry;
  int status;
  while ((status = reader->library->read_next_header(reader->archive, &entry)) == ARCHIVE_OK) {
    if (++reader->entry_count > ADDON_MAX_FILES)
      return error_set(reader->error, "too many files (at most %u)", ADDON_MAX_FILES);
    if (!read_entry(reader, entry))
      return false;
  }
  return status == ARCHIVE_EOF ||
         error_set(reader->error, "damaged: %s", reader->library->error_string(reader->archive));
}

// --- checks of the whole archive

// Replaces links with copies of their targets. A link to a link is replaced in a later pass. Returns true on success,
// or false with an error if a target is missing or the add-on becomes too large.
static bool copy_links(archive_reader_t *reader) {
  addon_files_t *files = reader->files;
  for (uint32_t remaining = reader->links.count, previous_remaining = remaining + 1; remaining < previous_remaining;) {
    previous_remaining = remaining;
    for (uint32_t i = 0; i < remaining; ++i) {
      const link_t link = reader->links.items[i];
      const addon_file_t *target = addon_files_find(files, link.target);
      if (!target)
        continue;
      if (target->bytes > ADDON_MAX_BYTES - files->bytes)
        return error_set(reader->error, "the add-on is too large (at most %zu MB)", ADDON_MAX_BYTES >> 20);
      char *data = alloc_resize(files->memory, NULL, 0, target->bytes + 1);
      memcpy(data, target->data, target->bytes + 1);
      addon_files_add(files, link.path, data, target->bytes);
      addon_files_sort(files);
      reader->links.items[i--] = reader->links.items[--remaining];
    }
    reader->links.count = remaining;
  }
  return reader->links.count == 0 ||
         error_set(reader->error, "%s: the link leads to %s, which is not a file in the archive",
                   reader->links.items[0].path, reader->links.items[0].target);
}

static bool check_duplicates(const addon_files_t *f, error_info_t *error) {
  for (uint32_t i = 0; i < f->files.count; ++i) {
    char folder[ADDON_MAX_PATH];
    const char *path = f->files.items[i].path;
    if (i > 0 && strcmp(path, f->files.items[i - 1].path) == 0)
      return error_set(error, "%s: the archive contains two files with this path", path);
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
      snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
      if (addon_files_find(f, folder))
        return error_set(error, "%s: the archive contains a file and a folder with this path", folder);
    }
  }
  return true;
}

// Removes hidden files. If addon.lua is not at the top, also removes the name of the only top folder from all paths.
// Returns true on success, or false with an error if there is no addon.lua in either place, or a file is outside the
// top folder.
static bool strip_top_folder(addon_files_t *f, error_info_t *error) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->files.count; ++i) {
    addon_file_t file = f->files.items[i];
    if (!is_ignored_path(file.path)) {
      f->files.items[i] = f->files.items[count];
      f->files.items[count++] = file;
    }
  }
  addon_files_truncate(f, count);
  if (addon_files_find(f, "addon.lua"))
    return true;
  size_t prefix_bytes = count > 0 ? strcspn(f->files.items[0].path, "/") + 1 : 0;
  char path[ADDON_MAX_PATH + 16];
  snprintf(path, sizeof path, "%.*saddon.lua", (int)prefix_bytes, count > 0 ? f->files.items[0].path : "");
  bool ok = addon_files_find(f, path) != NULL;
  for (uint32_t i = 0; ok && i < count; ++i)
    ok = strncmp(f->files.items[i].path, path, prefix_bytes) == 0;
  for (uint32_t i = 0; ok && i < count; ++i)
    addon_files_strip_prefix(f, i, prefix_bytes);
  return ok || error_set(error, "not an add-on: addon.lua must be at the top of the archive or in its only folder");
}

// --- reading

static bool read_archive(archive_reader_t *reader, const char *data, size_t bytes) {
  if (!open_archive(reader, data, bytes) || !read_entries(reader))
    return false;
  addon_files_sort(reader->files);
  return check_duplicates(reader->files, reader->error) && copy_links(reader) &&
         check_duplicates(reader->files, reader->error) && strip_top_folder(reader->files, reader->error);
}

bool addon_archive_parse(addon_files_t *f, const char *data, size_t bytes, error_info_t *error) {
  archive_reader_t reader = {.library = load_libarchive(error), .files = f, .error = error};
  if (!reader.library)
    return false;
  addon_locale_t begun = addon_locale_begin();
  reader.archive = reader.library->read_new();
  bool ok = reader.archive ? read_archive(&reader, data, bytes) : error_set(error, "out of memory");
  reader.library->read_free(reader.archive);
  addon_locale_end(begun);
  array_free(f->memory, &reader.links);
  return ok;
}

bool addon_archive_read(addon_files_t *f, const char *path, error_info_t *error) {
  error_info_t reason = {0};
  size_t bytes = 0;
  char *data = file_read_limited(f->memory, path, ADDON_MAX_BYTES, &bytes, error);
  if (!data)
    return false;
  bool ok = addon_archive_parse(f, data, bytes, &reason) || error_set(error, "%s: %s", path, reason.text);
  file_free(f->memory, data, bytes);
  return ok;
}
