// Blocks of staged spawns (spawn_batch.h). Consecutive single spawns are merged into blocks, too.
#include "ecs/spawn_batch.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/command_queue.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

#include <string.h>

// Minimum and maximum number of rows that are filled with the template's values in one step.
#define MIN_FILLED 64u
#define MAX_FILLED 256u

// Returns the block with this number; NULL if not found. Searches binarily, because block numbers are ascending, and
// then linearly, because the numbers may have wrapped around at 2^32.
static spawn_batch_t *find_listed_block(const world_o *w, uint32_t number) {
  uint32_t first = 0, end = w->blocks.count;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    if (w->blocks.items[middle]->number == number)
      return w->blocks.items[middle];
    if (w->blocks.items[middle]->number < number)
      first = middle + 1;
    else
      end = middle;
  }
  for (uint32_t i = w->blocks.count; i-- > 0;)
    if (w->blocks.items[i]->number == number)
      return w->blocks.items[i];
  return NULL;
}

spawn_batch_t *spawn_batch_find(world_o *w, uint32_t number) {
  spawn_batch_t *b = find_listed_block(w, number);
  return b && !b->applied ? b : NULL;
}

// --- reusing blocks and columns

static spawn_batch_t *reuse_block(world_o *w) {
  w->spare_use_count++;
  if (w->spare_blocks.count > 0)
    return w->spare_blocks.items[--w->spare_blocks.count];
  spawn_batch_t *b = alloc_resize(&w->allocator, NULL, 0, sizeof *b);
  memset(b, 0, sizeof *b);
  return b;
}

static columns_t reuse_columns(world_o *w, const manager_o *m) {
  columns_t c;
  if (m->id < w->spare_columns.count && w->spare_columns.items[m->id].schema) {
    c = w->spare_columns.items[m->id];
    w->spare_columns.items[m->id].schema = NULL;
    columns_clear(&c);
  } else {
    columns_init(&c, m->columns.schema, m->columns.initial, &w->allocator);
    columns_track_changes(&c, w->tracks_touched);
  }
  return c;
}

static void recycle_columns(world_o *w, uint32_t manager, columns_t *c) {
  columns_t empty = {0};
  while (w->spare_columns.count <= manager)
    array_push(&w->allocator, &w->spare_columns, empty);
  columns_t *spare = &w->spare_columns.items[manager];
  if (spare->schema && spare->capacity >= c->capacity) {
    columns_fini(c);
    return;
  }
  if (spare->schema)
    columns_fini(spare);
  *spare = *c;
}

void spawn_batch_free_spares(world_o *w, const manager_o *m) {
  for (uint32_t i = 0; i < w->spare_columns.count; ++i)
    if (w->spare_columns.items[i].schema && (!m || m->id == i))
      columns_fini(&w->spare_columns.items[i]);
  for (; !m && w->spare_blocks.count > 0; --w->spare_blocks.count) {
    spawn_batch_t *b = w->spare_blocks.items[w->spare_blocks.count - 1];
    array_free(&w->allocator, &b->entities);
    array_free(&w->allocator, &b->parts);
    array_free(&w->allocator, &b->descendants);
    alloc_resize(&w->allocator, b, sizeof *b, 0);
  }
}

// --- life cycle

static void list_components(world_o *w, spawn_batch_t *b) {
  assemblage_t *a = assemblage_get(w, b->assemblage);
  for (uint32_t i = 0; a && i < a->plan.count; ++i) {
    spawn_batch_part_t part = {.manager = a->plan.items[i].manager, .instance = a->plan.items[i].instance};
    array_push(&w->allocator, &b->parts, part);
  }
}

void spawn_batch_set_staged_marks(world_o *w, spawn_batch_t *b, bool staged) {
  b->marked = staged;
  structure_set_marks(w, b->entities.items, b->count, MARK_STAGED, staged);
  for (uint32_t i = 0; i < b->descendants.count; ++i)
    structure_set_marks(w, &b->descendants.items[i].e, 1, MARK_STAGED, staged);
}

uint32_t spawn_batch_take_number(world_o *w) {
  if (++w->next_block == 0)
    w->next_block = 1;
  return w->next_block;
}

spawn_batch_t *spawn_batch_begin(world_o *w, uint32_t assemblage, uint32_t count, bool queued) {
  spawn_batch_t *b = reuse_block(w);
  b->number = spawn_batch_take_number(w);
  b->assemblage = assemblage;
  b->count = count;
  b->deaths = w->entities.deaths;
  b->depth = w->frames.count;
  b->marked = b->committed = b->applied = false;
  b->parts.count = b->descendants.count = b->filled = 0;
  array_reserve(&w->allocator, &b->entities, count);
  b->entities.count = count;
  structure_create_entities(w, assemblage, b->entities.items, count, queued ? MARK_QUEUED : 0);
  for (uint32_t i = 0; i < count && assemblage_has_children(w, assemblage); ++i)
    command_spawn_children(w, b->entities.items[i], assemblage, &b->descendants);
  list_components(w, b);
  array_push(&w->allocator, &w->blocks, b);
  return b;
}

