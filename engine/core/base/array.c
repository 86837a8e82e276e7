// Grows the memory of an array by doubling, through the caller's allocator.
#include "base/array.h"

#include "base/assert.h"

void *array_grow(allocator_t *allocator, void *items, uint32_t *capacity, uint32_t min_capacity, size_t item_bytes) {
  shoal_assert(item_bytes > 0, "item_bytes must not be 0");
  shoal_assert(min_capacity > 0, "min_capacity must not be 0");
  uint64_t grown = *capacity ? *capacity : 8;
  while (grown < min_capacity)
    grown *= 2;
  if (grown > UINT32_MAX)
    grown = UINT32_MAX;
  shoal_assert(grown >= min_capacity, "cannot grow an array to %u items", min_capacity);
  items = alloc_resize(allocator, items, (size_t)*capacity * item_bytes, (size_t)grown * item_bytes);
  *capacity = (uint32_t)grown;
  return items;
}
