// Installs a state in a world. state_build.c has already checked everything that can fail; install_state and all
// functions that it calls cannot fail.
#include "ecs/last_values.h"
#include "ecs/command_apply.h"
#include "snapshot/state.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/event_deaths.h"
#include "ecs/event_internal.h"
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/query_observer.h"
#include "ecs/queued_adds.h"
#include "ecs/ranges.h"
#include "ecs/spawn_batch.h"
#include "snapshot/state_build.h"
#include "snapshot/state_systems.h"

#include <string.h>

// --- strings and entities

// Converts a string id of a declaration from the old string table to the new string table.
static uint32_t map_string(state_build_t *b, uint32_t id) {
  const char *text = strings_text(b->w->strings, id);
  return strings_intern_bytes(b->v->strings, text, strings_length(b->w->strings, id));
}

// Replaces the string ids in `values` with ids of the snapshot's string table. Returns true if an id has changed.
static bool map_values(state_build_t *b, const schema_t *s, double *values) {
  bool changed = false;
  for (uint32_t i = 0; i < s->field_count; ++i)
    if (field_is_text(&s->fields[i])) {
      uint32_t old = (uint32_t)values[i], id = map_string(b, old);
      values[i] = id;
      changed |= id != old;
    }
  return changed;
}

static void map_template(state_build_t *b, assemblage_t *a, template_t *t) {
  t->state = map_string(b, t->state);
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    part_t *p = &t->parts.items[i];
    p->instance = map_string(b, p->instance);
    p->retained_instance = map_string(b, p->retained_instance);
    if (map_values(b, &world_manager(b->w, p->manager)->schema, p->values))
      assemblage_expire_plan(b->w, a);
  }
}

static void install_strings(state_build_t *b) {
  world_o *w = b->w;
  for (uint32_t i = 0; i < w->managers.count; ++i)
    map_values(b, &w->managers.items[i]->schema, w->managers.items[i]->columns.initial);
  for (uint32_t i = 0; i < w->events.count; ++i) {
    live_event_t *ev = w->events.items[i];
    map_values(b, &ev->shared.schema, ev->shared.columns.initial);
    map_values(b, &ev->shared.schema, ev->staged.initial);
    map_values(b, &ev->shared.schema, ev->new_rows.initial);
  }
  for (uint32_t i = 0; i < w->assemblages.count; ++i) {
    assemblage_t *a = &w->assemblages.items[i];
    a->name = map_string(b, a->name);
    for (uint32_t k = 0; k < a->templates.count; ++k)
      map_template(b, a, &a->templates.items[k]);
    for (uint32_t k = 0; k < a->children.count; ++k)
      a->children.items[k].name = map_string(b, a->children.items[k].name);
  }
  shoal_assert(b->v->strings, "the strings are already installed");
  strings_replace(w->strings, b->v->strings);
  b->v->strings = NULL;
}

static void count_entities_by_assemblage(world_o *w, uint32_t text_count) {
  array_reserve(&w->allocator, &w->assemblage_alive_counts, text_count);
  w->assemblage_alive_counts.count = text_count;
  memset(w->assemblage_alive_counts.items, 0, text_count * sizeof *w->assemblage_alive_counts.items);
  for (uint32_t i = 0; i < w->entities.used; ++i)
    if (w->entities.alive[i] && w->entities.assemblage[i] != 0)
      w->assemblage_alive_counts.items[w->entities.assemblage[i]]++;
}

static void install_entities(state_build_t *b) {
  const snapshot_info_t *f = b->v->info;
  entities_t *s = &b->w->entities;
  uint32_t used = f->entities_used;
  entities_reset(s, used, f->free_capacity);
  memcpy(s->generation, b->v->generation, used * sizeof *s->generation);
  memcpy(s->alive, b->v->alive, used * sizeof *s->alive);
  memcpy(s->assemblage, b->v->assemblage, used * sizeof *s->assemblage);
  memcpy(s->state, b->v->state, used * sizeof *s->state);
  sparse_load(s->died_tick, sparse_page_count(s->capacity), b->v->died_tick, used, s->allocator);
  sparse_load(s->died_by, sparse_page_count(s->capacity), b->v->died_by, used, s->allocator);
  memcpy(s->free_ring, b->v->free_ring, f->free_capacity * sizeof *s->free_ring);
  s->alive_count = f->alive_count;
  s->free_first = f->free_first;
  s->free_count = f->free_count;
}

// --- rows

