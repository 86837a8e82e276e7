// Change counters and observers: comparisons with saved rows, and lists of changes that have not been read yet.
#include "ecs/changes.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/sort.h"
#include "ecs/last_values.h"
#include "ecs/relation.h"
#include "ecs/relation_internal.h"
#include "ecs/structural_changes.h"

#include <stdlib.h>
#include <string.h>

#define STORAGE_VERSION 2u

static uint64_t observer_key(const char *name) {
  return hash_text(name);
}

// --- compared components

static tracked_component_t *find_or_track_component(relation_o *r, manager_o *m) {
  tracked_component_t *f = tracked_component_find(r, m);
  if (f)
    return f;
  f = alloc_resize(&r->world->allocator, NULL, 0, sizeof *f);
  *f = (tracked_component_t){.manager = m, .key = observer_key(m->schema.name)};
  row_copy_init(&f->copy, m, &r->world->allocator);
  m->is_tracked = true;
  array_push(&r->world->allocator, &r->tracked, f);
  return f;
}

static bool query_has_term(const query_o *q, const manager_o *m) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager == m && q->terms[i].role == QUERY_WITH)
      return true;
  return false;
}

static int compare_by_index(const void *a, const void *b) {
  uint32_t x = shoal_entity_index(*(const shoal_entity *)a), y = shoal_entity_index(*(const shoal_entity *)b);
  return x < y ? -1 : x > y;
}

static void sort_and_remove_duplicates(observer_t *o) {
  // rows are mostly in entity index order, so sorting is rarely needed
  uint32_t kept = 0, wrong = 0;
  for (uint32_t i = 1; i < o->set.count; ++i)
    wrong += shoal_entity_index(o->set.items[i - 1]) >= shoal_entity_index(o->set.items[i]);
  if (wrong > 0)
    sort_stable(o->set.items, o->set.count, sizeof *o->set.items, compare_by_index);
  for (uint32_t i = 0; i < o->set.count; ++i)
    if (kept == 0 || o->set.items[kept - 1] != o->set.items[i])
      o->set.items[kept++] = o->set.items[i];
  o->set.count = kept;
}

static void record_changes(relation_o *r, const tracked_component_t *f) {
  for (uint32_t k = 0; k < r->observers.count; ++k) {
    observer_t *o = &r->observers.items[k];
    if (!o->compares || !query_has_term(o->query, f->manager))
      continue;
    for (uint32_t i = 0; i < f->copy.changed.count; ++i)
      array_push(&r->world->allocator, &o->set, f->manager->owner[f->copy.changed.items[i]]);
    sort_and_remove_duplicates(o);
  }
}

static void compare_component(relation_o *r, tracked_component_t *f) {
  uint32_t changes = row_copy_compare_and_refresh(&f->copy);
  f->count += f->counted ? changes : 0;
  if (f->copy.changed.count > 0)
    record_changes(r, f);
}

void changes_collect(relation_o *r) {
  for (uint32_t i = 0; i < r->tracked.count; ++i)
    compare_component(r, r->tracked.items[i]);
}

// --- counters

static tracked_component_t *get_or_start_counter(world_o *w, uint32_t manager) {
  relation_o *r = relation_get(w);
  manager_o *m = world_manager(w, manager);
  shoal_assert(m, "unknown component number %u", manager);
  tracked_component_t *f = find_or_track_component(r, m);
  compare_component(r, f); // starts counting at the first call, even if an observer has already compared the component
  f->counted = true;
  return f;
}

uint64_t changes_count(world_o *w, uint32_t manager) {
  return get_or_start_counter(w, manager)->count;
}

// --- observers

static observer_t *get_observer(world_o *w, uint32_t number) {
  relation_o *r = relation_get(w);
  shoal_assert(number > 0 && number <= r->observers.count, "unknown observer %u", number);
  return &r->observers.items[number - 1];
}

static observer_t *find_or_add_observer(relation_o *r, uint64_t key) {
  for (uint32_t i = 0; i < r->observers.count; ++i)
    if (r->observers.items[i].key == key)
      return &r->observers.items[i];
  observer_t made = {.key = key, .handled = true};
  array_push(&r->world->allocator, &r->observers, made);
  return &r->observers.items[r->observers.count - 1];
}

