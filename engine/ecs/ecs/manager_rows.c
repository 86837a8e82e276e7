// Rows of one component: appended, removed by swap with the last row, and chained in order of addition for `many`
// components.
#include "base/assert.h"
#include "base/hash.h"
#include "ecs/index.h"
#include "ecs/last_values.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_rows.h"
#include "ecs/registry.h"
#include "ecs/relation_internal.h"
#include "ecs/world_internal.h"

#include <string.h>

#define MIN_RUN 8u     // minimum length of a run of contiguous rows that are removed together
#define BLOCK_ROWS 64u // number of single-row moves collected before columns are copied and queries are notified

// --- lifecycle

// Allocates the counters of clamped values if a column has a range, because most components have no ranges. Keeps the
// counters if the number of columns is the same.
static void reserve_clamped(manager_o *m) {
  uint32_t count = m->ranged ? m->schema.field_count : 0;
  if (count == m->clamped_count)
    return;
  m->clamped =
      alloc_resize(&m->world->allocator, m->clamped, m->clamped_count * sizeof *m->clamped, count * sizeof *m->clamped);
  if (count > 0)
    memset(m->clamped, 0, count * sizeof *m->clamped);
  m->clamped_count = count;
}

static void find_ranged_columns(manager_o *m) {
  m->ranged = m->listed = 0;
  for (uint32_t i = 0; i < m->schema.field_count; ++i) {
    m->ranged |= (uint64_t)field_is_limited(&m->schema.fields[i]) << i;
    m->listed |= (uint64_t)((m->schema.fields[i].flags & FIELD_IS_OF_LIST) != 0) << i;
  }
  reserve_clamped(m);
  m->columns.clamped = m->clamped;
}

static void init_columns(manager_o *m) {
  double initial[SCHEMA_MAX_FIELDS] = {0};
  get_declared_defaults(m->world, &m->schema, initial);
  columns_init(&m->columns, &m->schema, initial, &m->world->allocator);
  find_ranged_columns(m);
  m->columns.links = &m->world->links_written;
  m->columns.replaced_nan = &m->world->ranges.replaced_nan;
  columns_track_changes(&m->columns, m->world->tracks_touched);
  m->data = m->columns.data;
  m->count = 0;
}

// Updates the group's entity list, which is the `owner` column of one of its components.
static void notify_owner_moved(manager_o *m) {
  if (m->group)
    query_notify_owner_moved(m->group, m);
}

static void free_row_arrays(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  size_t bytes = m->row_capacity * sizeof(uint32_t);
  alloc_free_aligned(a, m->owner, bytes);
  alloc_free_aligned(a, m->instance, bytes);
  alloc_free_aligned(a, m->next, bytes);
  m->owner = m->instance = m->next = NULL;
  m->row_capacity = 0;
  notify_owner_moved(m);
}

static uint32_t *grow_row_array(allocator_t *a, uint32_t *old, uint32_t count, uint32_t old_capacity,
                                uint32_t new_capacity) {
  uint32_t *memory = alloc_aligned(a, new_capacity * sizeof *memory);
  if (old)
    memcpy(memory, old, count * sizeof *memory);
  alloc_free_aligned(a, old, old_capacity * sizeof *memory);
  return memory;
}

static void reserve_row_arrays(manager_o *m) {
  uint32_t new_capacity = m->columns.capacity;
  if (m->row_capacity >= new_capacity)
    return;
  allocator_t *a = &m->world->allocator;
  m->owner = grow_row_array(a, m->owner, m->count, m->row_capacity, new_capacity);
  if (m->schema.kind == SCHEMA_MANY) {
    m->instance = grow_row_array(a, m->instance, m->count, m->row_capacity, new_capacity);
    m->next = grow_row_array(a, m->next, m->count, m->row_capacity, new_capacity);
  }
  m->row_capacity = new_capacity;
  notify_owner_moved(m);
}

