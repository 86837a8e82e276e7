// Aligned memory on Windows.
#include "base/aligned_memory.h"

#include <malloc.h>

void *aligned_memory_alloc(size_t alignment, size_t bytes) {
  return _aligned_malloc(bytes, alignment);
}

void aligned_memory_free(void *memory) {
  _aligned_free(memory);
}
