// Writes the changes between two sources, and checks and applies received changes.
#include "match/source_bundle.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "base/varint.h"

#include <stdio.h>
#include <string.h>

#define KIND_REMOVED 0u
#define KIND_TEXT 1u
#define REFUSED "The changes cannot be shared with the other machines.\n"

// --- checks

static bool is_utf8(const char *text, size_t size) {
  for (size_t at = 0, length; at < size; at += length)
    if ((length = utf8_character_length_n(text + at, size - at)) == 0 || text[at] == '\0')
      return false;
  return true;
}

// Returns true if each component of the path is a plain name. Hidden files do not count as sources.
static bool is_plain_path(const char *name) {
  for (const char *part = name;; ++part) {
    size_t length = strcspn(part, "/");
    if (length == 0 || part[0] == '.')
      return false;
    for (size_t i = 0; i < length; ++i)
      if ((unsigned char)part[i] < ' ' || part[i] == '\\' || part[i] == ':')
        return false;
    part += length;
    if (*part == '\0')
      return true;
  }
}

static bool check_name(const char *name, error_info_t *error) {
  if (strncmp(name, SOURCES_ADDONS, sizeof SOURCES_ADDONS - 1) == 0)
    return error_set(error, REFUSED "%s: files of add-ons cannot be shared", name);
  if (!is_utf8(name, strlen(name)) || !is_plain_path(name) || name[0] == '[')
    return error_set(error, REFUSED "a path leads out of the game's folder, or contains invalid characters");
  return sources_is_source_file(name) ||
         error_set(error, REFUSED "%s: only Lua files, scenes and data files can be shared", name);
}

static bool check_text(const source_change_t *change, error_info_t *error) {
  if (!change->text)
    return true;
  if (change->bytes > 0 && change->text[0] == '\033')
    return error_set(error, REFUSED "%s: contains bytecode instead of text", change->name);
  return is_utf8(change->text, change->bytes) ||
         error_set(error, REFUSED "%s: must be a text in UTF-8 without zero bytes", change->name);
}

// --- writing

static bool read_source(sources_o *sources, const char *name, source_change_t *out, error_info_t *error) {
  error_info_t reason = {0};
  out->text = sources_read_text(sources, name, &out->bytes, &reason);
  return out->text || error_set(error, REFUSED "%s", reason.text);
}

// Returns the hash of a file's text, or 0 if the file does not exist.
static uint64_t hash_source(sources_o *sources, const char *name) {
  size_t size = 0;
  const char *text = sources_has_file(sources, name) ? sources_read_text(sources, name, &size, NULL) : NULL;
  uint64_t hash = text ? hash_bytes(text, size, 1) : 0;
  return text && hash == 0 ? 1 : hash;
}

// Finds the next difference between two sources, whose files are sorted by name. Returns true if a difference was
// found, or false after the last files or with an error.
static bool next_change(sources_o *from, sources_o *to, uint32_t *i, uint32_t *k, source_change_t *out,
                        error_info_t *error) {
  const char *a, *b;
  while (a = sources_file_name(from, *i), b = sources_file_name(to, *k), a || b) {
    int order = !a ? 1 : !b ? -1 : strcmp(a, b);
    source_change_t old = {0};
    *out = (source_change_t){.name = order > 0 ? b : a};
    *i += order <= 0;
    *k += order >= 0;
    if (order < 0)
      return true;
    if (!read_source(to, b, out, error))
      return false;
    bool is_equal = order == 0 && read_source(from, a, &old, NULL) && old.bytes == out->bytes &&
                    memcmp(old.text, out->text, old.bytes) == 0;
    if (!is_equal)
      return true;
  }
  return false;
}

static size_t write_change(const source_change_t *change, uint64_t base, uint8_t *out) {
  size_t length = strlen(change->name), at = varint_write(length, out);
  memcpy(out + at, change->name, length);
  at += length;
  memcpy(out + at, &base, sizeof base);
  at += sizeof base;
  out[at++] = change->text ? KIND_TEXT : KIND_REMOVED;
  if (!change->text)
    return at;
  at += varint_write(change->bytes, out + at);
  memcpy(out + at, change->text, change->bytes);
  return at + change->bytes;
}

