// Memory comes from an allocator that is passed in; each room counts its own, and a test asserts that all of it came
// back.
#ifndef SHOAL_BASE_ALLOC_H
#define SHOAL_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

// Grows, shrinks, allocates (old NULL) and frees (new_bytes 0). Out of memory ends the program with a message: the
// world cannot go on without its columns, and Lua is guarded before it comes to that. `bytes`/`blocks` are what is held
// now; `calls` counts every request, for "allocations per tick".
typedef struct allocator_t {
  size_t bytes;
  uint64_t blocks;
  uint64_t calls;
  char *spare, *spare_end; // see alloc_use_spare
} allocator_t;

#define ALLOC_COLUMN_ALIGNMENT 64u

// Contents up to the smaller size are kept. Never returns NULL unless new_bytes is 0.
void *alloc_resize(allocator_t *a, void *old, size_t old_bytes, size_t new_bytes);

// Returns zeroed memory that free() frees, for an object that owns its allocator. Never NULL.
void *alloc_object(size_t bytes);

// Copies a text; alloc_free_text frees it. NULL stays NULL.
char *alloc_text(allocator_t *a, const char *text);
void alloc_free_text(allocator_t *a, char *text);

// 64-byte aligned, zeroed. Free with alloc_free_aligned and the same size.
void *alloc_aligned(allocator_t *a, size_t bytes);
void alloc_free_aligned(allocator_t *a, void *memory, size_t bytes);

// From now on blocks come from memory that is mapped here, and none is given back: for a copy of a process that died
// anywhere, maybe within malloc, and wants to write a last file. Where nothing can be mapped all stays as it is.
void alloc_use_spare(allocator_t *a);

#endif
