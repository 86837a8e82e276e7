// Structural changes to managers and queries, at sync points only. The order of changes is part of the contract: parts
// in template order, managers by id, entities in the given order.
#include "ecs/structural_changes.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/last_values.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_rows.h"
#include "ecs/relation_internal.h"
#include "ecs/requirements.h"
#include "ecs/world_internal.h"

#include <string.h>

#define BLOCK_ENTITIES 1024u // number of entities per block, so that data about a block stays in the cache

// --- entities

void structure_adjust_alive_count(world_o *w, uint32_t name, int32_t change) {
  if (name == 0)
    return;
  while (w->assemblage_alive_counts.count <= name)
    array_push(&w->allocator, &w->assemblage_alive_counts, 0);
  shoal_assert(change >= 0 || w->assemblage_alive_counts.items[name] >= (uint32_t)-change,
               "cannot remove %d entities named by string %u: fewer are alive", -change, name);
  w->assemblage_alive_counts.items[name] += (uint32_t)change;
}

// Warns once per world when ids are reused earlier than guaranteed.
static void warn_of_early_reuse(world_o *w) {
  if (!w->entities.reused_early || w->warned_early_reuse)
    return;
  w->warned_early_reuse = true;
  log_warn(w->log,
           "entity ids are reused within %u ticks, because no unused ids are left (%u entities alive, %u freed ids), "
           "so handles of destroyed entities may refer to new entities: destroy fewer entities per tick",
           ENTITY_MIN_FREE_TICKS, w->entities.alive_count, w->entities.free_count);
}

static uint32_t initial_state(const assemblage_t *a) {
  return a->templates.count > 1 ? a->templates.items[1].state : 0;
}

entity_properties_t structure_initial_properties(const assemblage_t *a, uint8_t marks) {
  return a ? (entity_properties_t){a->name, initial_state(a), marks} : (entity_properties_t){.marks = marks};
}

// Creates an entity of an assemblage (may be NULL) without rows.
static shoal_entity create_entity(world_o *w, const assemblage_t *a, uint8_t marks) {
  entity_properties_t properties = structure_initial_properties(a, marks);
  shoal_entity e = entities_create_quickly(&w->entities, (uint32_t)w->tick, properties);
  if (e == SHOAL_ENTITY_NONE)
    e = entities_create(&w->entities, (uint32_t)w->tick, properties);
  if (w->entities.reused_early)
    warn_of_early_reuse(w);
  if (e != SHOAL_ENTITY_NONE && a)
    structure_adjust_alive_count(w, a->name, 1);
  return e;
}

shoal_entity structure_create_entity(world_o *w, uint32_t assemblage) {
  return create_entity(w, assemblage_get(w, assemblage), MARK_QUEUED);
}

void structure_create_entities(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t count, uint8_t mark) {
  entity_properties_t properties = structure_initial_properties(assemblage_get(w, assemblage), mark);
  entities_create_many(&w->entities, out, count, (uint32_t)w->tick, properties);
  warn_of_early_reuse(w);
  structure_adjust_alive_count(w, properties.assemblage, (int32_t)count);
}

bool structure_check_capacity(world_o *w, uint64_t needed, error_info_t *error) {
  uint32_t available = entities_available(&w->entities);
  if (needed <= available)
    return true;
  uint32_t reserved = w->entities.free_count < ENTITY_MIN_FREE ? w->entities.free_count : ENTITY_MIN_FREE;
  return error_set(
      error,
      "cannot create %llu more entities, only %u (at most %u in a world, %u alive, %u freed ids that cannot "
      "be reused yet): destroy some entities first",
      (unsigned long long)needed, available, SHOAL_ENTITY_MAX_ALIVE, w->entities.alive_count, reserved);
}

void structure_free_entity(world_o *w, shoal_entity e, uint32_t destroyer) {
  uint32_t name = is_living(w, e) ? w->entities.assemblage[shoal_entity_index(e)] : 0;
  if (!entities_destroy(&w->entities, e, (uint32_t)w->tick, destroyer))
    return;
  structure_adjust_alive_count(w, name, -1);
}