uint32_t manager_add_unowned_row(manager_o *m) {
  shoal_assert(m->schema.kind == SCHEMA_SINGLE, "%s is not a singleton", m->schema.name);
  uint32_t row = columns_append_defaults(&m->columns, 1);
  reserve_row_arrays(m);
  m->owner[row] = SHOAL_ENTITY_NONE;
  m->count = m->columns.count;
  m->moves++;
  return row;
}

uint32_t manager_find_row_with_text(const manager_o *m, uint32_t column, uint32_t text) {
  const uint32_t *values = manager_column(m, column);
  for (uint32_t row = 0; row < m->count; ++row)
    if (values[row] == text)
      return row;
  return ROW_NONE;
}

manager_o *manager_create(world_o *w, uint32_t id, const schema_t *schema) {
  manager_o *m = alloc_resize(&w->allocator, NULL, 0, sizeof *m);
  *m = (manager_o){.world = w, .id = id};
  schema_copy(&m->schema, schema, &w->allocator);
  init_columns(m);
  if (schema->kind == SCHEMA_SINGLE)
    manager_add_unowned_row(m);
  return m;
}

void manager_destroy(manager_o *m) {
  allocator_t *a = &m->world->allocator;
  last_values_free(m);
  columns_fini(&m->columns);
  free_row_arrays(m);
  index_free(m->pages, m->page_count, a);
  alloc_resize(a, m->foreign_storage.bytes, m->foreign_storage.size, 0);
  alloc_resize(a, m->queries, m->query_capacity * sizeof *m->queries, 0);
  alloc_resize(a, m->clamped, m->clamped_count * sizeof *m->clamped, 0);
  schema_fini(&m->schema, a);
  alloc_resize(a, m, sizeof *m, 0);
}

static void notify_rows_replaced(manager_o *m) {
  if (m->is_tracked)
    relation_notify_rows_replaced(m);
}

void manager_redeclare(manager_o *m, const schema_t *schema) {
  allocator_t *a = &m->world->allocator;
  bool same_layout = schema_has_same_layout(&m->schema, schema, NULL);
  schema_t old = m->schema;
  schema_copy(&m->schema, schema, a);
  schema_fini(&old, a);
  if (same_layout) {
    get_declared_defaults(m->world, &m->schema, m->columns.initial);
    find_ranged_columns(m);
    columns_clamp_rows(&m->columns, 0, m->count);
    return;
  }
  shoal_assert(m->count == 0, "cannot change the layout of %s while it has %u rows", m->schema.name, m->count);
  last_values_free(m);
  columns_fini(&m->columns);
  free_row_arrays(m); // the kind determines whether `instance` and `next` are used
  init_columns(m);
  if (m->schema.kind == SCHEMA_SINGLE)
    manager_add_unowned_row(m);
  for (uint32_t i = 0; i < m->query_count; ++i)
    query_rebuild_views(m->queries[i].query, m);
  notify_rows_replaced(m);
}

void manager_set_mark_tracking(manager_o *m, bool enabled) {
  columns_track_changes(&m->columns, enabled);
  m->data = m->columns.data;
}

static uint32_t get_roles(const manager_o *m, const query_o *q) {
  uint32_t roles = 0;
  for (uint32_t i = 0; i < q->term_count; ++i)
    roles |= q->terms[i].manager == m ? 1u << q->terms[i].role : 0;
  return roles;
}

void manager_add_query(manager_o *m, query_o *q) {
  if (m->query_count > 0 && m->queries[m->query_count - 1].query == q)
    return;
  if (m->query_count == m->query_capacity)
    m->queries =
        array_grow(&m->world->allocator, m->queries, &m->query_capacity, m->query_count + 1, sizeof *m->queries);
  m->queries[m->query_count++] = (manager_query_t){q, get_roles(m, q)};
}

// --- adding

static void append_to_chain(manager_o *m, const uint32_t *slot, uint32_t row) {
  uint32_t last = *slot - 1;
  while (m->next[last] != ROW_NONE)
    last = m->next[last];
  m->next[last] = row;
}

