// The string table: one buffer for all strings, with an offset for each id. The hash table from strings to ids is only
// an index: ids are assigned in order of use, and the lowest free id is assigned first. The hash table can therefore be
// rebuilt from the ids in use, and snapshots do not contain it.
#include "schema/strings.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

#define SWEEP_MIN_COUNT 1024u // half of the minimum number of strings in a table that is swept
#define EPOCH_BITS 29u
#define EPOCH_MASK ((1u << EPOCH_BITS) - 1)
enum { ENTRY_USED = 1, ENTRY_MARKED = 2, ENTRY_PINNED = 4, ENTRY_FLAGS = 7 };

typedef struct entry_t {
  uint64_t hash;
  size_t offset;
  uint32_t length;
  uint32_t flags : 32 - EPOCH_BITS;
  uint32_t epoch : EPOCH_BITS; // lower bits of the epoch in which the string was added
} entry_t;

struct strings_o {
  allocator_t *allocator;
  char *buffer;
  size_t buffer_bytes, buffer_capacity;
  ARRAY(entry_t) entries; // strings in use and free ids, indexed by id; id 0 is ""
  ARRAY(uint32_t) free;   // reusable ids, sorted so that the lowest id is last
  uint32_t *slots;        // hash table of ids; 0 means that the slot is empty
  uint32_t slot_count;    // number of slots, a power of two
  uint32_t used_count;    // number of ids in use, not counting id 0
  uint32_t used_after_sweep;
  uint32_t epoch;
  uint32_t first_epoch; // most recent epoch in which any id may have received a different string
};

static void build_slots(strings_o *strings, uint32_t slot_count) {
  strings->slots = alloc_resize(strings->allocator, strings->slots, strings->slot_count * sizeof *strings->slots,
                                slot_count * sizeof *strings->slots);
  strings->slot_count = slot_count;
  memset(strings->slots, 0, slot_count * sizeof *strings->slots);
  for (uint32_t id = 1; id < strings->entries.count; ++id) {
    if (!(strings->entries.items[id].flags & ENTRY_USED))
      continue;
    uint32_t slot = (uint32_t)strings->entries.items[id].hash & (slot_count - 1);
    while (strings->slots[slot])
      slot = (slot + 1) & (slot_count - 1);
    strings->slots[slot] = id;
  }
}

strings_o *strings_create(allocator_t *a) {
  strings_o *strings = alloc_resize(a, NULL, 0, sizeof *strings);
  memset(strings, 0, sizeof *strings);
  strings->allocator = a;
  entry_t empty = {0};
  array_push(a, &strings->entries, empty);
  build_slots(strings, 256);
  return strings;
}

void strings_destroy(strings_o *strings) {
  if (!strings)
    return;
  allocator_t *a = strings->allocator;
  array_free(a, &strings->entries);
  array_free(a, &strings->free);
  alloc_resize(a, strings->buffer, strings->buffer_capacity, 0);
  alloc_resize(a, strings->slots, strings->slot_count * sizeof *strings->slots, 0);
  alloc_resize(a, strings, sizeof *strings, 0);
}

static uint32_t find_string(const strings_o *strings, const char *text, size_t length, uint64_t hash) {
  for (uint32_t slot = (uint32_t)hash & (strings->slot_count - 1); strings->slots[slot];
       slot = (slot + 1) & (strings->slot_count - 1)) {
    const entry_t *entry = &strings->entries.items[strings->slots[slot]];
    if (entry->hash == hash && entry->length == length && memcmp(strings->buffer + entry->offset, text, length) == 0)
      return strings->slots[slot];
  }
  return 0;
}

static void reserve_buffer(strings_o *strings, size_t bytes) {
  if (bytes <= strings->buffer_capacity)
    return;
  size_t new_capacity = strings->buffer_capacity ? strings->buffer_capacity : 4096;
  while (new_capacity < bytes)
    new_capacity *= 2;
  strings->buffer = alloc_resize(strings->allocator, strings->buffer, strings->buffer_capacity, new_capacity);
  strings->buffer_capacity = new_capacity;
}

static size_t append_string(strings_o *strings, const char *text, size_t length) {
  // The string may be inside `buffer`, which may be reallocated below.
  bool is_inside = strings->buffer && text >= strings->buffer && text < strings->buffer + strings->buffer_bytes;
  size_t source_offset = is_inside ? (size_t)(text - strings->buffer) : 0;
  size_t offset = strings->buffer_bytes;
  reserve_buffer(strings, offset + length + 1);
  memcpy(strings->buffer + offset, is_inside ? strings->buffer + source_offset : text, length);
  strings->buffer[offset + length] = '\0';
  strings->buffer_bytes = offset + length + 1;
  return offset;
}

