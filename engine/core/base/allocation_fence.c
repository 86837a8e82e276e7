// Guarded blocks (allocation_fence.h), allocated from front to back in one region of address space that is never
// reused.
#include "base/allocation_fence.h"

#if FENCE_IS_AVAILABLE

#include "base/pages.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES ((size_t)4096)
#define REGION_BYTES ((size_t)1 << 40)

static char *region;              // address space for all blocks; NULL if the fence is disabled
static _Atomic size_t used_bytes; // bytes of the region that have been allocated so far

__attribute__((constructor)) static void reserve_region(void) {
  if (!getenv("SHOAL_FENCE"))
    return;
  region = pages_reserve(REGION_BYTES);
}

bool fence_is_enabled(void) {
  return region != NULL;
}

static size_t round_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

void *fence_alloc(size_t bytes, size_t alignment) {
  size_t pages = round_up(bytes, PAGE_BYTES), offset = atomic_fetch_add(&used_bytes, pages + PAGE_BYTES);
  if (offset + pages + PAGE_BYTES > REGION_BYTES || !pages_protect(region + offset, pages, PAGES_WRITE))
    return NULL;
  return region + offset + pages - round_up(bytes, alignment);
}

void fence_free(void *memory, size_t bytes) {
  char *first_page = (char *)memory - (uintptr_t)memory % PAGE_BYTES;
  size_t pages = round_up((size_t)((char *)memory + bytes - first_page), PAGE_BYTES);
  pages_decommit(first_page, pages);
}

void *fence_resize(void *block, size_t old_bytes, size_t new_bytes) {
  void *new_block = fence_alloc(new_bytes, 16);
  if (new_block && block) {
    memcpy(new_block, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    fence_free(block, old_bytes);
  }
  return new_block;
}

#else
typedef int fence_is_disabled_t; // ISO C forbids empty translation units
#endif
