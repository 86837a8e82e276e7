#include "ecs/manager.h"

#include "base/assert.h"
#include "base/hash.h"
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/world_internal.h"

#include <string.h>

uint32_t manager_instance_row(const manager_o *m, shoal_entity e, uint32_t instance) {
  uint32_t row = manager_row(m, e);
  if (m->schema.kind != SCHEMA_MANY)
    return instance == 0 ? row : ROW_NONE;
  while (row != ROW_NONE && m->instance[row] != instance)
    row = m->next[row];
  return row;
}

int32_t manager_find_column(const manager_o *m, const char *field) {
  return schema_find(&m->schema, field);
}

// --- life

static void init_columns(manager_o *m) {
  double initial[SCHEMA_MAX_FIELDS] = {0};
  declared_defaults(m->world, &m->schema, initial);
  columns_init(&m->columns, &m->schema, initial, &m->world->allocator);
  m->data = m->columns.data;
  m->count = 0;
}

static void free_side(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  size_t bytes = m->side_capacity * sizeof(uint32_t);
  alloc_free_aligned(a, m->owner, bytes);
  alloc_free_aligned(a, m->instance, bytes);
  alloc_free_aligned(a, m->next, bytes);
  m->owner = m->instance = m->next = NULL;
  m->side_capacity = 0;
}

static uint32_t *grow_side(allocator_t *a, uint32_t *old, uint32_t count, uint32_t from, uint32_t to) {
  uint32_t *memory = alloc_aligned(a, to * sizeof *memory);
  if (old)
    memcpy(memory, old, count * sizeof *memory);
  alloc_free_aligned(a, old, from * sizeof *memory);
  return memory;
}

static void reserve_side(manager_o *m) {
  uint32_t wanted = m->columns.capacity;
  if (m->side_capacity >= wanted)
    return;
  allocator_t *a = &m->world->allocator;
  m->owner = grow_side(a, m->owner, m->count, m->side_capacity, wanted);
  if (m->schema.kind == SCHEMA_MANY) {
    m->instance = grow_side(a, m->instance, m->count, m->side_capacity, wanted);
    m->next = grow_side(a, m->next, m->count, m->side_capacity, wanted);
  }
  m->side_capacity = wanted;
}

static void add_single_row(manager_o *m) {
  columns_append(&m->columns, 1);
  reserve_side(m);
  m->owner[0] = SHOAL_ENTITY_NONE;
  m->count = 1;
}

manager_o *manager_create(world_o *w, uint32_t id, const schema_t *schema) {
  manager_o *m = alloc_resize(&w->allocator, NULL, 0, sizeof *m);
  memset(m, 0, sizeof *m);
  m->world = w;
  m->id = id;
  schema_copy(&m->schema, schema, &w->allocator);
  init_columns(m);
  if (schema->kind == SCHEMA_SINGLE)
    add_single_row(m);
  return m;
}

void manager_destroy(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  columns_fini(&m->columns);
  free_side(m);
  index_free(m->pages, m->page_count, a);
  alloc_resize(a, m->queries, m->query_capacity * sizeof *m->queries, 0);
  schema_fini(&m->schema, a);
  alloc_resize(a, m, sizeof *m, 0);
}

void manager_redeclare(manager_o *m, const schema_t *schema) {
  allocator_t *a = &m->world->allocator;
  bool same = schema_same_layout(&m->schema, schema, NULL);
  schema_t old = m->schema;
  schema_copy(&m->schema, schema, a);
  schema_fini(&old, a);
  if (same) {
    declared_defaults(m->world, &m->schema, m->columns.initial);
    return;
  }
  shoal_assert(m->count == 0, "%s changes its layout with %u rows", m->schema.name, m->count);
  columns_fini(&m->columns);
  free_side(m); // the kind may have changed, and with it what stands beside the columns
  init_columns(m);
  if (m->schema.kind == SCHEMA_SINGLE)
    add_single_row(m);
  for (uint32_t i = 0; i < m->query_count; i++)
    query_rebuild_views(m->queries[i], m);
}

void manager_add_query(manager_o *m, query_o *q) {
  if (m->query_count > 0 && m->queries[m->query_count - 1] == q)
    return;
  if (m->query_count == m->query_capacity)
    m->queries =
        array_grow(&m->world->allocator, m->queries, &m->query_capacity, m->query_count + 1, sizeof *m->queries);
  m->queries[m->query_count++] = q;
}

