// Finds runs in lists of entities by comparing whole blocks of entities.
#include "ecs/index_runs.h"

#include <stddef.h>
#include <string.h>

#define LINE 64u // entities per block, which are compared without branches

uint32_t entities_long_run_length(const shoal_entity *entities, uint32_t count, uint32_t page) {
  uint32_t first = entities[0], limit = page ? page - shoal_entity_index(first) % page : count, n = 1, other = 0;
  limit = limit < count ? limit : count;
  for (; n + LINE <= limit && entities[n] == first + n; n += LINE) {
    const shoal_entity *from = entities + n; // k is signed: unsigned indices may wrap, which prevents vectorization
    for (int k = 0; k < (int)LINE; ++k)
      other |= from[k] ^ (first + n + (uint32_t)k);
    if (other != 0)
      break;
  }
  while (n < limit && entities[n] == first + n)
    n++;
  return n;
}

uint32_t entities_common_prefix_length(const shoal_entity *a, const shoal_entity *b, uint32_t count) {
  uint32_t n = 0;
  while (n + LINE <= count && memcmp(a + n, b + n, LINE * sizeof *a) == 0)
    n += LINE;
  while (n < count && a[n] == b[n])
    n++;
  return n;
}

uint32_t entities_common_reverse_prefix_length(const shoal_entity *last, const shoal_entity *entities, uint32_t count) {
  uint32_t n = 0, other = 0;
  for (; n + LINE <= count && *(last - n) == entities[n]; n += LINE) {
    const shoal_entity *from = last - n - (LINE - 1), *with = entities + n;
    for (int k = 0; k < (int)LINE; ++k)
      other |= from[(int)LINE - 1 - k] ^ with[k];
    if (other != 0)
      break;
  }
  while (n < count && last[-(ptrdiff_t)n] == entities[n])
    n++;
  return n;
}
