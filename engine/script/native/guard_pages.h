// For tests: runs compiled code on copies of its columns in separate pages. In alternate runs, an inaccessible guard
// page directly follows or directly precedes each copy. Read-only data is write-protected, and the unused part of the
// pages is filled with a pattern that is checked after the run. Code that accesses memory outside its columns
// terminates the process.
#ifndef SHOAL_NATIVE_GUARD_PAGES_H
#define SHOAL_NATIVE_GUARD_PAGES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct guard_o guard_o;

#define GUARD_MAX_COPIES 128u

guard_o *guard_create(void);
void guard_destroy(guard_o *guard); // accepts NULL; all copies must have been written back

// Returns a copy of the bytes at `data`, valid until guard_write_back.
void *guard_copy_bytes(guard_o *guard, void *data, size_t bytes, bool writable);
// Writes changes in the copies back to the originals and frees all copies.
void guard_write_back(guard_o *guard);

#endif
