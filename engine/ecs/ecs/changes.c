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
  tracked_component_t *tracked = tracked_component_find(r, m);
  if (tracked)
    return tracked;
  tracked = alloc_resize(&r->world->allocator, NULL, 0, sizeof *tracked);
  *tracked = (tracked_component_t){.manager = m, .key = observer_key(m->schema.name)};
  row_copy_init(&tracked->copy, m, &r->world->allocator);
  m->is_tracked = true;
  array_push(&r->world->allocator, &r->tracked, tracked);
  return tracked;
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
  uint32_t kept = 0, misordered = 0;
  for (uint32_t i = 1; i < o->pending_changes.count; ++i)
    misordered +=
        shoal_entity_index(o->pending_changes.items[i - 1]) >= shoal_entity_index(o->pending_changes.items[i]);
  if (misordered > 0)
    sort_stable(o->pending_changes.items, o->pending_changes.count, sizeof *o->pending_changes.items, compare_by_index);
  for (uint32_t i = 0; i < o->pending_changes.count; ++i)
    if (kept == 0 || o->pending_changes.items[kept - 1] != o->pending_changes.items[i])
      o->pending_changes.items[kept++] = o->pending_changes.items[i];
  o->pending_changes.count = kept;
}

static void record_changes(relation_o *r, const tracked_component_t *tracked) {
  for (uint32_t k = 0; k < r->observers.count; ++k) {
    observer_t *o = &r->observers.items[k];
    if (!o->compares || !query_has_term(o->query, tracked->manager))
      continue;
    for (uint32_t i = 0; i < tracked->copy.changed.count; ++i)
      array_push(&r->world->allocator, &o->pending_changes, tracked->manager->owner[tracked->copy.changed.items[i]]);
    sort_and_remove_duplicates(o);
  }
}

