// Public functions of a match: the parts that host and peer share (connections, local inputs, events, status).
#include "match/match.h"

#include "base/assert.h"
#include "match/match_host.h"
#include "match/match_message.h"
#include "match/match_peer.h"
#include "match/match_share.h"
#include "platform/player_name.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LOG_RECORDS 8192u // records of more than MATCH_MAX_LOADING_US at 60 ticks per second
#define LOG_ITEM_BYTES 256u       // space for the items of a record; few records have items
#define DEFAULT_SNAPSHOT_BYTES (64u << 20)

_Static_assert(MATCH_MAX_COMMAND_BYTES == LOCAL_INPUT_COMMAND_BYTES, "the limits of commands differ");
_Static_assert(MATCH_MAX_PREDICTED + 2 <= MATCH_SLOTS, "too few slots");
_Static_assert(MATCH_BLOCK_BYTES + 5 * VARINT_BYTES <= STREAM_UNRELIABLE_BYTES, "blocks are too large");

// --- creation

static void set_defaults(match_desc_t *desc) {
  desc->log_records = desc->log_records ? desc->log_records : DEFAULT_LOG_RECORDS;
  desc->max_players = desc->max_players ? desc->max_players : PLAYER_MAX;
  desc->max_snapshot_bytes = desc->max_snapshot_bytes ? desc->max_snapshot_bytes : DEFAULT_SNAPSHOT_BYTES;
}

match_o *match_create(const match_desc_t *desc, uint64_t tick, int64_t now_us) {
  match_o *m = alloc_object(sizeof *m);
  shoal_assert(desc->tick_us > 0 && desc->local_players <= PLAYER_MAX, "%u local players", desc->local_players);
  m->desc = *desc;
  set_defaults(&m->desc);
  if (desc->name)
    player_name_clean(desc->name, strlen(desc->name), m->name);
  m->desc.name = m->name;
  shoal_assert(match_get_late_records(m) >= MATCH_BLOCK_RECORDS, "a log of %u records", m->desc.log_records);
  m->role = desc->role;
  m->tick = m->predicted = tick;
  m->next_number = m->received = desc->first_number > 0 ? desc->first_number : 1;
  m->log = record_log_create(&m->memory, m->desc.log_records, m->desc.max_players,
                             m->desc.log_records * LOG_ITEM_BYTES + 4 * STREAM_MESSAGE_BYTES);
  m->own.log = record_log_create(&m->memory, INPUT_QUEUE_RECORDS, m->desc.max_players,
                                 INPUT_QUEUE_RECORDS * INPUT_QUEUE_MAX_ITEM_BYTES);
  m->own.next = m->own.acked = 1;
  m->sizes = alloc_aligned(&m->memory, m->desc.log_records * sizeof *m->sizes);
  m->updated_us = now_us;
  if (m->role == MATCH_HOST) {
    m->players = m->joining = player_mask_first(desc->local_players);
    m->limits = desc->limits;
    match_host_start(m, now_us, desc->secret);
    match_host_make_key(m);
  }
  return m;
}

void match_destroy(match_o *m) {
  if (!m)
    return;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    match_close_connection(m, &m->connections[i]);
  match_free_transfer(m, &m->kept);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    match_host_drop_arrival(m, i);
  match_share_reset(m);
  record_log_destroy(m->log);
  record_log_destroy(m->own.log);
  alloc_free_aligned(&m->memory, m->sizes, m->desc.log_records * sizeof *m->sizes);
  shoal_assert(m->memory.bytes == 0, "%zu bytes of the match were not freed", m->memory.bytes);
  free(m);
}

// --- joining

void match_write_request(const match_o *m, uint8_t *out) {
  out[0] = MATCH_VERSION;
  memcpy(out + 1, &m->desc.game_hash, sizeof m->desc.game_hash);
  memset(out + MATCH_REQUEST_TOKEN, 0, MATCH_TOKEN_BYTES);
  if (m->has_token)
    memcpy(out + MATCH_REQUEST_TOKEN, m->token, MATCH_TOKEN_BYTES);
  memset(out + MATCH_REQUEST_ACCOUNT, 0, MATCH_ACCOUNT_BYTES);
  memset(out + MATCH_REQUEST_PASSWORD, 0, MATCH_PASSWORD_HASH_BYTES);
  out[MATCH_REQUEST_PLAYERS] = m->role == MATCH_SPECTATOR ? 0 : (uint8_t)m->desc.local_players;
  out[MATCH_REQUEST_WATCH] = m->role == MATCH_SPECTATOR;
  memcpy(out + MATCH_REQUEST_NAME, m->name, PLAYER_NAME_BYTES);
}

void match_set_token(match_o *m, const uint8_t *token) {
  memcpy(m->token, token, MATCH_TOKEN_BYTES);
  m->has_token = true;
}

