// Guard pages for tests, in builds with AddressSanitizer, which does not see accesses from machine code that LuaJIT
// generates. With SHOAL_FENCE in the environment every block of an allocator ends at an inaccessible page, and freed
// blocks stay inaccessible for the life of the process. Other builds have no fence.
#ifndef SHOAL_BASE_ALLOCATION_FENCE_H
#define SHOAL_BASE_ALLOCATION_FENCE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define FENCE_CAN_STAND 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FENCE_CAN_STAND 1
#endif
#endif
#ifndef FENCE_CAN_STAND
#define FENCE_CAN_STAND 0
#endif

#if FENCE_CAN_STAND
bool fence_stands(void);
// Returns zeroed memory that ends at the fence, up to padding for `alignment` (a power of two). NULL if out of memory.
void *fence_take(size_t bytes, size_t alignment);
void *fence_resize(void *old, size_t old_bytes, size_t new_bytes);
void fence_give(void *memory, size_t bytes);
#else
static inline bool fence_stands(void) {
  return false;
}
static inline void *fence_take(size_t bytes, size_t alignment) {
  (void)bytes;
  (void)alignment;
  return NULL;
}
static inline void *fence_resize(void *old, size_t old_bytes, size_t new_bytes) {
  (void)old_bytes;
  (void)new_bytes;
  return old;
}
static inline void fence_give(void *memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}
#endif

#endif
