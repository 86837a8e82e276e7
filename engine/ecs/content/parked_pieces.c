// Counts failures of parked pieces and schedules their next retry.
#include "content/parked_pieces.h"

#include "base/assert.h"
#include "content/content_internal.h"

#include <stdio.h>
#include <string.h>

#define STORAGE_VERSION 1u

_Static_assert(sizeof(parked_piece_t) == 128 + 32, "parked_piece_t must not contain padding");

static parked_piece_t *find_piece(const parked_pieces_t *pieces, const char *name) {
  for (uint32_t i = 0; i < pieces->count; ++i)
    if (strcmp(pieces->items[i].name, name) == 0)
      return &pieces->items[i];
  return NULL;
}

static void remove_piece_at(parked_pieces_t *pieces, uint32_t i) {
  shoal_assert(i < pieces->count, "parked piece %u is out of range (count %u)", i, pieces->count);
  memmove(&pieces->items[i], &pieces->items[i + 1], (pieces->count - i - 1) * sizeof *pieces->items);
  pieces->count--;
}

// Inserts a piece in name order, so that the list's bytes do not depend on the order of failures, and returns it.
static parked_piece_t *add_piece(world_o *w, parked_pieces_t *pieces, const char *name) {
  parked_piece_t piece;
  memset(&piece, 0, sizeof piece);
  snprintf(piece.name, sizeof piece.name, "%s", name);
  array_push(&w->allocator, pieces, piece);
  uint32_t i = pieces->count - 1;
  for (; i > 0 && strcmp(pieces->items[i - 1].name, piece.name) > 0; --i)
    pieces->items[i] = pieces->items[i - 1];
  pieces->items[i] = piece;
  return &pieces->items[i];
}

static uint64_t get_retry_delay_ticks(uint64_t failures, bool stopped) {
  uint64_t wait_ticks = stopped ? PARKED_STOPPED_WAIT_TICKS : PARKED_FIRST_WAIT_TICKS;
  for (uint64_t i = 1; i < failures && wait_ticks < PARKED_MAX_WAIT_TICKS; ++i)
    wait_ticks *= 2;
  return wait_ticks < PARKED_MAX_WAIT_TICKS ? wait_ticks : PARKED_MAX_WAIT_TICKS;
}

void parked_pieces_record_failure(world_o *w, const char *name, bool stopped, bool in_render_phase) {
  shoal_assert(name[0], "a parked piece must have a name");
  content_o *content = content_get(w);
  parked_pieces_t *pieces = in_render_phase ? &content->parked_drawing : &content->parked;
  parked_piece_t *piece = find_piece(pieces, name);
  if (piece && piece->failed_at == w->tick && piece->next_try > w->tick)
    return;
  if (!piece)
    piece = add_piece(w, pieces, name);
  piece->failures++;
  piece->failed_at = w->tick;
  piece->next_try = w->tick + get_retry_delay_ticks(piece->failures, stopped);
  piece->worked_at = 0;
}

uint64_t parked_pieces_record_success(world_o *w, const char *name) {
  content_o *content = content_get(w);
  parked_piece_t *piece = find_piece(&content->parked, name);
  if (!piece)
    piece = find_piece(&content->parked_drawing, name);
  if (!piece || parked_piece_state(w, piece) != PARKED_STATE_TRIED)
    return 0;
  piece->worked_at = w->tick + 1;
  return piece->failures;
}

static void retry_waiting_pieces(world_o *w, parked_pieces_t *pieces) {
  for (uint32_t i = 0; i < pieces->count; ++i)
    if (pieces->items[i].next_try > w->tick + 1 && pieces->items[i].failed_at != w->tick)
      pieces->items[i].next_try = w->tick + 1;
}

void parked_pieces_retry(world_o *w) {
  content_o *content = content_get(w);
  retry_waiting_pieces(w, &content->parked);
  retry_waiting_pieces(w, &content->parked_drawing);
}

static bool is_piece_outdated(const world_o *w, const parked_piece_t *piece) {
  // a render-phase piece may have failed in a tick that has since been rewound
  return piece->failed_at > w->tick || (piece->worked_at > 0 && w->tick + 1 >= piece->worked_at + PARKED_FORGET_TICKS);
}

static void drop_outdated_pieces(world_o *w, parked_pieces_t *pieces) {
  for (uint32_t i = pieces->count; i > 0; --i)
    if (is_piece_outdated(w, &pieces->items[i - 1]))
      remove_piece_at(pieces, i - 1);
}

void parked_pieces_begin_tick(world_o *w) {
  content_o *content = content_get(w);
  drop_outdated_pieces(w, &content->parked);
  drop_outdated_pieces(w, &content->parked_drawing);
}

void parked_pieces_clear(world_o *w) {
  if (!w->content)
    return;
  content_o *content = content_get(w);
  content->parked.count = content->parked_drawing.count = 0;
}

const parked_piece_t *parked_piece_at(const world_o *w, uint32_t i) {
  const content_o *content = content_read(w);
  if (i < content->parked.count)
    return &content->parked.items[i];
  i -= content->parked.count;
  return i < content->parked_drawing.count ? &content->parked_drawing.items[i] : NULL;
}

const parked_piece_t *parked_piece_find(const world_o *w, const char *name) {
  const content_o *content = content_read(w);
  const parked_piece_t *piece = find_piece(&content->parked, name);
  return piece ? piece : find_piece(&content->parked_drawing, name);
}

parked_state_t parked_piece_state(const world_o *w, const parked_piece_t *piece) {
  if (!piece || piece->failed_at > w->tick)
    return PARKED_STATE_NONE;
  if (w->tick < piece->next_try)
    return PARKED_STATE_WAITING;
  return piece->worked_at > 0 ? PARKED_STATE_RUNNING : PARKED_STATE_TRIED;
}

// --- storage in the state

static size_t saved_pieces_size(void *context, manager_o *m) {
  (void)m;
  return content_read(context)->parked.count * sizeof(parked_piece_t);
}

static void save_pieces(void *context, manager_o *m, void *bytes) {
  const content_o *content = content_read(context);
  (void)m;
  if (content->parked.count > 0)
    memcpy(bytes, content->parked.items, content->parked.count * sizeof(parked_piece_t));
}

static void load_pieces(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  const parked_piece_t *saved = bytes;
  content_o *content = content_get(w);
  (void)context, (void)m;
  content->parked.count = 0;
  for (size_t i = 0; version == STORAGE_VERSION && i < size / sizeof(parked_piece_t); ++i) {
    parked_piece_t piece;
    memcpy(&piece, &saved[i], sizeof piece);
    if (piece.name[0] && memchr(piece.name, 0, sizeof piece.name)) // snapshots from files may be malformed
      array_push(&w->allocator, &content->parked, piece);
  }
}

bool parked_pieces_declare(world_o *w, error_info_t *error) {
  schema_buffer_t buffer;
  schema_init(&buffer, "shoal.parked", SCHEMA_COMPONENT, "shoal");
  uint32_t id = world_declare_schema(w, &buffer.schema, error);
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
