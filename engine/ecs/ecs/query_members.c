// Membership of queries: matching, and adding and removing entities. Called for every change to a component that a
// query names.
#include "base/assert.h"
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_observer.h"
#include "ecs/query_rows.h"
#include "ecs/world_internal.h"

#include <string.h>

#define INITIAL_CAPACITY 16u
#define MIN_BULK 8u    // number of entities below which checking for a faster path isn't worth it
#define BLOCK_ROWS 64u // maximum number of rows removed one by one between two updates of the row maps

// --- matching

static bool contains_id(const uint32_t *managers, uint32_t count, uint32_t id) {
  for (uint32_t k = 0; k < count; ++k)
    if (managers[k] == id)
      return true;
  return false;
}

// Returns true if q matches e or, if `managers` is not NULL, an entity with exactly these components, of which the
// first `enabled_count` are not disabled.
static bool is_match(const query_o *q, shoal_entity e, const uint32_t *managers, uint32_t enabled_count,
                     uint32_t count) {
  enabled_count = ((const live_query_t *)q)->includes_disabled ? count : enabled_count;
  bool has_any_term = false, any_present = false;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    const query_term_t *t = &q->terms[i];
    bool present = managers ? contains_id(managers, t->role == QUERY_WITHOUT ? count : enabled_count, t->manager->id)
                            : t->role != QUERY_OPTIONAL && query_term_row(q, t, e) != ROW_NONE;
    if (t->role == QUERY_WITH ? !present : t->role == QUERY_WITHOUT && present)
      return false;
    has_any_term |= t->role == QUERY_ANY;
    any_present |= t->role == QUERY_ANY && present;
  }
  return any_present || !has_any_term;
}

bool query_matches(const query_o *q, shoal_entity e) {
  return is_match(q, e, NULL, 0, 0);
}

bool query_matches_set(const query_o *q, const uint32_t *managers, uint32_t enabled_count, uint32_t count) {
  return count > 0 && is_match(q, SHOAL_ENTITY_NONE, managers, enabled_count, count);
}

// --- rows

static void reserve_rows(query_o *q, uint32_t min_capacity) {
  if (min_capacity <= q->capacity)
    return;
  allocator_t *a = &q->world->allocator;
  uint32_t capacity = columns_compute_capacity(q->capacity, min_capacity);
  size_t old_bytes = q->capacity * sizeof(uint32_t), bytes = capacity * sizeof(uint32_t);
  if (!q->grouped)
    q->entities = alloc_resize(a, q->entities, old_bytes, bytes);
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    if (query_has_row_map(t))
      t->rows = alloc_resize(a, t->rows, old_bytes, bytes);
  }
  q->capacity = capacity;
}

static void reserve_by_row(query_o *q, uint32_t row) {
  live_query_t *live = query_live(q);
  if (row < live->rows_by_driver_capacity)
    return;
  uint32_t capacity = live->rows_by_driver_capacity ? live->rows_by_driver_capacity : INITIAL_CAPACITY;
  while (capacity <= row)
    capacity *= 2;
  size_t old_bytes = live->rows_by_driver_capacity * sizeof *live->rows_by_driver,
         bytes = capacity * sizeof *live->rows_by_driver;
  live->rows_by_driver = alloc_resize(&q->world->allocator, live->rows_by_driver, old_bytes, bytes);
  memset(live->rows_by_driver + live->rows_by_driver_capacity, 0, bytes - old_bytes);
  live->rows_by_driver_capacity = capacity;
}

// Appends a row for e. `driver_row` is ROW_NONE if the query has no driver.
static void append_row(query_o *q, shoal_entity e, uint32_t driver_row) {
  query_assert_closed(q);
  live_query_t *live = query_live(q);
  uint32_t i = q->count;
  reserve_rows(q, i + 1);
  if (!q->grouped)
    q->entities[i] = e;
  q->count = i + 1;
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    if (t->owned)
      manager_swap_rows(t->manager, &e, 1, i, 1, NULL);
    if (!query_has_row_map(t))
      continue;
    t->rows[i] = (int32_t)k == live->driver ? driver_row : query_term_row(q, t, e);
    t->misaligned += t->rows[i] != i;
  }
  if (q->grouped)
    return;
  if (live->driver < 0) {
    *index_slot(&live->pages, &live->page_count, e, &q->world->allocator) = i + 1;
  } else {
    reserve_by_row(q, driver_row);
    live->rows_by_driver[driver_row] = i + 1;
  }
}

