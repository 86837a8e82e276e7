// Installs an add-on: writes the new folder as addons/.add, which games ignore, and then renames it to its final path.
// An edited folder is first renamed to its kept path, so edited files are never in a folder that is deleted.
#include "addons/addon_install.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STAGE_FOLDER "addons/.add"

static bool set_errno_error(const char *path, error_info_t *error) {
  return error_set(error, "%s: %s", path, strerror(errno));
}

// --- locking

int addon_install_lock(const char *game, error_info_t *error) {
  char stage[FILE_PATH_BYTES];
  int folder = file_system_open_folder(game);
  if (folder < 0) {
    set_errno_error(game, error);
  } else if (!file_system_lock(folder)) {
    error_set(error, "another ./shoal add is changing this game: try again when it has finished");
    file_system_close(folder);
    folder = -1;
  } else {
    file_system_remove_tree(path_join(stage, sizeof stage, game, STAGE_FOLDER));
  }
  return folder;
}

// --- the transaction

typedef struct transaction_t {
  const addon_install_t *desc;
  char addons_path[FILE_PATH_BYTES], stage_path[FILE_PATH_BYTES], folder_path[FILE_PATH_BYTES],
      kept_path[FILE_PATH_BYTES];
  bool created_addons, has_stage, exchanged, moved_old, moved_new;
  struct {
    char *text; // previous text of the file; NULL: the file did not exist
    size_t bytes;
  } old_texts[4];
  uint32_t written_count;
} transaction_t;

// Creates a folder of the game unless it exists, and sets *created. Returns true on success, or false with a message if
// the folder cannot be created, or the path is a link or a file.
static bool create_folder(const char *path, bool *created, error_info_t *error) {
  file_status_t status;
  *created = file_system_create_folder(path, false);
  if (!*created && errno != EEXIST)
    return set_errno_error(path, error);
  if (!file_status_of_link(path, &status))
    return set_errno_error(path, error);
  return status.type == FILE_TYPE_FOLDER || error_set(error, "%s: expected a folder, got a link or a file", path);
}

// Writes the new folder, and waits until it is on disk, so that a power cut cannot leave empty files.
static bool write_staged_folder(transaction_t *t, error_info_t *error) {
  char *slash = strrchr(t->kept_path, '/');
  bool created_parent;
  if (!create_folder(t->addons_path, &t->created_addons, error))
    return false;
  if (t->kept_path[0]) {
    *slash = '\0';
    if (!create_folder(t->kept_path, &created_parent, error))
      return false;
    *slash = '/';
  }
  t->has_stage = true;
  if (!addon_files_write(t->desc->files, t->stage_path, error))
    return false;
  int folder = file_system_open_folder(t->stage_path);
  bool ok = folder >= 0 && file_system_synchronize(folder);
  if (!ok)
    set_errno_error(t->stage_path, error);
  if (folder >= 0)
    file_system_close(folder);
  return ok;
}

// Moves the new folder to its final path. On success, the previous folder, if any, is at t->kept_path or t->stage_path.
static bool move_folder_to_destination(transaction_t *t, error_info_t *error) {
  file_status_t status;
  bool replaces = file_status_of_link(t->folder_path, &status);
  if (!replaces && errno != ENOENT)
    return set_errno_error(t->folder_path, error);
  if (replaces && !t->kept_path[0]) {
    t->exchanged = file_system_exchange(t->stage_path, t->folder_path);
    return t->exchanged || set_errno_error(t->folder_path, error);
  }
  if (replaces) {
    t->moved_old = file_system_rename(t->folder_path, t->kept_path);
    if (!t->moved_old)
      return set_errno_error(t->kept_path, error);
  }
  t->moved_new = file_system_rename(t->stage_path, t->folder_path);
  return t->moved_new || set_errno_error(t->folder_path, error);
}

static bool write_text_files(transaction_t *t, error_info_t *error) {
  const addon_install_t *desc = t->desc;
  shoal_assert(desc->text_count <= sizeof t->old_texts / sizeof *t->old_texts, "too many texts: %u", desc->text_count);
  for (uint32_t i = 0; i < desc->text_count; ++i) {
    const addon_text_t *text = &desc->text_files[i];
    if (text->text.text.count > 0 &&
        !file_read_optional(desc->memory, text->path, &t->old_texts[i].text, &t->old_texts[i].bytes, error))
      return false;
  }
  for (; t->written_count < desc->text_count; ++t->written_count) {
    const addon_text_t *text = &desc->text_files[t->written_count];
    if (text->text.text.count > 0 && !file_write(text->path, text->text.text.items, text->text.text.count, error))
      return false;
  }
  return true;
}

static void undo_transaction(transaction_t *t) {
  for (uint32_t i = 0; i < t->written_count; ++i)
    if (t->desc->text_files[i].text.text.count == 0)
      continue;
    else if (t->old_texts[i].text)
      file_write(t->desc->text_files[i].path, t->old_texts[i].text, t->old_texts[i].bytes, NULL);
    else
      remove(t->desc->text_files[i].path);
  if (t->exchanged && !file_system_exchange(t->stage_path, t->folder_path))
    t->has_stage = false; // keeps the previous folder, which is still at t->stage_path
  if (t->moved_new)
    file_system_rename(t->folder_path, t->stage_path);
  if (t->moved_old)
    file_system_rename(t->kept_path, t->folder_path);
}

bool addon_install_run(const addon_install_t *desc, error_info_t *error) {
  transaction_t transaction = {.desc = desc};
  shoal_assert(path_is_absolute(desc->game) && desc->name[0], "the game's folder must be absolute, got %s", desc->game);
  path_join(transaction.addons_path, sizeof transaction.addons_path, desc->game, "addons");
  path_join(transaction.folder_path, sizeof transaction.folder_path, transaction.addons_path, desc->name);
  path_join(transaction.stage_path, sizeof transaction.stage_path, desc->game, STAGE_FOLDER);
  if (desc->kept_path)
    path_join(transaction.kept_path, sizeof transaction.kept_path, desc->game, desc->kept_path);
  bool ok =
      (!desc->files || (write_staged_folder(&transaction, error) && move_folder_to_destination(&transaction, error))) &&
      write_text_files(&transaction, error);
  if (!ok)
    undo_transaction(&transaction);
  if (transaction.has_stage)
    file_system_remove_tree(transaction.stage_path);
  if (!ok && transaction.kept_path[0]) {
    *strrchr(transaction.kept_path, '/') = '\0';
    file_system_remove_folder(transaction.kept_path); // fails harmlessly if the folder contains other add-ons
  }
  if (!ok && transaction.created_addons)
    file_system_remove_folder(transaction.addons_path);
  for (uint32_t i = 0; i < desc->text_count; ++i)
    file_free(desc->memory, transaction.old_texts[i].text, transaction.old_texts[i].bytes);
  return ok;
}
