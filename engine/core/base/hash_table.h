// Hash table that maps hashes to numbers, such as array indices plus one. The caller stores and compares the keys,
// because several numbers may have the same hash.
//
//   uint32_t at = 0, i;
//   while ((i = hash_table_find_next(&t, hash, &at)) != 0)
//     if (strcmp(items[i - 1].name, name) == 0)
//       return &items[i - 1];
#ifndef SHOAL_BASE_HASH_TABLE_H
#define SHOAL_BASE_HASH_TABLE_H

#include "base/alloc.h"

#include <stdint.h>

typedef struct hash_slot_t {
  uint32_t hash, number; // low 32 bits of an entry's hash, and its number; number 0: empty slot
} hash_slot_t;

typedef struct hash_table_t {
  hash_slot_t *slots;
  uint32_t slot_count, count; // numbers of slots (0 until the first entry) and of entries
} hash_table_t;

// Adds a number, which must not be 0. Does not check whether the table already contains it.
void hash_table_insert(hash_table_t *t, allocator_t *a, uint64_t hash, uint32_t number);
// Removes all numbers and frees the memory.
void hash_table_free(hash_table_t *t, allocator_t *a);

// Returns the next number whose hash has the same low half, or 0 after the last number. `*probe` must be 0 at first.
static inline uint32_t hash_table_find_next(const hash_table_t *t, uint64_t hash, uint32_t *probe) {
  while (t->slot_count > 0) {
    const hash_slot_t *slot = &t->slots[((uint32_t)hash + (*probe)++) & (t->slot_count - 1)];
    if (slot->number == 0 || slot->hash == (uint32_t)hash)
      return slot->number;
  }
  return 0;
}

#endif