uint32_t observer_find_or_create(world_o *w, const char *name, query_o *q, bool compares) {
  relation_o *r = relation_get(w);
  observer_t *o = find_or_add_observer(r, observer_key(name));
  if (!o->name)
    o->name = alloc_copy_text(&w->allocator, name);
  o->query = q;
  o->compares = compares;
  for (uint32_t i = 0; i < q->term_count && compares; ++i)
    if (q->terms[i].role == QUERY_WITH)
      find_or_track_component(r, q->terms[i].manager);
  uint32_t number = (uint32_t)(o - r->observers.items) + 1;
  observer_get_watcher(w, number);
  return number;
}

// The watcher is looked up on each call, because a restore renumbers watchers.
uint32_t observer_get_watcher(world_o *w, uint32_t observer) {
  const observer_t *o = get_observer(w, observer);
  shoal_assert(o->query, "observer %u is not open", observer);
  return world_watch_query(w, strings_intern(w->strings, o->name), o->query);
}

static bool is_still_matching(const world_o *w, const observer_t *o, shoal_entity e) {
  return is_living(w, e) && query_matches(o->query, e);
}

static watcher_t *get_watcher(world_o *w, uint32_t observer) {
  return &w->watchers.items[observer_get_watcher(w, observer) - 1];
}

// Compares the components that this observer watches.
static void compare_observed_components(relation_o *r, const observer_t *o) {
  for (uint32_t i = 0; i < o->query->term_count && o->compares; ++i)
    if (o->query->terms[i].role == QUERY_WITH)
      compare_component(r, find_or_track_component(r, o->query->terms[i].manager));
}

bool observer_has_pending(world_o *w, uint32_t observer) {
  const watcher_t *x = get_watcher(w, observer);
  const observer_t *o = get_observer(w, observer);
  bool waits = x->pending.count > x->taken_back;
  if (!waits)
    compare_observed_components(relation_get(w), o);
  for (uint32_t i = 0; !waits && i < o->set.count; ++i)
    waits = is_still_matching(w, o, o->set.items[i]);
  return waits;
}

static void requeue_changes(world_o *w, observer_t *o) {
  observed_list_t *set = &o->lists[OBSERVED_CHANGED];
  for (uint32_t i = 0; i < set->count; ++i)
    array_push(&w->allocator, &o->set, set->items[i]);
  sort_and_remove_duplicates(o);
  set->count = 0;
  o->handled = true;
}

void changes_end_tick(relation_o *r) {
  for (uint32_t i = 0; i < r->observers.count; ++i)
    if (!r->observers.items[i].handled)
      requeue_changes(r->world, &r->observers.items[i]);
  changes_collect(r);
}

// Lists the changed entities that still match, except those in OBSERVED_ENTER.
static void collect_changed(world_o *w, observer_t *o) {
  const observed_list_t *added = &o->lists[OBSERVED_ENTER];
  observed_list_t *set = &o->lists[OBSERVED_CHANGED];
  if (!o->handled)
    requeue_changes(w, o);
  set->count = 0;
  structure_set_marks(w, added->items, added->count, MARK_LISTED, true);
  for (uint32_t i = 0; i < o->set.count; ++i)
    if (is_still_matching(w, o, o->set.items[i]) && !is_marked(w, o->set.items[i], MARK_LISTED))
      array_push(&w->allocator, set, o->set.items[i]);
  structure_set_marks(w, added->items, added->count, MARK_LISTED, false);
  o->set.count = 0;
}

void observer_begin_delivery(world_o *w, uint32_t observer) {
  uint32_t count, left = 0;
  const query_watch_t *list = world_watch_pop_entries(w, observer_get_watcher(w, observer), &count);
  observer_t *o = get_observer(w, observer);
  compare_observed_components(relation_get(w), o);
  while (left < count && !list[left].entered)
    ++left;
  for (uint32_t i = 0; i < 2; ++i) {
    observed_list_t *to = &o->lists[i == 0 ? OBSERVED_LEAVE : OBSERVED_ENTER];
    uint32_t first = i == 0 ? 0 : left;
    to->count = (i == 0 ? left : count) - first;
    array_reserve(&w->allocator, to, to->count);
    for (uint32_t k = 0; k < to->count; ++k)
      to->items[k] = list[first + k].entity;
  }
  collect_changed(w, o);
  o->handled = false;
}

