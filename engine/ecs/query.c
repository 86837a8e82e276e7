// Kept up to date by every change of a manager that a query names. A query row is found from its entity, or, when a
// `many` component drives the query, from that component's row; both ways are kept in step with rows as they move.
#include "ecs/query.h"

#include "base/assert.h"
#include "base/index.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/world_internal.h"

#include <string.h>

#define FIRST_CAPACITY 16u
#define MIN_MANY 8u // below it the general way costs less than looking for a shorter one
#define AT_ONCE 64u // rows that leave one by one, until the row maps follow

// Does the query keep row numbers for this term?
static bool has_map(const query_term_t *t) {
  return t->role != QUERY_WITHOUT && !t->owned;
}

static live_query_t *live(query_o *q) {
  return (live_query_t *)q;
}

static manager_o *driver_of(query_o *q) {
  int32_t driver = live(q)->driver;
  return driver < 0 ? NULL : q->terms[driver].manager;
}

// --- matching

bool query_hides(const query_o *q) {
  return world_has_disabled(q->world) && !((const live_query_t *)q)->sees_disabled;
}

// Where the query finds what it names: nowhere, where that is disabled.
static uint32_t term_row(const query_o *q, const query_term_t *t, shoal_entity e) {
  uint32_t row = manager_row(t->manager, e);
  if (row == ROW_NONE || t->role == QUERY_WITHOUT || !query_hides(q))
    return row;
  return world_is_disabled(q->world, e, t->manager->id) ? ROW_NONE : row;
}

static bool is_among(const uint32_t *managers, uint32_t count, uint32_t id) {
  for (uint32_t k = 0; k < count; ++k)
    if (managers[k] == id)
      return true;
  return false;
}

// Of e, or where `managers` are given, of an entity with exactly those, of which the first `shown` are not disabled.
static bool matches(const query_o *q, shoal_entity e, const uint32_t *managers, uint32_t shown, uint32_t count) {
  shown = ((const live_query_t *)q)->sees_disabled ? count : shown;
  bool any_wanted = false, any_found = false;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    const query_term_t *t = &q->terms[i];
    bool has = managers ? is_among(managers, t->role == QUERY_WITHOUT ? count : shown, t->manager->id)
                        : t->role != QUERY_OPTIONAL && term_row(q, t, e) != ROW_NONE;
    if (t->role == QUERY_WITH ? !has : t->role == QUERY_WITHOUT && has)
      return false;
    any_wanted |= t->role == QUERY_ANY;
    any_found |= t->role == QUERY_ANY && has;
  }
  return any_found || !any_wanted;
}

bool query_matches(const query_o *q, shoal_entity e) {
  return matches(q, e, NULL, 0, 0);
}

bool query_matches_set(const query_o *q, const uint32_t *managers, uint32_t shown, uint32_t count) {
  return count > 0 && matches(q, SHOAL_ENTITY_NONE, managers, shown, count);
}

// --- rows

static void reserve(query_o *q, uint32_t wanted) {
  if (wanted <= q->capacity)
    return;
  allocator_t *a = &q->world->allocator;
  uint32_t capacity = columns_grown(q->capacity, wanted);
  size_t old_bytes = q->capacity * sizeof(uint32_t), bytes = capacity * sizeof(uint32_t);
  if (!q->grouped)
    q->entities = alloc_resize(a, q->entities, old_bytes, bytes);
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    if (has_map(t))
      t->rows = alloc_resize(a, t->rows, old_bytes, bytes);
  }
  q->capacity = capacity;
}

static void reserve_by_row(query_o *q, uint32_t row) {
  live_query_t *l = live(q);
  if (row < l->by_row_capacity)
    return;
  uint32_t capacity = l->by_row_capacity ? l->by_row_capacity : FIRST_CAPACITY;
  while (capacity <= row)
    capacity *= 2;
  size_t old_bytes = l->by_row_capacity * sizeof *l->by_row, bytes = capacity * sizeof *l->by_row;
  l->by_row = alloc_resize(&q->world->allocator, l->by_row, old_bytes, bytes);
  memset(l->by_row + l->by_row_capacity, 0, bytes - old_bytes);
  l->by_row_capacity = capacity;
}

static uint32_t row_of_driver(const live_query_t *l, uint32_t driver_row) {
  return driver_row < l->by_row_capacity ? l->by_row[driver_row] : 0;
}