uint32_t strings_intern_bytes(strings_o *strings, const char *text, size_t length) {
  if (length == 0)
    return 0;
  shoal_assert(length < UINT32_MAX, "a string of %zu bytes is too long", length);
  uint64_t hash = hash_bytes(text, length, 0);
  uint32_t id = find_string(strings, text, length, hash);
  if (id)
    return id;
  entry_t entry = {.hash = hash,
                   .offset = append_string(strings, text, length),
                   .length = (uint32_t)length,
                   .flags = ENTRY_USED,
                   .epoch = strings->epoch & EPOCH_MASK};
  if (strings->free.count > 0) {
    id = strings->free.items[--strings->free.count];
    strings->entries.items[id] = entry;
  } else {
    id = strings->entries.count;
    array_push(strings->allocator, &strings->entries, entry);
  }
  strings->used_count++;
  if (strings->used_count * 2 > strings->slot_count) {
    build_slots(strings, strings->slot_count * 2);
    return id;
  }
  uint32_t slot = (uint32_t)hash & (strings->slot_count - 1);
  while (strings->slots[slot])
    slot = (slot + 1) & (strings->slot_count - 1);
  strings->slots[slot] = id;
  return id;
}

uint32_t strings_intern_and_report(strings_o *strings, const char *text, size_t length) {
  uint32_t count = strings->used_count, id = strings_intern_bytes(strings, text, length);
  shoal_assert(id < STRINGS_NEW, "string id %u is out of range", id);
  return id + (strings->used_count > count ? STRINGS_NEW : 0);
}

uint32_t strings_intern(strings_o *strings, const char *text) {
  return text ? strings_intern_bytes(strings, text, strlen(text)) : 0;
}

size_t strings_memory_bytes(const strings_o *strings) {
  return strings->buffer_capacity + strings->entries.capacity * sizeof *strings->entries.items +
         strings->free.capacity * sizeof *strings->free.items + strings->slot_count * sizeof *strings->slots;
}

uint32_t strings_find(const strings_o *strings, const char *text) {
  size_t length = text ? strlen(text) : 0;
  return length ? find_string(strings, text, length, hash_bytes(text, length, 0)) : 0;
}

static const entry_t *find_used_entry(const strings_o *strings, uint32_t id) {
  return id < strings->entries.count && strings->entries.items[id].flags & ENTRY_USED ? &strings->entries.items[id]
                                                                                      : NULL;
}

const char *strings_text(const strings_o *strings, uint32_t id) {
  const entry_t *entry = find_used_entry(strings, id);
  return entry ? strings->buffer + entry->offset : "";
}

size_t strings_length(const strings_o *strings, uint32_t id) {
  const entry_t *entry = find_used_entry(strings, id);
  return entry ? entry->length : 0;
}

// --- mark and sweep

bool strings_needs_sweep(const strings_o *strings) {
  uint32_t baseline = strings->used_after_sweep > SWEEP_MIN_COUNT ? strings->used_after_sweep : SWEEP_MIN_COUNT;
  return strings->used_count >= baseline * 2;
}

void strings_unmark_all(strings_o *strings) {
  for (uint32_t id = 0; id < strings->entries.count; ++id)
    strings->entries.items[id].flags &= (uint32_t)(ENTRY_USED | ENTRY_PINNED);
}

void strings_mark(strings_o *strings, uint32_t id) {
  if (find_used_entry(strings, id))
    strings->entries.items[id].flags |= ENTRY_MARKED;
}

void strings_pin(strings_o *strings, uint32_t id) {
  if (find_used_entry(strings, id))
    strings->entries.items[id].flags |= ENTRY_PINNED;
}

// Copies used strings to a new buffer in the order of ids. Moving them in place would overwrite strings that are still
// to be moved, because reused ids are not in the order of the buffer.
static void compact_buffer(strings_o *strings) {
  size_t bytes = 0;
  for (uint32_t id = 1; id < strings->entries.count; ++id)
    if (strings->entries.items[id].flags & ENTRY_USED)
      bytes += strings->entries.items[id].length + 1u;
  char *old_buffer = strings->buffer;
  size_t old_capacity = strings->buffer_capacity;
  strings->buffer = NULL;
  strings->buffer_bytes = strings->buffer_capacity = 0;
  reserve_buffer(strings, bytes + 1);
  for (uint32_t id = 1; id < strings->entries.count; ++id) {
    entry_t *entry = &strings->entries.items[id];
    if (entry->flags & ENTRY_USED)
      entry->offset = append_string(strings, old_buffer + entry->offset, entry->length);
  }
  alloc_resize(strings->allocator, old_buffer, old_capacity, 0);
}

void strings_sweep(strings_o *strings) {
  strings->free.count = 0;
  strings->used_count = 0;
  for (uint32_t id = strings->entries.count - 1; id > 0; --id) {
    entry_t *entry = &strings->entries.items[id];
    if (entry->flags & (ENTRY_MARKED | ENTRY_PINNED))
      strings->used_count++;
    else {
      *entry = (entry_t){0};
      array_push(strings->allocator, &strings->free, id);
    }
  }
  compact_buffer(strings);
  build_slots(strings, strings->slot_count);
  strings->used_after_sweep = strings->used_count;
  strings->epoch++;
}

