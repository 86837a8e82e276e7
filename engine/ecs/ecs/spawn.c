// Spawns single entities, trees of entities, many entities with staged columns, and single entities with values.
// Consecutive spawns of one assemblage are merged into one block (spawn_batch.h).
#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/command_apply.h"
#include "ecs/event_internal.h"
#include "ecs/queued_adds.h"
#include "ecs/spawn_batch.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

#include <string.h>

#define MAX_SINGLE_SPAWNS 4u // number of consecutive spawns above which a block is faster

// Returns the number of entities that a spawn creates, or 0 with an error.
static uint32_t measure_tree(world_o *w, uint32_t assemblage, error_info_t *error) {
  const assemblage_t *a = assemblage_get(w, assemblage);
  if (assemblage == 0)
    return 1;
  if (!a)
    error_set(error, "unknown assemblage number %u", assemblage);
  else if (a->plan_version == w->plan_version || assemblage_update_plan(w, assemblage, error))
    return a->tree_size;
  return 0;
}

static bool check_capacity(world_o *w, uint32_t assemblage, uint32_t count, error_info_t *error) {
  uint64_t entity_count = measure_tree(w, assemblage, error);
  return entity_count != 0 && structure_check_capacity(w, entity_count * count, error);
}

// Spawns an entity without children as one change: it isn't queued first, because nothing is deferred.
static shoal_entity spawn_immediately(world_o *w, uint32_t assemblage) {
  w->applying = true;
  shoal_entity e = structure_spawn_entity(w, assemblage);
  event_expire_tickets(w);
  command_end_single_change(w);
  return e;
}

shoal_entity world_spawn(world_o *w, uint32_t assemblage, error_info_t *error) {
  uint32_t entity_count = measure_tree(w, assemblage, error);
  if (entity_count == 0 || !structure_check_capacity(w, entity_count, error))
    return SHOAL_ENTITY_NONE;
  bool is_deferring = w->frames.count > 0 || w->applying;
  if (entity_count == 1 && w->commands.count == 0 && !is_deferring)
    return spawn_immediately(w, assemblage);
  command_t c = {.kind = COMMAND_SPAWN, .e = structure_create_entity(w, assemblage), .a = assemblage};
  *command_push(w) = c;
  command_spawn_children(w, c.e, assemblage, &w->commands);
  if (!is_deferring)
    command_apply(w);
  return c.e;
}

uint32_t world_spawn_tree(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t max, error_info_t *error) {
  shoal_assert(world_is_deferring(w), "world_spawn_tree must be called while commands are deferred");
  uint32_t first = w->commands.count;
  if (world_spawn(w, assemblage, error) == SHOAL_ENTITY_NONE)
    return 0;
  uint32_t count = w->commands.count - first;
  for (uint32_t i = 0; i < count && i < max; ++i)
    out[i] = w->commands.items[first + i].e;
  return count;
}

// --- spawning many entities

uint32_t world_spawn_block_begin(world_o *w, uint32_t assemblage, uint32_t count, error_info_t *error) {
  if (!check_capacity(w, assemblage, count, error))
    return 0;
  spawn_batch_t *b = spawn_batch_begin(w, assemblage, count, true);
  spawn_batch_set_staged_marks(w, b, true);
  return b->number;
}

// Spawns many entities without children as one change. The state equals the state after a block.
static uint32_t spawn_many_immediately(world_o *w, uint32_t assemblage, uint32_t count, shoal_entity *out) {
  w->applying = true;
  spawn_batch_take_number(w);
  structure_create_entities(w, assemblage, out, count, 0);
  structure_spawn_entities(w, assemblage, out, count, NULL);
  event_expire_tickets(w);
  command_end_single_change(w);
  return count;
}

uint32_t world_spawn_many(world_o *w, uint32_t assemblage, uint32_t count, shoal_entity *out, error_info_t *error) {
  if (count == 1 && !world_is_deferring(w)) { // faster than a block, with the same result
    shoal_entity e = world_spawn(w, assemblage, error);
    if (out && e != SHOAL_ENTITY_NONE)
      *out = e;
    return e != SHOAL_ENTITY_NONE;
  }
  if (!check_capacity(w, assemblage, count, error))
    return 0;
  if (out && w->commands.count == 0 && !world_is_deferring(w) && !assemblage_has_children(w, assemblage))
    return spawn_many_immediately(w, assemblage, count, out);
  spawn_batch_t *b = spawn_batch_begin(w, assemblage, count, world_is_deferring(w));
  if (out && count > 0)
    memcpy(out, b->entities.items, count * sizeof *out);
  world_spawn_block_commit(w, b->number);
  return count;
}

