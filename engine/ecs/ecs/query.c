// Queries, updated on every change to their components. A query row is found by entity or, if a `many` component drives
// the query, by that component's row; both indexes are updated as rows move.
#include "ecs/query.h"

#include "base/assert.h"
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_rows.h"
#include "ecs/world_internal.h"

#include <string.h>

// --- life cycle

// Returns the index of the term whose rows are searched for matches: the driver or, if the query has no driver, the
// `with` term with the fewest rows. Returns -1 if the rows of every `any` component must be searched.
static int32_t find_seed_term(const query_o *q) {
  if (((const live_query_t *)q)->driver >= 0)
    return ((const live_query_t *)q)->driver;
  int32_t best = -1;
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].role == QUERY_WITH && (best < 0 || q->terms[i].manager->count < q->terms[best].manager->count))
      best = (int32_t)i;
  return best;
}

static void add_matches(query_o *q, const manager_o *m) {
  for (uint32_t row = 0; row < m->count; ++row) {
    shoal_entity e = m->owner[row];
    if (!query_contains(q, e) && query_matches(q, e))
      query_add_entity(q, e);
  }
}

// Returns true if the query names `disabled` and therefore sees disabled components.
bool query_includes_disabled(const world_o *w, const query_desc_t *desc) {
  bool found = false;
  for (uint32_t i = 0; i < desc->term_count; ++i) {
    found |= w->managers.items[desc->terms[i].manager - 1] == w->disabled;
  }
  return found;
}

static query_o *allocate_query(world_o *w, const query_desc_t *desc, bool is_inspection) {
  live_query_t *live = alloc_resize(&w->allocator, NULL, 0, sizeof *live);
  *live = (live_query_t){.shared = {.world = w, .term_count = desc->term_count},
                         .driver = -1,
                         .includes_disabled = query_includes_disabled(w, desc),
                         .is_inspection = is_inspection,
                         .asleep = !is_inspection};
  query_o *q = &live->shared;
  for (uint32_t i = 0; i < desc->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    t->manager = world_manager(w, desc->terms[i].manager);
    t->role = desc->terms[i].role;
    query_create_views(t, &w->allocator);
  }
  return q;
}

query_o *query_create(world_o *w, const query_desc_t *desc) {
  query_o *q = allocate_query(w, desc, false);
  array_push(&w->allocator, &w->sleeping, q);
  return q;
}

query_o *query_create_inspection(world_o *w, const query_desc_t *desc) {
  query_o *q = allocate_query(w, desc, true);
  array_push(&w->allocator, &w->inspections, q);
  return q;
}

static void free_content(query_o *q) {
  allocator_t *a = &q->world->allocator;
  live_query_t *live = query_live(q);
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    if (t->owned)
      t->manager->group = NULL;
    if (query_has_row_map(t))
      alloc_resize(a, t->rows, q->capacity * sizeof(uint32_t), 0);
    t->rows = NULL;
    t->misaligned = 0;
    t->owned = false;
  }
  if (!q->grouped)
    alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, 0);
  index_free(live->pages, live->page_count, a);
  alloc_resize(a, live->rows_by_driver, live->rows_by_driver_capacity * sizeof *live->rows_by_driver, 0);
  q->entities = live->rows_by_driver = NULL;
  live->pages = NULL;
  q->count = q->capacity = live->page_count = live->rows_by_driver_capacity = 0;
  q->grouped = false;
  live->leader = NULL;
}

void query_destroy(query_o *q) {
  allocator_t *a = &q->world->allocator;
  live_query_t *live = query_live(q);
  for (uint32_t i = 0; i < q->term_count; ++i)
    query_free_views(&q->terms[i], q->terms[i].view_count, a);
  free_content(q);
  array_free(a, &live->watchers);
  array_free(a, &live->followers);
  alloc_resize(a, live, sizeof *live, 0);
}

// --- sleeping

// Selects the driver of a query, and re-creates the views of components that were redeclared.
static void adapt_to_schemas(query_o *q) {
  live_query_t *live = query_live(q);
  live->driver = -1;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    if (t->role == QUERY_WITH && t->manager->schema.kind == SCHEMA_MANY)
      live->driver = (int32_t)i;
    if (t->view_count != query_view_count(t))
      query_rebuild_views(q, t->manager);
  }
}

