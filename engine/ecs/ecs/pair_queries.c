// Queries over pairs: the rows of a base query whose entities have pairs with given targets. Joins the base query with
// the reverse lookup. The result is read like a query whose terms all use row maps. The result is populated on demand,
// in order of entity index, cannot change while the query is open (structural changes are deferred), and is reused
// until a relevant row changes.
#include "base/assert.h"
#include "base/sort.h"
#include "ecs/query_internal.h"
#include "ecs/relation.h"
#include "ecs/relation_internal.h"

#include <string.h>

#define MAX_OPEN 4096u // maximum number of pair queries; beyond it, a closed query must be reused
// Closed queries that are up to date are kept until there are this many queries or this many rows in all of them.
#define MAX_KEPT 256u
#define MAX_KEPT_ROWS (1u << 20)
#define PREFETCH_DISTANCE 24u

// A query over pairs. It starts with a live_query_t, so that it can be read like any query, but it is not in the
// world's list of queries.
struct pair_query_t {
  live_query_t live;
  query_o *base;
  uint32_t pair_count;
  pair_t pairs[PAIRS_MAX];
  // Values at the last fill: query_row_version of the base query, and the version of the reverse lookup (0: the query
  // must be filled again).
  uint64_t row_version, version;
  bool reserved;         // true if created by pair_query_create and reserved for its caller
  uint32_t bucket, next; // `bucket`: bucket of the first target; `next`: index + 1 of the next query in that bucket
};

static query_o *get_query(pair_query_t *p) {
  return &p->live.shared;
}

static bool has_rows(const query_term_t *t) {
  return t->role != QUERY_WITHOUT;
}

static void free_terms(pair_query_t *p, allocator_t *a) {
  query_o *q = get_query(p);
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    alloc_resize(a, t->rows, q->capacity * sizeof *t->rows, 0);
    query_free_views(t, t->view_count, a);
  }
  alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, 0);
  memset(q, 0, sizeof *q);
}

void pairs_free_all(relation_o *r) {
  for (uint32_t i = 0; i < r->queries.count; ++i) {
    free_terms(r->queries.items[i], &r->world->allocator);
    alloc_resize(&r->world->allocator, r->queries.items[i], sizeof(pair_query_t), 0);
  }
}

static void init_terms(pair_query_t *p, const query_o *base, allocator_t *a) {
  query_o *q = get_query(p);
  *q = (query_o){.world = base->world, .term_count = base->term_count, .layout_version = 1};
  p->live.driver = -1;
  p->base = (query_o *)(uintptr_t)base;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    *t = (query_term_t){.manager = base->terms[i].manager, .role = base->terms[i].role};
    t->view_count = base->terms[i].view_count;
    t->misaligned = 1; // always read through the row map
    t->views = alloc_resize(a, NULL, 0, t->view_count * sizeof *t->views);
    t->stable_views = alloc_resize(a, NULL, 0, 2 * (size_t)t->view_count * sizeof *t->stable_views);
    for (uint32_t k = 0; k < t->view_count; ++k)
      t->views[k] = t->stable_views[k] = t->stable_views[t->view_count + k] = (column_view_t){0};
  }
}

static bool has_same_shape(const pair_query_t *p, const query_o *base, const pair_t *pairs, uint32_t count) {
  bool same = p->base == base && p->pair_count == count;
  for (uint32_t i = 0; same && i < count; ++i)
    same = p->pairs[i].manager == pairs[i].manager && p->pairs[i].column == pairs[i].column;
  // a component may have been redeclared since the query was created
  for (uint32_t i = 0; same && i < base->term_count; ++i)
    same = p->live.shared.terms[i].view_count == base->terms[i].view_count;
  return same;
}

static bool has_same_targets(const pair_query_t *p, const pair_t *pairs, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (p->pairs[i].target != pairs[i].target)
      return false;
  return true;
}

static uint32_t target_bucket(shoal_entity target) {
  return (target * 0x9e3779b1u) >> (32 - PAIR_BUCKET_BITS);
}

static void set_targets(relation_o *r, uint32_t number, const pair_t *pairs) {
  pair_query_t *p = r->queries.items[number];
  uint32_t *link = &r->buckets[p->bucket];
  while (*link != 0 && *link != number + 1)
    link = &r->queries.items[*link - 1]->next;
  if (*link != 0)
    *link = p->next;
  memcpy(p->pairs, pairs, p->pair_count * sizeof *pairs);
  p->version = 0;
  p->bucket = target_bucket(pairs[0].target);
  p->next = r->buckets[p->bucket];
  r->buckets[p->bucket] = number + 1;
}

