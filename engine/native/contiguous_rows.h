// Fast path for queries whose rows are contiguous in all columns: one call of the code for all rows, without opening
// the query or looking at its views. The data needed for such a run fits in few cache lines: between two runs of a
// system the caches are filled by all others, and loading a line takes as long as about fifty rows.
#ifndef SHOAL_NATIVE_CONTIGUOUS_ROWS_H
#define SHOAL_NATIVE_CONTIGUOUS_ROWS_H

#include "ecs/query.h"

#define STRAIGHT_MAX 16u // columns

typedef struct contiguous_column_t {
  const manager_o *manager; // NULL: entity ids of the rows
  uint32_t column;
  bool written;
  bool is_link; // a column of entities: writing it updates reverse lookups
} contiguous_column_t;

typedef struct contiguous_t {
  const query_o *query; // NULL: the fast path cannot be used
  uint32_t count;
  bool one; // all columns belong to one component, whose rows occur at most once in the query
  contiguous_column_t columns[STRAIGHT_MAX];
} contiguous_t;

// Begins a description for the query `q` (borrowed).
void contiguous_begin(contiguous_t *s, const query_o *q);
// Adds the next column: of a component that all rows have, or the entity ids. The fast path is disabled after
// STRAIGHT_MAX columns.
void contiguous_add(contiguous_t *s, const manager_o *manager, uint32_t column, bool written);

// Stores the column addresses, and the marks of written columns (NULL if marks are not tracked). Returns the number of
// rows; 0 if there are none, or if they are not contiguous and the query must be opened.
uint32_t contiguous_look(const contiguous_t *s, void **columns, uint8_t **marks);

// Returns true if code may compute the unused rows between `rows` and `end` of each column: the columns have the
// capacity, none of these rows belongs to another entity, and no write is tracked (`marks` as returned by
// contiguous_look). Nothing reads a row beyond a column's count.
bool contiguous_has_spare_rows(const contiguous_t *s, uint8_t *const *marks, uint32_t rows, uint32_t end);

#endif
