// Implements the block: columns of keys, names, types and values. Strings and lists are stored from the end of the
// block downwards. When they reach the columns, the block is rebuilt.
#include "data_block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct data_block_t {
  uint32_t size;          // total size in bytes
  uint32_t capacity;      // capacity in values
  uint32_t count;         // number of values
  uint32_t lowest_offset; // offset of the lowest string or list
};

// Location of a value that is stored after the columns.
typedef struct span_t {
  uint32_t offset, size;
} span_t;

typedef union slot_t {
  double number;
  uint32_t entity;
  span_t span;
} slot_t;

enum { SLOT_BYTES = 2 * sizeof(uint32_t) + sizeof(uint8_t) + sizeof(slot_t) };

// --- layout: columns are aligned, because the capacity is a multiple of eight

static uint32_t *get_keys(const data_block_t *block) {
  return (uint32_t *)(uintptr_t)(block + 1);
}
static uint32_t *get_names(const data_block_t *block) { // returns the offsets of the paths
  return get_keys(block) + block->capacity;
}
static slot_t *get_slots(const data_block_t *block) {
  return (slot_t *)(uintptr_t)(get_names(block) + block->capacity);
}
static uint8_t *get_types(const data_block_t *block) {
  return (uint8_t *)(get_slots(block) + block->capacity);
}
static uint32_t get_columns_end(uint32_t capacity) {
  return (uint32_t)sizeof(data_block_t) + capacity * (uint32_t)SLOT_BYTES;
}
static char *get_bytes(const data_block_t *block, uint32_t offset) {
  return (char *)(uintptr_t)block + offset;
}

static uint32_t hash_path(const char *path) {
  uint32_t hash = 0x811c9dc5u;
  for (; *path; ++path)
    hash = (hash ^ (uint8_t)*path) * 0x01000193u;
  return hash;
}

static bool has_bytes(uint32_t type) {
  return type == DATA_TEXT || type == DATA_NUMBERS;
}

// Returns the number of bytes that a value needs after the columns.
static uint32_t get_value_bytes(uint32_t type, uint32_t size) {
  return type == DATA_TEXT ? size + 1 : type == DATA_NUMBERS ? size : 0;
}

static uint32_t find_path(const data_block_t *block, const char *path) {
  if (!block)
    return UINT32_MAX;
  uint32_t key = hash_path(path);
  const uint32_t *keys = get_keys(block);
  for (uint32_t i = 0; i < block->count; ++i)
    if (keys[i] == key && strcmp(get_bytes(block, get_names(block)[i]), path) == 0)
      return i;
  return UINT32_MAX;
}

static void read_slot(const data_block_t *block, uint32_t i, data_value_t *out) {
  slot_t slot = get_slots(block)[i];
  *out = (data_value_t){.type = (data_type_t)get_types(block)[i]};
  switch (out->type) {
  case DATA_ENTITY: out->entity = slot.entity; break;
  case DATA_TEXT:
  case DATA_NUMBERS:
    out->bytes = get_bytes(block, slot.span.offset);
    out->size = slot.span.size;
    break;
  default: out->number = slot.number;
  }
}

bool data_get(const data_block_t *block, const char *path, data_value_t *out) {
  uint32_t i = find_path(block, path);
  if (i == UINT32_MAX)
    return false;
  read_slot(block, i, out);
  return true;
}

uint32_t data_count(const data_block_t *block) {
  return block ? block->count : 0;
}

const char *data_path(const data_block_t *block, uint32_t i, data_value_t *out) {
  read_slot(block, i, out);
  return get_bytes(block, get_names(block)[i]);
}

// --- writing

static uint32_t push_bytes(data_block_t *block, const void *source, uint32_t size) {
  block->lowest_offset -= size;
  if (size > 0)
    memcpy(get_bytes(block, block->lowest_offset), source, size);
  return block->lowest_offset;
}

// Stores the bytes of a value, including the '\0' of a string, and returns their offset.
static uint32_t store_bytes(data_block_t *block, const data_value_t *value) {
  if (value->type == DATA_TEXT)
    push_bytes(block, "", 1);
  return push_bytes(block, value->bytes, value->size);
}

