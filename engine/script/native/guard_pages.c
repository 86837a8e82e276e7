// Manages copies of columns between inaccessible pages.
#include "native/guard_pages.h"

#include "base/assert.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATTERN = 0xa5 };

typedef struct copy_t {
  uint8_t *data, *copy, *before; // `before`: bytes of `data` when the copy was made
  uint8_t *inner;                // the accessible pages, which contain `copy`
  size_t bytes, inner_bytes;
  bool written;
} copy_t;

struct guard_o {
  copy_t copies[GUARD_MAX_COPIES];
  uint32_t count;
  size_t page;
  // true: the next copies begin directly after the first guard page; false: the copies end directly before the second
  // guard page
  bool at_begin;
};

guard_o *guard_create(void) {
  guard_o *g = calloc(1, sizeof *g);
  shoal_assert(g, "out of memory for guarded columns");
  g->page = (size_t)sysconf(_SC_PAGESIZE);
  return g;
}

void guard_destroy(guard_o *g) {
  shoal_assert(!g || g->count == 0, "%u columns were not written back", g->count);
  free(g);
}

void *guard_copy_bytes(guard_o *g, void *data, size_t bytes, bool may_be_written) {
  shoal_assert(data && bytes > 0 && g->count < GUARD_MAX_COPIES, "invalid column of %zu bytes (%u copies)", bytes,
               g->count);
  copy_t *c = &g->copies[g->count++];
  *c = (copy_t){.data = data, .bytes = bytes, .written = may_be_written};
  c->inner_bytes = (bytes + g->page - 1) / g->page * g->page;
  uint8_t *all = mmap(NULL, c->inner_bytes + 2 * g->page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  c->before = malloc(bytes);
  if (all == MAP_FAILED || !c->before || mprotect(all + g->page, c->inner_bytes, PROT_READ | PROT_WRITE) != 0)
    abort();
  c->inner = all + g->page;
  c->copy = g->at_begin ? c->inner : c->inner + c->inner_bytes - bytes;
  memset(c->inner, PATTERN, c->inner_bytes);
  memcpy(c->copy, data, bytes);
  memcpy(c->before, data, bytes);
  if (!may_be_written && mprotect(c->inner, c->inner_bytes, PROT_READ) != 0)
    abort();
  return c->copy;
}

// Writes back only changed bytes, because two copies may contain the same rows.
static void write_back_changes(const copy_t *c) {
  for (size_t i = 0; i < c->bytes; ++i)
    if (c->copy[i] != c->before[i])
      c->data[i] = c->copy[i];
}

static void check_padding(const copy_t *c) {
  for (size_t i = 0; i < c->inner_bytes; ++i) {
    const uint8_t *at = c->inner + i;
    if ((at >= c->copy && at < c->copy + c->bytes) || *at == PATTERN)
      continue;
    fprintf(stderr, "native code wrote outside a column of %zu bytes, at offset %td\n", c->bytes, at - c->copy);
    abort();
  }
}

void guard_write_back(guard_o *g) {
  for (uint32_t i = 0; i < g->count; ++i) {
    copy_t *c = &g->copies[i];
    check_padding(c);
    if (c->written)
      write_back_changes(c);
    munmap(c->inner - g->page, c->inner_bytes + 2 * g->page);
    free(c->before);
  }
  g->count = 0;
  g->at_begin = !g->at_begin;
}