static uint32_t row_of_entity(const query_o *q, shoal_entity e) {
  const live_query_t *l = (const live_query_t *)q;
  if (l->lead) {
    uint32_t at = manager_row(l->lead, e);
    return at < q->count ? at + 1 : 0;
  }
  uint32_t row = index_get(l->pages, l->page_count, e);
  return row != 0 && q->entities[row - 1] == e ? row : 0;
}

static void set_row(query_term_t *t, uint32_t i, uint32_t row) {
  t->misaligned -= t->rows[i] != i;
  t->rows[i] = row;
  t->misaligned += row != i;
}

static void assert_closed(const query_o *q) {
  shoal_assert(q->open == 0, "the structure of the world changed while query %u was open", q->id);
  (void)q;
}

// `driver_row` is ROW_NONE without a driver.
static void append_row(query_o *q, shoal_entity e, uint32_t driver_row) {
  assert_closed(q);
  live_query_t *l = live(q);
  uint32_t i = q->count;
  reserve(q, i + 1);
  if (!q->grouped)
    q->entities[i] = e;
  q->count = i + 1;
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    if (t->owned)
      manager_bring_rows(t->manager, &e, 1, i, 1, NULL);
    if (!has_map(t))
      continue;
    t->rows[i] = (int32_t)k == l->driver ? driver_row : term_row(q, t, e);
    t->misaligned += t->rows[i] != i;
  }
  if (q->grouped)
    return;
  if (l->driver < 0) {
    *index_slot(&l->pages, &l->page_count, e, &q->world->allocator) = i + 1;
  } else {
    reserve_by_row(q, driver_row);
    l->by_row[driver_row] = i + 1;
  }
}

// Rows leave, one after the other; the last row fills each place.
static void fill_places(query_o *q, const uint32_t *places, const uint32_t *last, uint32_t count) {
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    uint32_t *rows = t->rows, misaligned = t->misaligned;
    for (uint32_t i = 0; has_map(t) && i < count; ++i) {
      uint32_t filling = rows[last[i]];
      misaligned -= filling != last[i];
      if (places[i] != last[i])
        misaligned = misaligned - (rows[places[i]] != places[i]) + (filling != places[i]);
      rows[places[i]] = filling;
    }
    t->misaligned = misaligned;
  }
}

// Of a query with a driver.
static void remove_row(query_o *q, uint32_t i) {
  assert_closed(q);
  shoal_assert(i < q->count, "query %u has no row %u", q->id, i);
  live_query_t *l = live(q);
  uint32_t last = --q->count, gone_driver = q->terms[l->driver].rows[i];
  fill_places(q, &i, &last, 1);
  q->entities[i] = q->entities[last];
  l->by_row[q->terms[l->driver].rows[i]] = i + 1;
  l->by_row[gone_driver] = 0;
}

// The last entity takes the place of e. → where that is.
static uint32_t remove_indexed(query_o *q, shoal_entity e, uint32_t place) {
  shoal_entity filling = q->entities[place] = q->entities[--q->count];
  *index_slot(&live(q)->pages, &live(q)->page_count, filling, &q->world->allocator) = place + 1;
  *index_slot(&live(q)->pages, &live(q)->page_count, e, &q->world->allocator) = 0; // they may be the same
  return place;
}

// Those of up to AT_ONCE entities that are in it; of a query without a driver.
static void remove_some(query_o *q, const shoal_entity *entities, uint32_t count) {
  uint32_t places[AT_ONCE], last[AT_ONCE], gone = 0, end = q->count;
  shoal_entity leaving[AT_ONCE];
  assert_closed(q);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = row_of_entity(q, entities[i]);
    if (row == 0)
      continue;
    places[gone] = q->grouped ? 0 : remove_indexed(q, entities[i], row - 1);
    leaving[gone] = entities[i];
    last[gone] = end - 1 - gone;
    gone++;
  }
  for (uint32_t k = 0; k < q->term_count && gone > 0; ++k)
    if (q->terms[k].owned && q->terms[k].role == QUERY_WITH) // it may be an optional one once more
      manager_bring_rows(q->terms[k].manager, leaving, gone, end - 1, -1, places);
  q->count = end - gone;
  fill_places(q, places, last, gone);
}

