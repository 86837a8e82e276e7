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

#define BLOCK_ROWS 1024u // number of rows copied per block, so that their data stays in the cache
// Rows are compacted if there are more than this number plus twice the number that the previous compaction kept.
#define COMPACT_FLOOR 256u

typedef ARRAY(uint32_t) row_list_t;

static last_values_t *get_or_create_last_values(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  if (!m->last_values) {
    m->last_values = alloc_resize(a, NULL, 0, sizeof *m->last_values);
    *m->last_values = (last_values_t){.page_count = 0};
    columns_init(&m->last_values->columns, &m->schema, m->columns.initial, a);
  }
  m->world->has_last_rows = true;
  return m->last_values;
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
  uint32_t difference = 0;
  for (uint32_t i = 0; i < count; ++i)
    difference |= rows[i] ^ (rows[0] + i);
  return difference == 0;
}

static void copy_rows(manager_o *m, const uint32_t *rows, uint32_t count) {
  if (count == 0)
    return;
  last_values_t *values = get_or_create_last_values(m);
  allocator_t *a = &m->world->allocator;
  bool contiguous = are_consecutive(rows, count);
  uint32_t first = columns_append_uninitialized(&values->columns, count);
  for (uint32_t i = 0; i < values->columns.column_count; ++i) {
    size_t bytes = m->columns.element_bytes[i];
    char *data = (char *)values->columns.data[i] + first * bytes;
    if (contiguous)
      memcpy(data, (const char *)m->columns.data[i] + rows[0] * bytes, count * bytes);
    else
      gather_rows(data, m->columns.data[i], bytes, rows, count);
  }
  array_reserve(a, &values->owner, first + count);
  gather_rows(values->owner.items + first, m->owner, sizeof *m->owner, rows, count);
  values->owner.count = first + count;
  m->world->removal_has_copies = true;
  for (uint32_t i = 0; i < count; ++i)
    array_push(a, &values->removal, m->world->removal);
  for (uint32_t i = 0; i < count && m->schema.kind == SCHEMA_MANY; ++i)
    array_push(a, &values->instance, m->instance[rows[i]]);
}

void last_values_store(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t row, bool all) {
  const uint8_t *marks = m->world->entities.marks;
  bool is_many = m->schema.kind == SCHEMA_MANY;
  uint32_t rows[BLOCK_ROWS], row_count = 0;
  shoal_assert(m->schema.kind != SCHEMA_SINGLE, "%s is a singleton and has no owner", m->schema.name);
  for (uint32_t i = 0; i < count; ++i) {
    if (!all && !(marks[shoal_entity_index(entities[i])] & MARK_LEFT))
      continue;
    uint32_t current = row != ROW_NONE ? row : manager_row(m, entities[i]);
    while (current != ROW_NONE) {
      rows[row_count++] = current;
      if (row_count == BLOCK_ROWS)
        copy_rows(m, rows, row_count), row_count = 0;
      current = is_many && row == ROW_NONE ? m->next[current] : ROW_NONE;
    }
  }
  copy_rows(m, rows, row_count);
}

void last_values_end_operation(world_o *w) {
  w->removal += w->removal_has_copies;
  w->removal_has_copies = false;
}

static void clear_index(manager_o *m) {
  index_free(m->last_values->pages, m->last_values->page_count, &m->world->allocator);
  m->last_values->pages = NULL;
  m->last_values->page_count = m->last_values->older.count = 0;
}

static void clear_copies(manager_o *m) {
  columns_clear(&m->last_values->columns);
  m->last_values->owner.count = m->last_values->instance.count = m->last_values->removal.count =
      m->last_values->compacted = 0;
  clear_index(m);
}

void last_values_load(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                      const uint32_t *removal, const void *const *columns) {
  if (m->last_values)
    clear_copies(m);
  if (count == 0)
    return;
  last_values_t *values = get_or_create_last_values(m);
  columns_load(&values->columns, columns, count);
  for (uint32_t i = 0; i < count; ++i) {
    array_push(&m->world->allocator, &values->owner, owner[i]);
    array_push(&m->world->allocator, &values->removal, removal[i]);
    if (removal[i] >= m->world->removal)
      m->world->removal = removal[i] + 1;
    if (instance)
      array_push(&m->world->allocator, &values->instance, instance[i]);
  }
}