void structure_set_assemblage(world_o *w, shoal_entity e, uint32_t name) {
  uint32_t *stored = &w->entities.assemblage[shoal_entity_index(e)];
  if (*stored == name)
    return;
  structure_adjust_alive_count(w, *stored, -1);
  structure_adjust_alive_count(w, name, 1);
  *stored = name;
}

void structure_set_marks(world_o *w, const shoal_entity *entities, uint32_t count, uint8_t mark, bool enabled) {
  uint8_t set_mask = enabled ? mark : 0, keep_mask = (uint8_t)~mark;
  for (uint32_t i = 0, run; i < count; i += run) {
    uint8_t *marks = w->entities.marks + shoal_entity_index(entities[i]);
    run = entities_run_length(entities + i, count - i, 0);
    for (uint32_t k = 0; k < run; ++k)
      marks[k] = (uint8_t)((marks[k] & keep_mask) | set_mask);
  }
}

// Returns true if all entities of this run of consecutive indices are alive and no entity has the mark.
static bool are_unmarked(const world_o *w, const shoal_entity *entities, uint32_t run, uint8_t mark) {
  const entities_t *s = &w->entities;
  uint32_t first = shoal_entity_index(entities[0]), end = first + run,
           generation = shoal_entity_generation(entities[0]);
  if (!is_living(w, entities[0]) || end > s->used)
    return false;
  uint8_t difference = 0;
  for (uint32_t k = first; k < end; ++k)
    difference |= (uint8_t)((s->alive[k] ^ 1) | (s->generation[k] ^ generation) | (s->marks[k] & mark));
  return difference == 0;
}

uint32_t structure_mark_unmarked(world_o *w, shoal_entity *entities, uint32_t count, uint8_t mark) {
  uint32_t kept = 0;
  for (uint32_t i = 0, run; i < count; i += run) {
    uint8_t *marks = w->entities.marks + shoal_entity_index(entities[i]);
    run = entities_run_length(entities + i, count - i, 0);
    if (are_unmarked(w, entities + i, run, mark)) {
      if (kept != i)
        memmove(entities + kept, entities + i, run * sizeof *entities);
      kept += run;
      for (uint32_t k = 0; k < run; ++k)
        marks[k] |= mark;
      continue;
    }
    for (uint32_t k = 0; k < run; ++k) {
      shoal_entity e = entities[i + k];
      if (!is_living(w, e) || marks[k] & mark)
        continue;
      marks[k] |= mark;
      entities[kept++] = e;
    }
  }
  return kept;
}

// --- adding

static void record_added(world_o *w, const manager_o *m, uint32_t first, const shoal_entity *entities, uint32_t count) {
  if (!m->hooks.added || count == 0)
    return;
  pending_added_t *added = &w->pending_added.items[m->id];
  w->has_pending_added = true;
  // rows of a component without a group are only appended between two flushes, so their first row suffices
  if (!m->group) {
    added->first = added->first == ROW_NONE ? first : added->first;
    return;
  }
  array_reserve(&w->allocator, &added->entities, added->entities.count + count);
  memcpy(added->entities.items + added->entities.count, entities, count * sizeof *entities);
  added->entities.count += count;
}

static void list_added_rows(world_o *w, const manager_o *m, pending_added_t *added) {
  uint32_t appended = added->first < m->count ? m->count - added->first : 0;
  w->added_rows.count = 0;
  array_reserve(&w->allocator, &w->added_rows, added->entities.count + appended);
  for (uint32_t i = 0; i < added->entities.count; ++i)
    w->added_rows.items[w->added_rows.count++] = manager_row(m, added->entities.items[i]);
  for (uint32_t row = added->first; row < m->count; ++row)
    w->added_rows.items[w->added_rows.count++] = row;
  added->entities.count = 0;
  added->first = ROW_NONE;
}