static void index_instances(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t first,
                            uint32_t instance) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = first + i, *slot = index_slot(&m->pages, &m->page_count, entities[i], &m->world->allocator);
    m->instance[row] = instance;
    m->next[row] = ROW_NONE;
    if (*slot != 0)
      append_to_chain(m, slot, row);
    else
      *slot = row + 1;
  }
}

// Notifies the queries that these entities' rows in m, a plain component, have moved.
static void notify_rows_moved(manager_o *m, const shoal_entity *entities, uint32_t count) {
  for (uint32_t k = 0; k < m->query_count; ++k)
    if (m->queries[k].query != m->group) // a group has no row maps for the components that it owns
      query_notify_rows_moved(m->queries[k].query, m, entities, count);
}

// Updates owners, index and queries after the values of `count` rows were moved from `from` to `to`.
static void update_moved_block(manager_o *m, uint32_t to, uint32_t from, uint32_t count) {
  memmove(m->owner + to, m->owner + from, count * sizeof *m->owner);
  index_set_many(&m->pages, &m->page_count, m->owner + to, count, to, NULL, &m->world->allocator);
  notify_rows_moved(m, m->owner + to, count);
}

static void move_block(manager_o *m, uint32_t to, uint32_t from, uint32_t count) {
  columns_move_rows(&m->columns, to, from, count);
  update_moved_block(m, to, from, count);
}

// Moves the rows from `at` on to open a gap for `count` new rows. The result equals appending each new row and swapping
// it with the row at its target. If there are fewer old rows than new rows, the old rows end up rotated.
static void open_gap(manager_o *m, uint32_t at, uint32_t count) {
  uint32_t following = m->count - at;
  if (following > count) {
    move_block(m, m->count, at, count);
  } else if (following > 0) {
    uint32_t rotation = (following - count % following) % following;
    move_block(m, at + count + rotation, at, following - rotation);
    move_block(m, at + count, at + following - rotation, rotation);
  }
}

// Allocates and indexes `count` rows at `at` with these owners. Leaves the values uninitialized.
static void insert_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t instance, uint32_t at) {
  shoal_assert(at == m->count || (m->group && at == m->group->count),
               "rows of %s can be inserted only at the end or after its group, not at row %u", m->schema.name, at);
  columns_append_uninitialized(&m->columns, count);
  reserve_row_arrays(m);
  if (at != m->count)
    open_gap(m, at, count);
  if (count == 1)
    m->owner[at] = entities[0];
  else
    memcpy(m->owner + at, entities, count * sizeof *entities);
  m->count = m->columns.count;
  m->moves++;
  if (m->schema.kind == SCHEMA_MANY)
    index_instances(m, entities, count, at, instance);
  else if (count == 1)
    *index_slot(&m->pages, &m->page_count, entities[0], &m->world->allocator) = at + 1;
  else
    index_set_many(&m->pages, &m->page_count, entities, count, at, &m->world->spawned_rows, &m->world->allocator);
}

uint32_t manager_add_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t instance, uint32_t at,
                          const double *values) {
  insert_rows(m, entities, count, instance, at);
  uint8_t links = m->world->links_written;
  columns_fill_rows(&m->columns, at, count, values ? values : m->columns.initial);
  if (m->is_tracked) { // only the new rows need an update of the reverse lookup
    m->world->links_written = links;
    relation_notify_rows_added(m, at, count);
  }
  return at;
}

void manager_append_encoded_row(manager_o *m, shoal_entity e, const uint64_t *elements, bool has_links) {
  shoal_assert(m->schema.kind == SCHEMA_COMPONENT, "%s is not a plain component", m->schema.name);
  uint32_t row = m->count;
  if (row >= m->columns.capacity || row >= m->row_capacity) {
    columns_reserve(&m->columns, row + 1);
    reserve_row_arrays(m);
  }
  m->count = m->columns.count = row + 1;
  m->moves++;
  m->owner[row] = e;
  *index_slot(&m->pages, &m->page_count, e, &m->world->allocator) = row + 1;
  columns_write_encoded(&m->columns, row, elements);
  if (m->is_tracked)
    relation_notify_rows_added(m, row, 1);
  else if (has_links)
    m->world->links_written = 1;
}

