// Copies rows through an index map, with one loop per element size. Most maps are almost contiguous, so groups of
// contiguous rows are copied with memcpy.
#include "native/gather.h"

#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

enum { GROUP = 16 }; // rows per group

static bool is_contiguous(const uint32_t *rows) {
  uint32_t other = 0, first = rows[0];
  if (rows[GROUP - 1] - first != GROUP - 1)
    return false;
  for (uint32_t i = 0; i < GROUP; ++i)
    other |= rows[i] ^ (first + i);
  return other == 0;
}

#define GATHER(type_)                                                                                                  \
  do {                                                                                                                 \
    type_ *out = to;                                                                                                   \
    const type_ *in = from;                                                                                            \
    uint32_t at = 0;                                                                                                   \
    for (; count - at >= GROUP; at += GROUP)                                                                           \
      if (is_contiguous(rows + at))                                                                                    \
        memcpy(out + at, in + rows[at], GROUP * sizeof(type_));                                                        \
      else                                                                                                             \
        for (uint32_t i = at; i < at + GROUP; ++i)                                                                     \
          out[i] = in[rows[i]];                                                                                        \
    for (; at < count; ++at)                                                                                           \
      out[at] = in[rows[at]];                                                                                          \
  } while (0)

#define SCATTER(type_)                                                                                                 \
  do {                                                                                                                 \
    type_ *out = to;                                                                                                   \
    const type_ *in = from;                                                                                            \
    uint32_t at = 0;                                                                                                   \
    for (; count - at >= GROUP; at += GROUP)                                                                           \
      if (is_contiguous(rows + at))                                                                                    \
        memcpy(out + rows[at], in + at, GROUP * sizeof(type_));                                                        \
      else                                                                                                             \
        for (uint32_t i = at; i < at + GROUP; ++i)                                                                     \
          out[rows[i]] = in[i];                                                                                        \
    for (; at < count; ++at)                                                                                           \
      out[rows[at]] = in[at];                                                                                          \
  } while (0)

#define PAD(type_)                                                                                                     \
  do {                                                                                                                 \
    type_ *values = column;                                                                                            \
    for (uint32_t i = count; i < end; ++i)                                                                             \
      values[i] = values[count - 1];                                                                                   \
  } while (0)

void rows_gather(void *restrict to, const void *restrict from, const uint32_t *restrict rows, uint32_t bytes,
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

void rows_scatter(void *restrict to, const void *restrict from, const uint32_t *restrict rows, uint32_t bytes,
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
