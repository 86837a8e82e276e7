// Restoring a snapshot, in two steps. First everything is read, checked and built beside the world (restore_read.c). Then what was
// built takes the place of what was there, and nothing can fail any more.
#include "ecs/index.h"
#include "ecs/manager_internal.h"
#include "ecs/merge.h"
#include "ecs/restore_internal.h"

#include <string.h>

// What was built and not handed to the world.
static void drop(restore_t *r) {
  allocator_t *a = r->a;
  const snapshot_facts_t *f = r->facts;
  strings_destroy(r->strings);
  for (uint32_t i = 0; r->managers && i < f->manager_count; i++)
    index_free(r->managers[i].pages, r->managers[i].page_count, a);
  for (uint32_t i = 0; r->queries && i < f->query_count; i++) {
    query_data_t *x = &r->queries[i].data;
    for (uint32_t k = 0; k < QUERY_MAX_TERMS; k++)
      alloc_resize(a, x->rows[k], x->capacity * sizeof(uint32_t), 0);
    alloc_resize(a, x->entities, x->capacity * sizeof *x->entities, 0);
    alloc_resize(a, x->by_row, x->by_row_capacity * sizeof *x->by_row, 0);
    index_free(x->pages, x->page_count, a);
  }
  for (uint32_t i = 0; r->blocks && i < f->block_count; i++) {
    staged_t *x = &r->blocks[i];
    alloc_resize(a, x->children, x->child_count * sizeof *x->children, 0);
    if (x->columns)
      alloc_resize(a, x->columns, x->head->part_count * sizeof *x->columns, 0);
  }
  alloc_resize(a, r->commands, r->command_count * sizeof *r->commands, 0);
  if (f) {
    alloc_resize(a, r->fresh, r->fresh ? f->entities_used : 0, 0);
    alloc_resize(a, r->managers, r->managers ? f->manager_count * sizeof *r->managers : 0, 0);
    alloc_resize(a, r->events, r->events ? f->event_count * sizeof *r->events : 0, 0);
    alloc_resize(a, r->queries, r->queries ? f->query_count * sizeof *r->queries : 0, 0);
    alloc_resize(a, r->watchers, r->watchers ? f->watcher_count * sizeof *r->watchers : 0, 0);
    alloc_resize(a, r->blocks, r->blocks ? f->block_count * sizeof *r->blocks : 0, 0);
  }
}

// --- into the world: nothing fails from here on

// Ids that belong to what code declared are of the table that goes: each gets the id that its text has in the one that comes.
static uint32_t moved(restore_t *r, uint32_t id) {
  const char *text = strings_text(r->w->strings, id);
  return strings_intern_n(r->strings, text, strings_length(r->w->strings, id));
}

static bool is_text(const schema_t *s, uint32_t column) {
  return s->fields[column].type == FIELD_STRING || s->fields[column].type == FIELD_ASSET;
}

static void move_values(restore_t *r, const schema_t *s, double *values) {
  for (uint32_t i = 0; i < s->field_count; i++)
    if (is_text(s, i))
      values[i] = moved(r, (uint32_t)values[i]);
}

static void move_template(restore_t *r, template_t *t) {
  t->state = moved(r, t->state);
  for (uint32_t i = 0; i < t->parts.count; i++) {
    part_t *p = &t->parts.items[i];
    p->instance = moved(r, p->instance);
    move_values(r, &world_manager(r->w, p->manager)->schema, p->values);
  }
}

static void put_strings(restore_t *r) {
  world_o *w = r->w;
  for (uint32_t i = 0; i < w->managers.count; i++)
    move_values(r, &w->managers.items[i]->schema, w->managers.items[i]->columns.initial);
  for (uint32_t i = 0; i < w->events.count; i++) {
    live_event_t *ev = w->events.items[i];
    move_values(r, &ev->shared.schema, ev->shared.columns.initial);
    move_values(r, &ev->shared.schema, ev->staged.initial);
    move_values(r, &ev->shared.schema, ev->filling.initial);
  }
  for (uint32_t i = 0; i < w->assemblages.count; i++) {
    assemblage_t *a = &w->assemblages.items[i];
    a->name = moved(r, a->name);
    for (uint32_t k = 0; k < a->templates.count; k++)
      move_template(r, &a->templates.items[k]);
    for (uint32_t k = 0; k < a->children.count; k++)
      a->children.items[k].name = moved(r, a->children.items[k].name);
  }
  strings_replace(w->strings, r->strings);
  r->strings = NULL;
}

