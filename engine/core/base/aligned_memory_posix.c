// Aligned memory on POSIX systems.
#include "base/aligned_memory.h"

#include <stdlib.h>

void *aligned_memory_alloc(size_t alignment, size_t bytes) {
  return aligned_alloc(alignment, bytes);
}

void aligned_memory_free(void *memory) {
  free(memory);
}
