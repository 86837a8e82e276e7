// Life cycle of a world: creation, properties, the end of a tick, and sweeping of unused strings.
#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/event_deaths.h"
#include "ecs/event_internal.h"
#include "ecs/index.h"
#include "ecs/last_values.h"
#include "ecs/manager_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_observer.h"
#include "ecs/queued_entities.h"
#include "ecs/relation_internal.h"
#include "ecs/requirements.h"
#include "ecs/spawn_batch.h"
#include "ecs/world_internal.h"

#include <stdatomic.h>
#include <stdlib.h>

#define MIN_PAGES 256u        // minimum number of index pages that the entities of a world fill before pages are shared
#define PAGES_PER_TICK 16u    // number of page numbers processed per tick; equal pages of one number are shared
#define MAX_DISTINCT_PAGES 8u // maximum number of distinct pages to compare with, per page number
#define SPARE_TICKS 64u       // number of ticks without bulk changes after which spare memory is released
#define LONG_LIST 16384u      // maximum capacity of a kept list, in entries; longer lists are released

world_o *world_create(const world_desc_t *desc) {
  static atomic_uint_least64_t last_number; // worlds are created on several threads
  world_o *w = alloc_object(sizeof *w);
  w->number = atomic_fetch_add(&last_number, 1) + 1;
  w->log = desc->log;
  w->jobs = desc->jobs;
  world_set_tick_rate(w, desc->tick_rate);
  w->plan_version = 1;
  random_seed(&w->random, desc->seed);
  entities_init(&w->entities, &w->allocator);
  w->strings = strings_create(&w->allocator);
  return w;
}

static void free_arrays(world_o *w) {
  allocator_t *a = &w->allocator;
  array_free(a, &w->managers);
  hash_table_free(&w->manager_names, a);
  array_free(a, &w->events);
  array_free(a, &w->layers);
  array_free(a, &w->stored_schemas);
  array_free(a, &w->stored_schema_ends);
  array_free(a, &w->renames);
  array_free(a, &w->system_renames);
  array_free(a, &w->removed_components);
  array_free(a, &w->assemblage_alive_counts);
  array_free(a, &w->plan_managers);
  array_free(a, &w->queries);
  array_free(a, &w->sleeping);
  array_free(a, &w->inspections);
  array_free(a, &w->readers);
  array_free(a, &w->render_readers);
  array_free(a, &w->commands);
  array_free(a, &w->frames);
  array_free(a, &w->lists);
  array_free(a, &w->list_values);
  array_free(a, &w->blocks);
  array_free(a, &w->spare_blocks);
  array_free(a, &w->spare_columns);
  for (uint32_t i = 0; i < w->pending_added.count; ++i)
    array_free(a, &w->pending_added.items[i].entities);
  array_free(a, &w->pending_added);
  array_free(a, &w->destroy_batch);
  array_free(a, &w->dying_names);
  array_free(a, &w->hook_entities);
  array_free(a, &w->last_row_systems);
  array_free(a, &w->ranges.reported);
  array_free(a, &w->entity_scratch);
  array_free(a, &w->matching);
  array_free(a, &w->added_rows);
  array_free(a, &w->identity_map);
  alloc_resize(a, w->queued_adds.entries, w->queued_adds.capacity * sizeof *w->queued_adds.entries, 0);
}

static void drop_pending_task(world_o *w) {
  world_task_t task = w->after_tick_task;
  w->after_tick_task = (world_task_t){0};
  if (task.drop)
    task.drop(task.context);
}

void world_destroy(world_o *w) {
  if (!w)
    return;
  while (w->blocks.count > 0)
    spawn_batch_free(w, w->blocks.items[w->blocks.count - 1]);
  spawn_batch_free_spares(w, NULL);
  query_observer_free_all(w);
  event_deaths_free(w);
  drop_pending_task(w);
  queued_entities_free(w);
  if (w->content)
    w->content->destroy(w);
  if (w->relation)
    relation_fini(w);
  for (uint32_t i = 0; i < w->queries.count; ++i)
    query_destroy(w->queries.items[i]);
  for (uint32_t i = 0; i < w->sleeping.count; ++i)
    query_destroy(w->sleeping.items[i]);
  for (uint32_t i = 0; i < w->inspections.count; ++i)
    query_destroy(w->inspections.items[i]);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    manager_destroy(w->managers.items[i]);
  requirements_free(w);
  for (uint32_t i = 0; i < w->events.count; ++i)
    event_destroy(w, w->events.items[i]);
  assemblage_free_all(w);
  free_arrays(w);
  entities_fini(&w->entities);
  strings_destroy(w->strings);
  shoal_assert(w->allocator.bytes == 0 && w->allocator.blocks == 0, "the world leaked %zu bytes in %llu blocks",
               w->allocator.bytes, (unsigned long long)w->allocator.blocks);
  free(w);
}

