// Destroys entities in batches: notifies managers, and removes rows from queries and managers.
#include "ecs/destroy_batch.h"

#include "base/assert.h"
#include "ecs/cascade.h"
#include "ecs/event_deaths.h"
#include "ecs/last_values.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

#define BLOCK_ENTITIES 1024u // number of entities per block of a long list, so that the block's data stays in the cache
#define MIN_BULK 8u          // minimum number of entities in a bulk change, after which spare memory is kept

// Overlap of a list with the batch: none, some or all of the list's entities are in the batch.
typedef enum overlap_t { NONE_DYING, SOME_DYING, ALL_DYING } overlap_t;

// Compares a list with the batch, which has `dying` entities. Returns SOME_DYING without searching if the list is
// longer than the batch.
static overlap_t compare_with_batch(const world_o *w, const shoal_entity *entities, uint32_t count, uint32_t dying) {
  uint32_t found = 0;
  if (count > dying)
    return SOME_DYING;
  for (uint32_t i = 0; i < count; ++i)
    found += (w->entities.marks[shoal_entity_index(entities[i])] & MARK_DYING) != 0;
  return found == 0 ? NONE_DYING : found == count ? ALL_DYING : SOME_DYING;
}

// Collects the entities of the batch in [first, end) that have a row in m, in batch order. Returns their number.
static uint32_t collect_owners(world_o *w, const manager_o *m, uint32_t first, uint32_t end) {
  uint32_t count = 0;
  array_reserve(&w->allocator, &w->hook_entities, end - first);
  bool overlaps = compare_with_batch(w, m->owner, m->count, end - first) != NONE_DYING;
  for (uint32_t i = overlaps ? first : end; i < end; ++i) {
    w->hook_entities.items[count] = w->destroy_batch.items[i];
    count += manager_row(m, w->destroy_batch.items[i]) != ROW_NONE;
  }
  w->hook_entities.count = count;
  return count;
}

// Notifies managers of destroyed entities. Hooks of managers may destroy more entities, which join the batch and are
// handled in another round.
static void notify_destroyed(world_o *w) {
  w->running_died_hooks = true;
  for (uint32_t notified = 0; notified < w->destroy_batch.count;) {
    uint32_t first = notified, end = w->destroy_batch.count;
    notified = end;
    for (uint32_t i = 0; i < w->managers.count; ++i) {
      manager_o *m = w->managers.items[i];
      if (m->hooks.died && collect_owners(w, m, first, end) > 0)
        m->hooks.died(m->hooks.context, w, m, w->hook_entities.items, w->hook_entities.count);
    }
    if (w->relation)
      cascade_collect_destroyed(w, w->destroy_batch.items + first, end - first);
  }
  w->running_died_hooks = false;
}

// Returns the number of entities at the start of the list that have consecutive indices and belong to one assemblage.
static uint32_t count_same_assemblage(const world_o *w, const shoal_entity *entities, uint32_t count) {
  uint32_t run = entities_run_length(entities, count, 0), difference = 0, n = 1;
  const uint32_t *names = w->entities.assemblage + shoal_entity_index(entities[0]);
  for (uint32_t k = 0; k < run; ++k)
    difference |= names[k] ^ names[0];
  while (difference != 0 && n < run && names[n] == names[0])
    n++;
  return difference == 0 ? run : n;
}

static void free_entities(world_o *w, const shoal_entity *entities, uint32_t count) {
  uint32_t name = 0, same_count = 0; // counts per run, because consecutive entities usually share an assemblage
  for (uint32_t k = 0, run; k < count; k += run) {
    uint32_t run_name = w->entities.assemblage[shoal_entity_index(entities[k])];
    run = count_same_assemblage(w, entities + k, count - k);
    if (run_name != name) {
      structure_adjust_alive_count(w, name, -(int32_t)same_count);
      name = run_name;
      same_count = 0;
    }
    same_count += run;
  }
  structure_adjust_alive_count(w, name, -(int32_t)same_count);
  entities_destroy_many(&w->entities, entities, count, (uint32_t)w->tick);
}

