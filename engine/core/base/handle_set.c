// A hash table with open addressing that readers use while another thread adds a handle. A full table is replaced by
// one of twice the size; readers may still use the old one, so it is kept.
#include "base/handle_set.h"

#include <stdint.h>
#include <string.h>

enum { MIN_CAPACITY = 64 };

struct handle_table_t {
  handle_table_t *previous;
  size_t capacity, count; // the capacity is a power of two, and at least twice the count
  _Atomic(const void *) slots[];
};

static size_t first_slot(const handle_table_t *t, const void *handle) {
  return (size_t)((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->capacity - 1);
}

// Returns the slot of a handle, or the empty slot where it can be stored.
static _Atomic(const void *) *find_slot(handle_table_t *t, const void *handle) {
  size_t i = first_slot(t, handle);
  for (const void *entry; (entry = atomic_load(&t->slots[i])) != NULL && entry != handle;)
    i = (i + 1) & (t->capacity - 1);
  return &t->slots[i];
}

static handle_table_t *create_larger_table(allocator_t *memory, handle_table_t *previous) {
  size_t capacity = previous ? previous->capacity * 2 : MIN_CAPACITY;
  size_t bytes = sizeof(handle_table_t) + capacity * sizeof(_Atomic(const void *));
  handle_table_t *t = alloc_resize(memory, NULL, 0, bytes);
  memset(t, 0, bytes);
  t->previous = previous;
  t->capacity = capacity;
  for (size_t i = 0; previous && i < previous->capacity; ++i) {
    const void *handle = atomic_load(&previous->slots[i]);
    if (handle)
      atomic_store(find_slot(t, handle), handle);
  }
  t->count = previous ? previous->count : 0;
  return t;
}

void handle_set_add(handle_set_t *s, const void *handle) {
  pthread_mutex_lock(&s->lock);
  handle_table_t *t = atomic_load(&s->table);
  if (!t || (t->count + 1) * 2 > t->capacity) {
    t = create_larger_table(&s->memory, t);
    atomic_store(&s->table, t);
  }
  atomic_store(find_slot(t, handle), handle);
  ++t->count;
  pthread_mutex_unlock(&s->lock);
}

bool handle_set_contains(handle_set_t *s, const void *handle) {
  handle_table_t *t = handle ? atomic_load(&s->table) : NULL;
  return t && atomic_load(find_slot(t, handle)) == handle;
}