static void count_assemblages(world_o *w, uint32_t text_count) {
  array_reserve(&w->allocator, &w->alive_by_name, text_count);
  w->alive_by_name.count = text_count;
  memset(w->alive_by_name.items, 0, text_count * sizeof *w->alive_by_name.items);
  for (uint32_t i = 0; i < w->entities.used; i++)
    if (w->entities.alive[i] && w->entities.assemblage[i] != 0)
      w->alive_by_name.items[w->entities.assemblage[i]]++;
}

static void put_entities(restore_t *r) {
  const snapshot_facts_t *f = r->facts;
  entities_t *s = &r->w->entities;
  uint32_t used = f->entities_used;
  entities_reset(s, used, f->free_capacity);
  memcpy(s->generation, r->generation, used * sizeof *s->generation);
  memcpy(s->alive, r->alive, used * sizeof *s->alive);
  memcpy(s->assemblage, r->assemblage, used * sizeof *s->assemblage);
  memcpy(s->state, r->state, used * sizeof *s->state);
  memcpy(s->died_tick, r->died_tick, used * sizeof *s->died_tick);
  memcpy(s->died_by, r->died_by, used * sizeof *s->died_by);
  memcpy(s->free_ring, r->ring, f->free_capacity * sizeof *s->free_ring);
  s->alive_count = f->alive_count;
  s->free_first = f->free_first;
  s->free_count = f->free_count;
  count_assemblages(r->w, r->text_count);
}

static void put_managers(restore_t *r) {
  world_o *w = r->w;
  for (uint32_t i = 0; i < w->managers.count; i++) {
    rows_t *x = NULL;
    for (uint32_t k = 0; k < r->facts->manager_count && !x; k++)
      x = r->managers[(i + k) % r->facts->manager_count].to == w->managers.items[i]
              ? &r->managers[(i + k) % r->facts->manager_count]
              : NULL;
    if (!x) {
      manager_clear(w->managers.items[i]); // declared since
      continue;
    }
    manager_load(x->to, x->count, x->owner, x->instance, x->next, x->columns, x->marks, x->pages, x->page_count);
    x->pages = NULL;
    x->page_count = 0;
  }
  for (uint32_t i = 0; i < w->added.count; i++) {
    w->added.items[i].first = ROW_NONE;
    w->added.items[i].entities.count = 0;
  }
  w->added_waiting = false;
}

static void put_columns(columns_t *c, const void *const *from, uint32_t count) {
  columns_clear(c);
  columns_reserve(c, count);
  c->count = count;
  for (uint32_t i = 0; i < c->column_count && count > 0; i++)
    memcpy(c->data[i], from[i], (size_t)c->element_bytes[i] * count);
}

static void put_events(restore_t *r) {
  world_o *w = r->w;
  for (uint32_t i = 0; i < w->events.count; i++) {
    live_event_t *ev = w->events.items[i];
    event_close(&ev->shared);
    columns_clear(&ev->shared.columns);
    columns_clear(&ev->staged);
    ev->shared.first = ev->shared.tick_start = 0;
  }
  for (uint32_t i = 0; i < r->facts->event_count; i++) {
    const event_rows_t *x = &r->events[i];
    put_columns(&x->to->shared.columns, x->columns, x->facts->count);
    put_columns(&x->to->staged, x->staged, x->facts->staged_count);
    x->to->shared.first = x->facts->first;
    x->to->shared.tick_start = x->facts->tick_start;
  }
  event_forget_tickets(w);
}

// Those that the snapshot does not know sleep until somebody asks for them: they are then as new, as they were at that time.
static void put_queries(restore_t *r) {
  for (uint32_t i = 0; i < r->facts->query_count; i++) {
    query_rows_t *x = &r->queries[i];
    if (!x->to)
      x->to = query_create(r->w, &x->desc);
    query_load(x->to, &x->data);
  }
}

static void put_watchers(restore_t *r) {
  world_o *w = r->w;
  watch_free_all(w);
  for (uint32_t i = 0; i < r->facts->watcher_count; i++) {
    const watched_t *from = &r->watchers[i];
    query_o *q = r->queries[from->head->query].to;
    watcher_t made = {.system = from->head->system, .query = q};
    for (uint32_t k = 0; k < from->count; k++) {
      query_watch_t n = {.entity = from->list[k].entity, .entered = from->list[k].entered};
      array_push(r->a, &made.pending, n);
      if (n.entered)
        *index_slot(&made.pages, &made.page_count, n.entity, r->a) = made.pending.count;
    }
    array_push(r->a, &w->watchers, made);
    live_query_t *l = (live_query_t *)q;
    array_push(r->a, &l->watchers, w->watchers.count);
  }
}

static void put_readers(restore_t *r) {
  world_o *w = r->w;
  w->readers.count = 0;
  for (uint32_t i = 0; i < r->reader_count; i++) {
    const snapshot_reader_t *x = &r->readers[i];
    reader_t made = {.reader = x->reader, .event = r->events[x->event].to->shared.id, .next = x->next};
    array_push(r->a, &w->readers, made);
  }
}