static void note(query_o *q, shoal_entity e, bool entered) {
  live_query_t *l = live(q);
  for (uint32_t i = 0; i < l->watchers.count; ++i)
    query_observer_note(q->world, l->watchers.items[i], e, entered);
}

static bool contains(query_o *q, shoal_entity e) {
  manager_o *driver = driver_of(q);
  if (!driver)
    return row_of_entity(q, e) != 0;
  uint32_t first = manager_row(driver, e);
  return first != ROW_NONE && row_of_driver(live(q), first) != 0;
}

bool query_wants_words(query_o *q, shoal_entity e) {
  const live_query_t *l = live(q);
  for (uint32_t i = 0; i < l->watchers.count; ++i)
    if (q->world->watchers.items[l->watchers.items[i] - 1].wants_words)
      return contains(q, e);
  return false;
}

void query_add_entity(query_o *q, shoal_entity e) {
  manager_o *driver = driver_of(q);
  if (!driver)
    append_row(q, e, ROW_NONE);
  else
    for (uint32_t row = manager_row(driver, e); row != ROW_NONE; row = driver->next[row])
      append_row(q, e, row);
  note(q, e, true);
}

// Those of up to AT_ONCE entities that are in it.
static void drop(query_o *q, const shoal_entity *entities, uint32_t count) {
  const manager_o *driver = driver_of(q);
  if (!driver)
    remove_some(q, entities, count);
  for (uint32_t i = 0; driver && i < count; ++i)
    for (uint32_t row = manager_row(driver, entities[i]); row != ROW_NONE; row = driver->next[row])
      if (row_of_driver(live(q), row) != 0)
        remove_row(q, row_of_driver(live(q), row) - 1);
}

void query_forget(query_o *q, shoal_entity e) {
  if (!contains(q, e))
    return;
  drop(q, &e, 1);
  note(q, e, false);
}

// --- many at once

// The row of the first, if the others follow it side by side; else ROW_NONE.
static uint32_t rows_in_line(const manager_o *m, const shoal_entity *entities, uint32_t count) {
  uint32_t first = manager_row(m, entities[0]);
  bool fits = first != ROW_NONE && m->count - first >= count;
  return fits && entities_same(m->owner + first, entities, count) == count ? first : ROW_NONE;
}

static void map_many(const query_o *q, query_term_t *t, const shoal_entity *entities, uint32_t at, uint32_t count) {
  uint32_t line = query_hides(q) ? ROW_NONE : rows_in_line(t->manager, entities, count), misaligned = 0;
  for (uint32_t i = 0; line != ROW_NONE && i < count; ++i)
    t->rows[at + i] = line + i;
  t->misaligned += line != ROW_NONE && line != at ? count : 0;
  for (uint32_t i = 0; line == ROW_NONE && i < count; ++i) {
    uint32_t row = term_row(q, t, entities[i]);
    t->rows[at + i] = row;
    misaligned += row != at + i;
  }
  t->misaligned += misaligned;
}

void query_add_many(query_o *q, const shoal_entity *entities, uint32_t count) {
  if (count < MIN_MANY || driver_of(q)) {
    for (uint32_t i = 0; i < count; ++i)
      query_add_entity(q, entities[i]);
    return;
  }
  assert_closed(q);
  uint32_t at = q->count;
  reserve(q, at + count);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    manager_o *m = q->terms[k].manager;
    if (q->terms[k].owned && entities_same(m->owner + at, entities, count) < count)
      manager_bring_rows(m, entities, count, at, 1, NULL);
  }
  q->count = at + count;
  for (uint32_t k = 0; k < q->term_count; ++k)
    if (has_map(&q->terms[k]))
      map_many(q, &q->terms[k], entities, at, count);
  if (!q->grouped) {
    memcpy(q->entities + at, entities, count * sizeof *entities);
    index_set_many(&live(q)->pages, &live(q)->page_count, entities, count, at, &q->world->allocator);
  }
  for (uint32_t i = 0; i < count && live(q)->watchers.count > 0; ++i)
    note(q, entities[i], true);
}

void query_tell_leaving(query_o *q, const shoal_entity *entities, uint32_t count) {
  for (uint32_t i = 0; i < count && q->count > 0 && live(q)->watchers.count > 0; ++i)
    if (contains(q, entities[i]))
      note(q, entities[i], false);
}