shoal_entity *world_spawn_block_entities(world_o *w, uint32_t block) {
  spawn_batch_t *b = spawn_batch_find(w, block);
  return b ? b->entities.items : NULL;
}

columns_t *world_spawn_block_columns(world_o *w, uint32_t block, uint32_t manager, uint32_t instance) {
  spawn_batch_t *b = spawn_batch_find(w, block);
  for (uint32_t i = 0; b && i < b->parts.count; ++i) {
    spawn_batch_part_t *p = &b->parts.items[i];
    if (p->manager != manager || p->instance != instance)
      continue;
    if (!p->staged)
      spawn_batch_stage_columns(w, b, i);
    return &p->columns;
  }
  return NULL;
}

void world_spawn_block_commit(world_o *w, uint32_t block) {
  spawn_batch_t *b = spawn_batch_find(w, block);
  shoal_assert(b && !b->committed, "block %u is not open", block);
  if (!b || b->committed)
    return;
  b->committed = true;
  if (b->marked)
    spawn_batch_set_staged_marks(w, b, false);
  *command_push(w) = (command_t){.kind = COMMAND_BLOCK, .a = block};
  if (!world_is_deferring(w))
    command_apply(w);
}

void world_spawn_block_abort(world_o *w, uint32_t block) {
  spawn_batch_t *b = spawn_batch_find(w, block);
  if (b && !b->committed)
    spawn_batch_drop(w, b, command_actor(w));
}

// --- spawning single entities

// Returns true if the next spawn can join the current run. Emitted events may be queued in between, because structural
// changes do not depend on them.
static bool can_join_run(const world_o *w, uint32_t assemblage) {
  const spawn_run_t *run = &w->spawn_run;
  return run->end == w->commands.count && run->end > 0 && run->assemblage == assemblage && w->frames.count > 0 &&
         run->depth == w->frames.count && run->first >= w->frames.items[w->frames.count - 1].first_command;
}

// Appends an entity to the block. Its rows must already contain the template's values.
static inline void push_entity(world_o *w, spawn_batch_t *b, shoal_entity e) {
  array_push(&w->allocator, &b->entities, e);
  b->count++;
  for (spawn_batch_part_t *p = b->parts.items, *end = p + b->parts.count; p < end; ++p)
    p->columns.count += p->staged;
  if (w->queued_adds_indexed > w->spawn_run.first)
    queued_adds_record_spawn(w, e, b->assemblage);
}

static bool has_filled_row(const world_o *w, const spawn_batch_t *b) {
  return b->count < b->filled && b->plan_number == assemblage_get(w, b->assemblage)->plan_number;
}

static shoal_entity append_to_block(world_o *w, spawn_batch_t *b) {
  shoal_entity e = structure_create_entity(w, b->assemblage);
  if (!has_filled_row(w, b))
    spawn_batch_fill_ahead(w, b);
  push_entity(w, b, e);
  return e;
}

// Like append_to_block, for the common case: returns the new entity. Returns SHOAL_ENTITY_NONE and changes nothing if
// rows must be filled first, or if entities_create_quickly cannot create the entity.
static inline shoal_entity append_quickly(world_o *w, spawn_batch_t *b) {
  shoal_entity e = has_filled_row(w, b) ? entities_create_quickly(&w->entities, (uint32_t)w->tick, b->properties)
                                        : SHOAL_ENTITY_NONE;
  if (e == SHOAL_ENTITY_NONE)
    return SHOAL_ENTITY_NONE;
  w->assemblage_alive_counts.items[b->properties.assemblage]++; // the block has entities, so the item exists
  push_entity(w, b, e);
  return e;
}

static shoal_entity spawn_in_run(world_o *w, uint32_t assemblage) {
  spawn_run_t *run = &w->spawn_run;
  if (!can_join_run(w, assemblage))
    *run = (spawn_run_t){.assemblage = assemblage, .depth = w->frames.count, .first = w->commands.count};
  run->length++;
  if (!run->batch && run->length > MAX_SINGLE_SPAWNS && assemblage != 0 &&
      !assemblage_get(w, assemblage)->repeats_component) {
    run->batch = spawn_batch_begin(w, assemblage, 0, true);
    run->batch->committed = true;
    run->first = w->commands.count;
    *command_push(w) = (command_t){.kind = COMMAND_BLOCK, .a = run->batch->number};
  }
  if (run->batch)
    return append_to_block(w, run->batch);
  shoal_entity e = structure_create_entity(w, assemblage);
  *command_push(w) = (command_t){.kind = COMMAND_SPAWN, .e = e, .a = assemblage};
  return e;
}