typedef struct writer_t {
  uint8_t bytes[SOURCE_BUNDLE_MAX_BYTES];
  size_t size;
  uint32_t count;
} writer_t;

static bool add_change(writer_t *w, const source_change_t *change, uint64_t base, error_info_t *error) {
  size_t length = strlen(change->name);
  if (length > SOURCE_BUNDLE_MAX_NAME)
    return error_set(error, REFUSED "%.100s…: the name must have at most %u bytes", change->name,
                     SOURCE_BUNDLE_MAX_NAME);
  if (!check_name(change->name, error) || !check_text(change, error))
    return false;
  if (w->count == SOURCE_BUNDLE_MAX_FILES || length + change->bytes + 40 > sizeof w->bytes - w->size)
    return error_set(error, REFUSED "too many changes: change at most %u files with at most 1 MB in total",
                     SOURCE_BUNDLE_MAX_FILES);
  w->size += write_change(change, base, w->bytes + w->size);
  ++w->count;
  return true;
}

uint8_t *source_bundle_write(allocator_t *a, sources_o *from, sources_o *to, size_t *size, uint32_t *count,
                             error_info_t *error) {
  uint8_t head[VARINT_BYTES], *out = NULL;
  error_info_t reason = {0};
  source_change_t change;
  writer_t *w = alloc_resize(a, NULL, 0, sizeof *w);
  w->size = w->count = 0;
  for (uint32_t i = 0, k = 0; next_change(from, to, &i, &k, &change, &reason);)
    if (!add_change(w, &change, hash_source(from, change.name), &reason))
      break;
  if (!reason.text[0]) {
    size_t at = varint_write(w->count, head);
    *count = w->count;
    *size = at + w->size;
    out = alloc_resize(a, NULL, 0, *size);
    memcpy(out, head, at);
    memcpy(out + at, w->bytes, w->size);
  } else {
    error_set(error, "%s", reason.text);
  }
  alloc_resize(a, w, sizeof *w, 0);
  return out;
}

void source_bundle_free(allocator_t *a, uint8_t *bytes, size_t size) {
  alloc_resize(a, bytes, size, 0);
}

// --- reading

typedef struct bundle_t {
  source_change_t changes[SOURCE_BUNDLE_MAX_FILES];
  uint64_t bases[SOURCE_BUNDLE_MAX_FILES]; // hashes of the texts to which the changes were made
  char names[SOURCE_BUNDLE_MAX_FILES][SOURCE_BUNDLE_MAX_NAME + 1];
  uint32_t count;
} bundle_t;

// Reads a size. Returns true on success, or false if it is malformed, or exceeds `max` or the number of remaining
// bytes.
static bool read_size(const uint8_t *bytes, size_t size, size_t *at, size_t max, size_t *out) {
  uint64_t value;
  size_t read = varint_read(bytes + *at, size - *at, &value);
  *at += read;
  *out = (size_t)value;
  return read > 0 && value <= max && value <= size - *at;
}

static bool read_change(const uint8_t *bytes, size_t size, size_t *at, char *name, uint64_t *base,
                        source_change_t *out) {
  size_t length;
  if (!read_size(bytes, size, at, SOURCE_BUNDLE_MAX_NAME, &length) || length == 0 || memchr(bytes + *at, 0, length))
    return false;
  memcpy(name, bytes + *at, length);
  name[length] = '\0';
  *out = (source_change_t){.name = name};
  *at += length;
  if (size - *at <= sizeof *base || bytes[*at + sizeof *base] > KIND_TEXT)
    return false;
  memcpy(base, bytes + *at, sizeof *base);
  *at += sizeof *base;
  if (bytes[(*at)++] == KIND_REMOVED)
    return true;
  if (!read_size(bytes, size, at, SOURCE_BUNDLE_MAX_BYTES, &out->bytes))
    return false;
  out->text = (const char *)bytes + *at;
  *at += out->bytes;
  return true;
}

