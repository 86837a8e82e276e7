// Typed event columns. Rows are numbered from the start of the world. A reader stores the number of the next unread
// row, so each reader sees each event once, even if the event was emitted late in the previous tick. A row lives until
// the end of the tick after its emission.
#ifndef SHOAL_ECS_EVENT_H
#define SHOAL_ECS_EVENT_H

#include "schema/columns.h"
#include "ecs/query.h"

typedef struct event_o {
  uint32_t id; // 1-based id, in order of declaration
  schema_t schema;
  columns_t columns;
  uint64_t first;       // number of the row at index 0
  uint64_t tick_start;  // number of the first row of this tick
  int32_t cancelled;    // column of the bool "cancelled", -1 if missing; readers skip rows in which this column is true
  column_view_t *views; // views for event_open, one per column
  uint32_t *rows;       // row map used when cancelled rows are skipped
  uint32_t rows_capacity;
  uint32_t open_count; // number of rows in the open view
} event_o;

// Opens the rows starting at number `first_row` and fills the views. Returns the number of visible rows; `next`
// receives the number of the row after the last opened row.
uint32_t event_open(event_o *ev, uint64_t first_row, uint64_t *next);
void event_close(event_o *ev);

// Emit many rows in one step. event_fill_begin returns columns with `count` rows of defaults, which the caller may
// write until it calls event_fill_end. event_fill_end emits the rows (queued while deferring) or, if `keep` is false,
// discards them. A second event_fill_begin discards the rows of the first.
columns_t *event_fill_begin(world_o *w, uint32_t event, uint32_t count);
void event_fill_end(world_o *w, uint32_t event, bool keep);

// Stages one event; asserts that changes are deferred. Returns its row in event_get_staged_columns, valid until the
// commands are applied. The row has default values. If `blank`, its values are undefined, and the caller must write
// every column.
uint32_t event_stage_row(world_o *w, uint32_t event, bool blank);
// Returns the columns of the staged rows. The address of the columns is stable, but the `data` pointers change.
columns_t *event_get_staged_columns(world_o *w, uint32_t event);

#endif
