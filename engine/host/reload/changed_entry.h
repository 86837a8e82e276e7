// Detects whether an entry of the table that a Lua file returns differs between two versions of the file.
#ifndef SHOAL_RELOAD_CHANGED_ENTRY_H
#define SHOAL_RELOAD_CHANGED_ENTRY_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>

// Returns true if the new version has the entry `name`, and its value may differ from the old version's value. Comments
// and spaces are ignored. Code before the table counts as part of the value, because the value may use locals. If a
// version does not return a table constructor, all code is compared. Also returns true if a version cannot be read.
// `old_text` and `new_text` may be NULL.
bool has_entry_changed(allocator_t *a, const char *old_text, size_t old_bytes, const char *new_text, size_t new_bytes,
                       const char *name);

#endif
