// Memory mapped directly from the system, in pages. A mapping is always released as a whole, never in part, because
// Windows cannot release parts of it.
#ifndef SHOAL_BASE_PAGES_H
#define SHOAL_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

// Returns the number of bytes in a page, a power of two.
size_t pages_size(void);
// Returns the number of bytes of this process in physical memory, or 0 if the system does not report it.
uint64_t pages_resident_bytes(void);

// --- mapping

// Each function except pages_map_file maps `bytes` of zeroed memory, rounded up to whole pages. Returns the memory, or
// NULL if the system is out of memory. Release the memory with pages_release and the same number of bytes.
void *pages_map(size_t bytes);
// Like pages_map, but succeeds even if `bytes` exceeds the free memory: each page uses memory once it is written.
void *pages_map_sparse(size_t bytes);
// Like pages_map_sparse, for memory that this process shares with its forked children and its tasks (process/task.h).
void *pages_map_shared(size_t bytes);
// `bytes` is a multiple of HUGE_PAGE_BYTES. The memory is aligned so that huge pages can cover all of it. One page
// fault then provides 2 MB; where the system has no huge pages, small pages are used.
void *pages_map_huge(size_t bytes);
// Reserves addresses. The pages are inaccessible and use no memory until pages_protect makes them accessible.
void *pages_reserve(size_t bytes);
// Maps the first `bytes` of an open file for reading; the file may be closed afterwards. `reads_ahead`: reads all bytes
// now, instead of each page when it is accessed. Returns the bytes, or NULL with errno on failure.
const void *pages_map_file(int file, size_t bytes, bool reads_ahead);
void pages_release(const void *memory, size_t bytes); // accepts NULL

// Resizes a mapping of pages_map, and moves it if necessary. Moves pages instead of copying bytes where the system
// supports this. Returns the new address, or NULL if the system is out of memory; the old mapping is then unchanged.
void *pages_resize(void *memory, size_t old_bytes, size_t new_bytes);

// --- properties of whole pages within a mapping

typedef enum pages_access_t {
  PAGES_NONE,
  PAGES_READ,
  PAGES_WRITE,  // access for reading and writing
  PAGES_EXECUTE // access for reading and executing
} pages_access_t;

// Changes the access. Returns true on success, or false if the system refuses the access or is out of memory.
bool pages_protect(void *memory, size_t bytes, pages_access_t access);
// Returns the pages' memory to the system, and makes the pages inaccessible. Their addresses stay reserved.
void pages_decommit(void *memory, size_t bytes);
// Returns the memory of shared pages to the system if the system supports this; the pages then contain zeros. Otherwise
// does nothing.
void pages_discard_shared(void *memory, size_t bytes);

// The following functions only make later accesses faster. They do nothing on systems that do not support this.

// Provides the pages that the caller is about to overwrite completely, and keeps their contents. One call replaces a
// page fault per 4 KiB; a page fault takes longer than clearing a page. Does nothing for less than 16 KiB. `memory` may
// begin within a page.
void pages_populate(void *memory, size_t bytes);
// Requests or refuses huge pages. Of the functions above, only pages_map_huge requests them.
void pages_use_huge(void *memory, size_t bytes, bool huge);

#endif
