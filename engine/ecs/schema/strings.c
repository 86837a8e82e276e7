// The string table: one buffer for all strings, with an offset for each id. The hash table from strings to ids is only
// an index: ids are assigned in order of use, and the lowest free id is assigned first. The hash table can therefore be
// rebuilt from the ids in use, and snapshots do not contain it.
#include "schema/strings.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

#define SWEEP_FLOOR 1024u // a table with fewer than twice this number of strings is never swept
enum { ENTRY_USED = 1, ENTRY_MARKED = 2, ENTRY_KEPT = 4 };

typedef struct entry_t {
  uint64_t hash;
  size_t offset;
  uint32_t length;
  uint32_t flags;
} entry_t;

struct strings_o {
  allocator_t *allocator;
  char *texts;
  size_t text_bytes, text_capacity;
  ARRAY(entry_t) entries; // indexed by id; id 0 is ""
  ARRAY(uint32_t) free;   // reusable ids, sorted so that the lowest one is last
  uint32_t *slots;        // hash table of ids; 0 means that the slot is empty
  uint32_t slot_count;    // number of slots, a power of two
  uint32_t used;          // number of ids in use, not counting id 0
  uint32_t used_after_sweep;
  uint32_t epoch;
};

static void build_slots(strings_o *s, uint32_t slot_count) {
  s->slots = alloc_resize(s->allocator, s->slots, s->slot_count * sizeof *s->slots, slot_count * sizeof *s->slots);
  s->slot_count = slot_count;
  memset(s->slots, 0, slot_count * sizeof *s->slots);
  for (uint32_t id = 1; id < s->entries.count; ++id) {
    if (!(s->entries.items[id].flags & ENTRY_USED))
      continue;
    uint32_t at = (uint32_t)s->entries.items[id].hash & (slot_count - 1);
    while (s->slots[at])
      at = (at + 1) & (slot_count - 1);
    s->slots[at] = id;
  }
}

strings_o *strings_create(allocator_t *a) {
  strings_o *s = alloc_resize(a, NULL, 0, sizeof *s);
  memset(s, 0, sizeof *s);
  s->allocator = a;
  entry_t empty = {0};
  array_push(a, &s->entries, empty);
  build_slots(s, 256);
  return s;
}

void strings_destroy(strings_o *s) {
  if (!s)
    return;
  allocator_t *a = s->allocator;
  array_free(a, &s->entries);
  array_free(a, &s->free);
  alloc_resize(a, s->texts, s->text_capacity, 0);
  alloc_resize(a, s->slots, s->slot_count * sizeof *s->slots, 0);
  alloc_resize(a, s, sizeof *s, 0);
}

static uint32_t find_string(const strings_o *s, const char *text, size_t length, uint64_t hash) {
  for (uint32_t at = (uint32_t)hash & (s->slot_count - 1); s->slots[at]; at = (at + 1) & (s->slot_count - 1)) {
    const entry_t *e = &s->entries.items[s->slots[at]];
    if (e->hash == hash && e->length == length && memcmp(s->texts + e->offset, text, length) == 0)
      return s->slots[at];
  }
  return 0;
}

static void reserve_text(strings_o *s, size_t bytes) {
  if (bytes <= s->text_capacity)
    return;
  size_t grown = s->text_capacity ? s->text_capacity : 4096;
  while (grown < bytes)
    grown *= 2;
  s->texts = alloc_resize(s->allocator, s->texts, s->text_capacity, grown);
  s->text_capacity = grown;
}

static size_t store_text(strings_o *s, const char *text, size_t length) {
  // The string may be inside `texts`, which may be reallocated below.
  bool inside = s->texts && text >= s->texts && text < s->texts + s->text_bytes;
  size_t from = inside ? (size_t)(text - s->texts) : 0;
  size_t offset = s->text_bytes;
  reserve_text(s, offset + length + 1);
  memcpy(s->texts + offset, inside ? s->texts + from : text, length);
  s->texts[offset + length] = '\0';
  s->text_bytes = offset + length + 1;
  return offset;
}

