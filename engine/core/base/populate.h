// Prefaults the pages of new memory with one system call.
#ifndef SHOAL_BASE_POPULATE_H
#define SHOAL_BASE_POPULATE_H

#include <stddef.h>

// Makes the system provide the pages of memory that the caller is about to overwrite completely. One call replaces a
// page fault per 4 KiB; a page fault takes longer than clearing a page. Does nothing for less than 16 KiB, or if the
// system lacks the call. Keeps the contents.
void populate_memory(void *memory, size_t bytes);

#endif
