// Event rows: staged by commands, committed at a sync point, and removed once every reader has had a tick to read them.
#include "base/assert.h"
#include "base/hash.h"
#include "ecs/command_queue.h"
#include "ecs/event_internal.h"
#include "ecs/registry.h"
#include "ecs/world_internal.h"

// --- life cycle

static void init_columns(world_o *w, live_event_t *ev) {
  double initial[SCHEMA_MAX_FIELDS] = {0};
  event_o *e = &ev->shared;
  uint32_t field_count = e->schema.field_count;
  get_declared_defaults(w, &e->schema, initial);
  columns_init(&e->columns, &e->schema, initial, &w->allocator);
  columns_init(&ev->staged, &e->schema, initial, &w->allocator);
  columns_init(&ev->new_rows, &e->schema, initial, &w->allocator);
  e->views = alloc_resize(&w->allocator, NULL, 0, field_count * sizeof *e->views);
  for (uint32_t i = 0; i < field_count; ++i)
    e->views[i] = (column_view_t){0};
  e->cancelled = schema_find_field(&e->schema, "cancelled");
  if (e->cancelled >= 0 && e->schema.fields[e->cancelled].type != FIELD_BOOL)
    e->cancelled = -1;
}

static void fini_columns(world_o *w, live_event_t *ev) {
  event_o *e = &ev->shared;
  alloc_resize(&w->allocator, e->views, e->columns.column_count * sizeof *e->views, 0);
  columns_fini(&e->columns);
  columns_fini(&ev->staged);
  columns_fini(&ev->new_rows);
}

live_event_t *event_create(world_o *w, uint32_t id, const schema_t *schema) {
  live_event_t *ev = alloc_resize(&w->allocator, NULL, 0, sizeof *ev);
  *ev = (live_event_t){.shared.id = id};
  schema_copy(&ev->shared.schema, schema, &w->allocator);
  init_columns(w, ev);
  return ev;
}

void event_destroy(world_o *w, live_event_t *ev) {
  fini_columns(w, ev);
  alloc_resize(&w->allocator, ev->shared.rows, ev->shared.rows_capacity * sizeof *ev->shared.rows, 0);
  schema_fini(&ev->shared.schema, &w->allocator);
  alloc_resize(&w->allocator, ev, sizeof *ev, 0);
}

// Keeps pending rows if the layout is the same and drops them otherwise. Row numbering continues in both cases.
void event_redeclare(world_o *w, live_event_t *ev, const schema_t *schema) {
  event_o *e = &ev->shared;
  bool same = schema_has_same_layout(&e->schema, schema, NULL);
  schema_t old = e->schema;
  if (!same)
    fini_columns(w, ev);
  schema_copy(&e->schema, schema, &w->allocator);
  schema_fini(&old, &w->allocator);
  if (!same) {
    init_columns(w, ev);
    return;
  }
  get_declared_defaults(w, &e->schema, e->columns.initial);
  get_declared_defaults(w, &e->schema, ev->staged.initial);
  get_declared_defaults(w, &e->schema, ev->new_rows.initial);
}

// --- writing

// Queues the emission of staged rows from `row` on. Extends the preceding command if it emits the preceding rows.
// Spawns before and after the emission can still be merged, because structural changes do not depend on events.
static void queue_emission(world_o *w, uint32_t event, uint32_t row, uint32_t count) {
  bool after_spawns = w->spawn_run.end == w->commands.count && w->spawn_run.end > 0;
  uint32_t first = w->frames.count > 0 ? w->frames.items[w->frames.count - 1].first_command : w->commands.count;
  first = first > w->merge_barrier ? first : w->merge_barrier;
  command_t *last = w->commands.count > first ? &w->commands.items[w->commands.count - 1] : NULL;
  if (last && last->kind == COMMAND_EMIT && last->a == event && last->b + last->c == row && !w->applying)
    last->c += count;
  else
    *command_push(w) = (command_t){.kind = COMMAND_EMIT, .a = event, .b = row, .c = count};
  if (after_spawns)
    w->spawn_run.end = w->commands.count;
}

