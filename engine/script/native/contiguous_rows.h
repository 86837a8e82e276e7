// Fast path for queries whose rows are contiguous in all columns: calls the code once for all rows, without opening the
// query or reading its views. The data for such a run occupies few cache lines, because other systems evict them
// between two runs, and loading a line takes as long as computing about fifty rows.
#ifndef SHOAL_NATIVE_CONTIGUOUS_ROWS_H
#define SHOAL_NATIVE_CONTIGUOUS_ROWS_H

#include "ecs/query.h"

#define CONTIGUOUS_MAX_COLUMNS 16u

typedef struct contiguous_column_t {
  const manager_o *manager; // manager of the column; NULL: the column contains the entity ids of the rows
  uint32_t column;
  bool written;
  bool is_link; // true for an entity column, in which a write updates reverse lookups
} contiguous_column_t;

typedef struct contiguous_t {
  const query_o *query; // query of the loop; NULL: the fast path cannot be used
  uint32_t count;
  bool is_single_component; // true if all columns belong to one component whose rows do not repeat in the query
  contiguous_column_t columns[CONTIGUOUS_MAX_COLUMNS];
} contiguous_t;

// Initializes the description for the query (borrowed; NULL disables the fast path).
void contiguous_init(contiguous_t *contiguous, const query_o *query);
// Adds a column of a component that all rows have; if `manager` is NULL, the entity ids. Adding more than
// CONTIGUOUS_MAX_COLUMNS columns disables the fast path.
void contiguous_add_column(contiguous_t *contiguous, const manager_o *manager, uint32_t column, bool written);

// Stores the addresses of the columns, and of the marks of written columns (NULL if marks are not tracked). Returns the
// number of rows; 0 if the query is empty, or if the fast path cannot be used and the query must be opened.
uint32_t contiguous_get_columns(const contiguous_t *contiguous, void **columns, uint8_t **marks);

// Returns true if code may compute rows beyond the last row, up to `end`. The columns must belong to components and
// have the capacity, writes must not be tracked (`marks` as returned by contiguous_get_columns), and writes must not
// update reverse lookups. If a component has more rows than the query, the caller must save these rows before the run
// and restore them afterwards.
bool contiguous_can_pad(const contiguous_t *contiguous, uint8_t *const *marks, uint32_t end);

#endif