void query_drop_many(query_o *q, const shoal_entity *entities, uint32_t count) {
  uint32_t end = q->count, kept = end - count, i = 0;
  if (end == 0)
    return;
  if (driver_of(q) || count < MIN_MANY || count > end)
    kept = end;
  if (kept == end || entities_in_reverse(q->entities + end - 1, entities, count) < count) {
    for (i = 0; i < count && q->count > 0; i += AT_ONCE)
      drop(q, entities + i, count - i < AT_ONCE ? count - i : AT_ONCE);
    return;
  }
  // They are the last ones, from behind: no row has to take their places.
  assert_closed(q);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    for (i = kept; has_map(t) && t->misaligned > 0 && i < end; ++i)
      t->misaligned -= t->rows[i] != i;
  }
  if (!q->grouped)
    index_clear_many(&live(q)->pages, &live(q)->page_count, q->entities + kept, count, &q->world->allocator);
  q->count = kept;
}

void query_forget_many(query_o *q, const shoal_entity *entities, uint32_t count) {
  query_tell_leaving(q, entities, count);
  query_drop_many(q, entities, count);
}

uint32_t query_keep_those_with(const manager_o *m, shoal_entity *entities, uint32_t count, bool wanted) {
  if (count == 0 || (!wanted && m->count == 0) || (wanted && rows_in_line(m, entities, count) != ROW_NONE))
    return count;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = entities[i];
    entities[kept] = e;
    kept += (manager_row(m, e) != ROW_NONE) == wanted;
  }
  return kept;
}

static uint32_t keep_one_by_one(const query_o *q, shoal_entity *entities, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (query_matches(q, entities[i]))
      entities[kept++] = entities[i];
  return kept;
}

uint32_t query_keep_matching(const query_o *q, const manager_o *known, shoal_entity *entities, uint32_t count) {
  bool any = query_hides(q);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    const query_term_t *t = &q->terms[k];
    any |= t->role == QUERY_ANY;
    if ((t->role == QUERY_WITH || t->role == QUERY_WITHOUT) && t->manager != known)
      count = query_keep_those_with(t->manager, entities, count, t->role == QUERY_WITH);
  }
  return any ? keep_one_by_one(q, entities, count) : count;
}

// --- single changes

// The rows of these entities in m are other ones now (or none, for an optional component): their query rows follow.
static void refresh_term(query_o *q, query_term_t *t, const shoal_entity *entities, uint32_t count) {
  manager_o *driver = driver_of(q);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = term_row(q, t, entities[i]), at = driver ? 0 : row_of_entity(q, entities[i]);
    if (at != 0)
      set_row(t, at - 1, row);
    for (uint32_t d = driver ? manager_row(driver, entities[i]) : ROW_NONE; d != ROW_NONE; d = driver->next[d])
      if ((at = row_of_driver(live(q), d)) != 0)
        set_row(t, at - 1, row);
  }
}

static void refresh(query_o *q, const manager_o *m, const shoal_entity *entities, uint32_t count) {
  for (uint32_t k = 0; k < q->term_count; ++k) {
    query_term_t *t = &q->terms[k];
    if (t->manager == m && has_map(t) && (int32_t)k != live(q)->driver)
      refresh_term(q, t, entities, count);
  }
}

static void entity_changed(query_o *q, const manager_o *m, shoal_entity e) {
  bool was = contains(q, e), is = query_matches(q, e);
  if (is && !was)
    query_add_entity(q, e);
  else if (was && !is)
    query_forget(q, e);
  else if (is)
    refresh(q, m, &e, 1);
}

void query_tell_disabled(world_o *w, shoal_entity e, uint32_t instance) {
  manager_o *m = world_find_manager(w, strings_text(w->strings, instance));
  uint32_t count = m ? m->query_count : w->queries.count;
  for (uint32_t i = 0; i < count; ++i)
    entity_changed(m ? m->queries[i] : w->queries.items[i], m, e);
}

void query_row_added(query_o *q, manager_o *m, shoal_entity e, uint32_t row) {
  shoal_assert(m && row < m->columns.count, "row %u of what query %u reads", row, q->id);
  if (driver_of(q) != m || manager_row(m, e) == row) {
    entity_changed(q, m, e);
    return;
  }
  // One more instance of what drives the query: one more row, if the others are there.
  if (contains(q, e))
    append_row(q, e, row);
}

