// Gathers rows through an index map into contiguous memory, and scatters them back.
#ifndef SHOAL_NATIVE_GATHER_H
#define SHOAL_NATIVE_GATHER_H

#include <stdint.h>

// Copy `count` elements of 1, 2, 4 or 8 bytes (`bytes`). Element i is at index rows[i] in `source` (gather) or in
// `target` (scatter).
void rows_gather(void *target, const void *source, const uint32_t *rows, uint32_t bytes, uint32_t count);
void rows_scatter(void *target, const void *source, const uint32_t *rows, uint32_t bytes, uint32_t count);
// Fills the elements [count, end) with copies of element `count` - 1; `count` must not be 0.
void rows_pad(void *column, uint32_t bytes, uint32_t count, uint32_t end);

#endif
