// Copies rows through an index map, with one loop per element size. Most maps are almost contiguous, so groups of
// contiguous rows are copied with memcpy.
#include "native/gather.h"

#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

enum { GROUP_ROWS = 16 }; // number of rows in a group

static bool is_contiguous(const uint32_t *rows) {
  uint32_t difference = 0, first_row = rows[0];
  if (rows[GROUP_ROWS - 1] - first_row != GROUP_ROWS - 1)
    return false;
  for (uint32_t i = 0; i < GROUP_ROWS; ++i)
    difference |= rows[i] ^ (first_row + i);
  return difference == 0;
}

#define GATHER(type_)                                                                                                  \
  do {                                                                                                                 \
    type_ *rows_out = target;                                                                                          \
    const type_ *rows_in = source;                                                                                     \
    uint32_t row = 0;                                                                                                  \
    for (; count - row >= GROUP_ROWS; row += GROUP_ROWS)                                                               \
      if (is_contiguous(rows + row))                                                                                   \
        memcpy(rows_out + row, rows_in + rows[row], GROUP_ROWS * sizeof(type_));                                       \
      else                                                                                                             \
        for (uint32_t i = row; i < row + GROUP_ROWS; ++i)                                                              \
          rows_out[i] = rows_in[rows[i]];                                                                              \
    for (; row < count; ++row)                                                                                         \
      rows_out[row] = rows_in[rows[row]];                                                                              \
  } while (0)

#define SCATTER(type_)                                                                                                 \
  do {                                                                                                                 \
    type_ *rows_out = target;                                                                                          \
    const type_ *rows_in = source;                                                                                     \
    uint32_t row = 0;                                                                                                  \
    for (; count - row >= GROUP_ROWS; row += GROUP_ROWS)                                                               \
      if (is_contiguous(rows + row))                                                                                   \
        memcpy(rows_out + rows[row], rows_in + row, GROUP_ROWS * sizeof(type_));                                       \
      else                                                                                                             \
        for (uint32_t i = row; i < row + GROUP_ROWS; ++i)                                                              \
          rows_out[rows[i]] = rows_in[i];                                                                              \
    for (; row < count; ++row)                                                                                         \
      rows_out[rows[row]] = rows_in[row];                                                                              \
  } while (0)

#define PAD(type_)                                                                                                     \
  do {                                                                                                                 \
    type_ *values = column;                                                                                            \
    for (uint32_t i = count; i < end; ++i)                                                                             \
      values[i] = values[count - 1];                                                                                   \
  } while (0)

void rows_gather(void *restrict target, const void *restrict source, const uint32_t *restrict rows, uint32_t bytes,
                 uint32_t count) {
  shoal_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "unsupported element size %u", bytes);
  if (bytes == 4)
    GATHER(uint32_t);
  else if (bytes == 8)
    GATHER(uint64_t);
  else if (bytes == 2)
    GATHER(uint16_t);
  else
    GATHER(uint8_t);
}

void rows_scatter(void *restrict target, const void *restrict source, const uint32_t *restrict rows, uint32_t bytes,
                  uint32_t count) {
  shoal_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "unsupported element size %u", bytes);
  if (bytes == 4)
    SCATTER(uint32_t);
  else if (bytes == 8)
    SCATTER(uint64_t);
  else if (bytes == 2)
    SCATTER(uint16_t);
  else
    SCATTER(uint8_t);
}

void rows_pad(void *column, uint32_t bytes, uint32_t count, uint32_t end) {
  shoal_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "unsupported element size %u", bytes);
  if (bytes == 4)
    PAD(uint32_t);
  else if (bytes == 8)
    PAD(uint64_t);
  else if (bytes == 2)
    PAD(uint16_t);
  else
    PAD(uint8_t);
}
