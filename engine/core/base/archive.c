// Writes zip files with minizip; reads them with its own parser and decompresses with zlib. A mounted archive is
// memory-mapped, so threads and child processes can read it concurrently.
#include "base/archive.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/pages.h"

#include <errno.h>
#include <minizip/zip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SEAL_PREFIX "shoal xxh3 "
#define SEAL_DIGITS 16u
#define SEAL_BYTES (sizeof SEAL_PREFIX - 1 + SEAL_DIGITS)
#define NAME_BYTES 4096

// Headers of a zip file: local file header, central directory entry, end of central directory.
#define LOCAL_SIGNATURE 0x04034b50u
#define LOCAL_HEADER_BYTES 30u
#define ENTRY_SIGNATURE 0x02014b50u
#define ENTRY_HEADER_BYTES 46u
#define END_SIGNATURE 0x06054b50u
#define END_RECORD_BYTES 22u
#define MAX_ENTRIES 65534u // maximum number of entries; the format counts them in 16 bits
#define MAX_BYTES (UINT32_MAX - (64u << 20))

typedef ARRAY(archive_entry_t) entry_array_t;

static struct {
  allocator_t memory;
  char *path; // path of the mounted archive; NULL if no archive is mounted
  size_t path_bytes;
  const uint8_t *bytes; // content of the archive, memory-mapped
  size_t size;
  entry_array_t entries; // entries, sorted by name
} mounted;

// --- reading

static bool has_valid_seal(const uint8_t *bytes, size_t size) {
  char seal[SEAL_BYTES + 1];
  if (size < SEAL_BYTES)
    return false;
  unsigned long long hash = hash_bytes(bytes, size - SEAL_DIGITS, 0);
  snprintf(seal, sizeof seal, SEAL_PREFIX "%016llx", hash);
  return memcmp(bytes + size - SEAL_BYTES, seal, SEAL_BYTES) == 0;
}

static uint32_t read_number(const uint8_t *data, uint32_t byte_count) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < byte_count; ++i)
    number |= (uint32_t)data[i] << (8 * i);
  return number;
}

// Returns the bytes at offset `offset`, or NULL if the range extends beyond the file.
static const uint8_t *get_bytes(size_t offset, size_t byte_count) {
  return offset <= mounted.size && byte_count <= mounted.size - offset ? mounted.bytes + offset : NULL;
}

// Returns an entry's data, which follows the entry's local header; NULL if the header is invalid or part of the data is
// missing. The name and extra fields in that header may differ in length from the name and extra fields in the central
// directory.
static const uint8_t *find_entry_data(size_t header_offset, size_t byte_count) {
  const uint8_t *header = get_bytes(header_offset, LOCAL_HEADER_BYTES);
  if (!header || read_number(header, 4) != LOCAL_SIGNATURE)
    return NULL;
  return get_bytes(header_offset + LOCAL_HEADER_BYTES + read_number(header + 26, 2) + read_number(header + 28, 2),
                   byte_count);
}

// Reads the central directory entry at `*offset` and advances `*offset`. Returns true on success, or false if the entry
// is damaged or does not have the form that this program writes.
static bool read_entry(size_t *offset) {
  const uint8_t *header = get_bytes(*offset, ENTRY_HEADER_BYTES);
  if (!header || read_number(header, 4) != ENTRY_SIGNATURE)
    return false;
  size_t name_length = read_number(header + 28, 2);
  uint32_t method = read_number(header + 10, 2);
  const uint8_t *raw_name = get_bytes(*offset + ENTRY_HEADER_BYTES, name_length);
  archive_entry_t entry = {.packed_bytes = read_number(header + 20, 4),
                           .bytes = read_number(header + 24, 4),
                           .crc = read_number(header + 16, 4),
                           .deflated = method == Z_DEFLATED};
  entry.packed = find_entry_data(read_number(header + 42, 4), entry.packed_bytes);
  if (!raw_name || !entry.packed || (method != 0 && method != Z_DEFLATED) || memchr(raw_name, 0, name_length) ||
      name_length >= NAME_BYTES || (method == 0 && entry.bytes != entry.packed_bytes))
    return false;
  char *name = alloc_resize(&mounted.memory, NULL, 0, name_length + 1);
  memcpy(name, raw_name, name_length);
  name[name_length] = '\0';
  entry.name = name;
  array_push(&mounted.memory, &mounted.entries, entry);
  *offset += ENTRY_HEADER_BYTES + name_length + read_number(header + 30, 2) + read_number(header + 32, 2);
  return true;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const archive_entry_t *)a)->name, ((const archive_entry_t *)b)->name);
}