static pair_query_t *create_query(relation_o *r, const query_o *base, const pair_t *pairs, uint32_t count) {
  allocator_t *a = &r->world->allocator;
  pair_query_t *query = alloc_resize(a, NULL, 0, sizeof *query);
  memset(query, 0, sizeof *query);
  init_terms(query, base, a);
  query->pair_count = count;
  memcpy(query->pairs, pairs, count * sizeof *pairs);
  array_push(a, &r->queries, query);
  return query;
}

// Returns the index of the next closed query with the same shape, or the number of queries if no such query is found. A
// query is never reused for different terms, because scripts may cache the addresses of its views.
static uint32_t find_closed_query(relation_o *r, const query_o *base, const pair_t *pairs, uint32_t count) {
  for (uint32_t i = 0; i < r->queries.count; ++i) {
    uint32_t index = (r->next_closed + i) % r->queries.count;
    pair_query_t *p = r->queries.items[index];
    if (p->reserved || !has_same_shape(p, base, pairs, count))
      continue;
    if (base->open == 0)
      get_query(p)->open = 0; // the code that had opened the query was interrupted (world_reset_after_interrupt)
    if (get_query(p)->open > 0)
      continue;
    r->next_closed = index; // reused again next time, so that the remaining queries stay filled
    return index;
  }
  return r->queries.count;
}

// Returns true if the query's rows are certainly up to date. Always returns false for several pairs: `lookup` tracks
// only the first pair, so a write in place to the target of a further pair is not detected.
static bool is_up_to_date(const pair_query_t *p, const referrers_t *lookup) {
  return p->pair_count == 1 && p->version == lookup->version && p->row_version == query_row_version(p->base);
}

static bool is_filled(relation_o *r, const pair_query_t *p) {
  const pair_t *first = &p->pairs[0];
  return is_up_to_date(p, relation_find_or_create_lookup(r, world_manager(r->world, first->manager), first->column));
}

// Returns a query for these pairs: an existing query, a closed query of the same shape, or a new query. Returns NULL if
// there are MAX_OPEN pair queries and none of them can be reused.
static pair_query_t *acquire_query(relation_o *r, const query_o *base, const pair_t *pairs, uint32_t count) {
  uint32_t number = r->buckets[target_bucket(pairs[0].target)];
  for (; number != 0; number = r->queries.items[number - 1]->next) {
    pair_query_t *p = r->queries.items[number - 1];
    if (!has_same_shape(p, base, pairs, count) || !has_same_targets(p, pairs, count))
      continue;
    if (base->open == 0)
      get_query(p)->open = 0;
    return p;
  }
  number = find_closed_query(r, base, pairs, count);
  if (number < r->queries.count && r->queries.count < MAX_KEPT && r->row_capacity < MAX_KEPT_ROWS &&
      is_filled(r, r->queries.items[number]))
    number = r->queries.count;
  if (number == r->queries.count && number >= MAX_OPEN)
    return NULL;
  if (number == r->queries.count)
    create_query(r, base, pairs, count);
  set_targets(r, number, pairs);
  return r->queries.items[number];
}

// Reserves capacity for `count` rows. If the queries exceed MAX_KEPT_ROWS, also shrinks a query that was filled for a
// target with many more rows.
static void reserve_rows(relation_o *r, pair_query_t *p, uint32_t count) {
  allocator_t *a = &r->world->allocator;
  query_o *q = get_query(p);
  bool shrinks = r->row_capacity > MAX_KEPT_ROWS && q->capacity / 2 > count;
  if (count <= q->capacity && !shrinks)
    return;
  q->entities = alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, count * sizeof *q->entities);
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (has_rows(&q->terms[i]))
      q->terms[i].rows = alloc_resize(a, q->terms[i].rows, q->capacity * sizeof(uint32_t), count * sizeof(uint32_t));
  r->row_capacity = r->row_capacity - q->capacity + count;
  q->capacity = count;
}

// Returns true if m drives the base query (query_internal.h): each row of m then belongs to at most one row of the
// query.
static bool is_driver(const query_o *base, const manager_o *m) {
  const live_query_t *live = (const live_query_t *)base;
  return live->driver >= 0 && base->terms[live->driver].manager == m;
}

// Returns the base query's row of e or, if m (the relation's component) drives the base query, the base query's row for
// row `row` of m. Returns ROW_NONE if the base query has no such row.
static uint32_t find_base_row(const query_o *base, const manager_o *m, shoal_entity e, uint32_t row) {
  const live_query_t *live = (const live_query_t *)base;
  if (is_driver(base, m))
    return row < live->rows_by_driver_capacity && live->rows_by_driver[row] ? live->rows_by_driver[row] - 1 : ROW_NONE;
  uint32_t base_row = live->leader ? manager_row(live->leader, e) : index_get(live->pages, live->page_count, e) - 1;
  return base_row < base->count ? base_row : ROW_NONE; // e is alive, so the entry at its index belongs to e
}

