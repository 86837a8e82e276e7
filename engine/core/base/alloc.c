// Counting allocator. Small blocks come from malloc. Aligned blocks of 2 MB and more are mapped directly: new pages are
// already zero, and huge pages make the first accesses faster. AddressSanitizer builds never map blocks directly, so
// that overruns are detected.
#include "base/alloc.h"

#include "base/aligned_memory.h"
#include "base/assert.h"
#include "base/allocation_fence.h"
#include "base/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_BYTES ((size_t)4 << 30) // size of the reserved address space; untouched pages use no memory

#define MAPS_LARGE_BLOCKS !FENCE_IS_AVAILABLE

static void abort_out_of_memory(size_t bytes) {
  fprintf(stderr, "shoal: out of memory: cannot allocate %zu bytes\n", bytes);
  abort();
}

void alloc_use_spare_memory(allocator_t *a) {
  char *memory = pages_map_sparse(SPARE_BYTES);
  if (!memory)
    return;
  a->spare = memory;
  a->spare_end = memory + SPARE_BYTES;
}

static void *allocate_from_spare(allocator_t *a, size_t bytes) {
  char *memory = a->spare;
  size_t size = (bytes + ALLOC_COLUMN_ALIGNMENT - 1) / ALLOC_COLUMN_ALIGNMENT * ALLOC_COLUMN_ALIGNMENT;
  if (size > (size_t)(a->spare_end - memory))
    abort_out_of_memory(bytes);
  a->spare += size;
  return memory;
}

static void *resize_spare(allocator_t *a, const void *block, size_t old_bytes, size_t new_bytes) {
  void *new_block = allocate_from_spare(a, new_bytes);
  if (old_bytes > 0)
    memcpy(new_block, block, old_bytes < new_bytes ? old_bytes : new_bytes);
  return new_block;
}

// In debug builds, fills the new bytes with a pattern that makes reads of uninitialized memory visible. Returns
// `block`.
static void *fill_new_bytes(void *block, size_t old_bytes, size_t new_bytes) {
#ifndef NDEBUG
  if (new_bytes > old_bytes)
    memset((char *)block + old_bytes, 'x', new_bytes - old_bytes);
#else
  (void)old_bytes, (void)new_bytes;
#endif
  return block;
}

void *alloc_resize(allocator_t *a, void *block, size_t old_bytes, size_t new_bytes) {
  if (!block && new_bytes == 0)
    return NULL;
  shoal_assert(block || old_bytes == 0, "block is NULL, but old_bytes is %zu", old_bytes);
  a->calls++;
  a->bytes = a->bytes - old_bytes + new_bytes;
  if (new_bytes == 0) {
    a->blocks--;
    if (fence_is_enabled() && !a->spare)
      fence_free(block, old_bytes);
    else if (!a->spare)
      free(block);
    return NULL;
  }
  if (!block)
    a->blocks++;
  if (a->spare)
    return resize_spare(a, block, old_bytes, new_bytes);
  void *new_block = fence_is_enabled() ? fence_resize(block, old_bytes, new_bytes) : realloc(block, new_bytes);
  if (!new_block)
    abort_out_of_memory(new_bytes);
  return fill_new_bytes(new_block, old_bytes, new_bytes);
}

static size_t round_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

void *alloc_object(size_t bytes) {
  void *object = calloc(1, bytes);
  if (!object)
    abort_out_of_memory(bytes);
  return object;
}

char *alloc_copy_text(allocator_t *a, const char *text) {
  size_t bytes = text ? strlen(text) + 1 : 0;
  return text ? memcpy(alloc_resize(a, NULL, 0, bytes), text, bytes) : NULL;
}

void alloc_free_text(allocator_t *a, char *text) {
  if (text)
    alloc_resize(a, text, strlen(text) + 1, 0);
}

void *alloc_aligned(allocator_t *a, size_t bytes) {
  if (bytes == 0)
    return NULL;
  a->calls++;
  a->blocks++;
  a->bytes += bytes;
  void *memory;
  if (a->spare)
    return allocate_from_spare(a, bytes); // newly mapped pages are zero
  if (fence_is_enabled() || (MAPS_LARGE_BLOCKS && bytes >= HUGE_PAGE_BYTES)) {
    memory = fence_is_enabled() ? fence_alloc(bytes, ALLOC_COLUMN_ALIGNMENT)
                                : pages_map_huge(round_up(bytes, HUGE_PAGE_BYTES));
    if (!memory)
      abort_out_of_memory(bytes);
    return memory;
  }
  size_t rounded = round_up(bytes, ALLOC_COLUMN_ALIGNMENT);
  memory = aligned_memory_alloc(ALLOC_COLUMN_ALIGNMENT, rounded);
  if (!memory)
    abort_out_of_memory(bytes);
  pages_populate(memory, rounded);
  return memset(memory, 0, rounded);
}

void alloc_free_aligned(allocator_t *a, void *memory, size_t bytes) {
  if (!memory)
    return;
  a->calls++;
  a->blocks--;
  a->bytes -= bytes;
  if (a->spare)
    return;
  if (fence_is_enabled())
    fence_free(memory, bytes);
  else if (MAPS_LARGE_BLOCKS && bytes >= HUGE_PAGE_BYTES)
    pages_release(memory, round_up(bytes, HUGE_PAGE_BYTES));
  else
    aligned_memory_free(memory);
}
