// Reads entities whose spawn is queued: applies the queued commands to private managers.
//
// Commands for other entities are skipped. Each command is applied once, at the first read after it was queued; the
// queue does not merge later commands with it.
#include "ecs/queued_entities.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/command_queue.h"
#include "ecs/manager_internal.h"
#include "ecs/requirements.h"
#include "ecs/spawn_batch.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

typedef struct entered_state_t {
  shoal_entity e;
  uint32_t state;
} entered_state_t;

struct queued_entities_o {
  world_o *world;
  ARRAY(manager_o *) managers;    // private managers, indexed by id - 1; without hooks, queries and relations
  ARRAY(entered_state_t) entered; // states entered by queued commands, in queue order
  uint32_t applied;               // number of queued commands that have been applied to the private managers
  uint8_t links_written;          // flag of the private managers, used instead of the world's links_written
};

bool world_is_queued(const world_o *w, shoal_entity e) {
  return is_marked(w, e, MARK_QUEUED);
}

bool world_has_queued_spawn(const world_o *w) {
  for (uint32_t i = 0; i < w->commands.count; ++i)
    if (w->commands.items[i].kind == COMMAND_SPAWN || w->commands.items[i].kind == COMMAND_BLOCK)
      return true;
  return false;
}

static bool is_queued_from_assemblage(const world_o *w, shoal_entity e, uint32_t name) {
  return world_is_queued(w, e) && w->entities.assemblage[shoal_entity_index(e)] == name;
}

uint32_t queued_entity_count(world_o *w, uint32_t name) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->commands.count; ++i)
    if (w->commands.items[i].kind == COMMAND_SPAWN)
      count += is_queued_from_assemblage(w, w->commands.items[i].e, name);
  for (uint32_t i = 0; i < w->blocks.count; ++i) {
    const spawn_batch_t *b = w->blocks.items[i];
    for (uint32_t k = 0; k < b->count; ++k)
      count += is_queued_from_assemblage(w, b->entities.items[k], name);
    for (uint32_t k = 0; k < b->descendants.count; ++k)
      count += is_queued_from_assemblage(w, b->descendants.items[k].e, name);
  }
  return count;
}

uint32_t world_assemblage_alive_count(world_o *w, uint32_t name) {
  uint32_t alive = name != 0 && name < w->assemblage_alive_counts.count ? w->assemblage_alive_counts.items[name] : 0;
  return alive > 0 ? alive - queued_entity_count(w, name) : 0;
}

// --- private managers

static queued_entities_o *get_or_create_queued_entities(world_o *w) {
  queued_entities_o *queued = w->queued_entities;
  if (!queued) {
    queued = w->queued_entities = alloc_resize(&w->allocator, NULL, 0, sizeof *queued);
    *queued = (queued_entities_o){.world = w};
  }
  while (queued->managers.count < w->managers.count) {
    const manager_o *source = w->managers.items[queued->managers.count];
    manager_o *m = manager_create(w, source->id, &source->schema);
    m->columns.links = &queued->links_written;
    m->columns.replaced_nan = NULL; // replaced NaNs are reported when the queue is applied
    m->columns.clamped = NULL;
    m->warned_full = true; // the warning is logged when the queue is applied
    array_push(&w->allocator, &queued->managers, m);
  }
  return queued;
}

void queued_entities_clear(world_o *w) {
  queued_entities_o *queued = w->queued_entities;
  if (!queued || queued->applied == 0)
    return;
  queued->applied = queued->entered.count = 0;
  for (uint32_t i = 0; i < queued->managers.count; ++i)
    if (queued->managers.items[i]->count > 0 && queued->managers.items[i]->schema.kind != SCHEMA_SINGLE)
      manager_clear(queued->managers.items[i]);
}

void queued_entities_redeclare(world_o *w, uint32_t manager, const schema_t *schema) {
  queued_entities_o *queued = w->queued_entities;
  if (!queued || manager > queued->managers.count)
    return;
  manager_o *m = queued->managers.items[manager - 1];
  manager_clear(m);
  manager_redeclare(m, schema);
  m->columns.links = &queued->links_written;
  m->columns.replaced_nan = NULL; // replaced NaNs are reported when the queue is applied
  m->columns.clamped = NULL;
}

