// Queries over pairs: those rows of a query that point at one entity. The query says who has what, the way back says
// who points; what comes out is laid like a query, its rows found through maps. It is filled when it is asked for, in
// the order of the entities' indices, and stays as it is while it is open, for nothing changes then.
#include "relation/relating.h"
#include "relation/relation.h"

#include "base/assert.h"

#include <string.h>

#define MOST_OPEN 256u // at a time

// A live_query_t, so that whoever holds a query may look into it; not one of the world's.
struct pairs_t {
  live_query_t live;
  query_o *base;
  uint32_t pair_count;
  pair_t pairs[PAIRS_MOST];
};

static query_o *shared(pairs_t *p) {
  return &p->live.shared;
}

static bool has_rows(const query_term_t *t) {
  return t->role != QUERY_WITHOUT;
}

static void free_terms(pairs_t *p, allocator_t *a) {
  query_o *q = shared(p);
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    alloc_resize(a, t->rows, q->capacity * sizeof *t->rows, 0);
    alloc_resize(a, t->views, t->view_count * sizeof *t->views, 0);
    alloc_resize(a, t->lasting, 2 * (size_t)t->view_count * sizeof *t->lasting, 0);
  }
  alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, 0);
  memset(q, 0, sizeof *q);
}

void pairs_free_all(relation_o *r) {
  for (uint32_t i = 0; i < r->queries.count; ++i) {
    free_terms(r->queries.items[i], &r->world->allocator);
    alloc_resize(&r->world->allocator, r->queries.items[i], sizeof(pairs_t), 0);
  }
}

static void lay_terms(pairs_t *p, const query_o *base, allocator_t *a) {
  query_o *q = shared(p);
  *q = (query_o){.world = base->world, .term_count = base->term_count, .layout_version = 1};
  p->live.driver = -1;
  p->base = (query_o *)(uintptr_t)base;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    *t = (query_term_t){.manager = base->terms[i].manager, .role = base->terms[i].role};
    t->view_count = base->terms[i].view_count;
    t->misaligned = 1; // its rows are never those of the query
    t->views = alloc_resize(a, NULL, 0, t->view_count * sizeof *t->views);
    t->lasting = alloc_resize(a, NULL, 0, 2 * (size_t)t->view_count * sizeof *t->lasting);
    for (uint32_t k = 0; k < t->view_count; ++k)
      t->views[k] = t->lasting[k] = t->lasting[t->view_count + k] = (column_view_t){0};
  }
}

static bool same_shape(const pairs_t *p, const query_o *base, const pair_t *pairs, uint32_t count) {
  bool same = p->base == base && p->pair_count == count;
  for (uint32_t i = 0; same && i < count; ++i)
    same = p->pairs[i].manager == pairs[i].manager && p->pairs[i].column == pairs[i].column;
  for (uint32_t i = 0; same && i < base->term_count; ++i) // a component may have been declared anew
    same = p->live.shared.terms[i].view_count == base->terms[i].view_count;
  return same;
}

static bool same_targets(const pairs_t *p, const pair_t *pairs, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (p->pairs[i].target != pairs[i].target)
      return false;
  return true;
}

// One that is open for the same pairs, else one that is closed, else a new one; NULL where too many are open. None is
// ever laid for other terms: scripts may keep the addresses of its views.
static pairs_t *take(relation_o *r, const query_o *base, const pair_t *pairs, uint32_t count) {
  pairs_t *closed = NULL;
  uint32_t open = 0;
  for (uint32_t i = 0; i < r->queries.count; ++i) {
    pairs_t *p = r->queries.items[i];
    if (!same_shape(p, base, pairs, count))
      continue;
    if (base->open == 0)
      shared(p)->open = 0; // whoever held it was given up (world_abandon)
    if (shared(p)->open > 0 && same_targets(p, pairs, count))
      return p;
    open += shared(p)->open > 0;
    closed = shared(p)->open == 0 ? p : closed;
  }
  if (closed || open >= MOST_OPEN)
    return closed;
  allocator_t *a = &r->world->allocator;
  pairs_t *made = alloc_resize(a, NULL, 0, sizeof *made);
  memset(made, 0, sizeof *made);
  array_push(a, &r->queries, made);
  lay_terms(made, base, a);
  made->pair_count = count;
  return made;
}

