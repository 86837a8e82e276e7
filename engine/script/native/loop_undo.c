// Saves the rows that a split run overwrites. If a row takes a side exit, the following rows are restored and run
// again, so that the result equals the result of a run in row order.
#include "base/aligned_memory.h"
#include "base/assert.h"
#include "native/gather.h"
#include "native/loop_internal.h"

#include <stdlib.h>
#include <string.h>

static size_t round_up_to_alignment(size_t bytes) {
  return (bytes + 63) & ~(size_t)63;
}

// Returns true if the loop writes only rows of its query.
bool undo_is_possible(const native_loop_o *loop) {
  for (uint32_t i = 0; i < loop->slot_count; ++i)
    if (loop->slots[i].written && !loop->slots[i].view)
      return false;
  return true;
}

// Allocates the memory in which undo_save_rows saves `rows` rows. Returns true on success, or false if memory is
// insufficient.
bool undo_reserve(native_loop_o *loop, uint32_t rows) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < loop->slot_count; ++i)
    bytes += loop->slots[i].written
                 ? round_up_to_alignment((size_t)rows * loop->slots[i].bytes) + round_up_to_alignment(rows)
                 : 0;
  if (bytes > loop->undo_bytes) {
    aligned_memory_free(loop->undo);
    loop->undo = aligned_memory_alloc(64, bytes);
    loop->undo_bytes = loop->undo ? bytes : 0;
  }
  loop->undo_rows = rows;
  return bytes <= loop->undo_bytes;
}

static void save_rows(const slot_t *slot, uint8_t *copies, uint8_t *marks, uint32_t first_row, uint32_t count) {
  const column_view_t *view = slot->view;
  const uint32_t *rows = slot->mapped ? slot->rows + first_row : NULL;
  if (rows)
    rows_gather(copies, view->data, rows, slot->bytes, count);
  else
    memcpy(copies, (const uint8_t *)view->data + (size_t)first_row * slot->bytes, (size_t)count * slot->bytes);
  for (uint32_t i = 0; view->marks && i < count; ++i)
    marks[i] = view->marks[rows ? rows[i] : first_row + i];
}

static void restore_rows(const slot_t *slot, const uint8_t *copies, const uint8_t *marks, uint32_t first_row,
                         uint32_t count) {
  const column_view_t *view = slot->view;
  const uint32_t *rows = slot->mapped ? slot->rows + first_row : NULL;
  if (rows)
    rows_scatter(view->data, copies, rows, slot->bytes, count);
  else
    memcpy((uint8_t *)view->data + (size_t)first_row * slot->bytes, copies, (size_t)count * slot->bytes);
  for (uint32_t i = 0; view->marks && i < count; ++i)
    view->marks[rows ? rows[i] : first_row + i] = marks[i];
}

static void copy_written_columns(const native_loop_o *loop, uint32_t first_row, uint32_t end, bool restores) {
  uint8_t *cursor = loop->undo;
  shoal_assert(first_row <= end && end <= loop->undo_rows, "rows %u to %u are out of range (count %u)", first_row, end,
               loop->undo_rows);
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    if (!slot->written)
      continue;
    uint8_t *data = cursor + (size_t)first_row * slot->bytes,
            *marks = cursor + round_up_to_alignment((size_t)loop->undo_rows * slot->bytes) + first_row;
    if (restores)
      restore_rows(slot, data, marks, first_row, end - first_row);
    else
      save_rows(slot, data, marks, first_row, end - first_row);
    cursor += round_up_to_alignment((size_t)loop->undo_rows * slot->bytes) + round_up_to_alignment(loop->undo_rows);
  }
}

void undo_save_rows(const native_loop_o *loop, uint32_t first_row, uint32_t end) {
  copy_written_columns(loop, first_row, end, false);
}

void undo_restore_rows(const native_loop_o *loop, uint32_t first_row, uint32_t end) {
  copy_written_columns(loop, first_row, end, true);
}
