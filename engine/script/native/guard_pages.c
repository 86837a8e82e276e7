// Manages copies of columns between inaccessible pages.
#include "native/guard_pages.h"

#include "base/assert.h"
#include "base/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERN = 0xa5 };

typedef struct copy_t {
  uint8_t *data, *bytes_copy;
  uint8_t *original; // bytes of `data` when the copy was made
  uint8_t *pages;    // the accessible pages, which contain `bytes_copy`
  size_t bytes, page_bytes;
  bool writable;
} copy_t;

struct guard_o {
  copy_t copies[GUARD_MAX_COPIES];
  uint32_t count;
  size_t page_size;
  // true: the next copies begin directly after the first guard page; false: the copies end directly before the second
  // guard page
  bool is_start_aligned;
};

guard_o *guard_create(void) {
  guard_o *guard = calloc(1, sizeof *guard);
  shoal_assert(guard, "out of memory for guarded columns");
  guard->page_size = pages_size();
  return guard;
}

void guard_destroy(guard_o *guard) {
  shoal_assert(!guard || guard->count == 0, "%u columns were not written back", guard->count);
  free(guard);
}

void *guard_copy_bytes(guard_o *guard, void *data, size_t bytes, bool writable) {
  shoal_assert(data && bytes > 0 && guard->count < GUARD_MAX_COPIES, "invalid column of %zu bytes (%u copies)", bytes,
               guard->count);
  copy_t *copy = &guard->copies[guard->count++];
  *copy = (copy_t){.data = data, .bytes = bytes, .writable = writable};
  copy->page_bytes = (bytes + guard->page_size - 1) / guard->page_size * guard->page_size;
  uint8_t *mapping = pages_reserve(copy->page_bytes + 2 * guard->page_size);
  copy->original = malloc(bytes);
  if (!mapping || !copy->original || !pages_protect(mapping + guard->page_size, copy->page_bytes, PAGES_WRITE))
    abort();
  copy->pages = mapping + guard->page_size;
  copy->bytes_copy = guard->is_start_aligned ? copy->pages : copy->pages + copy->page_bytes - bytes;
  memset(copy->pages, PATTERN, copy->page_bytes);
  memcpy(copy->bytes_copy, data, bytes);
  memcpy(copy->original, data, bytes);
  if (!writable && !pages_protect(copy->pages, copy->page_bytes, PAGES_READ))
    abort();
  return copy->bytes_copy;
}

// Writes back only changed bytes, because two copies may contain the same rows.
static void write_back_changes(const copy_t *copy) {
  for (size_t i = 0; i < copy->bytes; ++i)
    if (copy->bytes_copy[i] != copy->original[i])
      copy->data[i] = copy->bytes_copy[i];
}

static void check_padding(const copy_t *copy) {
  for (size_t i = 0; i < copy->page_bytes; ++i) {
    const uint8_t *byte = copy->pages + i;
    if ((byte >= copy->bytes_copy && byte < copy->bytes_copy + copy->bytes) || *byte == PATTERN)
      continue;
    fprintf(stderr, "native code wrote outside a column of %zu bytes, at offset %td\n", copy->bytes,
            byte - copy->bytes_copy);
    abort();
  }
}

void guard_write_back(guard_o *guard) {
  for (uint32_t i = 0; i < guard->count; ++i) {
    copy_t *copy = &guard->copies[i];
    check_padding(copy);
    if (copy->writable)
      write_back_changes(copy);
    pages_release(copy->pages - guard->page_size, copy->page_bytes + 2 * guard->page_size);
    free(copy->original);
  }
  guard->count = 0;
  guard->is_start_aligned = !guard->is_start_aligned;
}
