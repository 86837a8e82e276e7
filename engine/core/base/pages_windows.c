// Maps pages with VirtualAlloc. Windows counts committed pages against the memory of the machine, even before they are
// written. Sparse memory is therefore only reserved, and a handler commits its pages when a thread touches them.
#include "base/pages.h"

#include "base/assert.h"
#include "base/file_system.h"
#include "base/native_file.h"
#include "base/native_pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
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
  atomic_bool is_used, is_shared;
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
// them again would change their access. Shared pages are never protected. Under Wine, a page that a different process
// has committed is accessible only after this process has committed it as well.
static LONG CALLBACK commit_touched_pages(EXCEPTION_POINTERS *exception) {
  const EXCEPTION_RECORD *record = exception->ExceptionRecord;
  MEMORY_BASIC_INFORMATION info;
  if (record->ExceptionCode != (DWORD)EXCEPTION_ACCESS_VIOLATION || record->NumberParameters < 2)
    return EXCEPTION_CONTINUE_SEARCH;
  uintptr_t address = record->ExceptionInformation[1];
  const sparse_region_t *region = find_region(address);
  if (!region || !VirtualQuery((void *)address, &info, sizeof info))
    return EXCEPTION_CONTINUE_SEARCH;
  if (info.State == MEM_COMMIT &&
      !atomic_load(&region->is_shared)) // a different thread may have committed the page meanwhile
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

static bool add_region(const void *memory, size_t bytes, bool is_shared) {
  pthread_once(&once, add_handler);
  for (sparse_region_t *region = sparse_regions; region < sparse_regions + MAX_SPARSE_REGIONS; ++region)
    if (!atomic_exchange(&region->is_used, true)) {
      atomic_store(&region->is_shared, is_shared);
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

// Adds reserved memory to the sparse regions. If there are too many, commits the memory. Returns the memory, or NULL on
// failure, and then releases it.
static void *make_sparse(void *memory, size_t bytes, bool is_shared) {
  if (memory && !add_region(memory, bytes, is_shared) && !VirtualAlloc(memory, bytes, MEM_COMMIT, PAGE_READWRITE)) {
    pages_release(memory, bytes);
    return NULL;
  }
  return memory;
}

void *pages_map_sparse(size_t bytes) {
  return make_sparse(pages_reserve(bytes), bytes, false);
}

// --- shared memory

typedef struct section_t section_t;
struct section_t {
  section_t *next;
  const void *memory;
  HANDLE handle;
};

static pthread_mutex_t section_lock = PTHREAD_MUTEX_INITIALIZER; // protects `sections`
static section_t *sections;

// Keeps the handle of a section, which close_section closes.
static void keep_section(section_t *section, const void *memory, HANDLE handle) {
  pthread_mutex_lock(&section_lock);
  *section = (section_t){.next = sections, .memory = memory, .handle = handle};
  sections = section;
  pthread_mutex_unlock(&section_lock);
}

static void close_section(const void *memory) {
  section_t *found = NULL;
  pthread_mutex_lock(&section_lock);
  for (section_t **link = &sections; *link; link = &(*link)->next)
    if ((*link)->memory == memory) {
      found = *link;
      *link = found->next;
      break;
    }
  pthread_mutex_unlock(&section_lock);
  if (found)
    CloseHandle(found->handle);
  free(found);
}

void *native_pages_section(const void *memory) {
  HANDLE handle = NULL;
  pthread_mutex_lock(&section_lock);
  for (const section_t *section = sections; section && memory && !handle; section = section->next)
    handle = section->memory == memory ? section->handle : NULL;
  pthread_mutex_unlock(&section_lock);
  shoal_assert(handle || !memory, "the memory of a task must be memory of pages_map_shared");
  return handle;
}

// Pages that are only reserved use no memory in any process. Once a process has committed a page, the other processes
// can access it.
void *pages_map_shared(size_t bytes) {
  section_t *section = malloc(sizeof *section);
  HANDLE handle = section ? CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE | SEC_RESERVE,
                                               (DWORD)((uint64_t)bytes >> 32), (DWORD)bytes, NULL)
                          : NULL;
  void *memory = handle ? MapViewOfFile(handle, FILE_MAP_WRITE, 0, 0, bytes) : NULL;
  if (!memory) {
    native_close(handle);
    free(section);
    return NULL;
  }
  keep_section(section, memory, handle);
  return make_sparse(memory, bytes, true);
}

void *native_pages_open(void *section, size_t bytes) {
  void *memory = MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, bytes);
  if (!memory) {
    native_fail(GetLastError());
    return NULL;
  }
  CloseHandle(section);
  return make_sparse(memory, bytes, true);
}

// --- other mappings

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

// VirtualFree rejects mapped files and shared memory.
void pages_release(const void *memory, size_t bytes) {
  void *address = (void *)(uintptr_t)memory;
  (void)bytes;
  if (!memory)
    return;
  remove_region(memory);
  if (!VirtualFree(address, 0, MEM_RELEASE))
    UnmapViewOfFile(address);
  close_section(memory);
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

// Windows cannot return pages that processes share, but only pages that a process has written use memory.
void pages_discard_shared(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}

// Windows has no call that provides committed pages before they are written.
void pages_populate(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}

// Large pages require a privilege that users do not have by default.
void pages_use_huge(void *memory, size_t bytes, bool huge) {
  (void)memory, (void)bytes, (void)huge;
}
