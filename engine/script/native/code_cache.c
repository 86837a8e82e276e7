// Reads and writes files of compiled objects, each of which is a header followed by the object.
#include "native/code_cache.h"

#include "base/archive.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/folder_reader.h"
#include "base/hash.h"
#include "base/user_folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".object"
enum { PATH_BYTES = 1024, MAX_OBJECT_BYTES = 1 << 24, MAX_FILES = 4096 };
static const uint64_t VERSION = UINT64_C(0x314c4f414853); // version of the file format and of the IR conventions

typedef struct object_header_t {
  uint64_t version, size, hash;
  code_key_t key;
} object_header_t;

code_key_t code_key(const char *text, size_t length, const char *features) {
  uint64_t seed = hash_bytes(features, strlen(features), VERSION);
  return (code_key_t){hash_bytes(text, length, seed), hash_bytes(text, length, ~seed)};
}

static bool get_cache_folder(char *out, size_t out_bytes) {
  int length = user_folder_find(USER_FOLDER_CACHE, "shoal/native", out, out_bytes);
  return length > 0 && (size_t)length + 64 < out_bytes;
}

static void format_path(char *out, size_t out_bytes, const char *folder, code_key_t key) {
  snprintf(out, out_bytes, "%s/%016llx%016llx" SUFFIX, folder, (unsigned long long)key.high,
           (unsigned long long)key.low);
}

// Returns true if this is a regular file that belongs to this user and that no other user can write.
static bool is_trusted_file(int fd, file_status_t *status) {
  return file_status_of_open(fd, status) && status->type == FILE_TYPE_REGULAR && file_status_is_own(status) &&
         (status->permissions & 022) == 0;
}

static bool read_exactly(int fd, void *out, size_t size) {
  for (size_t total = 0; total < size;) {
    int64_t count = file_system_read(fd, (uint8_t *)out + total, size - total);
    if (count <= 0)
      return false;
    total += (size_t)count;
  }
  return true;
}

static bool is_valid_header(const object_header_t *header, code_key_t key, uint64_t file_bytes) {
  return header->version == VERSION && header->key.high == key.high && header->key.low == key.low && header->size > 0 &&
         header->size <= MAX_OBJECT_BYTES && file_bytes == sizeof *header + header->size;
}

static void *read_object(int fd, code_key_t key, size_t *size_bytes) {
  file_status_t status;
  object_header_t header;
  if (!is_trusted_file(fd, &status) || !read_exactly(fd, &header, sizeof header) ||
      !is_valid_header(&header, key, status.size_bytes))
    return NULL;
  void *object = malloc(header.size);
  if (object && (!read_exactly(fd, object, header.size) || hash_bytes(object, header.size, VERSION) != header.hash)) {
    free(object);
    object = NULL;
  }
  *size_bytes = header.size;
  return object;
}

void *code_cache_read(code_key_t key, size_t *size_bytes) {
  char folder[PATH_BYTES], path[PATH_BYTES + 64];
  if (!get_cache_folder(folder, sizeof folder))
    return NULL;
  format_path(path, sizeof path, folder, key);
  int fd = file_system_open_unlinked(path);
  if (fd < 0)
    return NULL;
  void *object = read_object(fd, key, size_bytes);
  file_system_close(fd);
  return object;
}

// --- files in packages

void code_file_format_name(code_key_t key, char name[CODE_NAME_BYTES]) {
  snprintf(name, CODE_NAME_BYTES, "native/%016llx%016llx" SUFFIX, (unsigned long long)key.high,
           (unsigned long long)key.low);
}