shoal_entity pair_query_find_fixed_target(const query_o *q, const manager_o *m, uint32_t column) {
  const pair_query_t *p = (const pair_query_t *)q;
  const pair_t *first = &p->pairs[0];
  // If the query was already open, code may have written the targets in place.
  bool is_current = q->open == 1 && (m->schema.kind != SCHEMA_MANY || is_driver(p->base, m));
  return is_current && first->manager == m->id && first->column == column ? first->target : SHOAL_ENTITY_NONE;
}

static int compare_rows(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static bool has_all_pairs(world_o *w, const pair_t *pairs, uint32_t count, shoal_entity e) {
  for (uint32_t i = 1; i < count; ++i)
    if (relation_find_row(w, e, pairs[i].manager, pairs[i].target) == ROW_NONE)
      return false;
  return true;
}

static void copy_row_map(query_term_t *t, const query_term_t *base, const uint32_t *base_rows, uint32_t count) {
  const uint32_t *source = base->rows;
  uint32_t *rows = t->rows;
  if (base->owned || base->misaligned == 0)
    memcpy(rows, base_rows, count * sizeof *base_rows);
  else
    for (uint32_t i = 0; i < count; ++i)
      rows[i] = source[base_rows[i]];
}

// Replaces each referring entity with its row in the base query, and removes entities that have no such row. Writes the
// remaining entities to `entities`, and returns their number.
static uint32_t find_rows_of_entities(const query_o *base, uint32_t *referrers, uint32_t count,
                                      shoal_entity *entities) {
  const live_query_t *live = (const live_query_t *)base;
  uint32_t *const *pages = live->leader ? live->leader->pages : live->pages, kept = 0, row_count = base->count;
  uint32_t page_count = live->leader ? live->leader->page_count : live->page_count;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = referrers[i];
    if (count - i > PREFETCH_DISTANCE) // referrers are far apart, so each entry in the index is a cache miss
      index_prefetch(pages, page_count, referrers[i + PREFETCH_DISTANCE]);
    uint32_t row = index_get(pages, page_count, e) - 1; // e is alive, so the entry at its index belongs to e
    entities[kept] = e;
    referrers[kept] = row;
    kept += row < row_count;
  }
  return kept;
}

// Like find_rows_of_entities, for referrers that are rows of the base query's driver.
static uint32_t find_rows_of_driver(const query_o *base, uint32_t *referrers, uint32_t count, shoal_entity *entities) {
  const live_query_t *live = (const live_query_t *)base;
  const query_term_t *driver = &base->terms[live->driver];
  const uint32_t *base_row = live->rows_by_driver;
  const shoal_entity *base_entities = base->entities;
  uint32_t kept = 0, row_count = base->count, driver_count = live->rows_by_driver_capacity;
  if (driver->owned || driver->misaligned == 0) { // the query's rows are the driver's first rows
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t row = referrers[i];
      referrers[kept] = row;
      kept += row < row_count;
    }
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t row = referrers[i] < driver_count ? base_row[referrers[i]] - 1 : ROW_NONE;
      referrers[kept] = row;
      kept += row < row_count;
    }
  }
  for (uint32_t i = 0; i < kept; ++i)
    entities[i] = base_entities[referrers[i]];
  return kept;
}

// Writes the base query's rows of the referrers to r->base_rows, in order of entity index, then row. An entity has
// several rows if the base query's driver is a `many` component that differs from the pair's component.
static void find_all_rows(relation_o *r, pair_query_t *p, const referrers_t *lookup, const uint32_t *referrers,
                          uint32_t count) {
  const live_query_t *live = (const live_query_t *)p->base;
  const manager_o *m = lookup->manager, *driver = NULL;
  if (live->driver >= 0 && !is_driver(p->base, m))
    driver = p->base->terms[live->driver].manager;
  r->base_rows.count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = referrers_are_by_row(lookup) ? m->owner[referrers[i]] : referrers[i];
    uint32_t row = driver ? manager_row(driver, e) : referrers[i], first = r->base_rows.count;
    while (row != ROW_NONE && has_all_pairs(r->world, p->pairs, p->pair_count, e)) {
      uint32_t base_row = find_base_row(p->base, driver ? driver : m, e, row);
      if (base_row != ROW_NONE)
        array_push(&r->world->allocator, &r->base_rows, base_row);
      row = driver ? driver->next[row] : ROW_NONE;
    }
    if (r->base_rows.count > first + 1)
      sort_stable(r->base_rows.items + first, r->base_rows.count - first, sizeof(uint32_t), compare_rows);
  }
}