bool match_get_token(const match_o *m, uint8_t *out) {
  if (m->has_token)
    memcpy(out, m->token, MATCH_TOKEN_BYTES);
  return m->has_token;
}

const uint8_t *match_get_key(const match_o *m) {
  return m->has_key ? m->key : NULL;
}

const match_limits_t *match_get_limits(const match_o *m) {
  return &m->limits;
}

static bool read_limits(const uint8_t *bytes, match_limits_t *out) {
  memcpy(&out->memory_mb, bytes, 4);
  memcpy(&out->budget_ms, bytes + 4, 4);
  out->has_budget = bytes[8] & 1;
  out->is_strict = bytes[8] & 2;
  return bytes[8] < 4 && out->memory_mb <= MATCH_MAX_MEMORY_MB && out->budget_ms <= MATCH_MAX_BUDGET_MS;
}

bool match_accept(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *request, size_t size, uint8_t *reply,
                  match_refusal_t *refusal) {
  return match_accept_visit(m, now_us, peer, request, size, NULL, NULL, reply, refusal);
}

bool match_accept_visit(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *request, size_t size,
                        const match_visit_t *visit, const char *name, uint8_t *reply, match_refusal_t *refusal) {
  if (size != MATCH_REQUEST_BYTES || request[0] != MATCH_VERSION)
    return match_refusal_set(refusal, MATCH_REFUSAL_VERSION, 0);
  if (memcmp(request + 1, &m->desc.game_hash, sizeof m->desc.game_hash) != 0)
    return match_refusal_set(refusal, MATCH_REFUSAL_FILES, 0);
  if (m->role != MATCH_HOST || m->has_ended)
    return match_refusal_set(refusal, MATCH_REFUSAL_OVER, 0);
  return match_host_accept(m, now_us, peer, request, visit, name, reply, refusal);
}

match_visit_t match_get_visit(const match_o *m, uint32_t player) {
  match_visit_t visit = {0};
  if (m->inputs.present >> player & 1)
    memcpy(&visit, m->digests[player], sizeof visit);
  return visit;
}

player_mask_t match_find_visitors(const match_o *m, const match_visit_t *visit) {
  player_mask_t players = 0;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((m->inputs.present >> i & 1) && memcmp(m->digests[i], visit, sizeof *visit) == 0)
      players |= player_mask_of(i);
  return players;
}

uint32_t match_find_visiting_peer(const match_o *m, const match_visit_t *visit) {
  return match_host_find_visiting_peer(m, visit);
}

player_mask_t match_find_arriving(const match_o *m, const match_visit_t *visit) {
  player_mask_t players = 0;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (m->connections[i].state != CONNECTION_NONE && memcmp(m->connections[i].digest, visit, MATCH_TOKEN_BYTES) == 0)
      players |= m->connections[i].players;
  return players & ~match_host_get_staying(m);
}

bool match_is_visited_by(const match_o *m, const match_visit_t *visit) {
  return match_host_is_visited_by(m, visit);
}

static bool connect_to_host(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *reply, size_t size,
                            error_info_t *error) {
  match_limits_t limits;
  player_mask_t players = 0;
  if (size == MATCH_REPLY_BYTES)
    memcpy(&players, reply + MATCH_REPLY_PLAYERS, sizeof players);
  if (size != MATCH_REPLY_BYTES || reply[0] != MATCH_VERSION || !read_limits(reply + MATCH_REPLY_LIMITS, &limits) ||
      !match_allows_players(m, players))
    return error_set(error, "the host's reply is malformed");
  match_close_connection(m, &m->connections[0]);
  m->connections[0] = (connection_t){.peer = peer};
  m->players = players;
  memcpy(m->token, reply + MATCH_REPLY_TOKEN, MATCH_TOKEN_BYTES);
  m->has_token = m->players != 0;
  memcpy(m->key, reply + MATCH_REPLY_KEY, MATCH_KEY_BYTES);
  m->has_key = true;
  m->limits = limits;
  m->silent = m->lost = 0;
  match_peer_connect(m, &m->connections[0], now_us);
  return true;
}

bool match_connect(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *reply, size_t size, error_info_t *error) {
  if (m->role != MATCH_HOST)
    return connect_to_host(m, now_us, peer, reply, size, error);
  connection_t *c = match_find_connection(m, peer);
  if (!c || c->state != CONNECTION_ACCEPTED)
    return error_set(error, "the peer has not been accepted");
  match_host_connect(m, c, now_us);
  return true;
}

