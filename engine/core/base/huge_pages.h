// Memory mapped for huge pages.
#ifndef SHOAL_BASE_HUGE_PAGES_H
#define SHOAL_BASE_HUGE_PAGES_H

#include <stddef.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

// Maps `bytes` of zeroed memory, a multiple of HUGE_PAGE_BYTES, aligned so that huge pages can cover all of it. One
// page fault then provides 2 MB; where the system has no huge pages, small pages are used. Free it with munmap. Returns
// the memory, or NULL if the system is out of memory.
void *huge_pages_map(size_t bytes);

#endif
