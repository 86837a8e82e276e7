// The rows of a query for whoever may go over them in any order, as kernels do: runs, in which the rows of all its
// components lie side by side, wherever those of each begin, and lists of the rows that are in none. A query whose
// components belong to another one's group has nearly all of its rows in a few runs, though its own order is another.
//
// Each row of the query is in one place. Neither the query nor any row moves: what lies where is looked at anew once a
// row of one of the components has moved.
#ifndef SHOAL_SCHEDULE_RUNS_H
#define SHOAL_SCHEDULE_RUNS_H

#include "ecs/query.h"

#define RUNS_LEAST_RUN 64u   // rows of a run: fewer are listed
#define RUNS_LEAST_ROWS 256u // of a query: fewer are gathered in no time

typedef struct row_run_t {
  uint32_t first; // rows in the runs before it
  uint32_t count;
  uint32_t at[QUERY_MAX_TERMS]; // by term: where its rows begin in the component
} row_run_t;

// All members are private to runs.c but for the first four. {0} is an empty one.
typedef struct row_runs_t {
  uint32_t least_run, least_rows; // instead of RUNS_LEAST_RUN and RUNS_LEAST_ROWS; 0: those
  uint32_t count;                 // rows: in runs, and behind them listed
  uint32_t in_runs;
  row_run_t *runs;
  uint32_t run_count, run_capacity;
  uint32_t *listed[QUERY_MAX_TERMS]; // by term
  uint32_t listed_capacity;
  uint64_t moves, seen; // of all components: when it was built, and at the last look
  bool built;
} row_runs_t;

// Some of the rows: row i of a term's component is rows[term][from + i], or at[term] + from + i where `rows` is NULL.
typedef struct row_span_t {
  uint32_t count, from;
  const uint32_t *at;
  const uint32_t *const *rows;
} row_span_t;

// `r` as the rows of the open query are now. False where they are better gone over in the query's own order: few rows,
// components that not every entity has, something disabled, or rows that lie anyhow and are still moving.
bool row_runs_look(row_runs_t *r, const query_o *q);
void row_runs_fini(row_runs_t *r);

// The rows from number `first` on, `most` at most, that are in one run or in none.
row_span_t row_runs_span(const row_runs_t *r, uint32_t first, uint32_t most);

#endif
