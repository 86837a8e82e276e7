// Last values of removed rows, per component. Copies are made on every removal, but most handlers read few of them, so
// they are indexed by entity only on the first lookup.
#include "ecs/last_values.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/sort.h"
#include "ecs/index.h"
#include "ecs/world_internal.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 1024u // rows copied per block, so that their data stays in the cache
// Compaction requires more rows than this plus twice the number kept by the previous compaction.
#define COMPACT_FLOOR 256u

typedef ARRAY(uint32_t) row_list_t;

static last_values_t *get_or_create_last_values(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  if (!m->last) {
    m->last = alloc_resize(a, NULL, 0, sizeof *m->last);
    *m->last = (last_values_t){.page_count = 0};
    columns_init(&m->last->columns, &m->schema, m->columns.initial, a);
  }
  m->world->keeps_last = true;
  return m->last;
}

// Copies with a constant size per case, which compilers turn into single moves.
#define GATHER(type)                                                                                                   \
  for (uint32_t i = 0; i < count; ++i)                                                                                 \
    memcpy((char *)to + i * sizeof(type), (const char *)from + rows[i] * sizeof(type), sizeof(type));                  \
  break

static void gather_rows(void *to, const void *from, size_t bytes, const uint32_t *rows, uint32_t count) {
  switch (bytes) {
  case 1: GATHER(uint8_t);
  case 2: GATHER(uint16_t);
  case 4: GATHER(uint32_t);
  case 8: GATHER(uint64_t);
  default:
    for (uint32_t i = 0; i < count; ++i)
      memcpy((char *)to + i * bytes, (const char *)from + rows[i] * bytes, bytes);
  }
}

static bool are_consecutive(const uint32_t *rows, uint32_t count) {
  uint32_t other = 0;
  for (uint32_t i = 0; i < count; ++i)
    other |= rows[i] ^ (rows[0] + i);
  return other == 0;
}

static void copy_rows(manager_o *m, const uint32_t *rows, uint32_t count) {
  if (count == 0)
    return;
  last_values_t *l = get_or_create_last_values(m);
  allocator_t *a = &m->world->allocator;
  bool in_line = are_consecutive(rows, count);
  uint32_t to = columns_append_uninitialized(&l->columns, count);
  for (uint32_t i = 0; i < l->columns.column_count; ++i) {
    size_t bytes = m->columns.element_bytes[i];
    char *data = (char *)l->columns.data[i] + to * bytes;
    if (in_line)
      memcpy(data, (const char *)m->columns.data[i] + rows[0] * bytes, count * bytes);
    else
      gather_rows(data, m->columns.data[i], bytes, rows, count);
  }
  array_reserve(a, &l->owner, to + count);
  gather_rows(l->owner.items + to, m->owner, sizeof *m->owner, rows, count);
  l->owner.count = to + count;
  m->world->removal_keeps = true;
  for (uint32_t i = 0; i < count; ++i)
    array_push(a, &l->removal, m->world->removal);
  for (uint32_t i = 0; i < count && m->schema.kind == SCHEMA_MANY; ++i)
    array_push(a, &l->instance, m->instance[rows[i]]);
}

void last_values_store(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t row, bool all) {
  const uint8_t *marks = m->world->entities.marks;
  bool many = m->schema.kind == SCHEMA_MANY;
  uint32_t rows[BLOCK_ROWS], found = 0;
  shoal_assert(m->schema.kind != SCHEMA_SINGLE, "%s is a singleton and has no owner", m->schema.name);
  for (uint32_t i = 0; i < count; ++i) {
    if (!all && !(marks[shoal_entity_index(entities[i])] & MARK_LEFT))
      continue;
    uint32_t at = row != ROW_NONE ? row : manager_row(m, entities[i]);
    while (at != ROW_NONE) {
      rows[found++] = at;
      if (found == BLOCK_ROWS)
        copy_rows(m, rows, found), found = 0;
      at = many && row == ROW_NONE ? m->next[at] : ROW_NONE;
    }
  }
  copy_rows(m, rows, found);
}

void last_values_end_operation(world_o *w) {
  w->removal += w->removal_keeps;
  w->removal_keeps = false;
}

static void clear_index(manager_o *m) {
  index_free(m->last->pages, m->last->page_count, &m->world->allocator);
  m->last->pages = NULL;
  m->last->page_count = m->last->older.count = 0;
}

