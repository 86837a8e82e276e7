// Column views of query terms: created with the query, and re-created when a component's layout changes.
#include "ecs/query_internal.h"
#include "ecs/query_rows.h"
#include "ecs/world_internal.h"

uint32_t query_view_count(const query_term_t *t) {
  const schema_t *s = &t->manager->schema;
  return t->role == QUERY_WITHOUT ? 0 : s->field_count + s->derived_count;
}

void query_create_views(query_term_t *t, allocator_t *a) {
  uint32_t n = query_view_count(t);
  t->views = alloc_resize(a, NULL, 0, n * sizeof *t->views);
  for (uint32_t i = 0; i < n; ++i)
    t->views[i] = (column_view_t){0};
  t->lasting = alloc_resize(a, NULL, 0, 2 * (size_t)n * sizeof *t->lasting);
  for (uint32_t i = 0; i < 2 * n; ++i)
    t->lasting[i] = (column_view_t){0};
  t->view_count = n;
}

void query_free_views(query_term_t *t, uint32_t count, allocator_t *a) {
  alloc_resize(a, t->views, count * sizeof *t->views, 0);
  alloc_resize(a, t->lasting, 2 * (size_t)count * sizeof *t->lasting, 0);
  t->views = t->lasting = NULL;
}

void query_rebuild_views(query_o *q, manager_o *m) {
  query_assert_closed(q);
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager == m) {
      query_free_views(&q->terms[i], q->terms[i].view_count, &q->world->allocator);
      query_create_views(&q->terms[i], &q->world->allocator);
    }
  q->layout_version++;
}