uint32_t event_stage_row(world_o *w, uint32_t event, bool blank) {
  shoal_assert(world_is_deferring(w), "cannot stage an event while commands are not deferred");
  shoal_assert(event - 1 < w->events.count, "unknown event number %u", event);
  columns_t *c = &w->events.items[event - 1]->staged;
  uint32_t row = c->count;
  if (!blank)
    columns_append_defaults(c, 1);
  else if (row < c->capacity)
    c->count++;
  else
    columns_append_uninitialized(c, 1);
  queue_emission(w, event, row, 1);
  return row;
}

columns_t *event_get_staged_columns(world_o *w, uint32_t event) {
  return &w->events.items[event - 1]->staged;
}

uint32_t world_emit_event(world_o *w, uint32_t event) {
  event_o *ev = world_event(w, event);
  shoal_assert(ev, "unknown event number %u", event);
  if (!ev)
    return 0;
  bool staged = world_is_deferring(w);
  if (!staged)
    event_close(ev); // rows may move: empties an open view instead of leaving it stale
  columns_t *c = staged ? &w->events.items[event - 1]->staged : &ev->columns;
  uint32_t row = columns_append_defaults(c, 1);
  if (staged)
    queue_emission(w, event, row, 1);
  if (++w->ticket_count == 0)
    w->ticket_count = 1;
  w->tickets[w->ticket_count % TICKET_COUNT] =
      (ticket_t){.number = w->ticket_count, .event = event, .row = row, .staged = staged};
  return w->ticket_count;
}

// Returns true if the ticket is not newer than ticket_floor. Ticket numbers wrap around, but their unsigned differences
// stay correct.
static bool is_expired(const world_o *w, uint32_t ticket) {
  return w->ticket_count - ticket >= w->ticket_count - w->ticket_floor;
}

void world_set_event_field(world_o *w, uint32_t ticket, uint32_t column, double value) {
  const ticket_t *t = &w->tickets[ticket % TICKET_COUNT];
  if (ticket == 0 || t->number != ticket || is_expired(w, ticket))
    return; // the ticket is too old, or its emission was dropped
  live_event_t *ev = w->events.items[t->event - 1];
  columns_t *c = t->staged ? &ev->staged : &ev->shared.columns;
  shoal_assert(t->row < c->count && column < c->column_count, "%s has no column %u", ev->shared.schema.name, column);
  if (t->row < c->count && column < c->column_count)
    columns_set(c, t->row, column, value);
}

columns_t *event_fill_begin(world_o *w, uint32_t event, uint32_t count) {
  shoal_assert(event != 0 && event <= w->events.count, "unknown event number %u", event);
  live_event_t *ev = w->events.items[event - 1];
  columns_clear(&ev->new_rows);
  columns_append_defaults(&ev->new_rows, count);
  return &ev->new_rows;
}

void event_fill_end(world_o *w, uint32_t event, bool keep) {
  live_event_t *ev = w->events.items[event - 1];
  columns_t *new_rows = &ev->new_rows;
  uint32_t count = keep ? new_rows->count : 0;
  columns_clamp_rows(new_rows, 0, count);
  if (count > 0 && !world_is_deferring(w)) {
    event_close(&ev->shared);
    columns_append_rows(&ev->shared.columns, new_rows, 0, count);
  } else if (count > 0) {
    uint32_t row = ev->staged.count;
    if (row == 0) { // nothing to append to: swaps the buffers
      columns_t staged = ev->staged;
      ev->staged = *new_rows;
      *new_rows = staged;
    } else {
      columns_append_rows(&ev->staged, new_rows, 0, count);
    }
    queue_emission(w, event, row, count);
  }
  columns_clear(new_rows);
}

