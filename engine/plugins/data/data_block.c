// Columns of keys, names, types and values in one block. Strings and lists are stored from the end of the block
// downwards. When they reach the columns, the block is rebuilt.
#include "data_block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct data_block_t {
  uint32_t size;  // total size in bytes
  uint32_t room;  // capacity in values
  uint32_t count; // number of values
  uint32_t low;   // offset of the lowest string or list
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

static uint32_t *get_keys(const data_block_t *b) {
  return (uint32_t *)(uintptr_t)(b + 1);
}
static uint32_t *get_names(const data_block_t *b) { // returns the offsets of the paths
  return get_keys(b) + b->room;
}
static slot_t *get_slots(const data_block_t *b) {
  return (slot_t *)(uintptr_t)(get_names(b) + b->room);
}
static uint8_t *get_types(const data_block_t *b) {
  return (uint8_t *)(get_slots(b) + b->room);
}
static uint32_t columns_end(uint32_t room) {
  return (uint32_t)sizeof(data_block_t) + room * (uint32_t)SLOT_BYTES;
}
static char *get_bytes(const data_block_t *b, uint32_t offset) {
  return (char *)(uintptr_t)b + offset;
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
static uint32_t value_bytes(uint32_t type, uint32_t size) {
  return type == DATA_TEXT ? size + 1 : type == DATA_NUMBERS ? size : 0;
}

static uint32_t find_path(const data_block_t *b, const char *path) {
  if (!b)
    return UINT32_MAX;
  uint32_t key = hash_path(path);
  const uint32_t *keys = get_keys(b);
  for (uint32_t i = 0; i < b->count; ++i)
    if (keys[i] == key && strcmp(get_bytes(b, get_names(b)[i]), path) == 0)
      return i;
  return UINT32_MAX;
}

static void read_slot(const data_block_t *b, uint32_t i, data_value_t *out) {
  slot_t slot = get_slots(b)[i];
  *out = (data_value_t){.type = (data_type_t)get_types(b)[i]};
  switch (out->type) {
  case DATA_ENTITY: out->entity = slot.entity; break;
  case DATA_TEXT:
  case DATA_NUMBERS:
    out->bytes = get_bytes(b, slot.span.offset);
    out->size = slot.span.size;
    break;
  default: out->number = slot.number;
  }
}

bool data_get(const data_block_t *b, const char *path, data_value_t *out) {
  uint32_t i = find_path(b, path);
  if (i == UINT32_MAX)
    return false;
  read_slot(b, i, out);
  return true;
}

uint32_t data_count(const data_block_t *b) {
  return b ? b->count : 0;
}

const char *data_path(const data_block_t *b, uint32_t i, data_value_t *out) {
  read_slot(b, i, out);
  return get_bytes(b, get_names(b)[i]);
}

// --- writing

static uint32_t store_at_end(data_block_t *b, const void *from, uint32_t size) {
  b->low -= size;
  if (size > 0)
    memcpy(get_bytes(b, b->low), from, size);
  return b->low;
}

// Stores the bytes of a value, including the '\0' of a string, and returns their offset.
static uint32_t store_bytes(data_block_t *b, const data_value_t *value) {
  if (value->type == DATA_TEXT)
    store_at_end(b, "", 1);
  return store_at_end(b, value->bytes, value->size);
}

static void write_slot(data_block_t *b, uint32_t i, const data_value_t *value) {
  slot_t slot = {.span = {0, 0}};
  if (has_bytes(value->type))
    slot.span = (span_t){store_bytes(b, value), value->size};
  else if (value->type == DATA_ENTITY)
    slot.entity = value->entity;
  else
    slot.number = value->number;
  get_types(b)[i] = (uint8_t)value->type;
  get_slots(b)[i] = slot;
}

static void append_value(data_block_t *b, const char *path, const data_value_t *value) {
  uint32_t i = b->count++;
  get_keys(b)[i] = hash_path(path);
  get_names(b)[i] = store_at_end(b, path, (uint32_t)strlen(path) + 1);
  write_slot(b, i, value);
}

static data_block_t *create_block(uint32_t size, uint32_t room) {
  data_block_t *b = calloc(1, size);
  if (!b) {
    fprintf(stderr, "shoal: the data plugin is out of memory (%u bytes)\n", size);
    abort();
  }
  *b = (data_block_t){.size = size, .room = room, .low = size};
  return b;
}

// Returns the number of bytes that the paths and values need after the columns.
static uint64_t used_bytes(const data_block_t *b) {
  uint64_t sum = 0;
  for (uint32_t i = 0; b && i < b->count; ++i) {
    data_value_t value;
    sum += strlen(data_path(b, i, &value)) + 1;
    sum += value_bytes(value.type, value.size);
  }
  return sum;
}

// Returns a new block with capacity `room`, the values of `b`, and `more` free bytes; NULL if it would exceed
// DATA_MAX_BYTES.
static data_block_t *rebuild_block(const data_block_t *b, uint32_t room, uint64_t more) {
  uint64_t size = columns_end(room) + used_bytes(b) + more;
  if (size > DATA_MAX_BYTES)
    return NULL;
  data_block_t *fresh = create_block((uint32_t)size, room);
  for (uint32_t i = 0; b && i < b->count; ++i) {
    data_value_t value;
    const char *path = data_path(b, i, &value);
    append_value(fresh, path, &value);
  }
  return fresh;
}

static uint32_t round_up_capacity(uint32_t count) {
  uint32_t room = 8;
  while (room < count)
    room *= 2;
  return room;
}

// Reserves `bytes` bytes after the columns and, if `one_more` is true, a slot for another value. Returns false if the
// block would exceed DATA_MAX_BYTES.
static bool reserve_value(data_block_t **b, uint64_t bytes, bool one_more) {
  uint32_t count = data_count(*b) + one_more;
  if (*b && count <= (*b)->room && columns_end((*b)->room) + bytes <= (*b)->low)
    return true;
  uint64_t spare = bytes + (*b ? (*b)->size / 4 : 64);
  data_block_t *fresh = rebuild_block(*b, round_up_capacity(count), spare);
  if (!fresh)
    fresh = rebuild_block(*b, round_up_capacity(count), bytes);
  if (!fresh)
    return false;
  free(*b);
  *b = fresh;
  return true;
}

static void remove_value(data_block_t *b, uint32_t i) {
  uint32_t last = --b->count;
  get_keys(b)[i] = get_keys(b)[last];
  get_names(b)[i] = get_names(b)[last];
  get_slots(b)[i] = get_slots(b)[last];
  get_types(b)[i] = get_types(b)[last];
}

bool data_set(data_block_t **b, const char *path, const data_value_t *value) {
  size_t length = strlen(path);
  if (length == 0 || length > DATA_MAX_PATH || value->type >= DATA_TYPE_COUNT || value->size >= DATA_MAX_BYTES)
    return false;
  uint32_t i = find_path(*b, path);
  if (value->type == DATA_NONE) {
    if (i != UINT32_MAX)
      remove_value(*b, i);
    return true;
  }
  bool is_new = i == UINT32_MAX;
  uint64_t bytes = value_bytes(value->type, value->size) + (is_new ? length + 1 : 0);
  // Copy the value first: it may be inside this block, and rebuilding the block frees it.
  void *copy = has_bytes(value->type) && value->size > 0 ? malloc(value->size) : NULL;
  data_value_t own = *value;
  if (copy)
    own.bytes = memcpy(copy, value->bytes, value->size);
  slot_t old_slot = {.number = 0};
  uint8_t old_type = DATA_NONE;
  if (!is_new) { // release the old value before storing the new one
    old_slot = get_slots(*b)[i];
    old_type = get_types(*b)[i];
    get_types(*b)[i] = DATA_NUMBER;
  }
  bool fits = reserve_value(b, bytes, is_new);
  if (fits && is_new)
    append_value(*b, path, &own);
  else if (fits)
    write_slot(*b, i, &own);
  else if (!is_new)
    get_types(*b)[i] = old_type, get_slots(*b)[i] = old_slot;
  free(copy);
  return fits;
}

uint32_t data_remove(data_block_t **b, const char *path) {
  uint32_t removed = 0;
  size_t length = strlen(path);
  for (uint32_t i = 0; i < data_count(*b);) {
    const char *name = get_bytes(*b, get_names(*b)[i]);
    if (strncmp(name, path, length) == 0 && (name[length] == '\0' || name[length] == '.')) {
      remove_value(*b, i);
      ++removed;
    } else {
      ++i;
    }
  }
  return removed;
}

// --- saving

uint32_t data_save_bytes(const data_block_t *b) {
  return b && b->count > 0 ? (uint32_t)(columns_end(round_up_capacity(b->count)) + used_bytes(b)) : 0;
}

void data_save(const data_block_t *b, void *bytes) {
  uint32_t size = data_save_bytes(b);
  if (size == 0)
    return;
  data_block_t *fresh = rebuild_block(b, round_up_capacity(b->count), 0);
  memcpy(bytes, fresh, size);
  free(fresh);
}

// Returns true if a string is inside the block and not in its free space, which later values overwrite.
static bool is_valid_text(const data_block_t *b, uint32_t offset, uint32_t *length) {
  if (offset < b->low || offset >= b->size)
    return false;
  const char *end = memchr(get_bytes(b, offset), '\0', b->size - offset);
  *length = end ? (uint32_t)(end - get_bytes(b, offset)) : 0;
  return end != NULL;
}

static bool is_valid_slot(const data_block_t *b, uint32_t i) {
  uint32_t type = get_types(b)[i], length;
  slot_t slot = get_slots(b)[i];
  if (!is_valid_text(b, get_names(b)[i], &length) || length == 0 || length > DATA_MAX_PATH ||
      get_keys(b)[i] != hash_path(get_bytes(b, get_names(b)[i])))
    return false;
  if (!has_bytes(type))
    return type == DATA_NUMBER || type == DATA_BOOL || type == DATA_ENTITY;
  uint32_t need = value_bytes(type, slot.span.size);
  if (slot.span.offset < b->low || slot.span.offset > b->size || need > b->size - slot.span.offset ||
      slot.span.size >= DATA_MAX_BYTES)
    return false;
  return type == DATA_NUMBERS ? slot.span.size % sizeof(double) == 0
                              : get_bytes(b, slot.span.offset)[slot.span.size] == '\0';
}

static bool is_valid_block(const data_block_t *b, uint32_t size) {
  if (b->size != size || b->room != round_up_capacity(b->count) || b->count > b->room || columns_end(b->room) > size ||
      b->low < columns_end(b->room) || b->low > size)
    return false;
  for (uint32_t i = 0; i < b->count; ++i)
    if (!is_valid_slot(b, i) || find_path(b, get_bytes(b, get_names(b)[i])) != i) // each path must occur only once
      return false;
  return true;
}

bool data_load(data_block_t **b, const void *bytes, uint32_t size) {
  data_block_t *fresh = NULL;
  if (size > 0) {
    if (size < sizeof *fresh || size > DATA_MAX_BYTES)
      return false;
    fresh = create_block(size, 0);
    memcpy(fresh, bytes, size);
    if (fresh->count > size / SLOT_BYTES || !is_valid_block(fresh, size)) {
      free(fresh);
      return false;
    }
  }
  free(*b);
  *b = fresh;
  return true;
}

void data_free(data_block_t *b) {
  free(b);
}
