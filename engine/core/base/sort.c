// Stable bottom-up merge sort: runs are sorted by insertion, then merged alternately from one buffer into the other.
#include "base/sort.h"

#include "base/assert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RUN_ITEMS 8u             // items per run sorted by insertion
#define STACK_BUFFER_BYTES 2048u // size of the merge buffer on the stack; larger arrays use malloc
#define MAX_ITEM_BYTES 256u      // maximum size of items moved as a whole; larger items are swapped byte by byte

typedef struct sort_context_t {
  size_t size_bytes;
  sort_compare_t *compare;
} sort_context_t;

static void swap_bytes(uint8_t *a, uint8_t *b, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    uint8_t byte = a[i];
    a[i] = b[i];
    b[i] = byte;
  }
}

static void insertion_sort(const sort_context_t *context, uint8_t *items, size_t count) {
  const size_t item_bytes = context->size_bytes;
  uint8_t item[MAX_ITEM_BYTES];
  for (size_t i = 1; i < count; ++i) {
    size_t position = i;
    while (position > 0 && context->compare(items + (position - 1) * item_bytes, items + i * item_bytes) > 0)
      --position;
    if (position == i)
      continue;
    if (item_bytes <= sizeof item) {
      memcpy(item, items + i * item_bytes, item_bytes);
      memmove(items + (position + 1) * item_bytes, items + position * item_bytes, (i - position) * item_bytes);
      memcpy(items + position * item_bytes, item, item_bytes);
    } else {
      for (size_t k = i; k > position; --k)
        swap_bytes(items + k * item_bytes, items + (k - 1) * item_bytes, item_bytes);
    }
  }
}

// Merges two adjacent runs, [0, middle) and [middle, count), into `out`.
static void merge_runs(const sort_context_t *context, const uint8_t *source, size_t middle, size_t count,
                       uint8_t *out) {
  const size_t item_bytes = context->size_bytes;
  const uint8_t *left = source, *right = source + middle * item_bytes, *const left_end = right,
                *const right_end = source + count * item_bytes;
  if (left == left_end || right == right_end || context->compare(left_end - item_bytes, right) <= 0) {
    memcpy(out, source, count * item_bytes);
    return;
  }
  while (left < left_end && right < right_end) {
    const uint8_t **next = context->compare(left, right) <= 0 ? &left : &right;
    memcpy(out, *next, item_bytes);
    *next += item_bytes;
    out += item_bytes;
  }
  memcpy(out, left, (size_t)(left_end - left));
  memcpy(out + (left_end - left), right, (size_t)(right_end - right));
}

static void merge_sort(const sort_context_t *context, uint8_t *items, size_t count, uint8_t *buffer) {
  const size_t item_bytes = context->size_bytes;
  uint8_t *source = items, *target = buffer;
  for (size_t i = 0; i < count; i += RUN_ITEMS)
    insertion_sort(context, items + i * item_bytes, count - i < RUN_ITEMS ? count - i : RUN_ITEMS);
  for (size_t run_length = RUN_ITEMS; run_length < count; run_length *= 2) {
    for (size_t i = 0; i < count; i += 2 * run_length) {
      size_t pair_count = count - i < 2 * run_length ? count - i : 2 * run_length;
      merge_runs(context, source + i * item_bytes, pair_count < run_length ? pair_count : run_length, pair_count,
                 target + i * item_bytes);
    }
    uint8_t *swapped = source;
    source = target;
    target = swapped;
  }
  if (source != items)
    memcpy(items, source, count * item_bytes);
}

void sort_stable(void *items, size_t count, size_t size_bytes, sort_compare_t *compare) {
  shoal_assert(size_bytes > 0 && compare, "size_bytes (%zu) and compare must not be 0", size_bytes);
  shoal_assert(items || count == 0, "items is NULL, but count is %zu", count);
  const sort_context_t context = {.size_bytes = size_bytes, .compare = compare};
  uint8_t stack_buffer[STACK_BUFFER_BYTES];
  uint8_t *buffer = stack_buffer;
  if (count < 2 || size_bytes == 0)
    return;
  if (count > RUN_ITEMS && count * size_bytes > sizeof stack_buffer)
    buffer = malloc(count * size_bytes);
  if (count <= RUN_ITEMS || !buffer)
    insertion_sort(&context, items, count);
  else
    merge_sort(&context, items, count, buffer);
  if (buffer != stack_buffer)
    free(buffer);
}