void structure_flush_added_rows(world_o *w) {
  while (w->has_pending_added) {
    w->has_pending_added = false;
    for (uint32_t i = 0; i < w->managers.count; ++i) {
      manager_o *m = w->managers.items[i];
      pending_added_t *added = &w->pending_added.items[m->id];
      if (added->first == ROW_NONE && added->entities.count == 0)
        continue;
      list_added_rows(w, m, added);
      if (m->hooks.added && w->added_rows.count > 0)
        m->hooks.added(m->hooks.context, w, m, w->added_rows.items, w->added_rows.count);
    }
  }
}

static void warn_about_full_component(world_o *w, shoal_entity e, manager_o *m) {
  char label[32];
  if (!m->warned_full)
    log_warn(w->log, "%s: too many instances of %s (at most %u per entity): further instances are dropped",
             entity_label(label, e), m->schema.name, MANAGER_MAX_INSTANCES);
  m->warned_full = true;
}

bool structure_has_max_instances(const manager_o *m, shoal_entity e) {
  uint32_t count = 0;
  if (m->schema.kind != SCHEMA_MANY)
    return false;
  for (uint32_t row = manager_row(m, e); row != ROW_NONE && count < MANAGER_MAX_INSTANCES; row = m->next[row])
    ++count;
  return count == MANAGER_MAX_INSTANCES;
}

static void notify_added(manager_o *m, shoal_entity e, uint32_t row) {
  for (uint32_t i = 0; i < m->query_count; ++i)
    query_notify_row_added(m->queries[i].query, m, e, row);
  if (m == m->world->disabled)
    query_notify_disabled(m->world, e, m->instance[row]);
}

static void add_row(world_o *w, shoal_entity e, manager_o *m, uint32_t instance, const double *values) {
  if (manager_find_instance_row(m, e, instance) != ROW_NONE)
    return;
  if (structure_has_max_instances(m, e)) {
    warn_about_full_component(w, e, m);
    return;
  }
  uint32_t row = manager_add_rows(m, &e, 1, instance, m->count, values);
  record_added(w, m, row, &e, 1);
  notify_added(m, e, row);
}

void structure_add_component(world_o *w, shoal_entity e, manager_o *m, uint32_t instance, const double *values) {
  const requirement_t *requirement = requirements_get(w, m);
  for (uint32_t i = 0; requirement && i < requirement->required.count; ++i)
    add_row(w, e, world_manager(w, requirement->required.items[i]), 0, NULL);
  add_row(w, e, m, instance, values);
}

// Returns the row at which a spawn inserts rows: the end, or the end of the group if the entities join the component's
// group.
static uint32_t spawn_row(const assemblage_t *a, const manager_o *m) {
  for (uint32_t i = 0; m->group && i < a->queries.count; ++i)
    if (a->queries.items[i] == m->group)
      return m->group->count;
  return m->count;
}

// Updates the reverse lookups after a field was written. `links`: value of links_written before the write.
static void notify_field_written(world_o *w, manager_o *m, uint32_t row, uint32_t column, uint8_t links) {
  if (!m->is_tracked)
    return;
  if (m->id != w->parent_manager)
    w->links_written = links;
  relation_notify_row_written(m, row, column);
}

void structure_write_field(world_o *w, manager_o *m, uint32_t row, uint32_t column, double value) {
  uint8_t links = w->links_written;
  columns_set(&m->columns, row, column, value);
  notify_field_written(w, m, row, column, links);
}

void structure_write_element(world_o *w, manager_o *m, uint32_t row, uint32_t column, const void *element) {
  uint8_t links = w->links_written;
  columns_set_element(&m->columns, row, column, element);
  notify_field_written(w, m, row, column, links);
}

