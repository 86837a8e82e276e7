// Emits and reads events.
#include "access/access.h"
#include "access/changes.h"
#include "access/last_error.h"
#include "access/part_queue.h"

void *const *world_access_emit_begin(shoal_world *w, const shoal_component *event, uint32_t count) {
  access_o *access = access_of(w);
  access_binding_t *binding = access_bind_event(access, event);
  if (!binding || (count > SHOAL_MAX_EMIT_ROWS &&
                   !access_fail("too many rows of %s: %u (at most %u per call): emit them in several calls",
                                event->name, count, SHOAL_MAX_EMIT_ROWS)))
    return NULL;
  if (access_world_of(w)->chunk)
    return part_queue_emit_events((part_queue_t *)(void *)access_world_of(w)->chunk, binding, count);
  columns_t *columns = event_fill_begin(access->world, binding->event->id, count);
  for (uint32_t i = 0; i < event->column_count; ++i)
    binding->data[i] = columns->data[binding->columns[i]];
  binding->emit_row_count = count;
  return binding->data;
}

static void record_event(access_o *access, const access_binding_t *binding) {
  columns_t new_rows = binding->event->columns; // the layout of the event's columns with the data of the new rows
  void *data[SCHEMA_MAX_FIELDS] = {NULL};
  new_rows.data = data;
  new_rows.count = binding->emit_row_count;
  changes_record(access, CHANGE_EMIT, "tn", binding->component->name, (double)binding->emit_row_count);
  for (uint32_t i = 0; i < binding->component->column_count && access->records; ++i) {
    uint32_t store_column = binding->columns[i];
    data[store_column] = binding->data[i];
    for (uint32_t row = 0; row < binding->emit_row_count; ++row)
      changes_record(access, CHANGE_CELL, "tntn", binding->component->name, (double)row,
                     binding->event->schema.fields[store_column].name, columns_get(&new_rows, row, store_column));
  }
  changes_record(access, CHANGE_SEND, "t", binding->component->name);
}

bool world_access_emit_end(shoal_world *w, const shoal_component *event) {
  access_o *access = access_of(w);
  access_binding_t *binding = access_bind_event(access, event);
  if (access_world_of(w)->chunk) // the rows are queued already
    return binding != NULL;
  if (!binding ||
      (binding->emit_row_count == 0 && !access_fail("no rows of %s to emit: call shoal_emit_begin first", event->name)))
    return false;
  record_event(access, binding);
  binding->emit_row_count = 0;
  event_fill_end(access->world, binding->event->id, true);
  return true;
}

// Points the binding's column to the event's rows or, if cancelled rows must be skipped, to a copy of the remaining
// rows.
static void set_column_pointer(access_o *access, access_binding_t *binding, uint32_t column, uint32_t count) {
  const column_view_t *view = &binding->event->views[binding->columns[column]];
  uint32_t bytes = binding->event->columns.element_bytes[binding->columns[column]];
  binding->data[column] = view->data;
  if (!view->rows || count == 0)
    return;
  binding->data[column] = scratch_reserve(&access->memory, &binding->scratch, column, binding->component->column_count,
                                          (size_t)count * bytes);
  scratch_gather_rows(binding->data[column], view->data, view->rows, count, bytes, NULL);
}

shoal_rows access_open_event(access_o *access, access_binding_t *binding, uint64_t *next) {
  uint32_t count = event_open(binding->event, binding->next_unread, next);
  for (uint32_t i = 0; i < binding->component->column_count; ++i)
    set_column_pointer(access, binding, i, count);
  binding->is_open = true;
  return (shoal_rows){.count = count, .columns = binding->data};
}

shoal_rows world_access_read_events(shoal_world *w, const shoal_component *event) {
  access_o *access = access_of(w);
  access_binding_t *binding = access_bind_event(access, event);
  if (!binding)
    return (shoal_rows){0};
  shoal_rows rows = access_open_event(access, binding, &binding->next_unread);
  event_close(binding->event);
  return rows;
}