uint32_t manager_add_staged_rows(manager_o *m, const shoal_entity *entities, uint32_t instance, uint32_t at,
                                 columns_t *staged) {
  uint32_t count = staged->count;
  bool exchanged = m->count == 0 && columns_exchange_memory(&m->columns, staged);
  insert_rows(m, entities, count, instance, at);
  if (!exchanged)
    columns_copy_rows(&m->columns, at, staged, 0, count);
  if (m->ranged | m->listed)
    columns_clamp_rows(&m->columns, at, count);
  if (m->is_tracked)
    relation_notify_rows_added(m, at, count);
  return at;
}

static uint32_t *get_or_create_slot(manager_o *m, shoal_entity e) {
  return index_slot(&m->pages, &m->page_count, e, &m->world->allocator);
}

static void swap_block(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t target, int step,
                       uint32_t *old_rows) {
  uint32_t rows[BLOCK_ROWS], targets[BLOCK_ROWS], swaps = 0;
  shoal_entity moved[2 * BLOCK_ROWS];
  for (uint32_t i = 0; i < count; ++i, target += (uint32_t)step) {
    uint32_t *slot = get_or_create_slot(m, entities[i]), row = *slot - 1;
    shoal_assert(row < m->count && target < m->count, "row %u or %u of %s is out of range (count %u)", row, target,
                 m->schema.name, m->count);
    if (old_rows)
      old_rows[i] = row;
    if (row == target)
      continue;
    shoal_entity displaced = m->owner[target];
    m->owner[target] = entities[i];
    m->owner[row] = displaced;
    *slot = target + 1;
    *get_or_create_slot(m, displaced) = row + 1;
    rows[swaps] = row;
    targets[swaps] = target;
    moved[2 * swaps] = entities[i];
    moved[2 * swaps++ + 1] = displaced;
  }
  columns_swap_listed_rows(&m->columns, rows, targets, swaps);
  notify_rows_moved(m, moved, 2 * swaps);
}

void manager_swap_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t target, int step,
                       uint32_t *old_rows) {
  shoal_assert(m->schema.kind == SCHEMA_COMPONENT, "cannot reorder rows of %s: it is not a plain component",
               m->schema.name);
  m->moves++;
  for (uint32_t i = 0; i < count; i += BLOCK_ROWS, target += BLOCK_ROWS * (uint32_t)step)
    swap_block(m, entities + i, count - i < BLOCK_ROWS ? count - i : BLOCK_ROWS, target, step,
               old_rows ? old_rows + i : NULL);
}

void manager_swap_two_rows(manager_o *m, uint32_t a, uint32_t b) {
  shoal_assert(a < m->count && b < m->count, "row %u or %u of %s is out of range (count %u)", a, b, m->schema.name,
               m->count);
  m->moves++;
  if (a == b)
    return;
  shoal_entity owner = m->owner[a];
  m->owner[a] = m->owner[b];
  m->owner[b] = owner;
  *get_or_create_slot(m, m->owner[a]) = a + 1;
  *get_or_create_slot(m, owner) = b + 1;
  columns_swap_rows(&m->columns, a, b);
}

// --- removing

// Removes the row from the index or from its owner's chain, but not from the columns.
static void detach_row(manager_o *m, uint32_t row, uint32_t *slot) {
  shoal_assert(*slot != 0, "row %u of %s is not indexed by its owner", row, m->schema.name);
  if (m->schema.kind != SCHEMA_MANY) {
    *slot = 0;
    return;
  }
  if (*slot == row + 1) {
    *slot = m->next[row] == ROW_NONE ? 0 : m->next[row] + 1;
    return;
  }
  uint32_t predecessor = *slot - 1;
  while (m->next[predecessor] != row)
    predecessor = m->next[predecessor];
  m->next[predecessor] = m->next[row];
}

