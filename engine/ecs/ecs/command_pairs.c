// Adds pairs while commands are deferred: consecutive pairs of one relation are merged into one command. The result is
// the same as with one command per pair.
#include "ecs/command_pairs.h"

#include "base/assert.h"
#include "ecs/command_batch.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/relation_internal.h"
#include "ecs/structural_changes.h"

#define PAIR_WORDS 3u // number of words per pair: entity, instance, target
#define MIN_BATCH 8u

void command_pairs_push(world_o *w, const manager_o *m, uint32_t column, shoal_entity e, uint32_t instance,
                        shoal_entity target) {
  command_t *c = command_count_mergeable(w) > 0 ? &w->commands.items[w->commands.count - 1] : NULL;
  if (!c || c->kind != COMMAND_PAIRS || c->a != m->id || c->d != column || c->b + c->c != w->lists.count) {
    command_push_values(w, COMMAND_PAIRS, SHOAL_ENTITY_NONE, m->id, w->lists.count);
    c = &w->commands.items[w->commands.count - 1];
    c->d = column;
  }
  array_reserve(&w->allocator, &w->lists, w->lists.count + PAIR_WORDS);
  uint32_t *pair = w->lists.items + w->lists.count;
  pair[0] = e, pair[1] = instance, pair[2] = target;
  w->lists.count += PAIR_WORDS;
  c->c += PAIR_WORDS;
}

// --- applying

static void add_pair(world_o *w, manager_o *m, uint32_t column, const uint32_t *pair) {
  if (!is_living(w, pair[0]))
    return;
  structure_add_component(w, pair[0], m, pair[1], NULL);
  uint32_t row = manager_find_instance_row(m, pair[0], pair[1]);
  if (row != ROW_NONE) // ROW_NONE: the entity already has the maximum number of instances
    structure_write_field(w, m, row, column, pair[2]);
}

// Writes the target column directly, since no hook depends on it.
static void write_targets(world_o *w, manager_o *m, uint32_t column, const uint32_t *pair, uint32_t count) {
  shoal_entity *targets = m->data[column];
  for (uint32_t i = 0; i < count; ++i, pair += PAIR_WORDS) {
    uint32_t row = is_living(w, pair[0]) ? manager_find_instance_row(m, pair[0], pair[1]) : ROW_NONE;
    if (row == ROW_NONE)
      continue;
    targets[row] = pair[2];
    columns_mark_touched(&m->columns, column, row, 1);
    if (m->is_tracked)
      relation_notify_row_written(m, row, column);
  }
}

// Copies the entities of the leading pairs to `entity_scratch`, up to the first pair with a repeated entity or a
// different instance. Returns the number of entities copied.
static uint32_t copy_distinct_entities(world_o *w, const uint32_t *pair, uint32_t count) {
  uint32_t copied = 0, instance = pair[1];
  for (; copied < count && pair[1] == instance && !is_marked(w, pair[0], MARK_LISTED); ++copied, pair += PAIR_WORDS) {
    if (is_living(w, pair[0]))
      w->entities.marks[shoal_entity_index(pair[0])] |= MARK_LISTED;
    w->entity_scratch.items[copied] = pair[0];
  }
  return copied;
}

// Keeps the entities in `entity_scratch` (`count` distinct entities) that are alive and, for a `many` component, lack
// this instance; for plain components, structure_add_component_to_many checks this. Clears MARK_LISTED. Returns the
// number of entities kept.
static uint32_t filter_entities_without_instance(world_o *w, const manager_o *m, uint32_t instance, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = w->entity_scratch.items[i];
    if (!is_living(w, e))
      continue;
    w->entities.marks[shoal_entity_index(e)] &= (uint8_t)~MARK_LISTED;
    w->entity_scratch.items[kept] = e;
    kept += m->schema.kind != SCHEMA_MANY || manager_find_instance_row(m, e, instance) == ROW_NONE;
  }
  return kept;
}

static void add_instances(world_o *w, manager_o *m, uint32_t instance, uint32_t count) {
  uint32_t first = m->count;
  if (count == 0)
    return;
  structure_add_required_to_many(w, m, w->entity_scratch.items, count);
  manager_add_rows(m, w->entity_scratch.items, count, instance, first, NULL);
  for (uint32_t k = 0; k < m->query_count; ++k)
    for (uint32_t i = 0; i < count; ++i)
      query_notify_row_added(m->queries[k].query, m, w->entity_scratch.items[i], first + i);
}

static bool has_entity_at_instance_limit(const world_o *w, const manager_o *m, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (structure_has_max_instances(m, w->entity_scratch.items[i]))
      return true;
  return false;
}

// Applies pairs up to the first pair with a repeated entity or a different instance. Returns the number of applied
// pairs.
static uint32_t run_batch(world_o *w, manager_o *m, uint32_t column, const uint32_t *pair, uint32_t count) {
  array_reserve(&w->allocator, &w->entity_scratch, count);
  uint32_t batch_count = copy_distinct_entities(w, pair, count),
           add_count = filter_entities_without_instance(w, m, pair[1], batch_count);
  bool at_limit = m->schema.kind == SCHEMA_MANY && has_entity_at_instance_limit(w, m, add_count);
  if (batch_count < MIN_BATCH || at_limit) {
    for (uint32_t i = 0; i < batch_count; ++i)
      add_pair(w, m, column, pair + PAIR_WORDS * i);
    return batch_count;
  }
  if (m->schema.kind == SCHEMA_MANY)
    add_instances(w, m, pair[1], add_count);
  else
    structure_add_component_to_many(w, m, w->entity_scratch.items, add_count, NULL);
  write_targets(w, m, column, pair, batch_count);
  return batch_count;
}

uint32_t command_pairs_count(const command_t *c) {
  return c->c / PAIR_WORDS;
}

void command_pairs_run(world_o *w, const command_t *c) {
  manager_o *m = world_manager(w, c->a);
  shoal_assert(c->c % PAIR_WORDS == 0, "%u words are not a whole number of pairs", c->c);
  shoal_assert(c->b + c->c <= w->lists.count, "%u words at index %u are out of range (count %u)", c->c, c->b,
               w->lists.count);
  bool can_batch = m->id != w->parent_manager && !m->hooks.added && m != w->disabled;
  uint32_t count = command_pairs_count(c);
  w->spare_use_count++;
  for (uint32_t i = 0; i < count;) {
    const uint32_t *pair = w->lists.items + c->b + PAIR_WORDS * i; // reloaded each time: hooks may move the list
    if (can_batch)
      i += run_batch(w, m, c->d, pair, count - i);
    else
      add_pair(w, m, c->d, pair), ++i;
  }
}