static void reserve(pairs_t *p, uint32_t wanted, allocator_t *a) {
  query_o *q = shared(p);
  if (wanted <= q->capacity)
    return;
  q->entities = alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, wanted * sizeof *q->entities);
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (has_rows(&q->terms[i]))
      q->terms[i].rows = alloc_resize(a, q->terms[i].rows, q->capacity * sizeof(uint32_t), wanted * sizeof(uint32_t));
  q->capacity = wanted;
}

// Where the query has this row of the component that points, which may be the one that gives its rows.
static uint32_t row_of_base(const query_o *base, const manager_o *m, shoal_entity e, uint32_t row) {
  const live_query_t *l = (const live_query_t *)base;
  if (l->driver >= 0 && base->terms[l->driver].manager == m)
    return row < l->by_row_capacity && l->by_row[row] ? l->by_row[row] - 1 : ROW_NONE;
  uint32_t at = l->lead ? manager_row(l->lead, e) + 1 : index_get(l->pages, l->page_count, e);
  return at != 0 && at <= base->count && base->entities[at - 1] == e ? at - 1 : ROW_NONE;
}

static bool has_all(world_o *w, const pair_t *pairs, uint32_t count, shoal_entity e) {
  for (uint32_t i = 1; i < count; ++i)
    if (relation_row(w, e, pairs[i].manager, pairs[i].target) == ROW_NONE)
      return false;
  return true;
}

static void append(pairs_t *p, uint32_t at) {
  query_o *q = shared(p);
  shoal_assert(q->count < q->capacity && at < p->base->count, "row %u of a query with %u", at, p->base->count);
  q->entities[q->count] = p->base->entities[at];
  for (uint32_t i = 0; i < q->term_count; ++i) {
    const query_term_t *from = &p->base->terms[i];
    if (has_rows(from))
      q->terms[i].rows[q->count] = from->owned ? at : from->rows[at];
  }
  ++q->count;
}

static void fill(relation_o *r, pairs_t *p) {
  query_o *q = shared(p);
  const pair_t *first = &p->pairs[0];
  uint32_t count;
  const link_t *links = relation_links(r->world, first->target, first->manager, first->column, &count);
  const manager_o *m = world_manager(r->world, first->manager);
  reserve(p, count, &r->world->allocator);
  q->count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = m->owner[link_row(links[i])];
    uint32_t at = row_of_base(p->base, m, e, link_row(links[i]));
    if (at != ROW_NONE && has_all(r->world, p->pairs, p->pair_count, e))
      append(p, at);
  }
}

query_o *pair_query(world_o *w, query_o *base, const pair_t *pairs, uint32_t count, error_t *error) {
  relation_o *r = relation_of(w);
  shoal_assert(count > 0 && count <= PAIRS_MOST, "a query over %u pairs", count);
  query_open(base); // wakes it
  query_close(base);
  pairs_t *p = take(r, base, pairs, count);
  if (!p) {
    error_set(error,
              "%u queries over pairs are open at once, and more are not: world.who_targets gives lists, of as "
              "many as are asked for",
              MOST_OPEN);
    return NULL;
  }
  if (shared(p)->open > 0)
    return shared(p);
  memcpy(p->pairs, pairs, count * sizeof *pairs);
  fill(r, p);
  return shared(p);
}

static void set_views(query_term_t *t, uint32_t count) {
  uint32_t stored = t->manager->schema.field_count;
  for (uint32_t i = 0; i < t->view_count; ++i) {
    column_view_t v = {.data = i < stored ? t->manager->data[i] : t->manager, .rows = t->rows, .count = count};
    v.marks = i < stored ? columns_marks(&t->manager->columns, i) : NULL;
    t->views[i] = t->lasting[t->view_count + i] = v;
  }
  t->present.rows = t->role == QUERY_ANY || t->role == QUERY_OPTIONAL ? t->rows : NULL;
  t->present.count = count;
}

void pair_query_open(query_o *q) {
  if (q->open++ > 0)
    return;
  query_open(((pairs_t *)q)->base); // so that nothing changes below it
  for (uint32_t i = 0; i < q->term_count; ++i)
    set_views(&q->terms[i], q->count);
  q->entity_view = (column_view_t){.data = q->entities, .count = q->count};
}

void pair_query_close(query_o *q) {
  shoal_assert(q->open > 0, "a query over pairs was closed more often than opened");
  if (q->open == 0 || --q->open > 0)
    return;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    for (uint32_t k = 0; k < t->view_count; ++k)
      t->views[k].count = t->lasting[t->view_count + k].count = 0;
    t->present.count = 0;
  }
  q->entity_view.count = 0;
  query_close(((pairs_t *)q)->base);
}