void last_values_free(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  if (!m->last_values)
    return;
  clear_index(m);
  columns_fini(&m->last_values->columns);
  array_free(a, &m->last_values->owner);
  array_free(a, &m->last_values->instance);
  array_free(a, &m->last_values->removal);
  array_free(a, &m->last_values->older);
  alloc_resize(a, m->last_values, sizeof *m->last_values, 0);
  m->last_values = NULL;
}

static void index_new_rows(manager_o *m) {
  last_values_t *values = m->last_values;
  allocator_t *a = &m->world->allocator;
  for (uint32_t row = values->older.count; row < values->owner.count; ++row) {
    uint32_t *slot = index_slot(&values->pages, &values->page_count, values->owner.items[row], a);
    array_push(a, &values->older, *slot);
    *slot = row + 1;
  }
}

uint32_t last_values_find(manager_o *m, shoal_entity e, uint32_t removal, uint32_t instance, bool any_instance) {
  last_values_t *values = m->last_values;
  if (!values || values->owner.count == 0)
    return ROW_NONE;
  index_new_rows(m);
  uint32_t found = ROW_NONE;
  for (uint32_t number = index_get(values->pages, values->page_count, e); number != 0;
       number = values->older.items[number - 1])
    if (values->owner.items[number - 1] == e && values->removal.items[number - 1] >= removal &&
        (any_instance || values->instance.count == 0 || values->instance.items[number - 1] == instance))
      found = number - 1;
  return found;
}

double last_values_get(const manager_o *m, uint32_t row, uint32_t column) {
  shoal_assert(m->last_values && row < m->last_values->owner.count, "row %u of the last values of %s is out of range",
               row, m->schema.name);
  return columns_get(&m->last_values->columns, row, column);
}

uint64_t last_values_hash(manager_o *m, shoal_entity e, uint32_t removal, uint64_t hash) {
  last_values_t *values = m->last_values;
  if (!values || values->owner.count == 0)
    return hash;
  index_new_rows(m);
  for (uint32_t number = index_get(values->pages, values->page_count, e); number != 0;
       number = values->older.items[number - 1]) {
    if (values->owner.items[number - 1] != e || values->removal.items[number - 1] != removal)
      continue;
    uint32_t header[] = {m->id, values->instance.count > 0 ? values->instance.items[number - 1] : 0};
    hash = hash_bytes(header, sizeof header, hash);
    for (uint32_t i = 0; i < values->columns.column_count; ++i) {
      size_t bytes = values->columns.element_bytes[i];
      if (values->columns.schema->fields[i].flags & FIELD_IS_ADDED && columns_get(&values->columns, number - 1, i) == 0)
        continue;
      hash = hash_bytes((const char *)values->columns.data[i] + (number - 1) * bytes, bytes, hash);
    }
  }
  return hash;
}

// --- end of a tick

static bool is_entry_unhandled(const watcher_t *watcher, uint32_t i) {
  const query_watch_t *entry = &watcher->pending.items[i];
  return watcher->keeps_last_rows && !entry->entered && entry->entity != SHOAL_ENTITY_NONE;
}

static bool has_unhandled_entries(const world_o *w) {
  if (w->event_deaths.deaths.count > 0)
    return true;
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    const watcher_t *watcher = &w->watchers.items[i];
    for (uint32_t k = 0; k < watcher->pending.count && watcher->keeps_last_rows; ++k)
      if (is_entry_unhandled(watcher, k))
        return true;
  }
  return false;
}

typedef ARRAY(query_watch_t) leave_entries_t;

static int compare_by_entity(const void *a, const void *b) {
  shoal_entity x = ((const query_watch_t *)a)->entity, y = ((const query_watch_t *)b)->entity;
  return x < y ? -1 : x > y;
}

