// Buffers for reordered columns, and copies between store order and query order.
#ifndef SHOAL_ACCESS_SCRATCH_H
#define SHOAL_ACCESS_SCRATCH_H

#include "base/alloc.h"
#include "schema/columns.h"

#include <stdint.h>

// One memory block per column; the blocks grow and are reused.
typedef struct scratch_t {
  void **memory;
  size_t *bytes;
  uint32_t count;
} scratch_t;

// Returns the block of a column: at least `bytes` long and 64-byte aligned. Growing the block discards its content.
// `column_count` must be the same in each call.
void *scratch_reserve(allocator_t *a, scratch_t *scratch, uint32_t column, uint32_t column_count, size_t bytes);
// Returns a block of exactly `bytes`, at the end of its allocation, so that AddressSanitizer catches accesses past it.
// Returns NULL for 0 bytes. `bytes` may change with each call.
void *scratch_reserve_exact(allocator_t *a, scratch_t *scratch, uint32_t column, uint32_t column_count, size_t bytes);
void scratch_free(allocator_t *a, scratch_t *scratch);

// Writes a column's default value to `count` elements of `target`.
void scratch_fill_default(const columns_t *columns, uint32_t column, void *target, uint32_t count);

// Copies row rows[i] of `source` to element i of `target`; copies `default_value` where rows[i] is ROW_NONE.
void scratch_gather_rows(void *target, const void *source, const uint32_t *rows, uint32_t count, uint32_t bytes,
                         const void *default_value);
// Copies element i of `source` to row rows[i] of `target`; skips ROW_NONE.
void scratch_scatter_rows(void *target, const void *source, const uint32_t *rows, uint32_t count, uint32_t bytes);

#endif
