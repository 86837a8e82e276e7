// Memory for columns in another order, and copies between a store's rows and a query's order.
#ifndef SHOAL_ACCESS_SCRATCH_H
#define SHOAL_ACCESS_SCRATCH_H

#include "base/alloc.h"
#include "schema/columns.h"

#include <stdint.h>

// One block per column; grows, and is kept for the next run.
typedef struct scratch_t {
  void **memory;
  size_t *bytes;
  uint32_t count;
} scratch_t;

// Returns the block of `column`, at least `bytes` long and 64-byte aligned; the content is lost when it grows.
// `columns` must be the same in every call.
void *scratch_room(allocator_t *a, scratch_t *s, uint32_t column, uint32_t columns, size_t bytes);
// The same with the block's end at the end of an allocation. NULL for 0 bytes. `bytes` may change with every call.
void *scratch_exact(allocator_t *a, scratch_t *s, uint32_t column, uint32_t columns, size_t bytes);
void scratch_free(allocator_t *a, scratch_t *s);

// Writes the default of a column to `count` elements of `to`.
void scratch_default(const columns_t *c, uint32_t column, void *to, uint32_t count);

// Copies row rows[i] of `from` to element i of `to`; `absent` where rows[i] is ROW_NONE.
void scratch_gather(void *to, const void *from, const uint32_t *rows, uint32_t count, uint32_t bytes,
                    const void *absent);
// Copies element i of `from` to row rows[i] of `to`; skips ROW_NONE.
void scratch_scatter(void *to, const void *from, const uint32_t *rows, uint32_t count, uint32_t bytes);

#endif