void queued_entities_free(world_o *w) {
  queued_entities_o *queued = w->queued_entities;
  if (!queued)
    return;
  for (uint32_t i = 0; i < queued->managers.count; ++i)
    manager_destroy(queued->managers.items[i]);
  array_free(&w->allocator, &queued->managers);
  array_free(&w->allocator, &queued->entered);
  w->queued_entities = NULL;
  alloc_resize(&w->allocator, queued, sizeof *queued, 0);
}

// --- applying commands to the private managers

// Returns a shallow copy of the world with the private managers, for functions that change managers. These functions
// must not allocate memory through the copy.
static world_o get_private_world(const queued_entities_o *queued) {
  world_o shadow = *queued->world;
  shadow.managers.items = queued->managers.items;
  shadow.managers.count = shadow.managers.capacity = queued->managers.count;
  shadow.disabled = shadow.disabled ? queued->managers.items[shadow.disabled->id - 1] : NULL;
  shadow.relation = NULL;
  shadow.has_pending_added = shadow.has_last_rows = false;
  return shadow;
}

static void add_template_components(world_o *shadow, uint32_t assemblage, shoal_entity e, const spawn_batch_t *b,
                                    uint32_t row_index) {
  const assemblage_t *a = assemblage_get(shadow, assemblage);
  if (!a || !is_marked(shadow, e, MARK_QUEUED))
    return;
  for (uint32_t i = 0; i < a->plan.count; ++i) {
    const part_t *part = &a->plan.items[i];
    manager_o *m = world_manager(shadow, part->manager);
    uint32_t row = manager_add_rows(m, &e, 1, part->instance, m->count, part->values);
    if (b && b->parts.items[i].staged)
      columns_copy_row(&m->columns, row, &b->parts.items[i].columns, row_index);
    if (m->ranged | m->listed)
      columns_clamp_rows(&m->columns, row, 1);
  }
}

static void apply_spawn(world_o *shadow, const command_t *c) {
  if (c->a != 0) // queries may have been created since the spawn was queued
    assemblage_update_plan(shadow->queued_entities->world, c->a, NULL);
  add_template_components(shadow, c->a, c->e, NULL, 0);
  if (c->b != SHOAL_ENTITY_NONE && is_marked(shadow, c->e, MARK_QUEUED))
    structure_attach_child(shadow, c->e, c->b, c->c);
}

static void apply_block(world_o *shadow, const spawn_batch_t *b) {
  if (b && b->assemblage != 0)
    assemblage_update_plan(shadow->queued_entities->world, b->assemblage, NULL);
  for (uint32_t i = 0; b && i < b->count; ++i)
    add_template_components(shadow, b->assemblage, b->entities.items[i], b, i);
  for (uint32_t i = 0; b && i < b->descendants.count; ++i)
    apply_spawn(shadow, &b->descendants.items[i]);
}

static uint32_t find_state(const world_o *w, shoal_entity e) {
  const queued_entities_o *queued = w->queued_entities;
  for (uint32_t i = queued->entered.count; i-- > 0;)
    if (queued->entered.items[i].e == e)
      return queued->entered.items[i].state;
  return w->entities.state[shoal_entity_index(e)];
}

// Applies the component changes of an entered state to the private managers. The entity's state itself changes when the
// queue is applied.
static void apply_enter_state(world_o *shadow, shoal_entity e, uint32_t state) {
  queued_entities_o *queued = shadow->queued_entities;
  uint32_t *state_slot = &shadow->entities.state[shoal_entity_index(e)], saved_state = *state_slot;
  *state_slot = find_state(shadow, e);
  structure_enter_state(shadow, e, state);
  entered_state_t entered = {e, *state_slot};
  *state_slot = saved_state;
  array_push(&queued->world->allocator, &queued->entered, entered);
}

static void apply_change(world_o *shadow, command_kind_t kind, shoal_entity e, const command_t *c) {
  if (!is_marked(shadow, e, MARK_QUEUED))
    return;
  if (kind == COMMAND_ENTER) {
    apply_enter_state(shadow, e, c->a);
    return;
  }
  manager_o *m = world_manager(shadow, c->a);
  uint32_t row = kind == COMMAND_SET ? manager_find_instance_row(m, e, c->b) : ROW_NONE;
  const requirement_t *requirement = kind == COMMAND_ADD ? requirements_get(shadow, m) : NULL;
  for (uint32_t i = 0; requirement && i < requirement->required.count; ++i)
    structure_add_component(
        shadow, e, world_manager(shadow, requirement->required.items[i]), 0,
        world_manager(shadow->queued_entities->world, requirement->required.items[i])->columns.initial);
  if (kind == COMMAND_ADD)
    structure_add_component(shadow, e, m, c->b, world_manager(shadow->queued_entities->world, c->a)->columns.initial);
  else if (kind == COMMAND_REMOVE)
    structure_remove_component(shadow, e, m, c->b);
  else if (row != ROW_NONE)
    columns_set(&m->columns, row, c->c, c->value);
}