uint32_t strings_epoch(const strings_o *strings) {
  return strings->epoch;
}

void strings_advance_epoch(strings_o *strings) {
  strings->first_epoch = ++strings->epoch;
}

bool strings_may_have_changed(const strings_o *strings, uint32_t id, uint32_t epoch) {
  const entry_t *entry = find_used_entry(strings, id);
  if (strings->epoch == epoch || id == 0)
    return false;
  return strings->first_epoch > epoch || strings->epoch >> EPOCH_BITS != epoch >> EPOCH_BITS || !entry ||
         entry->epoch > (epoch & EPOCH_MASK);
}

uint64_t strings_hash(const strings_o *strings, uint64_t seed) {
  uint32_t counts[] = {strings->entries.count, strings->used_count, strings->used_after_sweep};
  uint64_t hash = hash_bytes(counts, sizeof counts, seed);
  for (uint32_t id = 1; id < strings->entries.count; ++id) {
    const entry_t *entry = &strings->entries.items[id];
    uint32_t header[] = {entry->length, entry->flags & (ENTRY_USED | ENTRY_PINNED)};
    hash = hash_bytes(header, sizeof header, hash);
    if (entry->length > 0)
      hash = hash_bytes(strings->buffer + entry->offset, entry->length, hash);
  }
  return hash;
}

// --- serialization

uint32_t strings_count(const strings_o *strings) {
  return strings->entries.count;
}

uint32_t strings_used_after_sweep(const strings_o *strings) {
  return strings->used_after_sweep;
}

void strings_save(const strings_o *strings, strings_entry_t *entries) {
  shoal_assert(strings->buffer_bytes < UINT32_MAX, "the string table is too large: %zu bytes (at most 4 GB)",
               strings->buffer_bytes);
  for (uint32_t id = 0; id < strings->entries.count; ++id) {
    const entry_t *entry = &strings->entries.items[id];
    entries[id] = (strings_entry_t){(uint32_t)entry->offset, entry->length, entry->flags & (ENTRY_USED | ENTRY_PINNED)};
  }
}

const char *strings_get_buffer(const strings_o *strings, size_t *bytes) {
  *bytes = strings->buffer_bytes;
  return strings->buffer;
}

static bool check_entry(const strings_entry_t *entry, const char *buffer, size_t bytes) {
  if (!(entry->flags & ENTRY_USED))
    return entry->flags == 0 && entry->length == 0;
  size_t end = (size_t)entry->offset + entry->length;
  return (entry->flags & ~(uint32_t)(ENTRY_USED | ENTRY_PINNED)) == 0 && entry->length > 0 && end < bytes &&
         buffer[end] == '\0';
}

strings_o *strings_load(allocator_t *a, const strings_entry_t *entries, uint32_t count, const char *buffer,
                        size_t bytes, uint32_t used_after_sweep, error_info_t *error) {
  bool is_valid = count > 0 && count < UINT32_MAX / 4 && entries[0].flags == 0 && entries[0].length == 0;
  for (uint32_t id = 1; is_valid && id < count; ++id)
    is_valid = check_entry(&entries[id], buffer, bytes);
  if (!is_valid) {
    error_set(error, "the string table is damaged");
    return NULL;
  }
  strings_o *strings = alloc_resize(a, NULL, 0, sizeof *strings);
  memset(strings, 0, sizeof *strings);
  strings->allocator = a;
  strings->used_after_sweep = used_after_sweep;
  reserve_buffer(strings, bytes);
  if (bytes > 0)
    memcpy(strings->buffer, buffer, bytes);
  strings->buffer_bytes = bytes;
  array_reserve(a, &strings->entries, count);
  for (uint32_t id = 0; id < count; ++id) {
    const strings_entry_t *entry = &entries[id];
    uint64_t hash = entry->flags & ENTRY_USED ? hash_bytes(buffer + entry->offset, entry->length, 0) : 0;
    strings->entries.items[id] =
        (entry_t){.hash = hash, .offset = entry->offset, .length = entry->length, .flags = entry->flags & ENTRY_FLAGS};
    strings->used_count += (entry->flags & ENTRY_USED) != 0;
  }
  strings->entries.count = count;
  for (uint32_t id = count - 1; id > 0; --id) // descending, because the last element is reused first
    if (!(entries[id].flags & ENTRY_USED))
      array_push(a, &strings->free, id);
  uint32_t slot_count = 256;
  while (slot_count < strings->used_count * 2)
    slot_count *= 2;
  build_slots(strings, slot_count);
  return strings;
}

void strings_replace(strings_o *strings, strings_o *source) {
  strings_o previous = *strings;
  uint32_t epoch = strings->epoch + 1;
  *strings = *source;
  *source = previous;
  strings->epoch = strings->first_epoch = epoch;
  strings_destroy(source);
}
