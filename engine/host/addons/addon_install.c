// Installs an add-on: the new folder is written as addons/.add, which games ignore, and then renamed to its final path.
// An edited folder is first renamed to its kept path, so edited files are never in a folder that is deleted.
#include "addons/addon_install.h"

#include "base/assert.h"
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGE "addons/.add"

static bool set_errno_error(const char *path, error_info_t *error) {
  return error_set(error, "%s: %s", path, strerror(errno));
}

// --- locking

int addon_install_lock(const char *game, error_info_t *error) {
  char stage[PATH_MAX];
  int folder = open(game, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    set_errno_error(game, error);
  } else if (flock(folder, LOCK_EX | LOCK_NB) != 0) {
    error_set(error, "another ./shoal add is changing this game: try again when it has finished");
    close(folder);
    folder = -1;
  } else {
    addon_files_remove_folder(path_join(stage, sizeof stage, game, STAGE));
  }
  return folder;
}

// --- the transaction

typedef struct transaction_t {
  const addon_install_t *desc;
  char addons[PATH_MAX], stage[PATH_MAX], folder[PATH_MAX], kept[PATH_MAX];
  bool created_addons, staged, exchanged, moved, placed;
  struct {
    char *text; // NULL: the file did not exist
    size_t bytes;
  } before[4];
  uint32_t written;
} transaction_t;

// Creates a folder of the game, unless it exists. Sets *created. Returns false if a link or another file is in the way.
static bool create_folder(const char *path, bool *created, error_info_t *error) {
  struct stat info;
  *created = mkdir(path, 0777) == 0;
  if (!*created && errno != EEXIST)
    return set_errno_error(path, error);
  return (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) ||
         error_set(error, "%s: expected a folder, got a link or a file", path);
}

// Writes the new folder, and waits until it is on disk, so that a power cut cannot leave empty files behind.
static bool write_staged_folder(transaction_t *t, error_info_t *error) {
  char *slash = strrchr(t->kept, '/');
  bool created;
  if (!create_folder(t->addons, &t->created_addons, error))
    return false;
  if (t->kept[0]) {
    *slash = '\0';
    if (!create_folder(t->kept, &created, error))
      return false;
    *slash = '/';
  }
  t->staged = true;
  if (!addon_files_write(t->desc->files, t->stage, error))
    return false;
  int folder = open(t->stage, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool ok = folder >= 0 && syncfs(folder) == 0;
  if (folder >= 0)
    close(folder);
  return ok || set_errno_error(t->stage, error);
}

// Moves the new folder to its final path. The previous one is at t->kept or t->stage afterwards.
static bool move_folder_to_destination(transaction_t *t, error_info_t *error) {
  bool exists = path_exists(t->folder);
  if (exists && !t->kept[0]) {
    t->exchanged = renameat2(AT_FDCWD, t->stage, AT_FDCWD, t->folder, RENAME_EXCHANGE) == 0;
    return t->exchanged || set_errno_error(t->folder, error);
  }
  if (exists) {
    t->moved = rename(t->folder, t->kept) == 0;
    if (!t->moved)
      return set_errno_error(t->kept, error);
  }
  t->placed = rename(t->stage, t->folder) == 0;
  return t->placed || set_errno_error(t->folder, error);
}

static bool write_text_files(transaction_t *t, error_info_t *error) {
  const addon_install_t *x = t->desc;
  shoal_assert(x->text_count <= sizeof t->before / sizeof *t->before, "too many texts: %u", x->text_count);
  for (uint32_t i = 0; i < x->text_count; ++i) {
    const addon_text_t *text = &x->text_files[i];
    if (text->text.text.count > 0 && path_exists(text->path) &&
        !(t->before[i].text = file_read(x->memory, text->path, &t->before[i].bytes, error)))
      return false;
  }
  for (; t->written < x->text_count; ++t->written) {
    const addon_text_t *text = &x->text_files[t->written];
    if (text->text.text.count > 0 && !file_write(text->path, text->text.text.items, text->text.text.count, error))
      return false;
  }
  return true;
}

static void undo_transaction(transaction_t *t) {
  for (uint32_t i = 0; i < t->written; ++i)
    if (t->desc->text_files[i].text.text.count == 0)
      continue;
    else if (t->before[i].text)
      file_write(t->desc->text_files[i].path, t->before[i].text, t->before[i].bytes, NULL);
    else
      unlink(t->desc->text_files[i].path);
  if (t->exchanged && renameat2(AT_FDCWD, t->stage, AT_FDCWD, t->folder, RENAME_EXCHANGE) != 0)
    t->staged = false; // keeps the previous folder, which is still at t->stage
  if (t->placed)
    rename(t->folder, t->stage);
  if (t->moved)
    rename(t->kept, t->folder);
}

bool addon_install_run(const addon_install_t *x, error_info_t *error) {
  transaction_t t = {.desc = x};
  shoal_assert(x->game[0] == '/' && x->name[0], "the game's folder must be absolute, got %s", x->game);
  path_join(t.addons, sizeof t.addons, x->game, "addons");
  path_join(t.folder, sizeof t.folder, t.addons, x->name);
  path_join(t.stage, sizeof t.stage, x->game, STAGE);
  if (x->kept)
    path_join(t.kept, sizeof t.kept, x->game, x->kept);
  bool ok = (!x->files || (write_staged_folder(&t, error) && move_folder_to_destination(&t, error))) &&
            write_text_files(&t, error);
  if (!ok)
    undo_transaction(&t);
  if (t.staged)
    addon_files_remove_folder(t.stage);
  if (!ok && t.kept[0]) {
    *strrchr(t.kept, '/') = '\0';
    rmdir(t.kept); // fails harmlessly if the folder contains other add-ons
  }
  if (!ok && t.created_addons)
    rmdir(t.addons);
  for (uint32_t i = 0; i < x->text_count; ++i)
    file_free(x->memory, t.before[i].text, t.before[i].bytes);
  return ok;
}
