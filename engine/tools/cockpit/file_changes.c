// Proposed changes of a game's files. A stamp has one 64-bit hash in hexadecimal for the names and new contents of all
// changed files, and then one for the old content of each of these files: "HASH:HASH:HASH". The separate hashes allow
// an error to name the file that has changed.
#include "cockpit/file_changes.h"

#include "base/assert.h"
#include "base/confined_folder.h"
#include "base/files.h"
#include "base/hash.h"
#include "cockpit/game_files.h"
#include "cockpit/line_diff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAMP_STEP 17u // bytes of a hash and its separator

void file_changes_init(file_changes_t *x, allocator_t *memory, const char *folder) {
  shoal_assert(memory && folder[0] == '/', "memory must not be NULL, and folder must be absolute, got '%s'", folder);
  *x = (file_changes_t){.memory = memory};
  snprintf(x->folder, sizeof x->folder, "%s", folder);
}

static char *copy_text(file_changes_t *x, const char *text, size_t bytes) {
  char *copy = alloc_resize(x->memory, NULL, 0, bytes + 1);
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

static void free_text(file_changes_t *x, char **text, size_t bytes) {
  if (*text)
    alloc_resize(x->memory, *text, bytes + 1, 0);
  *text = NULL;
}

void file_changes_fini(file_changes_t *x) {
  for (uint32_t i = 0; i < x->files.count; ++i) {
    free_text(x, &x->files.items[i].before, x->files.items[i].before_bytes);
    free_text(x, &x->files.items[i].after, x->files.items[i].after_bytes);
  }
  array_free(x->memory, &x->files);
}

// --- reading

// Resolves symbolic links, so that writing keeps the links. For a missing file, resolves its closest existing folder.
// The result begins with the game's folder, which confines it.
static bool resolve_path(const file_changes_t *x, file_change_t *f, error_info_t *error) {
  char path[FILE_CHANGES_PATH + FILE_CHANGES_NAME], whole[sizeof path];
  char *folder = realpath(x->folder, NULL), *real = NULL, *slash;
  path_join(path, sizeof path, x->folder, f->name);
  snprintf(whole, sizeof whole, "%s", path);
  size_t bytes = folder ? strlen(folder) : 0;
  while (!(real = realpath(path, NULL)) && !path_exists(path) && (slash = strrchr(path, '/')) != path)
    *slash = '\0';
  const char *rest = whole + strlen(path);
  bool inside = real && bytes > 0 && strncmp(real, folder, bytes) == 0 && (real[bytes] == '/' || !real[bytes]);
  if (inside && snprintf(f->path, sizeof f->path, "%s%s%s", x->folder, real + bytes, rest) >= (int)sizeof f->path)
    f->path[0] = '\0';
  free(real);
  free(folder);
  if (!inside)
    return confined_set_error(whole, error);
  return f->path[0] || error_set(error, "%s: the path is too long (at most %zu bytes)", f->name, sizeof f->path - 1);
}

static file_change_t *find_file(const file_changes_t *x, const char *name) {
  for (uint32_t i = 0; i < x->files.count; ++i)
    if (strcmp(x->files.items[i].name, name) == 0)
      return &x->files.items[i];
  return NULL;
}

// Returns the file's entry, which is read when it is first needed. Returns NULL with an error if the file cannot be
// part of a change.
static file_change_t *load_file(file_changes_t *x, const char *name, error_info_t *error) {
  file_change_t *file = find_file(x, name), f = {0};
  if (file)
    return file;
  if (!game_files_is_inside(name) || strlen(name) >= sizeof f.name) {
    error_set(error, "a file must be a path inside the game's folder, such as systems/move.lua, got %.64s", name);
    return NULL;
  }
  if (x->files.count == FILE_CHANGES_MAX_FILES) {
    error_set(error, "too many files in a change (at most %u)", FILE_CHANGES_MAX_FILES);
    return NULL;
  }
  snprintf(f.name, sizeof f.name, "%s", name);
  if (!resolve_path(x, &f, error))
    return NULL;
  if (path_exists(f.path)) {
    f.before = file_read_limited(x->memory, f.path, FILE_CHANGES_MAX_BYTES, &f.before_bytes, error);
    if (!f.before)
      return NULL;
  }
  array_push(x->memory, &x->files, f);
  return &x->files.items[x->files.count - 1];
}

bool file_changes_exists(file_changes_t *x, const char *name) {
  file_change_t *f = load_file(x, name, NULL);
  return f && !f->removed && (f->before || f->after);
}

const char *file_changes_read(file_changes_t *x, const char *name, size_t *bytes, error_info_t *error) {
  file_change_t *f = load_file(x, name, error);
  if (!f)
    return NULL;
  *bytes = f->after ? f->after_bytes : f->before_bytes;
  if (f->removed || (!f->after && !f->before)) {
    error_set(error, "%s: file not found", name);
    return NULL;
  }
  return f->after ? f->after : f->before;
}

bool file_changes_put(file_changes_t *x, const char *name, const char *text, size_t bytes, error_info_t *error) {
  file_change_t *f = load_file(x, name, error);
  if (!f)
    return false;
  if (bytes > FILE_CHANGES_MAX_BYTES)
    return error_set(error, "%s: the new text is too large: %zu bytes (at most %zu)", name, bytes,
                     FILE_CHANGES_MAX_BYTES);
  char *copy = copy_text(x, text, bytes);
  free_text(x, &f->after, f->after_bytes);
  f->removed = false;
  if (f->before && f->before_bytes == bytes && memcmp(f->before, copy, bytes) == 0) {
    free_text(x, &copy, bytes);
    return true;
  }
  f->after = copy;
  f->after_bytes = bytes;
  return true;
}

bool file_changes_remove(file_changes_t *x, const char *name, error_info_t *error) {
  file_change_t *f = load_file(x, name, error);
  struct stat info;
  if (!f)
    return false;
  if (!f->before || stat(f->path, &info) != 0)
    return error_set(error, "%s: file not found", name);
  free_text(x, &f->after, f->after_bytes);
  f->removed = true;
  f->mode = info.st_mode & 07777;
  return true;
}

bool file_changes_is_changed(const file_change_t *f) {
  return f->after || f->removed;
}

// --- showing

uint32_t file_changes_count(const file_changes_t *x) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < x->files.count; ++i)
    count += file_changes_is_changed(&x->files.items[i]);
  return count;
}

