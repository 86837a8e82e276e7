// Reads addons.lock with jansson. The checksum of each entry covers its list of files, so a damaged list is detected.
#include "addons/addon_lock.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/utf8.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

void addon_lock_init(addon_lock_t *lock, allocator_t *memory) {
  *lock = (addon_lock_t){.memory = memory};
}

void addon_lock_fini(addon_lock_t *lock) {
  for (uint32_t i = 0; i < lock->addons.count; ++i)
    addon_files_fini(&lock->addons.items[i].files);
  array_free(lock->memory, &lock->addons);
}

static addon_locked_t *add_entry(addon_lock_t *lock, const char *name, const char *version, const char *source) {
  addon_locked_t entry = {0};
  snprintf(entry.name, sizeof entry.name, "%s", name);
  snprintf(entry.version, sizeof entry.version, "%s", version);
  snprintf(entry.source, sizeof entry.source, "%s", source);
  addon_files_init(&entry.files, lock->memory);
  uint32_t index = lock->addons.count;
  array_push(lock->memory, &lock->addons, entry);
  for (; index > 0 && strcmp(lock->addons.items[index - 1].name, name) > 0; --index)
    lock->addons.items[index] = lock->addons.items[index - 1];
  lock->addons.items[index] = entry;
  return &lock->addons.items[index];
}

static void add_hash(addon_locked_t *entry, const char *path, const char *hash) {
  addon_files_add(&entry->files, path, NULL, 0);
  snprintf(entry->files.files.items[entry->files.files.count - 1].hash, ADDON_HASH_BYTES, "%s", hash);
}

// --- reading

static bool is_hash(const char *text) {
  return text && strlen(text) == ADDON_HASH_BYTES - 1 && strspn(text, "0123456789abcdef") == ADDON_HASH_BYTES - 1;
}

static bool read_entry(addon_lock_t *lock, const char *name, const json_t *values, error_info_t *error) {
  static const char FIX[] = "restore the file from version control, or delete this entry and run ./shoal add again";
  const char *version = json_string_value(json_object_get(values, "version")), *path;
  const char *source = json_string_value(json_object_get(values, "source"));
  const char *checksum = json_string_value(json_object_get(values, "sha256"));
  json_t *files = json_object_get(values, "files"), *hash;
  char actual[ADDON_HASH_BYTES];
  if (strlen(name) >= ADDON_NAME_BYTES || !version || !addon_version_is_valid(version) || !source ||
      !is_hash(checksum) || !json_is_object(files))
    return error_set(error, ADDON_LOCK ": the entry for %.40s is malformed: %s", name, FIX);
  addon_locked_t *entry = add_entry(lock, name, version, source);
  json_object_foreach(files, path, hash) {
    if (!is_hash(json_string_value(hash)) || !addon_files_check_path(path, NULL))
      return error_set(error, ADDON_LOCK ": the entry for %s is malformed (%.200s): %s", name, path, FIX);
    add_hash(entry, path, json_string_value(hash));
  }
  addon_files_sort(&entry->files);
  addon_files_hash(&entry->files, actual);
  return strcmp(checksum, actual) == 0 ||
         error_set(error, ADDON_LOCK ": the checksum of %s does not match the list of files: %s", name, FIX);
}

bool addon_lock_parse(addon_lock_t *lock, const char *text, size_t bytes, error_info_t *error) {
  json_error_t parse_error;
  const char *name;
  json_t *values, *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &parse_error);
  json_t *addons = json_object_get(root, "addons");
  json_int_t format = json_integer_value(json_object_get(root, "format"));
  bool ok = true;
  if (!root)
    ok = error_set_at(error, ADDON_LOCK, parse_error.line > 0 ? (uint32_t)parse_error.line : 1, "%s", parse_error.text);
  else if (format > FORMAT)
    ok = error_set(error, ADDON_LOCK ": the file was written by a newer version of Shoal: update Shoal");
  else if (!json_is_object(addons) || format != FORMAT)
    ok = error_set(error, ADDON_LOCK ": expected an object with \"format\": %d and \"addons\"", FORMAT);
  json_object_foreach(addons, name, values) {
    ok = ok && read_entry(lock, name, values, error);
  }
  json_decref(root);
  return ok;
}

bool addon_lock_read(addon_lock_t *lock, const char *game, error_info_t *error) {
  char path[FILE_PATH_BYTES];
  size_t bytes = 0;
  char *text;
  if (!file_read_optional(lock->memory, path_join(path, sizeof path, game, ADDON_LOCK), &text, &bytes, error))
    return false;
  bool ok = !text || addon_lock_parse(lock, text, bytes, error);
  file_free(lock->memory, text, bytes);
  return ok;
}

const addon_locked_t *addon_lock_find(const addon_lock_t *lock, const char *name) {
  for (uint32_t i = 0; i < lock->addons.count; ++i)
    if (strcmp(lock->addons.items[i].name, name) == 0)
      return &lock->addons.items[i];
  return NULL;
}

// --- writing

static void remove_entry(addon_lock_t *lock, uint32_t index) {
  shoal_assert(index < lock->addons.count, "entry %u is out of range (count %u)", index, lock->addons.count);
  addon_files_fini(&lock->addons.items[index].files);
  for (uint32_t i = index + 1; i < lock->addons.count; ++i)
    lock->addons.items[i - 1] = lock->addons.items[i];
  lock->addons.count--;
}

