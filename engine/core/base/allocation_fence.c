// Guarded blocks (allocation_fence.h), allocated from front to back in one region of address space that is never
// reused.
#include "base/allocation_fence.h"

#if FENCE_IS_AVAILABLE

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define REGION_BYTES ((size_t)1 << 40)

static char *region;              // address space for all blocks; NULL if the fence is disabled
static _Atomic size_t used_bytes; // bytes of the region that have been allocated so far

__attribute__((constructor)) static void begin(void) {
  if (!getenv("SHOAL_FENCE"))
    return;
  void *memory = mmap(NULL, REGION_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  region = memory == MAP_FAILED ? NULL : memory;
}

bool fence_is_enabled(void) {
  return region != NULL;
}

static size_t round_up(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

void *fence_alloc(size_t bytes, size_t alignment) {
  size_t pages = round_up(bytes, PAGE), at = atomic_fetch_add(&used_bytes, pages + PAGE);
  if (at + pages + PAGE > REGION_BYTES || mprotect(region + at, pages, PROT_READ | PROT_WRITE) != 0)
    return NULL;
  return region + at + pages - round_up(bytes, alignment);
}

// Maps the pages again, which returns their memory to the system and makes them inaccessible.
void fence_free(void *memory, size_t bytes) {
  char *first = (char *)memory - (uintptr_t)memory % PAGE;
  size_t pages = round_up((size_t)((char *)memory + bytes - first), PAGE);
  mmap(first, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void *fence_resize(void *old, size_t old_bytes, size_t new_bytes) {
  void *memory = fence_alloc(new_bytes, 16);
  if (memory && old) {
    memcpy(memory, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    fence_free(old, old_bytes);
  }
  return memory;
}

#else
typedef int fence_is_disabled_t; // ISO C forbids empty translation units
#endif
