// Query watchers: per system, the entities that started or stopped matching a query, in order.
#include "ecs/query_observer.h"

#include "base/assert.h"
#include "base/hash.h"
#include "ecs/index.h"
#include "ecs/query_internal.h"
#include "ecs/world_internal.h"

#include <string.h>

#define COMPACT_FLOOR 64u // minimum number of removed entries for a compaction

static uint32_t *get_entered_slot(world_o *w, watcher_t *watcher, shoal_entity e) {
  return index_slot(&watcher->pages, &watcher->page_count, e, &w->allocator);
}

static void compact_pending(world_o *w, watcher_t *watcher) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < watcher->pending.count; ++i) {
    query_watch_t entry = watcher->pending.items[i];
    if (entry.entity == SHOAL_ENTITY_NONE)
      continue;
    watcher->pending.items[kept++] = entry;
    if (entry.entered)
      *get_entered_slot(w, watcher, entry.entity) = kept;
  }
  watcher->pending.count = kept;
  watcher->cancelled_count = 0;
}

static void add_entry(world_o *w, uint32_t watcher_id, query_watch_t entry) {
  shoal_entity e = entry.entity;
  shoal_assert(watcher_id != 0 && watcher_id <= w->watchers.count, "unknown watcher %u", watcher_id);
  watcher_t *watcher = &w->watchers.items[watcher_id - 1];
  uint32_t *slot = get_entered_slot(w, watcher, e);
  if (entry.entered) {
    *slot = watcher->pending.count + 1;
  } else if (*slot != 0) {
    // The entity started and stopped matching between two reads: the system receives neither change.
    watcher->pending.items[*slot - 1].entity = SHOAL_ENTITY_NONE;
    *slot = 0;
    if (++watcher->cancelled_count >= COMPACT_FLOOR && watcher->cancelled_count * 2 > watcher->pending.count)
      compact_pending(w, watcher);
    return;
  }
  if (!entry.entered && watcher->keeps_last_rows && is_living(w, e)) {
    w->entities.marks[shoal_entity_index(e)] |= MARK_LEFT;
    w->has_last_rows = true;
  }
  array_push(&w->allocator, &watcher->pending, entry);
}

void query_observer_record_change(world_o *w, uint32_t watcher_id, shoal_entity e, bool entered) {
  uint32_t i = shoal_entity_index(e);
  query_watch_t entry = {.entity = e, .entered = entered};
  if (!entered)
    entry.assemblage = w->entities.assemblage[i], entry.state = w->entities.state[i], entry.removal = w->removal;
  add_entry(w, watcher_id, entry);
}

// Adds all current matches as entered entities. An entity with several instances is added once.
static void add_current_matches(world_o *w, uint32_t watcher_id, query_o *q) {
  int32_t driver = ((live_query_t *)q)->driver;
  for (uint32_t i = 0; i < q->count; ++i) {
    const query_term_t *t = driver < 0 ? NULL : &q->terms[driver];
    if (!t || manager_row(t->manager, q->entities[i]) == t->rows[i])
      query_observer_record_change(w, watcher_id, q->entities[i], true);
  }
}

uint32_t query_observer_find_watcher(const world_o *w, uint32_t system, const query_o *q) {
  for (uint32_t i = 0; i < w->watchers.count; ++i)
    if (w->watchers.items[i].system == system && w->watchers.items[i].query == q)
      return i + 1;
  return 0;
}

bool query_observer_keeps_last_rows(const world_o *w, uint32_t system) {
  uint64_t name = hash_text(strings_text(w->strings, system));
  for (uint32_t i = 0; i < w->last_row_systems.count; ++i)
    if (w->last_row_systems.items[i] == name)
      return true;
  return false;
}

void world_watch_enable_last_rows(world_o *w, uint32_t watcher_id) {
  shoal_assert(watcher_id != 0 && watcher_id <= w->watchers.count, "unknown watcher %u", watcher_id);
  watcher_t *watcher = &w->watchers.items[watcher_id - 1];
  watcher->keeps_last_rows = true;
  if (!query_observer_keeps_last_rows(w, watcher->system))
    array_push(&w->allocator, &w->last_row_systems, hash_text(strings_text(w->strings, watcher->system)));
}

static uint32_t create_watcher(world_o *w, uint32_t system_name, query_o *q) {
  watcher_t watcher = {
      .system = system_name, .query = q, .keeps_last_rows = query_observer_keeps_last_rows(w, system_name)};
  array_push(&w->allocator, &w->watchers, watcher);
  uint32_t number = w->watchers.count;
  live_query_t *live = (live_query_t *)q;
  array_push(&w->allocator, &live->watchers, number);
  return number;
}

