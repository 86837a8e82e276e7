// Proposed changes of a game's files. A stamp has one 64-bit hash in hexadecimal for the names and new contents of all
// changed files, and then one hash for the old content of each of these files: "HASH:HASH:HASH". The separate hashes
// allow an error to name the file that has changed.
#include "cockpit/file_changes.h"

#include "base/assert.h"
#include "base/confined_folder.h"
#include "base/file_status.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/hash.h"
#include "cockpit/game_files.h"
#include "cockpit/line_diff.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STAMP_STRIDE 17u // bytes of a hash and its separator

void file_changes_init(file_changes_t *changes, allocator_t *memory, const char *folder) {
  shoal_assert(memory && path_is_absolute(folder), "memory must not be NULL, and folder must be absolute, got '%s'",
               folder);
  *changes = (file_changes_t){.memory = memory};
  snprintf(changes->folder, sizeof changes->folder, "%s", folder);
}

static char *copy_text(file_changes_t *changes, const char *text, size_t bytes) {
  char *copy = alloc_resize(changes->memory, NULL, 0, bytes + 1);
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

static void free_text(file_changes_t *changes, char **text, size_t *bytes) {
  if (*text)
    alloc_resize(changes->memory, *text, *bytes + 1, 0);
  *text = NULL;
  *bytes = 0;
}

void file_changes_fini(file_changes_t *changes) {
  for (uint32_t i = 0; i < changes->files.count; ++i) {
    free_text(changes, &changes->files.items[i].old_text, &changes->files.items[i].old_bytes);
    free_text(changes, &changes->files.items[i].new_text, &changes->files.items[i].new_bytes);
  }
  array_free(changes->memory, &changes->files);
}

// --- reading

// Resolves symbolic links, so that writing keeps the links. For a missing file, resolves its closest existing folder.
// The result begins with the game's folder, which confines it.
static bool resolve_path(const file_changes_t *changes, file_change_t *change, error_info_t *error) {
  char path[FILE_CHANGES_PATH + FILE_CHANGES_NAME], full_path[sizeof path], folder[FILE_PATH_BYTES],
      resolved[FILE_PATH_BYTES];
  char *slash;
  path_join(path, sizeof path, changes->folder, change->name);
  snprintf(full_path, sizeof full_path, "%s", path);
  if (!path_resolve(changes->folder, folder))
    return error_set(error, "%s: folder not found", changes->folder);
  size_t folder_bytes = strlen(folder);
  bool is_resolved;
  while (!(is_resolved = path_resolve(path, resolved)) && !path_exists(path) && (slash = strrchr(path, '/')) != path)
    *slash = '\0';
  const char *suffix = full_path + strlen(path);
  bool is_inside = is_resolved && strncmp(resolved, folder, folder_bytes) == 0 &&
                   (resolved[folder_bytes] == '/' || !resolved[folder_bytes]);
  if (is_inside && snprintf(change->path, sizeof change->path, "%s%s%s", changes->folder, resolved + folder_bytes,
                            suffix) >= (int)sizeof change->path)
    change->path[0] = '\0';
  if (!is_inside)
    return confined_set_error(full_path, error);
  return change->path[0] ||
         error_set(error, "%s: the path is too long (at most %zu bytes)", change->name, sizeof change->path - 1);
}

static file_change_t *find_file(const file_changes_t *changes, const char *name) {
  for (uint32_t i = 0; i < changes->files.count; ++i)
    if (strcmp(changes->files.items[i].name, name) == 0)
      return &changes->files.items[i];
  return NULL;
}

// Returns the file's entry, and reads the file on first use. Returns NULL with an error if the file cannot be part of a
// change.
static file_change_t *load_file(file_changes_t *changes, const char *name, error_info_t *error) {
  file_change_t *loaded = find_file(changes, name), change = {0};
  if (loaded)
    return loaded;
  if (!game_files_is_inside(name) || strlen(name) >= sizeof change.name) {
    error_set(error, "a file must be a path inside the game's folder, such as systems/move.lua, got %.64s", name);
    return NULL;
  }
  if (changes->files.count == FILE_CHANGES_MAX_FILES) {
    error_set(error, "too many files in a change (at most %u)", FILE_CHANGES_MAX_FILES);
    return NULL;
  }
  snprintf(change.name, sizeof change.name, "%s", name);
  if (!resolve_path(changes, &change, error))
    return NULL;
  if (path_exists(change.path)) {
    change.old_text = file_read_limited(changes->memory, change.path, FILE_CHANGES_MAX_BYTES, &change.old_bytes, error);
    if (!change.old_text)
      return NULL;
  }
  array_push(changes->memory, &changes->files, change);
  return &changes->files.items[changes->files.count - 1];
}

bool file_changes_exists(file_changes_t *changes, const char *name) {
  file_change_t *change = load_file(changes, name, NULL);
  return change && !change->removed && (change->old_text || change->new_text);
}

const char *file_changes_read(file_changes_t *changes, const char *name, size_t *bytes, error_info_t *error) {
  file_change_t *change = load_file(changes, name, error);
  if (!change)
    return NULL;
  *bytes = change->new_text ? change->new_bytes : change->old_bytes;
  if (change->removed || (!change->new_text && !change->old_text)) {
    error_set(error, "%s: file not found", name);
    return NULL;
  }
  return change->new_text ? change->new_text : change->old_text;
}

bool file_changes_put(file_changes_t *changes, const char *name, const char *text, size_t bytes, error_info_t *error) {
  file_change_t *change = load_file(changes, name, error);
  if (!change)
    return false;
  if (bytes > FILE_CHANGES_MAX_BYTES)
    return error_set(error, "%s: the new text is too large: %zu bytes (at most %zu)", name, bytes,
                     FILE_CHANGES_MAX_BYTES);
  char *copy = copy_text(changes, text, bytes);
  free_text(changes, &change->new_text, &change->new_bytes);
  change->removed = false;
  if (change->old_text && change->old_bytes == bytes && memcmp(change->old_text, copy, bytes) == 0) {
    free_text(changes, &copy, &bytes);
    return true;
  }
  change->new_text = copy;
  change->new_bytes = bytes;
  return true;
}

bool file_changes_remove(file_changes_t *changes, const char *name, error_info_t *error) {
  file_change_t *change = load_file(changes, name, error);
  file_status_t status;
  if (!change)
    return false;
  if (!change->old_text || !file_status(change->path, &status))
    return error_set(error, "%s: file not found", name);
  free_text(changes, &change->new_text, &change->new_bytes);
  change->removed = true;
  change->permissions = status.permissions;
  return true;
}

bool file_changes_is_changed(const file_change_t *change) {
  return change->new_text || change->removed;
}

// --- showing

uint32_t file_changes_count(const file_changes_t *changes) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < changes->files.count; ++i)
    count += file_changes_is_changed(&changes->files.items[i]);
  return count;
}

