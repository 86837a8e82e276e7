// Last values of removed rows, by component. Rows are indexed by entity when they are first looked up: most handlers
// read few of them, and copying is in the path of every death.
#include "ecs/last_rows.h"

#include "base/assert.h"
#include "ecs/index.h"
#include "ecs/world_internal.h"

#include <string.h>

static last_rows_t *rows_of(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  if (!m->last) {
    m->last = alloc_resize(a, NULL, 0, sizeof *m->last);
    *m->last = (last_rows_t){.page_count = 0};
    columns_init(&m->last->columns, &m->schema, m->columns.initial, a);
  }
  m->world->keeps_last = true;
  return m->last;
}

static void copy_run(manager_o *m, uint32_t from, uint32_t count) {
  last_rows_t *l = rows_of(m);
  allocator_t *a = &m->world->allocator;
  uint32_t to = columns_append_blank(&l->columns, count);
  for (uint32_t i = 0; i < l->columns.column_count; ++i) {
    size_t bytes = m->columns.element_bytes[i];
    memcpy((char *)l->columns.data[i] + to * bytes, (const char *)m->columns.data[i] + from * bytes, count * bytes);
  }
  array_reserve(a, &l->owner, to + count);
  memcpy(l->owner.items + to, m->owner + from, count * sizeof *m->owner);
  l->owner.count = to + count;
  for (uint32_t i = 0; i < count && m->schema.kind == SCHEMA_MANY; ++i)
    array_push(a, &l->instance, m->instance[from + i]);
}

// From i on, the number of entities to copy whose rows follow each other from `row` on.
static uint32_t run_length(const manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t row, bool all) {
  const uint8_t *marks = m->world->entities.marks;
  uint32_t n = 1;
  while (n < count && row + n < m->count && m->owner[row + n] == entities[n] &&
         (all || marks[shoal_entity_index(entities[n])] & MARK_LEFT))
    ++n;
  return n;
}

void last_rows_keep(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t row, bool all) {
  const uint8_t *marks = m->world->entities.marks;
  bool many = m->schema.kind == SCHEMA_MANY;
  shoal_assert(m->schema.kind != SCHEMA_SINGLE, "%s belongs to no entity", m->schema.name);
  for (uint32_t i = 0, n = 1; i < count; i += n) {
    n = 1;
    if (!all && !(marks[shoal_entity_index(entities[i])] & MARK_LEFT))
      continue;
    uint32_t at = row != ROW_NONE ? row : manager_row(m, entities[i]);
    if (at == ROW_NONE)
      continue;
    if (!many)
      n = run_length(m, entities + i, count - i, at, all);
    copy_run(m, at, n);
    for (at = many && row == ROW_NONE ? m->next[at] : ROW_NONE; at != ROW_NONE; at = m->next[at])
      copy_run(m, at, 1);
  }
}

static void forget_index(manager_o *m) {
  index_free(m->last->pages, m->last->page_count, &m->world->allocator);
  m->last->pages = NULL;
  m->last->page_count = m->last->older.count = 0;
}

static void clear(manager_o *m) {
  columns_clear(&m->last->columns);
  m->last->owner.count = m->last->instance.count = 0;
  forget_index(m);
}

void last_rows_load(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                    const void *const *columns) {
  if (m->last)
    clear(m);
  if (count == 0)
    return;
  last_rows_t *l = rows_of(m);
  columns_append_blank(&l->columns, count);
  for (uint32_t i = 0; i < l->columns.column_count; ++i)
    memcpy(l->columns.data[i], columns[i], (size_t)l->columns.element_bytes[i] * count);
  columns_unify_nan(&l->columns); // the bytes may come from a file
  for (uint32_t i = 0; i < count; ++i) {
    array_push(&m->world->allocator, &l->owner, owner[i]);
    if (instance)
      array_push(&m->world->allocator, &l->instance, instance[i]);
  }
}

void last_rows_free(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  if (!m->last)
    return;
  forget_index(m);
  columns_fini(&m->last->columns);
  array_free(a, &m->last->owner);
  array_free(a, &m->last->instance);
  array_free(a, &m->last->older);
  alloc_resize(a, m->last, sizeof *m->last, 0);
  m->last = NULL;
}

static bool are_wanted(const world_o *w) {
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    const watcher_t *x = &w->watchers.items[i];
    for (uint32_t k = 0; k < x->pending.count && x->keeps_last; ++k)
      if (!x->pending.items[k].entered && x->pending.items[k].entity != SHOAL_ENTITY_NONE)
        return true;
  }
  return false;
}

void last_rows_end_tick(world_o *w) {
  if (!w->keeps_last || are_wanted(w))
    return;
  w->keeps_last = false;
  for (uint32_t i = 0; i < w->managers.count; ++i)
    if (w->managers.items[i]->last)
      clear(w->managers.items[i]);
  for (uint32_t i = 0; i < w->entities.used; ++i)
    w->entities.marks[i] &= (uint8_t)~MARK_LEFT;
}

static void index_new(manager_o *m) {
  last_rows_t *l = m->last;
  allocator_t *a = &m->world->allocator;
  for (uint32_t row = l->older.count; row < l->owner.count; ++row) {
    uint32_t *slot = index_slot(&l->pages, &l->page_count, l->owner.items[row], a);
    array_push(a, &l->older, *slot);
    *slot = row + 1;
  }
}

uint32_t last_row(manager_o *m, shoal_entity e, uint32_t instance, bool any) {
  last_rows_t *l = m->last;
  if (!l || l->owner.count == 0)
    return ROW_NONE;
  index_new(m);
  for (uint32_t at = index_get(l->pages, l->page_count, e); at != 0; at = l->older.items[at - 1])
    if (l->owner.items[at - 1] == e && (any || l->instance.count == 0 || l->instance.items[at - 1] == instance))
      return at - 1;
  return ROW_NONE;
}

double last_value(const manager_o *m, uint32_t row, uint32_t column) {
  shoal_assert(m->last && row < m->last->owner.count, "row %u of %s was not kept", row, m->schema.name);
  return columns_get(&m->last->columns, row, column);
}
