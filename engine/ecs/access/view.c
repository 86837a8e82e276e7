// The rows of a query, with the columns declared by a program.
#include "access/view.h"

#include "access/access.h"
#include "access/last_error.h"
#include "ecs/name_hint.h"

#include <string.h>

// --- creating

static bool contains_name(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

static bool add_terms(access_o *a, access_view_t *v, const char *const *names, const char *const *reads,
                      query_role_t role) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i) {
    manager_o *m = world_find_manager(a->world, names[i]);
    if (!m)
      return access_fail("unknown component %.64s%s", names[i], hint_component(a->world, names[i], hint));
    if (v->term_count == QUERY_MAX_TERMS)
      return access_fail("too many components in a query (at most %d)", QUERY_MAX_TERMS);
    access_term_t *t = &v->terms[v->term_count];
    *t = (access_term_t){
        .bound = role == QUERY_WITHOUT ? NULL : access_find_component_binding(a, m), .manager = m, .role = role};
    uint32_t columns = t->bound ? t->bound->component->column_count : 0;
    t->written = t->bound && reads && !contains_name(reads, names[i]);
    // Writes in place set no change marks. The values are compared when marks are needed, because comparing them after
    // each run would take longer than most systems.
    if (t->written)
      m->unmarked_columns |= access_stored_columns(t->bound);
    t->columns = alloc_resize(&a->memory, NULL, 0, columns * sizeof *t->columns);
    v->shown[v->term_count++] = (shoal_term){.component = t->bound ? t->bound->component : NULL,
                                             .name = names[i],
                                             .columns = columns > 0 ? (void *const *)t->columns : NULL};
  }
  return true;
}

bool access_view_init(access_o *a, access_view_t *v, const shoal_query_desc *wanted, bool writes) {
  const char *const *reads = writes ? wanted->reads : NULL;
  query_desc_t desc = {.term_count = 0};
  error_info_t error = {0};
  bool ok = add_terms(a, v, wanted->with, reads, QUERY_WITH) &&
            add_terms(a, v, wanted->without, reads, QUERY_WITHOUT) &&
            add_terms(a, v, wanted->optional, reads, QUERY_OPTIONAL) && add_terms(a, v, wanted->any, reads, QUERY_ANY);
  for (uint32_t i = 0; i < v->term_count; ++i)
    desc.terms[desc.term_count++] = (query_term_desc_t){v->terms[i].manager->id, v->terms[i].role};
  v->query = NULL;
  if (ok && desc.term_count > 0)
    v->query = a->desc.inspects ? world_find_or_create_inspection(a->world, &desc, &error)
                                : world_find_or_create_query(a->world, &desc, &error);
  return ok && (v->query || desc.term_count == 0 || access_fail("%s", error.text));
}

void access_view_fini(access_o *a, access_view_t *v) {
  for (uint32_t i = 0; i < v->term_count; ++i) {
    access_term_t *t = &v->terms[i];
    alloc_resize(&a->memory, t->columns, (t->bound ? t->bound->component->column_count : 0) * sizeof *t->columns, 0);
    alloc_resize(&a->memory, t->there, t->there_capacity, 0);
    scratch_free(&a->memory, &t->copies);
  }
  v->term_count = 0;
}

// --- rows

static const query_term_t *find_term(const access_view_t *v, const access_term_t *t) {
  for (uint32_t i = 0; i < v->query->term_count; ++i)
    if (v->query->terms[i].manager == t->manager && v->query->terms[i].role == t->role)
      return &v->query->terms[i];
  shoal_assert(false, "the query does not name component %s", t->manager->schema.name);
  return NULL;
}

static uint32_t count_columns(const access_term_t *t) {
  return t->bound ? t->bound->component->column_count : 0;
}

static bool is_column_copied(const access_o *a, const access_term_t *t, const query_term_t *q, uint32_t column) {
  return q->views[t->bound->columns[column]].rows || access_is_derived(t->bound, column) || a->desc.exact;
}

static void *reserve_copy_buffer(access_o *a, const access_view_t *v, access_term_t *t, uint32_t column) {
  size_t bytes = (size_t)v->query->count * access_element_bytes(t->bound, column);
  return a->desc.exact ? scratch_reserve_exact(&a->memory, &t->copies, column, count_columns(t), bytes)
                       : scratch_reserve(&a->memory, &t->copies, column, count_columns(t), bytes);
}