void observer_mark_handled(world_o *w, uint32_t observer, observed_t kind, uint32_t i) {
  uint32_t left = get_observer(w, observer)->lists[OBSERVED_LEAVE].count;
  world_watch_mark_handled(w, observer_get_watcher(w, observer), kind == OBSERVED_LEAVE ? i : left + i);
}

static const query_watch_t *get_delivered_entry(world_o *w, uint32_t observer, uint32_t i) {
  const watcher_t *x = get_watcher(w, observer);
  shoal_assert(i < x->taken.count, "element %u is out of range (count %u)", i, x->taken.count);
  return &x->taken.items[i];
}

uint32_t observer_last_assemblage(world_o *w, uint32_t observer, uint32_t i) {
  return get_delivered_entry(w, observer, i)->assemblage;
}

uint32_t observer_last_state(world_o *w, uint32_t observer, uint32_t i) {
  return get_delivered_entry(w, observer, i)->state;
}

uint32_t observer_last_removal(world_o *w, uint32_t observer, uint32_t i) {
  return get_delivered_entry(w, observer, i)->removal;
}

void observer_drop_replaced(world_o *w, uint32_t observer, uint32_t manager) {
  observer_t *o = get_observer(w, observer);
  observed_list_t *left = &o->lists[OBSERVED_LEAVE], *entered = &o->lists[OBSERVED_ENTER];
  for (uint32_t i = 0; i < left->count; ++i)
    if (is_living(w, left->items[i]) &&
        last_values_find(world_manager(w, manager), left->items[i], get_delivered_entry(w, observer, i)->removal, 0,
                         true) != ROW_NONE)
      structure_set_marks(w, &left->items[i], 1, MARK_LISTED, true);
  for (uint32_t i = 0; i < entered->count; ++i)
    if (is_marked(w, entered->items[i], MARK_LISTED))
      entered->items[i] = SHOAL_ENTITY_NONE;
  for (uint32_t i = 0; i < left->count; ++i)
    if (is_marked(w, left->items[i], MARK_LISTED)) {
      structure_set_marks(w, &left->items[i], 1, MARK_LISTED, false);
      left->items[i] = SHOAL_ENTITY_NONE;
    }
}

void observer_end_delivery(world_o *w, uint32_t observer) {
  get_observer(w, observer)->handled = true;
}

const shoal_entity *observer_get_list(world_o *w, uint32_t observer, observed_t kind, uint32_t *count) {
  const observer_t *o = get_observer(w, observer);
  shoal_assert(kind < OBSERVED_KINDS, "list kind %d is out of range", (int)kind);
  *count = o->lists[kind].count;
  return o->lists[kind].items;
}

// --- serialization as 64-bit numbers: the number of counters and of observers with unread changes; the key and count
// of each counter; the key, number of entities and entities of each of these observers. Empty without counters and
// unread changes.

typedef struct bytes_t {
  uint64_t *out; // NULL: only counts the numbers
  size_t count;
} bytes_t;

static void write_number(bytes_t *b, uint64_t number) {
  if (b->out)
    b->out[b->count] = number;
  ++b->count;
}

// Returns the observer with unread changes that follows `before` (NULL: the first) in order of keys; NULL at the end.
static const observer_t *find_next_unread(const relation_o *r, const observer_t *before) {
  const observer_t *next = NULL;
  for (uint32_t i = 0; i < r->observers.count; ++i) {
    const observer_t *o = &r->observers.items[i];
    if (o->set.count > 0 && (!before || o->key > before->key) && (!next || o->key < next->key))
      next = o;
  }
  return next;
}

static void write_changes(const relation_o *r, bytes_t *b) {
  uint64_t counted = 0, unread = 0;
  for (uint32_t i = 0; i < r->tracked.count; ++i)
    counted += r->tracked.items[i]->counted;
  for (uint32_t i = 0; i < r->observers.count; ++i)
    unread += r->observers.items[i].set.count > 0;
  if (counted + unread == 0)
    return;
  write_number(b, counted), write_number(b, unread);
  // in order of managers, so that the bytes do not depend on which counter was requested first
  for (uint32_t i = 0; i < r->world->managers.count; ++i) {
    const tracked_component_t *f = tracked_component_find(r, r->world->managers.items[i]);
    if (f && f->counted)
      write_number(b, f->key), write_number(b, f->count);
  }
  const observer_t *o = NULL;
  while ((o = find_next_unread(r, o)) != NULL) {
    write_number(b, o->key), write_number(b, o->set.count);
    for (uint32_t k = 0; k < o->set.count; ++k)
      write_number(b, o->set.items[k]);
  }
}

