// Counts failures of parked pieces and schedules their next retry.
#include "content/parked_pieces.h"

#include "base/assert.h"
#include "content/content_internal.h"

#include <stdio.h>
#include <string.h>

#define STORAGE_VERSION 1u

_Static_assert(sizeof(parked_piece_t) == 128 + 32, "parked_piece_t must not contain padding");

static parked_piece_t *find_piece(const parked_pieces_t *list, const char *name) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (strcmp(list->items[i].name, name) == 0)
      return &list->items[i];
  return NULL;
}

static void remove_piece_at(parked_pieces_t *list, uint32_t i) {
  shoal_assert(i < list->count, "parked piece %u is out of range (count %u)", i, list->count);
  memmove(&list->items[i], &list->items[i + 1], (list->count - i - 1) * sizeof *list->items);
  list->count--;
}

// Inserts a piece in name order, so that the bytes of the list do not depend on the order of failures.
static parked_piece_t *add_piece(world_o *w, parked_pieces_t *list, const char *name) {
  parked_piece_t made;
  memset(&made, 0, sizeof made);
  snprintf(made.name, sizeof made.name, "%s", name);
  array_push(&w->allocator, list, made);
  uint32_t i = list->count - 1;
  for (; i > 0 && strcmp(list->items[i - 1].name, made.name) > 0; --i)
    list->items[i] = list->items[i - 1];
  list->items[i] = made;
  return &list->items[i];
}

static uint64_t retry_delay_ticks(uint64_t failures, bool stopped) {
  uint64_t wait = stopped ? PARKED_STOPPED_WAIT : PARKED_FIRST_WAIT;
  for (uint64_t i = 1; i < failures && wait < PARKED_MAX_WAIT; ++i)
    wait *= 2;
  return wait < PARKED_MAX_WAIT ? wait : PARKED_MAX_WAIT;
}

void parked_pieces_record_failure(world_o *w, const char *name, bool stopped, bool drawing) {
  shoal_assert(name[0], "a parked piece must have a name");
  content_o *c = content_get(w);
  parked_pieces_t *list = drawing ? &c->parked_drawing : &c->parked;
  parked_piece_t *x = find_piece(list, name);
  if (x && x->failed_at == w->tick && x->next_try > w->tick)
    return;
  if (!x)
    x = add_piece(w, list, name);
  x->failures++;
  x->failed_at = w->tick;
  x->next_try = w->tick + retry_delay_ticks(x->failures, stopped);
  x->worked_at = 0;
}

uint64_t parked_pieces_record_success(world_o *w, const char *name) {
  content_o *c = content_get(w);
  parked_piece_t *x = find_piece(&c->parked, name);
  if (!x)
    x = find_piece(&c->parked_drawing, name);
  if (!x || parked_piece_state(w, x) != PARKED_STATE_TRIED)
    return 0;
  x->worked_at = w->tick + 1;
  return x->failures;
}

static void retry_waiting_pieces(world_o *w, parked_pieces_t *list) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->items[i].next_try > w->tick + 1 && list->items[i].failed_at != w->tick)
      list->items[i].next_try = w->tick + 1;
}

void parked_pieces_retry(world_o *w) {
  content_o *c = content_get(w);
  retry_waiting_pieces(w, &c->parked);
  retry_waiting_pieces(w, &c->parked_drawing);
}

static bool is_piece_outdated(const world_o *w, const parked_piece_t *x) {
  // a render-phase piece may have failed in a tick that has since been rewound
  return x->failed_at > w->tick || (x->worked_at > 0 && w->tick + 1 >= x->worked_at + PARKED_FORGET);
}

static void drop_outdated_pieces(world_o *w, parked_pieces_t *list) {
  for (uint32_t i = list->count; i > 0; --i)
    if (is_piece_outdated(w, &list->items[i - 1]))
      remove_piece_at(list, i - 1);
}

void parked_pieces_begin_tick(world_o *w) {
  content_o *c = content_get(w);
  drop_outdated_pieces(w, &c->parked);
  drop_outdated_pieces(w, &c->parked_drawing);
}

void parked_pieces_clear(world_o *w) {
  if (!w->content)
    return;
  content_o *c = content_get(w);
  c->parked.count = c->parked_drawing.count = 0;
}

const parked_piece_t *parked_piece_at(const world_o *w, uint32_t i) {
  const content_o *c = content_read(w);
  if (i < c->parked.count)
    return &c->parked.items[i];
  i -= c->parked.count;
  return i < c->parked_drawing.count ? &c->parked_drawing.items[i] : NULL;
}

const parked_piece_t *parked_piece_find(const world_o *w, const char *name) {
  const content_o *c = content_read(w);
  const parked_piece_t *x = find_piece(&c->parked, name);
  return x ? x : find_piece(&c->parked_drawing, name);
}

parked_state_t parked_piece_state(const world_o *w, const parked_piece_t *x) {
  if (!x || x->failed_at > w->tick)
    return PARKED_STATE_NONE;
  if (w->tick < x->next_try)
    return PARKED_STATE_WAITING;
  return x->worked_at > 0 ? PARKED_STATE_RUNNING : PARKED_STATE_TRIED;
}

// --- storage in the state

static size_t saved_pieces_size(void *context, manager_o *m) {
  (void)m;
  return content_read(context)->parked.count * sizeof(parked_piece_t);
}

static void save_pieces(void *context, manager_o *m, void *bytes) {
  const content_o *c = content_read(context);
  (void)m;
  if (c->parked.count > 0)
    memcpy(bytes, c->parked.items, c->parked.count * sizeof(parked_piece_t));
}

static void load_pieces(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  const parked_piece_t *from = bytes;
  content_o *c = content_get(w);
  (void)context, (void)m;
  c->parked.count = 0;
  for (size_t i = 0; version == STORAGE_VERSION && i < size / sizeof(parked_piece_t); ++i) {
    parked_piece_t x;
    memcpy(&x, &from[i], sizeof x);
    if (x.name[0] && memchr(x.name, 0, sizeof x.name)) // snapshots from files may be malformed
      array_push(&w->allocator, &c->parked, x);
  }
}

bool parked_pieces_declare(world_o *w, error_info_t *error) {
  schema_t s;
  schema_init(&s, "shoal.parked", SCHEMA_COMPONENT, "shoal");
  uint32_t id = world_declare_schema(w, &s, error);
  schema_fini(&s, &w->allocator);
  if (id == 0)
    return false;
  world_set_hooks(w, id,
                  &(manager_hooks_t){.context = w,
                                     .storage_version = STORAGE_VERSION,
                                     .save_bytes = saved_pieces_size,
                                     .save = save_pieces,
                                     .load = load_pieces});
  return true;
}