// Reads all entries of the central directory, which is located by the end record before the archive comment (the seal).
// Returns true on success, or false if the archive is damaged.
static bool read_index(void) {
  const uint8_t *end_record = mounted.size >= END_RECORD_BYTES + SEAL_BYTES
                                  ? get_bytes(mounted.size - SEAL_BYTES - END_RECORD_BYTES, END_RECORD_BYTES)
                                  : NULL;
  if (!end_record || read_number(end_record, 4) != END_SIGNATURE)
    return false;
  size_t offset = read_number(end_record + 16, 4);
  bool ok = true;
  for (uint32_t remaining = read_number(end_record + 10, 2); ok && remaining > 0; --remaining)
    ok = read_entry(&offset);
  if (mounted.entries.count > 0)
    qsort(mounted.entries.items, mounted.entries.count, sizeof *mounted.entries.items, compare_names);
  return ok;
}

static bool map_file(const char *path, bool *exists, error_info_t *error) {
  file_status_t status;
  int file = file_system_open(path, false);
  *exists = file >= 0 || errno != ENOENT;
  if (file < 0)
    return error_set(error, "cannot read %s: %s", path, strerror(errno));
  const void *bytes = NULL;
  if (file_status_of_open(file, &status) && status.type == FILE_TYPE_REGULAR && status.size_bytes > 0)
    bytes = pages_map_file(file, status.size_bytes, false);
  file_system_close(file);
  if (!bytes)
    return error_set(error, "cannot read %s: expected a non-empty regular file", path);
  mounted.bytes = bytes;
  mounted.size = status.size_bytes;
  return true;
}

bool archive_mount(const char *path, bool *exists, error_info_t *error) {
  shoal_assert(!mounted.path, "%s is already mounted", mounted.path);
  shoal_assert(path_is_absolute(path), "archive path must be absolute, got %s", path);
  if (!map_file(path, exists, error))
    return false;
  mounted.path_bytes = strlen(path);
  mounted.path = memcpy(alloc_resize(&mounted.memory, NULL, 0, mounted.path_bytes + 1), path, mounted.path_bytes + 1);
  if (has_valid_seal(mounted.bytes, mounted.size) && read_index())
    return true;
  archive_unmount();
  return error_set(error, "%s is damaged: copy or download it again", path);
}

void archive_unmount(void) {
  for (uint32_t i = 0; i < mounted.entries.count; ++i) {
    alloc_free_text(&mounted.memory, (char *)(uintptr_t)mounted.entries.items[i].name);
  }
  array_free(&mounted.memory, &mounted.entries);
  if (mounted.path)
    alloc_resize(&mounted.memory, mounted.path, mounted.path_bytes + 1, 0);
  pages_release(mounted.bytes, mounted.size);
  memset(&mounted, 0, sizeof mounted);
}

const char *archive_path(void) {
  return mounted.path;
}

bool archive_has_address(const void *address) {
  uintptr_t target = (uintptr_t)address, begin = (uintptr_t)mounted.bytes;
  return mounted.bytes && target >= begin && target - begin < mounted.size;
}

bool archive_contains(const char *path) {
  return mounted.path && strncmp(path, mounted.path, mounted.path_bytes) == 0 &&
         (path[mounted.path_bytes] == '/' || path[mounted.path_bytes] == '\0');
}

// Returns the path relative to the archive; *length is its length without trailing slashes.
static const char *to_relative_name(const char *path, size_t *length) {
  const char *name = path + mounted.path_bytes;
  name += strspn(name, "/");
  *length = strlen(name);
  while (*length > 0 && name[*length - 1] == '/')
    --*length;
  return name;
}