// Returns the unhandled `leave` entries, and one entry for each entity in event_deaths, sorted by entity.
static leave_entries_t list_unhandled(world_o *w) {
  leave_entries_t unhandled = {0};
  for (uint32_t i = 0; i < w->watchers.count; ++i)
    for (uint32_t k = 0; k < w->watchers.items[i].pending.count; ++k)
      if (is_entry_unhandled(&w->watchers.items[i], k))
        array_push(&w->allocator, &unhandled, w->watchers.items[i].pending.items[k]);
  for (uint32_t i = 0; i < w->event_deaths.deaths.count; ++i) {
    const event_death_t *d = &w->event_deaths.deaths.items[i];
    array_push(&w->allocator, &unhandled, ((query_watch_t){.entity = d->entity, .removal = d->removal}));
  }
  sort_stable(unhandled.items, unhandled.count, sizeof *unhandled.items, compare_by_entity);
  return unhandled;
}

// Returns true if the handler of an unhandled `leave` entry, or of an event, may read this row.
static bool is_row_readable(manager_o *m, uint32_t row, const leave_entries_t *unhandled) {
  query_watch_t key = {.entity = m->last_values->owner.items[row]};
  uint32_t instance = m->last_values->instance.count > 0 ? m->last_values->instance.items[row] : 0;
  const query_watch_t *end = unhandled->items + unhandled->count;
  const query_watch_t *entry = bsearch(&key, unhandled->items, unhandled->count, sizeof key, compare_by_entity);
  while (entry && entry > unhandled->items && entry[-1].entity == key.entity)
    --entry;
  for (; entry && entry < end && entry->entity == key.entity; ++entry)
    if (last_values_find(m, key.entity, entry->removal, instance, false) == row)
      return true;
  return false;
}

static void clear_marks(world_o *w) {
  for (uint32_t i = 0; i < w->entities.used; ++i)
    w->entities.marks[i] &= (uint8_t)~MARK_LEFT;
}

// Drops rows that no handler can read.
static void compact_rows(manager_o *m, const leave_entries_t *unhandled) {
  allocator_t *a = &m->world->allocator;
  last_values_t *values = m->last_values;
  row_list_t rows = {0};
  for (uint32_t row = 0; row < values->owner.count; ++row)
    if (is_row_readable(m, row, unhandled))
      array_push(a, &rows, row);
  for (uint32_t i = 0; i < rows.count; ++i) {
    columns_copy_row(&values->columns, i, &values->columns, rows.items[i]);
    values->owner.items[i] = values->owner.items[rows.items[i]];
    values->removal.items[i] = values->removal.items[rows.items[i]];
    if (values->instance.count > 0)
      values->instance.items[i] = values->instance.items[rows.items[i]];
  }
  values->columns.count = values->owner.count = values->removal.count = values->compacted = rows.count;
  values->instance.count = values->instance.count > 0 ? rows.count : 0;
  array_free(a, &rows);
  clear_index(m);
}

// Drops the rows that no handler can read, to limit memory: a `leave` entry can stay unhandled for a long time, for
// example while its system is disabled.
static void compact_all_rows(world_o *w) {
  leave_entries_t unhandled = list_unhandled(w);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    if (w->managers.items[i]->last_values)
      compact_rows(w->managers.items[i], &unhandled);
  clear_marks(w);
  for (uint32_t i = 0; i < unhandled.count; ++i)
    if (is_living(w, unhandled.items[i].entity))
      w->entities.marks[shoal_entity_index(unhandled.items[i].entity)] |= MARK_LEFT;
  array_free(&w->allocator, &unhandled);
}

static bool should_compact(const world_o *w) {
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    const last_values_t *values = w->managers.items[i]->last_values;
    if (values && values->owner.count > 2 * values->compacted + COMPACT_FLOOR)
      return true;
  }
  return false;
}

void last_values_end_tick(world_o *w) {
  if (!w->has_last_rows)
    return;
  if (has_unhandled_entries(w)) {
    if (should_compact(w))
      compact_all_rows(w);
    return;
  }
  w->has_last_rows = false;
  w->removal = 0;
  for (uint32_t i = 0; i < w->managers.count; ++i)
    if (w->managers.items[i]->last_values)
      clear_copies(w->managers.items[i]);
  clear_marks(w);
}
