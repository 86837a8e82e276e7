// Events, connections and confirmed state of a match.
#include "match/match_state.h"

#include <stdio.h>
#include <string.h>

void match_add_event(match_o *m, match_event_t event) {
  if (m->events_end - m->events_begin == MATCH_EVENTS)
    ++m->events_begin;
  m->events[m->events_end++ % MATCH_EVENTS] = event;
}

bool match_add_named(match_o *m, match_event_t event, const uint8_t *finding, size_t size) {
  event.kind = MATCH_EVENT_NAMED;
  event.line = m->line_count++ % MATCH_LINES;
  char *line = m->lines[event.line];
  line[0] = '\0';
  if (size > 0 && !m->desc.world.describe(m->desc.world.context, event.tick, finding, size, line))
    return false;
  if (line[0] == '\0')
    (void)snprintf(line, MATCH_LINE_BYTES, "hash %08llx and %08llx, not compared: the state of this tick is not kept",
                   (unsigned long long)event.host_hash, (unsigned long long)event.own_hash);
  match_add_event(m, event);
  return true;
}

static void note_player(match_o *m, const record_t *record, const record_item_t *item) {
  bool has_joined = item->kind == RECORD_ITEM_JOIN;
  memset(m->digests[item->player], 0, MATCH_TOKEN_BYTES);
  if (has_joined && item->size >= MATCH_TOKEN_BYTES)
    memcpy(m->digests[item->player], item->bytes, MATCH_TOKEN_BYTES);
  match_add_event(m, (match_event_t){.kind = has_joined ? MATCH_EVENT_JOINED : MATCH_EVENT_LEFT,
                                     .player = item->player,
                                     .tick = record->tick});
}

void match_note_record(match_o *m, const record_t *record) {
  m->next_number = record->number + 1;
  if (record->kind == RECORD_PAUSE || record->kind == RECORD_RESUME)
    m->is_paused = record->kind == RECORD_PAUSE;
  if (record->kind == RECORD_RESTART || record->kind == RECORD_RELOAD || record->kind == RECORD_SWITCH)
    m->hash = 0; // unknown until the next tick
  if (record->kind == RECORD_RESTART || record->kind == RECORD_SWITCH) {
    m->started = m->next_number;
    local_input_drop_commands(&m->local);
  }
  if (record->kind == RECORD_END) {
    m->has_ended = true;
    match_add_event(m, (match_event_t){.kind = MATCH_EVENT_ENDED, .tick = m->tick});
  }
  if (record->kind != RECORD_TICK || m->hash == 0)
    match_free_transfer(m, &m->kept); // this snapshot lacks the effects of the record, or of the tick's start functions
  if (record->kind != RECORD_TICK)
    return;
  m->tick = record->tick;
  m->hash = record->hash;
  m->inputs = record->inputs;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    player_input_clear_edges(&m->inputs.players[i]);
  for (uint32_t i = 0; i < record->item_count; ++i)
    if (record->items[i].kind == RECORD_ITEM_JOIN || record->items[i].kind == RECORD_ITEM_LEAVE)
      note_player(m, record, &record->items[i]);
}

uint32_t match_find_local_player(const match_o *m, uint32_t n) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((m->players >> i & 1) && n-- == 0)
      return i;
  return PLAYER_MAX;
}

connection_t *match_find_connection(match_o *m, uint32_t peer) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (m->connections[i].state != CONNECTION_NONE && m->connections[i].peer == peer)
      return &m->connections[i];
  return NULL;
}

void match_open_connection(match_o *m, connection_t *c, int64_t now_us) {
  c->stream = stream_create(&(stream_desc_t){.buffer_bytes = m->desc.stream_bytes});
  c->heard_us = c->progress_us = now_us;
  c->failure = MATCH_CLOSE_NONE;
}

// Header in front of a transfer's bytes: the number of transfers that share the bytes.
typedef struct transfer_head_t {
  _Alignas(16) uint64_t users;
} transfer_head_t;

static transfer_head_t *get_head(const transfer_t *t) {
  return (transfer_head_t *)(void *)(t->bytes - sizeof(transfer_head_t));
}