static void write_hash(json_writer_t *out, const char *before, uint64_t hash) {
  char text[24];
  snprintf(text, sizeof text, "%s%016llx", before, (unsigned long long)hash);
  json_write_text(out, text);
}

void file_changes_write_stamp(const file_changes_t *x, json_writer_t *out) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < x->files.count; ++i) {
    const file_change_t *f = &x->files.items[i];
    if (file_changes_is_changed(f))
      all =
          hash_bytes(f->after ? f->after : "", f->after_bytes, hash_bytes(f->name, strlen(f->name), all) + f->removed);
  }
  write_hash(out, "", all);
  for (uint32_t i = 0; i < x->files.count; ++i) {
    const file_change_t *f = &x->files.items[i];
    if (file_changes_is_changed(f))
      write_hash(out, ":", f->before ? hash_bytes(f->before, f->before_bytes, 1) : 0);
  }
}

void file_changes_describe(const file_changes_t *x, json_writer_t *out) {
  json_writer_t text;
  json_writer_init(&text, out->allocator);
  file_changes_write_stamp(x, &text);
  json_write_key(out, "stamp");
  json_write_string_n(out, text.text.items, text.text.count);
  json_write_key(out, "files");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < x->files.count; ++i) {
    const file_change_t *f = &x->files.items[i];
    if (!file_changes_is_changed(f))
      continue;
    json_writer_clear(&text);
    line_diff_write(&text, f->name, f->before, f->before_bytes, f->after ? f->after : "", f->after_bytes);
    json_write_begin(out, '{');
    json_write_pair(out, "file", f->name);
    json_write_bool_pair(out, "created", !f->before);
    json_write_bool_pair(out, "removed", f->removed);
    json_write_key(out, "diff");
    json_write_string_n(out, text.text.count ? text.text.items : "", text.text.count);
    json_write_end(out, '}');
  }
  json_write_end(out, ']');
  json_writer_fini(&text);
}

// --- writing

// Returns true if the file contains exactly `text` or, if `text` is NULL, if the file is missing.
static bool has_content(file_changes_t *x, const file_change_t *f, const char *text, size_t bytes) {
  size_t now_bytes = 0;
  if (!text)
    return !path_exists(f->path);
  char *now = file_read_limited(x->memory, f->path, FILE_CHANGES_MAX_BYTES, &now_bytes, NULL);
  bool same = now && now_bytes == bytes && memcmp(now, text, bytes) == 0;
  file_free(x->memory, now, now_bytes);
  return same;
}

// Returns the first changed file whose hash differs between two stamps of the same change; NULL if none differs, or if
// the stamps have different numbers of hashes.
static const char *find_differing_file(const file_changes_t *x, const char *shown_stamp, const char *current_stamp) {
  size_t at = STAMP_STEP; // skips the hash of the new contents
  for (uint32_t i = 0; strlen(shown_stamp) == strlen(current_stamp) && i < x->files.count; ++i) {
    const file_change_t *f = &x->files.items[i];
    if (!file_changes_is_changed(f))
      continue;
    if (memcmp(shown_stamp + at, current_stamp + at, STAMP_STEP - 1) != 0)
      return f->name;
    at += STAMP_STEP;
  }
  return NULL;
}

