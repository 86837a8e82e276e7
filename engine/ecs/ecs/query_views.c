// Column views of query terms: created with the query, and re-created when a component's layout changes.
#include "ecs/query_internal.h"
#include "ecs/query_rows.h"
#include "ecs/world_internal.h"

uint32_t query_view_count(const query_term_t *t) {
  const schema_t *s = &t->manager->schema;
  return t->role == QUERY_WITHOUT ? 0 : s->field_count + s->derived_count;
}

void query_create_views(query_term_t *t, allocator_t *a) {
  uint32_t view_count = query_view_count(t);
  t->views = alloc_resize(a, NULL, 0, view_count * sizeof *t->views);
  for (uint32_t i = 0; i < view_count; ++i)
    t->views[i] = (column_view_t){0};
  t->stable_views = alloc_resize(a, NULL, 0, 2 * (size_t)view_count * sizeof *t->stable_views);
  for (uint32_t i = 0; i < 2 * view_count; ++i)
    t->stable_views[i] = (column_view_t){0};
  t->view_count = view_count;
}

void query_free_views(query_term_t *t, uint32_t count, allocator_t *a) {
  alloc_resize(a, t->views, count * sizeof *t->views, 0);
  alloc_resize(a, t->stable_views, 2 * (size_t)count * sizeof *t->stable_views, 0);
  t->views = t->stable_views = NULL;
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
