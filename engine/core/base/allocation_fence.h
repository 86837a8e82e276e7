// Guard pages for tests with AddressSanitizer, which does not check accesses by machine code that LuaJIT generates.
// With SHOAL_FENCE in the environment, every block of an allocator ends at an inaccessible page, and freed blocks stay
// inaccessible for the life of the process. Available only in builds with AddressSanitizer.
#ifndef SHOAL_BASE_ALLOCATION_FENCE_H
#define SHOAL_BASE_ALLOCATION_FENCE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define FENCE_IS_AVAILABLE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FENCE_IS_AVAILABLE 1
#endif
#endif
#ifndef FENCE_IS_AVAILABLE
#define FENCE_IS_AVAILABLE 0
#endif

#if FENCE_IS_AVAILABLE
bool fence_is_enabled(void);
// Return memory that ends at a guard page, except for padding to `alignment` (a power of two; 16 for fence_resize), or
// NULL if the system is out of memory. New bytes are 0.
void *fence_alloc(size_t bytes, size_t alignment);
void *fence_resize(void *block, size_t old_bytes, size_t new_bytes);
void fence_free(void *memory, size_t bytes);
#else
static inline bool fence_is_enabled(void) {
  return false;
}
static inline void *fence_alloc(size_t bytes, size_t alignment) {
  (void)bytes;
  (void)alignment;
  return NULL;
}
static inline void *fence_resize(void *block, size_t old_bytes, size_t new_bytes) {
  (void)old_bytes;
  (void)new_bytes;
  return block;
}
static inline void fence_free(void *memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}
#endif

#endif
