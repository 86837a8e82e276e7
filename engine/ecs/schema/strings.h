// The world's string table: maps strings to ids and back, so that columns contain only numbers. Id 0 is "". Ids are
// assigned in order of first use and reused after strings_sweep; both are deterministic. Any change may move strings in
// memory.
#ifndef SHOAL_SCHEMA_STRINGS_H
#define SHOAL_SCHEMA_STRINGS_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct strings_o strings_o;

strings_o *strings_create(allocator_t *a);
void strings_destroy(strings_o *strings);

uint32_t strings_intern(strings_o *strings, const char *text);
uint32_t strings_intern_bytes(strings_o *strings, const char *text, size_t length);
// Like strings_intern_bytes, but adds STRINGS_NEW to the id if the string was not interned before.
#define STRINGS_NEW UINT32_C(0x80000000)
uint32_t strings_intern_and_report(strings_o *strings, const char *text, size_t length);
// Returns the id of a string, or 0 for "" and for strings that are not interned.
uint32_t strings_find(const strings_o *strings, const char *text);
// Returns the string with this id, or "" for 0 and for ids that are not in use. Valid until the next intern or sweep.
const char *strings_text(const strings_o *strings, uint32_t id);
size_t strings_length(const strings_o *strings, uint32_t id);

// A sweep frees the strings that no column uses, such as earlier values of a score label. The world first unmarks all
// strings and marks the used strings. strings_needs_sweep depends only on counts, so sweeps are deterministic: it
// returns true if the table has doubled since the last sweep and is not small.
bool strings_needs_sweep(const strings_o *strings);
void strings_unmark_all(strings_o *strings);
void strings_mark(strings_o *strings, uint32_t id);
// Exempts a string, such as the name of a component, assemblage or system, from sweeps.
void strings_pin(strings_o *strings, uint32_t id);
void strings_sweep(strings_o *strings);
// Returns the number of sweeps, restores and calls to strings_advance_epoch. Ids cached outside are valid as long as
// this number is the same.
uint32_t strings_epoch(const strings_o *strings);
void strings_advance_epoch(strings_o *strings); // starts a new epoch, which invalidates cached ids
// Returns true if an id that was in use in an earlier epoch may belong to a different string now. Returns false for
// id 0 and if the id certainly belongs to the same string, because it has been in use since that epoch.
bool strings_may_have_changed(const strings_o *strings, uint32_t id, uint32_t epoch);

size_t strings_memory_bytes(const strings_o *strings); // returns the memory usage in bytes
uint64_t strings_hash(const strings_o *strings, uint64_t seed);

// --- serialization, for snapshots: one entry per id, including 0, and one buffer of strings.
typedef struct strings_entry_t {
  uint32_t offset, length, flags;
} strings_entry_t;

uint32_t strings_count(const strings_o *strings); // returns the number of ids assigned so far, including free ids and 0
uint32_t strings_used_after_sweep(const strings_o *strings);
void strings_save(const strings_o *strings, strings_entry_t *entries); // `entries` must hold strings_count() elements
// Returns the buffer of strings and writes its size to `bytes`. Borrowed until the next intern or sweep.
const char *strings_get_buffer(const strings_o *strings, size_t *bytes);
// Creates a table from saved data. Returns the table, or NULL with an error if the data is inconsistent.
strings_o *strings_load(allocator_t *a, const strings_entry_t *entries, uint32_t count, const char *buffer,
                        size_t bytes, uint32_t used_after_sweep, error_info_t *error);
// Replaces the contents with the contents of `source`, and destroys `source`. Starts a new epoch.
void strings_replace(strings_o *strings, strings_o *source);

#endif