void event_apply_staged(world_o *w, uint32_t event, uint32_t staged_row, uint32_t count) {
  live_event_t *ev = w->events.items[event - 1];
  event_close(&ev->shared);
  columns_append_rows(&ev->shared.columns, &ev->staged, staged_row, count);
}

void event_expire_tickets(world_o *w) {
  w->ticket_floor = w->ticket_count;
}

void event_end_tick(world_o *w) {
  for (uint32_t i = 0; i < w->events.count; ++i) {
    event_o *ev = &w->events.items[i]->shared;
    uint32_t old_rows = (uint32_t)(ev->tick_start - ev->first);
    event_close(ev);
    columns_erase_first_rows(&ev->columns, old_rows);
    ev->first = ev->tick_start;
    ev->tick_start = ev->first + ev->columns.count;
  }
  event_expire_tickets(w);
}

// --- readers

static reader_t *find_reader(world_o *w, uint32_t reader, uint32_t event) {
  for (uint32_t i = 0; i < w->readers.count; ++i)
    if (w->readers.items[i].reader == reader && w->readers.items[i].event == event)
      return &w->readers.items[i];
  return NULL;
}

static render_reader_t *find_render_reader(world_o *w, uint64_t name, uint32_t event) {
  for (uint32_t i = 0; i < w->render_readers.count; ++i)
    if (w->render_readers.items[i].name == name && w->render_readers.items[i].event == event)
      return &w->render_readers.items[i];
  return NULL;
}

static uint64_t reader_name_hash(const world_o *w, uint32_t reader) {
  return hash_bytes(strings_text(w->strings, reader), strings_length(w->strings, reader), 0);
}

// Returns the number of the next row for a render system, clamped to the existing rows: the world may have been rewound
// since the last read.
static uint64_t render_reader_position(world_o *w, uint32_t reader, uint32_t event) {
  const event_o *ev = world_event(w, event);
  const render_reader_t *r = find_render_reader(w, reader_name_hash(w, reader), event);
  uint64_t next = r ? r->next : 0;
  if (!ev)
    return next;
  uint64_t end = ev->first + ev->columns.count;
  return next < ev->first ? ev->first : next > end ? end : next;
}

static void set_render_reader(world_o *w, uint64_t name, uint32_t event, uint64_t next) {
  render_reader_t *r = find_render_reader(w, name, event), reader = {.name = name, .event = event, .next = next};
  if (r)
    r->next = next;
  else
    array_push(&w->allocator, &w->render_readers, reader);
}

void world_draw_begin(world_o *w) {
  shoal_assert(!w->drawing, "the render phase has already begun");
  w->drawing = true;
}

void world_draw_end(world_o *w) {
  w->drawing = false;
}

bool world_is_drawing(const world_o *w) {
  return w->drawing;
}

void world_copy_render_readers(world_o *to, world_o *from) {
  for (uint32_t i = 0; i < from->render_readers.count; ++i) {
    const render_reader_t *r = &from->render_readers.items[i];
    const event_o *old_event = world_event(from, r->event),
                  *new_event = old_event ? world_find_event(to, old_event->schema.name) : NULL;
    if (r->event == 0 || new_event)
      set_render_reader(to, r->name, new_event ? new_event->id : 0, r->next);
  }
}

uint64_t world_reader_position(world_o *w, uint32_t reader, uint32_t event) {
  if (w->drawing)
    return render_reader_position(w, reader, event);
  event_o *ev = world_event(w, event);
  const reader_t *r = find_reader(w, reader, event);
  uint64_t next = r ? r->next : 0;
  return ev && next < ev->first ? ev->first : next;
}

void world_set_reader_position(world_o *w, uint32_t reader, uint32_t event, uint64_t next) {
  if (w->drawing) {
    set_render_reader(w, reader_name_hash(w, reader), event, next);
    return;
  }
  reader_t *r = find_reader(w, reader, event);
  if (r) {
    r->next = next;
    return;
  }
  reader_t added = {.reader = reader, .event = event, .next = next};
  array_push(&w->allocator, &w->readers, added);
}