void match_disconnect(match_o *m, int64_t now_us, uint32_t peer, bool keep) {
  connection_t *c = match_find_connection(m, peer);
  if (!c)
    return;
  if (m->role == MATCH_HOST) {
    match_host_disconnect(m, c, now_us, keep);
    return;
  }
  match_peer_confirm_received(m, now_us);
  match_close_connection(m, c);
  if (!m->is_lost)
    match_add_event(m, (match_event_t){.kind = MATCH_EVENT_LOST, .tick = m->tick});
  m->is_lost = true;
}

player_mask_t match_remove_player(match_o *m, int64_t now_us, uint32_t player, uint32_t *peer) {
  *peer = 0;
  return m->role == MATCH_HOST && player < PLAYER_MAX ? match_host_remove(m, now_us, player, false, peer) : 0;
}

player_mask_t match_dismiss_player(match_o *m, int64_t now_us, uint32_t player, uint32_t *peer) {
  *peer = 0;
  return m->role == MATCH_HOST && player < PLAYER_MAX ? match_host_remove(m, now_us, player, true, peer) : 0;
}

void match_leave(match_o *m) {
  connection_t *c = &m->connections[0];
  if (m->role != MATCH_HOST && c->state != CONNECTION_NONE && !m->is_leaving)
    m->is_leaving = match_push(c, MATCH_MESSAGE_LEAVE, NULL, 0);
}

void match_continue_as_host(match_o *m, int64_t now_us, const uint8_t *secret) {
  shoal_assert(m->role != MATCH_HOST, "this machine is the host");
  match_close_connection(m, &m->connections[0]);
  match_peer_drop_predictions(m);
  m->is_lost = false;
  if (m->is_repairing) // this machine's state after the last tick differs from the record
    m->hash = 0;
  m->is_repairing = m->is_starting = false;
  memset(&m->local, 0, sizeof m->local);
  m->players &= m->inputs.present;
  match_host_start(m, now_us, secret);
  if (!m->has_key) // the match was recovered from a store
    match_host_make_key(m);
}

void match_give_way(match_o *m) {
  shoal_assert(m->role == MATCH_HOST, "only a host gives way");
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    match_close_connection(m, &m->connections[i]);
  m->role = MATCH_PEER;
  m->predicted = m->tick;
  m->joining = m->leaving = m->removed = m->silent = m->lost = 0;
  memset(m->absent_until_us, 0, sizeof m->absent_until_us);
  m->is_lost = true;
}

// --- closing

match_close_t match_get_close_reason(const match_o *m, uint32_t peer) {
  const connection_t *c = match_find_connection((match_o *)m, peer);
  return c ? c->failure : MATCH_CLOSE_NONE;
}

// --- datagrams

static bool has_failed(const match_o *m, const connection_t *c, int64_t now_us, error_info_t *error) {
  if (!c->failure || now_us < c->close_us)
    return false;
  error_set(error, "%s", c->failure == MATCH_CLOSE_UNABLE ? m->share.reason : match_close_get_details(c->failure));
  return true;
}

bool match_read(match_o *m, int64_t now_us, uint32_t peer, uint64_t number, const uint8_t *bytes, size_t size,
                error_info_t *error) {
  const uint8_t *part;
  size_t part_size;
  connection_t *c = match_find_connection(m, peer);
  if (!c || !c->stream)
    return error_set(error, "the peer is not connected");
  if (!stream_read(c->stream, now_us, number, bytes, size, &part, &part_size, error)) {
    c->failure = MATCH_CLOSE_MALFORMED;
    return false;
  }
  c->heard_us = now_us;
  bool ok =
      m->role == MATCH_HOST ? match_host_read(m, c, now_us, part, part_size) : match_peer_read(m, c, part, part_size);
  if (!ok && !c->failure)
    c->failure = MATCH_CLOSE_MALFORMED;
  return !has_failed(m, c, now_us, error);
}

size_t match_write(match_o *m, int64_t now_us, uint32_t peer, uint64_t number, uint8_t *out) {
  uint8_t part[STREAM_UNRELIABLE_BYTES];
  connection_t *c = match_find_connection(m, peer);
  if (!c || !c->stream || c->close_us != 0)
    return 0;
  size_t size = m->role == MATCH_HOST ? match_host_write(m, c, part) : match_peer_write(m, part);
  return stream_write(c->stream, now_us, number, part, size, out);
}

bool match_has_work(match_o *m, int64_t now_us, uint32_t peer) {
  connection_t *c = match_find_connection(m, peer);
  return c && c->stream && stream_has_work(c->stream, now_us);
}

// --- playing

bool match_add_input(match_o *m, uint32_t local_player, const player_input_t *input) {
  uint32_t player = match_find_local_player(m, local_player);
  player_input_t own = *input;
  if (player >= PLAYER_MAX)
    return false;
  if (m->is_paused || !(m->inputs.present >> player & 1))
    own.motion_x = own.motion_y = 0;
  return local_input_add(&m->local, player, &own);
}

