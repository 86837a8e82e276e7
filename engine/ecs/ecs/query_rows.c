// Row maps of queries: updated whenever rows of their components move.
#include "ecs/query_rows.h"

#include "ecs/world_internal.h"

const query_term_t *query_find_with(const query_o *q, uint32_t manager) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == manager && q->terms[i].role == QUERY_WITH)
      return &q->terms[i];
  return NULL;
}

uint64_t query_row_version(const query_o *q) {
  uint64_t moves = q->world->disabled ? q->world->disabled->moves : 0;
  for (uint32_t i = 0; i < q->term_count; ++i)
    moves += q->terms[i].manager->moves;
  return moves;
}

static void set_row(query_term_t *t, uint32_t i, uint32_t row) {
  t->misaligned -= t->rows[i] != i;
  t->rows[i] = row;
  t->misaligned += row != i;
}

// Updates the term's row map for these entities.
static void refresh_term(query_o *q, query_term_t *t, const shoal_entity *entities, uint32_t count) {
  manager_o *driver = query_driver(q);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = query_term_row(q, t, entities[i]), number = driver ? 0 : query_row_of_entity(q, entities[i]);
    if (number != 0)
      set_row(t, number - 1, row);
    for (uint32_t driver_row = driver ? manager_row(driver, entities[i]) : ROW_NONE; driver_row != ROW_NONE;
         driver_row = driver->next[driver_row])
      if ((number = query_row_of_driver(query_live(q), driver_row)) != 0)
        set_row(t, number - 1, row);
  }
}

void query_refresh_rows(query_o *q, const manager_o *m, const shoal_entity *entities, uint32_t count) {
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    if (t->manager == m && query_has_row_map(t) && (int32_t)k != query_live(q)->driver)
      refresh_term(q, t, entities, count);
  }
}

// Lists the query's terms for component m that have a row map, and returns their number.
static uint32_t list_mapped_terms(query_o *q, const manager_o *m, query_term_t *out[QUERY_MAX_TERMS]) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < q->term_count; ++k)
    if (q->terms[k].manager == m && query_has_row_map(&q->terms[k]))
      out[count++] = &q->terms[k];
  return count;
}

// Updates a query without a driver after the rows of these entities in m, a plain component, have moved.
static void refresh_plain_rows(query_o *q, const manager_o *m, const shoal_entity *entities, uint32_t count) {
  query_term_t *terms[QUERY_MAX_TERMS];
  uint32_t term_count = list_mapped_terms(q, m, terms);
  for (uint32_t i = 0; i < count && term_count > 0; ++i) {
    uint32_t number = query_row_of_living(q, entities[i]);
    for (uint32_t k = 0; k < term_count && number != 0; ++k)
      set_row(terms[k], number - 1, query_term_row(q, terms[k], entities[i]));
  }
}

// Updates a query without a driver after the only row of e in m has become `row`.
static void move_plain_row(query_o *q, const manager_o *m, shoal_entity e, uint32_t row) {
  uint32_t number = query_row_of_living(q, e);
  bool skips_disabled = query_skips_disabled(q);
  for (uint32_t k = 0; k < q->term_count && number != 0; ++k) {
    query_term_t *t = &q->terms[k];
    if (t->manager == m && query_has_row_map(t))
      set_row(t, number - 1, skips_disabled ? query_term_row(q, t, e) : row);
  }
}

void query_notify_row_moved(query_o *q, manager_o *m, shoal_entity e, uint32_t from, uint32_t to) {
  query_assert_closed(q);
  shoal_assert(m, "row moved from %u to %u, but the manager is NULL", from, to);
  live_query_t *live = query_live(q);
  if (!query_driver(q) && m->schema.kind == SCHEMA_COMPONENT) {
    move_plain_row(q, m, e, to);
    return;
  }
  if (query_driver(q) == m) {
    uint32_t number = query_row_of_driver(live, from);
    if (from < live->rows_by_driver_capacity)
      live->rows_by_driver[from] = 0;
    if (number != 0) {
      live->rows_by_driver[to] = number;
      set_row(&q->terms[live->driver], number - 1, to);
    }
  }
  if (manager_row(m, e) == to)
    query_refresh_rows(q, m, &e, 1);
}

void query_notify_rows_moved(query_o *q, const manager_o *m, const shoal_entity *entities, uint32_t count) {
  query_assert_closed(q);
  if (query_driver(q))
    query_refresh_rows(q, m, entities, count);
  else
    refresh_plain_rows(q, m, entities, count);
}

// Returns true if q has a row map for a component that the group owns.
static bool follows_group(const query_o *q, const query_o *group) {
  for (uint32_t k = 0; k < q->term_count && q != group; ++k)
    if (q->terms[k].manager->group == group && query_has_row_map(&q->terms[k]))
      return true;
  return false;
}

void query_update_followers(query_o *group) {
  live_query_t *live = query_live(group);
  const world_o *w = group->world;
  if (live->followers_version == w->plan_version)
    return;
  live->followers.count = 0;
  for (uint32_t i = 0; i < w->queries.count; ++i)
    if (follows_group(w->queries.items[i], group))
      array_push(&group->world->allocator, &live->followers, w->queries.items[i]);
  live->followers_version = w->plan_version;
}

static void refresh_swapped_terms(query_o *q, const query_o *group, const shoal_entity moved[2],
                                  const uint32_t rows[2]) {
  bool skips_disabled = query_skips_disabled(q);
  const uint32_t numbers[] = {query_row_of_living(q, moved[0]), query_row_of_living(q, moved[1])};
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    for (uint32_t i = 0; i < 2 && t->manager->group == group && query_has_row_map(t); ++i)
      if (numbers[i] != 0)
        set_row(t, numbers[i] - 1, skips_disabled ? query_term_row(q, t, moved[i]) : rows[i]);
  }
}

void query_notify_members_swapped(query_o *group, const shoal_entity moved[2], const uint32_t rows[2]) {
  const live_query_t *live = query_live(group);
  for (uint32_t i = 0; i < live->followers.count; ++i) {
    query_o *q = live->followers.items[i];
    query_assert_closed(q);
    if (!query_driver(q)) {
      refresh_swapped_terms(q, group, moved, rows);
      continue;
    }
    for (uint32_t k = 0; k < q->term_count; ++k)
      if (q->terms[k].manager->group == group)
        query_refresh_rows(q, q->terms[k].manager, moved, 2);
  }
}

void query_notify_owner_moved(query_o *q, const manager_o *m) {
  if (query_live(q)->leader == m)
    q->entities = m->owner;
}
