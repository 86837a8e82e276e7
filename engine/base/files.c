#include "base/files.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define MAX_DEPTH 32 // folders below folders; a symbolic link to a parent would go on for ever otherwise

bool file_exists(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

bool file_is_folder(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static size_t append(char *out, size_t out_bytes, size_t at, const char *text, size_t length) {
  size_t room = out_bytes - 1 - at;
  if (length > room)
    length = room;
  memmove(out + at, text, length);
  out[at + length] = '\0';
  return at + length;
}

char *path_join(char *out, size_t out_bytes, const char *folder, const char *name) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/')
    length--;
  size_t at = append(out, out_bytes, 0, folder, length);
  if (length > 0 && folder[length - 1] != '/')
    at = append(out, out_bytes, at, "/", 1);
  append(out, out_bytes, at, name, strlen(name));
  return out;
}

// The size is what was read, not what stat said: a file may grow or shrink in between.
static char *read_all(allocator_t *a, int file, size_t expected, size_t *size_bytes) {
  size_t capacity = expected + 1, size = 0;
  char *text = alloc_resize(a, NULL, 0, capacity);
  for (;;) {
    if (size + 1 == capacity) {
      text = alloc_resize(a, text, capacity, capacity * 2);
      capacity *= 2;
    }
    ssize_t got = read(file, text + size, capacity - size - 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
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

char *file_read(allocator_t *a, const char *path, size_t *size_bytes, error_t *error) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (file < 0 || fstat(file, &facts) != 0) {
    error_set(error, "%s: %s", path, strerror(errno));
    if (file >= 0)
      close(file);
    return NULL;
  }
  char *text = NULL;
  if (!S_ISREG(facts.st_mode))
    error_set(error, "%s: not a file", path);
  else if (!(text = read_all(a, file, (size_t)facts.st_size, size_bytes)))
    error_set(error, "%s: %s", path, strerror(errno));
  close(file);
  return text;
}

void file_free(allocator_t *a, char *text, size_t size_bytes) {
  if (text)
    alloc_resize(a, text, size_bytes + 1, 0);
}

static bool write_all(int file, const char *data, size_t size_bytes) {
  while (size_bytes > 0) {
    ssize_t written = write(file, data, size_bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    data += written;
    size_bytes -= (size_t)written;
  }
  return true;
}

bool file_write(const char *path, const void *data, size_t size_bytes, error_t *error) {
  char temporary[PATH_BYTES];
  int length = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  if (length < 0 || (size_t)length >= sizeof temporary)
    return error_set(error, "%s: the path is too long", path);
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return error_set(error, "%s: %s", path, strerror(errno));
  bool good = write_all(file, data, size_bytes) && fsync(file) == 0;
  int reason = errno;
  if (close(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && rename(temporary, path) != 0) {
    good = false;
    reason = errno;
  }
  if (good)
    return true;
  unlink(temporary);
  return error_set(error, "%s: %s", path, strerror(reason));
}

typedef ARRAY(char *) path_array_t;

static bool ends_with(const char *text, const char *suffix) {
  size_t length = strlen(text), wanted = strlen(suffix);
  return length >= wanted && strcmp(text + length - wanted, suffix) == 0;
}

static char *copy_text(allocator_t *a, const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(alloc_resize(a, NULL, 0, bytes), text, bytes);
}

// `below` is the path from the folder that was asked for, "" at its top.
static bool list_folder(allocator_t *a, const char *folder, const char *below, const char *suffix, int depth,
                        path_array_t *found) {
  char path[PATH_BYTES], relative[PATH_BYTES];
  path_join(path, sizeof path, folder, below);
  DIR *open_folder = opendir(path);
  if (!open_folder)
    return false;
  for (struct dirent *entry; (entry = readdir(open_folder));) {
    if (entry->d_name[0] == '.')
      continue;
    if (below[0])
      path_join(relative, sizeof relative, below, entry->d_name);
    else
      snprintf(relative, sizeof relative, "%s", entry->d_name);
    path_join(path, sizeof path, folder, relative);
    if (file_is_folder(path)) {
      if (depth < MAX_DEPTH)
        list_folder(a, folder, relative, suffix, depth + 1, found); // one that cannot be read holds nothing for us
    } else if (file_exists(path) && ends_with(relative, suffix)) {
      char *copy = copy_text(a, relative);
      array_push(a, found, copy);
    }
  }
  closedir(open_folder);
  return true;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

bool file_list(allocator_t *a, const char *folder, const char *suffix, file_list_t *out, error_t *error) {
  path_array_t found = {0};
  *out = (file_list_t){0};
  if (!list_folder(a, folder, "", suffix, 0, &found))
    return error_set(error, "%s: %s", folder, strerror(errno));
  if (found.count > 0) {
    qsort(found.items, found.count, sizeof *found.items, compare_paths);
    out->paths = alloc_resize(a, found.items, found.capacity * sizeof *found.items, found.count * sizeof *found.items);
    out->count = found.count;
  }
  return true;
}

void file_list_free(allocator_t *a, file_list_t *list) {
  for (uint32_t i = 0; i < list->count; i++)
    alloc_resize(a, list->paths[i], strlen(list->paths[i]) + 1, 0);
  if (list->paths)
    alloc_resize(a, list->paths, list->count * sizeof *list->paths, 0);
  *list = (file_list_t){0};
}
