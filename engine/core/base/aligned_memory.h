// Aligned memory from the C library. The C library of Windows lacks aligned_alloc, and its free cannot release aligned
// memory.
#ifndef SHOAL_BASE_ALIGNED_MEMORY_H
#define SHOAL_BASE_ALIGNED_MEMORY_H

#include <stddef.h>

// Returns `bytes` uninitialized bytes, or NULL if the system is out of memory. `alignment`: a power of two; `bytes`: a
// multiple of `alignment`. Any thread.
void *aligned_memory_alloc(size_t alignment, size_t bytes);
void aligned_memory_free(void *memory); // accepts NULL

#endif