static void clear_copies(manager_o *m) {
  columns_clear(&m->last->columns);
  m->last->owner.count = m->last->instance.count = m->last->removal.count = m->last->compacted = 0;
  clear_index(m);
}

void last_values_load(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                      const uint32_t *removal, const void *const *columns) {
  if (m->last)
    clear_copies(m);
  if (count == 0)
    return;
  last_values_t *l = get_or_create_last_values(m);
  columns_append_uninitialized(&l->columns, count);
  for (uint32_t i = 0; i < l->columns.column_count; ++i)
    memcpy(l->columns.data[i], columns[i], (size_t)l->columns.element_bytes[i] * count);
  columns_unify_nan(&l->columns); // the data may come from a file
  for (uint32_t i = 0; i < count; ++i) {
    array_push(&m->world->allocator, &l->owner, owner[i]);
    array_push(&m->world->allocator, &l->removal, removal[i]);
    if (removal[i] >= m->world->removal)
      m->world->removal = removal[i] + 1;
    if (instance)
      array_push(&m->world->allocator, &l->instance, instance[i]);
  }
}

void last_values_free(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  if (!m->last)
    return;
  clear_index(m);
  columns_fini(&m->last->columns);
  array_free(a, &m->last->owner);
  array_free(a, &m->last->instance);
  array_free(a, &m->last->removal);
  array_free(a, &m->last->older);
  alloc_resize(a, m->last, sizeof *m->last, 0);
  m->last = NULL;
}

static void index_new_rows(manager_o *m) {
  last_values_t *l = m->last;
  allocator_t *a = &m->world->allocator;
  for (uint32_t row = l->older.count; row < l->owner.count; ++row) {
    uint32_t *slot = index_slot(&l->pages, &l->page_count, l->owner.items[row], a);
    array_push(a, &l->older, *slot);
    *slot = row + 1;
  }
}

uint32_t last_values_find(manager_o *m, shoal_entity e, uint32_t removal, uint32_t instance, bool any) {
  last_values_t *l = m->last;
  if (!l || l->owner.count == 0)
    return ROW_NONE;
  index_new_rows(m);
  uint32_t found = ROW_NONE;
  for (uint32_t at = index_get(l->pages, l->page_count, e); at != 0; at = l->older.items[at - 1])
    if (l->owner.items[at - 1] == e && l->removal.items[at - 1] >= removal &&
        (any || l->instance.count == 0 || l->instance.items[at - 1] == instance))
      found = at - 1;
  return found;
}

double last_values_get(const manager_o *m, uint32_t row, uint32_t column) {
  shoal_assert(m->last && row < m->last->owner.count, "row %u of the last values of %s is out of range", row,
               m->schema.name);
  return columns_get(&m->last->columns, row, column);
}

uint64_t last_values_hash(manager_o *m, shoal_entity e, uint32_t removal, uint64_t hash) {
  last_values_t *l = m->last;
  if (!l || l->owner.count == 0)
    return hash;
  index_new_rows(m);
  for (uint32_t at = index_get(l->pages, l->page_count, e); at != 0; at = l->older.items[at - 1]) {
    if (l->owner.items[at - 1] != e || l->removal.items[at - 1] != removal)
      continue;
    uint32_t head[] = {m->id, l->instance.count > 0 ? l->instance.items[at - 1] : 0};
    hash = hash_bytes(head, sizeof head, hash);
    for (uint32_t i = 0; i < l->columns.column_count; ++i) {
      size_t bytes = l->columns.element_bytes[i];
      hash = hash_bytes((const char *)l->columns.data[i] + (at - 1) * bytes, bytes, hash);
    }
  }
  return hash;
}

// --- end of a tick

static bool is_entry_unhandled(const watcher_t *x, uint32_t i) {
  const query_watch_t *n = &x->pending.items[i];
  return x->keeps_last && !n->entered && n->entity != SHOAL_ENTITY_NONE;
}

static bool has_unhandled_entries(const world_o *w) {
  if (w->event_deaths.deaths.count > 0)
    return true;
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    const watcher_t *x = &w->watchers.items[i];
    for (uint32_t k = 0; k < x->pending.count && x->keeps_last; ++k)
      if (is_entry_unhandled(x, k))
        return true;
  }
  return false;
}

typedef ARRAY(query_watch_t) leaves_t;

