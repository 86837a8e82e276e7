// A program's queries. While a query is open, the world queues changes, so that rows do not move.
#include "access/access.h"
#include "access/changes.h"
#include "access/last_error.h"
#include "access/pairs.h"
#include "access/read_check.h"

#include <string.h>

#define MAX_QUERIES 1024u
#define NAME_LISTS 5

struct access_query_t {
  shoal_query_desc desc; // copy of the program's struct, including its strings
  access_view_t view;
  read_check_t read_check;
  bool is_open;
  bool defers; // true if the world queues changes because of this query
};

// --- names

static void get_name_lists(const shoal_query_desc *desc, const char *const *out[NAME_LISTS]) {
  out[0] = desc->with;
  out[1] = desc->without;
  out[2] = desc->optional;
  out[3] = desc->any;
  out[4] = desc->reads;
}

static bool are_queries_equal(const shoal_query_desc *desc_a, const shoal_query_desc *desc_b) {
  const char *const *a[NAME_LISTS], *const *b[NAME_LISTS];
  get_name_lists(desc_a, a);
  get_name_lists(desc_b, b);
  for (uint32_t k = 0; k < NAME_LISTS; ++k)
    for (uint32_t i = 0; i < SHOAL_MAX_NAMES && (a[k][i] || b[k][i]); ++i)
      if (!a[k][i] || !b[k][i] || strcmp(a[k][i], b[k][i]) != 0)
        return false;
  return true;
}

static void copy_names(access_o *a, shoal_query_desc *desc) {
  const char *const *lists[NAME_LISTS];
  get_name_lists(desc, lists);
  for (uint32_t k = 0; k < NAME_LISTS; ++k)
    for (uint32_t i = 0; i < SHOAL_MAX_NAMES && lists[k][i]; ++i)
      ((const char **)(uintptr_t)lists[k])[i] = alloc_copy_text(&a->memory, lists[k][i]);
}

static void free_names(access_o *a, shoal_query_desc *desc) {
  const char *const *lists[NAME_LISTS];
  get_name_lists(desc, lists);
  for (uint32_t k = 0; k < NAME_LISTS; ++k)
    for (uint32_t i = 0; i < SHOAL_MAX_NAMES && lists[k][i]; ++i)
      alloc_resize(&a->memory, (char *)(uintptr_t)lists[k][i], strlen(lists[k][i]) + 1, 0);
}

// --- creating

static void free_query(access_o *a, access_query_t *query) {
  access_view_fini(a, &query->view);
  array_free(&a->memory, &query->read_check.hashes);
  free_names(a, &query->desc);
  alloc_resize(&a->memory, query, sizeof *query, 0);
}

void access_free_queries(access_o *a) {
  for (uint32_t i = 0; i < a->queries.count; ++i)
    free_query(a, a->queries.items[i]);
  array_free(&a->memory, &a->queries);
  array_free(&a->memory, &a->open);
}

static bool names_component(const access_query_t *query, const char *component) {
  for (uint32_t i = 0; i < query->view.term_count; ++i)
    if (strcmp(query->view.shown[i].name, component) == 0)
      return true;
  return false;
}

void access_free_closed_queries(access_o *a, const char *component) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < a->queries.count; ++i) {
    access_query_t *query = a->queries.items[i];
    if (query->is_open || !names_component(query, component))
      a->queries.items[kept_count++] = query;
    else
      free_query(a, query);
  }
  a->queries.count = kept_count;
}

bool access_is_queried(const access_o *a, const char *component) {
  for (uint32_t i = 0; i < a->open.count; ++i)
    if (names_component(a->open.items[i], component))
      return true;
  return false;
}

static access_query_t *create_query(access_o *a, const shoal_query_desc *desc) {
  if (a->queries.count == MAX_QUERIES)
    return access_fail("too many different queries (at most %u): reuse existing queries", MAX_QUERIES), NULL;
  access_query_t *query = alloc_resize(&a->memory, NULL, 0, sizeof *query);
  *query = (access_query_t){.desc = *desc};
  copy_names(a, &query->desc);
  if (!access_view_init(a, &query->view, &query->desc, true)) {
    free_query(a, query);
    return NULL;
  }
  for (uint32_t i = 0; i < query->view.term_count && !a->desc.inspects; ++i)
    changes_record(a, CHANGE_TERM, "nt", (double)query->view.terms[i].role, query->view.shown[i].name);
  if (!a->desc.inspects)
    changes_record(a, CHANGE_QUERY, "");
  array_push(&a->memory, &a->queries, query);
  return query;
}

