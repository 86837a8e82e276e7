// Checks whether a query's rows are contiguous in its columns, and returns the columns' addresses.
#include "native/contiguous_rows.h"

#include "base/assert.h"

void contiguous_init(contiguous_t *s, const query_o *q) {
  *s = (contiguous_t){.query = q, .is_single_component = true};
}

// Returns true if rows of `m` may occur repeatedly because the query has another component with several instances per
// entity.
static bool can_rows_repeat(const query_o *q, const manager_o *m) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].role == QUERY_WITH && q->terms[i].manager->schema.kind == SCHEMA_MANY && q->terms[i].manager != m)
      return true;
  return false;
}

void contiguous_add_column(contiguous_t *s, const manager_o *manager, uint32_t column, bool written) {
  if (!s->query || s->count == CONTIGUOUS_MAX_COLUMNS) {
    s->query = NULL;
    return;
  }
  s->is_single_component &=
      manager && manager == (s->count > 0 ? s->columns[0].manager : manager) && !can_rows_repeat(s->query, manager);
  s->columns[s->count++] =
      (contiguous_column_t){manager, column, written, manager && manager->schema.fields[column].type == FIELD_ENTITY};
}

// Returns true if the query's rows are the first rows of each component, in the same order.
static bool is_aligned(const contiguous_t *s) {
  const query_o *q = s->query;
  const manager_o *before = NULL;
  for (uint32_t i = 0; i < s->count; ++i) {
    const manager_o *m = s->columns[i].manager;
    for (uint32_t k = 0; m != before && m && k < q->term_count; ++k)
      if (q->terms[k].manager == m && q->terms[k].role == QUERY_WITH && q->terms[k].misaligned > 0)
        return false;
    before = m;
  }
  return true;
}

uint32_t contiguous_get_columns(const contiguous_t *s, void **columns, uint8_t **marks) {
  const query_o *q = s->query;
  uint32_t rows = q ? q->count : 0;
  if (rows == 0 || s->count == 0 ||
      !((s->is_single_component && s->columns[0].manager->count == rows) || is_aligned(s)))
    return 0;
  shoal_assert(q->open == 0, "query %u must be closed", q->id);
  for (uint32_t i = 0; i < s->count; ++i) {
    const contiguous_column_t *c = &s->columns[i];
    shoal_assert(!c->manager || c->manager->count >= rows, "%s has %u rows, but the query has %u",
                 c->manager->schema.name, c->manager->count, rows);
    columns[i] = c->manager ? c->manager->data[c->column] : q->entities;
    marks[i] = c->written ? columns_get_marks(&c->manager->columns, c->column) : NULL;
  }
  return rows;
}

bool contiguous_can_pad(const contiguous_t *s, uint8_t *const *marks, uint32_t end) {
  for (uint32_t i = 0; i < s->count; ++i) {
    const contiguous_column_t *c = &s->columns[i];
    if (!c->manager || c->manager->columns.capacity < end || marks[i] || (c->written && c->is_link))
      return false;
  }
  return true;
}