static void register_query(query_o *q) {
  world_o *w = q->world;
  live_query_t *live = query_live(q);
  shoal_assert(live->asleep, "query %u is already awake", q->id);
  uint32_t index = 0;
  while (w->sleeping.items[index] != q)
    index++;
  w->sleeping.items[index] = w->sleeping.items[--w->sleeping.count];
  array_push(&w->allocator, &w->queries, q);
  q->id = w->queries.count;
  live->asleep = false;
  adapt_to_schemas(q);
  for (uint32_t i = 0; i < q->term_count; ++i)
    manager_add_query(q->terms[i].manager, q);
  w->plan_version++;
}

static void add_all_matches(query_o *q) {
  int32_t seed = find_seed_term(q);
  if (seed >= 0)
    add_matches(q, q->terms[seed].manager);
  for (uint32_t i = 0; i < q->term_count && seed < 0; ++i)
    if (q->terms[i].role == QUERY_ANY)
      add_matches(q, q->terms[i].manager);
}

static void clear_rows(query_o *q) {
  live_query_t *live = query_live(q);
  if (q->count > 0 && live->pages)
    index_clear_many(&live->pages, &live->page_count, q->entities, q->count, &q->world->allocator);
  if (live->rows_by_driver)
    memset(live->rows_by_driver, 0, live->rows_by_driver_capacity * sizeof *live->rows_by_driver);
  for (uint32_t i = 0; i < q->term_count; ++i)
    q->terms[i].misaligned = 0;
  q->count = 0;
}

// Populates an inspection query again if rows of its components have changed since the last time.
static void update_inspection(query_o *q) {
  live_query_t *live = query_live(q);
  uint64_t version = query_row_version(q);
  if (q->open > 0 || (live->populated && live->populated_version == version))
    return;
  clear_rows(q);
  adapt_to_schemas(q);
  add_all_matches(q);
  live->populated = true;
  live->populated_version = version;
}

void query_wake(query_o *q) {
  if (query_live(q)->is_inspection) {
    update_inspection(q);
  } else if (query_live(q)->asleep) {
    register_query(q);
    add_all_matches(q);
  }
}

void query_forget_inspections(world_o *w) {
  for (uint32_t i = 0; i < w->inspections.count; ++i)
    query_live(w->inspections.items[i])->populated = false;
}

static void remove_query(manager_o *m, const query_o *q) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->query_count; ++i)
    if (m->queries[i].query != q)
      m->queries[kept++] = m->queries[i];
  m->query_count = kept;
}

void query_sleep(query_o *q) {
  query_assert_closed(q);
  world_o *w = q->world;
  shoal_assert(w->queries.items[q->id - 1] == q, "query %u is not at its index", q->id);
  for (uint32_t i = q->id; i < w->queries.count; ++i) {
    w->queries.items[i]->id = i;
    w->queries.items[i - 1] = w->queries.items[i];
  }
  w->queries.count--;
  array_push(&w->allocator, &w->sleeping, q);
  for (uint32_t i = 0; i < q->term_count; ++i)
    remove_query(q->terms[i].manager, q);
  free_content(q);
  query_live(q)->watchers.count = 0;
  query_live(q)->asleep = true;
  w->plan_version++;
}

void query_take_content(query_o *q, query_data_t *out) {
  live_query_t *live = query_live(q);
  shoal_assert(!q->grouped, "query %u is a group: its components own its rows", q->id);
  *out = (query_data_t){.count = q->count,
                        .capacity = q->capacity,
                        .entities = q->entities,
                        .pages = live->pages,
                        .page_count = live->page_count,
                        .rows_by_driver = live->rows_by_driver,
                        .rows_by_driver_capacity = live->rows_by_driver_capacity};
  for (uint32_t i = 0; i < q->term_count; ++i) {
    out->rows[i] = q->terms[i].rows;
    out->misaligned[i] = q->terms[i].misaligned;
    q->terms[i].rows = NULL;
  }
  q->entities = live->rows_by_driver = NULL;
  live->pages = NULL;
  q->count = q->capacity = live->page_count = live->rows_by_driver_capacity = 0;
}

