// Open addressing, at most half full.
#include "base/name_table.h"

#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

enum { FIRST_SLOTS = 64 }; // a power of two

static uint32_t slot_of(const name_table_t *t, const char *name) {
  uint32_t mask = t->slots - 1, i = (uint32_t)hash_text(name) & mask;
  while (t->names[i] && strcmp(t->names[i], name) != 0)
    i = (i + 1) & mask;
  return i;
}

uint32_t name_table_find(const name_table_t *t, const char *name) {
  uint32_t i = t->slots > 0 ? slot_of(t, name) : 0;
  return t->slots > 0 && t->names[i] ? t->numbers[i] : 0;
}

void name_table_forget(name_table_t *t, allocator_t *a) {
  alloc_resize(a, (void *)t->names, t->slots * sizeof *t->names, 0);
  alloc_resize(a, t->numbers, t->slots * sizeof *t->numbers, 0);
  *t = (name_table_t){0};
}

static void grow(name_table_t *t, allocator_t *a) {
  name_table_t before = *t;
  t->slots = before.slots ? before.slots * 2 : FIRST_SLOTS;
  t->names = alloc_resize(a, NULL, 0, t->slots * sizeof *t->names);
  t->numbers = alloc_resize(a, NULL, 0, t->slots * sizeof *t->numbers);
  memset((void *)t->names, 0, t->slots * sizeof *t->names);
  t->count = 0;
  for (uint32_t i = 0; i < before.slots; ++i)
    if (before.names[i])
      name_table_put(t, a, before.names[i], before.numbers[i]);
  name_table_forget(&before, a);
}

void name_table_put(name_table_t *t, allocator_t *a, const char *name, uint32_t number) {
  shoal_assert(number != 0 && name_table_find(t, name) == 0, "%s is there already, or gets the number 0", name);
  if (2 * t->count >= t->slots)
    grow(t, a);
  uint32_t i = slot_of(t, name);
  t->names[i] = name;
  t->numbers[i] = number;
  t->count++;
}