uint32_t strings_intern_bytes(strings_o *s, const char *text, size_t length) {
  if (length == 0)
    return 0;
  shoal_assert(length < UINT32_MAX, "a string of %zu bytes is too long", length);
  uint64_t hash = hash_bytes(text, length, 0);
  uint32_t id = find_string(s, text, length, hash);
  if (id)
    return id;
  entry_t e = {.hash = hash, .offset = store_text(s, text, length), .length = (uint32_t)length, .flags = ENTRY_USED};
  if (s->free.count > 0) {
    id = s->free.items[--s->free.count];
    s->entries.items[id] = e;
  } else {
    id = s->entries.count;
    array_push(s->allocator, &s->entries, e);
  }
  s->used++;
  if (s->used * 2 > s->slot_count) {
    build_slots(s, s->slot_count * 2);
    return id;
  }
  uint32_t at = (uint32_t)hash & (s->slot_count - 1);
  while (s->slots[at])
    at = (at + 1) & (s->slot_count - 1);
  s->slots[at] = id;
  return id;
}

uint32_t strings_intern(strings_o *s, const char *text) {
  return text ? strings_intern_bytes(s, text, strlen(text)) : 0;
}

size_t strings_memory_bytes(const strings_o *s) {
  return s->text_capacity + s->entries.capacity * sizeof *s->entries.items + s->free.capacity * sizeof *s->free.items +
         s->slot_count * sizeof *s->slots;
}

uint32_t strings_find(const strings_o *s, const char *text) {
  size_t length = text ? strlen(text) : 0;
  return length ? find_string(s, text, length, hash_bytes(text, length, 0)) : 0;
}

static const entry_t *find_used_entry(const strings_o *s, uint32_t id) {
  return id < s->entries.count && s->entries.items[id].flags & ENTRY_USED ? &s->entries.items[id] : NULL;
}

const char *strings_text(const strings_o *s, uint32_t id) {
  const entry_t *e = find_used_entry(s, id);
  return e ? s->texts + e->offset : "";
}

size_t strings_length(const strings_o *s, uint32_t id) {
  const entry_t *e = find_used_entry(s, id);
  return e ? e->length : 0;
}

// --- mark and sweep

bool strings_needs_sweep(const strings_o *s) {
  uint32_t floor = s->used_after_sweep > SWEEP_FLOOR ? s->used_after_sweep : SWEEP_FLOOR;
  return s->used >= floor * 2;
}

void strings_unmark_all(strings_o *s) {
  for (uint32_t id = 0; id < s->entries.count; ++id)
    s->entries.items[id].flags &= ~(uint32_t)ENTRY_MARKED;
}

void strings_mark(strings_o *s, uint32_t id) {
  if (find_used_entry(s, id))
    s->entries.items[id].flags |= ENTRY_MARKED;
}

void strings_pin(strings_o *s, uint32_t id) {
  if (find_used_entry(s, id))
    s->entries.items[id].flags |= ENTRY_KEPT;
}

// Copies used strings to a new buffer in the order of ids. Moving them in place would overwrite strings that are still
// to be moved, because reused ids are not in the order of the buffer.
static void compact_texts(strings_o *s) {
  size_t bytes = 0;
  for (uint32_t id = 1; id < s->entries.count; ++id)
    if (s->entries.items[id].flags & ENTRY_USED)
      bytes += s->entries.items[id].length + 1u;
  char *old = s->texts;
  size_t old_capacity = s->text_capacity;
  s->texts = NULL;
  s->text_bytes = s->text_capacity = 0;
  reserve_text(s, bytes + 1);
  for (uint32_t id = 1; id < s->entries.count; ++id) {
    entry_t *e = &s->entries.items[id];
    if (e->flags & ENTRY_USED)
      e->offset = store_text(s, old + e->offset, e->length);
  }
  alloc_resize(s->allocator, old, old_capacity, 0);
}

void strings_sweep(strings_o *s) {
  s->free.count = 0;
  s->used = 0;
  for (uint32_t id = s->entries.count - 1; id > 0; --id) {
    entry_t *e = &s->entries.items[id];
    if (e->flags & (ENTRY_MARKED | ENTRY_KEPT))
      s->used++;
    else {
      *e = (entry_t){0};
      array_push(s->allocator, &s->free, id);
    }
  }
  compact_texts(s);
  build_slots(s, s->slot_count);
  s->used_after_sweep = s->used;
  s->epoch++;
}

