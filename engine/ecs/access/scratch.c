// Buffers for reordered columns, and copies between store order and query order.
#include "access/scratch.h"

#include "base/assert.h"
#include "ecs/manager.h"

#include <string.h>

void *scratch_reserve(allocator_t *a, scratch_t *s, uint32_t column, uint32_t columns, size_t bytes) {
  if (!s->memory) {
    s->count = columns;
    s->memory = alloc_resize(a, NULL, 0, columns * sizeof *s->memory);
    s->bytes = alloc_resize(a, NULL, 0, columns * sizeof *s->bytes);
    memset(s->memory, 0, columns * sizeof *s->memory);
    memset(s->bytes, 0, columns * sizeof *s->bytes);
  }
  shoal_assert(s->count == columns && column < columns, "column %u is out of range (%u columns, %u blocks)", column,
               columns, s->count);
  if (s->bytes[column] < bytes) {
    alloc_free_aligned(a, s->memory[column], s->bytes[column]);
    s->bytes[column] = bytes + bytes / 4;
    s->memory[column] = alloc_aligned(a, s->bytes[column]);
  }
  return s->memory[column];
}

void *scratch_reserve_exact(allocator_t *a, scratch_t *s, uint32_t column, uint32_t columns, size_t bytes) {
  size_t whole = (bytes + 63) & ~(size_t)63;
  scratch_reserve(a, s, column, columns, 0);
  if (s->bytes[column] != whole) {
    alloc_free_aligned(a, s->memory[column], s->bytes[column]);
    s->memory[column] = alloc_aligned(a, whole);
    s->bytes[column] = whole;
  }
  return bytes > 0 ? (char *)s->memory[column] + (whole - bytes) : NULL;
}

void scratch_free(allocator_t *a, scratch_t *s) {
  for (uint32_t i = 0; i < s->count; ++i)
    alloc_free_aligned(a, s->memory[i], s->bytes[i]);
  alloc_resize(a, s->memory, s->count * sizeof *s->memory, 0);
  alloc_resize(a, s->bytes, s->count * sizeof *s->bytes, 0);
  *s = (scratch_t){0};
}

void scratch_fill_default(const columns_t *c, uint32_t column, void *to, uint32_t count) {
  shoal_assert(column < c->column_count, "column %u is out of range (count %u)", column, c->column_count);
  // columns with the layout of `c` whose only data is `to`
  columns_t one = *c;
  void *data[SCHEMA_MAX_FIELDS] = {NULL};
  data[column] = to;
  one.data = data;
  columns_fill(&one, column, 0, count, c->initial[column]);
}

#define GATHER(type_)                                                                                                  \
  do {                                                                                                                 \
    const type_ *f = from;                                                                                             \
    type_ *t = to;                                                                                                     \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      t[i] = rows[i] != ROW_NONE ? f[rows[i]] : *(const type_ *)absent;                                                \
  } while (0)

void scratch_gather_rows(void *to, const void *from, const uint32_t *rows, uint32_t count, uint32_t bytes,
                         const void *absent) {
  // `from` may be NULL: then no entity has the component, and all elements of `rows` are ROW_NONE
  shoal_assert(to && rows, "`to` and `rows` must not be NULL (count %u)", count);
  switch (bytes) {
  case 1: GATHER(uint8_t); break;
  case 2: GATHER(uint16_t); break;
  case 4: GATHER(uint32_t); break;
  case 8: GATHER(uint64_t); break;
  default:
    for (uint32_t i = 0; i < count; ++i)
      memcpy((char *)to + (size_t)i * bytes,
             rows[i] != ROW_NONE ? (const char *)from + (size_t)rows[i] * bytes : absent, bytes);
  }
}

#define SCATTER(type_)                                                                                                 \
  do {                                                                                                                 \
    const type_ *f = from;                                                                                             \
    type_ *t = to;                                                                                                     \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      if (rows[i] != ROW_NONE)                                                                                         \
        t[rows[i]] = f[i];                                                                                             \
  } while (0)

void scratch_scatter_rows(void *to, const void *from, const uint32_t *rows, uint32_t count, uint32_t bytes) {
  switch (bytes) {
  case 1: SCATTER(uint8_t); break;
  case 2: SCATTER(uint16_t); break;
  case 4: SCATTER(uint32_t); break;
  case 8: SCATTER(uint64_t); break;
  default:
    for (uint32_t i = 0; i < count; ++i)
      if (rows[i] != ROW_NONE)
        memcpy((char *)to + (size_t)rows[i] * bytes, (const char *)from + (size_t)i * bytes, bytes);
  }
}
