// Grows the memory of an array by doubling, through the caller's allocator.
#include "base/array.h"

#include "base/assert.h"

// Capacity of an array's first block: a world has thousands of arrays with one large item.
#define MAX_INITIAL_ITEMS 8u
#define INITIAL_BYTES 128u

static uint32_t get_initial_capacity(size_t item_bytes) {
  size_t items = INITIAL_BYTES / item_bytes;
  return items > MAX_INITIAL_ITEMS ? MAX_INITIAL_ITEMS : items > 0 ? (uint32_t)items : 1u;
}

void *array_grow(allocator_t *allocator, void *items, uint32_t *capacity, uint32_t min_capacity, size_t item_bytes) {
  shoal_assert(item_bytes > 0, "item_bytes must not be 0");
  shoal_assert(min_capacity > 0, "min_capacity must not be 0");
  uint64_t new_capacity = *capacity ? *capacity : get_initial_capacity(item_bytes);
  while (new_capacity < min_capacity)
    new_capacity *= 2;
  if (new_capacity > UINT32_MAX)
    new_capacity = UINT32_MAX;
  shoal_assert(new_capacity >= min_capacity, "cannot grow an array to %u items", min_capacity);
  items = alloc_resize(allocator, items, (size_t)*capacity * item_bytes, (size_t)new_capacity * item_bytes);
  *capacity = (uint32_t)new_capacity;
  return items;
}
