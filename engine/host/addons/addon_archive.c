// Reads archives with libarchive. Entries are read in order and collected in memory. Links are resolved at the end,
// when all files are known.
#include "addons/addon_archive.h"

#include "addons/libarchive.h"
#include "base/files.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define MAX_TAR (ADDON_MAX_BYTES + ADDON_MAX_FILES * (size_t)8192) // unpacked .tar: the files and their headers
#define PIECE 65536u

typedef struct link_t {
  char path[ADDON_MAX_PATH], target[ADDON_MAX_PATH]; // both relative to the archive's top
} link_t;

typedef struct reading_t {
  const libarchive_t *la;
  struct archive *archive;
  addon_files_t *files;
  ARRAY(link_t) links;
  uint32_t entries;
  error_info_t *error;
} reading_t;

// --- formats

typedef enum format_t { FORMAT_UNKNOWN, FORMAT_ZIP, FORMAT_GZIP, FORMAT_ZSTD } format_t;

static format_t find_format(const char *data, size_t bytes) {
  static const struct {
    const char *magic;
    size_t bytes;
    format_t format;
  } KNOWN[] = {{"PK\3\4", 4, FORMAT_ZIP},
               {"PK\5\6", 4, FORMAT_ZIP}, // ZIP archive without entries
               {"\x1f\x8b", 2, FORMAT_GZIP},
               {"\x28\xb5\x2f\xfd", 4, FORMAT_ZSTD}};
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; ++i)
    if (bytes >= KNOWN[i].bytes && memcmp(data, KNOWN[i].magic, KNOWN[i].bytes) == 0)
      return KNOWN[i].format;
  return FORMAT_UNKNOWN;
}

// Unpacks a gzip file and discards the result: libarchive does not verify the checksum.
static bool check_gzip(const char *data, size_t bytes, error_info_t *error) {
  static unsigned char out[PIECE];
  z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)bytes};
  size_t unpacked = 0;
  if (inflateInit2(&z, 15 + 16) != Z_OK)
    return error_set(error, "out of memory");
  int state = Z_OK;
  while (state == Z_OK && unpacked <= MAX_TAR) {
    z.next_out = out;
    z.avail_out = sizeof out;
    state = inflate(&z, Z_NO_FLUSH);
    unpacked += sizeof out - z.avail_out;
    if (state == Z_STREAM_END && z.avail_in > 0) // another member follows
      state = inflateReset(&z);
  }
  inflateEnd(&z);
  if (unpacked > MAX_TAR)
    return error_set(error, "the add-on is too large (at most %zu MB)", ADDON_MAX_BYTES >> 20);
  return state == Z_STREAM_END || error_set(error, "the gzip data is damaged or incomplete");
}

static bool open_archive(reading_t *x, const char *data, size_t bytes) {
  format_t format = find_format(data, bytes);
  if (format == FORMAT_UNKNOWN)
    return error_set(x->error, "expected a .zip, .tar.gz or .tar.zst file");
  if (format == FORMAT_GZIP && !check_gzip(data, bytes, x->error))
    return false;
  if (format == FORMAT_ZIP)
    x->la->read_support_format_zip(x->archive);
  else
    x->la->read_support_format_tar(x->archive);
  if (format == FORMAT_GZIP)
    x->la->read_support_filter_gzip(x->archive);
  else if (format == FORMAT_ZSTD)
    x->la->read_support_filter_zstd(x->archive);
  return x->la->read_open_memory(x->archive, data, bytes) == ARCHIVE_OK ||
         error_set(x->error, "damaged: %s", x->la->error_string(x->archive));
}

// --- entries

// Returns true if the path contains a hidden name or is in __MACOSX/, the folder that macOS adds to zip files.
static bool is_ignored_path(const char *path) {
  bool hidden = strncmp(path, "__MACOSX/", 9) == 0;
  for (const char *name = path; name && !hidden; name = strchr(name, '/') ? strchr(name, '/') + 1 : NULL)
    hidden = name[0] == '.';
  return hidden;
}

static bool set_damaged_error(reading_t *x, const char *path) {
  const char *why = x->la->error_string(x->archive);
  return error_set(x->error, "%s: the archive is damaged: %s", path, why ? why : "unknown error");
}

static bool read_file(reading_t *x, const char *path) {
  allocator_t *memory = x->files->memory;
  size_t capacity = PIECE, bytes = 0, max = ADDON_MAX_BYTES - x->files->bytes;
  char *data = alloc_resize(memory, NULL, 0, capacity);
  la_ssize_t got;
  while ((got = x->la->read_data(x->archive, data + bytes, capacity - bytes - 1)) > 0) {
    bytes += (size_t)got;
    if (bytes > max)
      break;
    if (capacity - bytes - 1 < PIECE / 2) {
      data = alloc_resize(memory, data, capacity, capacity * 2);
      capacity *= 2;
    }
  }
  bool ok = got == 0;
  if (bytes > max)
    error_set(x->error, "the add-on is too large (at most %zu MB)", ADDON_MAX_BYTES >> 20);
  else if (got < 0)
    set_damaged_error(x, path);
  data = alloc_resize(memory, data, capacity, bytes + 1);
  data[bytes] = '\0';
  if (ok)
    addon_files_add(x->files, path, data, bytes);
  else
    file_free(memory, data, bytes);
  return ok;
}

// Resolves the target of a symbolic link. Returns false if it leads out of the archive or is too long.
static bool resolve_link(const char *path, const char *target, char *out) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (target[0] == '/' || target[0] == '\0')
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

