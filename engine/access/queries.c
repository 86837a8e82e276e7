// Queries of a program: views whose element i of every column is row i. Columns whose rows lie in another order are
// copied, and copied back when the query ends. While a query is open the world defers, so that no row moves.
#include "access/access.h"
#include "access/changes.h"
#include "access/why.h"
#include "base/assert.h"
#include "ecs/hint.h"

#include <string.h>

#define MAX_QUERIES 1024u
#define NAME_LISTS 5

typedef struct term_t {
  access_bound_t *bound; // NULL: the program declares no columns of it
  manager_o *manager;
  query_role_t role;
  bool written;
  void **columns;   // indexed by the declaration's column: the store's own, or a copy
  scratch_t copies; // in the query's order
  uint8_t *there;   // of optional and any terms
  uint32_t there_capacity;
} term_t;

struct access_query_t {
  shoal_wanted wanted; // texts are copies
  query_o *query;
  term_t terms[QUERY_MAX_TERMS];
  shoal_term shown[QUERY_MAX_TERMS];
  uint32_t term_count;
  bool is_open;
  bool defers; // it was the first to be opened
};

// --- names

static void name_lists(const shoal_wanted *w, const char *const *out[NAME_LISTS]) {
  out[0] = w->with;
  out[1] = w->without;
  out[2] = w->optional;
  out[3] = w->any;
  out[4] = w->reads;
}

static bool same(const shoal_wanted *x, const shoal_wanted *y) {
  const char *const *a[NAME_LISTS], *const *b[NAME_LISTS];
  name_lists(x, a);
  name_lists(y, b);
  for (uint32_t k = 0; k < NAME_LISTS; ++k)
    for (uint32_t i = 0; i < SHOAL_MAX_NAMES && (a[k][i] || b[k][i]); ++i)
      if (!a[k][i] || !b[k][i] || strcmp(a[k][i], b[k][i]) != 0)
        return false;
  return true;
}

static void copy_names(access_o *a, shoal_wanted *w) {
  const char *const *lists[NAME_LISTS];
  name_lists(w, lists);
  for (uint32_t k = 0; k < NAME_LISTS; ++k)
    for (uint32_t i = 0; i < SHOAL_MAX_NAMES && lists[k][i]; ++i)
      ((const char **)(uintptr_t)lists[k])[i] = alloc_text(&a->memory, lists[k][i]);
}

static void free_names(access_o *a, shoal_wanted *w) {
  const char *const *lists[NAME_LISTS];
  name_lists(w, lists);
  for (uint32_t k = 0; k < NAME_LISTS; ++k)
    for (uint32_t i = 0; i < SHOAL_MAX_NAMES && lists[k][i]; ++i)
      alloc_resize(&a->memory, (char *)(uintptr_t)lists[k][i], strlen(lists[k][i]) + 1, 0);
}

static bool is_among(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

// --- making

// The program's own declaration comes before one that was found by name.
static access_bound_t *bound_of(access_o *a, const manager_o *m) {
  access_bound_t *found = NULL;
  for (uint32_t i = 0; i < a->bound.count; ++i) {
    access_bound_t *b = a->bound.items[i];
    if (strcmp(b->component->name, m->schema.name) == 0 && b->component->kind != SHOAL_KIND_EVENT &&
        access_bind(a, b->component) && (!found || found->described))
      found = b;
  }
  return found;
}

static bool add_terms(access_o *a, access_query_t *q, const char *const *names, query_role_t role, query_desc_t *desc) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i) {
    manager_o *m = world_find_manager(a->world, names[i]);
    if (!m)
      return access_fail("there is no component %.64s%s", names[i], hint_component(a->world, names[i], hint));
    if (q->term_count == QUERY_MAX_TERMS)
      return access_fail("a query names at most %d components", QUERY_MAX_TERMS);
    term_t *t = &q->terms[q->term_count];
    *t = (term_t){.bound = role == QUERY_WITHOUT ? NULL : bound_of(a, m), .manager = m, .role = role};
    uint32_t columns = t->bound ? t->bound->component->column_count : 0;
    t->written = t->bound && !is_among(q->wanted.reads, names[i]);
    t->columns = alloc_resize(&a->memory, NULL, 0, columns * sizeof *t->columns);
    q->shown[q->term_count++] = (shoal_term){.component = t->bound ? t->bound->component : NULL,
                                             .name = names[i], // of the copy
                                             .columns = columns > 0 ? (void *const *)t->columns : NULL};
    desc->terms[desc->term_count++] = (query_term_desc_t){.manager = m->id, .role = role};
  }
  return true;
}

