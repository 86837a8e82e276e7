// Commands that change many entities: either issued as one command, or merged from identical or alternating single
// commands. The result is the same as with one command per entity, in list order.
#include "ecs/command_batch.h"

#include "base/assert.h"
#include "ecs/manager_internal.h"
#include "ecs/requirements.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

#include <string.h>

#define MIN_BATCH 8u // minimum number of entities in a batch; smaller batches are applied one entity at a time

// --- applying

static void read_command_values(const command_t *c, const world_o *w, const manager_o *m, double *values) {
  shoal_assert(c->d + (uint32_t)c->value <= w->list_values.count, "values %u … %u are out of range (count %u)", c->d,
               c->d + (uint32_t)c->value, w->list_values.count);
  for (uint32_t i = 0; i < m->columns.column_count; ++i)
    values[i] = m->columns.initial[i];
  for (uint32_t i = 0; i < (uint32_t)c->value; ++i)
    values[w->list_values.items[c->d + i].column] = w->list_values.items[c->d + i].value;
}

// Writes the given values to entities that already have the component.
static void write_to_existing_rows(const world_o *w, const command_t *c, manager_o *m) {
  for (uint32_t i = 0; c->value > 0 && m->count > 0 && i < c->c; ++i) {
    uint32_t row = manager_find_instance_row(m, w->lists.items[c->b + i], 0);
    for (uint32_t k = 0; row != ROW_NONE && k < (uint32_t)c->value; ++k) {
      list_value_t v = w->list_values.items[c->d + k];
      columns_set(&m->columns, row, (uint32_t)v.column, v.value);
    }
  }
}

// Marks the given values as overridden, since they do not come from a template.
static void mark_overridden(const world_o *w, const command_t *c, manager_o *m) {
  for (uint32_t i = 0; w->tracks_touched && i < c->c; ++i) {
    uint32_t row = manager_find_instance_row(m, w->lists.items[c->b + i], 0);
    for (uint32_t k = 0; row != ROW_NONE && k < (uint32_t)c->value; ++k)
      columns_mark_touched(&m->columns, (uint32_t)w->list_values.items[c->d + k].column, row, 1);
  }
}

static uint32_t remove_dead_and_duplicates(world_o *w, shoal_entity *entities, uint32_t count) {
  count = structure_mark_unmarked(w, entities, count, MARK_LISTED);
  structure_set_marks(w, entities, count, MARK_LISTED, false);
  return count;
}

static void apply_to_each_entity(world_o *w, const command_t *c, manager_o *m, const shoal_entity *entities,
                                 uint32_t count, const double *values) {
  for (uint32_t i = 0; i < count; ++i)
    if (c->kind == COMMAND_ADD_MANY)
      structure_add_component(w, entities[i], m, 0, values);
    else
      structure_remove_component(w, entities[i], m, 0);
}

// Returns true if a command's list may be modified in place while the command runs: no hook can queue another command,
// which could move the list, and nothing reads the list afterwards.
static bool can_modify_list(const world_o *w, const manager_o *m) {
  return !m->hooks.added && !m->hooks.removing && !w->has_pending_added && !w->tracks_touched && !world_has_disabled(w);
}

static shoal_entity *copy_entity_list(world_o *w, const command_t *c) {
  array_reserve(&w->allocator, &w->entity_scratch, c->c);
  return memcpy(w->entity_scratch.items, w->lists.items + c->b, c->c * sizeof *w->entity_scratch.items);
}

void command_batch_run(world_o *w, const command_t *c) {
  shoal_assert(c->b + c->c <= w->lists.count, "entity list range [%u, %u) is out of range (count %u)", c->b,
               c->b + c->c, w->lists.count);
  manager_o *m = world_manager(w, c->a);
  w->spare_use_count++;
  double values[SCHEMA_MAX_FIELDS] = {0};
  if (c->kind == COMMAND_ADD_MANY) {
    write_to_existing_rows(w, c, m);
    read_command_values(c, w, m, values);
  }
  shoal_entity *entities = can_modify_list(w, m) ? w->lists.items + c->b : copy_entity_list(w, c);
  uint32_t count = c->c;
  if (w->lists_deaths != w->entities.deaths)
    count = remove_dead_and_duplicates(w, entities, count);
  if (m->schema.kind != SCHEMA_COMPONENT)
    apply_to_each_entity(w, c, m, entities, count, values);
  else if (c->kind == COMMAND_ADD_MANY)
    structure_add_component_to_many(w, m, entities, count, values);
  else
    structure_remove_component_from_many(w, m, entities, count);
  if (c->kind == COMMAND_ADD_MANY)
    mark_overridden(w, c, m);
}

// Returns true if all changes of `a` may be applied before the changes of `b`. The components must be different, must
// have neither an `added` nor a `removing` hook, and must neither require components nor be required. No query may use
// both.
static bool are_independent(const world_o *w, const manager_o *a, const manager_o *b) {
  if (a == b || requirements_apply_to(w, a) || requirements_apply_to(w, b) || a->hooks.added || a->hooks.removing ||
      b->hooks.added || b->hooks.removing)
    return false;
  for (uint32_t i = 0; i < a->query_count; ++i)
    for (uint32_t k = 0; k < a->queries[i].query->term_count; ++k)
      if (a->queries[i].query->terms[k].manager == b)
        return false;
  return true;
}

// Returns true if the list is strictly ascending, and therefore free of duplicates.
static bool is_ascending(const shoal_entity *list, uint32_t count) {
  uint32_t misordered = 0;
  for (uint32_t i = 1; i < count; ++i)
    misordered |= list[i - 1] >= list[i];
  return misordered == 0;
}