static bool add_link(reading_t *x, const char *path, const char *symbolic, const char *hard) {
  link_t link;
  if (!symbolic && !hard)
    return error_set(x->error, "%s: the link has no target", path);
  if (!(symbolic ? resolve_link(path, symbolic, link.target) : resolve_link("", hard, link.target)))
    return error_set(x->error, "%s: the link leads out of the add-on: %.200s", path, symbolic ? symbolic : hard);
  memcpy(link.path, path, strlen(path) + 1); // addon_files_check_path limits its length
  array_push(x->files->memory, &x->links, link);
  return true;
}

static bool read_entry(reading_t *x, struct archive_entry *entry) {
  char path[ADDON_MAX_PATH + 2];
  const char *name = x->la->entry_pathname(entry);
  const char *hard = x->la->entry_hardlink(entry);
  unsigned type = x->la->entry_filetype(entry);
  if (!name)
    return error_set(x->error, "the name of an entry is not valid UTF-8");
  while (strncmp(name, "./", 2) == 0)
    name += 2;
  snprintf(path, sizeof path, "%s", name);
  size_t length = strlen(path);
  if (length > 1 && path[length - 1] == '/')
    path[length - 1] = '\0';
  if (path[0] == '\0' || strcmp(path, ".") == 0) // the archive's top
    return type == AE_IFDIR || error_set(x->error, "the name of an entry is empty");
  if (!addon_files_check_path(path, x->error))
    return false;
  if (x->la->entry_is_encrypted(entry))
    return error_set(x->error, "%s: the file is encrypted", path);
  if (type == AE_IFDIR && !hard)
    return true;
  if (type == AE_IFLNK || hard)
    return add_link(x, path, hard ? NULL : x->la->entry_symlink(entry), hard);
  if (type != AE_IFREG)
    return error_set(x->error, "%s: expected a file, a folder or a link, got a device or a pipe", path);
  return read_file(x, path);
}

static bool read_entries(reading_t *x) {
  struct archive_entry *entry;
  int state;
  while ((state = x->la->read_next_header(x->archive, &entry)) == ARCHIVE_OK) {
    if (++x->entries > ADDON_MAX_FILES)
      return error_set(x->error, "too many files (at most %u)", ADDON_MAX_FILES);
    if (!read_entry(x, entry))
      return false;
  }
  return state == ARCHIVE_EOF || error_set(x->error, "damaged: %s", x->la->error_string(x->archive));
}

// --- checks of the whole archive

// Replaces links by copies of their targets. Links to links are resolved in further passes.
static bool copy_links(reading_t *x) {
  addon_files_t *f = x->files;
  for (uint32_t left = x->links.count, before = left + 1; left < before;) {
    before = left;
    for (uint32_t i = 0; i < left; ++i) {
      const link_t link = x->links.items[i];
      const addon_file_t *target = addon_files_find(f, link.target);
      if (!target)
        continue;
      if (target->bytes > ADDON_MAX_BYTES - f->bytes)
        return error_set(x->error, "the add-on is too large (at most %zu MB)", ADDON_MAX_BYTES >> 20);
      char *data = alloc_resize(f->memory, NULL, 0, target->bytes + 1);
      memcpy(data, target->data, target->bytes + 1);
      addon_files_add(f, link.path, data, target->bytes);
      addon_files_sort(f);
      x->links.items[i--] = x->links.items[--left];
    }
    x->links.count = left;
  }
  return x->links.count == 0 || error_set(x->error, "%s: the link leads to %s, which is not a file in the archive",
                                          x->links.items[0].path, x->links.items[0].target);
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

// Removes hidden files and, unless addon.lua is at the top, the name of the top folder, which must contain all files.
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
  size_t top = count > 0 ? strcspn(f->files.items[0].path, "/") + 1 : 0;
  char path[ADDON_MAX_PATH + 16];
  snprintf(path, sizeof path, "%.*saddon.lua", (int)top, count > 0 ? f->files.items[0].path : "");
  bool ok = addon_files_find(f, path) != NULL;
  for (uint32_t i = 0; ok && i < count; ++i)
    ok = strncmp(f->files.items[i].path, path, top) == 0;
  for (uint32_t i = 0; ok && i < count; ++i)
    addon_files_strip_prefix(f, i, top);
  return ok || error_set(error, "not an add-on: addon.lua must be at the top of the archive or in its only folder");
}

// --- reading

static bool read_archive(reading_t *x, const char *data, size_t bytes) {
  if (!open_archive(x, data, bytes) || !read_entries(x))
    return false;
  addon_files_sort(x->files);
  return check_duplicates(x->files, x->error) && copy_links(x) && check_duplicates(x->files, x->error) &&
         strip_top_folder(x->files, x->error);
}

bool addon_archive_parse(addon_files_t *f, const char *data, size_t bytes, error_info_t *error) {
  reading_t x = {.la = libarchive_load(error), .files = f, .error = error};
  if (!x.la)
    return false;
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); // libarchive converts names to the locale
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  x.archive = x.la->read_new();
  bool ok = x.archive ? read_archive(&x, data, bytes) : error_set(error, "out of memory");
  x.la->read_free(x.archive);
  if (utf8) {
    uselocale(before);
    freelocale(utf8);
  }
  array_free(f->memory, &x.links);
  return ok;
}

bool addon_archive_read(addon_files_t *f, const char *path, error_info_t *error) {
  error_info_t why = {0};
  size_t bytes = 0;
  char *data = file_read_limited(f->memory, path, ADDON_MAX_BYTES, &bytes, error);
  if (!data)
    return false;
  bool ok = addon_archive_parse(f, data, bytes, &why) || error_set(error, "%s: %s", path, why.text);
  file_free(f->memory, data, bytes);
  return ok;
}