void query_load(query_o *q, query_data_t *data) {
  live_query_t *live = query_live(q);
  register_query(q);
  q->count = data->count;
  q->capacity = data->capacity;
  q->grouped = data->grouped;
  q->entities = data->entities;
  live->pages = data->pages;
  live->page_count = data->page_count;
  live->rows_by_driver = data->rows_by_driver;
  live->rows_by_driver_capacity = data->rows_by_driver_capacity;
  for (uint32_t i = 0; i < q->term_count && q->grouped; ++i) {
    manager_o *m = q->terms[i].manager;
    if (q->terms[i].role != QUERY_WITH)
      continue;
    m->group = q;
    live->leader = live->leader ? live->leader : m;
    q->entities = live->leader->owner;
    live->followers_version = 0;
  }
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    t->owned = q->grouped && t->role != QUERY_WITHOUT && t->manager->group == q;
    t->rows = data->rows[i];
    t->misaligned = data->misaligned[i];
  }
  *data = (query_data_t){.count = 0};
}

// --- groups

static void allocate_term_rows(query_o *q, query_term_t *t) {
  t->rows = alloc_resize(&q->world->allocator, t->rows, q->capacity * sizeof *t->rows, 0);
  t->misaligned = 0;
  t->owned = true;
}

void query_group(query_o *q) {
  query_assert_closed(q);
  live_query_t *live = query_live(q);
  allocator_t *a = &q->world->allocator;
  for (uint32_t k = 0; k < q->term_count; ++k) {
    manager_o *m = q->terms[k].manager;
    if (q->terms[k].role != QUERY_WITH)
      continue;
    shoal_assert(m->schema.kind == SCHEMA_COMPONENT, "%s is not a plain component", m->schema.name);
    shoal_assert(!m->group, "%s already belongs to a group", m->schema.name);
    manager_swap_rows(m, q->entities, q->count, 0, 1, NULL);
    m->group = q;
    live->leader = live->leader ? live->leader : m;
  }
  for (uint32_t k = 0; k < q->term_count; ++k) // includes optional terms of the same components
    if (q->terms[k].role != QUERY_WITHOUT && q->terms[k].manager->group == q)
      allocate_term_rows(q, &q->terms[k]);
  alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, 0);
  index_free(live->pages, live->page_count, a);
  live->pages = NULL;
  live->page_count = 0;
  q->entities = live->leader->owner;
  q->grouped = true;
  live->followers_version = 0;
}

void query_ungroup(query_o *q) {
  query_assert_closed(q);
  live_query_t *live = query_live(q);
  allocator_t *a = &q->world->allocator;
  shoal_entity *entities = alloc_resize(a, NULL, 0, q->capacity * sizeof *entities);
  if (q->count > 0)
    memcpy(entities, q->entities, q->count * sizeof *entities);
  q->entities = entities;
  index_set_many(&live->pages, &live->page_count, entities, q->count, 0, NULL, a);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    if (!t->owned)
      continue;
    t->owned = false;
    t->manager->group = NULL;
    t->rows = alloc_resize(a, NULL, 0, q->capacity * sizeof *t->rows);
    for (uint32_t i = 0; i < q->count; ++i)
      t->rows[i] = i;
  }
  live->leader = NULL;
  q->grouped = false;
}

// Returns the row map 0, 1, 2, … Used when the query names an owned component again as optional, because optional terms
// are always read through a map.
static uint32_t *get_identity_map(world_o *w, uint32_t count) {
  array_reserve(&w->allocator, &w->identity_map, count);
  for (; w->identity_map.count < count; ++w->identity_map.count)
    w->identity_map.items[w->identity_map.count] = w->identity_map.count;
  return w->identity_map.items;
}

// --- reading

void query_open(query_o *q) {
  live_query_t *live = query_live(q);
  bool changed = q->layout_version == 0;
  query_wake(q);
  if (q->open++ > 0)
    return; // structural changes have not been possible since the outer query_open
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    bool aligned = t->misaligned == 0;
    shoal_assert(t->misaligned <= 1 || t->misaligned <= q->count, "%u misaligned rows exceed the count %u",
                 t->misaligned, q->count);
    changed |= aligned != live->was_aligned[i];
    live->was_aligned[i] = aligned;
    if (t->owned)
      t->rows = t->role == QUERY_WITH ? NULL : get_identity_map(q->world, q->count);
    query_fill_views(t, q->count);
  }
  q->entity_view = (column_view_t){.data = q->entities, .count = q->count};
  q->layout_version += changed;
}

void query_close(query_o *q) {
  shoal_assert(q->open > 0, "query %u was closed more often than it was opened", q->id);
  if (q->open == 0 || --q->open > 0)
    return;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    for (uint32_t k = 0; k < t->view_count; ++k)
      t->views[k].count = t->stable_views[k].count = t->stable_views[t->view_count + k].count = 0;
    t->present.count = 0;
  }
  q->entity_view.count = 0;
}