bool match_add_command(match_o *m, uint32_t local_player, const void *bytes, size_t size) {
  uint32_t player = match_find_local_player(m, local_player);
  return player < PLAYER_MAX && local_input_add_command(&m->local, player, bytes, size);
}

void match_set_max_ticks(match_o *m, uint32_t ticks) {
  m->max_ticks = ticks;
}

void match_update(match_o *m, int64_t now_us) {
  m->updated_us = now_us;
  if (m->role == MATCH_HOST) {
    match_host_update(m, now_us);
    return;
  }
  match_peer_update(m, now_us);
  const connection_t *c = &m->connections[0];
  m->has_left |= m->is_leaving && c->stream && stream_get_status(c->stream).waiting_bytes == 0;
}

void match_drop_predictions(match_o *m) {
  if (m->role != MATCH_HOST)
    match_peer_drop_predictions(m);
}

void match_add_record(match_o *m, int64_t now_us, record_kind_t kind) {
  shoal_assert(m->role == MATCH_HOST && kind > RECORD_TICK && kind < RECORD_KIND_COUNT && kind != RECORD_RELOAD,
               "kind %d of record", (int)kind);
  match_host_add_record(m, now_us, kind, 0);
}

// --- status

bool match_pop_event(match_o *m, match_event_t *out) {
  if (m->events_begin == m->events_end)
    return false;
  *out = m->events[m->events_begin++ % MATCH_EVENTS];
  return true;
}

const char *match_get_line(const match_o *m, const match_event_t *event) {
  return m->lines[event->line % MATCH_LINES];
}

match_status_t match_get_status(const match_o *m, int64_t now_us) {
  match_status_t status = m->counts;
  const connection_t *host = &m->connections[0];
  bool is_host = m->role == MATCH_HOST;
  status.role = m->role;
  status.has_state = is_host || m->has_state;
  status.is_playing = is_host || m->is_playing;
  status.is_paused = m->is_paused;
  status.has_ended = m->has_ended;
  status.is_lost = m->is_lost;
  const transfer_t *transfer = host->code_in.bytes ? &host->code_in : &host->snapshot;
  status.loading_bytes = is_host ? 0 : transfer->size;
  status.loaded_bytes = is_host ? 0 : transfer->at;
  status.has_left = m->has_left;
  status.is_proposing = m->share.is_proposing;
  status.is_repairing = m->is_repairing;
  status.players = m->players;
  status.present = m->inputs.present;
  status.connected = status.present & ~(is_host ? 0 : m->lost);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    status.connected &= ~(m->absent_until_us[i] != 0 ? player_mask_of(i) : 0);
  status.silent = status.connected & m->silent;
  status.joining = m->joining;
  status.next_number = m->next_number;
  status.tick = m->tick;
  status.predicted_tick = is_host ? m->tick : m->predicted;
  status.slot = (uint32_t)(m->tick % MATCH_SLOTS);
  status.delay = m->delay;
  status.waiting_us = status.is_waiting ? now_us - m->waiting_since_us : 0;
  status.silent_us = !is_host && host->stream ? now_us - host->heard_us : 0;
  status.due_us = m->due_us;
  status.early_us = m->clock.early_us;
  status.is_acknowledged = true;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    const connection_t *c = &m->connections[i];
    status.late_inputs += c->queue.late;
    status.is_acknowledged &=
        c->state < CONNECTION_BEHIND || (c->has_state && c->acked >= m->next_number && c->traced == 0);
  }
  return status;
}

int64_t match_get_round_trip_us(const match_o *m, uint32_t player) {
  if (m->players >> player & 1)
    return 0;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    const connection_t *c = &m->connections[i];
    if (c->stream && (m->role != MATCH_HOST || (c->players >> player & 1)))
      return stream_get_status(c->stream).round_trip_us;
  }
  return 0;
}

int64_t match_get_absent_us(const match_o *m, uint32_t player, int64_t now_us) {
  int64_t until_us = m->absent_until_us[player];
  return until_us > now_us ? until_us - now_us : 0;
}

bool match_get_connection(const match_o *m, uint32_t peer, match_connection_t *out) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    const connection_t *c = &m->connections[i];
    if (c->peer != peer || !c->stream)
      continue;
    stream_status_t stream = stream_get_status(c->stream);
    *out = (match_connection_t){.peer = peer,
                                .players = c->players,
                                .is_spectator = c->is_spectator,
                                .name = c->name,
                                .is_live = m->role == MATCH_HOST ? c->state == CONNECTION_LIVE : m->is_playing,
                                .round_trip_us = stream.round_trip_us,
                                .jitter_us = stream.jitter_us,
                                .late_inputs = c->queue.late};
    memcpy(out->account, c->account, sizeof out->account);
    return true;
  }
  return false;
}
