// Stable bottom-up merge sort: runs are sorted by insertion, then merged alternately from one buffer into the other.
#include "base/sort.h"

#include "base/assert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RUN_ITEMS 8u             // items per run sorted by insertion
#define STACK_BUFFER_BYTES 2048u // larger arrays are merged in a buffer from malloc
#define MAX_ITEM_BYTES 256u      // insertion swaps larger items byte by byte

typedef struct sort_context_t {
  size_t size_bytes;
  sort_compare_t *compare;
} sort_context_t;

static void swap_bytes(uint8_t *a, uint8_t *b, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    uint8_t kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

static void insertion_sort(const sort_context_t *s, uint8_t *items, size_t count) {
  const size_t size = s->size_bytes;
  uint8_t kept[MAX_ITEM_BYTES];
  for (size_t i = 1; i < count; ++i) {
    size_t to = i;
    while (to > 0 && s->compare(items + (to - 1) * size, items + i * size) > 0)
      --to;
    if (to == i)
      continue;
    if (size <= sizeof kept) {
      memcpy(kept, items + i * size, size);
      memmove(items + (to + 1) * size, items + to * size, (i - to) * size);
      memcpy(items + to * size, kept, size);
    } else {
      for (size_t k = i; k > to; --k)
        swap_bytes(items + k * size, items + (k - 1) * size, size);
    }
  }
}

// Merges two adjacent runs, [0, middle) and [middle, count), into `out`.
static void merge_runs(const sort_context_t *s, const uint8_t *from, size_t middle, size_t count, uint8_t *out) {
  const size_t size = s->size_bytes;
  const uint8_t *a = from, *b = from + middle * size, *const a_end = b, *const b_end = from + count * size;
  if (a == a_end || b == b_end || s->compare(a_end - size, b) <= 0) {
    memcpy(out, from, count * size);
    return;
  }
  while (a < a_end && b < b_end) {
    const uint8_t **next = s->compare(a, b) <= 0 ? &a : &b;
    memcpy(out, *next, size);
    *next += size;
    out += size;
  }
  memcpy(out, a, (size_t)(a_end - a));
  memcpy(out + (a_end - a), b, (size_t)(b_end - b));
}

static void merge_sort(const sort_context_t *s, uint8_t *items, size_t count, uint8_t *buffer) {
  const size_t size = s->size_bytes;
  uint8_t *from = items, *to = buffer;
  for (size_t i = 0; i < count; i += RUN_ITEMS)
    insertion_sort(s, items + i * size, count - i < RUN_ITEMS ? count - i : RUN_ITEMS);
  for (size_t run = RUN_ITEMS; run < count; run *= 2) {
    for (size_t i = 0; i < count; i += 2 * run) {
      size_t both = count - i < 2 * run ? count - i : 2 * run;
      merge_runs(s, from + i * size, both < run ? both : run, both, to + i * size);
    }
    uint8_t *last = from;
    from = to;
    to = last;
  }
  if (from != items)
    memcpy(items, from, count * size);
}

void sort_stable(void *items, size_t count, size_t size_bytes, sort_compare_t *compare) {
  shoal_assert(size_bytes > 0 && compare, "size_bytes (%zu) and compare must not be 0", size_bytes);
  shoal_assert(items || count == 0, "items is NULL, but count is %zu", count);
  const sort_context_t s = {.size_bytes = size_bytes, .compare = compare};
  uint8_t on_stack[STACK_BUFFER_BYTES];
  uint8_t *buffer = on_stack;
  if (count < 2 || size_bytes == 0)
    return;
  if (count > RUN_ITEMS && count * size_bytes > sizeof on_stack)
    buffer = malloc(count * size_bytes);
  if (count <= RUN_ITEMS || !buffer)
    insertion_sort(&s, items, count);
  else
    merge_sort(&s, items, count, buffer);
  if (buffer != on_stack)
    free(buffer);
}