static void write_hash(json_writer_t *out, const char *separator, uint64_t hash) {
  char text[24];
  snprintf(text, sizeof text, "%s%016llx", separator, (unsigned long long)hash);
  json_write_text(out, text);
}

void file_changes_write_stamp(const file_changes_t *changes, json_writer_t *out) {
  uint64_t contents_hash = 0;
  for (uint32_t i = 0; i < changes->files.count; ++i) {
    const file_change_t *change = &changes->files.items[i];
    if (file_changes_is_changed(change))
      contents_hash = hash_bytes(change->new_text ? change->new_text : "", change->new_bytes,
                                 hash_bytes(change->name, strlen(change->name), contents_hash) + change->removed);
  }
  write_hash(out, "", contents_hash);
  for (uint32_t i = 0; i < changes->files.count; ++i) {
    const file_change_t *change = &changes->files.items[i];
    if (file_changes_is_changed(change))
      write_hash(out, ":", change->old_text ? hash_bytes(change->old_text, change->old_bytes, 1) : 0);
  }
}

void file_changes_describe(const file_changes_t *changes, json_writer_t *out) {
  json_writer_t text;
  json_writer_init(&text, out->allocator);
  file_changes_write_stamp(changes, &text);
  json_write_key(out, "stamp");
  json_write_string_n(out, text.text.items, text.text.count);
  json_write_key(out, "files");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < changes->files.count; ++i) {
    const file_change_t *change = &changes->files.items[i];
    if (!file_changes_is_changed(change))
      continue;
    json_writer_clear(&text);
    line_diff_write(&text, change->name, change->old_text, change->old_bytes, change->new_text, change->new_bytes);
    json_write_begin(out, '{');
    json_write_pair(out, "file", change->name);
    json_write_bool_pair(out, "created", !change->old_text);
    json_write_bool_pair(out, "removed", change->removed);
    json_write_key(out, "diff");
    json_write_string_n(out, text.text.count ? text.text.items : "", text.text.count);
    json_write_end(out, '}');
  }
  json_write_end(out, ']');
  json_writer_fini(&text);
}

