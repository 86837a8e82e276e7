// Populates memory with MADV_POPULATE_WRITE (Linux 5.14).
#include "base/populate.h"

#include <stdint.h>
#include <sys/mman.h>

#define PAGE_BYTES ((size_t)4096)
#define MIN_BYTES ((size_t)16 << 10) // minimum size: smaller calls take longer than the page faults that they avoid

void populate_memory(void *memory, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  size_t leading_bytes = (PAGE_BYTES - (uintptr_t)memory % PAGE_BYTES) % PAGE_BYTES;
  if (bytes >= MIN_BYTES) // only a hint: older kernels reject it, and the pages are then provided when they are written
    madvise((char *)memory + leading_bytes, (bytes - leading_bytes) / PAGE_BYTES * PAGE_BYTES, MADV_POPULATE_WRITE);
#else
  (void)memory, (void)bytes;
#endif
}