static void allocate_copies(access_o *a, access_view_t *v) {
  uint32_t count = v->query->count;
  for (uint32_t i = 0; i < v->term_count && count > 0; ++i) {
    access_term_t *t = &v->terms[i];
    const query_term_t *q = find_term(v, t);
    if ((t->role == QUERY_OPTIONAL || t->role == QUERY_ANY) && t->there_capacity < count) {
      uint32_t wanted = columns_compute_capacity(t->there_capacity, count);
      t->there = alloc_resize(&a->memory, t->there, t->there_capacity, wanted);
      t->there_capacity = wanted;
    }
    for (uint32_t c = 0; c < count_columns(t); ++c)
      if (is_column_copied(a, t, q, c))
        reserve_copy_buffer(a, v, t, c);
  }
}

void access_view_open(access_o *a, access_view_t *v, shoal_view *out) {
  *out = (shoal_view){.terms = v->shown, .term_count = v->term_count};
  if (!v->query)
    return;
  query_open(v->query);
  allocate_copies(a, v);
  out->count = v->query->count;
  out->entities = v->query->entities;
}

static void set_column_pointer(access_o *a, access_view_t *v, access_term_t *t, const query_term_t *q,
                               uint32_t column) {
  double absent[8]; // one element of up to 64 bytes (mat4); aligned for every type
  uint32_t count = v->query->count, real = t->bound->columns[column];
  const column_view_t *view = &q->views[real];
  uint32_t bytes = access_element_bytes(t->bound, column);
  t->columns[column] = access_is_derived(t->bound, column) ? NULL : view->data;
  if (count == 0 || !is_column_copied(a, t, q, column))
    return;
  t->columns[column] = reserve_copy_buffer(a, v, t, column);
  if (access_is_derived(t->bound, column)) {
    manager_compute_derived_field(t->manager, real, view->rows, 0, count, t->columns[column]);
  } else if (view->rows) {
    shoal_assert(bytes <= sizeof absent, "element size %u is out of range", bytes);
    scratch_fill_default(&t->manager->columns, real, absent, 1);
    scratch_gather_rows(t->columns[column], view->data, view->rows, count, bytes, absent);
  } else {
    memcpy(t->columns[column], view->data, (size_t)count * bytes);
  }
}

void access_view_gather(access_o *a, access_view_t *v) {
  for (uint32_t i = 0; i < v->term_count && v->query; ++i) {
    access_term_t *t = &v->terms[i];
    const query_term_t *q = find_term(v, t);
    for (uint32_t k = 0; t->there && k < v->query->count; ++k)
      t->there[k] = q->present.rows == NULL || q->present.rows[k] != ROW_NONE;
    v->shown[i].present = t->there;
    for (uint32_t c = 0; c < count_columns(t); ++c)
      set_column_pointer(a, v, t, q, c);
  }
}

void access_view_scatter(const access_o *a, access_view_t *v) {
  uint32_t count = v->query ? v->query->count : 0;
  for (uint32_t i = 0; i < v->term_count && count > 0; ++i) {
    access_term_t *t = &v->terms[i];
    const query_term_t *q = find_term(v, t);
    for (uint32_t c = 0; t->written && c < count_columns(t); ++c) {
      const column_view_t *view = &q->views[t->bound->columns[c]];
      uint32_t bytes = access_element_bytes(t->bound, c);
      if (view->rows && !access_is_derived(t->bound, c))
        scratch_scatter_rows(view->data, t->columns[c], view->rows, count, bytes);
      else if (a->desc.exact && !access_is_derived(t->bound, c))
        memcpy(view->data, t->columns[c], (size_t)count * bytes);
    }
  }
}

// Fills the copies of a view that is no longer valid: floats become NaN, and ids those of no entity.
static void poison_copies(access_view_t *v) {
  for (uint32_t i = 0; i < v->term_count; ++i) {
    const scratch_t *copies = &v->terms[i].copies;
    for (uint32_t c = 0; c < copies->count; ++c)
      if (copies->memory[c])
        memset(copies->memory[c], 0xff, copies->bytes[c]);
  }
}

void access_view_close(const access_o *a, access_view_t *v) {
  if (a->desc.exact)
    poison_copies(v);
  for (uint32_t i = 0; i < v->term_count; ++i)
    if (v->terms[i].written)
      access_mark_written(a, v->terms[i].bound);
  if (v->query)
    query_close(v->query);
}
