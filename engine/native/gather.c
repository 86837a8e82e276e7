// A loop for each size.
#include "native/gather.h"

#include "base/assert.h"

#define MOVE_ROWS(type_, to_, from_)                                                                                   \
  for (uint32_t i = 0; i < count; ++i)                                                                                 \
  ((type_ *)to)[to_] = ((const type_ *)from)[from_]

void rows_gather(void *restrict to, const void *restrict from, const uint32_t *restrict rows, uint32_t bytes,
                 uint32_t count) {
  shoal_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "elements of %u bytes", bytes);
  if (bytes == 4)
    MOVE_ROWS(uint32_t, i, rows[i]);
  else if (bytes == 8)
    MOVE_ROWS(uint64_t, i, rows[i]);
  else if (bytes == 2)
    MOVE_ROWS(uint16_t, i, rows[i]);
  else
    MOVE_ROWS(uint8_t, i, rows[i]);
}

void rows_scatter(void *restrict to, const void *restrict from, const uint32_t *restrict rows, uint32_t bytes,
                  uint32_t count) {
  shoal_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "elements of %u bytes", bytes);
  if (bytes == 4)
    MOVE_ROWS(uint32_t, rows[i], i);
  else if (bytes == 8)
    MOVE_ROWS(uint64_t, rows[i], i);
  else if (bytes == 2)
    MOVE_ROWS(uint16_t, rows[i], i);
  else
    MOVE_ROWS(uint8_t, rows[i], i);
}
