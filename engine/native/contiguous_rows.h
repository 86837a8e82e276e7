// A run over all rows of a query whose columns lie as its rows do: one call of the code, for which the query is not
// opened and no view of it looked at. What has to be known of such a run lies on a few lines of memory. Between two
// runs of a system the caches have had the columns of all the others, and each line that has to come anew takes as
// long as some fifty rows.
#ifndef SHOAL_NATIVE_CONTIGUOUS_ROWS_H
#define SHOAL_NATIVE_CONTIGUOUS_ROWS_H

#include "ecs/query.h"

#define STRAIGHT_MAX 16u // columns

typedef struct contiguous_column_t {
  const manager_o *manager; // NULL: the ids of the rows' entities
  uint32_t column;
  bool written;
  bool is_link; // a column of entities: writing it updates reverse lookups
} contiguous_column_t;

typedef struct contiguous_t {
  const query_o *query; // NULL: no run is a straight one
  uint32_t count;
  bool one; // all of one component, of which each row stands in the query once at most
  contiguous_column_t columns[STRAIGHT_MAX];
} contiguous_t;

// Runs over the query `q` (borrowed).
void contiguous_begin(contiguous_t *s, const query_o *q);
// Its next column, of a component that all rows have, or of their entities. Of one too many no run is a straight one.
void contiguous_add(contiguous_t *s, const manager_o *manager, uint32_t column, bool written);

// Where the columns begin, by their numbers, and the marks of those that are written (NULL where nothing is tracked).
// → how many rows there are; 0: there are none, or they do not lie so, and the query has to be opened.
uint32_t contiguous_look(const contiguous_t *s, void **columns, uint8_t **marks);

// Returns true if code may calculate the unused rows between the last of `rows` rows and row `end` of each column: the
// columns have the capacity, none of these rows is another entity's, and no write is tracked (`marks` is that of
// contiguous_look). Nothing reads a row past a column's count.
bool contiguous_has_spare_rows(const contiguous_t *s, uint8_t *const *marks, uint32_t rows, uint32_t end);

#endif