// Updates the row maps after rows were removed one by one. Each removed row was replaced with the last row at that
// time.
static void update_row_maps(query_o *q, const uint32_t *removed, const uint32_t *last_rows, uint32_t count) {
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    uint32_t *rows = t->rows, misaligned = t->misaligned;
    for (uint32_t i = 0; query_has_row_map(t) && i < count; ++i) {
      uint32_t moved = rows[last_rows[i]];
      misaligned -= moved != last_rows[i];
      if (removed[i] != last_rows[i])
        misaligned = misaligned - (rows[removed[i]] != removed[i]) + (moved != removed[i]);
      rows[removed[i]] = moved;
    }
    t->misaligned = misaligned;
  }
}

static void update_row_maps_once(query_o *q, uint32_t removed, uint32_t last) {
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    if (!query_has_row_map(t))
      continue;
    uint32_t moved = t->rows[last], replaced = t->rows[removed];
    t->misaligned -= moved != last;
    if (removed == last)
      continue;
    t->misaligned = t->misaligned - (replaced != removed) + (moved != removed);
    t->rows[removed] = moved;
  }
}

// Removes one row of a query with a driver.
static void remove_row(query_o *q, uint32_t i) {
  query_assert_closed(q);
  shoal_assert(i < q->count, "query %u has no row %u", q->id, i);
  live_query_t *live = query_live(q);
  uint32_t last = --q->count, removed_driver_row = q->terms[live->driver].rows[i];
  update_row_maps_once(q, i, last);
  q->entities[i] = q->entities[last];
  live->rows_by_driver[q->terms[live->driver].rows[i]] = i + 1;
  live->rows_by_driver[removed_driver_row] = 0;
}

// Removes e from its row; the query's last entity moves to this row. Returns `row`.
static uint32_t remove_indexed(query_o *q, shoal_entity e, uint32_t row) {
  shoal_entity moved = q->entities[row] = q->entities[--q->count];
  *index_slot(&query_live(q)->pages, &query_live(q)->page_count, moved, &q->world->allocator) = row + 1;
  // cleared last, because `moved` and e may be the same entity
  *index_slot(&query_live(q)->pages, &query_live(q)->page_count, e, &q->world->allocator) = 0;
  return row;
}

// Loads the rows of these entities (up to BLOCK_ROWS) into the cache, so that their cache misses overlap.
PREFETCHING void prefetch_rows(const query_o *q, const shoal_entity *entities, uint32_t count) {
  const live_query_t *live = (const live_query_t *)q;
  for (uint32_t i = 0; i < count; ++i)
    index_prefetch(live->pages, live->page_count, entities[i]);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = index_get(live->pages, live->page_count, entities[i]) - 1;
    if (row >= q->count)
      continue;
    __builtin_prefetch(&q->entities[row], 1);
    for (uint32_t k = 0; k < q->term_count; ++k)
      if (q->terms[k].rows)
        __builtin_prefetch(&q->terms[k].rows[row], 1);
  }
}

// Removes these entities (up to BLOCK_ROWS), skipping entities that the query does not contain. Only for queries
// without a driver.
static void remove_block(query_o *q, const shoal_entity *entities, uint32_t count) {
  uint32_t removed[BLOCK_ROWS], last_rows[BLOCK_ROWS], removed_count = 0, end = q->count;
  shoal_entity leaving[BLOCK_ROWS];
  query_assert_closed(q);
  if (count >= MIN_BULK && !q->grouped)
    prefetch_rows(q, entities, count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = query_row_of_entity(q, entities[i]);
    if (row == 0)
      continue;
    removed[removed_count] = q->grouped ? 0 : remove_indexed(q, entities[i], row - 1);
    leaving[removed_count] = entities[i];
    last_rows[removed_count] = end - 1 - removed_count;
    removed_count++;
  }
  for (uint32_t k = 0; k < q->term_count && removed_count > 0; ++k)
    // an optional term of the same component must not swap its rows again
    if (q->terms[k].owned && q->terms[k].role == QUERY_WITH)
      manager_swap_rows(q->terms[k].manager, leaving, removed_count, end - 1, -1, removed);
  q->count = end - removed_count;
  update_row_maps(q, removed, last_rows, removed_count);
}

