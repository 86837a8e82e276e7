// The world's string table: text ↔ id, so that columns hold numbers only. Id 0 is "". Ids are given in order of first
// use and are reused after strings_sweep, both deterministically. Texts have no pointers into the columns and move
// freely.
#ifndef SHOAL_SCHEMA_STRINGS_H
#define SHOAL_SCHEMA_STRINGS_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct strings_o strings_o;

strings_o *strings_create(allocator_t *a);
void strings_destroy(strings_o *s);

uint32_t strings_intern(strings_o *s, const char *text);
uint32_t strings_intern_n(strings_o *s, const char *text, size_t length);
uint32_t strings_find(const strings_o *s, const char *text); // 0 when it is not there (or is "")
// Valid until the next intern or sweep. "" for 0 and for ids that were never given.
const char *strings_text(const strings_o *s, uint32_t id);
size_t strings_length(const strings_o *s, uint32_t id);

// Mark and sweep for texts that no column holds any more (a score label makes a new text every second). The world
// decides when, from counts alone: strings_wants_sweep is true when the table has doubled since the last sweep.
// `epoch` counts sweeps and restored snapshots; caches of ids compare it.
bool strings_wants_sweep(const strings_o *s);
void strings_unmark_all(strings_o *s);
void strings_mark(strings_o *s, uint32_t id);
void strings_keep(strings_o *s, uint32_t id); // never swept: names of components, assemblages, systems
void strings_sweep(strings_o *s);
uint32_t strings_epoch(const strings_o *s);
void strings_changed(strings_o *s); // the next epoch: what is kept about texts is to be looked at again

size_t strings_bytes(const strings_o *s); // of memory
uint64_t strings_hash(const strings_o *s, uint64_t seed);

// --- as data, for snapshots. One entry per id, 0 included, over one buffer of texts.
typedef struct strings_entry_t {
  uint32_t offset, length, flags;
} strings_entry_t;

uint32_t strings_count(const strings_o *s); // ids given so far, in use or free, 0 included
uint32_t strings_used_after_sweep(const strings_o *s);
void strings_save(const strings_o *s, strings_entry_t *entries);   // strings_count() of them, caller's
const char *strings_save_texts(const strings_o *s, size_t *bytes); // borrowed until the next intern or sweep
// NULL with a message when the data makes no sense; then nothing was allocated.
strings_o *strings_load(allocator_t *a, const strings_entry_t *entries, uint32_t count, const char *texts, size_t bytes,
                        uint32_t used_after_sweep, error_t *error);
// The content of `with`, which is destroyed, takes the place of what was there. The epoch goes on.
void strings_replace(strings_o *s, strings_o *with);

#endif
