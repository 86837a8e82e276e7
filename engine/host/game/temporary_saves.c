// Copies a game's saves folder to a temporary folder.
#include "game/temporary_saves.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/folder_reader.h"
#include "base/user_folders.h"
#include "platform/paths.h"
#include "process/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_PREFIX "shoal-saves-" // prefix of a temporary folder's name; the process id, '-' and six letters follow

struct temporary_saves_o {
  allocator_t *allocator;
  char root[PATH_MAX_BYTES]; // path of the folder with one folder per game; "" until the first write
  ARRAY(char *) ids;         // ids of games with a complete copy; the folder of ids.items[i] is named i
};

static char *format_copy_path(const temporary_saves_o *t, uint32_t index, char *out, size_t bytes) {
  snprintf(out, bytes, "%s/%u", t->root, index);
  return out;
}

// Callback of file_walk that includes all files, even hidden files such as .title (save_slots.c).
static bool skip_nothing(void *context, const char *name) {
  (void)context, (void)name;
  return false;
}

static void remove_file(void *context, const char *path, const char *relative, const file_status_t *status) {
  (void)context, (void)relative, (void)status;
  remove(path);
}

// Removes a folder of files without subfolders.
static void remove_folder(const char *folder) {
  file_walk(&(file_walk_t){.folder = folder, .should_skip = skip_nothing, .on_file = remove_file}, NULL);
  file_system_remove_folder(folder);
}

// Removes a folder that contains folders named 0, 1, … Ignores links and folders of other users.
static void remove_root(const char *root) {
  char path[PATH_MAX_BYTES + 400];
  file_status_t status;
  if (!file_status_of_link(root, &status) || status.type != FILE_TYPE_FOLDER || !file_status_is_own(&status))
    return;
  for (uint32_t i = 0; snprintf(path, sizeof path, "%s/%u", root, i) > 0 && file_is_folder(path); ++i)
    remove_folder(path);
  file_system_remove_folder(root);
}

// Removes the folders of processes that no longer exist.
static void remove_stale_roots(const char *parent) {
  char root[PATH_MAX_BYTES + 300];
  folder_reader_o *reader = folder_reader_open(parent);
  for (const char *name; reader && (name = folder_reader_next(reader, NULL));) {
    long process = 0;
    if (sscanf(name, ROOT_PREFIX "%ld-", &process) != 1 || process <= 0 || process_exists(process))
      continue;
    remove_root(path_join(root, sizeof root, parent, name));
  }
  folder_reader_close(reader);
}

temporary_saves_o *temporary_saves_create(allocator_t *a) {
  temporary_saves_o *t = alloc_resize(a, NULL, 0, sizeof *t);
  *t = (temporary_saves_o){.allocator = a};
  remove_stale_roots(user_folder_temporary());
  return t;
}

void temporary_saves_destroy(temporary_saves_o *t) {
  if (!t)
    return;
  char path[PATH_MAX_BYTES + 16];
  for (uint32_t i = 0; i < t->ids.count; ++i) {
    remove_folder(format_copy_path(t, i, path, sizeof path));
    alloc_free_text(t->allocator, t->ids.items[i]);
  }
  if (t->root[0])
    file_system_remove_folder(t->root);
  array_free(t->allocator, &t->ids);
  alloc_resize(t->allocator, t, sizeof *t, 0);
}

void temporary_saves_find(const temporary_saves_o *t, const char *id, const char *user_folder, char *out,
                          size_t bytes) {
  for (uint32_t i = 0; i < t->ids.count; ++i)
    if (strcmp(t->ids.items[i], id) == 0) {
      format_copy_path(t, i, out, bytes);
      return;
    }
  snprintf(out, bytes, "%s", user_folder);
}

typedef struct copy_t {
  const char *target_folder;
  allocator_t *allocator;
  error_info_t *error; // error of the first failure, after which the remaining files are skipped
  bool failed;
} copy_t;

static void copy_file(void *context, const char *path, const char *relative, const file_status_t *status) {
  copy_t *copy = context;
  char target[PATH_MAX_BYTES + 300];
  size_t size = 0;
  if (copy->failed)
    return;
  char *data = file_read(copy->allocator, path, &size, copy->error);
  copy->failed =
      !data || !file_write(path_join(target, sizeof target, copy->target_folder, relative), data, size, copy->error);
  file_free(copy->allocator, data, size);
  if (!copy->failed)
    file_status_set_times(target, status); // keeps the time of the save, because world.saves returns it
}

static bool is_saves_folder(void *context, const char *path, const char *relative) {
  (void)context, (void)path;
  return relative[0] == '\0'; // saves have no subfolders
}

static bool copy_folder(temporary_saves_o *t, const char *source, const char *target, error_info_t *error) {
  copy_t copy = {.target_folder = target, .allocator = t->allocator, .error = error};
  if (!file_system_create_folder(target, true))
    return error_set(error, "%s: %s", target, strerror(errno));
  bool ok = file_walk(&(file_walk_t){.folder = source,
                                     .is_optional = true,
                                     .should_skip = skip_nothing,
                                     .should_enter = is_saves_folder,
                                     .on_file = copy_file,
                                     .context = &copy},
                      error);
  return ok && !copy.failed;
}

static bool create_root(temporary_saves_o *t, error_info_t *error) {
  if (t->root[0])
    return true;
  int length = snprintf(t->root, sizeof t->root, "%s/" ROOT_PREFIX "%ld-XXXXXX", user_folder_temporary(), process_id());
  if (length > 0 && (size_t)length < sizeof t->root && file_system_create_temporary_folder(t->root))
    return true;
  error_set(error, "cannot create a temporary folder: %s: set TMPDIR to a writable folder",
            (size_t)length < sizeof t->root ? strerror(errno) : "the path is too long");
  t->root[0] = '\0';
  return false;
}

bool temporary_saves_prepare(temporary_saves_o *t, const char *id, const char *user_folder, char *out, size_t bytes,
                             error_info_t *error) {
  error_info_t reason = {0};
  shoal_assert(id[0], "id is empty");
  temporary_saves_find(t, id, user_folder, out, bytes);
  if (strcmp(out, user_folder) != 0)
    return true;
  if (!create_root(t, &reason))
    return error_set(error, "this run cannot write saves: %.900s", reason.text);
  format_copy_path(t, t->ids.count, out, bytes);
  if (!copy_folder(t, user_folder, out, &reason)) {
    remove_folder(out);
    return error_set(error, "this run cannot write saves, because the existing saves cannot be copied: %.900s",
                     reason.text);
  }
  char *name = alloc_copy_text(t->allocator, id);
  array_push(t->allocator, &t->ids, name);
  return true;
}
