// Reads and writes files of compiled objects, each of which is a header followed by the object.
#include "native/code_cache.h"

#include "base/archive.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".object"
enum { PATH_BYTES = 1024, MAX_OBJECT = 1 << 24, MAX_FILES = 4096 };
static const uint64_t VERSION = UINT64_C(0x314c4f414853); // version of the file format and of the IR conventions

typedef struct head_t {
  uint64_t version, size, hash;
  code_key_t key;
} head_t;

code_key_t code_key(const char *text, size_t length, const char *features) {
  uint64_t seed = hash_bytes(features, strlen(features), VERSION);
  return (code_key_t){hash_bytes(text, length, seed), hash_bytes(text, length, ~seed)};
}

static bool get_cache_folder(char *out, size_t out_bytes) {
  int n = file_user_folder(out, out_bytes, "XDG_CACHE_HOME", ".cache", "shoal/native");
  return n > 0 && (size_t)n + 64 < out_bytes;
}

static void format_path(char *out, size_t out_bytes, const char *in, code_key_t key) {
  snprintf(out, out_bytes, "%s/%016llx%016llx" SUFFIX, in, (unsigned long long)key.a, (unsigned long long)key.b);
}

// Returns true if this is a regular file that belongs to this user and that other users cannot write.
static bool is_trusted_file(int file, struct stat *info) {
  return fstat(file, info) == 0 && S_ISREG(info->st_mode) && info->st_uid == geteuid() &&
         (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool read_exactly(int file, void *out, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = read(file, (uint8_t *)out + done, size - done);
    if (n <= 0)
      return false;
    done += (size_t)n;
  }
  return true;
}

static bool is_valid_header(const head_t *head, code_key_t key, uint64_t file_bytes) {
  return head->version == VERSION && head->key.a == key.a && head->key.b == key.b && head->size > 0 &&
         head->size <= MAX_OBJECT && file_bytes == sizeof *head + head->size;
}

static void *read_object(int file, code_key_t key, size_t *size_bytes) {
  struct stat info;
  head_t head;
  if (!is_trusted_file(file, &info) || !read_exactly(file, &head, sizeof head) ||
      !is_valid_header(&head, key, (uint64_t)info.st_size))
    return NULL;
  void *object = malloc(head.size);
  if (object && (!read_exactly(file, object, head.size) || hash_bytes(object, head.size, VERSION) != head.hash)) {
    free(object);
    object = NULL;
  }
  *size_bytes = head.size;
  return object;
}

void *code_cache_read(code_key_t key, size_t *size_bytes) {
  char in[PATH_BYTES], path[PATH_BYTES + 64];
  if (!get_cache_folder(in, sizeof in))
    return NULL;
  format_path(path, sizeof path, in, key);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return NULL;
  void *object = read_object(file, key, size_bytes);
  close(file);
  return object;
}

// --- files in packages

void code_file_format_name(code_key_t key, char name[CODE_NAME_BYTES]) {
  snprintf(name, CODE_NAME_BYTES, "native/%016llx%016llx" SUFFIX, (unsigned long long)key.a, (unsigned long long)key.b);
}

void *code_package_read(code_key_t key, size_t *size_bytes) {
  char name[CODE_NAME_BYTES], path[PATH_BYTES + CODE_NAME_BYTES];
  head_t head;
  if (!archive_path() || strlen(archive_path()) >= PATH_BYTES)
    return NULL;
  code_file_format_name(key, name);
  snprintf(path, sizeof path, "%s/%s", archive_path(), name);
  const archive_entry_t *entry = archive_find_entry(path);
  uint8_t *all =
      entry && entry->bytes > sizeof head && entry->bytes <= sizeof head + MAX_OBJECT ? malloc(entry->bytes) : NULL;
  if (!all || !archive_read_entry(entry, all, entry->bytes, &(error_info_t){0})) {
    free(all);
    return NULL;
  }
  memcpy(&head, all, sizeof head);
  if (!is_valid_header(&head, key, entry->bytes) || hash_bytes(all + sizeof head, head.size, VERSION) != head.hash) {
    free(all);
    return NULL;
  }
  *size_bytes = head.size;
  memmove(all, all + sizeof head, head.size);
  return all;
}

// --- writing

uint8_t *code_file_build(code_key_t key, const void *object, size_t size_bytes, size_t *file_bytes) {
  head_t head = {.version = VERSION, .size = size_bytes, .key = key};
  head.hash = hash_bytes(object, size_bytes, VERSION);
  uint8_t *all = malloc(sizeof head + size_bytes);
  if (!all)
    return NULL;
  memcpy(all, &head, sizeof head);
  memcpy(all + sizeof head, object, size_bytes);
  *file_bytes = sizeof head + size_bytes;
  return all;
}

typedef struct cached_file_t {
  char name[64];
  int64_t when;
  uint64_t bytes;
} cached_file_t;

static int compare_ages(const void *a, const void *b) {
  const cached_file_t *x = a, *y = b;
  return x->when != y->when ? (x->when < y->when ? -1 : 1) : strcmp(x->name, y->name);
}

static uint32_t list_cached_files(const char *in, cached_file_t *out, uint64_t *bytes) {
  uint32_t count = 0;
  DIR *dir = opendir(in);
  for (struct dirent *entry; dir && count < MAX_FILES && (entry = readdir(dir));) {
    struct stat info;
    size_t length = strlen(entry->d_name);
    if (!path_ends_with(entry->d_name, SUFFIX) || length >= sizeof out->name ||
        fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    out[count] = (cached_file_t){.when = (int64_t)info.st_mtime, .bytes = (uint64_t)info.st_size};
    memcpy(out[count].name, entry->d_name, length + 1);
    *bytes += out[count++].bytes;
  }
  if (dir)
    closedir(dir);
  return count;
}

static void evict_oldest(const char *in, uint64_t max_bytes) {
  uint64_t bytes = 0;
  cached_file_t *all = malloc(MAX_FILES * sizeof *all);
  uint32_t count = all ? list_cached_files(in, all, &bytes) : 0;
  if (bytes > max_bytes || count == MAX_FILES) {
    qsort(all, count, sizeof *all, compare_ages);
    for (uint32_t i = 0; i < count && (bytes > max_bytes / 2 || i < count / 2); ++i) {
      char path[PATH_BYTES + 64];
      snprintf(path, sizeof path, "%s/%s", in, all[i].name);
      if (unlink(path) == 0)
        bytes -= all[i].bytes;
    }
  }
  free(all);
}

void code_cache_write(code_key_t key, const void *object, size_t size_bytes, uint64_t max_bytes) {
  char in[PATH_BYTES], path[PATH_BYTES + 64];
  error_info_t error;
  shoal_assert(size_bytes > 0 && max_bytes > 0, "the object (%zu bytes) and the cache limit must not be 0", size_bytes);
  if (!get_cache_folder(in, sizeof in) || size_bytes > MAX_OBJECT || !file_create_folders(in, &error))
    return;
  size_t file_bytes = 0;
  uint8_t *all = code_file_build(key, object, size_bytes, &file_bytes);
  if (!all)
    return;
  format_path(path, sizeof path, in, key);
  if (file_write(path, all, file_bytes, &error) && chmod(path, S_IRUSR | S_IWUSR) == 0)
    evict_oldest(in, max_bytes);
  free(all);
}