static void free_batch_ids(world_o *w) {
  for (uint32_t i = 0; i < w->destroy_batch.count; i += BLOCK_ENTITIES)
    free_entities(w, w->destroy_batch.items + i,
                  w->destroy_batch.count - i < BLOCK_ENTITIES ? w->destroy_batch.count - i : BLOCK_ENTITIES);
  w->destroy_batch.count = 0;
}

// Removes rows from the last entity to the first, unless the result must equal the result of single calls. In this
// order, entities that are destroyed in row order leave no holes to fill. All entities leave all queries first:
// otherwise, an entity that loses one component before another could briefly match a query that it never matched
// before.
static void remove_batch_rows(world_o *w) {
  uint32_t count = w->destroy_batch.count;
  array_reserve(&w->allocator, &w->entity_scratch, count);
  for (uint32_t k = 0; k < count; ++k)
    w->entity_scratch.items[k] = w->destroy_batch.items[w->destroys_in_order ? k : count - 1 - k];
  event_deaths_record(w);
  for (uint32_t i = 0; i < w->queries.count; ++i) {
    query_o *q = w->queries.items[i];
    overlap_t overlap = compare_with_batch(w, q->entities, q->count, count);
    if (overlap == NONE_DYING)
      continue;
    query_notify_leaving(q, w->destroy_batch.items, count);
    if (overlap == ALL_DYING)
      query_drop_all_rows(q, w->entity_scratch.items, count);
    else
      query_drop_rows(q, w->entity_scratch.items, count);
  }
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    manager_o *m = w->managers.items[i];
    overlap_t overlap = compare_with_batch(w, m->owner, m->count, count);
    if (overlap == NONE_DYING)
      continue;
    if (w->has_last_rows && m->schema.kind != SCHEMA_SINGLE)
      last_values_store(m, w->destroy_batch.items, count, ROW_NONE, false);
    if (m->schema.kind == SCHEMA_COMPONENT && overlap == ALL_DYING)
      manager_erase_all_rows(m, w->entity_scratch.items, count);
    else if (m->schema.kind == SCHEMA_COMPONENT)
      manager_erase_rows(m, w->entity_scratch.items, count, false);
    else if (m->schema.kind == SCHEMA_MANY)
      for (uint32_t k = 0; k < count && m->count > 0; ++k)
        structure_remove_all_instances(m, w->entity_scratch.items[k], true);
  }
  if (w->has_last_rows)
    structure_set_marks(w, w->destroy_batch.items, count, MARK_LEFT, false);
  last_values_end_operation(w);
}

// Collects the names of the entities in the batch, before their rows are removed.
static void collect_names(world_o *w) {
  const manager_o *m = w->name_manager ? world_manager(w, w->name_manager) : NULL;
  w->dying_names.count = 0;
  for (uint32_t i = 0; m && m->count > 0 && i < w->destroy_batch.count; ++i) {
    uint32_t row = manager_row(m, w->destroy_batch.items[i]);
    if (row != ROW_NONE)
      array_push(&w->allocator, &w->dying_names,
                 ((named_entity_t){shoal_entity_index(w->destroy_batch.items[i]),
                                   ((const uint32_t *)manager_column(m, w->name_column))[row]}));
  }
}

static void store_names(world_o *w) {
  for (uint32_t i = 0; i < w->dying_names.count; ++i)
    w->entities.state[w->dying_names.items[i].index] = w->dying_names.items[i].name;
}

void destroy_batch_run(world_o *w) {
  shoal_assert(!w->running_died_hooks, "cannot destroy entities from inside a destroy hook");
  w->spare_use_count += w->destroy_batch.count >= MIN_BULK;
  structure_flush_added_rows(w);
  notify_destroyed(w);
  if (w->relation)
    cascade_release_referrers(w, w->destroy_batch.count);
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    manager_o *m = w->managers.items[i];
    if (m->hooks.removing && collect_owners(w, m, 0, w->destroy_batch.count) > 0)
      m->hooks.removing(m->hooks.context, w, m, w->hook_entities.items, w->hook_entities.count);
  }
  collect_names(w);
  remove_batch_rows(w);
  free_batch_ids(w);
  store_names(w);
}