// Applies one of the alternating commands to every `step`-th entity from `first` on, except dead entities and
// duplicates.
static void run_alternating(world_o *w, const command_t *c, uint32_t first, uint32_t step) {
  manager_o *m = world_manager(w, alternate_manager(c, first));
  const shoal_entity *list = w->lists.items + c->b + first;
  uint32_t count = (c->c - first + step - 1) / step;
  w->spare_use_count++;
  array_reserve(&w->allocator, &w->entity_scratch, count);
  shoal_entity *entities = w->entity_scratch.items;
  for (uint32_t i = 0; i < count; ++i)
    entities[i] = list[(size_t)i * step];
  if (w->lists_deaths != w->entities.deaths || !is_ascending(entities, count))
    count = remove_dead_and_duplicates(w, entities, count);
  if (alternate_kind(c, first) == COMMAND_ADD)
    structure_add_component_to_many(w, m, entities, count, NULL);
  else
    structure_remove_component_from_many(w, m, entities, count);
}

void command_batch_run_alternating(world_o *w, const command_t *c) {
  shoal_assert(c->b + c->c <= w->lists.count, "entity list range [%u, %u) is out of range (count %u)", c->b,
               c->b + c->c, w->lists.count);
  uint32_t period = c->d != 0 ? 2 : 1;
  if (c->c >= period * MIN_BATCH &&
      (period == 1 || are_independent(w, world_manager(w, c->a), world_manager(w, c->d)))) {
    for (uint32_t first = 0; first < period; ++first)
      run_alternating(w, c, first, period);
    return;
  }
  for (uint32_t i = 0; i < c->c; ++i) {
    shoal_entity e = w->lists.items[c->b + i];
    if (!is_living(w, e))
      continue;
    if (alternate_kind(c, i) == COMMAND_ADD)
      structure_add_component(w, e, world_manager(w, alternate_manager(c, i)), 0, NULL);
    else
      structure_remove_component(w, e, world_manager(w, alternate_manager(c, i)), 0);
  }
}

// --- queueing

static bool is_single_entity_command(const world_o *w, const command_t *c) {
  return (c->kind == COMMAND_ADD || c->kind == COMMAND_REMOVE) &&
         w->managers.items[c->a - 1]->schema.kind == SCHEMA_COMPONENT;
}

// Merges the last `period` (1 or 2) commands into a command that can be extended.
static void merge_last_commands(world_o *w, uint32_t period) {
  command_t *c = w->commands.items + w->commands.count - period, first = c[0], second = c[period - 1];
  *c = (command_t){.kind = COMMAND_ALTERNATE, .e = first.kind, .a = first.a, .b = w->lists.count, .c = period};
  array_push(&w->allocator, &w->lists, first.e);
  if (period == 2) {
    c->e |= second.kind << 8;
    c->d = second.a;
    array_push(&w->allocator, &w->lists, second.e);
  } else if (first.kind == COMMAND_DESTROY) {
    c->kind = COMMAND_DESTROY_MANY;
    c->e = 0;
  }
  w->commands.count -= period - 1;
}

// Returns the number of trailing commands of this system that may still be merged: nothing refers to their indices.
uint32_t command_count_mergeable(const world_o *w) {
  uint32_t count = w->commands.count, from = w->merge_barrier > w->spawn_run.end ? w->merge_barrier : w->spawn_run.end;
  uint32_t frame = w->frames.count > 0 ? w->frames.items[w->frames.count - 1].first_command : count;
  from = from > w->queued_adds_indexed ? from : w->queued_adds_indexed;
  from = from > frame ? from : frame;
  return count > from ? count - from : 0;
}

static bool can_merge(const world_o *w, const command_t *last, command_kind_t kind, uint32_t a) {
  if (last->b + last->c != w->lists.count)
    return false;
  if (kind == COMMAND_DESTROY)
    return last->kind == COMMAND_DESTROY_MANY && last->a == a;
  return last->kind == COMMAND_ALTERNATE && alternate_kind(last, last->c) == kind &&
         alternate_manager(last, last->c) == a;
}

static uint32_t command_lane_code(const command_t *c, uint32_t i) {
  return c->kind == COMMAND_ALTERNATE ? lane_code(alternate_kind(c, i), alternate_manager(c, i))
                                      : lane_code(COMMAND_DESTROY, 0);
}

world_lane_t *world_command_lane(world_o *w) {
  w->lane.lists = &w->lists;
  return &w->lane;
}

void command_batch_push(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t instance) {
  command_t command = {.kind = kind, .e = e, .a = a, .b = instance};
  uint32_t mergeable =
      kind == COMMAND_DESTROY || is_single_entity_command(w, &command) ? command_count_mergeable(w) : 0;
  command_t *last = mergeable > 0 ? w->commands.items + w->commands.count - 1 : NULL;
  if (last && last->kind == kind && last->a == a)
    merge_last_commands(w, 1);
  else if (mergeable > 1 && last[-1].kind == kind && last[-1].a == a && is_single_entity_command(w, last) &&
           is_single_entity_command(w, &command))
    merge_last_commands(w, 2), --last;
  if (!last || !can_merge(w, last, kind, a)) {
    command_push_values(w, kind, e, a, instance);
    return;
  }
  array_push(&w->allocator, &w->lists, e);
  ++last->c;
  w->lane = (world_lane_t){command_lane_code(last, last->c), command_lane_code(last, last->c + 1), &last->c, &w->lists};
}
