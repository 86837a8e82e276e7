// Checks whether a query's rows are contiguous in its columns, and returns the columns' addresses.
#include "native/contiguous_rows.h"

#include "base/assert.h"

void contiguous_init(contiguous_t *contiguous, const query_o *query) {
  *contiguous = (contiguous_t){.query = query, .is_single_component = true};
}

// Returns true if rows of `manager` may occur repeatedly because the query has a different component with several
// instances per entity.
static bool can_rows_repeat(const query_o *query, const manager_o *manager) {
  for (uint32_t i = 0; i < query->term_count; ++i)
    if (query->terms[i].role == QUERY_WITH && query->terms[i].manager->schema.kind == SCHEMA_MANY &&
        query->terms[i].manager != manager)
      return true;
  return false;
}

void contiguous_add_column(contiguous_t *contiguous, const manager_o *manager, uint32_t column, bool written) {
  if (!contiguous->query || contiguous->count == CONTIGUOUS_MAX_COLUMNS) {
    contiguous->query = NULL;
    return;
  }
  contiguous->is_single_component &= manager &&
                                     manager == (contiguous->count > 0 ? contiguous->columns[0].manager : manager) &&
                                     !can_rows_repeat(contiguous->query, manager);
  contiguous->columns[contiguous->count++] =
      (contiguous_column_t){manager, column, written, manager && manager->schema.fields[column].type == FIELD_ENTITY};
}

// Returns true if the query's rows are the first rows of each component, in the same order.
static bool is_aligned(const contiguous_t *contiguous) {
  const query_o *query = contiguous->query;
  const manager_o *previous = NULL;
  for (uint32_t i = 0; i < contiguous->count; ++i) {
    const manager_o *manager = contiguous->columns[i].manager;
    for (uint32_t k = 0; manager != previous && manager && k < query->term_count; ++k)
      if (query->terms[k].manager == manager && query->terms[k].role == QUERY_WITH && query->terms[k].misaligned > 0)
        return false;
    previous = manager;
  }
  return true;
}

uint32_t contiguous_get_columns(const contiguous_t *contiguous, void **columns, uint8_t **marks) {
  const query_o *query = contiguous->query;
  uint32_t rows = query ? query->count : 0;
  if (rows == 0 || contiguous->count == 0 ||
      !((contiguous->is_single_component && contiguous->columns[0].manager->count == rows) || is_aligned(contiguous)))
    return 0;
  shoal_assert(query->open == 0, "query %u must be closed", query->id);
  for (uint32_t i = 0; i < contiguous->count; ++i) {
    const contiguous_column_t *column = &contiguous->columns[i];
    shoal_assert(!column->manager || column->manager->count >= rows, "%s has %u rows, but the query has %u",
                 column->manager->schema.name, column->manager->count, rows);
    columns[i] = column->manager ? column->manager->data[column->column] : query->entities;
    marks[i] = column->written ? columns_get_marks(&column->manager->columns, column->column) : NULL;
  }
  return rows;
}

bool contiguous_can_pad(const contiguous_t *contiguous, uint8_t *const *marks, uint32_t end) {
  for (uint32_t i = 0; i < contiguous->count; ++i) {
    const contiguous_column_t *column = &contiguous->columns[i];
    if (!column->manager || column->manager->columns.capacity < end || marks[i] || (column->written && column->is_link))
      return false;
  }
  return true;
}
