// Compares two machines' files by sums of hashes.
#include "match/file_hashes.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MASK_BYTES (FILE_SUM_ROWS * FILE_SUMS / 8u)
#define HEAD_BYTES (1u + MASK_BYTES)
#define MAX_NAME 200u

typedef struct file_hash_t {
  char *name;
  uint32_t hash;
} file_hash_t;

struct file_hashes_o {
  allocator_t memory;
  ARRAY(file_hash_t) files;
};

file_hashes_o *file_hashes_create(void) {
  return alloc_object(sizeof(file_hashes_o));
}

void file_hashes_destroy(file_hashes_o *h) {
  if (!h)
    return;
  for (uint32_t i = 0; i < h->files.count; ++i)
    alloc_resize(&h->memory, h->files.items[i].name, strlen(h->files.items[i].name) + 1, 0);
  array_free(&h->memory, &h->files);
  free(h);
}

void file_hashes_add(file_hashes_o *h, const char *name, uint64_t hash) {
  size_t size = strlen(name) + 1;
  char *copy = alloc_resize(&h->memory, NULL, 0, size);
  memcpy(copy, name, size);
  array_push(&h->memory, &h->files, ((file_hash_t){copy, (uint32_t)(hash ^ hash >> 32)}));
}

// --- sums

// Returns the index of the sum in `row` to which the file `name` adds its hash.
static uint32_t find_sum(const char *name, uint32_t row) {
  return (uint32_t)(hash_bytes(name, strlen(name), row + 1) % FILE_SUMS);
}

file_sums_t file_hashes_sum(const file_hashes_o *h) {
  file_sums_t out = {0};
  for (uint32_t i = 0; i < h->files.count; ++i) {
    const file_hash_t *file = &h->files.items[i];
    uint64_t hash = hash_bytes(file->name, strlen(file->name), file->hash);
    for (uint32_t row = 0; row < FILE_SUM_ROWS; ++row) {
      uint16_t *sum = &out.sums[row][find_sum(file->name, row)];
      *sum = (uint16_t)(*sum + (uint16_t)hash);
    }
  }
  return out;
}

static bool is_marked(const uint8_t *masks, uint32_t row, uint32_t sum) {
  uint32_t bit = row * FILE_SUMS + sum;
  return masks[bit / 8] >> bit % 8 & 1;
}

// Returns true if the file's sums differ in all rows: the file then probably differs.
static bool may_differ(const uint8_t *masks, const char *name) {
  bool result = true;
  for (uint32_t row = 0; row < FILE_SUM_ROWS; ++row)
    result &= is_marked(masks, row, find_sum(name, row));
  return result;
}

static void mark_differences(const file_sums_t *a, const file_sums_t *b, uint8_t masks[MASK_BYTES]) {
  memset(masks, 0, MASK_BYTES);
  for (uint32_t bit = 0; bit < FILE_SUM_ROWS * FILE_SUMS; ++bit)
    if (a->sums[bit / FILE_SUMS][bit % FILE_SUMS] != b->sums[bit / FILE_SUMS][bit % FILE_SUMS])
      masks[bit / 8] |= (uint8_t)(1u << bit % 8);
}

// --- the host's list

size_t file_hashes_write_list(const file_hashes_o *host, const file_sums_t *joiner, uint8_t *out, size_t capacity) {
  file_sums_t own = file_hashes_sum(host);
  size_t at = HEAD_BYTES;
  if (capacity < HEAD_BYTES)
    return 0;
  out[0] = 1;
  mark_differences(&own, joiner, out + 1);
  for (uint32_t i = 0; i < host->files.count; ++i) {
    const file_hash_t *file = &host->files.items[i];
    size_t length = strlen(file->name);
    if (!may_differ(out + 1, file->name))
      continue;
    if (length > MAX_NAME || length + 1 + sizeof file->hash > capacity - at) {
      out[0] = 0;
      continue;
    }
    out[at++] = (uint8_t)length;
    memcpy(out + at, file->name, length);
    memcpy(out + at + length, &file->hash, sizeof file->hash);
    at += length + sizeof file->hash;
  }
  return at;
}

// --- the joiner's comparison

static const file_hash_t *find_file(const file_hashes_o *h, const char *name) {
  for (uint32_t i = 0; i < h->files.count; ++i)
    if (strcmp(h->files.items[i].name, name) == 0)
      return &h->files.items[i];
  return NULL;
}

// Reads the next file of the list, and advances `*at`. Returns true on success, or false at the end of the list or if
// the list is malformed.
static bool read_file(const uint8_t *list, size_t size, size_t *at, char name[MAX_NAME + 1], uint32_t *hash) {
  size_t length = *at < size ? list[*at] : 0;
  if (length == 0 || length > MAX_NAME || length + 1 + sizeof *hash > size - *at)
    return false;
  memcpy(name, list + *at + 1, length);
  name[length] = '\0';
  memcpy(hash, list + *at + 1 + length, sizeof *hash);
  *at += length + 1 + sizeof *hash;
  return true;
}

static bool contains(const uint8_t *list, size_t size, const char *wanted) {
  char name[MAX_NAME + 1];
  uint32_t hash;
  for (size_t at = HEAD_BYTES; read_file(list, size, &at, name, &hash);)
    if (strcmp(name, wanted) == 0)
      return true;
  return false;
}

// Replaces control characters and invalid UTF-8 with '?', because the name comes from a different machine.
static void clean_name(char *name) {
  error_strip_controls(name);
  for (size_t at = 0, length; name[at]; at += length)
    if ((length = utf8_character_length(name + at)) == 0)
      name[at] = '?', length = 1;
}

// Adds a name unless `out` is full. Replaces the start of a long name with an ellipsis.
static void add_name(const char *name, char out[FILE_DIFFERENCES][FILE_NAME_BYTES], uint32_t *count) {
  size_t length = strlen(name);
  const char *end = length < FILE_NAME_BYTES ? name : name + length - (FILE_NAME_BYTES - sizeof "…");
  if (*count == FILE_DIFFERENCES)
    return;
  while (((unsigned char)*end & 0xc0) == 0x80)
    ++end;
  (void)snprintf(out[*count], FILE_NAME_BYTES, "%s%s", end > name ? "…" : "", end);
  clean_name(out[(*count)++]);
}

uint32_t file_hashes_find_differences(const file_hashes_o *joiner, const uint8_t *list, size_t size,
                                      char out[FILE_DIFFERENCES][FILE_NAME_BYTES]) {
  char name[MAX_NAME + 1];
  uint32_t hash, count = 0;
  if (size < HEAD_BYTES)
    return 0;
  for (size_t at = HEAD_BYTES; read_file(list, size, &at, name, &hash);) {
    const file_hash_t *own = find_file(joiner, name);
    if (!own || own->hash != hash)
      add_name(name, out, &count);
  }
  // If the list is complete, the host lacks the joiner's files that may differ but are not in the list.
  for (uint32_t i = 0; list[0] == 1 && i < joiner->files.count; ++i)
    if (may_differ(list + 1, joiner->files.items[i].name) && !contains(list, size, joiner->files.items[i].name))
      add_name(joiner->files.items[i].name, out, &count);
  return count;
}
