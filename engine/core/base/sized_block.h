// Memory blocks for plugins. Each block stores its size, against which the caller's size is checked.
#ifndef SHOAL_BASE_SIZED_BLOCK_H
#define SHOAL_BASE_SIZED_BLOCK_H

#include "base/alloc.h"

#include <stdbool.h>

#define SIZED_BLOCK_HEADER_BYTES 16u // size of the header in front of each block; counted by the allocator

// Allocates, resizes or frees a block, like alloc_resize. Stores the new block in `out`, and the size of the old block
// in `actual_bytes`. Returns true on success, or false if `old` is not the address of an allocated block.
bool sized_block_resize(allocator_t *a, void *old, size_t new_bytes, void **out, size_t *actual_bytes);

#endif