void query_row_removed(query_o *q, manager_o *m, shoal_entity e, uint32_t row) {
  shoal_assert(m, "row %u of what query %u reads", row, q->id);
  if (driver_of(q) != m) {
    entity_changed(q, m, e);
    return;
  }
  uint32_t i = row_of_driver(live(q), row);
  if (i == 0)
    return;
  remove_row(q, i - 1);
  if (manager_row(m, e) == ROW_NONE)
    note(q, e, false);
  else
    refresh(q, m, &e, 1);
}

void query_row_moved(query_o *q, manager_o *m, shoal_entity e, uint32_t from, uint32_t to) {
  assert_closed(q);
  shoal_assert(m, "a row of no component has moved from %u to %u", from, to);
  live_query_t *l = live(q);
  if (driver_of(q) == m) {
    uint32_t i = row_of_driver(l, from);
    if (from < l->by_row_capacity)
      l->by_row[from] = 0;
    if (i != 0) {
      l->by_row[to] = i;
      set_row(&q->terms[l->driver], i - 1, to);
    }
  }
  if (manager_row(m, e) == to)
    refresh(q, m, &e, 1);
}

void query_rows_moved(query_o *q, const manager_o *m, const shoal_entity *entities, uint32_t count) {
  assert_closed(q);
  refresh(q, m, entities, count);
}

// --- life

static void free_views(query_term_t *t, uint32_t count, allocator_t *a) {
  alloc_resize(a, t->views, count * sizeof *t->views, 0);
  alloc_resize(a, t->lasting, 2 * (size_t)count * sizeof *t->lasting, 0);
  t->views = t->lasting = NULL;
}

static uint32_t views_of(const query_term_t *t) {
  const schema_t *s = &t->manager->schema;
  return t->role == QUERY_WITHOUT ? 0 : s->field_count + s->derived_count;
}

static void make_views(query_term_t *t, allocator_t *a) {
  uint32_t n = views_of(t);
  t->views = alloc_resize(a, NULL, 0, n * sizeof *t->views);
  for (uint32_t i = 0; i < n; ++i)
    t->views[i] = (column_view_t){0};
  t->lasting = alloc_resize(a, NULL, 0, 2 * (size_t)n * sizeof *t->lasting);
  for (uint32_t i = 0; i < 2 * n; ++i)
    t->lasting[i] = (column_view_t){0};
  t->view_count = n;
}

void query_rebuild_views(query_o *q, manager_o *m) {
  assert_closed(q);
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager == m) {
      free_views(&q->terms[i], q->terms[i].view_count, &q->world->allocator);
      make_views(&q->terms[i], &q->world->allocator);
    }
  q->layout_version++;
}

// Where to look for matches: the driver, else the smallest component that all of them have, else each of the `any`.
static int32_t seed_term(const query_o *q) {
  if (((const live_query_t *)q)->driver >= 0)
    return ((const live_query_t *)q)->driver;
  int32_t best = -1;
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].role == QUERY_WITH && (best < 0 || q->terms[i].manager->count < q->terms[best].manager->count))
      best = (int32_t)i;
  return best;
}

static void fill_from(query_o *q, const manager_o *m) {
  for (uint32_t row = 0; row < m->count; ++row) {
    shoal_entity e = m->owner[row];
    if (!contains(q, e) && query_matches(q, e))
      query_add_entity(q, e);
  }
}

// What a behaviour creates and destroys follows its state, which an entity has whether or not it is disabled.
bool query_sees_disabled(const world_o *w, const query_desc_t *desc) {
  bool sees = false;
  for (uint32_t i = 0; i < desc->term_count; ++i) {
    const manager_o *m = w->managers.items[desc->terms[i].manager - 1];
    sees |= m == w->disabled || (desc->terms[i].role == QUERY_WITH && strncmp(m->schema.name, "behaviour:", 10) == 0);
  }
  return sees;
}

query_o *query_create(world_o *w, const query_desc_t *desc) {
  live_query_t *l = alloc_resize(&w->allocator, NULL, 0, sizeof *l);
  *l = (live_query_t){.shared = {.world = w, .term_count = desc->term_count},
                      .driver = -1,
                      .sees_disabled = query_sees_disabled(w, desc),
                      .asleep = true};
  query_o *q = &l->shared;
  for (uint32_t i = 0; i < desc->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    t->manager = world_manager(w, desc->terms[i].manager);
    t->role = desc->terms[i].role;
    make_views(t, &w->allocator);
  }
  array_push(&w->allocator, &w->sleeping, q);
  return q;
}