// Finds the base query's rows of the referrers, and stores their entities. Returns the rows, and stores their number in
// `count`.
static const uint32_t *find_rows(relation_o *r, pair_query_t *p, const referrers_t *lookup, uint32_t *referrers,
                                 uint32_t *count) {
  query_o *q = get_query(p);
  bool is_by_row = referrers_are_by_row(lookup), has_driver = ((const live_query_t *)p->base)->driver >= 0;
  reserve_rows(r, p, *count);
  if (p->pair_count == 1 && !is_by_row && !has_driver) {
    *count = find_rows_of_entities(p->base, referrers, *count, q->entities);
    return referrers;
  }
  if (p->pair_count == 1 && is_driver(p->base, lookup->manager)) {
    *count = find_rows_of_driver(p->base, referrers, *count, q->entities);
    return referrers;
  }
  find_all_rows(r, p, lookup, referrers, *count);
  *count = r->base_rows.count;
  reserve_rows(r, p, *count);
  for (uint32_t i = 0; i < *count; ++i)
    q->entities[i] = p->base->entities[r->base_rows.items[i]];
  return r->base_rows.items;
}

static void fill_rows(relation_o *r, pair_query_t *p) {
  query_o *q = get_query(p);
  world_o *w = r->world;
  const pair_t *first = &p->pairs[0];
  referrers_t *lookup = relation_find_or_create_lookup(r, world_manager(w, first->manager), first->column);
  referrers_update(lookup, world_update_links_version(w));
  bool target_alive = is_living(w, first->target);
  if (target_alive && is_up_to_date(p, lookup))
    return;
  p->row_version = query_row_version(p->base);
  p->version = target_alive ? lookup->version : 0;
  q->count = 0;
  if (!target_alive)
    return;
  uint32_t count, *referrers = relation_find_referrers(r, lookup, first->target, &count);
  const uint32_t *base_rows = find_rows(r, p, lookup, referrers, &count);
  q->count = count;
  for (uint32_t i = 0; i < q->term_count && q->count > 0; ++i)
    if (has_rows(&q->terms[i]))
      copy_row_map(&q->terms[i], &p->base->terms[i], base_rows, q->count);
}

static void wake_base_query(query_o *base) {
  query_open(base);
  query_close(base);
}

query_o *pair_query_find_or_create(world_o *w, query_o *base, const pair_t *pairs, uint32_t count,
                                   error_info_t *error) {
  relation_o *r = relation_get(w);
  shoal_assert(count > 0 && count <= PAIRS_MAX, "pair count %u is out of range [1, %u]", count, PAIRS_MAX);
  wake_base_query(base);
  pair_query_t *p = acquire_query(r, base, pairs, count);
  if (!p) {
    error_set(error, "too many open queries over pairs (at most %u): use world.who_targets, which returns lists",
              MAX_OPEN);
    return NULL;
  }
  if (get_query(p)->open == 0)
    fill_rows(r, p);
  return get_query(p);
}

query_o *pair_query_create(world_o *w, query_o *base, const pair_t *pairs, uint32_t count) {
  shoal_assert(count > 0 && count <= PAIRS_MAX, "pair count %u is out of range [1, %u]", count, PAIRS_MAX);
  wake_base_query(base);
  pair_query_t *p = create_query(relation_get(w), base, pairs, count);
  p->reserved = true;
  return get_query(p);
}

void pair_query_retarget(query_o *q, const shoal_entity *targets) {
  pair_query_t *p = (pair_query_t *)q;
  shoal_assert(p->reserved, "only a system's own query over pairs can be retargeted");
  if (p->base->open == 0)
    q->open = 0; // the code that had opened the query was interrupted (world_reset_after_interrupt)
  if (q->open > 0)
    return;
  for (uint32_t i = 0; i < p->pair_count; ++i)
    if (p->pairs[i].target != targets[i]) {
      p->pairs[i].target = targets[i];
      p->version = 0;
    }
  wake_base_query(p->base);
  fill_rows(relation_get(p->base->world), p);
}

void pair_query_open(query_o *q) {
  if (q->open++ > 0)
    return;
  query_open(((pair_query_t *)q)->base); // the base query must not change while this query is open
  for (uint32_t i = 0; i < q->term_count; ++i)
    query_fill_views(&q->terms[i], q->count);
  q->entity_view = (column_view_t){.data = q->entities, .count = q->count};
}

void pair_query_close(query_o *q) {
  shoal_assert(q->open > 0, "a query over pairs was closed more often than it was opened");
  if (q->open == 0 || --q->open > 0)
    return;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    for (uint32_t k = 0; k < t->view_count; ++k)
      t->views[k].count = t->stable_views[t->view_count + k].count = 0;
    t->present.count = 0;
  }
  q->entity_view.count = 0;
  query_close(((pair_query_t *)q)->base);
}
