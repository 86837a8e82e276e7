// Scratch memory for bundled plugins: arrays that only grow, allocated from the C library. They must not contain state
// of the world.
#ifndef SHOAL_PLUGINS_SCRATCH_ARRAY_H
#define SHOAL_PLUGINS_SCRATCH_ARRAY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *grow_scratch(void *items, uint32_t *capacity, uint32_t wanted, size_t item_bytes) {
  if (wanted <= *capacity)
    return items;
  uint32_t room = *capacity < 16 ? 16 : *capacity;
  while (room < wanted)
    room += room / 2;
  items = realloc(items, room * item_bytes);
  if (!items) {
    fprintf(stderr, "shoal: a plugin is out of memory (%zu bytes)\n", room * item_bytes);
    abort();
  }
  *capacity = room;
  return items;
}

// Grows `array` to at least `wanted` items. `capacity` must be its capacity, which is updated.
#define GROW(array, capacity, wanted) ((array) = grow_scratch((array), &(capacity), (wanted), sizeof *(array)))

#endif
