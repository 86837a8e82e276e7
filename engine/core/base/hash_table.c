// Hash table: open addressing with linear probing, at most half full.
#include "base/hash_table.h"

#include "base/assert.h"

#include <string.h>

#define INITIAL_SLOTS 64u // initial number of slots; must be a power of two

static void insert_entry(hash_table_t *t, uint32_t hash, uint32_t number) {
  uint32_t i = hash & (t->slot_count - 1);
  while (t->slots[i].number != 0)
    i = (i + 1) & (t->slot_count - 1);
  t->slots[i] = (hash_slot_t){hash, number};
  t->count++;
}

void hash_table_free(hash_table_t *t, allocator_t *a) {
  alloc_resize(a, t->slots, t->slot_count * sizeof *t->slots, 0);
  *t = (hash_table_t){0};
}

static void grow_table(hash_table_t *t, allocator_t *a) {
  hash_table_t old_table = *t;
  *t = (hash_table_t){.slot_count = old_table.slot_count ? old_table.slot_count * 2 : INITIAL_SLOTS};
  t->slots = alloc_resize(a, NULL, 0, t->slot_count * sizeof *t->slots);
  memset(t->slots, 0, t->slot_count * sizeof *t->slots);
  for (uint32_t i = 0; i < old_table.slot_count; ++i)
    if (old_table.slots[i].number != 0)
      insert_entry(t, old_table.slots[i].hash, old_table.slots[i].number);
  hash_table_free(&old_table, a);
}

void hash_table_insert(hash_table_t *t, allocator_t *a, uint64_t hash, uint32_t number) {
  shoal_assert(number != 0, "number must not be 0");
  if (2 * t->count >= t->slot_count)
    grow_table(t, a);
  insert_entry(t, (uint32_t)hash, number);
}
