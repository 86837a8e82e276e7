// Maps pages with VirtualAlloc. Windows counts committed pages against the memory of the machine, even before they are
// written. Sparse memory is therefore only reserved, and a handler commits its pages when a thread touches them.
#include "base/pages.h"

#include "base/assert.h"
#include "base/file_system.h"
#include "base/native_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <windows.h>
#include <psapi.h>

#define MAX_ATTEMPTS 64       // as in pages_linux.c
#define MAX_SPARSE_REGIONS 64 // maximum number of sparse regions at the same time; further regions are committed
#define COMMIT_BYTES ((uintptr_t)64 << 10)

size_t pages_size(void) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

uint64_t pages_resident_bytes(void) {
  PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};
  return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.WorkingSetSize : 0;
}

// --- sparse memory

typedef struct sparse_region_t {
  _Atomic uintptr_t begin, end; // end 0: this element is not used, or is being changed
  atomic_bool is_used;
} sparse_region_t;

static sparse_region_t sparse_regions[MAX_SPARSE_REGIONS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Returns the region that contains the address, or NULL.
static sparse_region_t *find_region(uintptr_t address) {
  for (sparse_region_t *region = sparse_regions; region < sparse_regions + MAX_SPARSE_REGIONS; ++region)
    if (address < atomic_load(&region->end) && address >= atomic_load(&region->begin))
      return region;
  return NULL;
}

// Commits the pages around an address that a thread has touched, then continues the thread. Runs before the handlers
// of process/signals.h. Any other fault is left to them, as is touching committed pages that are protected: committing
// them again would change their access.
static LONG CALLBACK commit_touched_pages(EXCEPTION_POINTERS *exception) {
  const EXCEPTION_RECORD *record = exception->ExceptionRecord;
  MEMORY_BASIC_INFORMATION info;
  if (record->ExceptionCode != (DWORD)EXCEPTION_ACCESS_VIOLATION || record->NumberParameters < 2)
    return EXCEPTION_CONTINUE_SEARCH;
  uintptr_t address = record->ExceptionInformation[1];
  const sparse_region_t *region = find_region(address);
  if (!region || !VirtualQuery((void *)address, &info, sizeof info))
    return EXCEPTION_CONTINUE_SEARCH;
  if (info.State == MEM_COMMIT) // a different thread may have committed the page meanwhile
    return info.Protect == PAGE_READWRITE ? EXCEPTION_CONTINUE_EXECUTION : EXCEPTION_CONTINUE_SEARCH;
  uintptr_t begin = address / COMMIT_BYTES * COMMIT_BYTES, end = begin + COMMIT_BYTES;
  uintptr_t free_begin = (uintptr_t)info.BaseAddress, free_end = free_begin + info.RegionSize;
  begin = begin < free_begin ? free_begin : begin;
  end = end > free_end ? free_end : end;
  return VirtualAlloc((void *)begin, end - begin, MEM_COMMIT, PAGE_READWRITE) ? EXCEPTION_CONTINUE_EXECUTION
                                                                              : EXCEPTION_CONTINUE_SEARCH;
}

static void add_handler(void) {
  AddVectoredExceptionHandler(1, commit_touched_pages);
}

static bool add_region(const void *memory, size_t bytes) {
  pthread_once(&once, add_handler);
  for (sparse_region_t *region = sparse_regions; region < sparse_regions + MAX_SPARSE_REGIONS; ++region)
    if (!atomic_exchange(&region->is_used, true)) {
      atomic_store(&region->begin, (uintptr_t)memory);
      atomic_store(&region->end, (uintptr_t)memory + bytes);
      return true;
    }
  return false;
}

static void remove_region(const void *memory) {
  sparse_region_t *region = find_region((uintptr_t)memory);
  if (!region)
    return;
  atomic_store(&region->end, 0);
  atomic_store(&region->is_used, false);
}

// --- mapping

void *pages_map(size_t bytes) {
  return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void *pages_map_sparse(size_t bytes) {
  void *memory = pages_reserve(bytes);
  if (memory && !add_region(memory, bytes) && !VirtualAlloc(memory, bytes, MEM_COMMIT, PAGE_READWRITE)) {
    pages_release(memory, bytes);
    return NULL;
  }
  return memory;
}

// Windows has no forked children, so no process shares this memory.
void *pages_map_shared(size_t bytes) {
  return pages_map_sparse(bytes);
}

void *pages_reserve(size_t bytes) {
  return VirtualAlloc(NULL, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

// VirtualAlloc aligns to 64 KB. A larger region is reserved to find an aligned address, then released; if a different
// thread takes the address meanwhile, this is repeated.
void *pages_map_huge(size_t bytes) {
  shoal_assert(bytes > 0 && bytes % HUGE_PAGE_BYTES == 0, "%zu bytes are not a multiple of huge pages", bytes);
  for (int i = 0; i < MAX_ATTEMPTS; ++i) {
    char *free_addresses = pages_reserve(bytes + HUGE_PAGE_BYTES);
    if (!free_addresses)
      return NULL;
    size_t distance = (HUGE_PAGE_BYTES - (uintptr_t)free_addresses % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    pages_release(free_addresses, bytes + HUGE_PAGE_BYTES);
    void *memory = VirtualAlloc(free_addresses + distance, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (memory)
      return memory;
  }
  return NULL;
}

// Returns a copy of the file's first bytes, or NULL with errno.
static const void *copy_file(int file, size_t bytes) {
  char *memory = pages_map(bytes);
  if (!memory)
    native_fail(GetLastError());
  for (size_t offset = 0; memory && offset < bytes;) {
    size_t count = file_system_read_at(file, offset, memory + offset, bytes - offset);
    if (count == 0) { // the file has become shorter
      pages_release(memory, bytes);
      memory = NULL;
      errno = EIO;
    }
    offset += count;
  }
  return memory;
}

// A mapped file cannot be truncated and, on some file systems, not replaced. If all bytes are read now, they are
// therefore copied instead of mapped.
const void *pages_map_file(int file, size_t bytes, bool reads_ahead) {
  if (reads_ahead)
    return copy_file(file, bytes);
  HANDLE handle = native_from_file(file);
  HANDLE mapping = handle ? CreateFileMappingW(handle, NULL, PAGE_READONLY, 0, 0, NULL) : NULL;
  if (!mapping) {
    if (handle)
      native_fail(GetLastError());
    return NULL;
  }
  void *memory = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
  if (!memory)
    native_fail(GetLastError());
  native_close(mapping);
  return memory;
}

// VirtualFree rejects mapped files.
void pages_release(const void *memory, size_t bytes) {
  void *address = (void *)(uintptr_t)memory;
  (void)bytes;
  if (!memory)
    return;
  remove_region(memory);
  if (!VirtualFree(address, 0, MEM_RELEASE))
    UnmapViewOfFile(address);
}

void *pages_resize(void *memory, size_t old_bytes, size_t new_bytes) {
  void *moved = pages_map(new_bytes);
  if (moved) {
    memcpy(moved, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
    pages_release(memory, old_bytes);
  }
  return moved;
}

// --- properties

// Reserved pages are committed first, because VirtualProtect changes only committed pages.
bool pages_protect(void *memory, size_t bytes, pages_access_t access) {
  static const DWORD PROTECTIONS[] = {PAGE_NOACCESS, PAGE_READONLY, PAGE_READWRITE, PAGE_EXECUTE_READ};
  DWORD previous;
  if (VirtualProtect(memory, bytes, PROTECTIONS[access], &previous))
    return true;
  return VirtualAlloc(memory, bytes, MEM_COMMIT, PAGE_READWRITE) &&
         VirtualProtect(memory, bytes, PROTECTIONS[access], &previous);
}

void pages_decommit(void *memory, size_t bytes) {
  VirtualFree(memory, bytes, MEM_DECOMMIT);
}

// The handler commits the pages of a sparse region again when they are read. If sparse_regions was full, all pages were
// committed, and are committed again.
void pages_discard_shared(void *memory, size_t bytes) {
  VirtualFree(memory, bytes, MEM_DECOMMIT);
  if (!find_region((uintptr_t)memory))
    VirtualAlloc(memory, bytes, MEM_COMMIT, PAGE_READWRITE);
}

// Windows has no call that provides committed pages before they are written.
void pages_populate(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}

// Large pages require a privilege that users do not have by default.
void pages_use_huge(void *memory, size_t bytes, bool huge) {
  (void)memory, (void)bytes, (void)huge;
}