static void free_content(query_o *q) {
  allocator_t *a = &q->world->allocator;
  live_query_t *l = live(q);
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    if (t->owned)
      t->manager->group = NULL;
    if (has_map(t))
      alloc_resize(a, t->rows, q->capacity * sizeof(uint32_t), 0);
    t->rows = NULL;
    t->misaligned = 0;
    t->owned = false;
  }
  if (!q->grouped)
    alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, 0);
  index_free(l->pages, l->page_count, a);
  alloc_resize(a, l->by_row, l->by_row_capacity * sizeof *l->by_row, 0);
  q->entities = l->by_row = NULL;
  l->pages = NULL;
  q->count = q->capacity = l->page_count = l->by_row_capacity = 0;
  q->grouped = false;
  l->lead = NULL;
}

void query_destroy(query_o *q) {
  allocator_t *a = &q->world->allocator;
  live_query_t *l = live(q);
  for (uint32_t i = 0; i < q->term_count; ++i)
    free_views(&q->terms[i], q->terms[i].view_count, a);
  free_content(q);
  array_free(a, &l->watchers);
  alloc_resize(a, l, sizeof *l, 0);
}

// --- sleeping

static void join(query_o *q) {
  world_o *w = q->world;
  live_query_t *l = live(q);
  shoal_assert(l->asleep, "query %u wakes up twice", q->id);
  uint32_t at = 0;
  while (w->sleeping.items[at] != q)
    at++;
  w->sleeping.items[at] = w->sleeping.items[--w->sleeping.count];
  array_push(&w->allocator, &w->queries, q);
  q->id = w->queries.count;
  l->asleep = false;
  l->driver = -1;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    if (t->role == QUERY_WITH && t->manager->schema.kind == SCHEMA_MANY)
      l->driver = (int32_t)i;
    if (t->view_count != views_of(t))
      query_rebuild_views(q, t->manager); // it was declared anew in the meantime
    manager_add_query(t->manager, q);
  }
  w->plan_version++;
}

void query_wake(query_o *q) {
  if (!live(q)->asleep)
    return;
  join(q);
  int32_t seed = seed_term(q);
  if (seed >= 0)
    fill_from(q, q->terms[seed].manager);
  for (uint32_t i = 0; i < q->term_count && seed < 0; ++i)
    if (q->terms[i].role == QUERY_ANY)
      fill_from(q, q->terms[i].manager);
}

static void leave(manager_o *m, const query_o *q) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->query_count; ++i)
    if (m->queries[i] != q)
      m->queries[kept++] = m->queries[i];
  m->query_count = kept;
}

void query_sleep(query_o *q) {
  assert_closed(q);
  world_o *w = q->world;
  shoal_assert(w->queries.items[q->id - 1] == q, "query %u is not where its number says", q->id);
  for (uint32_t i = q->id; i < w->queries.count; ++i) {
    w->queries.items[i]->id = i;
    w->queries.items[i - 1] = w->queries.items[i];
  }
  w->queries.count--;
  array_push(&w->allocator, &w->sleeping, q);
  for (uint32_t i = 0; i < q->term_count; ++i)
    leave(q->terms[i].manager, q);
  free_content(q);
  live(q)->watchers.count = 0;
  live(q)->asleep = true;
  w->plan_version++;
}

