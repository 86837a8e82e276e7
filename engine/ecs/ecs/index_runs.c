// Finds runs in lists of entities by comparing whole blocks of entities.
#include "ecs/index_runs.h"

#include <stddef.h>
#include <string.h>

#define BLOCK_ENTITIES 64u // number of entities per block; a block is compared without branches

uint32_t entities_long_run_length(const shoal_entity *entities, uint32_t count, uint32_t page) {
  uint32_t first = entities[0], limit = page ? page - shoal_entity_index(first) % page : count, n = 1, difference = 0;
  limit = limit < count ? limit : count;
  for (; n + BLOCK_ENTITIES <= limit && entities[n] == first + n; n += BLOCK_ENTITIES) {
    const shoal_entity *block = entities + n; // k is signed: unsigned indices may wrap, which prevents vectorization
    for (int k = 0; k < (int)BLOCK_ENTITIES; ++k)
      difference |= block[k] ^ (first + n + (uint32_t)k);
    if (difference != 0)
      break;
  }
  while (n < limit && entities[n] == first + n)
    n++;
  return n;
}

uint32_t entities_common_prefix_length(const shoal_entity *a, const shoal_entity *b, uint32_t count) {
  uint32_t n = 0;
  while (n + BLOCK_ENTITIES <= count && memcmp(a + n, b + n, BLOCK_ENTITIES * sizeof *a) == 0)
    n += BLOCK_ENTITIES;
  while (n < count && a[n] == b[n])
    n++;
  return n;
}

uint32_t entities_common_reverse_prefix_length(const shoal_entity *last, const shoal_entity *entities, uint32_t count) {
  uint32_t n = 0, difference = 0;
  for (; n + BLOCK_ENTITIES <= count && *(last - n) == entities[n]; n += BLOCK_ENTITIES) {
    const shoal_entity *block = last - n - (BLOCK_ENTITIES - 1), *expected = entities + n;
    for (int k = 0; k < (int)BLOCK_ENTITIES; ++k)
      difference |= block[(int)BLOCK_ENTITIES - 1 - k] ^ expected[k];
    if (difference != 0)
      break;
  }
  while (n < count && last[-(ptrdiff_t)n] == entities[n])
    n++;
  return n;
}
