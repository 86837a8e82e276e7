// Counts NaNs in columns before and after a program writes them.
#include "access/nan_watch.h"

#include "access/access.h"
#include "schema/nan_fields.h"

#include <stdatomic.h>

static uint32_t count_nan(const nan_watch_t *n) {
  const float *values = n->manager->data[n->column];
  uint32_t count = 0, end = n->end < n->manager->count ? n->end : n->manager->count;
  for (uint32_t row = n->first; row < end; ++row)
    count += values[row] != values[row];
  return count;
}

void nan_watch_begin(nan_watch_t *n, uint32_t max_rows) {
  uint32_t rows = n->manager->count;
  n->first = n->end < rows ? n->end : 0;
  n->end = rows - n->first < max_rows ? rows : n->first + max_rows;
  n->before = count_nan(n);
}

bool nan_watch_end(const nan_watch_t *n) {
  return count_nan(n) > n->before;
}

static uint32_t get_field(const nan_watch_t *n) {
  return nan_field_find(n->manager->schema.name, n->manager->schema.fields[n->column].name);
}

void access_watch_nan(access_o *a, access_binding_t *b, uint32_t max_rows) {
  if (!a->desc.reports_nan || b->nan_columns == 0 || b->nan_interval == a->nan_interval + 1)
    return;
  uint32_t next = 0;
  b->nan_interval = a->nan_interval + 1;
  for (uint64_t columns = b->nan_columns; columns != 0; columns &= columns - 1) {
    nan_watch_t n = {.manager = b->manager, .column = (uint32_t)__builtin_ctzll(columns), .end = b->nan_next_row};
    nan_watch_begin(&n, max_rows);
    next = n.end;
    array_push(&a->memory, &a->nan_watches, n);
  }
  b->nan_next_row = next;
}

void access_end_nan_watches(access_o *a) {
  for (uint32_t i = 0; i < a->nan_watches.count; ++i)
    if (nan_watch_end(&a->nan_watches.items[i]))
      atomic_fetch_or_explicit(&a->nan_fields, 1u << get_field(&a->nan_watches.items[i]), memory_order_relaxed);
  a->nan_interval += a->nan_watches.count > 0;
  a->nan_watches.count = 0;
}