// --- writing

// Returns true if the file contains exactly `text` or, if `text` is NULL, if the file is missing.
static bool has_content(file_changes_t *changes, const file_change_t *change, const char *text, size_t bytes) {
  size_t content_bytes = 0;
  if (!text)
    return !path_exists(change->path);
  char *content = file_read_limited(changes->memory, change->path, FILE_CHANGES_MAX_BYTES, &content_bytes, NULL);
  bool matches = content && content_bytes == bytes && memcmp(content, text, bytes) == 0;
  file_free(changes->memory, content, content_bytes);
  return matches;
}

// Returns the first changed file whose hash differs between two stamps of the same change, or NULL if no hash differs,
// or if the stamps have different numbers of hashes.
static const char *find_differing_file(const file_changes_t *changes, const char *shown_stamp,
                                       const char *current_stamp) {
  size_t offset = STAMP_STRIDE; // skips the hash of the new contents
  for (uint32_t i = 0; strlen(shown_stamp) == strlen(current_stamp) && i < changes->files.count; ++i) {
    const file_change_t *change = &changes->files.items[i];
    if (!file_changes_is_changed(change))
      continue;
    if (memcmp(shown_stamp + offset, current_stamp + offset, STAMP_STRIDE - 1) != 0)
      return change->name;
    offset += STAMP_STRIDE;
  }
  return NULL;
}

static bool reject_changed_file(const char *name, error_info_t *error) {
  return error_set(error, "%s has changed since its diff was shown: check the new diff", name);
}

static bool check_stamp(const file_changes_t *changes, const char *shown_stamp, error_info_t *error) {
  json_writer_t current_stamp;
  json_writer_init(&current_stamp, changes->memory);
  file_changes_write_stamp(changes, &current_stamp);
  const char *current = json_writer_text(&current_stamp),
             *differing_file = find_differing_file(changes, shown_stamp, current);
  bool is_current = strcmp(shown_stamp, current) == 0;
  if (differing_file)
    reject_changed_file(differing_file, error);
  else if (!is_current)
    error_set(error, "the change differs from the diff that was shown: check the new diff");
  json_writer_fini(&current_stamp);
  return is_current;
}

// Returns true if each changed file can be written, and has its old content or, if `is_applied` is true, its new
// content. Otherwise, returns false with an error.
static bool check_files(file_changes_t *changes, bool is_applied, error_info_t *error) {
  for (uint32_t i = 0; i < changes->files.count; ++i) {
    const file_change_t *change = &changes->files.items[i];
    if (!file_changes_is_changed(change))
      continue;
    if (is_applied && !has_content(changes, change, change->new_text, change->new_bytes))
      return error_set(error, "cannot undo: %s has changed since it was written", change->name);
    if (!is_applied && !has_content(changes, change, change->old_text, change->old_bytes))
      return reject_changed_file(change->name, error);
    if (!game_files_check_writable(change->path, error))
      return false;
  }
  return true;
}