static size_t saved_changes_size(void *context, manager_o *m) {
  relation_o *r = relation_get(context);
  bytes_t b = {0};
  (void)m;
  changes_collect(r);
  write_changes(r, &b);
  return b.count * sizeof(uint64_t);
}

static void save_changes(void *context, manager_o *m, void *bytes) {
  bytes_t b = {.out = bytes};
  (void)m;
  write_changes(relation_get(context), &b);
}

typedef struct reader_state_t {
  const uint64_t *at;
  size_t left;
} reader_state_t;

static uint64_t read_number(reader_state_t *x) { // returns 0 past the end: snapshots from files may be malformed
  if (x->left == 0)
    return 0;
  --x->left;
  return *x->at++;
}

static void reset_changes(relation_o *r) {
  for (uint32_t i = 0; i < r->tracked.count; ++i)
    r->tracked.items[i]->counted = false, r->tracked.items[i]->count = 0;
  for (uint32_t i = 0; i < r->observers.count; ++i) {
    r->observers.items[i].set.count = r->observers.items[i].lists[OBSERVED_CHANGED].count = 0;
    r->observers.items[i].handled = true;
  }
}

static void restore_counter(relation_o *r, uint64_t key, uint64_t count) {
  for (uint32_t i = 0; i < r->world->managers.count; ++i) {
    manager_o *m = r->world->managers.items[i];
    if (observer_key(m->schema.name) != key)
      continue;
    tracked_component_t *f = find_or_track_component(r, m);
    f->counted = true;
    f->count = count;
    return;
  }
}

static void load_changes(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  relation_o *r = relation_get(context);
  reader_state_t x = {.at = bytes, .left = version == STORAGE_VERSION ? size / sizeof(uint64_t) : 0};
  uint64_t counters = read_number(&x), observers = read_number(&x);
  (void)m;
  reset_changes(r);
  for (uint64_t i = 0; i < counters && x.left >= 2; ++i) {
    uint64_t key = read_number(&x);
    restore_counter(r, key, read_number(&x));
  }
  for (uint64_t i = 0; i < observers && x.left >= 2; ++i) {
    observer_t *o = find_or_add_observer(r, read_number(&x));
    for (uint64_t count = read_number(&x); count > 0 && x.left > 0; --count)
      array_push(&w->allocator, &o->set, (shoal_entity)read_number(&x));
    sort_and_remove_duplicates(o);
  }
}

bool changes_declare(world_o *w, error_info_t *error) {
  schema_t s;
  schema_init(&s, "shoal.changes", SCHEMA_COMPONENT, "shoal");
  relation_enable(w);
  uint32_t id = world_declare_schema(w, &s, error);
  schema_fini(&s, &w->allocator);
  if (id == 0)
    return false;
  world_set_hooks(w, id,
                  &(manager_hooks_t){.context = w,
                                     .storage_version = STORAGE_VERSION,
                                     .save_bytes = saved_changes_size,
                                     .save = save_changes,
                                     .load = load_changes});
  return true;
}

void changes_free(relation_o *r) {
  allocator_t *a = &r->world->allocator;
  for (uint32_t i = 0; i < r->tracked.count; ++i) {
    row_copy_fini(&r->tracked.items[i]->copy);
    alloc_resize(a, r->tracked.items[i], sizeof(tracked_component_t), 0);
  }
  for (uint32_t i = 0; i < r->observers.count; ++i) {
    char *name = r->observers.items[i].name;
    alloc_resize(a, name, name ? strlen(name) + 1 : 0, 0);
    array_free(a, &r->observers.items[i].set);
    for (uint32_t k = 0; k < OBSERVED_KINDS; ++k)
      array_free(a, &r->observers.items[i].lists[k]);
  }
  array_free(a, &r->tracked);
  array_free(a, &r->observers);
}