static void compare_component(relation_o *r, tracked_component_t *tracked) {
  uint32_t changes = row_copy_compare_and_refresh(&tracked->copy);
  tracked->count += tracked->counted ? changes : 0;
  if (tracked->copy.changed.count > 0)
    record_changes(r, tracked);
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
  tracked_component_t *tracked = find_or_track_component(r, m);
  // Starts counting at the first call, even if an observer has already compared the component.
  compare_component(r, tracked);
  tracked->counted = true;
  return tracked;
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
  observer_t observer = {.key = key, .handled = true};
  array_push(&r->world->allocator, &r->observers, observer);
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

// Returns the id of the observer's watcher. Looks up the watcher on each call, because a restore renumbers watchers.
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

static void compare_observed_components(relation_o *r, const observer_t *o) {
  for (uint32_t i = 0; i < o->query->term_count && o->compares; ++i)
    if (o->query->terms[i].role == QUERY_WITH)
      compare_component(r, find_or_track_component(r, o->query->terms[i].manager));
}

bool observer_has_pending(world_o *w, uint32_t observer) {
  const watcher_t *watcher = get_watcher(w, observer);
  const observer_t *o = get_observer(w, observer);
  bool has_pending = watcher->pending.count > watcher->cancelled_count;
  if (!has_pending)
    compare_observed_components(relation_get(w), o);
  for (uint32_t i = 0; !has_pending && i < o->pending_changes.count; ++i)
    has_pending = is_still_matching(w, o, o->pending_changes.items[i]);
  return has_pending;
}

static void requeue_changes(world_o *w, observer_t *o) {
  observed_list_t *changed = &o->lists[OBSERVED_CHANGED];
  for (uint32_t i = 0; i < changed->count; ++i)
    array_push(&w->allocator, &o->pending_changes, changed->items[i]);
  sort_and_remove_duplicates(o);
  changed->count = 0;
  o->handled = true;
}

void changes_end_tick(relation_o *r) {
  for (uint32_t i = 0; i < r->observers.count; ++i)
    if (!r->observers.items[i].handled)
      requeue_changes(r->world, &r->observers.items[i]);
  changes_collect(r);
}

// Lists the changed entities that still match, except entities in OBSERVED_ENTER.
static void collect_changed(world_o *w, observer_t *o) {
  const observed_list_t *entered = &o->lists[OBSERVED_ENTER];
  observed_list_t *changed = &o->lists[OBSERVED_CHANGED];
  if (!o->handled)
    requeue_changes(w, o);
  changed->count = 0;
  structure_set_marks(w, entered->items, entered->count, MARK_LISTED, true);
  for (uint32_t i = 0; i < o->pending_changes.count; ++i)
    if (is_still_matching(w, o, o->pending_changes.items[i]) && !is_marked(w, o->pending_changes.items[i], MARK_LISTED))
      array_push(&w->allocator, changed, o->pending_changes.items[i]);
  structure_set_marks(w, entered->items, entered->count, MARK_LISTED, false);
  o->pending_changes.count = 0;
}

void observer_begin_delivery(world_o *w, uint32_t observer) {
  uint32_t count, leave_count = 0;
  const query_watch_t *list = world_watch_pop_entries(w, observer_get_watcher(w, observer), &count);
  observer_t *o = get_observer(w, observer);
  compare_observed_components(relation_get(w), o);
  while (leave_count < count && !list[leave_count].entered)
    ++leave_count;
  for (uint32_t i = 0; i < 2; ++i) {
    observed_list_t *target = &o->lists[i == 0 ? OBSERVED_LEAVE : OBSERVED_ENTER];
    uint32_t first = i == 0 ? 0 : leave_count;
    target->count = (i == 0 ? leave_count : count) - first;
    array_reserve(&w->allocator, target, target->count);
    for (uint32_t k = 0; k < target->count; ++k)
      target->items[k] = list[first + k].entity;
  }
  collect_changed(w, o);
  o->handled = false;
}

void observer_mark_handled(world_o *w, uint32_t observer, observed_t kind, uint32_t i) {
  uint32_t leave_count = get_observer(w, observer)->lists[OBSERVED_LEAVE].count;
  world_watch_mark_handled(w, observer_get_watcher(w, observer), kind == OBSERVED_LEAVE ? i : leave_count + i);
}

static const query_watch_t *get_delivered_entry(world_o *w, uint32_t observer, uint32_t i) {
  const watcher_t *watcher = get_watcher(w, observer);
  shoal_assert(i < watcher->delivered.count, "element %u is out of range (count %u)", i, watcher->delivered.count);
  return &watcher->delivered.items[i];
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
  observed_list_t *leaving = &o->lists[OBSERVED_LEAVE], *entered = &o->lists[OBSERVED_ENTER];
  for (uint32_t i = 0; i < leaving->count; ++i)
    if (is_living(w, leaving->items[i]) &&
        last_values_find(world_manager(w, manager), leaving->items[i], get_delivered_entry(w, observer, i)->removal, 0,
                         true) != ROW_NONE)
      structure_set_marks(w, &leaving->items[i], 1, MARK_LISTED, true);
  for (uint32_t i = 0; i < entered->count; ++i)
    if (is_marked(w, entered->items[i], MARK_LISTED))
      entered->items[i] = SHOAL_ENTITY_NONE;
  for (uint32_t i = 0; i < leaving->count; ++i)
    if (is_marked(w, leaving->items[i], MARK_LISTED)) {
      structure_set_marks(w, &leaving->items[i], 1, MARK_LISTED, false);
      leaving->items[i] = SHOAL_ENTITY_NONE;
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

// --- serialization

// The data consists of 64-bit numbers: the number of counters and the number of observers with unread changes; the key
// and count of each counter; for each of these observers, its key, the number of its entities, and the entities.
// Without counters and unread changes, the data is empty.

typedef struct number_writer_t {
  uint64_t *out; // output; NULL: only counts the numbers
  size_t count;
} number_writer_t;

static void write_number(number_writer_t *writer, uint64_t number) {
  if (writer->out)
    writer->out[writer->count] = number;
  ++writer->count;
}

// Returns the observer with unread changes that follows `previous` in order of keys, or the first observer if
// `previous` is NULL. Returns NULL at the end.
static const observer_t *find_next_unread(const relation_o *r, const observer_t *previous) {
  const observer_t *next = NULL;
  for (uint32_t i = 0; i < r->observers.count; ++i) {
    const observer_t *o = &r->observers.items[i];
    if (o->pending_changes.count > 0 && (!previous || o->key > previous->key) && (!next || o->key < next->key))
      next = o;
  }
  return next;
}

static void write_changes(const relation_o *r, number_writer_t *writer) {
  uint64_t counted = 0, unread = 0;
  for (uint32_t i = 0; i < r->tracked.count; ++i)
    counted += r->tracked.items[i]->counted;
  for (uint32_t i = 0; i < r->observers.count; ++i)
    unread += r->observers.items[i].pending_changes.count > 0;
  if (counted + unread == 0)
    return;
  write_number(writer, counted), write_number(writer, unread);
  // managers are visited in order, so that the bytes do not depend on which counter was requested first
  for (uint32_t i = 0; i < r->world->managers.count; ++i) {
    const tracked_component_t *tracked = tracked_component_find(r, r->world->managers.items[i]);
    if (tracked && tracked->counted)
      write_number(writer, tracked->key), write_number(writer, tracked->count);
  }
  const observer_t *o = NULL;
  while ((o = find_next_unread(r, o)) != NULL) {
    write_number(writer, o->key), write_number(writer, o->pending_changes.count);
    for (uint32_t k = 0; k < o->pending_changes.count; ++k)
      write_number(writer, o->pending_changes.items[k]);
  }
}

static size_t saved_changes_size(void *context, manager_o *m) {
  relation_o *r = relation_get(context);
  number_writer_t writer = {0};
  (void)m;
  changes_collect(r);
  write_changes(r, &writer);
  return writer.count * sizeof(uint64_t);
}

static void save_changes(void *context, manager_o *m, void *bytes) {
  number_writer_t writer = {.out = bytes};
  (void)m;
  write_changes(relation_get(context), &writer);
}

typedef struct number_reader_t {
  const uint64_t *next;
  size_t remaining;
} number_reader_t;

static uint64_t read_number(number_reader_t *reader) { // returns 0 past the end: snapshots from files may be malformed
  if (reader->remaining == 0)
    return 0;
  --reader->remaining;
  return *reader->next++;
}

static void reset_changes(relation_o *r) {
  for (uint32_t i = 0; i < r->tracked.count; ++i)
    r->tracked.items[i]->counted = false, r->tracked.items[i]->count = 0;
  for (uint32_t i = 0; i < r->observers.count; ++i) {
    r->observers.items[i].pending_changes.count = r->observers.items[i].lists[OBSERVED_CHANGED].count = 0;
    r->observers.items[i].handled = true;
  }
}

static void restore_counter(relation_o *r, uint64_t key, uint64_t count) {
  for (uint32_t i = 0; i < r->world->managers.count; ++i) {
    manager_o *m = r->world->managers.items[i];
    if (observer_key(m->schema.name) != key)
      continue;
    tracked_component_t *tracked = find_or_track_component(r, m);
    tracked->counted = true;
    tracked->count = count;
    return;
  }
}

static void load_changes(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  relation_o *r = relation_get(context);
  number_reader_t reader = {.next = bytes, .remaining = version == STORAGE_VERSION ? size / sizeof(uint64_t) : 0};
  uint64_t counters = read_number(&reader), observers = read_number(&reader);
  (void)m;
  reset_changes(r);
  for (uint64_t i = 0; i < counters && reader.remaining >= 2; ++i) {
    uint64_t key = read_number(&reader);
    restore_counter(r, key, read_number(&reader));
  }
  for (uint64_t i = 0; i < observers && reader.remaining >= 2; ++i) {
    observer_t *o = find_or_add_observer(r, read_number(&reader));
    for (uint64_t count = read_number(&reader); count > 0 && reader.remaining > 0; --count)
      array_push(&w->allocator, &o->pending_changes, (shoal_entity)read_number(&reader));
    sort_and_remove_duplicates(o);
  }
}

bool changes_declare(world_o *w, error_info_t *error) {
  schema_buffer_t s;
  schema_init(&s, "shoal.changes", SCHEMA_COMPONENT, "shoal");
  relation_enable(w);
  uint32_t id = world_declare_schema(w, &s.schema, error);
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
    array_free(a, &r->observers.items[i].pending_changes);
    for (uint32_t k = 0; k < OBSERVED_KINDS; ++k)
      array_free(a, &r->observers.items[i].lists[k]);
  }
  array_free(a, &r->tracked);
  array_free(a, &r->observers);
}