uint32_t query_observer_add_watcher(world_o *w, uint32_t system_name, query_o *q) {
  uint32_t number = create_watcher(w, system_name, q);
  add_current_matches(w, number, q);
  return number;
}

void query_observer_resume_watcher(world_o *w, uint32_t system, query_o *q, const query_watch_t *pending,
                                   uint32_t count) {
  uint32_t number = query_observer_find_watcher(w, system, q);
  number = number != 0 ? number : create_watcher(w, system, q);
  watcher_t *watcher = &w->watchers.items[number - 1];
  for (uint32_t i = 0; i < count; ++i) {
    query_watch_t entry = pending[i];
    if (entry.entered && (!is_living(w, entry.entity) || !query_matches(q, entry.entity) ||
                          *get_entered_slot(w, watcher, entry.entity) != 0))
      continue;
    w->removal = entry.removal > w->removal ? entry.removal : w->removal;
    add_entry(w, number, entry);
  }
}

const query_watch_t *world_watch_pop_entries(world_o *w, uint32_t watcher_id, uint32_t *count) {
  *count = 0;
  shoal_assert(watcher_id != 0 && watcher_id <= w->watchers.count, "unknown watcher %u", watcher_id);
  if (watcher_id == 0 || watcher_id > w->watchers.count)
    return NULL;
  watcher_t *watcher = &w->watchers.items[watcher_id - 1];
  watcher->delivered.count = 0;
  array_reserve(&w->allocator, &watcher->delivered, watcher->pending.count);
  for (uint32_t i = 0; i < watcher->pending.count; ++i)
    if (!watcher->pending.items[i].entered && watcher->pending.items[i].entity != SHOAL_ENTITY_NONE)
      watcher->delivered.items[watcher->delivered.count++] = watcher->pending.items[i];
  for (uint32_t i = 0; i < watcher->pending.count; ++i) {
    query_watch_t entry = watcher->pending.items[i];
    if (!entry.entered || entry.entity == SHOAL_ENTITY_NONE)
      continue;
    watcher->delivered.items[watcher->delivered.count++] = entry;
    *get_entered_slot(w, watcher, entry.entity) = 0;
  }
  watcher->pending.count = watcher->cancelled_count = 0;
  *count = watcher->delivered.count;
  return watcher->delivered.items;
}

void world_watch_return_entries(world_o *w, uint32_t watcher_id) {
  shoal_assert(watcher_id != 0 && watcher_id <= w->watchers.count, "unknown watcher %u", watcher_id);
  watcher_t *watcher = &w->watchers.items[watcher_id - 1];
  // entries collected since the last read must follow the returned entries
  for (uint32_t i = 0; i < watcher->pending.count; ++i) {
    query_watch_t entry = watcher->pending.items[i];
    if (entry.entity == SHOAL_ENTITY_NONE)
      continue;
    *get_entered_slot(w, watcher, entry.entity) = 0;
    array_push(&w->allocator, &watcher->delivered, entry);
  }
  watcher->pending.count = watcher->cancelled_count = 0;
  for (uint32_t i = 0; i < watcher->delivered.count; ++i)
    if (watcher->delivered.items[i].entity != SHOAL_ENTITY_NONE)
      add_entry(w, watcher_id, watcher->delivered.items[i]);
  watcher->delivered.count = 0;
}

void world_watch_mark_handled(world_o *w, uint32_t watcher_id, uint32_t i) {
  shoal_assert(watcher_id != 0 && watcher_id <= w->watchers.count, "unknown watcher %u", watcher_id);
  watcher_t *watcher = &w->watchers.items[watcher_id - 1];
  if (i < watcher->delivered.count)
    watcher->delivered.items[i].entity = SHOAL_ENTITY_NONE;
}

void query_observer_free_all(world_o *w) {
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    watcher_t *watcher = &w->watchers.items[i];
    array_free(&w->allocator, &watcher->pending);
    array_free(&w->allocator, &watcher->delivered);
    index_free(watcher->pages, watcher->page_count, &w->allocator);
  }
  array_free(&w->allocator, &w->watchers);
}

uint64_t query_observer_hash(const world_o *w, uint64_t seed) {
  uint64_t hash = seed;
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    const watcher_t *watcher = &w->watchers.items[i];
    uint32_t header[] = {watcher->system, watcher->query->id};
    hash = hash_bytes(header, sizeof header, hash);
    for (uint32_t k = 0; k < watcher->pending.count; ++k) {
      uint32_t entry[] = {watcher->pending.items[k].entity, watcher->pending.items[k].entered};
      if (entry[0] != SHOAL_ENTITY_NONE)
        hash = hash_bytes(entry, sizeof entry, hash);
    }
  }
  return hash;
}
