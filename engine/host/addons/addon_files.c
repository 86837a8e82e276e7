// Lists of files with their SHA-256. Folders are read through base/confined_folder.h, so links cannot lead outside.
#include "addons/addon_files.h"

#include "base/assert.h"
#include "base/confined_folder.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/portable_name.h"
#include "base/utf8.h"

#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void addon_files_init(addon_files_t *f, allocator_t *memory) {
  *f = (addon_files_t){.memory = memory};
}

void addon_files_truncate(addon_files_t *f, uint32_t count) {
  shoal_assert(count <= f->files.count, "count %u is out of range (count %u)", count, f->files.count);
  for (uint32_t i = count; i < f->files.count; ++i) {
    alloc_free_text(f->memory, f->files.items[i].path);
    file_free(f->memory, f->files.items[i].data, f->files.items[i].bytes);
    f->bytes -= f->files.items[i].bytes;
  }
  f->files.count = count;
}

void addon_files_fini(addon_files_t *f) {
  addon_files_truncate(f, 0);
  array_free(f->memory, &f->files);
}

void addon_files_strip_prefix(addon_files_t *f, uint32_t i, size_t bytes) {
  char *path = f->files.items[i].path;
  shoal_assert(bytes < strlen(path), "%s has fewer than %zu bytes", path, bytes);
  f->files.items[i].path = alloc_copy_text(f->memory, path + bytes);
  alloc_free_text(f->memory, path);
}

void addon_files_add(addon_files_t *f, const char *path, char *data, size_t bytes) {
  addon_file_t file = {.path = alloc_copy_text(f->memory, path), .data = data, .bytes = bytes};
  array_push(f->memory, &f->files, file);
  f->bytes += bytes;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(((const addon_file_t *)a)->path, ((const addon_file_t *)b)->path);
}

void addon_files_sort(addon_files_t *f) {
  if (f->files.count > 0)
    qsort(f->files.items, f->files.count, sizeof *f->files.items, compare_paths);
  for (uint32_t i = 0; i < f->files.count; ++i)
    if (f->files.items[i].data)
      SHA256Data((const uint8_t *)f->files.items[i].data, f->files.items[i].bytes, f->files.items[i].hash);
}

static bool is_utf8(const char *text) {
  size_t length = 1;
  for (; *text && length > 0; text += length)
    length = utf8_character_length(text);
  return length > 0;
}

static bool check_name(const char *path, const char *name, size_t bytes, error_info_t *error) {
  if (bytes == 2 && name[0] == '.' && name[1] == '.')
    return error_set(error, "%s: the path contains “..”", path);
  if (bytes == 0 || (bytes == 1 && name[0] == '.'))
    return error_set(error, "%s: the path contains an empty name or “.”", path);
  for (size_t i = 0; i < bytes; ++i)
    if ((unsigned char)name[i] < ' ' || name[i] == 127)
      return error_set(error, "%.*s…: the path contains a control character", (int)(name - path + (ptrdiff_t)i), path);
  return !memchr(name, '\\', bytes) || error_set(error, "%s: the path contains a backslash", path);
}

bool addon_files_check_path(const char *path, error_info_t *error) {
  uint32_t depth = 0;
  size_t length = strlen(path), name_start = 0;
  if (length == 0 || path_is_rooted(path))
    return error_set(error, "%s: the path must be relative and not empty", path);
  if (length >= ADDON_MAX_PATH)
    return error_set(error, "%.60s…: the path must have at most %d bytes", path, ADDON_MAX_PATH - 1);
  for (size_t i = 0; i <= length; ++i) {
    if (path[i] != '/' && path[i] != '\0')
      continue;
    if (!check_name(path, path + name_start, i - name_start, error))
      return false;
    depth++;
    name_start = i + 1;
  }
  if (depth > ADDON_MAX_DEPTH + 1)
    return error_set(error, "%.60s…: the path must have at most %u folders", path, ADDON_MAX_DEPTH);
  return is_utf8(path) || error_set(error, "%s: the path is not valid UTF-8", path);
}

bool addon_files_check_names(const addon_files_t *f, error_info_t *error) {
  char name[ADDON_MAX_PATH];
  portable_twins_t twins;
  ARRAY(const char *) paths = {0};
  for (uint32_t i = 0; i < f->files.count; ++i) {
    const char *path = f->files.items[i].path, *fault = portable_name_find_fault(path, name, sizeof name);
    if (fault) {
      array_free(f->memory, &paths);
      return error_set(error, "%s: invalid name “%s”: %s: rename it", path, name, fault);
    }
    array_push(f->memory, &paths, path);
  }
  bool ok = !portable_name_find_twins(paths.items, paths.count, &twins) ||
            error_set(error, "%.*s: the add-on also contains %.*s: " PORTABLE_NAME_TWINS ": rename one of them",
                      (int)twins.a_length, twins.a, (int)twins.b_length, twins.b);
  array_free(f->memory, &paths);
  return ok;
}