// Moves owner, instance and chain of the last row to `row`, and updates the index.
static void move_last_row(manager_o *m, uint32_t row, uint32_t last) {
  shoal_entity moved = m->owner[last];
  uint32_t *slot = index_slot(&m->pages, &m->page_count, moved, &m->world->allocator);
  if (*slot == last + 1) {
    *slot = row + 1;
  } else {
    uint32_t predecessor = *slot - 1;
    while (m->next[predecessor] != last)
      predecessor = m->next[predecessor];
    m->next[predecessor] = row;
  }
  m->owner[row] = moved;
  if (m->schema.kind == SCHEMA_MANY) {
    m->instance[row] = m->instance[last];
    m->next[row] = m->next[last];
  }
}

void manager_detach_row(manager_o *m, uint32_t row) {
  if (m->is_tracked)
    relation_notify_row_removing(m, row);
  detach_row(m, row, get_or_create_slot(m, m->owner[row]));
}

void manager_fill_row(manager_o *m, uint32_t row) {
  uint32_t last = m->count - 1;
  if (row != last)
    move_last_row(m, row, last);
  columns_swap_erase_row(&m->columns, row);
  m->count = last;
  m->moves++;
  for (uint32_t i = 0; i < m->query_count && row != last; ++i)
    if (m->queries[i].query != m->group)
      query_notify_row_moved(m->queries[i].query, m, m->owner[row], last, row);
}

// Removes rows [first, end). The result equals removing them from last to first, each replaced by the last row.
static void erase_row_run(manager_o *m, uint32_t first, uint32_t end) {
  uint32_t removed = end - first, following = m->count - end;
  index_clear_many(&m->pages, &m->page_count, m->owner + first, removed, &m->world->allocator);
  if (following > removed) {
    move_block(m, first, m->count - removed, removed);
  } else if (following > 0) {
    uint32_t rotation = removed % following;
    move_block(m, first + rotation, end, following - rotation);
    move_block(m, first, end + following - rotation, rotation);
  }
  m->count = m->columns.count = m->count - removed;
}

// Removes rows [first, end) from first to last: rows from the end fill the gap in reverse order.
static void erase_rows_upwards(manager_o *m, uint32_t first, uint32_t end) {
  uint32_t removed = end - first, following = m->count - end, moves = following < removed ? following : removed;
  index_clear_many(&m->pages, &m->page_count, m->owner + first, removed, &m->world->allocator);
  for (uint32_t done = 0, block_count; done < moves; done += block_count) {
    uint32_t to[BLOCK_ROWS], from[BLOCK_ROWS], first_target = first + done;
    for (block_count = 0; block_count < BLOCK_ROWS && done + block_count < moves; ++block_count) {
      to[block_count] = first_target + block_count;
      from[block_count] = m->count - 1 - done - block_count;
      m->owner[first_target + block_count] = m->owner[from[block_count]];
    }
    index_set_many(&m->pages, &m->page_count, m->owner + first_target, block_count, first_target, NULL,
                   &m->world->allocator);
    columns_copy_listed_rows(&m->columns, to, from, block_count);
    notify_rows_moved(m, m->owner + first_target, block_count);
  }
  m->count = m->columns.count = m->count - removed;
}

// Returns the length of the list's first run of ascending or descending rows. Sets *ascending to true if the run is
// ascending.
static uint32_t measure_row_run(const manager_o *m, uint32_t row, const shoal_entity *entities, uint32_t count,
                                bool *ascending) {
  *ascending = count > 1 && row + 1 < m->count && m->owner[row + 1] == entities[1];
  if (*ascending)
    return entities_common_prefix_length(m->owner + row, entities, m->count - row < count ? m->count - row : count);
  bool descending = count > 1 && row > 0 && m->owner[row - 1] == entities[1];
  return descending ? entities_common_reverse_prefix_length(m->owner + row, entities, row + 1 < count ? row + 1 : count)
                    : 1;
}

