// Grows the memory of an array by doubling, through the caller's allocator.
#include "base/array.h"

#include "base/assert.h"

void *array_grow(allocator_t *allocator, void *items, uint32_t *capacity, uint32_t min_capacity, size_t item_bytes) {
  shoal_assert(item_bytes > 0, "item_bytes must not be 0");
  shoal_assert(min_capacity > 0, "min_capacity must not be 0");
  uint64_t new_capacity = *capacity ? *capacity : 8;
  while (new_capacity < min_capacity)
    new_capacity *= 2;
  if (new_capacity > UINT32_MAX)
    new_capacity = UINT32_MAX;
  shoal_assert(new_capacity >= min_capacity, "cannot grow an array to %u items", min_capacity);
  items = alloc_resize(allocator, items, (size_t)*capacity * item_bytes, (size_t)new_capacity * item_bytes);
  *capacity = (uint32_t)new_capacity;
  return items;
}