static built_rows_t *find_built_rows(const state_build_t *b, const manager_o *m) {
  uint32_t count = b->v->component_count;
  for (uint32_t k = 0; k < count; ++k) {
    // Component ids usually match, so start the search at the same id.
    built_rows_t *rows = &b->managers[(m->id - 1 + k) % count];
    if (rows->manager == m)
      return rows;
  }
  return NULL; // the component was declared after the state was saved
}

static void install_managers(state_build_t *b) {
  world_o *w = b->w;
  w->removal = 0; // increased again while last rows and watchers are installed
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    manager_o *m = w->managers.items[i];
    built_rows_t *rows = find_built_rows(b, m);
    if (!rows) {
      manager_clear(m);
      last_values_load(m, 0, NULL, NULL, NULL, NULL);
      continue;
    }
    const state_rows_t *saved = rows->source;
    shoal_assert(m->schema.kind == rows->kind, "the rows of %s must be of the component's kind", m->schema.name);
    manager_load_rows(m, rows->count, rows->owner, saved->instance, saved->next, saved->columns, saved->marks,
                      rows->pages, rows->page_count);
    last_values_load(m, saved->last_count, saved->last_owner, saved->last_instance, saved->last_removal,
                     saved->last_columns);
    rows->pages = NULL;
    rows->page_count = 0;
  }
  for (uint32_t i = 0; i < w->pending_added.count; ++i) {
    w->pending_added.items[i].first = ROW_NONE;
    w->pending_added.items[i].entities.count = 0;
  }
  w->has_pending_added = false;
}

static void install_events(state_build_t *b) {
  world_o *w = b->w;
  for (uint32_t i = 0; i < w->events.count; ++i) {
    live_event_t *ev = w->events.items[i];
    event_close(&ev->shared);
    columns_clear(&ev->shared.columns);
    columns_clear(&ev->staged);
    ev->shared.first = ev->shared.tick_start = 0;
  }
  for (uint32_t i = 0; i < b->v->event_count; ++i) {
    const state_event_t *event = &b->v->events[i];
    if (!event->event)
      continue;
    columns_load(&event->event->shared.columns, b->v->event_rows[i].columns, event->info->count);
    columns_load(&event->event->staged, event->staged, event->info->staged_count);
    event->event->shared.first = event->info->first;
    event->event->shared.tick_start = event->info->tick_start;
  }
  event_expire_tickets(w);
}

// --- queries, watchers, readers

// Installs the queries of the state. Queries that the state lacks stay asleep until they are requested or opened, and
// are then populated like new queries.
static void install_queries(state_build_t *b) {
  for (uint32_t i = 0; i < b->v->query_count; ++i) {
    built_query_t *built = &b->queries[i];
    if (b->v->queries[i].dropped)
      continue;
    shoal_assert(!built->query || ((live_query_t *)built->query)->asleep, "the query is already in the world");
    if (!built->query)
      built->query = query_create(b->w, &built->desc);
    query_load(built->query, &built->data);
  }
}

// Puts all queries to sleep, and moves the contents of unchanged queries to their `data`.
static void remove_queries(state_build_t *b) {
  for (uint32_t i = 0; i < b->v->query_count; ++i)
    if (b->queries[i].is_unchanged)
      query_take_content(b->queries[i].query, &b->queries[i].data);
  while (b->w->queries.count > 0)
    query_sleep(b->w->queries.items[b->w->queries.count - 1]);
}

static void install_watchers(state_build_t *b) {
  world_o *w = b->w;
  query_observer_free_all(w);
  for (uint32_t i = 0; i < b->v->watcher_count; ++i) {
    const state_watcher_t *saved = &b->v->watchers[i];
    query_o *q = b->queries[saved->header->query].query;
    watcher_t watcher = {.system = saved->header->system, .query = q};
    watcher.keeps_last_rows = query_observer_keeps_last_rows(w, watcher.system);
    if (b->v->queries[saved->header->query].dropped)
      continue;
    for (uint32_t k = 0, leave_index = 0; k < saved->count; ++k) {
      const snapshot_watched_t *pending = &saved->pending[k];
      query_watch_t entry = {.entity = pending->entity, .entered = pending->entered != 0};
      if (!entry.entered && saved->leaves)
        entry.assemblage = saved->leaves[leave_index].assemblage, entry.state = saved->leaves[leave_index].state,
        entry.removal = saved->leaves[leave_index].removal;
      leave_index += !entry.entered;
      if (!entry.entered && watcher.keeps_last_rows && is_living(w, entry.entity))
        w->entities.marks[shoal_entity_index(entry.entity)] |= MARK_LEFT, w->has_last_rows = true;
      w->removal = entry.removal > w->removal ? entry.removal : w->removal;
      array_push(b->a, &watcher.pending, entry);
      if (entry.entered)
        *index_slot(&watcher.pages, &watcher.page_count, entry.entity, b->a) = watcher.pending.count;
    }
    array_push(b->a, &w->watchers, watcher);
    live_query_t *live = (live_query_t *)q;
    array_push(b->a, &live->watchers, w->watchers.count);
  }
}