uint32_t strings_epoch(const strings_o *s) {
  return s->epoch;
}

void strings_advance_epoch(strings_o *s) {
  s->epoch++;
}

uint64_t strings_hash(const strings_o *s, uint64_t seed) {
  uint32_t facts[] = {s->entries.count, s->used, s->used_after_sweep};
  uint64_t hash = hash_bytes(facts, sizeof facts, seed);
  for (uint32_t id = 1; id < s->entries.count; ++id) {
    const entry_t *e = &s->entries.items[id];
    uint32_t head[] = {e->length, e->flags & (ENTRY_USED | ENTRY_KEPT)};
    hash = hash_bytes(head, sizeof head, hash);
    if (e->length > 0)
      hash = hash_bytes(s->texts + e->offset, e->length, hash);
  }
  return hash;
}

// --- serialization

uint32_t strings_count(const strings_o *s) {
  return s->entries.count;
}

uint32_t strings_used_after_sweep(const strings_o *s) {
  return s->used_after_sweep;
}

void strings_save(const strings_o *s, strings_entry_t *entries) {
  shoal_assert(s->text_bytes < UINT32_MAX, "the string table is too large: %zu bytes (at most 4 GB)", s->text_bytes);
  for (uint32_t id = 0; id < s->entries.count; ++id) {
    const entry_t *e = &s->entries.items[id];
    entries[id] = (strings_entry_t){(uint32_t)e->offset, e->length, e->flags & (ENTRY_USED | ENTRY_KEPT)};
  }
}

const char *strings_get_texts(const strings_o *s, size_t *bytes) {
  *bytes = s->text_bytes;
  return s->texts;
}

static bool check_entry(const strings_entry_t *e, const char *texts, size_t bytes) {
  if (!(e->flags & ENTRY_USED))
    return e->flags == 0 && e->length == 0;
  size_t end = (size_t)e->offset + e->length;
  return (e->flags & ~(uint32_t)(ENTRY_USED | ENTRY_KEPT)) == 0 && e->length > 0 && end < bytes && texts[end] == '\0';
}

strings_o *strings_load(allocator_t *a, const strings_entry_t *entries, uint32_t count, const char *texts, size_t bytes,
                        uint32_t used_after_sweep, error_info_t *error) {
  bool good = count > 0 && count < UINT32_MAX / 4 && entries[0].flags == 0 && entries[0].length == 0;
  for (uint32_t id = 1; good && id < count; ++id)
    good = check_entry(&entries[id], texts, bytes);
  if (!good) {
    error_set(error, "the string table is damaged");
    return NULL;
  }
  strings_o *s = alloc_resize(a, NULL, 0, sizeof *s);
  memset(s, 0, sizeof *s);
  s->allocator = a;
  s->used_after_sweep = used_after_sweep;
  reserve_text(s, bytes);
  if (bytes > 0)
    memcpy(s->texts, texts, bytes);
  s->text_bytes = bytes;
  array_reserve(a, &s->entries, count);
  for (uint32_t id = 0; id < count; ++id) {
    const strings_entry_t *e = &entries[id];
    uint64_t hash = e->flags & ENTRY_USED ? hash_bytes(texts + e->offset, e->length, 0) : 0;
    s->entries.items[id] = (entry_t){.hash = hash, .offset = e->offset, .length = e->length, .flags = e->flags};
    s->used += (e->flags & ENTRY_USED) != 0;
  }
  s->entries.count = count;
  for (uint32_t id = count - 1; id > 0; --id) // descending, because the last element is reused first
    if (!(entries[id].flags & ENTRY_USED))
      array_push(a, &s->free, id);
  uint32_t slots = 256;
  while (slots < s->used * 2)
    slots *= 2;
  build_slots(s, slots);
  return s;
}

void strings_replace(strings_o *s, strings_o *with) {
  strings_o old = *s;
  uint32_t epoch = s->epoch + 1;
  *s = *with;
  *with = old;
  s->epoch = epoch;
  strings_destroy(with);
}