bool addon_files_read(addon_files_t *f, const char *folder, bool keep_data, error_info_t *error) {
  shoal_assert(path_is_absolute(folder), "folder must be absolute, got %s", folder);
  file_list_t list = {0};
  confine_folder(folder);
  bool ok = file_list(f->memory, folder, "", &list, error);
  if (ok && list.count > ADDON_MAX_FILES)
    ok = error_set(error, "%s: too many files: %u (at most %u)", folder, list.count, ADDON_MAX_FILES);
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    char path[FILE_PATH_BYTES];
    size_t bytes = 0, max_bytes = ADDON_MAX_BYTES - f->bytes;
    ok = addon_files_check_path(list.paths[i], error);
    char *data = ok ? file_read(f->memory, path_join(path, sizeof path, folder, list.paths[i]), &bytes, error) : NULL;
    ok = data && (bytes <= max_bytes ||
                  error_set(error, "%s: the add-on is too large (at most %zu MB)", folder, ADDON_MAX_BYTES >> 20));
    if (!ok) {
      file_free(f->memory, data, bytes);
    } else if (keep_data) {
      addon_files_add(f, list.paths[i], data, bytes);
    } else {
      addon_files_add(f, list.paths[i], NULL, 0);
      SHA256Data((const uint8_t *)data, bytes, f->files.items[f->files.count - 1].hash);
      file_free(f->memory, data, bytes);
    }
  }
  file_list_free(f->memory, &list);
  addon_files_sort(f);
  return ok;
}

const addon_file_t *addon_files_find(const addon_files_t *f, const char *path) {
  addon_file_t key = {.path = (char *)(uintptr_t)path};
  return f->files.count == 0 ? NULL
                             : bsearch(&key, f->files.items, f->files.count, sizeof *f->files.items, compare_paths);
}

void addon_files_hash(const addon_files_t *f, char *out) {
  SHA2_CTX sha;
  SHA256Init(&sha);
  for (uint32_t i = 0; i < f->files.count; ++i) {
    const addon_file_t *file = &f->files.items[i];
    SHA256Update(&sha, (const uint8_t *)file->hash, ADDON_HASH_BYTES - 1);
    SHA256Update(&sha, (const uint8_t *)"  ", 2);
    SHA256Update(&sha, (const uint8_t *)file->path, strlen(file->path));
    SHA256Update(&sha, (const uint8_t *)"\n", 1);
  }
  SHA256End(&sha, out);
}

static void write_difference(json_writer_t *out, const char *kind, const char *path) {
  if (!out)
    return;
  json_write_text(out, "  ");
  json_write_text(out, kind);
  json_write_text(out, "  ");
  json_write_text(out, path);
  json_write_text(out, "\n");
}

uint32_t addon_files_compare(const addon_files_t *old, const addon_files_t *current, json_writer_t *out) {
  uint32_t count = 0, i = 0, j = 0;
  while (i < old->files.count || j < current->files.count) {
    const addon_file_t *old_file = i < old->files.count ? &old->files.items[i] : NULL;
    const addon_file_t *file = j < current->files.count ? &current->files.items[j] : NULL;
    int order = !old_file ? 1 : !file ? -1 : strcmp(old_file->path, file->path);
    if (order != 0 || strcmp(old_file->hash, file->hash) != 0) {
      write_difference(out,
                       order < 0   ? "missing"
                       : order > 0 ? "new    "
                                   : "changed",
                       order > 0 ? file->path : old_file->path);
      count++;
    }
    i += order <= 0;
    j += order >= 0;
  }
  return count;
}

// --- folders

// Creates the missing parent folders of the file `relative` in `folder`, which exists. Returns true on success, or
// false with an error.
static bool create_parents(const char *folder, const char *relative, error_info_t *error) {
  char path[FILE_PATH_BYTES];
  for (const char *slash = strchr(relative, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - relative), relative);
    if (!file_system_create_folder(path, false) && errno != EEXIST)
      return error_set(error, "%s: %s", path, strerror(errno));
  }
  return true;
}

// Writes a new file, without waiting until the data is on disk.
static bool write_new_file(const char *path, const addon_file_t *file, error_info_t *error) {
  int descriptor = file_create(path, error);
  if (descriptor < 0)
    return false;
  bool ok = file_write_all(descriptor, file->data, file->bytes);
  int reason = errno;
  if (!file_system_close(descriptor) && ok) {
    ok = false;
    reason = errno;
  }
  return ok || error_set(error, "%s: %s", path, strerror(reason));
}

bool addon_files_write(const addon_files_t *f, const char *folder, error_info_t *error) {
  if (!file_system_create_folder(folder, false))
    return error_set(error, "%s: %s", folder, strerror(errno));
  bool ok = true;
  for (uint32_t i = 0; ok && i < f->files.count; ++i) {
    const addon_file_t *file = &f->files.items[i];
    char path[FILE_PATH_BYTES];
    shoal_assert(file->data, "%s has no data", file->path);
    ok = create_parents(folder, file->path, error) &&
         write_new_file(path_join(path, sizeof path, folder, file->path), file, error);
  }
  return ok;
}