bool manager_has_contiguous_rows(const manager_o *m, const shoal_entity *entities, uint32_t count) {
  bool ascending;
  uint32_t row = count > 0 ? manager_row(m, entities[0]) : ROW_NONE;
  return row != ROW_NONE && measure_row_run(m, row, entities, count, &ascending) == count;
}

// Loads the rows of these entities (up to BLOCK_ROWS) into the cache, so that their cache misses overlap.
static void prefetch_rows(const manager_o *m, const shoal_entity *entities, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    index_prefetch(m->pages, m->page_count, entities[i]);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = index_get(m->pages, m->page_count, entities[i]) - 1;
    if (row < m->count)
      manager_prefetch_row(m, row);
  }
}

// Removes rows one by one until a run of at least MIN_RUN contiguous rows begins, or until BLOCK_ROWS rows have moved.
// Writes the length of the run, or 0, to `run`. Returns the number of entities processed.
static uint32_t erase_single_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t *run) {
  uint32_t to[BLOCK_ROWS], from[BLOCK_ROWS], moves = 0, done = 0;
  shoal_entity moved[BLOCK_ROWS];
  bool ascending;
  *run = 0;
  if (count >= MIN_RUN)
    prefetch_rows(m, entities, count < BLOCK_ROWS ? count : BLOCK_ROWS);
  for (; done < count && moves < BLOCK_ROWS; ++done) {
    uint32_t row = manager_row(m, entities[done]);
    if (row == ROW_NONE)
      continue;
    *run = measure_row_run(m, row, entities + done, count - done, &ascending);
    if (*run >= MIN_RUN)
      break;
    uint32_t last = --m->count;
    shoal_entity last_owner = m->owner[last];
    m->owner[row] = last_owner;
    *get_or_create_slot(m, last_owner) = row + 1;
    *get_or_create_slot(m, entities[done]) = 0;
    to[moves] = row;
    from[moves] = last;
    moved[moves] = last_owner;
    moves += row != last;
  }
  *run = *run >= MIN_RUN ? *run : 0;
  columns_copy_listed_rows(&m->columns, to, from, moves);
  m->columns.count = m->count;
  notify_rows_moved(m, moved, moves);
  return done;
}

void manager_erase_rows(manager_o *m, const shoal_entity *entities, uint32_t count, bool is_run) {
  shoal_assert(m->schema.kind == SCHEMA_COMPONENT, "%s is not a plain component", m->schema.name);
  m->moves++;
  if (m->is_tracked)
    relation_notify_rows_removing(m, entities, count);
  for (uint32_t i = 0, run = is_run ? count : 0; i < count && m->count > 0; i += run) {
    i += is_run ? 0 : erase_single_rows(m, entities + i, count - i, &run);
    uint32_t row = run > 0 ? manager_row(m, entities[i]) : 0;
    if (run > 1 && row + 1 < m->count && m->owner[row + 1] == entities[i + 1])
      erase_rows_upwards(m, row, row + run);
    else if (run > 0)
      erase_row_run(m, row + 1 - run, row + 1);
  }
}

void manager_erase_all_rows(manager_o *m, const shoal_entity *entities, uint32_t count) {
  shoal_assert(m->schema.kind == SCHEMA_COMPONENT, "%s is not a plain component", m->schema.name);
  m->moves++;
  if (m->is_tracked)
    relation_notify_rows_removing(m, entities, count);
  index_clear_all(m->pages, m->page_count, m->owner, m->count, &m->world->allocator);
  m->count = m->columns.count = 0;
}

// --- snapshots

