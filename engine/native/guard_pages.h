// For tests: gives compiled code copies of its columns in separate pages. Alternately, the byte after the last one or
// the byte before the first one is in an inaccessible page; read-only data is write-protected; the unused part of the
// pages contains a pattern that is checked afterwards. Code that accesses memory outside of its columns terminates the
// process.
#ifndef SHOAL_NATIVE_GUARD_PAGES_H
#define SHOAL_NATIVE_GUARD_PAGES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct guard_o guard_o;

#define GUARD_MAX_COPIES 128u

guard_o *guard_create(void);
void guard_destroy(guard_o *g); // accepts NULL; all copies must have been written back

// Returns a copy of the bytes at `data`, valid until guard_write_back.
void *guard_copy(guard_o *g, void *data, size_t bytes, bool may_be_written);
// Writes changes in the copies back to the originals and frees all copies.
void guard_write_back(guard_o *g);

#endif
