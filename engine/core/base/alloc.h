// Counting allocators, passed as arguments: each module counts its own allocations, and tests assert that all memory
// was freed.
#ifndef SHOAL_BASE_ALLOC_H
#define SHOAL_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

// An allocator. `bytes` and `blocks` count current allocations; `calls` counts all requests to allocate, resize or free
// so far; --stats computes the allocations per tick from it. If memory runs out, the program prints a message and
// aborts: a world cannot continue without its columns. Scripts are stopped earlier, at their own limit (base/limits.h).
typedef struct allocator_t {
  size_t bytes;
  uint64_t blocks;
  uint64_t calls;
  char *spare, *spare_end; // unused part of the memory that alloc_use_spare_memory has mapped; NULL: not mapped
} allocator_t;

#define ALLOC_COLUMN_ALIGNMENT 64u

// Allocates (`block` NULL), resizes or frees (`new_bytes` 0) a block. Keeps the contents up to the smaller size.
// Returns the block, or NULL if `new_bytes` is 0.
void *alloc_resize(allocator_t *a, void *block, size_t old_bytes, size_t new_bytes);

// Returns zeroed memory for an object that owns its allocator; never NULL. Free it with free().
void *alloc_object(size_t bytes);

// Returns a copy of a string, to be freed with alloc_free_text, or NULL if `text` is NULL.
char *alloc_copy_text(allocator_t *a, const char *text);
void alloc_free_text(allocator_t *a, char *text);

// Returns zeroed memory aligned to 64 bytes, or NULL if `bytes` is 0. Free it with alloc_free_aligned and its size.
void *alloc_aligned(allocator_t *a, size_t bytes);
void alloc_free_aligned(allocator_t *a, void *memory, size_t bytes);

// From now on, serves all allocations of `a` from memory that this call maps (4 GiB of addresses), and frees no blocks.
// For the forked child that writes a final file after a crash: malloc may be unusable, because the crash may have
// occurred inside it. Does nothing if memory cannot be mapped.
void alloc_use_spare_memory(allocator_t *a);

#endif