void spawn_batch_stage_columns(world_o *w, spawn_batch_t *b, uint32_t i) {
  spawn_batch_part_t *p = &b->parts.items[i];
  p->columns = reuse_columns(w, world_manager(w, p->manager));
  p->staged = true;
  columns_append_values(&p->columns, b->count, assemblage_get(w, b->assemblage)->plan.items[i].values);
  b->filled = b->count;
}

void spawn_batch_fill_ahead(world_o *w, spawn_batch_t *b) {
  const assemblage_t *a = assemblage_get(w, b->assemblage);
  uint32_t count = b->count < MIN_FILLED ? MIN_FILLED : b->count < MAX_FILLED ? b->count : MAX_FILLED;
  for (uint32_t i = 0; i < b->parts.count; ++i) {
    columns_t *c = &b->parts.items[i].columns;
    if (!b->parts.items[i].staged)
      continue;
    columns_reserve(c, b->count + count);
    columns_fill_rows(c, b->count, count, a->plan.items[i].values);
  }
  array_reserve(&w->allocator, &b->entities, b->count + count);
  b->properties = structure_initial_properties(a, MARK_QUEUED);
  b->filled = b->count + count;
  b->plan_number = a->plan_number;
}

static void release_columns(world_o *w, spawn_batch_t *b) {
  for (uint32_t i = 0; i < b->parts.count; ++i)
    if (b->parts.items[i].staged)
      recycle_columns(w, b->parts.items[i].manager, &b->parts.items[i].columns);
  b->parts.count = 0;
}

void spawn_batch_free(world_o *w, spawn_batch_t *b) {
  shoal_assert(spawn_batch_find(w, b->number) == b, "block %u belongs to a different world", b->number);
  release_columns(w, b);
  uint32_t index = 0;
  while (w->blocks.items[index] != b)
    index++;
  memmove(&w->blocks.items[index], &w->blocks.items[index + 1],
          (w->blocks.count - index - 1) * sizeof *w->blocks.items);
  w->blocks.count--;
  array_push(&w->allocator, &w->spare_blocks, b);
}

void spawn_batch_free_applied(world_o *w) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < w->blocks.count; ++i) {
    spawn_batch_t *b = w->blocks.items[i];
    if (b->applied)
      array_push(&w->allocator, &w->spare_blocks, b);
    else
      w->blocks.items[kept++] = b;
  }
  w->blocks.count = kept;
}

void spawn_batch_drop(world_o *w, spawn_batch_t *b, uint32_t destroyer) {
  for (uint32_t i = 0; i < b->count; ++i)
    structure_free_entity(w, b->entities.items[i], destroyer);
  for (uint32_t i = 0; i < b->descendants.count; ++i)
    structure_free_entity(w, b->descendants.items[i].e, destroyer);
  spawn_batch_free(w, b);
}

void spawn_batch_drop_deeper(world_o *w, uint32_t depth, uint32_t destroyer) {
  for (uint32_t i = 0; i < w->blocks.count;)
    if (w->blocks.items[i]->depth >= depth)
      spawn_batch_drop(w, w->blocks.items[i], destroyer);
    else
      i++;
}

// Moves blocks begun inside an ended frame to the enclosing frame.
void spawn_batch_move_to_outer(world_o *w, uint32_t depth) {
  for (uint32_t i = 0; i < w->blocks.count; ++i)
    if (w->blocks.items[i]->depth > depth)
      w->blocks.items[i]->depth = depth;
}

// Spawns the block's entities one by one. Skips entities that were destroyed before the block was applied, because
// their rows would never be removed.
static void spawn_living_entities(world_o *w, spawn_batch_t *b) {
  for (uint32_t i = 0; i < b->count; ++i) {
    if (!is_living(w, b->entities.items[i]))
      continue;
    structure_spawn_entities(w, b->assemblage, &b->entities.items[i], 1, NULL);
    for (uint32_t k = 0; k < b->parts.count; ++k) {
      manager_o *m = world_manager(w, b->parts.items[k].manager);
      if (!b->parts.items[k].staged)
        continue;
      uint32_t row = manager_find_instance_row(m, b->entities.items[i], b->parts.items[k].instance);
      columns_copy_row(&m->columns, row, &b->parts.items[k].columns, i);
      if (m->ranged | m->listed)
        columns_clamp_rows(&m->columns, row, 1);
    }
  }
}

static void spawn_descendant(world_o *w, const command_t *c) {
  structure_spawn_child(w, c->e, c->a, c->b, c->c);
}

void spawn_batch_apply(world_o *w, uint32_t number) {
  spawn_batch_t *b = spawn_batch_find(w, number);
  shoal_assert(b && b->committed, "cannot apply block %u: it was not committed", number);
  bool all_alive = true;
  for (uint32_t i = 0; i < b->count && b->deaths != w->entities.deaths; ++i)
    all_alive &= is_living(w, b->entities.items[i]);
  if (all_alive)
    structure_spawn_entities(w, b->assemblage, b->entities.items, b->count, b);
  else
    spawn_living_entities(w, b);
  for (uint32_t i = 0; i < b->descendants.count; ++i)
    if (is_living(w, b->descendants.items[i].e))
      spawn_descendant(w, &b->descendants.items[i]);
  release_columns(w, b);
  b->applied = true;
  b->depth = b->count = 0; // the block no longer belongs to a frame
}
