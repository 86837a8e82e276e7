// Compares the read-only columns of a query when the query ends.
#include "access/read_check.h"

#include "access/access.h"
#include "access/last_error.h"
#include "base/hash.h"

// Returns true for read-only columns, except derived columns, which are copies that are never written back.
static bool is_checked(const access_term_t *term, uint32_t column) {
  return !term->written && !access_is_derived(term->bound, column);
}

static uint64_t hash_column(const access_view_t *v, const access_term_t *term, uint32_t column) {
  size_t bytes = (size_t)v->query->count * access_element_bytes(term->bound, column);
  return bytes > 0 ? hash_bytes(term->columns[column], bytes, 0) : 0;
}

void read_check_begin(access_o *a, read_check_t *check, const access_view_t *v) {
  check->is_running = check->openings < READ_CHECK_INITIAL || check->openings % READ_CHECK_INTERVAL == 0;
  check->openings++;
  check->write_count = a->write_count;
  check->hashes.count = 0;
  for (uint32_t i = 0; i < v->term_count && check->is_running; ++i)
    for (uint32_t column = 0; column < access_column_count(&v->terms[i]); ++column)
      if (is_checked(&v->terms[i], column))
        array_push(&a->memory, &check->hashes, hash_column(v, &v->terms[i], column));
}

bool read_check_end(const access_o *a, read_check_t *check, const access_view_t *v) {
  uint32_t k = 0;
  // Other calls may have written the columns: shoal_set, or a query that was opened inside this query.
  bool is_running = check->is_running && check->write_count == a->write_count;
  check->is_running = false;
  for (uint32_t i = 0; i < v->term_count && is_running; ++i) {
    const access_term_t *term = &v->terms[i];
    for (uint32_t column = 0; column < access_column_count(term); ++column)
      if (is_checked(term, column) && hash_column(v, term, column) != check->hashes.items[k++])
        return access_fail(
            "the program wrote %s.%s, which is read-only, because .reads names %s: remove it from .reads",
            v->shown[i].name, term->manager->schema.fields[term->bound->columns[column]].name, v->shown[i].name);
  }
  return true;
}
