// The order in which a loop with independent rows visits mapped rows: first, in runs, the rows that are contiguous in
// every component, then the remaining rows. If a query shares only some components with a group, nearly all of its rows
// are contiguous in this order, although they are not contiguous in the query's order.
#ifndef SHOAL_NATIVE_ROW_ORDER_H
#define SHOAL_NATIVE_ROW_ORDER_H

#include "ecs/query.h"

#define ROW_ORDER_BLOCK 64u      // number of rows; the start and the length of each run are multiples of this number
#define ROW_ORDER_MIN_ROWS 1024u // number of rows below which building an order isn't worth it
#define ROW_ORDER_MAX_MAPS 16u

typedef struct row_map_t {
  const uint32_t *rows; // row of the component, indexed by query row; NULL: the same as the query row
  uint32_t count;       // number of rows of the component; 0: no component
} row_map_t;

typedef struct row_run_t {
  uint32_t first, count; // first position in the order, and number of positions
} row_run_t;

typedef struct row_order_t {
  // count: 0 if no order is built; contiguous_count: number of leading positions in runs.
  uint32_t count, contiguous_count;
  uint32_t run_count;
  row_run_t *runs;                    // runs in ascending order of `first`
  uint32_t *query_rows;               // row of the query, indexed by position
  uint32_t *rows[ROW_ORDER_MAX_MAPS]; // rows of the component of each map, indexed by position
  uint32_t map_count;
  uint64_t version;      // query_row_version when the order was built
  uint64_t last_version; // query_row_version at the latest run
  // Counters of runs. `unchanged_runs`: runs since the version changed; `rebuild_delay`: value that
  // `unchanged_runs` must reach before the next build; `use_count`: runs that used this order.
  uint32_t unchanged_runs, rebuild_delay, use_count;
} row_order_t;

void row_order_fini(row_order_t *order);

// Updates the order of a query before a run; the query must be open, and `maps` must belong to the query. Returns true
// if the run may use the order; false if the query is small or over pairs, if its rows change often, if no order can be
// built, or if few rows are contiguous. `always` (for tests) builds and uses an order even for changing queries, and
// for small queries with at least ROW_ORDER_BLOCK rows.
bool row_order_update(row_order_t *order, const query_o *query, const row_map_t *maps, uint32_t map_count, bool always);

// Returns the number of contiguous rows from `position` on, at most `max`; 0 if `position` is not in a run.
// Callable from any thread.
uint32_t row_order_run_length(const row_order_t *order, uint32_t position, uint32_t max);

#endif