void structure_spawn_entities(world_o *w, uint32_t assemblage, const shoal_entity *entities, uint32_t count,
                              spawn_batch_t *block) {
  if (count > 0 && is_marked(w, entities[0], MARK_QUEUED)) // either all entities are marked, or no entity is marked
    structure_set_marks(w, entities, count, MARK_QUEUED, false);
  if (assemblage == 0 || count == 0)
    return;
  assemblage_update_plan(w, assemblage, NULL); // queries may have been created since the spawn was queued
  assemblage_t *a = assemblage_get(w, assemblage);
  shoal_assert(!block || block->parts.count == a->plan.count, "the block has %u parts, but the plan has %u",
               block ? block->parts.count : 0, a->plan.count);
  for (uint32_t i = 0; i < a->plan.count; ++i) {
    const part_t *p = &a->plan.items[i];
    manager_o *m = world_manager(w, p->manager);
    uint32_t row = spawn_row(a, m);
    if (block && block->parts.items[i].staged)
      manager_add_staged_rows(m, entities, p->instance, row, &block->parts.items[i].columns);
    else
      manager_add_rows(m, entities, count, p->instance, row, p->values);
    if (m->schema.kind == SCHEMA_COMPONENT && !w->spawned_rows.pages)
      w->spawned_rows = (index_source_t){m->pages, m->page_count, row, row + count == m->count && !m->group};
    record_added(w, m, row, entities, count);
  }
  if (!w->spawned_rows.is_last) // queries may move the rows of their group
    w->spawned_rows.pages = NULL;
  for (uint32_t i = 0; i < a->queries.count; ++i)
    query_add_entities(a->queries.items[i], entities, count);
  w->spawned_rows.pages = NULL;
}

shoal_entity structure_spawn_entity(world_o *w, uint32_t assemblage) {
  assemblage_t *a = assemblage_get(w, assemblage);
  shoal_entity e = create_entity(w, a, 0);
  for (uint32_t i = 0; a && i < a->plan.count; ++i) {
    const part_t *p = &a->plan.items[i];
    manager_o *m = w->managers.items[p->manager - 1];
    uint32_t row = m->group ? spawn_row(a, m) : m->count;
    if (row == m->count && m->schema.kind == SCHEMA_COMPONENT)
      manager_append_encoded_row(m, e, p->elements, p->has_links);
    else
      manager_add_rows(m, &e, 1, p->instance, row, p->values);
    record_added(w, m, row, &e, 1);
  }
  for (uint32_t i = 0; a && i < a->queries.count; ++i)
    query_add_entity(a->queries.items[i], e);
  return e;
}

void structure_attach_child(world_o *w, shoal_entity e, shoal_entity parent, uint32_t name) {
  manager_o *transforms = world_manager(w, w->parent_manager), *names = world_manager(w, w->name_manager);
  if (transforms) {
    structure_add_component(w, e, transforms, 0, NULL);
    columns_set_unmarked(&transforms->columns, manager_row(transforms, e), w->parent_column, parent);
  }
  if (names && manager_row(names, e) == ROW_NONE) {
    structure_add_component(w, e, names, 0, NULL);
    columns_set_unmarked(&names->columns, manager_row(names, e), w->name_column, name);
  }
}

void structure_spawn_child(world_o *w, shoal_entity e, uint32_t assemblage, shoal_entity parent, uint32_t name) {
  structure_spawn_entities(w, assemblage, &e, 1, NULL);
  if (parent != SHOAL_ENTITY_NONE)
    structure_attach_child(w, e, parent, name);
}

// --- removing

// Removes a row. Notifies queries of the row that fills the gap and, unless `leaving`, of the removal. If `leaving`,
// the owner has already left all queries.
static void remove_row(manager_o *m, uint32_t row, bool leaving) {
  shoal_assert(row < m->count, "row %u of %s is out of range (count %u; stale view?)", row, m->schema.name, m->count);
  shoal_entity e = m->owner[row];
  uint32_t instance = m == m->world->disabled ? m->instance[row] : 0;
  if (m->group && !leaving) { // must precede the removal, because leaving a group swaps rows
    query_remove_entity(m->group, e);
    row = manager_row(m, e);
  }
  manager_detach_row(m, row);
  for (uint32_t i = 0; i < m->query_count && !leaving; ++i)
    if (m->queries[i].query != m->group)
      query_notify_row_removed(m->queries[i].query, m, m->queries[i].roles, e, row);
  manager_fill_row(m, row);
  if (instance != 0 && !leaving)
    query_notify_disabled(m->world, e, instance);
}