static void write_slot(data_block_t *block, uint32_t i, const data_value_t *value) {
  slot_t slot = {.span = {0, 0}};
  if (has_bytes(value->type))
    slot.span = (span_t){store_bytes(block, value), value->size};
  else if (value->type == DATA_ENTITY)
    slot.entity = value->entity;
  else
    slot.number = value->number;
  get_types(block)[i] = (uint8_t)value->type;
  get_slots(block)[i] = slot;
}

static void append_value(data_block_t *block, const char *path, const data_value_t *value) {
  uint32_t i = block->count++;
  get_keys(block)[i] = hash_path(path);
  get_names(block)[i] = push_bytes(block, path, (uint32_t)strlen(path) + 1);
  write_slot(block, i, value);
}

static data_block_t *create_block(uint32_t size, uint32_t capacity) {
  data_block_t *block = calloc(1, size);
  if (!block) {
    fprintf(stderr, "shoal: the data plugin is out of memory (%u bytes)\n", size);
    abort();
  }
  *block = (data_block_t){.size = size, .capacity = capacity, .lowest_offset = size};
  return block;
}

// Returns the number of bytes that the paths and values need after the columns.
static uint64_t count_used_bytes(const data_block_t *block) {
  uint64_t total_bytes = 0;
  for (uint32_t i = 0; block && i < block->count; ++i) {
    data_value_t value;
    total_bytes += strlen(data_path(block, i, &value)) + 1;
    total_bytes += get_value_bytes(value.type, value.size);
  }
  return total_bytes;
}

// Returns a new block with capacity `capacity`, the values of `block`, and `spare_bytes` free bytes. Returns NULL if
// the new block would exceed DATA_MAX_BYTES.
static data_block_t *rebuild_block(const data_block_t *block, uint32_t capacity, uint64_t spare_bytes) {
  uint64_t size = get_columns_end(capacity) + count_used_bytes(block) + spare_bytes;
  if (size > DATA_MAX_BYTES)
    return NULL;
  data_block_t *rebuilt = create_block((uint32_t)size, capacity);
  for (uint32_t i = 0; block && i < block->count; ++i) {
    data_value_t value;
    const char *path = data_path(block, i, &value);
    append_value(rebuilt, path, &value);
  }
  return rebuilt;
}

static uint32_t round_up_capacity(uint32_t count) {
  uint32_t capacity = 8;
  while (capacity < count)
    capacity *= 2;
  return capacity;
}

// Reserves `bytes` bytes after the columns and, if `needs_slot` is true, a slot for one more value. Returns true on
// success, or false if the block would exceed DATA_MAX_BYTES.
static bool reserve_value(data_block_t **block, uint64_t bytes, bool needs_slot) {
  uint32_t count = data_count(*block) + needs_slot;
  if (*block && count <= (*block)->capacity && get_columns_end((*block)->capacity) + bytes <= (*block)->lowest_offset)
    return true;
  uint64_t spare_bytes = bytes + (*block ? (*block)->size / 4 : 64);
  data_block_t *rebuilt = rebuild_block(*block, round_up_capacity(count), spare_bytes);
  if (!rebuilt)
    rebuilt = rebuild_block(*block, round_up_capacity(count), bytes);
  if (!rebuilt)
    return false;
  free(*block);
  *block = rebuilt;
  return true;
}

static void remove_value(data_block_t *block, uint32_t i) {
  uint32_t last_index = --block->count;
  get_keys(block)[i] = get_keys(block)[last_index];
  get_names(block)[i] = get_names(block)[last_index];
  get_slots(block)[i] = get_slots(block)[last_index];
  get_types(block)[i] = get_types(block)[last_index];
}

bool data_set(data_block_t **block, const char *path, const data_value_t *value) {
  size_t length = strlen(path);
  if (length == 0 || length > DATA_MAX_PATH || value->type >= DATA_TYPE_COUNT || value->size >= DATA_MAX_BYTES)
    return false;
  uint32_t i = find_path(*block, path);
  if (value->type == DATA_NONE) {
    if (i != UINT32_MAX)
      remove_value(*block, i);
    return true;
  }
  bool is_new = i == UINT32_MAX;
  uint64_t bytes = get_value_bytes(value->type, value->size) + (is_new ? length + 1 : 0);
  // Copies the value first, because it may be inside this block, and rebuilding the block frees it.
  void *copy = has_bytes(value->type) && value->size > 0 ? malloc(value->size) : NULL;
  data_value_t stored_value = *value;
  if (copy)
    stored_value.bytes = memcpy(copy, value->bytes, value->size);
  slot_t old_slot = {.number = 0};
  uint8_t old_type = DATA_NONE;
  if (!is_new) { // release the old value before storing the new value
    old_slot = get_slots(*block)[i];
    old_type = get_types(*block)[i];
    get_types(*block)[i] = DATA_NUMBER;
  }
  bool fits = reserve_value(block, bytes, is_new);
  if (fits && is_new)
    append_value(*block, path, &stored_value);
  else if (fits)
    write_slot(*block, i, &stored_value);
  else if (!is_new)
    get_types(*block)[i] = old_type, get_slots(*block)[i] = old_slot;
  free(copy);
  return fits;
}