void match_begin_transfer(match_o *m, transfer_t *t, const uint8_t *bytes, size_t size) {
  match_free_transfer(m, t);
  transfer_head_t *head = alloc_resize(&m->memory, NULL, 0, sizeof *head + size);
  head->users = 1;
  *t = (transfer_t){.bytes = (uint8_t *)(head + 1), .size = size};
  if (bytes)
    memcpy(t->bytes, bytes, size);
}

void match_share_transfer(match_o *m, transfer_t *t, const transfer_t *source) {
  match_free_transfer(m, t);
  *t = (transfer_t){.bytes = source->bytes, .size = source->size};
  ++get_head(t)->users;
}

void match_free_transfer(match_o *m, transfer_t *t) {
  if (t->bytes && --get_head(t)->users == 0)
    alloc_resize(&m->memory, get_head(t), sizeof(transfer_head_t) + t->size, 0);
  *t = (transfer_t){0};
}

void match_push_transfer(match_o *m, connection_t *c, transfer_t *t, uint8_t type) {
  while (t->bytes) {
    size_t left = t->size - t->at, size = left < MATCH_PART_BYTES ? left : MATCH_PART_BYTES;
    if (stream_get_free_bytes(c->stream) < size + 1 || !match_push(c, type, t->bytes + t->at, size))
      return;
    t->at += size;
    if (t->at == t->size)
      match_free_transfer(m, t);
  }
}

bool match_read_part(transfer_t *t, const uint8_t *bytes, size_t size) {
  if (!t->bytes || size > t->size - t->at)
    return false;
  memcpy(t->bytes + t->at, bytes, size);
  t->at += size;
  return true;
}

void match_close_connection(match_o *m, connection_t *c) {
  stream_destroy(c->stream);
  match_free_transfer(m, &c->snapshot);
  match_free_transfer(m, &c->code_out);
  match_free_transfer(m, &c->code_in);
  input_queue_fini(&c->queue);
  *c = (connection_t){0};
}

bool match_push(connection_t *c, uint8_t type, const void *bytes, size_t size) {
  uint8_t message[STREAM_MESSAGE_BYTES];
  message[0] = type;
  if (size > 0)
    memcpy(message + 1, bytes, size);
  return stream_push(c->stream, message, size + 1);
}

static const char *const CLOSE_DETAILS[] = {
    [MATCH_CLOSE_NONE] = "the session has no connection of the match",
    [MATCH_CLOSE_MALFORMED] = "malformed message or unknown message",
    [MATCH_CLOSE_SNAPSHOT] = "the snapshot is malformed or its hash differs",
    [MATCH_CLOSE_RECORDS] = "records whose numbers are not consecutive",
    [MATCH_CLOSE_CODE] = "malformed code",
    [MATCH_CLOSE_STALLED] = "acknowledged nothing for 10 seconds: no record, and no byte of a snapshot",
    [MATCH_CLOSE_SLOW] = "the connection is too slow for the state of this game",
    [MATCH_CLOSE_DESYNCS] = "the state differs too often, in more than 64 ticks",
    [MATCH_CLOSE_UNABLE] = "the match's code does not run on the other machine",
    [MATCH_CLOSE_REMOVED] = "a user has removed the player",
    [MATCH_CLOSE_BANNED] = "a user has banned the player",
    [MATCH_CLOSE_MOVED] = "the player has moved to a different room",
    [MATCH_CLOSE_ELSEWHERE] = "the user has joined the world from a different machine",
};
_Static_assert(sizeof CLOSE_DETAILS / sizeof *CLOSE_DETAILS == MATCH_CLOSE_COUNT, "a reason has no description");

const char *match_close_get_details(match_close_t reason) {
  return CLOSE_DETAILS[reason];
}

bool match_get_record(const match_o *m, uint64_t number, record_t *out) {
  return number < m->next_number && record_log_get(m->log, number, out);
}

bool match_find_record(const match_o *m, uint64_t tick, record_t *out) {
  uint64_t number = m->next_number; // a peer's log may already contain this record, received but not applied
  if (!record_log_has(m->log, number))
    --number;
  for (; number > 0 && record_log_get(m->log, number, out); --number)
    if (out->kind == RECORD_TICK && out->tick <= tick)
      return out->tick == tick;
  return false;
}