static void put_block(restore_t *r, staged_t *x) {
  world_o *w = r->w;
  block_t *b = alloc_resize(r->a, NULL, 0, sizeof *b);
  *b = (block_t){.number = x->head->number, .assemblage = x->assemblage, .count = x->head->count, .committed = true};
  for (uint32_t i = 0; i < b->count; i++)
    array_push(r->a, &b->entities, x->entities[i]);
  for (uint32_t i = 0; i < x->child_count; i++)
    array_push(r->a, &b->descendants, x->children[i]);
  for (uint32_t i = 0; i < x->head->part_count; i++) {
    manager_o *m = r->managers[x->parts[i].manager].to;
    block_part_t part = {.manager = m->id, .instance = x->parts[i].instance, .staged = x->parts[i].staged};
    if (part.staged) {
      columns_init(&part.columns, &m->schema, m->columns.initial, r->a);
      put_columns(&part.columns, x->columns[i], b->count);
    }
    array_push(r->a, &b->parts, part);
  }
  array_push(r->a, &w->blocks, b);
}

static void put_queue(restore_t *r) {
  world_o *w = r->w;
  while (w->blocks.count > 0)
    block_free(w, w->blocks.items[w->blocks.count - 1]);
  block_forget_spares(w, NULL); // their defaults are ids of the texts that are gone
  for (uint32_t i = 0; i < r->facts->block_count; i++)
    put_block(r, &r->blocks[i]);
  w->next_block = r->facts->next_block;
  w->commands.count = 0;
  for (uint32_t i = 0; i < r->command_count; i++)
    array_push(r->a, &w->commands, r->commands[i]);
  w->lists.count = w->list_values.count = 0;
  for (uint32_t i = 0; i < r->list_count; i++)
    array_push(r->a, &w->lists, r->lists[i]);
  for (uint32_t i = 0; i < r->list_value_count; i++)
    array_push(r->a, &w->list_values, r->list_values[i]);
  pending_clear(w);
  w->batch.count = w->batch_by.count = 0;
  if (w->marks.count > 0)
    memset(w->marks.items, 0, w->marks.count);
}

static void put_storage(restore_t *r) {
  world_o *w = r->w;
  for (uint32_t i = 0; i < w->managers.count; i++) {
    const rows_t *x = NULL;
    for (uint32_t k = 0; k < r->facts->manager_count && !x; k++)
      x = r->managers[k].to == w->managers.items[i] ? &r->managers[k] : NULL;
    if (x && x->storage)
      manager_load_storage(w->managers.items[i], x->storage_version, x->storage, x->storage_bytes);
    else
      manager_load_storage(w->managers.items[i], 0, NULL, 0);
  }
}

static void put_all(restore_t *r) {
  world_o *w = r->w;
  w->tick = r->facts->tick;
  w->tick_rate = r->facts->tick_rate;
  memcpy(w->random.s, r->facts->random, sizeof w->random.s);
  put_strings(r);
  put_entities(r);
  while (w->queries.count > 0)
    query_sleep(w->queries.items[w->queries.count - 1]);
  put_managers(r);
  put_events(r);
  put_queries(r);
  put_watchers(r);
  put_readers(r);
  put_queue(r);
  put_storage(r);
  w->plan_version++;
  if (w->tracks_touched && !r->facts->tracked)
    merge_derive_marks(w, w);
  for (uint32_t i = 0; i < w->managers.count; i++) {
    manager_o *m = w->managers.items[i];
    if (m->hooks.restored)
      m->hooks.restored(m->hooks.context, w, m);
  }
}

bool snapshot_apply(const void *bytes, size_t size, world_o *w, bool only_check, error_t *error) {
  error_t unheard;
  restore_t r = {.w = w, .a = &w->allocator, .error = error ? error : &unheard, .bytes = bytes};
  r.table = snapshot_sections(bytes, size, &r.section_count);
  if (!r.table)
    return error_set(error, "this is no snapshot, or a damaged one");
  snapshot_header_t header;
  memcpy(&header, bytes, sizeof header);
  if (header.format != SNAPSHOT_FORMAT)
    return error_set(error, "the snapshot has format %u, and this version reads %u", header.format, SNAPSHOT_FORMAT);
  for (uint32_t i = 0; i < w->queries.count && !only_check; i++)
    if (w->queries.items[i]->open > 0)
      return error_set(error, "no snapshot can be restored inside a loop over a query");
  bool good = restore_read(&r);
  if (good && !only_check)
    put_all(&r);
  drop(&r);
  return good;
}
