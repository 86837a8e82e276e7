// Scratch memory for bundled plugins: arrays that only grow, allocated from the C library. The arrays must not contain
// state of the world.
#ifndef SHOAL_PLUGINS_SCRATCH_ARRAY_H
#define SHOAL_PLUGINS_SCRATCH_ARRAY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *grow_scratch(void *items, uint32_t *capacity, uint32_t min_capacity, size_t item_bytes) {
  if (min_capacity <= *capacity)
    return items;
  uint32_t new_capacity = *capacity < 16 ? 16 : *capacity;
  while (new_capacity < min_capacity)
    new_capacity += new_capacity / 2;
  items = realloc(items, new_capacity * item_bytes);
  if (!items) {
    fprintf(stderr, "shoal: a plugin is out of memory (%zu bytes)\n", new_capacity * item_bytes);
    abort();
  }
  *capacity = new_capacity;
  return items;
}

// Grows `array` to at least `min_capacity` items. `capacity`: variable with the array's capacity, which is updated.
#define GROW(array, capacity, min_capacity)                                                                            \
  ((array) = grow_scratch((array), &(capacity), (min_capacity), sizeof *(array)))

#endif
