// Staged spawns of many entities from one template: their ids exist, their rows wait in columns of their own until the block
// is committed and applied.
#include "base/assert.h"
#include "ecs/world_internal.h"

#include <string.h>

block_t *block_find(world_o *w, uint32_t number) {
  for (uint32_t i = w->blocks.count; i-- > 0;)
    if (w->blocks.items[i]->number == number)
      return w->blocks.items[i];
  return NULL;
}

static void stage_columns(world_o *w, block_t *b) {
  assemblage_t *a = assemblage_get(w, b->assemblage);
  for (uint32_t i = 0; a && i < a->plan.count; i++) {
    const part_t *p = &a->plan.items[i];
    const columns_t *target = &world_manager(w, p->manager)->columns;
    block_part_t part = {.manager = p->manager, .instance = p->instance};
    columns_init(&part.columns, target->schema, target->initial, &w->allocator);
    columns_append_values(&part.columns, b->count, p->values);
    array_push(&w->allocator, &b->parts, part);
  }
}

static void mark_staged(world_o *w, const block_t *b, bool on) {
  for (uint32_t i = 0; i < b->count; i++)
    structure_mark(w, b->entities[i], MARK_STAGED, on);
  for (uint32_t i = 0; i < b->descendants.count; i++)
    structure_mark(w, b->descendants.items[i].e, MARK_STAGED, on);
}

uint32_t world_block_begin(world_o *w, uint32_t assemblage, uint32_t count, error_t *error) {
  uint64_t wanted = count;
  if (assemblage != 0) {
    if (!assemblage_get(w, assemblage))
      return error_set(error, "there is no assemblage number %u", assemblage);
    if (!assemblage_plan(w, assemblage, error))
      return 0;
    wanted *= assemblage_get(w, assemblage)->tree_size;
  }
  if (!command_room(w, wanted, error))
    return 0;
  block_t *b = alloc_resize(&w->allocator, NULL, 0, sizeof *b);
  memset(b, 0, sizeof *b);
  if (++w->next_block == 0)
    w->next_block = 1;
  b->number = w->next_block;
  b->assemblage = assemblage;
  b->count = count;
  b->depth = w->frames.count;
  b->entities = alloc_resize(&w->allocator, NULL, 0, count * sizeof *b->entities);
  for (uint32_t i = 0; i < count; i++)
    b->entities[i] = structure_create(w, assemblage);
  for (uint32_t i = 0; i < count; i++)
    command_spawn_children(w, b->entities[i], assemblage, &b->descendants);
  stage_columns(w, b);
  mark_staged(w, b, true);
  array_push(&w->allocator, &w->blocks, b);
  return b->number;
}

shoal_entity *world_block_entities(world_o *w, uint32_t block) {
  block_t *b = block_find(w, block);
  return b ? b->entities : NULL;
}

columns_t *world_block_columns(world_o *w, uint32_t block, uint32_t manager, uint32_t instance) {
  block_t *b = block_find(w, block);
  for (uint32_t i = 0; b && i < b->parts.count; i++)
    if (b->parts.items[i].manager == manager && b->parts.items[i].instance == instance)
      return &b->parts.items[i].columns;
  return NULL;
}

void world_block_commit(world_o *w, uint32_t block) {
  block_t *b = block_find(w, block);
  shoal_assert(b && !b->committed, "block %u is not open", block);
  if (!b || b->committed)
    return;
  b->committed = true;
  mark_staged(w, b, false);
  command_push(w, (command_t){.kind = COMMAND_BLOCK, .a = block});
  if (!world_is_deferring(w))
    command_apply(w);
}

void block_free(world_o *w, block_t *b) {
  allocator_t *a = &w->allocator;
  for (uint32_t i = 0; i < b->parts.count; i++)
    columns_fini(&b->parts.items[i].columns);
  array_free(a, &b->parts);
  array_free(a, &b->descendants);
  alloc_resize(a, b->entities, b->count * sizeof *b->entities, 0);
  uint32_t at = 0;
  while (w->blocks.items[at] != b)
    at++;
  memmove(&w->blocks.items[at], &w->blocks.items[at + 1], (w->blocks.count - at - 1) * sizeof *w->blocks.items);
  w->blocks.count--;
  alloc_resize(a, b, sizeof *b, 0);
}

void block_drop(world_o *w, block_t *b, uint32_t by) {
  for (uint32_t i = 0; i < b->count; i++)
    structure_free(w, b->entities[i], by);
  for (uint32_t i = 0; i < b->descendants.count; i++)
    structure_free(w, b->descendants.items[i].e, by);
  block_free(w, b);
}

void world_block_abort(world_o *w, uint32_t block) {
  block_t *b = block_find(w, block);
  if (b && !b->committed)
    block_drop(w, b, command_by(w));
}

void block_drop_deeper(world_o *w, uint32_t depth, uint32_t by) {
  for (uint32_t i = 0; i < w->blocks.count;)
    if (w->blocks.items[i]->depth >= depth)
      block_drop(w, w->blocks.items[i], by);
    else
      i++;
}

// What was begun inside a frame that has ended belongs to the frame around it.
void block_lift(world_o *w, uint32_t depth) {
  for (uint32_t i = 0; i < w->blocks.count; i++)
    if (w->blocks.items[i]->depth > depth)
      w->blocks.items[i]->depth = depth;
}

// An entity of the block that was destroyed before the block applied would get rows that nobody removes: the block is then
// spawned without it, one by one.
static void spawn_survivors(world_o *w, block_t *b) {
  assemblage_t *a = assemblage_get(w, b->assemblage);
  for (uint32_t i = 0; a && i < b->count; i++) {
    if (!world_alive(w, b->entities[i]))
      continue;
    structure_spawn(w, b->assemblage, &b->entities[i], 1, NULL);
    for (uint32_t k = 0; k < b->parts.count; k++) {
      manager_o *m = world_manager(w, b->parts.items[k].manager);
      uint32_t row = manager_instance_row(m, b->entities[i], b->parts.items[k].instance);
      columns_copy_row(&m->columns, row, &b->parts.items[k].columns, i);
    }
  }
}

void block_apply(world_o *w, uint32_t number) {
  block_t *b = block_find(w, number);
  bool all = true;
  for (uint32_t i = 0; i < b->count; i++)
    all &= world_alive(w, b->entities[i]);
  if (all)
    structure_spawn(w, b->assemblage, b->entities, b->count, b);
  else
    spawn_survivors(w, b);
  for (uint32_t i = 0; i < b->descendants.count; i++)
    if (world_alive(w, b->descendants.items[i].e))
      command_run_spawn(w, &b->descendants.items[i]);
  block_free(w, b);
}
