// Watchers collect, per system, the entities that start or stop matching a query, in order.
#include "ecs/query_observer.h"

#include "base/assert.h"
#include "base/hash.h"
#include "ecs/index.h"
#include "ecs/query_internal.h"
#include "ecs/world_internal.h"

#include <string.h>

#define COMPACT_FLOOR 64u // minimum number of removed entries for a compaction

static uint32_t *get_entered_slot(world_o *w, watcher_t *x, shoal_entity e) {
  return index_slot(&x->pages, &x->page_count, e, &w->allocator);
}

static void compact_pending(world_o *w, watcher_t *x) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < x->pending.count; ++i) {
    query_watch_t n = x->pending.items[i];
    if (n.entity == SHOAL_ENTITY_NONE)
      continue;
    x->pending.items[kept++] = n;
    if (n.entered)
      *get_entered_slot(w, x, n.entity) = kept;
  }
  x->pending.count = kept;
  x->taken_back = 0;
}

static void add_entry(world_o *w, uint32_t watcher, query_watch_t n) {
  shoal_entity e = n.entity;
  shoal_assert(watcher != 0 && watcher <= w->watchers.count, "unknown watcher %u", watcher);
  watcher_t *x = &w->watchers.items[watcher - 1];
  uint32_t *slot = get_entered_slot(w, x, e);
  if (n.entered) {
    *slot = x->pending.count + 1;
  } else if (*slot != 0) {
    // The entity started and stopped matching between two reads: the system receives neither change.
    x->pending.items[*slot - 1].entity = SHOAL_ENTITY_NONE;
    *slot = 0;
    if (++x->taken_back >= COMPACT_FLOOR && x->taken_back * 2 > x->pending.count)
      compact_pending(w, x);
    return;
  }
  if (!n.entered && x->keeps_last && is_living(w, e)) {
    w->entities.marks[shoal_entity_index(e)] |= MARK_LEFT;
    w->keeps_last = true;
  }
  array_push(&w->allocator, &x->pending, n);
}

void query_observer_record_change(world_o *w, uint32_t watcher, shoal_entity e, bool entered) {
  uint32_t i = shoal_entity_index(e);
  query_watch_t n = {.entity = e, .entered = entered};
  if (!entered)
    n.assemblage = w->entities.assemblage[i], n.state = w->entities.state[i], n.removal = w->removal;
  add_entry(w, watcher, n);
}

// Adds all current matches as entered entities. An entity with several instances is added once.
static void add_current_matches(world_o *w, uint32_t watcher, query_o *q) {
  int32_t driver = ((live_query_t *)q)->driver;
  for (uint32_t i = 0; i < q->count; ++i) {
    const query_term_t *t = driver < 0 ? NULL : &q->terms[driver];
    if (!t || manager_row(t->manager, q->entities[i]) == t->rows[i])
      query_observer_record_change(w, watcher, q->entities[i], true);
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
  for (uint32_t i = 0; i < w->keep_last.count; ++i)
    if (w->keep_last.items[i] == name)
      return true;
  return false;
}

void world_watch_enable_last_rows(world_o *w, uint32_t watcher) {
  shoal_assert(watcher != 0 && watcher <= w->watchers.count, "unknown watcher %u", watcher);
  watcher_t *x = &w->watchers.items[watcher - 1];
  x->keeps_last = true;
  if (!query_observer_keeps_last_rows(w, x->system))
    array_push(&w->allocator, &w->keep_last, hash_text(strings_text(w->strings, x->system)));
}

static uint32_t create_watcher(world_o *w, uint32_t system_name, query_o *q) {
  watcher_t made = {.system = system_name, .query = q, .keeps_last = query_observer_keeps_last_rows(w, system_name)};
  array_push(&w->allocator, &w->watchers, made);
  uint32_t number = w->watchers.count;
  live_query_t *l = (live_query_t *)q;
  array_push(&w->allocator, &l->watchers, number);
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
  watcher_t *x = &w->watchers.items[number - 1];
  for (uint32_t i = 0; i < count; ++i) {
    query_watch_t n = pending[i];
    if (n.entered && (!is_living(w, n.entity) || !query_matches(q, n.entity) || *get_entered_slot(w, x, n.entity) != 0))
      continue;
    w->removal = n.removal > w->removal ? n.removal : w->removal;
    add_entry(w, number, n);
  }
}

const query_watch_t *world_watch_pop_entries(world_o *w, uint32_t watcher, uint32_t *count) {
  *count = 0;
  shoal_assert(watcher != 0 && watcher <= w->watchers.count, "unknown watcher %u", watcher);
  if (watcher == 0 || watcher > w->watchers.count)
    return NULL;
  watcher_t *x = &w->watchers.items[watcher - 1];
  x->taken.count = 0;
  array_reserve(&w->allocator, &x->taken, x->pending.count);
  for (uint32_t i = 0; i < x->pending.count; ++i)
    if (!x->pending.items[i].entered && x->pending.items[i].entity != SHOAL_ENTITY_NONE)
      x->taken.items[x->taken.count++] = x->pending.items[i];
  for (uint32_t i = 0; i < x->pending.count; ++i) {
    query_watch_t n = x->pending.items[i];
    if (!n.entered || n.entity == SHOAL_ENTITY_NONE)
      continue;
    x->taken.items[x->taken.count++] = n;
    *get_entered_slot(w, x, n.entity) = 0;
  }
  x->pending.count = x->taken_back = 0;
  *count = x->taken.count;
  return x->taken.items;
}

void world_watch_return_entries(world_o *w, uint32_t watcher) {
  shoal_assert(watcher != 0 && watcher <= w->watchers.count, "unknown watcher %u", watcher);
  watcher_t *x = &w->watchers.items[watcher - 1];
  // entries collected since the last read must follow the returned entries
  for (uint32_t i = 0; i < x->pending.count; ++i) {
    query_watch_t n = x->pending.items[i];
    if (n.entity == SHOAL_ENTITY_NONE)
      continue;
    *get_entered_slot(w, x, n.entity) = 0;
    array_push(&w->allocator, &x->taken, n);
  }
  x->pending.count = x->taken_back = 0;
  for (uint32_t i = 0; i < x->taken.count; ++i)
    if (x->taken.items[i].entity != SHOAL_ENTITY_NONE)
      add_entry(w, watcher, x->taken.items[i]);
  x->taken.count = 0;
}

void world_watch_mark_handled(world_o *w, uint32_t watcher, uint32_t i) {
  shoal_assert(watcher != 0 && watcher <= w->watchers.count, "unknown watcher %u", watcher);
  watcher_t *x = &w->watchers.items[watcher - 1];
  if (i < x->taken.count)
    x->taken.items[i].entity = SHOAL_ENTITY_NONE;
}

void query_observer_free_all(world_o *w) {
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    watcher_t *x = &w->watchers.items[i];
    array_free(&w->allocator, &x->pending);
    array_free(&w->allocator, &x->taken);
    index_free(x->pages, x->page_count, &w->allocator);
  }
  array_free(&w->allocator, &w->watchers);
}

uint64_t query_observer_hash(const world_o *w, uint64_t seed) {
  uint64_t hash = seed;
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    const watcher_t *x = &w->watchers.items[i];
    uint32_t head[] = {x->system, x->query->id};
    hash = hash_bytes(head, sizeof head, hash);
    for (uint32_t k = 0; k < x->pending.count; ++k) {
      uint32_t n[] = {x->pending.items[k].entity, x->pending.items[k].entered};
      if (n[0] != SHOAL_ENTITY_NONE)
        hash = hash_bytes(n, sizeof n, hash);
    }
  }
  return hash;
}
