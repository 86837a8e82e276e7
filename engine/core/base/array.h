// A growable array of plain data: `ARRAY(shoal_entity) list;`. A zero-initialized array is empty. Pass the same
// allocator to every call. Growing moves the items, so do not keep pointers to them.
#ifndef SHOAL_BASE_ARRAY_H
#define SHOAL_BASE_ARRAY_H

#include "base/alloc.h"

#include <stdint.h>

#define ARRAY(type)                                                                                                    \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    uint32_t count, capacity;                                                                                          \
  }

#define array_reserve(allocator, array, min_capacity)                                                                  \
  ((array)->capacity >= (min_capacity)                                                                                 \
       ? (void)0                                                                                                       \
       : (void)((array)->items = array_grow((allocator), (array)->items, &(array)->capacity, (min_capacity),           \
                                            sizeof *(array)->items)))

#define array_push(allocator, array, item)                                                                             \
  (array_reserve((allocator), (array), (array)->count + 1u), (array)->items[(array)->count++] = (item))

#define array_free(allocator, array)                                                                                   \
  ((array)->items = alloc_resize((allocator), (array)->items, (size_t)(array)->capacity * sizeof *(array)->items, 0),  \
   (array)->count = (array)->capacity = 0)

// Doubles the capacity until it is at least `min_capacity`. Starts at 8 items or, for large items, at 128 bytes (at
// least 1 item). Returns the items, which may have moved. The macros above call this function.
void *array_grow(allocator_t *allocator, void *items, uint32_t *capacity, uint32_t min_capacity, size_t item_bytes);

#endif
