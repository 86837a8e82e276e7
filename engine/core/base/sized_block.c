// Memory blocks for plugins. A header stores the size of each block.
#include "base/sized_block.h"

#include <stdint.h>

#define MAGIC 0x6b636f6c42646553ull

typedef struct header_t {
  uint64_t bytes, check; // `check`: `bytes` combined with MAGIC and the address; 0 in a freed block
} header_t;
_Static_assert(sizeof(header_t) == SIZED_BLOCK_HEADER_BYTES, "the header keeps the alignment of the block");

static uint64_t compute_check(const header_t *h) {
  return h->bytes ^ MAGIC ^ (uintptr_t)h;
}

bool sized_block_resize(allocator_t *a, void *old, size_t new_bytes, void **out, size_t *actual_bytes) {
  header_t *h = old ? (header_t *)old - 1 : NULL;
  *out = NULL;
  *actual_bytes = 0;
  if (h && ((uintptr_t)old % sizeof *h != 0 || h->check != compute_check(h)))
    return false;
  size_t old_block = h ? h->bytes + sizeof *h : 0, new_block = new_bytes > 0 ? new_bytes + sizeof *h : 0;
  *actual_bytes = h ? h->bytes : 0;
  if (h)
    h->check = 0;
  h = alloc_resize(a, h, old_block, new_block);
  if (new_bytes == 0)
    return true;
  h->bytes = new_bytes;
  h->check = compute_check(h);
  *out = h + 1;
  return true;
}