static void apply_alternating(world_o *shadow, const command_t *c) {
  for (uint32_t i = 0; i < c->c; ++i) {
    command_t change = {.a = alternate_manager(c, i)};
    apply_change(shadow, alternate_kind(c, i), shadow->lists.items[c->b + i], &change);
  }
}

static void apply_pairs(world_o *shadow, const command_t *c) {
  for (uint32_t i = 0; i < c->c; i += 3) { // triples of entity, instance and target
    const uint32_t *pair = &shadow->lists.items[c->b + i];
    command_t add = {.a = c->a, .b = pair[1]}, set = {.a = c->a, .b = pair[1], .c = c->d, .value = pair[2]};
    apply_change(shadow, COMMAND_ADD, pair[0], &add);
    apply_change(shadow, COMMAND_SET, pair[0], &set);
  }
}

// Applies a queued command to the private managers. Ignores COMMAND_ADD_MANY and COMMAND_REMOVE_MANY, which list
// entities of queries.
static void apply_command(world_o *shadow, const command_t *c) {
  switch (c->kind) {
  case COMMAND_SPAWN: apply_spawn(shadow, c); break;
  case COMMAND_BLOCK: apply_block(shadow, spawn_batch_find(shadow, c->a)); break;
  case COMMAND_ADD:
  case COMMAND_REMOVE:
  case COMMAND_SET:
  case COMMAND_ENTER: apply_change(shadow, c->kind, c->e, c); break;
  case COMMAND_ALTERNATE: apply_alternating(shadow, c); break;
  case COMMAND_PAIRS: apply_pairs(shadow, c); break;
  default: break;
  }
}

void queued_entities_update(world_o *w) {
  queued_entities_o *queued = get_or_create_queued_entities(w);
  close_command_lane(w);
  if (queued->applied == w->commands.count)
    return;
  world_o shadow = get_private_world(queued);
  uint64_t calls = shadow.allocator.calls;
  for (; queued->applied < w->commands.count; ++queued->applied)
    apply_command(&shadow, &w->commands.items[queued->applied]);
  shoal_assert(shadow.allocator.calls == calls, "memory was allocated through a copy of the world");
  (void)calls;
  w->spawn_run.end = 0; // the applied commands are final
  w->merge_barrier = w->commands.count;
}

// --- reads

manager_o *queued_manager(world_o *w, uint32_t manager) {
  return get_or_create_queued_entities(w)->managers.items[manager - 1];
}

uint32_t queued_row(world_o *w, shoal_entity e, uint32_t manager) {
  queued_entities_update(w);
  return manager != 0 && manager <= w->managers.count ? manager_row(queued_manager(w, manager), e) : ROW_NONE;
}

uint32_t queued_state(world_o *w, shoal_entity e) {
  queued_entities_update(w);
  return find_state(w, e);
}

// Appends the owners of the rows whose parent is e; if `only_queued`, only owners whose spawn is queued. Returns the
// new count.
static uint32_t list_children(const world_o *w, const manager_o *m, shoal_entity e, bool only_queued, shoal_entity *out,
                              uint32_t max, uint32_t count) {
  const shoal_entity *parents = m->data[w->parent_column];
  for (uint32_t row = 0; row < m->count; ++row) {
    if (parents[row] != e || (only_queued && !world_is_queued(w, m->owner[row])))
      continue;
    if (count < max)
      out[count] = m->owner[row];
    ++count;
  }
  return count;
}

uint32_t queued_list_children(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max) {
  if (queued_row(w, e, w->parent_manager) == ROW_NONE)
    return 0;
  uint32_t count = list_children(w, queued_manager(w, w->parent_manager), e, true, out, max, 0);
  return list_children(w, world_manager(w, w->parent_manager), e, false, out, max, count);
}