// --- opening and closing queries

static const access_term_t *find_written_term(const access_view_t *view) {
  for (uint32_t i = 0; i < view->term_count; ++i)
    if (view->terms[i].written)
      return &view->terms[i];
  return NULL;
}

// Returns true if the query may be opened. While a recording is made or played, a query must not write columns in
// place, because the recording would not contain these writes: in this case, returns false after calling access_fail.
static bool check_writes(const access_o *a, const access_query_t *query) {
  const access_term_t *term = a->writes_refused ? find_written_term(&query->view) : NULL;
  return !term ||
         access_fail(
             "cannot write %s in place during recording or replay: name the component in .reads and use shoal_set",
             query->view.shown[term - query->view.terms].name);
}

// Returns the first component of the view, except in `without`, that the program has not declared; NULL if the program
// has declared all of them.
static const char *find_undeclared(const access_query_t *query) {
  for (uint32_t i = 0; i < query->view.term_count; ++i)
    if (query->view.terms[i].role != QUERY_WITHOUT && !query->view.shown[i].component)
      return query->view.shown[i].name;
  return NULL;
}

// Returns true if the query may be opened, or false after calling access_fail if the program cannot find the columns of
// a component in the view, because it has not declared the component. Does not check plugins, which list their
// components before they run.
static bool check_declared(const access_o *a, const access_query_t *query) {
  const char *name = a->desc.closed ? NULL : find_undeclared(query);
  if (!name)
    return true;
  return !access_error_text()[0] && // an existing message states why the declaration does not match
         access_fail("the query names %s, which this program has not declared: call shoal_declare(world, "
                     "&%s_component) first, or shoal_find_component to use its columns by name",
                     name, name);
}

static access_query_t *find_closed_query(const access_o *a, const shoal_query_desc *desc) {
  for (uint32_t i = 0; i < a->queries.count; ++i)
    if (!a->queries.items[i]->is_open && are_queries_equal(&a->queries.items[i]->desc, desc))
      return a->queries.items[i];
  return NULL;
}

static access_query_t *find_or_create_query(access_o *a, const shoal_query_desc *desc) {
  if (!desc || (!desc->with[0] && !desc->any[0]))
    return access_fail("a query must name a component in .with or .any"), NULL;
  access_query_t *query = find_closed_query(a, desc);
  const char *undeclared = query && !a->desc.closed ? find_undeclared(query) : NULL;
  if (undeclared) // the component may be declared by now
    access_free_closed_queries(a, undeclared);
  return query && !undeclared ? query : create_query(a, desc);
}

query_o *access_get_query(access_o *a, const shoal_query_desc *desc) {
  const access_query_t *q = find_or_create_query(a, desc);
  if (!q || !a->desc.inspects)
    return q ? q->view.query : NULL;
  query_desc_t query_desc = {.term_count = q->view.query->term_count};
  for (uint32_t i = 0; i < query_desc.term_count; ++i)
    query_desc.terms[i] = (query_term_desc_t){q->view.query->terms[i].manager->id, q->view.query->terms[i].role};
  error_info_t error = {0};
  query_o *world_query = world_find_or_create_query(a->world, &query_desc, &error);
  return world_query ? world_query : (access_fail("%s", error.text), NULL);
}

// Returns the query for a view, or NULL after calling access_fail if the view cannot be opened.
static access_query_t *prepare_query(access_o *a, const shoal_query_desc *desc, shoal_view *out) {
  if (!out)
    return access_fail("`out` must not be NULL"), NULL;
  *out = (shoal_view){0};
  access_query_t *query = find_or_create_query(a, desc);
  return query && check_declared(a, query) && check_writes(a, query) ? query : NULL;
}

static bool open_query(access_o *a, access_query_t *query, shoal_view *out) {
  query->is_open = true;
  query->defers = !world_is_deferring(a->world);
  if (query->defers) {
    world_defer_begin(a->world, 0);
    changes_record(a, CHANGE_BEGIN, "");
  }
  array_push(&a->memory, &a->open, query);
  access_view_open(a, &query->view, out);
  access_view_gather(a, &query->view);
  a->write_count += find_written_term(&query->view) != NULL;
  query->view.write_count = a->write_count;
  read_check_begin(a, &query->read_check, &query->view);
  return true;
}

