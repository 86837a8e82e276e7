// Emits and reads events.
#include "access/access.h"
#include "access/changes.h"
#include "access/last_error.h"

void *const *world_access_emit_begin(shoal_world *w, const shoal_component *event, uint32_t count) {
  access_o *a = access_of(w);
  access_binding_t *b = access_bind_event(a, event);
  if (!b || (count > SHOAL_MAX_EMIT_ROWS &&
             !access_fail("too many rows of %s: %u (at most %u per call): emit them in several calls", event->name,
                          count, SHOAL_MAX_EMIT_ROWS)))
    return NULL;
  columns_t *to = event_fill_begin(a->world, b->event->id, count);
  for (uint32_t i = 0; i < event->column_count; ++i)
    b->data[i] = to->data[b->columns[i]];
  b->emit_row_count = count;
  return b->data;
}

static void record_event(access_o *a, const access_binding_t *b) {
  columns_t filled = b->event->columns; // the layout of the event's columns with the data of the new rows
  void *data[SCHEMA_MAX_FIELDS] = {NULL};
  filled.data = data;
  filled.count = b->emit_row_count;
  changes_record(a, CHANGE_EMIT, "tn", b->component->name, (double)b->emit_row_count);
  for (uint32_t i = 0; i < b->component->column_count && a->records; ++i) {
    uint32_t real = b->columns[i];
    data[real] = b->data[i];
    for (uint32_t row = 0; row < b->emit_row_count; ++row)
      changes_record(a, CHANGE_CELL, "tntn", b->component->name, (double)row, b->event->schema.fields[real].name,
                     columns_get(&filled, row, real));
  }
  changes_record(a, CHANGE_SEND, "t", b->component->name);
}

bool world_access_emit_end(shoal_world *w, const shoal_component *event) {
  access_o *a = access_of(w);
  access_binding_t *b = access_bind_event(a, event);
  if (!b || (b->emit_row_count == 0 && !access_fail("no rows of %s to emit: call shoal_emit_begin first", event->name)))
    return false;
  record_event(a, b);
  b->emit_row_count = 0;
  event_fill_end(a->world, b->event->id, true);
  return true;
}

// Sets a column pointer. If cancelled rows must be skipped, copies the column.
static void set_column_pointer(access_o *a, access_binding_t *b, uint32_t column, uint32_t count) {
  const column_view_t *view = &b->event->views[b->columns[column]];
  uint32_t bytes = b->event->columns.element_bytes[b->columns[column]];
  b->data[column] = view->data;
  if (!view->rows || count == 0)
    return;
  b->data[column] = scratch_reserve(&a->memory, &b->scratch, column, b->component->column_count, (size_t)count * bytes);
  scratch_gather_rows(b->data[column], view->data, view->rows, count, bytes, NULL);
}

shoal_rows access_open_event(access_o *a, access_binding_t *b, uint64_t *next) {
  uint32_t count = event_open(b->event, b->next_unread, next);
  for (uint32_t i = 0; i < b->component->column_count; ++i)
    set_column_pointer(a, b, i, count);
  b->is_open = true;
  return (shoal_rows){.count = count, .columns = b->data};
}

shoal_rows world_access_read_events(shoal_world *w, const shoal_component *event) {
  access_o *a = access_of(w);
  access_binding_t *b = access_bind_event(a, event);
  if (!b)
    return (shoal_rows){0};
  shoal_rows rows = access_open_event(a, b, &b->next_unread);
  event_close(b->event);
  return rows;
}