// Converts the events in an entity's `count` records to this world's events. Returns the bits of the events in `group`.
static uint64_t map_event_bits(const state_build_t *b, const event_death_t *deaths, uint32_t count, uint32_t group) {
  uint64_t mapped = 0;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t bit = 0; bit < EVENT_DEATHS_GROUP; ++bit) {
      uint32_t number = deaths[i].group * EVENT_DEATHS_GROUP + bit;
      const live_event_t *event =
          deaths[i].events >> bit & 1 && number < b->v->event_count ? b->v->events[number].event : NULL;
      if (event && (event->shared.id - 1) / EVENT_DEATHS_GROUP == group)
        mapped |= UINT64_C(1) << (event->shared.id - 1) % EVENT_DEATHS_GROUP;
    }
  return mapped;
}

// Converts an entity's `count` records to this world's event numbers: writes a record for each group that has events,
// but at least one record. Returns the number of records written.
static uint32_t map_deaths(const state_build_t *b, const event_death_t *deaths, uint32_t count, uint32_t groups,
                           event_death_t *out) {
  uint32_t written = 0;
  out[0] = deaths[0];
  // written even if none of the events exists in this world, because `removal` is still needed
  out[0].group = 0, out[0].events = 0;
  for (uint32_t group = 0; group < groups; ++group) {
    uint64_t events = map_event_bits(b, deaths, count, group);
    if (!events)
      continue;
    out[written] = deaths[0];
    out[written].group = group, out[written++].events = events;
  }
  return written > 0 ? written : 1;
}

static void install_event_deaths(state_build_t *b) {
  const event_death_t *saved = b->v->event_deaths;
  uint32_t count = b->v->event_death_count, record_count = 0;
  uint32_t groups = (b->w->events.count + EVENT_DEATHS_GROUP - 1) / EVENT_DEATHS_GROUP;
  event_death_t *deaths = state_alloc(b->v, ((size_t)count * (groups + 1)) * sizeof *deaths);
  for (uint32_t i = 0, group_size; i < count; i += group_size) {
    for (group_size = 1; i + group_size < count && saved[i + group_size].entity == saved[i].entity;)
      group_size++;
    record_count += map_deaths(b, &saved[i], group_size, groups, &deaths[record_count]);
  }
  event_deaths_load(b->w, deaths, record_count);
}

static void install_readers(state_build_t *b) {
  world_o *w = b->w;
  w->readers.count = 0;
  for (uint32_t i = 0; i < b->v->reader_count; ++i) {
    const snapshot_reader_t *saved = &b->v->readers[i];
    const live_event_t *ev = b->v->events[saved->event].event;
    reader_t reader = {.reader = saved->reader, .event = ev ? ev->shared.id : 0, .next = saved->next};
    if (ev)
      array_push(b->a, &w->readers, reader);
  }
}

// --- the queue

static void install_block(state_build_t *b, const built_block_t *built) {
  const state_block_t *saved = built->source;
  shoal_assert(built->queued, "no command spawns block %u", saved->header->number);
  spawn_batch_t *batch = alloc_resize(b->a, NULL, 0, sizeof *batch);
  *batch = (spawn_batch_t){.number = saved->header->number,
                           .assemblage = built->assemblage,
                           .count = saved->header->count,
                           .committed = true};
  for (uint32_t i = 0; i < batch->count; ++i)
    array_push(b->a, &batch->entities, saved->entities[i]);
  for (uint32_t i = 0; i < saved->child_count; ++i)
    array_push(b->a, &batch->descendants, built->children[i]);
  for (uint32_t i = 0; i < saved->header->part_count; ++i) {
    const manager_o *m = b->managers[saved->parts[i].manager].manager;
    spawn_batch_part_t part = {
        .manager = m->id, .instance = saved->parts[i].instance, .staged = saved->parts[i].staged};
    if (part.staged) {
      columns_init(&part.columns, &m->schema, m->columns.initial, b->a);
      columns_load(&part.columns, saved->columns[i], batch->count);
    }
    array_push(b->a, &batch->parts, part);
  }
  array_push(b->a, &b->w->blocks, batch);
}