void query_load(query_o *q, query_data_t *data) {
  live_query_t *l = live(q);
  join(q);
  q->count = data->count;
  q->capacity = data->capacity;
  q->grouped = data->grouped;
  q->entities = data->entities;
  l->pages = data->pages;
  l->page_count = data->page_count;
  l->by_row = data->by_row;
  l->by_row_capacity = data->by_row_capacity;
  for (uint32_t i = 0; i < q->term_count && q->grouped; ++i) {
    manager_o *m = q->terms[i].manager;
    if (q->terms[i].role != QUERY_WITH)
      continue;
    m->group = q;
    l->lead = l->lead ? l->lead : m;
    q->entities = l->lead->owner;
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

static void own(query_o *q, query_term_t *t) {
  t->rows = alloc_resize(&q->world->allocator, t->rows, q->capacity * sizeof *t->rows, 0);
  t->misaligned = 0;
  t->owned = true;
}

void query_group(query_o *q) {
  assert_closed(q);
  live_query_t *l = live(q);
  allocator_t *a = &q->world->allocator;
  for (uint32_t k = 0; k < q->term_count; ++k) {
    manager_o *m = q->terms[k].manager;
    if (q->terms[k].role != QUERY_WITH)
      continue;
    shoal_assert(!m->group && m->schema.kind == SCHEMA_COMPONENT, "no group can own the rows of %s", m->schema.name);
    manager_bring_rows(m, q->entities, q->count, 0, 1, NULL);
    m->group = q;
    l->lead = l->lead ? l->lead : m;
  }
  for (uint32_t k = 0; k < q->term_count; ++k) // also where the query names the component as an optional one once more
    if (q->terms[k].role != QUERY_WITHOUT && q->terms[k].manager->group == q)
      own(q, &q->terms[k]);
  alloc_resize(a, q->entities, q->capacity * sizeof *q->entities, 0);
  index_free(l->pages, l->page_count, a);
  l->pages = NULL;
  l->page_count = 0;
  q->entities = l->lead->owner;
  q->grouped = true;
}

void query_ungroup(query_o *q) {
  assert_closed(q);
  live_query_t *l = live(q);
  allocator_t *a = &q->world->allocator;
  shoal_entity *entities = alloc_resize(a, NULL, 0, q->capacity * sizeof *entities);
  if (q->count > 0)
    memcpy(entities, q->entities, q->count * sizeof *entities);
  q->entities = entities;
  index_set_many(&l->pages, &l->page_count, entities, q->count, 0, a);
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
  l->lead = NULL;
  q->grouped = false;
}

void query_owner_moved(query_o *q, const manager_o *m) {
  if (live(q)->lead == m)
    q->entities = m->owner;
}

// 0, 1, 2, … : for an owned component that the query names as an optional one once more, which is always read through a
// map.
static uint32_t *identity(world_o *w, uint32_t count) {
  array_reserve(&w->allocator, &w->identity, count);
  for (; w->identity.count < count; ++w->identity.count)
    w->identity.items[w->identity.count] = w->identity.count;
  return w->identity.items;
}

// --- reading

static void set_views(query_term_t *t, uint32_t count, bool aligned) {
  uint32_t stored = t->manager->schema.field_count;
  for (uint32_t i = 0; i < t->view_count; ++i) {
    column_view_t v = {.data = i < stored ? t->manager->data[i] : t->manager, .count = count};
    v.marks = i < stored ? columns_marks(&t->manager->columns, i) : NULL;
    t->views[i] = t->lasting[i] = t->lasting[t->view_count + i] = v;
    t->views[i].rows = aligned ? NULL : t->rows;
    t->lasting[i].count = aligned ? count : 0;
    t->lasting[t->view_count + i].rows = t->rows;
    t->lasting[t->view_count + i].count = t->rows ? count : 0;
  }
  t->present.rows = t->role == QUERY_ANY || t->role == QUERY_OPTIONAL ? t->rows : NULL;
  t->present.count = count;
}

void query_open(query_o *q) {
  live_query_t *l = live(q);
  bool changed = q->layout_version == 0;
  if (l->asleep)
    query_wake(q);
  if (q->open++ > 0)
    return; // the structure cannot have changed since the first open
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    bool aligned = t->misaligned == 0;
    shoal_assert(t->misaligned <= q->count, "%u rows of %u lie elsewhere", t->misaligned, q->count);
    changed |= aligned != l->was_aligned[i];
    l->was_aligned[i] = aligned;
    if (t->owned)
      t->rows = t->role == QUERY_WITH ? NULL : identity(q->world, q->count);
    set_views(t, q->count, aligned);
  }
  q->entity_view = (column_view_t){.data = q->entities, .count = q->count};
  q->layout_version += changed;
}

void query_close(query_o *q) {
  shoal_assert(q->open > 0, "query %u was closed more often than opened", q->id);
  if (q->open == 0 || --q->open > 0)
    return;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    query_term_t *t = &q->terms[i];
    for (uint32_t k = 0; k < t->view_count; ++k)
      t->views[k].count = t->lasting[k].count = t->lasting[t->view_count + k].count = 0;
    t->present.count = 0;
  }
  q->entity_view.count = 0;
}
