// Handles of shared memory on Windows, for the files NAME_windows.c of other headers. A handle is a HANDLE of Windows,
// which is a pointer.
#ifndef SHOAL_BASE_NATIVE_PAGES_H
#define SHOAL_BASE_NATIVE_PAGES_H

#include <stddef.h>

// Returns the handle of memory of pages_map_shared, or NULL if `memory` is NULL. pages_release closes the handle.
void *native_pages_section(const void *memory);
// Maps `bytes` of an inherited handle's memory until this process ends. Returns the memory and closes the handle, or
// returns NULL with errno on failure.
void *native_pages_open(void *section, size_t bytes);

#endif
