// Typed event columns. Rows are numbered from the world's beginning: a reader keeps the number of the next row it has
// not seen, so each reader sees each event once, whether it was emitted earlier in this tick or later in the last one.
// Rows live until the end of the tick after theirs.
#ifndef SHOAL_ECS_EVENT_H
#define SHOAL_ECS_EVENT_H

#include "schema/columns.h"
#include "ecs/query.h"

typedef struct event_o {
  uint32_t id; // 1-based, in order of declaration
  schema_t schema;
  columns_t columns;
  uint64_t first;      // number of the row at index 0
  uint64_t tick_start; // number of the first row of this tick
  int32_t cancelled;   // column of the bool field "cancelled", -1 when there is none: readers skip rows where it is set
  column_view_t *views; // one per column, for event_open
  uint32_t *rows;       // the row map when cancelled rows are skipped
  uint32_t rows_capacity;
  uint32_t open_count; // rows in the open view
} event_o;

// Fills the views with the rows from number `from` on; returns how many there are to see and writes the next number.
uint32_t event_open(event_o *ev, uint64_t from, uint64_t *next);
void event_close(event_o *ev);

// Many rows at once: `begin` gives columns with `count` rows of defaults, which are the caller's alone until `end`;
// `end` emits them (queued while deferring), or forgets them with `keep` false. A second `begin` forgets what the first
// one gave.
columns_t *event_fill_begin(world_o *w, uint32_t event, uint32_t count);
void event_fill_end(world_o *w, uint32_t event, bool keep);

// One event while deferring (assert): the row of the columns below that it has until the commands apply, with defaults,
// or, if `blank`, with whatever was there: every column is to be written before anything else is done.
uint32_t event_stage(world_o *w, uint32_t event, bool blank);
columns_t *event_staged(world_o *w, uint32_t event); // stays where it is; what its `data` points to moves

#endif