static void install_queue(state_build_t *b) {
  world_o *w = b->w;
  const state_view_t *v = b->v;
  while (w->blocks.count > 0)
    spawn_batch_free(w, w->blocks.items[w->blocks.count - 1]);
  spawn_batch_free_spares(w, NULL); // spare columns contain default values with string ids of the old table
  for (uint32_t i = 0; i < v->block_count; ++i)
    install_block(b, &b->blocks[i]);
  w->next_block = v->info->next_block;
  w->commands.count = 0;
  for (uint32_t i = 0; i < v->command_count; ++i)
    array_push(b->a, &w->commands, b->commands[i]);
  w->lists.count = w->list_values.count = 0;
  w->lists_deaths = w->entities.deaths - 1; // differs from `deaths`, so that the lists are checked for dead entities
  for (uint32_t i = 0; i < v->list_count; ++i)
    array_push(b->a, &w->lists, v->lists[i]);
  for (uint32_t i = 0; i < v->list_value_count; ++i)
    array_push(b->a, &w->list_values, v->list_values[i]);
  for (uint32_t i = 0; i < w->commands.count; ++i) {
    command_mark_doomed(w, &w->commands.items[i], true);
    command_mark_queued(w, &w->commands.items[i]);
  }
  queued_adds_clear(w);
  w->destroy_batch.count = 0;
}

// --- the whole state

static void install_storage(state_build_t *b) {
  for (uint32_t i = 0; i < b->w->managers.count; ++i) {
    manager_o *m = b->w->managers.items[i];
    const built_rows_t *rows = find_built_rows(b, m);
    if (rows && rows->source->storage)
      manager_load_storage(m, rows->source->storage_version, rows->source->storage, rows->source->storage_bytes);
    else
      manager_load_storage(m, 0, NULL, 0);
  }
}

static void install_state(state_build_t *b, bool keep_marks) {
  world_o *w = b->w;
  shoal_assert(b->v->resolved_world == w, "the state was resolved for a different world");
  w->tick = b->v->info->tick;
  w->tick_rate = b->v->info->tick_rate;
  memcpy(w->in_random_stream ? w->world_stream.s : w->random.s, b->v->info->random, sizeof w->random.s);
  install_strings(b);
  install_entities(b);
  remove_queries(b);
  install_managers(b);
  install_events(b);
  install_queries(b);
  install_watchers(b);
  install_event_deaths(b);
  install_readers(b);
  install_queue(b);
  if (w->content)
    w->content->finish_restore(w, w->tracks_touched && !b->v->info->tracked && !keep_marks);
  count_entities_by_assemblage(w, strings_count(w->strings));
  query_forget_inspections(w);
  install_storage(b);
  ++w->plan_version;
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    manager_o *m = w->managers.items[i];
    if (m->hooks.restored)
      m->hooks.restored(m->hooks.context, w, m);
  }
}

static bool build_and_install(state_view_t *v, world_o *w, bool keep_marks, error_info_t *error) {
  state_build_t b = {.v = v, .w = w, .a = &w->allocator, .error = error};
  if (w->content)
    w->content->begin_restore(w, v);
  bool restored = state_build(&b);
  if (restored)
    install_state(&b, keep_marks);
  else if (w->content)
    w->content->cancel_restore(w);
  state_build_discard(&b);
  return restored;
}

bool state_check(state_view_t *v, world_o *w, error_info_t *error) {
  state_build_t b = {.v = v, .w = w, .a = &w->allocator, .error = error};
  b.defines_assemblages = w->content && !w->content->has_declared(w, v);
  bool restored = state_build(&b);
  state_build_discard(&b);
  return restored;
}

// --- queries and groups of the current code

// A query that the current code has opened.
typedef struct previous_query_t {
  query_o *query;
  bool grouped;
} previous_query_t;

static bool was_group(const previous_query_t *queries, uint32_t count, const query_o *q) {
  for (uint32_t i = 0; i < count; ++i)
    if (queries[i].query == q)
      return queries[i].grouped;
  return false;
}