void structure_remove_all_instances(manager_o *m, shoal_entity e, bool leaving) {
  for (uint32_t row; (row = manager_row(m, e)) != ROW_NONE;)
    remove_row(m, row, leaving);
}

// Copies rows that are about to be removed, if a watcher may read them.
static void store_last_rows(world_o *w, manager_o *m, shoal_entity e, uint32_t row) {
  bool is_read = false;
  for (uint32_t i = 0; i < m->query_count && !is_read && w->watchers.count > 0; ++i)
    is_read = query_keeps_last_rows(m->queries[i].query, e);
  if (is_read || w->has_last_rows)
    last_values_store(m, &e, 1, row, is_read);
}

static void remove_instance(world_o *w, shoal_entity e, manager_o *m, uint32_t instance);

// Prefetches the index entries that a row's removal changes: the entries of its owner and of the last row's owner.
PREFETCHING void prefetch_removal(const manager_o *m, shoal_entity e, uint32_t row) {
  index_prefetch(m->pages, m->page_count, m->owner[m->count - 1]);
  manager_prefetch_row(m, row);
  for (uint32_t i = 0; i < m->query_count; ++i) {
    const live_query_t *live = (const live_query_t *)m->queries[i].query;
    index_prefetch(live->pages, live->page_count, e);
    if (live->shared.count > 0)
      index_prefetch(live->pages, live->page_count, live->shared.entities[live->shared.count - 1]);
  }
}

static void remove_component(world_o *w, shoal_entity e, manager_o *m, uint32_t row) {
  if (row != ROW_NONE && !m->group) // leaving a group prefetches, and swaps rows first
    prefetch_removal(m, e, row);
  structure_flush_added_rows(w);
  if (m->hooks.removing)
    m->hooks.removing(m->hooks.context, w, m, &e, 1);
  store_last_rows(w, m, e, row);
  if (row == ROW_NONE)
    structure_remove_all_instances(m, e, false);
  else
    remove_row(m, row, false);
  uint32_t name = world_has_disabled(w) ? strings_find(w->strings, m->schema.name) : 0;
  if (name != 0 && manager_row(m, e) == ROW_NONE) // a removed component cannot stay disabled
    remove_instance(w, e, w->disabled, name);
}

static void remove_instance(world_o *w, shoal_entity e, manager_o *m, uint32_t instance) {
  if (m->schema.kind == SCHEMA_MANY && instance == 0) {
    if (manager_row(m, e) != ROW_NONE)
      remove_component(w, e, m, ROW_NONE);
    return;
  }
  uint32_t row = manager_find_instance_row(m, e, instance);
  if (row != ROW_NONE)
    remove_component(w, e, m, row);
}

void structure_remove_component(world_o *w, shoal_entity e, manager_o *m, uint32_t instance) {
  if (requirements_find_requirer(w, m, e))
    return;
  remove_instance(w, e, m, instance);
  last_values_end_operation(w);
}

// --- changes to many entities

static void add_matching_entities(world_o *w, query_o *q, const manager_o *m, const shoal_entity *entities,
                                  uint32_t count) {
  if (q->term_count == 1 && !world_has_disabled(w)) { // every entity in the list matches
    query_add_entities(q, entities, count);
    return;
  }
  array_reserve(&w->allocator, &w->matching, count);
  memcpy(w->matching.items, entities, count * sizeof *entities);
  uint32_t matching = query_filter_matching(q, m, w->matching.items, count);
  query_add_entities(q, w->matching.items, matching);
}

static void add_rows_to_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count, const double *values) {
  shoal_assert(m->schema.kind == SCHEMA_COMPONENT, "%s is not a plain component", m->schema.name);
  count = query_filter_by_component(m, entities, count, false);
  if (count == 0)
    return;
  uint32_t first = manager_add_rows(m, entities, count, 0, m->count, values);
  record_added(w, m, first, entities, count);
  for (uint32_t k = 0; k < m->query_count; ++k) {
    query_o *q = m->queries[k].query;
    if (m->queries[k].roles == 1u << QUERY_WITH)
      add_matching_entities(w, q, m, entities, count);
    else if (m->queries[k].roles == 1u << QUERY_WITHOUT)
      query_remove_entities(q, entities, count);
    else
      for (uint32_t i = 0; i < count; ++i)
        query_notify_row_added(q, m, entities[i], manager_row(m, entities[i]));
  }
}