static void notify_watchers(query_o *q, shoal_entity e, bool entered) {
  live_query_t *live = query_live(q);
  for (uint32_t i = 0; i < live->watchers.count; ++i)
    query_observer_record_change(q->world, live->watchers.items[i], e, entered);
}

bool query_keeps_last_rows(query_o *q, shoal_entity e) {
  const live_query_t *live = query_live(q);
  for (uint32_t i = 0; i < live->watchers.count; ++i)
    if (q->world->watchers.items[live->watchers.items[i] - 1].keeps_last_rows)
      return query_contains(q, e);
  return false;
}

void query_add_entity(query_o *q, shoal_entity e) {
  manager_o *driver = query_driver(q);
  if (!driver)
    append_row(q, e, ROW_NONE);
  else
    for (uint32_t row = manager_row(driver, e); row != ROW_NONE; row = driver->next[row])
      append_row(q, e, row);
  notify_watchers(q, e, true);
}

// Removes these entities (up to BLOCK_ROWS), skipping entities that the query does not contain.
static void drop_block(query_o *q, const shoal_entity *entities, uint32_t count) {
  const manager_o *driver = query_driver(q);
  if (!driver)
    remove_block(q, entities, count);
  for (uint32_t i = 0; driver && i < count; ++i)
    for (uint32_t row = manager_row(driver, entities[i]); row != ROW_NONE; row = driver->next[row])
      if (query_row_of_driver(query_live(q), row) != 0)
        remove_row(q, query_row_of_driver(query_live(q), row) - 1);
}

// Prefetches the data that changes when e leaves a group: the index entries of e and of the last member, which swap
// places, and the rows of e. The rows of the last member are probably cached, because the previous removal used their
// neighbours.
PREFETCHING void prefetch_member(const query_o *group, uint32_t row, const shoal_entity *moved) {
  const live_query_t *live = (const live_query_t *)group;
  for (uint32_t k = 0; k < group->term_count; ++k) {
    const manager_o *m = group->terms[k].manager;
    if (!group->terms[k].owned)
      continue;
    index_prefetch(m->pages, m->page_count, moved[0]);
    index_prefetch(m->pages, m->page_count, moved[1]);
    manager_prefetch_row(m, row);
  }
  for (uint32_t n = 0; n < live->followers.count; ++n) {
    const live_query_t *follower = (const live_query_t *)live->followers.items[n];
    index_prefetch(follower->pages, follower->page_count, moved[0]);
    index_prefetch(follower->pages, follower->page_count, moved[1]);
  }
}

// Prefetches the entries of `moved` in the row maps of a group's followers, whose indexes are in the cache.
PREFETCHING void prefetch_follower_rows(const query_o *group, const shoal_entity *moved) {
  const live_query_t *live = (const live_query_t *)group;
  for (uint32_t n = 0; n < live->followers.count; ++n) {
    const query_o *q = live->followers.items[n];
    const live_query_t *follower = (const live_query_t *)q;
    for (uint32_t i = 0; i < 2; ++i) {
      uint32_t row = index_get(follower->pages, follower->page_count, moved[i]) - 1;
      for (uint32_t k = 0; k < q->term_count && row < q->count; ++k)
        if (q->terms[k].rows)
          __builtin_prefetch(&q->terms[k].rows[row], 1);
    }
  }
}

// Removes e, in `row`, from a group: the last member and e swap their rows in each owned component.
static void remove_member(query_o *group, shoal_entity e, uint32_t row) {
  query_assert_closed(group);
  uint32_t last = --group->count;
  const shoal_entity moved[] = {e, query_live(group)->leader->owner[last]};
  query_update_followers(group);
  prefetch_member(group, row, moved);
  prefetch_follower_rows(group, moved);
  for (uint32_t k = 0; k < group->term_count; ++k)
    // an optional term of the same component must not swap its rows again
    if (group->terms[k].owned && group->terms[k].role == QUERY_WITH)
      manager_swap_two_rows(group->terms[k].manager, row, last);
  if (row != last)
    query_notify_members_swapped(group, moved, (const uint32_t[]){last, row});
  update_row_maps_once(group, row, last);
}