static bool regroup_queries(world_o *w, const previous_query_t *queries, uint32_t count, bool wake,
                            error_info_t *error) {
  for (uint32_t i = 0; i < count; ++i)
    if ((wake || queries[i].grouped) && ((live_query_t *)queries[i].query)->asleep)
      query_wake(queries[i].query);
  for (uint32_t i = 0; i < w->queries.count; ++i)
    if (!was_group(queries, count, w->queries.items[i]))
      world_ungroup_query(w, w->queries.items[i]);
  for (uint32_t i = 0; i < count; ++i)
    if (queries[i].grouped && !world_group_query(w, queries[i].query, error))
      return false;
  return true;
}

static bool check_can_restore(const world_o *w, error_info_t *error) {
  shoal_assert(!world_is_deferring((world_o *)(uintptr_t)w), "cannot restore a state while the world defers commands");
  for (uint32_t i = 0; i < w->blocks.count; ++i)
    if (!w->blocks.items[i]->committed)
      return error_set(error, "cannot restore a snapshot while the columns of new entities are being filled");
  bool open = false;
  for (uint32_t i = 0; i < w->queries.count; ++i)
    open |= w->queries.items[i]->open > 0;
  for (uint32_t i = 0; i < w->inspections.count; ++i)
    open |= w->inspections.items[i]->open > 0;
  return !open || error_set(error, "cannot restore a snapshot inside a loop over a query");
}

bool state_install(state_view_t *v, world_o *w, const state_install_desc_t *desc, error_info_t *error) {
  shoal_assert(!desc->wake || desc->regroup, "`wake` requires `regroup`");
  uint32_t count = desc->regroup ? w->queries.count : 0;
  previous_query_t *queries = state_alloc(v, count * sizeof *queries);
  for (uint32_t i = 0; i < count; ++i)
    queries[i] = (previous_query_t){w->queries.items[i], w->queries.items[i]->grouped};
  state_systems_t systems = desc->regroup ? state_systems_collect(v, w) : (state_systems_t){0};
  if (!check_can_restore(w, error) || !build_and_install(v, w, desc->keep_marks, error) ||
      (count > 0 && !regroup_queries(w, queries, count, desc->wake, error)))
    return false;
  if (desc->regroup)
    state_systems_resume(v, w, &systems);
  world_clamp_all(w, desc->log_line, desc->log_context);
  return true;
}

// --- checking and restoring

bool snapshot_check(const snapshot_o *s, world_o *w, error_info_t *error) {
  state_view_t *v = state_open(s, &w->allocator, error);
  bool restored = v && state_check(v, w, error);
  state_close(v);
  return restored;
}

static bool restore_state(const snapshot_o *s, world_o *w, error_info_t *error) {
  state_view_t *v = state_open(s, &w->allocator, error);
  bool restored = v && state_install(v, w, &(state_install_desc_t){0}, error);
  state_close(v);
  return restored;
}

// --- values of the machine

#define MAX_MACHINE_VALUES 64u

typedef struct machine_value_t {
  uint32_t manager, column;
  double value;
} machine_value_t;

static uint32_t collect_machine_values(world_o *w, machine_value_t *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    const manager_o *m = w->managers.items[i];
    for (uint32_t k = 0; m->schema.kind == SCHEMA_SINGLE && m->count > 0 && k < m->schema.field_count; ++k)
      if (m->schema.fields[k].flags & FIELD_OF_MACHINE && count < MAX_MACHINE_VALUES)
        out[count++] = (machine_value_t){.manager = i, .column = k, .value = columns_get(&m->columns, 0, k)};
  }
  return count;
}

static void restore_machine_values(world_o *w, const machine_value_t *values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    manager_o *m = w->managers.items[values[i].manager];
    if (m->count > 0)
      columns_set(&m->columns, 0, values[i].column, values[i].value);
  }
}

bool snapshot_restore(const snapshot_o *s, world_o *w, error_info_t *error) {
  machine_value_t values[MAX_MACHINE_VALUES];
  uint32_t count = collect_machine_values(w, values);
  if (!restore_state(s, w, error))
    return false;
  restore_machine_values(w, values, count);
  return true;
}

static void restore_snapshot(void *context, world_o *w) {
  error_info_t error;
  if (!snapshot_restore(context, w, &error))
    log_error(w->log, "world.restore: %s", error.text);
}

static void release_snapshot(void *context) {
  snapshot_release(context);
}

void snapshot_restore_later(snapshot_o *s, world_o *w) {
  shoal_assert(snapshot_size(s) > 0, "cannot restore an empty snapshot");
  snapshot_retain(s);
  world_set_after_tick_task(w, &(world_task_t){.run = restore_snapshot, .drop = release_snapshot, .context = s});
}
