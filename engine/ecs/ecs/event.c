// Access to the rows of an event for one reader.
#include "ecs/event.h"

#include "base/array.h"
#include "base/assert.h"

static bool is_cancelled(const event_o *ev, uint32_t row) {
  return ((const uint8_t *)ev->columns.data[ev->cancelled])[row] != 0;
}

// Skips the cancelled rows among the `count` rows from `first` on: returns the indices of the remaining rows, relative
// to `first`, and writes their number to `count`. Returns NULL if no row is cancelled.
static const uint32_t *list_remaining_rows(event_o *ev, uint32_t first, uint32_t *count) {
  uint32_t total = *count, remaining = 0;
  for (uint32_t i = 0; ev->cancelled >= 0 && i < total; ++i)
    remaining += !is_cancelled(ev, first + i);
  if (ev->cancelled < 0 || remaining == total)
    return NULL;
  if (total > ev->rows_capacity)
    ev->rows = array_grow(ev->columns.allocator, ev->rows, &ev->rows_capacity, total, sizeof *ev->rows);
  remaining = 0;
  for (uint32_t i = 0; i < total; ++i)
    if (!is_cancelled(ev, first + i))
      ev->rows[remaining++] = i;
  *count = remaining;
  return ev->rows;
}

uint32_t event_open(event_o *ev, uint64_t first_row, uint64_t *next) {
  uint64_t end = ev->first + ev->columns.count;
  shoal_assert(ev->first <= ev->tick_start && ev->tick_start <= end,
               "%s: row numbers out of order (first %llu, end %llu, tick start %llu)", ev->schema.name,
               (unsigned long long)ev->first, (unsigned long long)end, (unsigned long long)ev->tick_start);
  if (first_row < ev->first)
    first_row = ev->first;
  uint32_t first = first_row < end ? (uint32_t)(first_row - ev->first) : ev->columns.count;
  uint32_t count = ev->columns.count - first;
  const uint32_t *rows = list_remaining_rows(ev, first, &count);
  for (uint32_t i = 0; i < ev->columns.column_count; ++i) {
    size_t offset = (size_t)first * ev->columns.element_bytes[i];
    ev->views[i].data = ev->columns.data[i] ? (char *)ev->columns.data[i] + offset : NULL;
    ev->views[i].rows = rows;
    ev->views[i].count = count;
  }
  ev->open_count = count;
  *next = end;
  return count;
}

void event_close(event_o *ev) {
  for (uint32_t i = 0; i < ev->columns.column_count; ++i)
    ev->views[i].count = 0;
  ev->open_count = 0;
}
