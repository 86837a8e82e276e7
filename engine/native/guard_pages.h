// For tests: compiled code is given copies of its columns, each in pages of its own. Behind the last byte that it may
// touch, or before the first one, by turns, lies a page that cannot be touched; what it may only read cannot be
// written; and the rest of the pages has a pattern that is looked at afterwards. Code that leaves its columns ends the
// process.
#ifndef SHOAL_NATIVE_GUARD_PAGES_H
#define SHOAL_NATIVE_GUARD_PAGES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct guard_o guard_o;

#define GUARD_MAX_COPIES 128u

guard_o *guard_create(void);
void guard_destroy(guard_o *g); // NULL is fine; nothing is lent

// A copy of the bytes at `data`, until guard_take_back.
void *guard_lend(guard_o *g, void *data, size_t bytes, bool may_be_written);
// Puts what was changed in the copies to where they came from.
void guard_take_back(guard_o *g);

#endif
