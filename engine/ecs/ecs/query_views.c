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
  alloc_resize(a, t->derived, t->derived_bytes, 0);
  alloc_resize(a, t->workspace.memory, t->workspace.bytes, 0);
  t->views = t->stable_views = NULL;
  t->derived = NULL;
  t->derived_bytes = 0;
  t->workspace = (manager_workspace_t){0};
}

static bool is_derived_number(const schema_t *s, uint32_t field) {
  return field >= s->field_count && s->fields[field].type == FIELD_F32;
}

// Fills the three views of a field. Each view is built from values in registers, because reading back a view whose
// fields were just written one by one stalls the processor. The difference matters, because each system fills all views
// of its queries in each tick.
static void fill_view(query_term_t *t, uint32_t field, void *data, uint8_t *marks, uint32_t count) {
  bool aligned = t->misaligned == 0;
  t->views[field] = (column_view_t){data, aligned ? NULL : t->rows, count, 0, marks};
  t->stable_views[field] = (column_view_t){data, NULL, aligned ? count : 0, 0, marks};
  t->stable_views[t->view_count + field] = (column_view_t){data, t->rows, t->rows ? count : 0, 0, marks};
}

void query_fill_views(query_term_t *t, uint32_t count) {
  const manager_o *m = t->manager;
  for (uint32_t i = 0; i < t->view_count; ++i) {
    if (i < m->schema.field_count)
      fill_view(t, i, m->data[i], columns_get_marks(&m->columns, i), count);
    else if (is_derived_number(&m->schema, i))
      fill_view(t, i, NULL, NULL, 0);
    else
      fill_view(t, i, t->manager, NULL, count);
  }
  t->is_derived_ready = false;
  t->present.rows = t->role == QUERY_ANY || t->role == QUERY_OPTIONAL ? t->rows : NULL;
  t->present.count = count;
}

static void compute_derived(query_term_t *t, uint32_t count, allocator_t *a) {
  const schema_t *s = &t->manager->schema;
  size_t column_rows = columns_compute_capacity(0, t->manager->count);
  float *columns[SCHEMA_MAX_FIELDS];
  uint32_t column_count = 0;
  for (uint32_t i = s->field_count; i < t->view_count; ++i)
    column_count += is_derived_number(s, i);
  size_t bytes = column_count * column_rows * sizeof(float);
  if (bytes > t->derived_bytes) {
    alloc_resize(a, t->derived, t->derived_bytes, 0);
    t->derived = alloc_resize(a, NULL, 0, bytes);
    t->derived_bytes = bytes;
  }
  for (uint32_t i = 0; i < column_count; ++i)
    columns[i] = t->derived + i * column_rows;
  if (column_count > 0)
    t->manager->hooks.derive_columns(t->manager->hooks.context, t->manager, t->misaligned == 0 ? NULL : t->rows, count,
                                     columns, &t->workspace);
  column_count = 0;
  for (uint32_t i = s->field_count; i < t->view_count; ++i)
    if (is_derived_number(s, i))
      fill_view(t, i, columns[column_count++], NULL, count);
  t->is_derived_ready = true;
}

void query_compute_derived(query_o *q, uint32_t manager) {
  shoal_assert(q->open > 0, "query %u must be open", q->id);
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    if (t->manager->id == manager && t->role != QUERY_WITHOUT && !t->is_derived_ready && q->count > 0)
      compute_derived(t, q->count, &q->world->allocator);
  }
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