void structure_add_required_to_many(world_o *w, const manager_o *m, const shoal_entity *entities, uint32_t count) {
  const requirement_t *requirement = requirements_get(w, m);
  if (!requirement || requirement->required.count == 0 || count == 0)
    return;
  ARRAY(shoal_entity) list = {0};
  array_reserve(&w->allocator, &list, count);
  for (uint32_t i = 0; i < requirement->required.count; ++i) {
    memcpy(list.items, entities, count * sizeof *entities);
    add_rows_to_many(w, world_manager(w, requirement->required.items[i]), list.items, count, NULL);
  }
  array_free(&w->allocator, &list);
}

void structure_add_component_to_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count,
                                     const double *values) {
  structure_add_required_to_many(w, m, entities, count);
  add_rows_to_many(w, m, entities, count, values);
}

// Notifies the queries that do not require m. The queries that require m have already been notified.
static void notify_removed(world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  for (uint32_t k = 0; k < m->query_count; ++k) {
    query_o *q = m->queries[k].query;
    if (m->queries[k].roles & 1u << QUERY_WITH)
      continue;
    if (m->queries[k].roles == 1u << QUERY_WITHOUT)
      add_matching_entities(w, q, m, entities, count);
    else
      for (uint32_t i = 0; i < count; ++i)
        query_notify_row_removed(q, m, m->queries[k].roles, entities[i], ROW_NONE);
  }
}

// Like store_last_rows for many entities. For queries that require m, query_remove_entities has already set MARK_LEFT.
static void store_last_rows_of_many(world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  bool is_read = false;
  for (uint32_t k = 0; k < m->query_count; ++k)
    for (uint32_t i = 0; i < count && !is_read && (m->queries[k].roles & 1u << QUERY_ANY); ++i)
      is_read = query_keeps_last_rows(m->queries[k].query, entities[i]);
  if (is_read || w->has_last_rows)
    last_values_store(m, entities, count, ROW_NONE, is_read);
}

// Keeps the entities in which no component requires m. Returns the number of entities kept.
static uint32_t filter_not_required(world_o *w, const manager_o *m, shoal_entity *entities, uint32_t count) {
  uint32_t kept = 0;
  if (!requirements_apply_to(w, m))
    return count;
  for (uint32_t i = 0; i < count; ++i)
    if (!requirements_find_requirer(w, m, entities[i]))
      entities[kept++] = entities[i];
  return kept;
}

void structure_remove_part_from_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count) {
  shoal_assert(m->schema.kind == SCHEMA_COMPONENT, "%s is not a plain component", m->schema.name);
  for (; world_has_disabled(w) && count > 0; --count) // one by one, because each removal also clears the disabled state
    structure_remove_component(w, *entities++, m, 0);
  count = filter_not_required(w, m, entities, count);
  bool is_run = manager_has_contiguous_rows(m, entities, count);
  if (!is_run)
    count = query_filter_by_component(m, entities, count, true);
  if (count == 0)
    return;
  structure_flush_added_rows(w);
  if (m->hooks.removing)
    m->hooks.removing(m->hooks.context, w, m, entities, count);
  for (uint32_t k = 0; k < m->query_count; ++k)
    if (m->queries[k].roles & 1u << QUERY_WITH)
      query_remove_entities(m->queries[k].query, entities, count);
  store_last_rows_of_many(w, m, entities, count);
  manager_erase_rows(m, entities, count, is_run && !m->group); // leaving a group swaps rows
  notify_removed(w, m, entities, count);
}

void structure_remove_component_from_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count) {
  structure_remove_part_from_many(w, m, entities, count);
  last_values_end_operation(w);
}