uint32_t data_remove(data_block_t **block, const char *path) {
  uint32_t removed = 0;
  size_t length = strlen(path);
  for (uint32_t i = 0; i < data_count(*block);) {
    const char *name = get_bytes(*block, get_names(*block)[i]);
    if (strncmp(name, path, length) == 0 && (name[length] == '\0' || name[length] == '.')) {
      remove_value(*block, i);
      ++removed;
    } else {
      ++i;
    }
  }
  return removed;
}

// --- saving

uint32_t data_save_bytes(const data_block_t *block) {
  return block && block->count > 0
             ? (uint32_t)(get_columns_end(round_up_capacity(block->count)) + count_used_bytes(block))
             : 0;
}

void data_save(const data_block_t *block, void *bytes) {
  uint32_t size = data_save_bytes(block);
  if (size == 0)
    return;
  data_block_t *new_block = rebuild_block(block, round_up_capacity(block->count), 0);
  memcpy(bytes, new_block, size);
  free(new_block);
}

// Returns true if a '\0'-terminated string begins at `offset` in the used part of the block. The free space is invalid,
// because later values overwrite it. Stores the length of the string.
static bool is_valid_text(const data_block_t *block, uint32_t offset, uint32_t *length) {
  if (offset < block->lowest_offset || offset >= block->size)
    return false;
  const char *end = memchr(get_bytes(block, offset), '\0', block->size - offset);
  *length = end ? (uint32_t)(end - get_bytes(block, offset)) : 0;
  return end != NULL;
}

static bool is_valid_slot(const data_block_t *block, uint32_t i) {
  uint32_t type = get_types(block)[i], length;
  slot_t slot = get_slots(block)[i];
  if (!is_valid_text(block, get_names(block)[i], &length) || length == 0 || length > DATA_MAX_PATH ||
      get_keys(block)[i] != hash_path(get_bytes(block, get_names(block)[i])))
    return false;
  if (!has_bytes(type))
    return type == DATA_NUMBER || type == DATA_BOOL || type == DATA_ENTITY;
  uint32_t needed_bytes = get_value_bytes(type, slot.span.size);
  if (slot.span.offset < block->lowest_offset || slot.span.offset > block->size ||
      needed_bytes > block->size - slot.span.offset || slot.span.size >= DATA_MAX_BYTES)
    return false;
  return type == DATA_NUMBERS ? slot.span.size % sizeof(double) == 0
                              : get_bytes(block, slot.span.offset)[slot.span.size] == '\0';
}

static bool is_valid_block(const data_block_t *block, uint32_t size) {
  if (block->size != size || block->capacity != round_up_capacity(block->count) || block->count > block->capacity ||
      get_columns_end(block->capacity) > size || block->lowest_offset < get_columns_end(block->capacity) ||
      block->lowest_offset > size)
    return false;
  for (uint32_t i = 0; i < block->count; ++i)
    if (!is_valid_slot(block, i) ||
        find_path(block, get_bytes(block, get_names(block)[i])) != i) // each path must occur only once
      return false;
  return true;
}

bool data_load(data_block_t **block, const void *bytes, uint32_t size) {
  data_block_t *new_block = NULL;
  if (size > 0) {
    if (size < sizeof *new_block || size > DATA_MAX_BYTES)
      return false;
    new_block = create_block(size, 0);
    memcpy(new_block, bytes, size);
    if (new_block->count > size / SLOT_BYTES || !is_valid_block(new_block, size)) {
      free(new_block);
      return false;
    }
  }
  free(*block);
  *block = new_block;
  return true;
}

void data_free(data_block_t *block) {
  free(block);
}
