// Applies or drops queued commands in order. Changes that hooks request meanwhile are appended to the queue.
#include "ecs/command_apply.h"

#include "base/assert.h"
#include "ecs/command_batch.h"
#include "ecs/command_pairs.h"
#include "ecs/destroy_batch.h"
#include "ecs/event_internal.h"
#include "ecs/manager_internal.h"
#include "ecs/queued_adds.h"
#include "ecs/spawn_batch.h"
#include "ecs/state_batch.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

static double estimate_command_work(world_o *w, const command_t *c) {
  switch (c->kind) {
  case COMMAND_BLOCK: return spawn_batch_find(w, c->a)->count;
  case COMMAND_EMIT:
  case COMMAND_ADD_MANY:
  case COMMAND_REMOVE_MANY:
  case COMMAND_ALTERNATE:
  case COMMAND_DESTROY_MANY: return c->c;
  case COMMAND_PAIRS: return command_pairs_count(c);
  default: return 1;
  }
}

double world_estimate_command_work(world_o *w, uint32_t first) {
  double work = 0;
  for (uint32_t i = first; i < w->commands.count; ++i)
    work += estimate_command_work(w, &w->commands.items[i]);
  w->spawn_run.end = 0;
  w->merge_barrier = w->commands.count;
  close_command_lane(w);
  return work;
}

// --- applying a single command

static void run_set_field(world_o *w, const command_t *c) {
  manager_o *m = world_manager(w, c->a);
  uint32_t row = c->e == SHOAL_ENTITY_NONE ? 0 : manager_find_instance_row(m, c->e, c->b);
  if (row != ROW_NONE)
    structure_write_field(w, m, row, c->c, c->value);
}

static void run_command(world_o *w, const command_t *c) {
  switch (c->kind) {
  case COMMAND_BLOCK: spawn_batch_apply(w, c->a); return;
  case COMMAND_ADD_MANY:
  case COMMAND_REMOVE_MANY: command_batch_run(w, c); return;
  case COMMAND_ALTERNATE: command_batch_run_alternating(w, c); return;
  case COMMAND_PAIRS: command_pairs_run(w, c); return;
  case COMMAND_EMIT: event_apply_staged(w, c->a, c->b, c->c); return;
  default: break;
  }
  bool writes_singleton = c->kind == COMMAND_SET && c->e == SHOAL_ENTITY_NONE;
  if (!writes_singleton && !is_living(w, c->e))
    return; // destroyed by an earlier command
  switch (c->kind) {
  case COMMAND_SPAWN: structure_spawn_child(w, c->e, c->a, c->b, c->c); break;
  case COMMAND_ADD: structure_add_component(w, c->e, world_manager(w, c->a), c->b, NULL); break;
  case COMMAND_REMOVE: structure_remove_component(w, c->e, world_manager(w, c->a), c->b); break;
  case COMMAND_SET: run_set_field(w, c); break;
  default: shoal_assert(false, "unknown command kind %u", c->kind); break;
  }
}

// --- applying the queue

static bool is_destroy_command(const command_t *c) {
  return c->kind == COMMAND_DESTROY || c->kind == COMMAND_DESTROY_MANY;
}

static uint32_t run_destroys(world_o *w, uint32_t i) {
  for (; i < w->commands.count && is_destroy_command(&w->commands.items[i]); ++i)
    if (w->commands.items[i].kind == COMMAND_DESTROY)
      structure_add_to_destroy_batch(w, &w->commands.items[i].e, 1, w->commands.items[i].a);
    else
      structure_add_to_destroy_batch(w, w->lists.items + w->commands.items[i].b, w->commands.items[i].c,
                                     w->commands.items[i].a);
  destroy_batch_run(w);
  return i;
}

static void clear_queue(world_o *w) {
  w->commands.count = w->lists.count = w->list_values.count = 0;
  w->lists_deaths = w->entities.deaths;
  event_expire_tickets(w);
  queued_adds_clear(w);
  spawn_batch_free_applied(w);
  for (uint32_t i = 0; i < w->events.count; ++i)
    columns_clear(&w->events.items[i]->staged);
}

void command_apply(world_o *w) {
  shoal_assert(w->frames.count == 0, "cannot apply commands while they are deferred");
  uint32_t i = 0;
  w->applying = true;
  do {
    while (i < w->commands.count) {
      command_t c = w->commands.items[i]; // a copy, because hooks may extend the queue
      if (is_destroy_command(&c)) {
        i = run_destroys(w, i);
      } else if (c.kind == COMMAND_ENTER) {
        i += state_batch_run(w, i);
      } else {
        ++i;
        run_command(w, &c);
      }
    }
    structure_flush_added_rows(w);
  } while (i < w->commands.count);
  clear_queue(w);
  shoal_assert(w->frames.count == 0, "a hook began deferring commands but did not end it");
  w->applying = false;
}

void command_end_single_change(world_o *w) {
  if (w->has_pending_added)
    structure_flush_added_rows(w);
  w->applying = false;
  if (w->commands.count > 0)
    command_apply(w);
}

// --- dropping

void command_mark_doomed(world_o *w, const command_t *c, bool doomed) {
  if (c->kind != COMMAND_DESTROY && c->kind != COMMAND_DESTROY_MANY)
    return;
  const shoal_entity *list = c->kind == COMMAND_DESTROY ? &c->e : w->lists.items + c->b;
  uint32_t count = c->kind == COMMAND_DESTROY ? 1 : c->c;
  for (uint32_t i = 0; i < count; ++i)
    if (is_living(w, list[i]))
      structure_set_marks(w, &list[i], 1, MARK_DOOMED, doomed);
}

static void mark_queued(world_o *w, shoal_entity e) {
  if (is_living(w, e))
    structure_set_marks(w, &e, 1, MARK_QUEUED, true);
}

void command_mark_queued(world_o *w, const command_t *c) {
  const spawn_batch_t *b = c->kind == COMMAND_BLOCK ? spawn_batch_find(w, c->a) : NULL;
  if (c->kind == COMMAND_SPAWN)
    mark_queued(w, c->e);
  for (uint32_t i = 0; b && i < b->count; ++i)
    mark_queued(w, b->entities.items[i]);
  for (uint32_t i = 0; b && i < b->descendants.count; ++i)
    mark_queued(w, b->descendants.items[i].e);
}

// Releases ids in the order in which they were allocated. The following loops run backwards so that staged events and
// lists are removed from the end of their arrays.
void command_drop_queued(world_o *w, uint32_t first, uint32_t destroyer) {
  shoal_assert(first <= w->commands.count, "%u commands are queued, expected at least %u", w->commands.count, first);
  for (uint32_t i = first; i < w->commands.count; ++i) {
    const command_t *c = &w->commands.items[i];
    if (c->kind == COMMAND_SPAWN)
      structure_free_entity(w, c->e, destroyer);
    else if (c->kind == COMMAND_BLOCK)
      spawn_batch_drop(w, spawn_batch_find(w, c->a), destroyer);
    command_mark_doomed(w, c, false);
  }
  for (uint32_t i = w->commands.count; i-- > first;)
    if (w->commands.items[i].kind == COMMAND_EMIT)
      w->events.items[w->commands.items[i].a - 1]->staged.count = w->commands.items[i].b;
  for (uint32_t i = w->commands.count; i-- > first;) {
    const command_t *c = &w->commands.items[i];
    if (c->kind >= COMMAND_DESTROY_MANY)
      w->lists.count = c->b;
    if (c->kind == COMMAND_ADD_MANY)
      w->list_values.count = c->d;
  }
  w->commands.count = first;
  event_expire_tickets(w);
  queued_adds_clear(w);
}