void manager_load_rows(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                       const uint32_t *next, const void *const *columns, const uint8_t *const *marks, uint32_t **pages,
                       uint32_t page_count) {
  shoal_assert(m->schema.kind != SCHEMA_SINGLE || count > 0, "singleton %s must have a row, got %u", m->schema.name,
               count);
  m->count = 0;
  m->moves++;
  columns_load(&m->columns, columns, count);
  reserve_row_arrays(m);
  m->count = count;
  for (uint32_t i = 0; i < m->columns.column_count && columns_get_marks(&m->columns, i) && count > 0; ++i)
    if (marks[i])
      memcpy(columns_get_marks(&m->columns, i), marks[i], count);
    else
      memset(columns_get_marks(&m->columns, i), 0, count);
  if (count > 0)
    memcpy(m->owner, owner, count * sizeof *owner);
  if (count > 0 && m->schema.kind == SCHEMA_MANY) {
    memcpy(m->instance, instance, count * sizeof *instance);
    memcpy(m->next, next, count * sizeof *next);
  }
  index_free(m->pages, m->page_count, &m->world->allocator);
  m->pages = pages;
  m->page_count = page_count;
  notify_rows_replaced(m);
}

void manager_clear(manager_o *m) {
  m->count = m->columns.count = 0;
  m->moves++;
  index_free(m->pages, m->page_count, &m->world->allocator);
  m->pages = NULL;
  m->page_count = 0;
  if (m->schema.kind == SCHEMA_SINGLE)
    manager_add_unowned_row(m);
  notify_rows_replaced(m);
}

// Returns a hash of the entities that does not depend on the row order.
static uint64_t hash_owners(const manager_o *m) {
  uint64_t hash = m->count;
  for (uint32_t row = 0; row < m->count; ++row)
    hash += hash_bytes(&m->owner[row], sizeof m->owner[row], 0);
  return hash;
}

bool manager_has_foreign_storage(const manager_o *m) {
  return m->foreign_storage.size > 0 && m->foreign_storage.owners == hash_owners(m);
}

void manager_load_storage(manager_o *m, uint32_t version, const void *bytes, size_t size) {
  allocator_t *a = &m->world->allocator;
  if (m->hooks.load) {
    m->hooks.load(m->hooks.context, m->world, m, version, bytes, size);
    return;
  }
  m->foreign_storage.bytes = alloc_resize(a, m->foreign_storage.bytes, m->foreign_storage.size, size);
  if (size > 0)
    memcpy(m->foreign_storage.bytes, bytes, size);
  m->foreign_storage.size = size;
  m->foreign_storage.version = size > 0 ? version : 0;
  m->foreign_storage.owners = size > 0 ? hash_owners(m) : 0;
}

// --- hash

static uint64_t hash_storage(const manager_o *m, uint64_t seed) {
  if (!m->hooks.save)
    return manager_has_foreign_storage(m) ? hash_bytes(m->foreign_storage.bytes, m->foreign_storage.size, seed) : seed;
  manager_o *mutable = (manager_o *)(uintptr_t)m;
  size_t bytes = m->hooks.save_bytes(m->hooks.context, mutable);
  if (bytes == 0)
    return seed;
  void *copy = alloc_resize(&m->world->allocator, NULL, 0, bytes);
  m->hooks.save(m->hooks.context, mutable, copy);
  uint64_t hash = hash_bytes(copy, bytes, seed);
  alloc_resize(&m->world->allocator, copy, bytes, 0);
  return hash;
}

uint64_t manager_hash(const manager_o *m, uint64_t seed) {
  uint64_t hash = hash_storage(m, seed);
  if (m->count == 0)
    return hash;
  hash = columns_hash(&m->columns, hash_bytes(m->schema.name, strlen(m->schema.name), hash));
  hash = hash_bytes(m->owner, m->count * sizeof *m->owner, hash);
  if (m->schema.kind == SCHEMA_MANY) {
    hash = hash_bytes(m->instance, m->count * sizeof *m->instance, hash);
    hash = hash_bytes(m->next, m->count * sizeof *m->next, hash);
  }
  return hash;
}