void addon_lock_set(addon_lock_t *lock, const char *name, const char *version, const char *source,
                    const addon_files_t *files) {
  for (uint32_t i = lock->addons.count; i-- > 0;)
    if (strcmp(lock->addons.items[i].name, name) == 0)
      remove_entry(lock, i);
  addon_locked_t *entry = add_entry(lock, name, version, source);
  for (uint32_t i = 0; i < files->files.count; ++i)
    add_hash(entry, files->files.items[i].path, files->files.items[i].hash);
}

static const char *format_folder(const char *game, const char *name, char *out, size_t bytes) {
  char relative[sizeof "addons/" + ADDON_NAME_BYTES];
  snprintf(relative, sizeof relative, "addons/%s", name);
  return path_join(out, bytes, game, relative);
}

void addon_lock_remove_missing(addon_lock_t *lock, const char *game) {
  char path[FILE_PATH_BYTES];
  for (uint32_t i = lock->addons.count; i-- > 0;)
    if (!file_is_folder(format_folder(game, lock->addons.items[i].name, path, sizeof path)))
      remove_entry(lock, i);
}

bool addon_lock_write(const addon_lock_t *lock, json_writer_t *out) {
  json_t *addons = json_object();
  bool ok = true;
  for (uint32_t i = 0; i < lock->addons.count; ++i) {
    const addon_locked_t *entry = &lock->addons.items[i];
    char checksum[ADDON_HASH_BYTES];
    json_t *files = json_object();
    for (uint32_t k = 0; k < entry->files.files.count; ++k)
      json_object_set_new(files, entry->files.files.items[k].path, json_string(entry->files.files.items[k].hash));
    addon_files_hash(&entry->files, checksum);
    json_t *values = json_pack("{s:s,s:s,s:s,s:o}", "version", entry->version, "source", entry->source, "sha256",
                               checksum, "files", files);
    ok = json_object_set_new(addons, entry->name, values) == 0 && ok;
  }
  json_t *root = json_pack("{s:i,s:o}", "format", FORMAT, "addons", addons);
  char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
  if (text) {
    json_write_text(out, text);
    json_write_text(out, "\n");
  }
  ok = ok && text != NULL;
  free(text);
  json_decref(root);
  return ok;
}

// --- checking

typedef struct check_t {
  allocator_t *memory;
  const char *game;
  void (*warn)(void *context, const char *message);
  void *context;
} check_t;

// Joins the lines of addon_files_compare: "changed a.lua, new b.lua". Truncates a long list with "…". Returns `out`.
static const char *join_changes(json_writer_t *changes, char *out, size_t bytes) {
  size_t length = 0;
  const char *end = NULL;
  for (const char *line = json_writer_text(changes); *line && length + 8 < bytes; line = end + 1) {
    end = strchr(line, '\n');
    const char *path = strchr(line + 2, ' ');
    path += strspn(path, " ");
    length += (size_t)snprintf(out + length, bytes - length, "%s%.*s %.*s", length > 0 ? ", " : "",
                               (int)strcspn(line + 2, " "), line + 2, (int)(end - path), path);
    if (length >= bytes)
      snprintf(out + utf8_character_start(out, bytes - 4), 4, "…");
  }
  return out;
}

static void check_entry(const check_t *check, const addon_locked_t *entry) {
  char folder[FILE_PATH_BYTES], message[sizeof((error_info_t *)0)->text + 256], names[400];
  error_info_t error = {0};
  addon_files_t installed;
  json_writer_t changes;
  addon_files_init(&installed, check->memory);
  json_writer_init(&changes, check->memory);
  format_folder(check->game, entry->name, folder, sizeof folder);
  message[0] = '\0';
  if (!file_is_folder(folder))
    snprintf(message, sizeof message,
             ADDON_LOCK " lists %s, but addons/%s does not exist: run ./shoal add again, or "
                        "delete this entry",
             entry->name, entry->name);
  else if (!addon_files_read(&installed, folder, false, &error))
    snprintf(message, sizeof message, "%s", error.text);
  else if (addon_files_compare(&entry->files, &installed, &changes) > 0)
    snprintf(message, sizeof message, "addons/%s has been edited since ./shoal add: %s", entry->name,
             join_changes(&changes, names, sizeof names));
  if (message[0])
    check->warn(check->context, message);
  json_writer_fini(&changes);
  addon_files_fini(&installed);
}

bool addon_lock_is_edited(allocator_t *memory, const char *game, const addon_locked_t *entry) {
  char folder[FILE_PATH_BYTES];
  error_info_t error = {0};
  addon_files_t installed;
  json_writer_t changes;
  addon_files_init(&installed, memory);
  json_writer_init(&changes, memory);
  format_folder(game, entry->name, folder, sizeof folder);
  bool edited = !addon_files_read(&installed, folder, false, &error) ||
                addon_files_compare(&entry->files, &installed, &changes) > 0;
  json_writer_fini(&changes);
  addon_files_fini(&installed);
  return edited;
}

bool addon_lock_check(allocator_t *memory, const char *game, void (*warn)(void *context, const char *message),
                      void *context, error_info_t *error) {
  check_t check = {memory, game, warn, context};
  addon_lock_t lock;
  addon_lock_init(&lock, memory);
  bool ok = addon_lock_read(&lock, game, error);
  for (uint32_t i = 0; ok && i < lock.addons.count; ++i)
    check_entry(&check, &lock.addons.items[i]);
  addon_lock_fini(&lock);
  return ok;
}