uint64_t manager_hash(const manager_o *m, uint64_t seed) {
  uint64_t hash = columns_hash(&m->columns, seed);
  if (m->count == 0)
    return hash;
  hash = hash_bytes(m->owner, m->count * sizeof *m->owner, hash);
  if (m->schema.kind == SCHEMA_MANY) {
    hash = hash_bytes(m->instance, m->count * sizeof *m->instance, hash);
    hash = hash_bytes(m->next, m->count * sizeof *m->next, hash);
  }
  return hash;
}

// --- adding

static void chain(manager_o *m, uint32_t *slot, uint32_t row) {
  uint32_t at = *slot - 1;
  while (m->next[at] != ROW_NONE)
    at = m->next[at];
  m->next[at] = row;
}

static void index_rows(manager_o *m, const shoal_entity *entities, uint32_t first, uint32_t count, uint32_t instance) {
  reserve_side(m);
  bool many = m->schema.kind == SCHEMA_MANY;
  for (uint32_t i = 0; i < count; i++) {
    shoal_entity e = entities[i];
    uint32_t row = first + i, *slot = index_slot(&m->pages, &m->page_count, e, &m->world->allocator);
    m->owner[row] = e;
    if (many) {
      m->instance[row] = instance;
      m->next[row] = ROW_NONE;
    }
    if (many && *slot != 0)
      chain(m, slot, row);
    else
      *slot = row + 1;
  }
  m->count = m->columns.count;
}

uint32_t manager_add_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t instance,
                          const double *values) {
  uint32_t first = columns_append_values(&m->columns, count, values ? values : m->columns.initial);
  index_rows(m, entities, first, count, instance);
  return first;
}

uint32_t manager_add_staged(manager_o *m, const shoal_entity *entities, uint32_t instance, const columns_t *staged) {
  uint32_t first = columns_append_rows(&m->columns, staged, 0, staged->count);
  index_rows(m, entities, first, staged->count, instance);
  return first;
}

void manager_tell_added(manager_o *m, shoal_entity e, uint32_t row) {
  for (uint32_t i = 0; i < m->query_count; i++)
    query_row_added(m->queries[i], m, e, row);
}

// --- removing

// Takes the row out of the index or out of its owner's chain; the row itself stays for now.
static void detach(manager_o *m, uint32_t row, uint32_t *slot) {
  if (m->schema.kind != SCHEMA_MANY) {
    *slot = 0;
    return;
  }
  if (*slot == row + 1) {
    *slot = m->next[row] == ROW_NONE ? 0 : m->next[row] + 1;
    return;
  }
  uint32_t at = *slot - 1;
  while (m->next[at] != row)
    at = m->next[at];
  m->next[at] = m->next[row];
}

// The last row comes to `row`; whatever pointed to it follows.
static void move_last(manager_o *m, uint32_t row, uint32_t last) {
  shoal_entity moved = m->owner[last];
  uint32_t *slot = index_slot(&m->pages, &m->page_count, moved, &m->world->allocator);
  if (*slot == last + 1) {
    *slot = row + 1;
  } else {
    uint32_t at = *slot - 1;
    while (m->next[at] != last)
      at = m->next[at];
    m->next[at] = row;
  }
  m->owner[row] = moved;
  if (m->schema.kind == SCHEMA_MANY) {
    m->instance[row] = m->instance[last];
    m->next[row] = m->next[last];
  }
}

void manager_remove_row(manager_o *m, uint32_t row, bool leaving) {
  shoal_assert(row < m->count, "row %u of %s is past count %u (stale view?)", row, m->schema.name, m->count);
  shoal_entity e = m->owner[row];
  detach(m, row, index_slot(&m->pages, &m->page_count, e, &m->world->allocator));
  if (!leaving)
    for (uint32_t i = 0; i < m->query_count; i++)
      query_row_removed(m->queries[i], m, e, row);
  uint32_t last = m->count - 1;
  if (row != last)
    move_last(m, row, last);
  columns_swap_erase(&m->columns, row);
  m->count = last;
  if (row != last)
    for (uint32_t i = 0; i < m->query_count; i++)
      query_row_moved(m->queries[i], m, m->owner[row], last, row);
}

void manager_remove_all(manager_o *m, shoal_entity e, bool leaving) {
  for (uint32_t row; (row = manager_row(m, e)) != ROW_NONE;)
    manager_remove_row(m, row, leaving);
}