// --- properties

void world_track_touched_fields(world_o *w, bool enabled) {
  w->tracks_touched = enabled;
  spawn_batch_free_spares(w, NULL);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    manager_set_mark_tracking(w->managers.items[i], enabled);
}

// --- the end of a tick

static void mark_strings(strings_o *s, const uint32_t *ids, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    strings_mark(s, ids[i]);
}

static void mark_column_strings(strings_o *s, const columns_t *c) {
  for (uint32_t i = 0; i < c->column_count; ++i) {
    if (!field_is_text(&c->schema->fields[i]))
      continue;
    strings_mark(s, (uint32_t)c->initial[i]);
    mark_strings(s, c->data[i], c->count);
  }
}

static void mark_manager_strings(world_o *w) {
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    manager_o *m = w->managers.items[i];
    mark_column_strings(w->strings, &m->columns);
    if (m->schema.kind == SCHEMA_MANY)
      mark_strings(w->strings, m->instance, m->count);
    if (m->last_values) {
      mark_column_strings(w->strings, &m->last_values->columns);
      mark_strings(w->strings, m->last_values->instance.items, m->last_values->instance.count);
    }
  }
}

static void mark_template_strings(world_o *w, const template_t *t) {
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    const part_t *p = &t->parts.items[i];
    const columns_t *c = &world_manager(w, p->manager)->columns;
    strings_mark(w->strings, p->instance);
    for (uint32_t k = 0; k < p->value_count; ++k)
      if (field_is_text(&c->schema->fields[k]))
        strings_mark(w->strings, (uint32_t)p->values[k]);
  }
}

static void mark_assemblage_strings(world_o *w) {
  for (uint32_t i = 0; i < w->assemblages.count; ++i) {
    const assemblage_t *a = &w->assemblages.items[i];
    strings_mark(w->strings, a->name);
    for (uint32_t k = 0; k < a->children.count; ++k)
      strings_mark(w->strings, a->children.items[k].name);
    for (uint32_t k = 0; k < a->templates.count; ++k) {
      strings_mark(w->strings, a->templates.items[k].state);
      mark_template_strings(w, &a->templates.items[k]);
    }
  }
}

// Marks strings in staged columns. Nothing is deferred at the end of a tick, so open blocks are the only staged data.
static void mark_staged_strings(world_o *w) {
  for (uint32_t i = 0; i < w->blocks.count; ++i) {
    const spawn_batch_t *b = w->blocks.items[i];
    for (uint32_t k = 0; k < b->parts.count; ++k) {
      strings_mark(w->strings, b->parts.items[k].instance);
      if (b->parts.items[k].staged)
        mark_column_strings(w->strings, &b->parts.items[k].columns);
    }
    for (uint32_t k = 0; k < b->descendants.count; ++k)
      strings_mark(w->strings, b->descendants.items[k].c);
  }
}

static void sweep_strings(world_o *w) {
  strings_unmark_all(w->strings);
  mark_manager_strings(w);
  mark_assemblage_strings(w);
  mark_staged_strings(w);
  for (uint32_t i = 0; i < w->events.count; ++i)
    mark_column_strings(w->strings, &w->events.items[i]->shared.columns);
  mark_strings(w->strings, w->entities.assemblage, w->entities.used);
  mark_strings(w->strings, w->entities.state, w->entities.used);
  for (uint32_t i = 0; i < sparse_page_count(w->entities.used); ++i)
    if (w->entities.died_by[i])
      mark_strings(w->strings, w->entities.died_by[i], PAGE_NUMBERS);
  for (uint32_t i = 0; i < w->watchers.count; ++i) {
    const watcher_t *watcher = &w->watchers.items[i];
    strings_mark(w->strings, watcher->system);
    for (uint32_t k = 0; k < watcher->pending.count; ++k)
      strings_mark(w->strings, watcher->pending.items[k].assemblage),
          strings_mark(w->strings, watcher->pending.items[k].state);
  }
  for (uint32_t i = 0; i < w->event_deaths.deaths.count; ++i)
    strings_mark(w->strings, w->event_deaths.deaths.items[i].state);
  for (uint32_t i = 0; i < w->readers.count; ++i)
    strings_mark(w->strings, w->readers.items[i].reader);
  strings_sweep(w->strings);
}