static bool read_bundle(const uint8_t *bytes, size_t size, bundle_t *out) {
  uint64_t count;
  size_t at = varint_read(bytes, size, &count);
  out->count = 0;
  if (at == 0 || size > SOURCE_BUNDLE_MAX_BYTES + VARINT_BYTES || count > SOURCE_BUNDLE_MAX_FILES)
    return false;
  for (; out->count < count; ++out->count) {
    uint32_t i = out->count;
    if (!read_change(bytes, size, &at, out->names[i], &out->bases[i], &out->changes[i]) ||
        (i > 0 && strcmp(out->names[i - 1], out->names[i]) >= 0))
      return false;
  }
  return at == size;
}

static bool check_bundle(const bundle_t *b, error_info_t *error) {
  for (uint32_t i = 0; i < b->count; ++i)
    if (!check_name(b->changes[i].name, error) || !check_text(&b->changes[i], error))
      return false;
  return true;
}

sources_o *source_bundle_apply(sources_o *from, const uint8_t *bytes, size_t size, error_info_t *error) {
  allocator_t memory = {0};
  sources_o *out = NULL;
  bundle_t *b = alloc_resize(&memory, NULL, 0, sizeof *b);
  if (!read_bundle(bytes, size, b))
    error_set(error, REFUSED "the list of changed files is malformed");
  else if (check_bundle(b, error))
    out = sources_create_changed(from, b->changes, b->count);
  alloc_resize(&memory, b, sizeof *b, 0);
  return out;
}

char *source_bundle_list(const uint8_t *bytes, size_t size, char *out, size_t capacity) {
  allocator_t memory = {0};
  size_t length = 0;
  bundle_t *b = alloc_resize(&memory, NULL, 0, sizeof *b);
  out[0] = '\0';
  uint32_t count = read_bundle(bytes, size, b) ? b->count : 0;
  for (uint32_t i = 0; i < count && length + SOURCE_BUNDLE_MAX_NAME + 8 < capacity; ++i)
    length += (size_t)snprintf(out + length, capacity - length, "%s%s", i > 0 ? ", " : "", b->names[i]);
  alloc_resize(&memory, b, sizeof *b, 0);
  return out;
}

// --- conflicts

static bool has_text(sources_o *sources, const source_change_t *change) {
  size_t size = 0;
  const char *text =
      sources_has_file(sources, change->name) ? sources_read_text(sources, change->name, &size, NULL) : NULL;
  return text && change->text ? size == change->bytes && memcmp(text, change->text, size) == 0 : text == change->text;
}

bool source_bundle_find_conflict(sources_o *running, const uint8_t *bytes, size_t size,
                                 char name[SOURCE_BUNDLE_MAX_NAME + 1]) {
  allocator_t memory = {0};
  bundle_t *b = alloc_resize(&memory, NULL, 0, sizeof *b);
  uint32_t count = read_bundle(bytes, size, b) ? b->count : 0, i = 0;
  while (i < count && (hash_source(running, b->names[i]) == b->bases[i] || has_text(running, &b->changes[i])))
    ++i;
  bool found = i < count;
  if (found)
    memcpy(name, b->names[i], sizeof b->names[i]);
  alloc_resize(&memory, b, sizeof *b, 0);
  return found;
}

sources_o *source_bundle_rebase(sources_o *base, sources_o *proposed, sources_o *running) {
  source_change_t changes[SOURCE_BUNDLE_MAX_FILES], change;
  uint32_t count = 0;
  for (uint32_t i = 0, k = 0; count < SOURCE_BUNDLE_MAX_FILES && next_change(base, proposed, &i, &k, &change, NULL);) {
    source_change_t newer = {.name = change.name};
    if (sources_has_file(running, change.name))
      newer.text = sources_read_text(running, change.name, &newer.bytes, NULL);
    if (!has_text(base, &newer))
      changes[count++] = newer;
  }
  sources_o *out = count > 0 ? sources_create_changed(base, changes, count) : NULL;
  if (out)
    (void)sources_seal(out, NULL);
  return out;
}