// --- states

// Copies a field and its mark to a row of a different component with the same fields, if scripts can write the field.
static void copy_writable_field(columns_t *target, uint32_t target_row, const columns_t *source, uint32_t source_row,
                                uint32_t field) {
  if (target->links)
    *target->links = 1;
  for (uint32_t i = field; i < target->stored_count && i < source->stored_count; i += target->column_count) {
    size_t bytes = target->element_bytes[i];
    if (!(source->schema->fields[field].flags & (FIELD_HIDDEN | FIELD_READ_ONLY)))
      memcpy((char *)target->data[i] + target_row * bytes, (const char *)source->data[i] + source_row * bytes, bytes);
  }
}

static void copy_writable_fields(columns_t *target, uint32_t target_row, const columns_t *source, uint32_t source_row) {
  for (uint32_t k = 0; k < target->column_count; ++k)
    copy_writable_field(target, target_row, source, source_row, k);
}

static bool set_same_value(const part_t *a, const part_t *b, uint32_t field) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): all bits are compared
  return a->is_set[field] && b->is_set[field] && memcmp(&a->values[field], &b->values[field], sizeof(double)) == 0;
}

// Writes the values that a template sets, except values that the template `previous` set to the same value. Does not
// mark the values as overridden. If `retained` is not NULL, the values that the state retained in its row
// `retained_row` are used instead.
static void write_template_values(manager_o *m, uint32_t row, const part_t *p, const part_t *previous,
                                  const manager_o *retained, uint32_t retained_row) {
  for (uint32_t k = 0; k < p->value_count; ++k) {
    if (!p->is_set[k] || (previous && set_same_value(previous, p, k)))
      continue;
    if (retained)
      copy_writable_field(&m->columns, row, &retained->columns, retained_row, k);
    else
      columns_set_unmarked(&m->columns, row, k, p->values[k]);
  }
}

// Retains the component's values of `left`, a part of the state that is left, in the row for the state of `target`. A
// field that two states set to different values has one retained value per state.
static void retain_values(world_o *w, shoal_entity e, const part_t *left, const part_t *target) {
  manager_o *m = world_manager(w, left->manager), *retained = world_manager(w, target->retained_manager);
  uint32_t row = manager_find_instance_row(m, e, left->instance);
  if (row == ROW_NONE)
    return;
  if (manager_find_instance_row(retained, e, target->retained_instance) == ROW_NONE)
    structure_add_component(w, e, retained, target->retained_instance, target->values);
  uint32_t target_row = manager_find_instance_row(retained, e, target->retained_instance);
  if (target_row == ROW_NONE) // the entity has the maximum number of instances
    return;
  for (uint32_t k = 0; k < m->columns.column_count; ++k) {
    bool is_separate = left->is_set[k] && target->is_set[k] && !set_same_value(left, target, k);
    if (left == target || !is_separate)
      copy_writable_field(&retained->columns, target_row, &m->columns, row, k);
  }
}

// Retains the values of a component for the state that is left, and for all states that retain the same component.
static void retain_values_for_states(world_o *w, shoal_entity e, const assemblage_t *a, const part_t *left) {
  for (uint32_t i = 1; i < a->templates.count; ++i) {
    const part_t *target = template_find_part(&a->templates.items[i], left->manager, left->instance);
    if (target && target->retained_manager)
      retain_values(w, e, left, target);
  }
}

static void leave_state(world_o *w, shoal_entity e, const assemblage_t *a, template_t *old_template,
                        template_t *new_template) {
  for (uint32_t k = 0; old_template && k < old_template->parts.count; ++k) {
    const part_t *p = &old_template->parts.items[k];
    manager_o *m = world_manager(w, p->manager);
    if (p->retained_manager)
      retain_values_for_states(w, e, a, p);
    if (template_find_part(new_template, p->manager, p->instance) ||
        template_find_part(&a->templates.items[0], p->manager, p->instance))
      continue;
    uint32_t row = manager_find_instance_row(m, e, p->instance);
    if (row != ROW_NONE)
      remove_component(w, e, m, row);
  }
}

