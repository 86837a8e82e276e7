// Allocates buffers for reordered columns, and copies rows with one loop per element size.
#include "access/scratch.h"

#include "base/assert.h"
#include "ecs/manager.h"

#include <string.h>

void *scratch_reserve(allocator_t *a, scratch_t *scratch, uint32_t column, uint32_t column_count, size_t bytes) {
  if (!scratch->memory) {
    scratch->count = column_count;
    scratch->memory = alloc_resize(a, NULL, 0, column_count * sizeof *scratch->memory);
    scratch->bytes = alloc_resize(a, NULL, 0, column_count * sizeof *scratch->bytes);
    memset(scratch->memory, 0, column_count * sizeof *scratch->memory);
    memset(scratch->bytes, 0, column_count * sizeof *scratch->bytes);
  }
  shoal_assert(scratch->count == column_count && column < column_count,
               "column %u is out of range (%u columns, %u blocks)", column, column_count, scratch->count);
  if (scratch->bytes[column] < bytes) {
    alloc_free_aligned(a, scratch->memory[column], scratch->bytes[column]);
    scratch->bytes[column] = bytes + bytes / 4;
    scratch->memory[column] = alloc_aligned(a, scratch->bytes[column]);
  }
  return scratch->memory[column];
}

void *scratch_reserve_exact(allocator_t *a, scratch_t *scratch, uint32_t column, uint32_t column_count, size_t bytes) {
  size_t rounded_bytes = (bytes + 63) & ~(size_t)63;
  scratch_reserve(a, scratch, column, column_count, 0);
  if (scratch->bytes[column] != rounded_bytes) {
    alloc_free_aligned(a, scratch->memory[column], scratch->bytes[column]);
    scratch->memory[column] = alloc_aligned(a, rounded_bytes);
    scratch->bytes[column] = rounded_bytes;
  }
  return bytes > 0 ? (char *)scratch->memory[column] + (rounded_bytes - bytes) : NULL;
}

void scratch_free(allocator_t *a, scratch_t *scratch) {
  for (uint32_t i = 0; i < scratch->count; ++i)
    alloc_free_aligned(a, scratch->memory[i], scratch->bytes[i]);
  alloc_resize(a, scratch->memory, scratch->count * sizeof *scratch->memory, 0);
  alloc_resize(a, scratch->bytes, scratch->count * sizeof *scratch->bytes, 0);
  *scratch = (scratch_t){0};
}

void scratch_fill_default(const columns_t *columns, uint32_t column, void *target, uint32_t count) {
  shoal_assert(column < columns->column_count, "column %u is out of range (count %u)", column, columns->column_count);
  // columns with the layout of `columns` whose only data is `target`
  columns_t single_column = *columns;
  single_column.links = NULL; // the element is not part of the world
  void *data[SCHEMA_MAX_FIELDS] = {NULL};
  data[column] = target;
  single_column.data = data;
  columns_fill(&single_column, column, 0, count, columns->initial[column]);
}

#define GATHER(type_)                                                                                                  \
  do {                                                                                                                 \
    const type_ *source_values = source;                                                                               \
    type_ *target_values = target;                                                                                     \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      target_values[i] = rows[i] != ROW_NONE ? source_values[rows[i]] : *(const type_ *)default_value;                 \
  } while (0)

void scratch_gather_rows(void *target, const void *source, const uint32_t *rows, uint32_t count, uint32_t bytes,
                         const void *default_value) {
  // `source` may be NULL: then no entity has the component, and all elements of `rows` are ROW_NONE
  shoal_assert(target && rows, "`target` and `rows` must not be NULL (count %u)", count);
  switch (bytes) {
  case 1: GATHER(uint8_t); break;
  case 2: GATHER(uint16_t); break;
  case 4: GATHER(uint32_t); break;
  case 8: GATHER(uint64_t); break;
  default:
    for (uint32_t i = 0; i < count; ++i)
      memcpy((char *)target + (size_t)i * bytes,
             rows[i] != ROW_NONE ? (const char *)source + (size_t)rows[i] * bytes : default_value, bytes);
  }
}

#define SCATTER(type_)                                                                                                 \
  do {                                                                                                                 \
    const type_ *source_values = source;                                                                               \
    type_ *target_values = target;                                                                                     \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      if (rows[i] != ROW_NONE)                                                                                         \
        target_values[rows[i]] = source_values[i];                                                                     \
  } while (0)

void scratch_scatter_rows(void *target, const void *source, const uint32_t *rows, uint32_t count, uint32_t bytes) {
  switch (bytes) {
  case 1: SCATTER(uint8_t); break;
  case 2: SCATTER(uint16_t); break;
  case 4: SCATTER(uint32_t); break;
  case 8: SCATTER(uint64_t); break;
  default:
    for (uint32_t i = 0; i < count; ++i)
      if (rows[i] != ROW_NONE)
        memcpy((char *)target + (size_t)rows[i] * bytes, (const char *)source + (size_t)i * bytes, bytes);
  }
}