// Returns the index of the first entry whose name does not sort before the first `length` bytes of `name`.
static uint32_t find_lower_bound(const char *name, size_t length) {
  uint32_t low = 0, high = mounted.entries.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (strncmp(mounted.entries.items[middle].name, name, length) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const archive_entry_t *archive_find_entry(const char *path) {
  size_t length;
  if (!archive_contains(path))
    return NULL;
  const char *name = to_relative_name(path, &length);
  for (uint32_t i = find_lower_bound(name, length); i < mounted.entries.count; ++i) {
    const archive_entry_t *entry = &mounted.entries.items[i];
    if (strncmp(entry->name, name, length) != 0)
      return NULL;
    if (entry->name[length] == '\0')
      return entry;
  }
  return NULL;
}

uint32_t archive_list_folder(const char *folder, const archive_entry_t **entries) {
  size_t length;
  char name[NAME_BYTES];
  if (!archive_contains(folder))
    return 0;
  const char *folder_name = to_relative_name(folder, &length);
  if (length + 2 > sizeof name)
    return 0;
  snprintf(name, sizeof name, "%.*s%s", (int)length, folder_name, length > 0 ? "/" : "");
  length = strlen(name);
  uint32_t begin = find_lower_bound(name, length), end = begin;
  while (end < mounted.entries.count && strncmp(mounted.entries.items[end].name, name, length) == 0)
    end++;
  *entries = mounted.entries.items + begin;
  return end - begin;
}

bool archive_is_folder(const char *path) {
  const archive_entry_t *entries;
  return archive_list_folder(path, &entries) > 0;
}

static bool unpack_entry(const archive_entry_t *entry, void *out, size_t bytes) {
  z_stream stream = {0};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  stream.next_in = (Bytef *)(uintptr_t)entry->packed;
  stream.avail_in = (uInt)entry->packed_bytes;
  stream.next_out = out;
  stream.avail_out = (uInt)bytes;
  int status = inflate(&stream, bytes == entry->bytes ? Z_FINISH : Z_SYNC_FLUSH);
  bool ok = stream.total_out == bytes && (status == Z_STREAM_END || bytes < entry->bytes);
  inflateEnd(&stream);
  return ok;
}

bool archive_read_entry(const archive_entry_t *entry, void *out, size_t max_bytes, error_info_t *error) {
  shoal_assert(entry && mounted.path, "no archive is mounted, or entry is NULL");
  size_t bytes = max_bytes < entry->bytes ? max_bytes : entry->bytes;
  bool ok = true;
  if (bytes > 0 && entry->deflated)
    ok = unpack_entry(entry, out, bytes);
  else if (bytes > 0)
    memcpy(out, entry->packed, bytes);
  if (ok && bytes == entry->bytes)
    ok = crc32_z(0, out, bytes) == entry->crc;
  return ok || error_set(error, "%s/%s is damaged: copy or download the archive again", mounted.path, entry->name);
}

// --- writing

struct archive_writer_o {
  allocator_t memory;
  zipFile zip;
  uint32_t entry_count;
  uint64_t bytes;
  char path[NAME_BYTES];
};

archive_writer_o *archive_writer_create(const char *path, error_info_t *error) {
  allocator_t memory = {0};
  if (strlen(path) >= NAME_BYTES) {
    error_set(error, "%s: the path is too long: %zu bytes (at most %u)", path, strlen(path), NAME_BYTES - 1u);
    return NULL;
  }
  zipFile zip = zipOpen64(path, APPEND_STATUS_CREATE);
  if (!zip) {
    error_set(error, "cannot write %s: %s", path, strerror(errno));
    return NULL;
  }
  archive_writer_o *writer = alloc_resize(&memory, NULL, 0, sizeof *writer);
  *writer = (archive_writer_o){.memory = memory, .zip = zip};
  snprintf(writer->path, sizeof writer->path, "%s", path);
  return writer;
}

bool archive_writer_add_entry(archive_writer_o *writer, const char *name, const void *data, size_t bytes, bool stored,
                              error_info_t *error) {
  shoal_assert(name[0] && !path_is_rooted(name), "entry name must be relative and not empty, got \"%s\"", name);
  shoal_assert(bytes < UINT32_MAX, "%s: too large for a zip entry (%zu bytes)", name, bytes);
  writer->bytes += bytes + NAME_BYTES;
  if (++writer->entry_count > MAX_ENTRIES || writer->bytes > MAX_BYTES)
    return error_set(error, "%s: cannot add %s: the package would have more than %u files or %u MB", writer->path, name,
                     MAX_ENTRIES, (unsigned)(MAX_BYTES >> 20));
  zip_fileinfo info = {.tmz_date = {.tm_year = 1980, .tm_mday = 1}}; // the earliest date that the format can represent
  errno = 0;
  bool ok = zipOpenNewFileInZip(writer->zip, name, &info, NULL, 0, NULL, 0, NULL, stored ? 0 : Z_DEFLATED,
                                Z_BEST_COMPRESSION) == ZIP_OK &&
            zipWriteInFileInZip(writer->zip, data, (unsigned)bytes) == ZIP_OK &&
            zipCloseFileInZip(writer->zip) == ZIP_OK;
  return ok || error_set(error, "%s: cannot write %s: %s", writer->path, name, file_describe_write_error(errno));
}

static bool append_seal(const char *path) {
  char digits[SEAL_DIGITS + 1];
  int file = file_system_open(path, true);
  file_status_t status;
  if (file < 0 || !file_status_of_open(file, &status) || status.size_bytes < SEAL_BYTES) {
    int reason = errno;
    if (file >= 0)
      file_system_close(file);
    errno = reason;
    return false;
  }
  size_t size = status.size_bytes;
  const void *bytes = pages_map_file(file, size, false);
  bool written = bytes != NULL;
  if (written) {
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash_bytes(bytes, size - SEAL_DIGITS, 0));
    pages_release(bytes, size);
    written = file_system_write_at(file, size - SEAL_DIGITS, digits, SEAL_DIGITS);
  }
  return file_system_close(file) && written;
}

bool archive_writer_finish(archive_writer_o *writer, error_info_t *error) {
  shoal_assert(writer, "writer must not be NULL");
  errno = 0;
  bool ok = zipClose(writer->zip, SEAL_PREFIX "0000000000000000") == ZIP_OK && append_seal(writer->path);
  if (!ok)
    error_set(error, "cannot write %s: %s", writer->path, file_describe_write_error(errno));
  allocator_t memory = writer->memory;
  alloc_resize(&memory, writer, sizeof *writer, 0);
  return ok;
}
