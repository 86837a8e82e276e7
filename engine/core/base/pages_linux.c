// Maps pages with mmap.
#include "base/pages.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SMALL_PAGE_BYTES ((size_t)4096)
// Minimum size: smaller calls take longer than the page faults that they avoid.
#define MIN_POPULATED_BYTES ((size_t)16 << 10)
// Maximum number of attempts to find an aligned address that is still free when it is mapped
#define MAX_ATTEMPTS 64

size_t pages_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

uint64_t pages_resident_bytes(void) {
  unsigned long total_pages = 0, resident_pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  bool is_read = file && fscanf(file, "%lu %lu", &total_pages, &resident_pages) == 2;
  if (file)
    fclose(file);
  return is_read ? (uint64_t)resident_pages * pages_size() : 0;
}

// --- mapping

static void *map(void *address, size_t bytes, int protection, int flags) {
  void *memory = mmap(address, bytes, protection, MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void *pages_map(size_t bytes) {
  return map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

void *pages_map_sparse(size_t bytes) {
  return map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE);
}

void *pages_map_shared(size_t bytes) {
  return map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE);
}

void *pages_reserve(size_t bytes) {
  return map(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE);
}

static bool is_aligned(const void *memory) {
  return (uintptr_t)memory % HUGE_PAGE_BYTES == 0;
}

// Returns an aligned address where `bytes` could be mapped, or NULL if the system is out of memory.
static void *find_aligned_address(size_t bytes) {
  char *free_addresses = pages_reserve(bytes + HUGE_PAGE_BYTES);
  if (!free_addresses)
    return NULL;
  munmap(free_addresses, bytes + HUGE_PAGE_BYTES);
  return free_addresses + (HUGE_PAGE_BYTES - (uintptr_t)free_addresses % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
}

// Maps memory at an aligned address that was free shortly before. If a different thread has mapped it meanwhile, mmap
// fails or, before Linux 4.17, returns a different address.
static void *map_aligned(size_t bytes) {
  for (int i = 0; i < MAX_ATTEMPTS; ++i) {
    void *address = find_aligned_address(bytes), *memory = NULL;
    if (address)
      memory = map(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED_NOREPLACE);
    if (memory == address)
      return memory;
    pages_release(memory, bytes);
  }
  return NULL;
}

// mmap aligns only to small pages. However, it usually places a mapping next to the previous mapping, so a mapping next
// to an aligned mapping is aligned, too.
void *pages_map_huge(size_t bytes) {
  shoal_assert(bytes > 0 && bytes % HUGE_PAGE_BYTES == 0, "%zu bytes are not a multiple of huge pages", bytes);
  void *memory = pages_map_sparse(bytes);
  if (memory && !is_aligned(memory)) {
    pages_release(memory, bytes);
    memory = map_aligned(bytes);
  }
  if (memory)
    pages_use_huge(memory, bytes, true);
  return memory;
}

const void *pages_map_file(int file, size_t bytes, bool reads_ahead) {
  void *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | (reads_ahead ? MAP_POPULATE : 0), file, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void pages_release(const void *memory, size_t bytes) {
  if (memory)
    munmap((void *)(uintptr_t)memory, bytes);
}

// ThreadSanitizer does not intercept mremap, and would report a race when a different thread reuses the old addresses.
void *pages_resize(void *memory, size_t old_bytes, size_t new_bytes) {
#ifdef __SANITIZE_THREAD__
  void *moved = pages_map(new_bytes);
  if (moved) {
    memcpy(moved, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
    pages_release(memory, old_bytes);
  }
  return moved;
#else
  void *moved = mremap(memory, old_bytes, new_bytes, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
#endif
}

// --- properties

bool pages_protect(void *memory, size_t bytes, pages_access_t access) {
  static const int PROTECTIONS[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC};
  return mprotect(memory, bytes, PROTECTIONS[access]) == 0;
}

void pages_decommit(void *memory, size_t bytes) {
  map(memory, bytes, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED);
}

void pages_discard_shared(void *memory, size_t bytes) {
  madvise(memory, bytes, MADV_REMOVE);
}

void pages_populate(void *memory, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  size_t leading_bytes = (SMALL_PAGE_BYTES - (uintptr_t)memory % SMALL_PAGE_BYTES) % SMALL_PAGE_BYTES;
  if (bytes >= MIN_POPULATED_BYTES) // only a hint, which kernels before Linux 5.14 reject
    madvise((char *)memory + leading_bytes, (bytes - leading_bytes) / SMALL_PAGE_BYTES * SMALL_PAGE_BYTES,
            MADV_POPULATE_WRITE);
#else
  (void)memory, (void)bytes;
#endif
}

void pages_use_huge(void *memory, size_t bytes, bool huge) {
  madvise(memory, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); // fails harmlessly on kernels without huge pages
}