// Removes the rows of one entity; does nothing if the query does not contain it. Returns true if the query contained
// the entity.
static bool drop_single(query_o *q, shoal_entity e) {
  if (query_driver(q)) {
    if (!query_contains(q, e))
      return false;
    drop_block(q, &e, 1);
    return true;
  }
  uint32_t row = query_row_of_entity(q, e), last = q->count - 1;
  if (row == 0)
    return false;
  if (q->grouped) {
    remove_member(q, e, row - 1);
    return true;
  }
  query_assert_closed(q);
  remove_indexed(q, e, --row);
  update_row_maps_once(q, row, last);
  return true;
}

void query_remove_entity(query_o *q, shoal_entity e) {
  if (drop_single(q, e))
    notify_watchers(q, e, false);
}

// --- changes to many entities

// Returns the first row if these entities have contiguous rows in this order; otherwise ROW_NONE.
static uint32_t find_consecutive_rows(const manager_o *m, const shoal_entity *entities, uint32_t count) {
  uint32_t first = manager_row(m, entities[0]);
  bool in_range = first != ROW_NONE && m->count - first >= count;
  return in_range && entities_common_prefix_length(m->owner + first, entities, count) == count ? first : ROW_NONE;
}

static void map_entity_rows(const query_o *q, query_term_t *t, const shoal_entity *entities, uint32_t first,
                            uint32_t count) {
  uint32_t first_row = query_skips_disabled(q) ? ROW_NONE : find_consecutive_rows(t->manager, entities, count),
           misaligned = 0;
  for (uint32_t i = 0; first_row != ROW_NONE && i < count; ++i)
    t->rows[first + i] = first_row + i;
  t->misaligned += first_row != ROW_NONE && first_row != first ? count : 0;
  for (uint32_t i = 0; first_row == ROW_NONE && i < count; ++i) {
    uint32_t row = query_term_row(q, t, entities[i]);
    t->rows[first + i] = row;
    misaligned += row != first + i;
  }
  t->misaligned += misaligned;
}

void query_add_entities(query_o *q, const shoal_entity *entities, uint32_t count) {
  if (count < MIN_BULK || query_driver(q)) {
    for (uint32_t i = 0; i < count; ++i)
      query_add_entity(q, entities[i]);
    return;
  }
  query_assert_closed(q);
  uint32_t first = q->count;
  reserve_rows(q, first + count);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    manager_o *m = q->terms[k].manager;
    if (q->terms[k].owned && entities_common_prefix_length(m->owner + first, entities, count) < count)
      manager_swap_rows(m, entities, count, first, 1, NULL);
  }
  q->count = first + count;
  for (uint32_t k = 0; k < q->term_count; ++k)
    if (query_has_row_map(&q->terms[k]))
      map_entity_rows(q, &q->terms[k], entities, first, count);
  if (!q->grouped) {
    memcpy(q->entities + first, entities, count * sizeof *entities);
    index_set_many(&query_live(q)->pages, &query_live(q)->page_count, entities, count, first, &q->world->spawned_rows,
                   &q->world->allocator);
  }
  for (uint32_t i = 0; i < count && query_live(q)->watchers.count > 0; ++i)
    notify_watchers(q, entities[i], true);
}

void query_notify_leaving(query_o *q, const shoal_entity *entities, uint32_t count) {
  for (uint32_t i = 0; i < count && q->count > 0 && query_live(q)->watchers.count > 0; ++i)
    if (query_contains(q, entities[i]))
      notify_watchers(q, entities[i], false);
}

void query_drop_rows(query_o *q, const shoal_entity *entities, uint32_t count) {
  uint32_t end = q->count, new_count = end - count, i = 0;
  if (end == 0)
    return;
  if (query_driver(q) || count < MIN_BULK || count > end)
    new_count = end;
  if (new_count == end || entities_common_reverse_prefix_length(q->entities + end - 1, entities, count) < count) {
    for (i = 0; i < count && q->count > 0; i += BLOCK_ROWS)
      drop_block(q, entities + i, count - i < BLOCK_ROWS ? count - i : BLOCK_ROWS);
    return;
  }
  // These entities are the last rows, in reverse order, so their removal leaves no gap.
  query_assert_closed(q);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    for (i = new_count; query_has_row_map(t) && t->misaligned > 0 && i < end; ++i)
      t->misaligned -= t->rows[i] != i;
  }
  if (!q->grouped)
    index_clear_many(&query_live(q)->pages, &query_live(q)->page_count, q->entities + new_count, count,
                     &q->world->allocator);
  q->count = new_count;
}

