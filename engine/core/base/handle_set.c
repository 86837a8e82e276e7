// A hash table with open addressing that readers use while another thread adds a handle. A full table is replaced with
// a table of twice the size; the old table is kept, because readers may still use it.
#include "base/handle_set.h"

#include <stdint.h>
#include <string.h>

enum { MIN_CAPACITY = 64 };

struct handle_table_t {
  handle_table_t *previous;
  size_t capacity, count; // the capacity is a power of two, and at least twice the count
  _Atomic(const void *) slots[];
};

static size_t get_home_slot(const handle_table_t *table, const void *handle) {
  return (size_t)((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->capacity - 1);
}

// Returns the slot of a handle, or the empty slot where it can be stored.
static _Atomic(const void *) *find_slot(handle_table_t *table, const void *handle) {
  size_t i = get_home_slot(table, handle);
  for (const void *entry; (entry = atomic_load(&table->slots[i])) != NULL && entry != handle;)
    i = (i + 1) & (table->capacity - 1);
  return &table->slots[i];
}

static handle_table_t *create_larger_table(allocator_t *memory, handle_table_t *previous) {
  size_t capacity = previous ? previous->capacity * 2 : MIN_CAPACITY;
  size_t bytes = sizeof(handle_table_t) + capacity * sizeof(_Atomic(const void *));
  handle_table_t *table = alloc_resize(memory, NULL, 0, bytes);
  memset(table, 0, bytes);
  table->previous = previous;
  table->capacity = capacity;
  for (size_t i = 0; previous && i < previous->capacity; ++i) {
    const void *handle = atomic_load(&previous->slots[i]);
    if (handle)
      atomic_store(find_slot(table, handle), handle);
  }
  table->count = previous ? previous->count : 0;
  return table;
}

void handle_set_add(handle_set_t *set, const void *handle) {
  pthread_mutex_lock(&set->lock);
  handle_table_t *table = atomic_load(&set->table);
  if (!table || (table->count + 1) * 2 > table->capacity) {
    table = create_larger_table(&set->memory, table);
    atomic_store(&set->table, table);
  }
  atomic_store(find_slot(table, handle), handle);
  ++table->count;
  pthread_mutex_unlock(&set->lock);
}

bool handle_set_contains(handle_set_t *set, const void *handle) {
  handle_table_t *table = handle ? atomic_load(&set->table) : NULL;
  return table && atomic_load(find_slot(table, handle)) == handle;
}
