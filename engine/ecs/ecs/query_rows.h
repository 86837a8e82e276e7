// Lookups between entities, query rows and component rows. A query row is found by entity or, if a `many` component
// drives the query, by that component's row. Private to ecs.
#ifndef SHOAL_ECS_QUERY_ROWS_H
#define SHOAL_ECS_QUERY_ROWS_H

#include "base/assert.h"
#include "ecs/index.h"
#include "ecs/query_internal.h"
#include "ecs/world_internal.h"

// Begins the definition of a function that only prefetches. GCC removes calls of such functions unless it inlines them.
#define PREFETCHING __attribute__((always_inline)) static inline

// Returns true if the query skips disabled components and any component is disabled.
static inline bool query_skips_disabled(const query_o *q) {
  return world_has_disabled(q->world) && !((const live_query_t *)q)->includes_disabled;
}

static inline bool query_has_row_map(const query_term_t *t) {
  return t->role != QUERY_WITHOUT && !t->owned;
}

static inline live_query_t *query_live(query_o *q) {
  return (live_query_t *)q;
}

static inline manager_o *query_driver(query_o *q) {
  int32_t driver = query_live(q)->driver;
  return driver < 0 ? NULL : q->terms[driver].manager;
}

// Returns the component's row of e as this query sees it: ROW_NONE if the component is missing or disabled.
static inline uint32_t query_term_row(const query_o *q, const query_term_t *t, shoal_entity e) {
  uint32_t row = manager_row(t->manager, e);
  if (row == ROW_NONE || t->role == QUERY_WITHOUT || !query_skips_disabled(q))
    return row;
  return world_is_disabled(q->world, e, t->manager->id) ? ROW_NONE : row;
}

static inline uint32_t query_row_of_driver(const live_query_t *live, uint32_t driver_row) {
  return driver_row < live->rows_by_driver_capacity ? live->rows_by_driver[driver_row] : 0;
}

static inline uint32_t query_row_of_entity(const query_o *q, shoal_entity e) {
  const live_query_t *live = (const live_query_t *)q;
  if (live->leader) {
    uint32_t leader_row = manager_row(live->leader, e);
    return leader_row < q->count ? leader_row + 1 : 0;
  }
  uint32_t row = index_get(live->pages, live->page_count, e);
  return row != 0 && q->entities[row - 1] == e ? row : 0;
}

// Like query_row_of_entity, for a living entity. Rows of dead entities are removed from the index, so the row's entity
// is not compared with e, which saves a likely cache miss.
static inline uint32_t query_row_of_living(const query_o *q, shoal_entity e) {
  const live_query_t *live = (const live_query_t *)q;
  return live->leader ? query_row_of_entity(q, e) : index_get(live->pages, live->page_count, e);
}

static inline void query_assert_closed(const query_o *q) {
  shoal_assert(q->open == 0, "rows were added or removed while query %u was open", q->id);
  (void)q;
}

static inline bool query_contains(query_o *q, shoal_entity e) {
  manager_o *driver = query_driver(q);
  if (!driver)
    return query_row_of_entity(q, e) != 0;
  uint32_t driver_row = manager_row(driver, e);
  return driver_row != ROW_NONE && query_row_of_driver(query_live(q), driver_row) != 0;
}

// Updates the query rows of these entities after their rows in m have changed (ROW_NONE for a removed optional
// component).
void query_refresh_rows(query_o *q, const manager_o *m, const shoal_entity *entities, uint32_t count);
// Updates the query after a row of m, owned by e, has moved.
void query_notify_row_moved(query_o *q, manager_o *m, shoal_entity e, uint32_t from, uint32_t to);
// Updates the query after these entities' rows in m, a plain component, have moved.
void query_notify_rows_moved(query_o *q, const manager_o *m, const shoal_entity *entities, uint32_t count);
// Lists the followers of a group (live_query_t) if queries were added or removed since the previous call.
void query_update_followers(query_o *group);
// Updates the followers of a group after two members have swapped rows in all of its components: the row of moved[i] is
// now rows[i].
void query_notify_members_swapped(query_o *group, const shoal_entity moved[2], const uint32_t rows[2]);
// Updates `entities` of a group after m->owner was reallocated.
void query_notify_owner_moved(query_o *q, const manager_o *m);

#endif