void query_drop_all_rows(query_o *q, const shoal_entity *entities, uint32_t count) {
  live_query_t *live = query_live(q);
  if (q->grouped || query_driver(q)) {
    query_drop_rows(q, entities, count);
    return;
  }
  query_assert_closed(q);
  index_clear_all(live->pages, live->page_count, q->entities, q->count, &q->world->allocator);
  for (uint32_t k = 0; k < q->term_count; ++k)
    q->terms[k].misaligned = 0;
  q->count = 0;
}

void query_remove_entities(query_o *q, const shoal_entity *entities, uint32_t count) {
  query_notify_leaving(q, entities, count);
  query_drop_rows(q, entities, count);
}

uint32_t query_filter_by_component(const manager_o *m, shoal_entity *entities, uint32_t count, bool present) {
  if (count == 0 || (!present && m->count == 0) || (present && find_consecutive_rows(m, entities, count) != ROW_NONE))
    return count;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = entities[i];
    entities[kept] = e;
    kept += (manager_row(m, e) != ROW_NONE) == present;
  }
  return kept;
}

static uint32_t filter_entities_one_by_one(const query_o *q, shoal_entity *entities, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (query_matches(q, entities[i]))
      entities[kept++] = entities[i];
  return kept;
}

uint32_t query_filter_matching(const query_o *q, const manager_o *checked, shoal_entity *entities, uint32_t count) {
  bool needs_full_check = query_skips_disabled(q);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    const query_term_t *t = &q->terms[k];
    needs_full_check |= t->role == QUERY_ANY;
    if ((t->role == QUERY_WITH || t->role == QUERY_WITHOUT) && t->manager != checked)
      count = query_filter_by_component(t->manager, entities, count, t->role == QUERY_WITH);
  }
  return needs_full_check ? filter_entities_one_by_one(q, entities, count) : count;
}

// --- changes to single entities

static void update_membership(query_o *q, const manager_o *m, shoal_entity e) {
  bool matched = query_contains(q, e), matches = query_matches(q, e);
  if (matches && !matched)
    query_add_entity(q, e);
  else if (matched && !matches)
    query_remove_entity(q, e);
  else if (matches)
    query_refresh_rows(q, m, &e, 1);
}

void query_notify_disabled(world_o *w, shoal_entity e, uint32_t instance) {
  manager_o *m = world_find_manager(w, strings_text(w->strings, instance));
  uint32_t count = m ? m->query_count : w->queries.count;
  for (uint32_t i = 0; i < count; ++i)
    update_membership(m ? m->queries[i].query : w->queries.items[i], m, e);
}

void query_notify_row_added(query_o *q, manager_o *m, shoal_entity e, uint32_t row) {
  shoal_assert(m && row < m->columns.count, "row %u is out of range in a component of query %u", row, q->id);
  if (query_driver(q) != m || manager_row(m, e) == row) {
    update_membership(q, m, e);
    return;
  }
  // A further instance of the driver's component gets a row only if the entity already matches.
  if (query_contains(q, e))
    append_row(q, e, row);
}

void query_notify_row_removed(query_o *q, manager_o *m, uint32_t roles, shoal_entity e, uint32_t row) {
  shoal_assert(m, "the component of row %u of query %u is NULL", row, q->id);
  if (query_driver(q) != m) {
    if (roles & 1u << QUERY_WITH && manager_row(m, e) == ROW_NONE)
      query_remove_entity(q, e); // the query requires the component, so other terms need no check
    else
      update_membership(q, m, e);
    return;
  }
  uint32_t i = query_row_of_driver(query_live(q), row);
  if (i == 0)
    return;
  remove_row(q, i - 1);
  if (manager_row(m, e) == ROW_NONE)
    notify_watchers(q, e, false);
  else
    query_refresh_rows(q, m, &e, 1);
}