// Returns the index of the component in the plan, or UINT32_MAX if the plan lacks it. Tries the index of the previous
// call first.
static uint32_t find_part(const assemblage_t *a, spawn_field_t *f) {
  for (uint32_t i = 0; a && i <= a->plan.count; ++i) {
    uint32_t index = i == 0 ? f->part : i - 1;
    if (index < a->plan.count && a->plan.items[index].manager == f->manager && a->plan.items[index].instance == 0)
      return f->part = index;
  }
  return UINT32_MAX;
}

static void set_value(world_o *w, shoal_entity e, spawn_batch_t *b, uint32_t part, const spawn_field_t *f,
                      double value) {
  if (b && part != UINT32_MAX) {
    if (!b->parts.items[part].staged)
      spawn_batch_stage_columns(w, b, part);
    columns_set(&b->parts.items[part].columns, b->count - 1, f->column, value);
    return;
  }
  *command_push(w) = (command_t){.kind = COMMAND_SET, .e = e, .a = f->manager, .c = f->column, .value = value};
}

// Returns the block of the current run if the next spawn of the assemblage only appends an entity to it: the run
// continues, the spawn plan is up to date, and the block has columns for all fields. Otherwise, returns NULL.
static inline spawn_batch_t *find_open_block(const world_o *w, uint32_t assemblage, const spawn_field_t *fields,
                                             uint32_t count) {
  spawn_batch_t *b = w->spawn_run.batch;
  if (!b || !can_join_run(w, assemblage) || w->applying ||
      assemblage_get(w, assemblage)->plan_version != w->plan_version)
    return NULL;
  const spawn_batch_part_t *parts = b->parts.items;
  uint32_t part_count = b->parts.count;
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0 && fields[i].part == fields[i - 1].part && fields[i].manager == fields[i - 1].manager)
      continue; // only staged parts have several fields
    const spawn_batch_part_t *p = &parts[fields[i].part];
    if (fields[i].part >= part_count || p->manager != fields[i].manager || p->instance != 0)
      return NULL;
    if (!p->staged && fields[i].column != SPAWN_NO_COLUMN)
      return NULL;
  }
  return b;
}

static void set_last_row(columns_t *c, uint32_t column, double value) {
  bool has_marks = c->stored_count > c->column_count;
  if (has_marks || !columns_try_set_f32(c, c->count - 1, column, value))
    columns_set(c, c->count - 1, column, value);
}

// Implements the general path of world_spawn_with_values.
static shoal_entity spawn_and_set_values(world_o *w, uint32_t assemblage, spawn_field_t *fields, const double *values,
                                         uint32_t count, error_info_t *error) {
  if (!check_capacity(w, assemblage, 1, error))
    return SHOAL_ENTITY_NONE;
  const assemblage_t *a = assemblage_get(w, assemblage);
  bool joins_run = !assemblage_has_children(w, assemblage) && !w->applying;
  shoal_entity e = joins_run ? spawn_in_run(w, assemblage) : world_spawn(w, assemblage, error);
  spawn_batch_t *b = joins_run ? w->spawn_run.batch : NULL;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t part = find_part(a, &fields[i]);
    // A component that the assemblage lacks must be added before the next spawn, so the run of spawns ends here.
    joins_run &= part != UINT32_MAX;
    if (part == UINT32_MAX && (i == 0 || fields[i - 1].manager != fields[i].manager))
      *command_push(w) = (command_t){.kind = COMMAND_ADD, .e = e, .a = fields[i].manager};
    if (fields[i].column != SPAWN_NO_COLUMN)
      set_value(w, e, b, part, &fields[i], values[i]);
  }
  w->spawn_run.end = joins_run ? w->commands.count : 0;
  return e;
}

shoal_entity world_spawn_with_values(world_o *w, uint32_t assemblage, spawn_field_t *fields, const double *values,
                                     uint32_t count, error_info_t *error) {
  shoal_assert(world_is_deferring(w), "world_spawn_with_values must be called while commands are deferred");
  spawn_batch_t *open = find_open_block(w, assemblage, fields, count);
  shoal_entity e = open ? append_quickly(w, open) : SHOAL_ENTITY_NONE;
  if (e == SHOAL_ENTITY_NONE)
    return spawn_and_set_values(w, assemblage, fields, values, count, error);
  spawn_batch_part_t *parts = open->parts.items;
  for (uint32_t i = 0; i < count; ++i)
    if (fields[i].column != SPAWN_NO_COLUMN)
      set_last_row(&parts[fields[i].part].columns, fields[i].column, values[i]);
  w->spawn_run.length++;
  return e;
}
