// Replacements of bytes in strings. All positions refer to the strings before the first replacement. Replacements at
// the same position are applied in the order in which they were added.
#ifndef SHOAL_BASE_SPLICES_H
#define SHOAL_BASE_SPLICES_H

#include "base/json_writer.h"

typedef struct splice_t {
  const void *owner;          // owner of the text, which identifies it
  uint32_t at, end;           // bytes [at, end) are replaced
  uint32_t text_begin, bytes; // range of `replacements` that is inserted
} splice_t;

typedef struct splices_t {
  ARRAY(splice_t) items;      // replacements, ordered by position
  json_writer_t replacements; // inserted text, appended by the caller
} splices_t;

void splices_init(splices_t *splices, allocator_t *a);
void splices_fini(splices_t *splices);
// splices_add registers the replacement of the bytes [at, end) with the text in `replacements` from offset `text_begin`
// to the end. splices_replace appends `text` to `replacements` first.
void splices_add(splices_t *splices, const void *owner, uint32_t at, uint32_t end, uint32_t text_begin);
void splices_replace(splices_t *splices, const void *owner, uint32_t at, uint32_t end, const char *text);
bool splices_has(const splices_t *splices, const void *owner);
// Appends the owner's `text` with its replacements to `out`. The ranges of these replacements must not overlap.
void splices_write(const splices_t *splices, const void *owner, const char *text, size_t bytes, json_writer_t *out);

#endif