bool world_access_query_begin(shoal_world *w, const shoal_query_desc *desc, shoal_view *out) {
  access_query_t *query = prepare_query(access_of(w), desc, out);
  return query && open_query(access_of(w), query, out);
}

bool world_access_query_pairs_begin(shoal_world *w, const shoal_query_desc *desc, const shoal_pair *pairs,
                                    uint32_t pair_count, shoal_view *out) {
  access_o *a = access_of(w);
  shoal_query_desc all = desc ? *desc : (shoal_query_desc){.with = {NULL}};
  pair_t resolved[PAIRS_MAX];
  error_info_t error = {0};
  if (out)
    *out = (shoal_view){0};
  access_query_t *query =
      access_resolve_pairs(a, pairs, pair_count, &all, resolved) ? prepare_query(a, &all, out) : NULL;
  if (!query)
    return false;
  query_o *base = query->view.query;
  query_o *selected = pair_query_find_or_create(a->world, base, resolved, pair_count, &error);
  if (!selected)
    return access_fail("%s", error.text);
  query->view.base = base;
  query->view.query = selected;
  return open_query(a, query, out);
}

bool access_check_queries_closed(const access_o *a) {
  return a->open.count == 0 || access_fail("a query is open: call shoal_query_end first");
}

bool access_has_open_writer(const access_o *a) {
  for (uint32_t k = 0; k < a->open.count; ++k)
    if (find_written_term(&a->open.items[k]->view))
      return true;
  return false;
}

bool access_close_queries(access_o *a, uint32_t first) {
  bool reads_unchanged = true;
  while (a->open.count > first) {
    access_query_t *query = a->open.items[--a->open.count];
    reads_unchanged = read_check_end(a, &query->read_check, &query->view) && reads_unchanged;
    access_view_scatter(a, &query->view);
    access_view_close(a, &query->view);
    query->is_open = false;
    if (!query->defers)
      continue;
    world_defer_end(a->world, false);
    changes_record(a, CHANGE_END, "");
  }
  return reads_unchanged;
}

static uint32_t find_open_view(const access_o *a, const shoal_view *v) {
  uint32_t i = 0;
  while (v && i < a->open.count && a->open.items[i]->view.shown != v->terms)
    ++i;
  return v ? i : a->open.count;
}

bool world_access_query_end(shoal_world *w, const shoal_view *v) {
  access_o *a = access_of(w);
  uint32_t i = find_open_view(a, v);
  if (i == a->open.count)
    return access_fail("the query is not open: pass a view from shoal_query_begin, and end it only once");
  return access_close_queries(a, i);
}

const access_view_t *access_find_open_view(const access_o *a, const shoal_view *v) {
  uint32_t i = find_open_view(a, v);
  return i < a->open.count ? &a->open.items[i]->view : NULL;
}

const query_o *access_find_open_query(const access_o *a, const shoal_view *v) {
  const access_view_t *view = access_find_open_view(a, v);
  return view ? view->query : NULL;
}

uint32_t access_row_instance(const query_o *query, const access_binding_t *binding, uint32_t row) {
  const char *name = binding->component->name;
  uint32_t i = 0;
  while (i < query->term_count &&
         (query->terms[i].manager != binding->manager || query->terms[i].role == QUERY_WITHOUT))
    ++i;
  if (binding->component->kind != SHOAL_KIND_MANY || i == query->term_count || row >= query->count) {
    access_fail(binding->component->kind != SHOAL_KIND_MANY ? "%s has no named instances: pass a SHOAL_MANY component"
                : i == query->term_count                    ? "the view's query does not name %s: add it to .with"
                                                            : "row of %s is out of range: use a row below v->count",
                name);
    return 0;
  }
  uint32_t store_row = query->terms[i].misaligned == 0 || !query->terms[i].rows ? row : query->terms[i].rows[row];
  return store_row < binding->manager->count ? binding->manager->instance[store_row] : 0;
}

uint32_t world_access_row_instance(shoal_world *w, const shoal_view *v, const shoal_component *component,
                                   uint32_t row) {
  const access_o *a = access_of(w);
  const access_binding_t *b = access_bind_rows(access_of(w), component);
  bool is_in_part = v && access_world_of(w)->chunk && a->part_query;
  const query_o *q = is_in_part ? a->part_query : access_find_open_query(a, v);
  return b && (q || access_fail("the view is not open: pass a view from shoal_query_begin"))
             ? access_row_instance(q, b, is_in_part ? v->first + row : row)
             : 0;
}