void *code_package_read(code_key_t key, size_t *size_bytes) {
  char name[CODE_NAME_BYTES], path[PATH_BYTES + CODE_NAME_BYTES];
  object_header_t header;
  if (!archive_path() || strlen(archive_path()) >= PATH_BYTES)
    return NULL;
  code_file_format_name(key, name);
  snprintf(path, sizeof path, "%s/%s", archive_path(), name);
  const archive_entry_t *entry = archive_find_entry(path);
  uint8_t *bytes = entry && entry->bytes > sizeof header && entry->bytes <= sizeof header + MAX_OBJECT_BYTES
                       ? malloc(entry->bytes)
                       : NULL;
  if (!bytes || !archive_read_entry(entry, bytes, entry->bytes, &(error_info_t){0})) {
    free(bytes);
    return NULL;
  }
  memcpy(&header, bytes, sizeof header);
  if (!is_valid_header(&header, key, entry->bytes) ||
      hash_bytes(bytes + sizeof header, header.size, VERSION) != header.hash) {
    free(bytes);
    return NULL;
  }
  *size_bytes = header.size;
  memmove(bytes, bytes + sizeof header, header.size);
  return bytes;
}

// --- writing

uint8_t *code_file_build(code_key_t key, const void *object, size_t size_bytes, size_t *file_bytes) {
  object_header_t header = {.version = VERSION, .size = size_bytes, .key = key};
  header.hash = hash_bytes(object, size_bytes, VERSION);
  uint8_t *bytes = malloc(sizeof header + size_bytes);
  if (!bytes)
    return NULL;
  memcpy(bytes, &header, sizeof header);
  memcpy(bytes + sizeof header, object, size_bytes);
  *file_bytes = sizeof header + size_bytes;
  return bytes;
}

typedef struct cached_file_t {
  char name[64];
  int64_t modified_ns;
  uint64_t bytes;
} cached_file_t;

static int compare_ages(const void *a, const void *b) {
  const cached_file_t *a_file = a, *b_file = b;
  return a_file->modified_ns != b_file->modified_ns ? (a_file->modified_ns < b_file->modified_ns ? -1 : 1)
                                                    : strcmp(a_file->name, b_file->name);
}

static uint32_t list_cached_files(const char *folder, cached_file_t *out, uint64_t *bytes) {
  uint32_t count = 0;
  folder_reader_o *reader = folder_reader_open(folder);
  for (const char *name; reader && count < MAX_FILES && (name = folder_reader_next(reader, NULL));) {
    file_status_t status;
    size_t length = strlen(name);
    if (!path_ends_with(name, SUFFIX) || length >= sizeof out->name || !folder_reader_status(reader, name, &status))
      continue;
    out[count] = (cached_file_t){.modified_ns = status.modified_ns, .bytes = status.size_bytes};
    memcpy(out[count].name, name, length + 1);
    *bytes += out[count++].bytes;
  }
  folder_reader_close(reader);
  return count;
}

static void evict_oldest(const char *folder, uint64_t max_bytes) {
  uint64_t bytes = 0;
  cached_file_t *files = malloc(MAX_FILES * sizeof *files);
  uint32_t count = files ? list_cached_files(folder, files, &bytes) : 0;
  if (bytes > max_bytes || count == MAX_FILES) {
    qsort(files, count, sizeof *files, compare_ages);
    for (uint32_t i = 0; i < count && (bytes > max_bytes / 2 || i < count / 2); ++i) {
      char path[PATH_BYTES + 64];
      snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
      if (remove(path) == 0)
        bytes -= files[i].bytes;
    }
  }
  free(files);
}

void code_cache_write(code_key_t key, const void *object, size_t size_bytes, uint64_t max_bytes) {
  char folder[PATH_BYTES], path[PATH_BYTES + 64];
  error_info_t error;
  shoal_assert(size_bytes > 0 && max_bytes > 0, "the object (%zu bytes) and the cache limit must not be 0", size_bytes);
  if (!get_cache_folder(folder, sizeof folder) || size_bytes > MAX_OBJECT_BYTES || !file_create_folders(folder, &error))
    return;
  size_t file_bytes = 0;
  uint8_t *file = code_file_build(key, object, size_bytes, &file_bytes);
  if (!file)
    return;
  format_path(path, sizeof path, folder, key);
  if (file_write(path, file, file_bytes, &error) && file_status_set_permissions(path, 0600))
    evict_oldest(folder, max_bytes);
  free(file);
}
