// The order in which a loop with independent rows visits mapped rows: first the rows that are contiguous in every
// component, in runs, then all others. Where a query shares only some components with a group, nearly all of its rows
// are contiguous in this order although they are not in the query's own.
#ifndef SHOAL_NATIVE_ROW_ORDER_H
#define SHOAL_NATIVE_ROW_ORDER_H

#include "ecs/query.h"

#define ROW_ORDER_BLOCK 64u      // runs begin at, and consist of, multiples of this
#define ROW_ORDER_MIN_ROWS 1024u // an order for fewer rows is not worth building
#define ROW_ORDER_MAX_MAPS 16u

typedef struct row_map_t {
  const uint32_t *rows; // of the component by query row; NULL: the query row itself
  uint32_t count;       // rows of the component, 0 without one
} row_map_t;

typedef struct row_run_t {
  uint32_t first, count; // positions in the order
} row_run_t;

typedef struct row_order_t {
  uint32_t count, in_runs; // positions; those of runs come first. count is 0 if no order has been built
  uint32_t run_count;
  row_run_t *runs;                    // sorted
  uint32_t *query_rows;               // by position
  uint32_t *rows[ROW_ORDER_MAX_MAPS]; // by map: the component's row, by position
  uint32_t map_count;
  uint64_t version;          // query_row_version when it was built
  uint64_t seen;             // query_row_version at the latest run
  uint32_t same, wait, used; // runs: since the version changed; before the next build; with this order
} row_order_t;

void row_order_fini(row_order_t *o);

// Updates the order of a query, which must be open, before a run; `maps` must belong to it. Returns true if the run may
// use the order: false while rows change often, and if few rows are contiguous. `always` (for tests) builds an order
// for small and for changing queries, too, and always uses it.
bool row_order_look(row_order_t *o, const query_o *q, const row_map_t *maps, uint32_t map_count, bool always);

// Returns the number of contiguous rows from position `at` on, at most `max`; 0 if it belongs to no run. Any thread.
uint32_t row_order_run(const row_order_t *o, uint32_t at, uint32_t max);

#endif