static void free_query(access_o *a, access_query_t *q) {
  for (uint32_t i = 0; i < q->term_count; ++i) {
    term_t *t = &q->terms[i];
    uint32_t columns = t->bound ? t->bound->component->column_count : 0;
    alloc_resize(&a->memory, t->columns, columns * sizeof *t->columns, 0);
    alloc_resize(&a->memory, t->there, t->there_capacity, 0);
    scratch_free(&a->memory, &t->copies);
  }
  free_names(a, &q->wanted);
  alloc_resize(&a->memory, q, sizeof *q, 0);
}

void access_free_queries(access_o *a) {
  for (uint32_t i = 0; i < a->queries.count; ++i)
    free_query(a, a->queries.items[i]);
  array_free(&a->memory, &a->queries);
  array_free(&a->memory, &a->open);
}

static access_query_t *make(access_o *a, const shoal_wanted *wanted) {
  query_desc_t desc = {.term_count = 0};
  error_t error = {0};
  if (a->queries.count == MAX_QUERIES)
    return access_fail("%u different queries were made: make the same ones again", MAX_QUERIES), NULL;
  access_query_t *q = alloc_resize(&a->memory, NULL, 0, sizeof *q);
  *q = (access_query_t){.wanted = *wanted};
  copy_names(a, &q->wanted);
  wanted = &q->wanted;
  bool fine =
      add_terms(a, q, wanted->with, QUERY_WITH, &desc) && add_terms(a, q, wanted->without, QUERY_WITHOUT, &desc) &&
      add_terms(a, q, wanted->optional, QUERY_OPTIONAL, &desc) && add_terms(a, q, wanted->any, QUERY_ANY, &desc);
  q->query = fine ? world_query(a->world, &desc, &error) : NULL;
  if (fine && !q->query)
    access_fail("%s", error.text);
  if (q->query) {
    for (uint32_t i = 0; i < q->term_count; ++i)
      changes_note(a, CHANGE_TERM, "nt", (double)q->terms[i].role, q->shown[i].name);
    changes_note(a, CHANGE_QUERY, "");
    array_push(&a->memory, &a->queries, q);
    return q;
  }
  free_query(a, q);
  return NULL;
}

// --- rows

static const query_term_t *find_term(const access_query_t *q, const term_t *t) {
  for (uint32_t i = 0; i < q->query->term_count; ++i)
    if (q->query->terms[i].manager == t->manager && q->query->terms[i].role == t->role)
      return &q->query->terms[i];
  shoal_assert(false, "a query has lost the component %s", t->manager->schema.name);
  return NULL;
}

static bool is_derived(const term_t *t, uint32_t column) {
  return t->bound->columns[column] >= t->manager->schema.field_count;
}

static void lay_column(access_o *a, access_query_t *q, term_t *t, uint32_t column) {
  uint32_t count = q->query->count, real = t->bound->columns[column];
  const column_view_t *view = &find_term(q, t)->views[real];
  uint32_t bytes = field_size(t->manager->schema.fields[real].type);
  t->columns[column] = is_derived(t, column) ? NULL : view->data;
  if (count == 0 || (!view->rows && !is_derived(t, column)))
    return;
  t->columns[column] =
      scratch_room(&a->memory, &t->copies, column, t->bound->component->column_count, (size_t)count * bytes);
  if (is_derived(t, column)) {
    manager_derive(t->manager, real, view->rows, 0, count, t->columns[column]);
    return;
  }
  float absent[16];
  columns_t one = t->manager->columns; // one default, without marks
  void *data[SCHEMA_MAX_FIELDS] = {NULL};
  data[real] = absent;
  one.data = data;
  columns_fill(&one, real, 0, 1, one.initial[real]);
  scratch_gather(t->columns[column], view->data, view->rows, count, bytes, absent);
}

static void note_there(access_o *a, access_query_t *q, uint32_t term) {
  term_t *t = &q->terms[term];
  uint32_t count = q->query->count;
  const uint32_t *rows = find_term(q, t)->present.rows;
  if (t->there_capacity < count) {
    uint32_t wanted = columns_grown(t->there_capacity, count);
    t->there = alloc_resize(&a->memory, t->there, t->there_capacity, wanted);
    t->there_capacity = wanted;
  }
  for (uint32_t i = 0; i < count; ++i)
    t->there[i] = rows == NULL || rows[i] != ROW_NONE;
  q->shown[term].there = t->there;
}

static void lay_rows(access_o *a, access_query_t *q) {
  for (uint32_t i = 0; i < q->term_count; ++i) {
    term_t *t = &q->terms[i];
    if (t->role == QUERY_OPTIONAL || t->role == QUERY_ANY)
      note_there(a, q, i);
    for (uint32_t c = 0; t->bound && c < t->bound->component->column_count; ++c)
      lay_column(a, q, t, c);
  }
}