#define RELEASE_LONG(array)                                                                                            \
  do {                                                                                                                 \
    if ((array)->capacity > LONG_LIST)                                                                                 \
      array_free(&w->allocator, array);                                                                                \
  } while (0)

// Releases memory of bulk changes that has been unused for SPARE_TICKS. Does nothing while commands are queued, as
// after restoring a state from the middle of a tick.
static void release_spare_memory(world_o *w) {
  if (w->commands.count > 0 || w->lists.count > 0)
    return;
  w->spare_idle_ticks = w->spare_use_count > 0 ? 0 : w->spare_idle_ticks + 1;
  w->spare_use_count = 0;
  if (w->spare_idle_ticks != SPARE_TICKS)
    return;
  spawn_batch_free_spares(w, NULL);
  RELEASE_LONG(&w->commands);
  RELEASE_LONG(&w->lists);
  RELEASE_LONG(&w->destroy_batch);
  RELEASE_LONG(&w->hook_entities);
  RELEASE_LONG(&w->entity_scratch);
  RELEASE_LONG(&w->matching);
  RELEASE_LONG(&w->added_rows);
  for (uint32_t i = 0; i < w->pending_added.count; ++i)
    RELEASE_LONG(&w->pending_added.items[i].entities);
}

static void drop_open_blocks(world_o *w) {
  for (uint32_t i = 0; i < w->blocks.count;)
    if (w->blocks.items[i]->committed)
      i++;
    else
      spawn_batch_drop(w, w->blocks.items[i], 0);
}

static void close_query(query_o *q) {
  while (q->open > 0)
    query_close(q);
}

void world_reset_after_interrupt(world_o *w) {
  shoal_assert(!w->applying, "cannot release code while commands are being applied");
  for (uint32_t i = 0; i < w->queries.count; ++i)
    close_query(w->queries.items[i]);
  for (uint32_t i = 0; i < w->inspections.count; ++i)
    close_query(w->inspections.items[i]);
  for (uint32_t i = 0; i < w->events.count; ++i) {
    event_close(&w->events.items[i]->shared);
    columns_clear(&w->events.items[i]->new_rows);
  }
  while (w->frames.count > 0)
    world_defer_end(w, true);
  drop_open_blocks(w);
  if (w->content)
    w->content->drop_deeper(w, 0);
  drop_pending_task(w);
  world_set_actor(w, 0);
}

void world_set_after_tick_task(world_o *w, const world_task_t *task) {
  drop_pending_task(w);
  w->after_tick_task = *task;
}

static void run_pending_task(world_o *w) {
  world_task_t task = w->after_tick_task;
  w->after_tick_task = (world_task_t){0};
  if (task.run)
    task.run(task.context, w);
  if (task.drop)
    task.drop(task.context);
}

// --- sharing index pages

static void share_page(world_o *w, uint32_t **page, uint32_t **distinct, uint32_t *count) {
  for (uint32_t i = 0; i < *count; ++i)
    if (index_try_share_page(page, distinct[i], &w->allocator))
      return;
  if (*count < MAX_DISTINCT_PAGES)
    distinct[(*count)++] = *page;
}

static void share_pages_of_number(world_o *w, uint32_t page) {
  uint32_t *distinct[MAX_DISTINCT_PAGES], count = 0;
  for (uint32_t i = 0; i < w->managers.count; ++i)
    if (page < w->managers.items[i]->page_count && w->managers.items[i]->pages[page])
      share_page(w, &w->managers.items[i]->pages[page], distinct, &count);
  for (uint32_t i = 0; i < w->queries.count; ++i) {
    live_query_t *q = (live_query_t *)w->queries.items[i];
    if (page < q->page_count && q->pages[page])
      share_page(w, &q->pages[page], distinct, &count);
  }
}

void world_share_pages(world_o *w, uint32_t min_pages) {
  uint32_t page_count = (w->entities.used - 1) / INDEX_PAGE + 1;
  for (uint32_t i = 0; i < PAGES_PER_TICK && i < page_count && page_count >= min_pages; ++i)
    share_pages_of_number(w, w->next_shared_page++ % page_count);
}

void world_end_tick(world_o *w) {
  shoal_assert(!world_is_deferring(w), "a tick ended while commands were still deferred");
  event_end_tick(w);
  event_deaths_end_tick(w);
  if (w->relation)
    changes_end_tick(w->relation);
  release_spare_memory(w);
  last_values_end_tick(w);
  world_share_pages(w, MIN_PAGES);
  w->tick++;
  if (strings_needs_sweep(w->strings))
    sweep_strings(w);
  run_pending_task(w);
}