static int compare_by_entity(const void *a, const void *b) {
  shoal_entity x = ((const query_watch_t *)a)->entity, y = ((const query_watch_t *)b)->entity;
  return x < y ? -1 : x > y;
}

// Returns the unhandled `leave` entries, and one for each entity in event_deaths, sorted by entity.
static leaves_t list_unhandled(world_o *w) {
  leaves_t wanted = {0};
  for (uint32_t i = 0; i < w->watchers.count; ++i)
    for (uint32_t k = 0; k < w->watchers.items[i].pending.count; ++k)
      if (is_entry_unhandled(&w->watchers.items[i], k))
        array_push(&w->allocator, &wanted, w->watchers.items[i].pending.items[k]);
  for (uint32_t i = 0; i < w->event_deaths.deaths.count; ++i) {
    const event_death_t *d = &w->event_deaths.deaths.items[i];
    array_push(&w->allocator, &wanted, ((query_watch_t){.entity = d->entity, .removal = d->removal}));
  }
  sort_stable(wanted.items, wanted.count, sizeof *wanted.items, compare_by_entity);
  return wanted;
}

// Returns true if the handler of an unhandled `leave` entry, or of an event, may read this row.
static bool is_row_readable(manager_o *m, uint32_t row, const leaves_t *wanted) {
  query_watch_t key = {.entity = m->last->owner.items[row]};
  uint32_t instance = m->last->instance.count > 0 ? m->last->instance.items[row] : 0;
  const query_watch_t *end = wanted->items + wanted->count;
  const query_watch_t *at = bsearch(&key, wanted->items, wanted->count, sizeof key, compare_by_entity);
  while (at && at > wanted->items && at[-1].entity == key.entity)
    --at;
  for (; at && at < end && at->entity == key.entity; ++at)
    if (last_values_find(m, key.entity, at->removal, instance, false) == row)
      return true;
  return false;
}

static void clear_marks(world_o *w) {
  for (uint32_t i = 0; i < w->entities.used; ++i)
    w->entities.marks[i] &= (uint8_t)~MARK_LEFT;
}

// Drops rows that no handler can read.
static void compact_rows(manager_o *m, const leaves_t *wanted) {
  allocator_t *a = &m->world->allocator;
  last_values_t *l = m->last;
  row_list_t rows = {0};
  for (uint32_t row = 0; row < l->owner.count; ++row)
    if (is_row_readable(m, row, wanted))
      array_push(a, &rows, row);
  for (uint32_t i = 0; i < rows.count; ++i) {
    columns_copy_row(&l->columns, i, &l->columns, rows.items[i]);
    l->owner.items[i] = l->owner.items[rows.items[i]];
    l->removal.items[i] = l->removal.items[rows.items[i]];
    if (l->instance.count > 0)
      l->instance.items[i] = l->instance.items[rows.items[i]];
  }
  l->columns.count = l->owner.count = l->removal.count = l->compacted = rows.count;
  l->instance.count = l->instance.count > 0 ? rows.count : 0;
  array_free(a, &rows);
  clear_index(m);
}

// Limits memory: a `leave` entry can stay unhandled for a long time, for example while its system is disabled.
static void compact_all_rows(world_o *w) {
  leaves_t wanted = list_unhandled(w);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    if (w->managers.items[i]->last)
      compact_rows(w->managers.items[i], &wanted);
  clear_marks(w);
  for (uint32_t i = 0; i < wanted.count; ++i)
    if (is_living(w, wanted.items[i].entity))
      w->entities.marks[shoal_entity_index(wanted.items[i].entity)] |= MARK_LEFT;
  array_free(&w->allocator, &wanted);
}

static bool should_compact(const world_o *w) {
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    const last_values_t *l = w->managers.items[i]->last;
    if (l && l->owner.count > 2 * l->compacted + COMPACT_FLOOR)
      return true;
  }
  return false;
}

void last_values_end_tick(world_o *w) {
  if (!w->keeps_last)
    return;
  if (has_unhandled_entries(w)) {
    if (should_compact(w))
      compact_all_rows(w);
    return;
  }
  w->keeps_last = false;
  w->removal = 0;
  for (uint32_t i = 0; i < w->managers.count; ++i)
    if (w->managers.items[i]->last)
      clear_copies(w->managers.items[i]);
  clear_marks(w);
}