static bool reject_changed_file(const char *name, error_info_t *error) {
  return error_set(error, "%s has changed since its diff was shown: check the new diff", name);
}

static bool check_stamp(const file_changes_t *x, const char *shown_stamp, error_info_t *error) {
  json_writer_t current_stamp;
  json_writer_init(&current_stamp, x->memory);
  file_changes_write_stamp(x, &current_stamp);
  const char *text = json_writer_text(&current_stamp), *changed = find_differing_file(x, shown_stamp, text);
  bool same = strcmp(shown_stamp, text) == 0;
  if (changed)
    reject_changed_file(changed, error);
  else if (!same)
    error_set(error, "the change differs from the diff that was shown: check the new diff");
  json_writer_fini(&current_stamp);
  return same;
}

// Checks that each changed file can be written, and that it has its old content or, if `is_applied` is set, its new
// content.
static bool check_files(file_changes_t *x, bool is_applied, error_info_t *error) {
  for (uint32_t i = 0; i < x->files.count; ++i) {
    const file_change_t *f = &x->files.items[i];
    if (!file_changes_is_changed(f))
      continue;
    if (is_applied && !has_content(x, f, f->after, f->after_bytes))
      return error_set(error, "cannot undo: %s has changed since it was written", f->name);
    if (!is_applied && !has_content(x, f, f->before, f->before_bytes))
      return reject_changed_file(f->name, error);
    if (!game_files_check_writable(f->path, error))
      return false;
  }
  return true;
}

static bool write_text(const file_change_t *f, const char *text, size_t bytes, error_info_t *error) {
  struct stat info;
  bool existed = stat(f->path, &info) == 0;
  if (!file_write(f->path, text, bytes, error))
    return false;
  if (existed)
    chmod(f->path, info.st_mode & 07777);
  return true;
}

static bool create_folder(file_change_t *f, error_info_t *error) {
  char folder[FILE_CHANGES_PATH];
  snprintf(folder, sizeof folder, "%s", f->path);
  *strrchr(folder, '/') = '\0';
  f->created_folder = !path_exists(folder);
  return !f->created_folder || file_create_folders(folder, error);
}

static void remove_created_file(const file_change_t *f) {
  char folder[FILE_CHANGES_PATH];
  const char *name;
  int parent = confined_open_parent(f->path, &name);
  if (parent < 0)
    return;
  unlinkat(parent, name, 0);
  close(parent);
  if (!f->created_folder)
    return;
  snprintf(folder, sizeof folder, "%s", f->path);
  *strrchr(folder, '/') = '\0';
  parent = confined_open_parent(folder, &name);
  if (parent >= 0) {
    unlinkat(parent, name, AT_REMOVEDIR); // fails harmlessly if the folder contains other files
    close(parent);
  }
}

static bool remove_file(const file_change_t *f, error_info_t *error) {
  const char *name;
  int parent = confined_open_parent(f->path, &name);
  bool ok = parent >= 0 && unlinkat(parent, name, 0) == 0;
  if (!ok)
    error_set(error, "cannot remove %s: %s", f->name, strerror(errno));
  if (parent >= 0)
    close(parent);
  return ok;
}

static bool restore_file(const file_change_t *f, error_info_t *error) {
  if (f->before && !write_text(f, f->before, f->before_bytes, error))
    return false;
  if (f->before && f->removed)
    chmod(f->path, f->mode);
  if (f->before)
    return true;
  remove_created_file(f);
  return !path_exists(f->path) || error_set(error, "cannot remove %s: %s", f->name, strerror(errno));
}

bool file_changes_apply(file_changes_t *x, const char *shown_stamp, error_info_t *error) {
  shoal_assert(shown_stamp, "shown_stamp must not be NULL");
  if (file_changes_count(x) == 0)
    return error_set(error, "nothing to write: the files already contain the change");
  if (!check_stamp(x, shown_stamp, error) || !check_files(x, false, error))
    return false;
  for (uint32_t i = 0; i < x->files.count; ++i) {
    file_change_t *f = &x->files.items[i];
    bool ok = f->removed ? remove_file(f, error)
                         : !f->after || (create_folder(f, error) && write_text(f, f->after, f->after_bytes, error));
    if (ok)
      continue;
    while (i-- > 0)
      if (file_changes_is_changed(&x->files.items[i]))
        restore_file(&x->files.items[i], NULL);
    return false;
  }
  return true;
}

bool file_changes_undo(file_changes_t *x, error_info_t *error) {
  if (!check_files(x, true, error))
    return false;
  for (uint32_t i = x->files.count; i > 0; --i)
    if (file_changes_is_changed(&x->files.items[i - 1]) && !restore_file(&x->files.items[i - 1], error))
      return false;
  return true;
}
