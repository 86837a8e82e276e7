// Reads a folder into memory, writes a copy, and changes and restores files of the copy.
#include "folder.h"

#include "base/files.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void exit_with_error(const char *what, const char *path) {
  fprintf(stderr, "mutate: %s: ", path);
  perror(what);
  exit(2);
}

char *folder_path(const folder_t *f, const char *path, char out[1024]) {
  return path_join(out, 1024, f->place, path);
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *ftw) {
  (void)s, (void)kind, (void)ftw;
  return remove(path);
}

void folder_remove(const folder_t *f, const char *path) {
  char full[1024];
  struct stat s;
  folder_path(f, path, full);
  if (lstat(full, &s) != 0)
    return;
  if (S_ISDIR(s.st_mode))
    nftw(full, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  else
    remove(full);
}

static void make_folders(char *full, size_t from) {
  for (char *slash = strchr(full + from + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(full, 0755);
    *slash = '/';
  }
}

void folder_write(const folder_t *f, const char *path, const void *bytes, size_t size_bytes) {
  char full[1024];
  folder_path(f, path, full);
  mkdir(f->place, 0755);
  make_folders(full, strlen(f->place));
  FILE *file = fopen(full, "wb");
  if (!file || fwrite(bytes, 1, size_bytes, file) != size_bytes || fclose(file) != 0)
    exit_with_error("cannot be written", full);
}

char *folder_read(const folder_t *f, const char *path, size_t *size_bytes) {
  char full[1024];
  struct stat s;
  folder_path(f, path, full);
  FILE *file = stat(full, &s) == 0 && S_ISREG(s.st_mode) ? fopen(full, "rb") : NULL;
  if (!file)
    return NULL;
  char *bytes = malloc((size_t)s.st_size + 1);
  if (!bytes)
    abort();
  *size_bytes = fread(bytes, 1, (size_t)s.st_size, file);
  bytes[*size_bytes] = '\0';
  fclose(file);
  return bytes;
}

void folder_init(folder_t *f, const char *from) {
  *f = (folder_t){0};
  error_info_t error = {0};
  file_list_t list = {0};
  snprintf(f->place, sizeof f->place, "/tmp/shoal_mutate_XXXXXX");
  if (!mkdtemp(f->place))
    exit_with_error("no temporary folder", f->place);
  if (!file_list(&f->memory, from, "", &list, &error))
    exit_with_error(error.text, from);
  f->count = list.count;
  f->files = alloc_resize(&f->memory, NULL, 0, f->count * sizeof *f->files);
  for (uint32_t i = 0; i < f->count; ++i) {
    folder_file_t *file = &f->files[i];
    char full[1024];
    file->path = strdup(list.paths[i]);
    file->bytes = file_read(&f->memory, path_join(full, sizeof full, from, file->path), &file->size_bytes, &error);
    if (!file->bytes)
      exit_with_error(error.text, full);
    folder_write(f, file->path, file->bytes, file->size_bytes);
  }
  file_list_free(&f->memory, &list);
}

// This is fast if little has changed, because files whose content is unchanged are not written.
void folder_restore(folder_t *f) {
  file_list_t list = {0};
  if (file_list(&f->memory, f->place, "", &list, NULL)) {
    for (uint32_t i = 0, k = 0; i < list.count; ++i) { // both lists are sorted
      while (k < f->count && strcmp(f->files[k].path, list.paths[i]) < 0)
        k++;
      if (k == f->count || strcmp(f->files[k].path, list.paths[i]) != 0)
        folder_remove(f, list.paths[i]);
    }
    file_list_free(&f->memory, &list);
  }
  for (uint32_t i = 0; i < f->count; ++i) {
    const folder_file_t *file = &f->files[i];
    size_t size_bytes = 0;
    char full[1024];
    struct stat s;
    bool link = lstat(folder_path(f, file->path, full), &s) == 0 && !S_ISREG(s.st_mode);
    char *now = link ? NULL : folder_read(f, file->path, &size_bytes);
    if (!now || size_bytes != file->size_bytes || memcmp(now, file->bytes, size_bytes) != 0) {
      folder_remove(f, file->path);
      folder_write(f, file->path, file->bytes, file->size_bytes);
    }
    free(now);
  }
}

void folder_fini(folder_t *f) {
  folder_remove(f, "");
  for (uint32_t i = 0; i < f->count; ++i) {
    free(f->files[i].path);
    file_free(&f->memory, f->files[i].bytes, f->files[i].size_bytes);
  }
  alloc_resize(&f->memory, f->files, f->count * sizeof *f->files, 0);
}