// Gives the entity a component of the state that it enters. If the entity already has the component, writes only the
// values that the state sets, except values that the previous state (`old_part`) set to the same value. Retained values
// replace the values that the state sets.
static void enter_state_part(world_o *w, shoal_entity e, const part_t *p, const part_t *old_part) {
  manager_o *m = world_manager(w, p->manager),
            *retained = p->retained_manager ? world_manager(w, p->retained_manager) : NULL;
  uint32_t row = manager_find_instance_row(m, e, p->instance);
  uint32_t retained_row = retained ? manager_find_instance_row(retained, e, p->retained_instance) : ROW_NONE;
  if (row != ROW_NONE)
    write_template_values(m, row, p, old_part, retained_row != ROW_NONE ? retained : NULL, retained_row);
  else
    structure_add_component(w, e, m, p->instance, p->values);
  uint32_t new_row = row == ROW_NONE ? manager_find_instance_row(m, e, p->instance) : ROW_NONE;
  if (new_row != ROW_NONE && retained_row != ROW_NONE)
    copy_writable_fields(&m->columns, new_row, &retained->columns, retained_row);
  if (retained_row != ROW_NONE)
    remove_instance(w, e, retained, p->retained_instance);
}

static void enter_state(world_o *w, shoal_entity e, template_t *old_template, template_t *new_template) {
  for (uint32_t k = 0; k < new_template->parts.count; ++k) {
    const part_t *p = &new_template->parts.items[k];
    enter_state_part(w, e, p, old_template ? template_find_part(old_template, p->manager, p->instance) : NULL);
  }
}

void structure_enter_state(world_o *w, shoal_entity e, uint32_t state) {
  uint32_t i = shoal_entity_index(e), old_state = w->entities.state[i];
  assemblage_t *current = assemblage_get(w, world_find_assemblage(w, w->entities.assemblage[i]));
  assemblage_t *a = w->content ? w->content->find_assemblage(w, e, current) : current;
  template_t *new_template = a ? assemblage_find_template(a, state) : NULL;
  if (!new_template && current)
    new_template = assemblage_find_template(current, state); // the new definition added this state
  if (!new_template || old_state == state)
    return;
  template_t *old_template = old_state ? assemblage_find_template(a, old_state) : NULL;
  leave_state(w, e, a, old_template, new_template);
  enter_state(w, e, old_template, new_template);
  w->entities.state[i] = state;
  last_values_end_operation(w);
}

// --- destruction (destroy_batch.c)

void structure_add_to_destroy_batch(world_o *w, const shoal_entity *entities, uint32_t count, uint32_t destroyer) {
  array_reserve(&w->allocator, &w->destroy_batch, w->destroy_batch.count + count);
  for (uint32_t i = 0; i < count; i += BLOCK_ENTITIES) {
    shoal_entity *members = w->destroy_batch.items + w->destroy_batch.count;
    uint32_t block_count = count - i < BLOCK_ENTITIES ? count - i : BLOCK_ENTITIES;
    memcpy(members, entities + i, block_count * sizeof *members);
    block_count = structure_mark_unmarked(w, members, block_count, MARK_DYING);
    for (uint32_t k = 0, run; k < block_count; k += run) {
      uint32_t *died_by = sparse_get_or_create(w->entities.died_by, shoal_entity_index(members[k]), &w->allocator);
      run = entities_run_length(members + k, block_count - k, PAGE_NUMBERS);
      for (uint32_t n = 0; n < run; ++n)
        died_by[n] = destroyer;
    }
    w->destroy_batch.count += block_count;
  }
}

void structure_add_to_destroy_batch_in_hook(world_o *w, shoal_entity e) {
  shoal_assert(w->running_died_hooks && w->destroy_batch.count > 0,
               "an entity can join a batch only while `died` hooks run");
  if (is_living(w, e))
    structure_add_to_destroy_batch(w, &e, 1,
                                   sparse_get(w->entities.died_by, shoal_entity_index(w->destroy_batch.items[0])));
}