static bool write_text(const file_change_t *change, const char *text, size_t bytes, error_info_t *error) {
  file_status_t status;
  bool exists = file_status(change->path, &status);
  if (!file_write(change->path, text, bytes, error))
    return false;
  if (exists)
    file_status_set_permissions(change->path, status.permissions);
  return true;
}

static bool create_folder(file_change_t *change, error_info_t *error) {
  char folder[FILE_CHANGES_PATH];
  snprintf(folder, sizeof folder, "%s", change->path);
  *strrchr(folder, '/') = '\0';
  change->created_folder = !path_exists(folder);
  return !change->created_folder || file_create_folders(folder, error);
}

static void remove_created_file(const file_change_t *change) {
  char folder[FILE_CHANGES_PATH];
  const char *name;
  int parent = confined_open_parent(change->path, &name);
  if (parent < 0)
    return;
  file_system_remove_entry(parent, name);
  file_system_close(parent);
  if (!change->created_folder)
    return;
  snprintf(folder, sizeof folder, "%s", change->path);
  *strrchr(folder, '/') = '\0';
  parent = confined_open_parent(folder, &name);
  if (parent >= 0) {
    file_system_remove_folder_entry(parent, name); // fails harmlessly if the folder contains other files
    file_system_close(parent);
  }
}

static bool remove_file(const file_change_t *change, error_info_t *error) {
  const char *name;
  int parent = confined_open_parent(change->path, &name);
  bool ok = parent >= 0 && file_system_remove_entry(parent, name);
  if (!ok)
    error_set(error, "cannot remove %s: %s", change->name, strerror(errno));
  if (parent >= 0)
    file_system_close(parent);
  return ok;
}

static bool restore_file(const file_change_t *change, error_info_t *error) {
  if (change->old_text && !write_text(change, change->old_text, change->old_bytes, error))
    return false;
  if (change->old_text && change->removed)
    file_status_set_permissions(change->path, change->permissions);
  if (change->old_text)
    return true;
  remove_created_file(change);
  return !path_exists(change->path) || error_set(error, "cannot remove %s: %s", change->name, strerror(errno));
}

bool file_changes_apply(file_changes_t *changes, const char *shown_stamp, error_info_t *error) {
  shoal_assert(shown_stamp, "shown_stamp must not be NULL");
  if (file_changes_count(changes) == 0)
    return error_set(error, "nothing to write: the files already contain the change");
  if (!check_stamp(changes, shown_stamp, error) || !check_files(changes, false, error))
    return false;
  for (uint32_t i = 0; i < changes->files.count; ++i) {
    file_change_t *change = &changes->files.items[i];
    bool ok = change->removed ? remove_file(change, error)
                              : !change->new_text || (create_folder(change, error) &&
                                                      write_text(change, change->new_text, change->new_bytes, error));
    if (ok)
      continue;
    while (i-- > 0)
      if (file_changes_is_changed(&changes->files.items[i]))
        restore_file(&changes->files.items[i], NULL);
    return false;
  }
  return true;
}

bool file_changes_undo(file_changes_t *changes, error_info_t *error) {
  if (!check_files(changes, true, error))
    return false;
  for (uint32_t i = changes->files.count; i > 0; --i)
    if (file_changes_is_changed(&changes->files.items[i - 1]) && !restore_file(&changes->files.items[i - 1], error))
      return false;
  return true;
}

static bool are_in_same_folder(const file_change_t *a, const file_change_t *b) {
  size_t bytes = (size_t)(strrchr(a->path, '/') - a->path);
  return bytes == (size_t)(strrchr(b->path, '/') - b->path) && memcmp(a->path, b->path, bytes) == 0;
}

void file_changes_adopt_folders(file_changes_t *changes, const file_changes_t *undone) {
  for (uint32_t i = 0; i < undone->files.count; ++i)
    for (uint32_t k = 0; undone->files.items[i].created_folder && k < changes->files.count; ++k) {
      file_change_t *change = &changes->files.items[k];
      bool is_created = change->new_text && !change->old_text;
      change->created_folder |= is_created && are_in_same_folder(change, &undone->files.items[i]);
    }
}
