// Saves the rows that a split run overwrites. If a row takes a side exit, the following rows are restored and run
// again, so that the result equals that of a run in row order.
#include "base/assert.h"
#include "native/gather.h"
#include "native/loop_internal.h"

#include <stdlib.h>
#include <string.h>

static size_t round_up_to_alignment(size_t bytes) {
  return (bytes + 63) & ~(size_t)63;
}

// Returns true if the loop writes only rows of its query.
bool undo_is_possible(const native_loop_o *l) {
  for (uint32_t i = 0; i < l->slot_count; ++i)
    if (l->slots[i].written && !l->slots[i].view)
      return false;
  return true;
}

// Allocates the memory for undo_save_rows. Returns false if memory is insufficient.
bool undo_reserve(native_loop_o *l, uint32_t rows) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < l->slot_count; ++i)
    bytes +=
        l->slots[i].written ? round_up_to_alignment((size_t)rows * l->slots[i].bytes) + round_up_to_alignment(rows) : 0;
  if (bytes > l->undo_bytes) {
    free(l->undo);
    l->undo = aligned_alloc(64, bytes);
    l->undo_bytes = l->undo ? bytes : 0;
  }
  l->undo_rows = rows;
  return bytes <= l->undo_bytes;
}

static void save_rows(const slot_t *s, uint8_t *to, uint8_t *marks, uint32_t first, uint32_t count) {
  const column_view_t *v = s->view;
  const uint32_t *rows = s->mapped ? s->rows + first : NULL;
  if (rows)
    rows_gather(to, v->data, rows, s->bytes, count);
  else
    memcpy(to, (const uint8_t *)v->data + (size_t)first * s->bytes, (size_t)count * s->bytes);
  for (uint32_t i = 0; v->marks && i < count; ++i)
    marks[i] = v->marks[rows ? rows[i] : first + i];
}

static void restore_rows(const slot_t *s, const uint8_t *from, const uint8_t *marks, uint32_t first, uint32_t count) {
  const column_view_t *v = s->view;
  const uint32_t *rows = s->mapped ? s->rows + first : NULL;
  if (rows)
    rows_scatter(v->data, from, rows, s->bytes, count);
  else
    memcpy((uint8_t *)v->data + (size_t)first * s->bytes, from, (size_t)count * s->bytes);
  for (uint32_t i = 0; v->marks && i < count; ++i)
    v->marks[rows ? rows[i] : first + i] = marks[i];
}

static void copy_written_columns(const native_loop_o *l, uint32_t first, uint32_t end, bool restores) {
  uint8_t *at = l->undo;
  shoal_assert(first <= end && end <= l->undo_rows, "rows %u to %u are out of range (count %u)", first, end,
               l->undo_rows);
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    if (!s->written)
      continue;
    uint8_t *data = at + (size_t)first * s->bytes,
            *marks = at + round_up_to_alignment((size_t)l->undo_rows * s->bytes) + first;
    if (restores)
      restore_rows(s, data, marks, first, end - first);
    else
      save_rows(s, data, marks, first, end - first);
    at += round_up_to_alignment((size_t)l->undo_rows * s->bytes) + round_up_to_alignment(l->undo_rows);
  }
}

void undo_save_rows(const native_loop_o *l, uint32_t first, uint32_t end) {
  copy_written_columns(l, first, end, false);
}

void undo_restore_rows(const native_loop_o *l, uint32_t first, uint32_t end) {
  copy_written_columns(l, first, end, true);
}