static void take_back(access_o *a, access_query_t *q) {
  for (uint32_t i = 0; i < q->term_count; ++i) {
    term_t *t = &q->terms[i];
    for (uint32_t c = 0; t->written && c < t->bound->component->column_count; ++c) {
      const field_t *f = &t->manager->schema.fields[t->bound->columns[c]];
      const column_view_t *view = &find_term(q, t)->views[t->bound->columns[c]];
      if (view->rows && q->query->count > 0 && !is_derived(t, c))
        scratch_scatter(view->data, t->columns[c], view->rows, q->query->count, field_size(f->type));
      if (f->type == FIELD_ENTITY)
        *world_links_written(a->world) = 1;
    }
  }
}

// --- opening and closing

// What is written in place is no part of a recording.
static bool may_write(const access_o *a, const access_query_t *q) {
  for (uint32_t i = 0; a->writes_refused && i < q->term_count; ++i)
    if (q->terms[i].written)
      return access_fail(
          "a recording is made or played, which would not know what is written to %s: name it in .reads, "
          "and use shoal_set",
          q->shown[i].name);
  return true;
}

static access_query_t *find_or_make(access_o *a, const shoal_wanted *wanted) {
  if (!wanted || (!wanted->with[0] && !wanted->any[0]))
    return access_fail("a query names a component that the entities have, in .with or .any"), NULL;
  for (uint32_t i = 0; i < a->queries.count; ++i)
    if (!a->queries.items[i]->is_open && same(&a->queries.items[i]->wanted, wanted))
      return a->queries.items[i];
  return make(a, wanted);
}

query_o *access_query_of(access_o *a, const shoal_wanted *wanted) {
  const access_query_t *q = find_or_make(a, wanted);
  return q ? q->query : NULL;
}

bool world_access_query(shoal_world *w, const shoal_wanted *wanted, shoal_view *out) {
  access_o *a = access_of(w);
  if (!out)
    return access_fail("the view is missing");
  *out = (shoal_view){0};
  access_query_t *q = find_or_make(a, wanted);
  if (!q || !may_write(a, q))
    return false;
  q->is_open = true;
  q->defers = a->open.count == 0;
  if (q->defers) {
    world_defer_begin(a->world, 0);
    changes_note(a, CHANGE_BEGIN, "");
  }
  array_push(&a->memory, &a->open, q);
  query_open(q->query);
  lay_rows(a, q);
  *out = (shoal_view){
      .count = q->query->count, .entities = q->query->entities, .terms = q->shown, .term_count = q->term_count};
  return true;
}

bool access_writes(const access_o *a) {
  for (uint32_t k = 0; k < a->open.count; ++k)
    for (uint32_t i = 0; i < a->open.items[k]->term_count; ++i)
      if (a->open.items[k]->terms[i].written)
        return true;
  return false;
}

void access_close_queries(access_o *a, uint32_t first) {
  while (a->open.count > first) {
    access_query_t *q = a->open.items[--a->open.count];
    take_back(a, q);
    query_close(q->query);
    q->is_open = false;
    if (!q->defers)
      continue;
    world_defer_end(a->world, false);
    changes_note(a, CHANGE_END, "");
  }
}

static uint32_t find_open(const access_o *a, const shoal_view *v) {
  uint32_t i = 0;
  while (v && i < a->open.count && a->open.items[i]->shown != v->terms)
    ++i;
  return v ? i : a->open.count;
}

bool world_access_query_end(shoal_world *w, const shoal_view *v) {
  access_o *a = access_of(w);
  uint32_t i = find_open(a, v);
  if (i == a->open.count)
    return access_fail("the query is not open: shoal_query_end takes the view that shoal_query filled, once");
  access_close_queries(a, i);
  return true;
}

uint32_t world_access_instance(shoal_world *w, const shoal_view *v, const shoal_component *component, uint32_t row) {
  access_o *a = access_of(w);
  const access_bound_t *b = access_bind_rows(a, component);
  uint32_t at = find_open(a, v);
  if (!b || (at == a->open.count && !access_fail("the view is not open")))
    return 0;
  const query_o *q = a->open.items[at]->query;
  for (uint32_t i = 0; i < q->term_count && row < q->count; ++i)
    if (q->terms[i].manager == b->manager && b->manager->instance && q->terms[i].role != QUERY_WITHOUT) {
      uint32_t there = q->terms[i].misaligned == 0 || !q->terms[i].rows ? row : q->terms[i].rows[row];
      return there < b->manager->count ? b->manager->instance[there] : 0;
    }
  access_fail(row < q->count ? "the query does not name %s, or it has no named rows" : "%s has no such row in the view",
              component->name);
  return 0;
}
