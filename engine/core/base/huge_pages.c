// Maps more than requested and unmaps the rest, because mmap aligns only to small pages.
#include "base/huge_pages.h"

#include "base/assert.h"

#include <stdint.h>
#include <sys/mman.h>

void *huge_pages_map(size_t bytes) {
  shoal_assert(bytes > 0 && bytes % HUGE_PAGE_BYTES == 0, "%zu bytes are not a multiple of huge pages", bytes);
  size_t mapped_bytes = bytes + HUGE_PAGE_BYTES;
  char *memory = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  size_t leading_bytes = (HUGE_PAGE_BYTES - (uintptr_t)memory % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
  if (leading_bytes > 0)
    munmap(memory, leading_bytes);
  if (HUGE_PAGE_BYTES - leading_bytes > 0)
    munmap(memory + leading_bytes + bytes, HUGE_PAGE_BYTES - leading_bytes);
  madvise(memory + leading_bytes, bytes, MADV_HUGEPAGE); // only a hint: fails harmlessly on kernels without huge pages
  return memory + leading_bytes;
}
