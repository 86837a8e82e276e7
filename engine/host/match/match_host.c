// Host of a match. A peer that connects receives a snapshot, and the records that follow it, by the stream. Once the
// peer has almost caught up, each datagram repeats the latest records that the peer has not acknowledged. The stream
// then carries only the few records that are too large or too old for a datagram.
#include "match/match_host.h"

#include "base/assert.h"
#include "match/match_chat.h"
#include "match/match_message.h"
#include "match/match_share.h"
#include "match/match_tick.h"
#include "platform/player_name.h"
#include "store/item_rows.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#define MAX_LATE_US 250000 // lateness beyond which the host skips time instead of catching up
#define LIVE_RECORDS 12u   // a peer that lacks fewer records counts as live
// If no datagram with a record was acknowledged, the stream carries the record once it has this age: a number of newer
// records, to which two round trips are added. A peer that lacks only newer records counts as live.
#define RECENT_RECORDS 40u
#define STALL_US 10000000 // time without an acknowledged record or snapshot byte after which a peer is closed
#define DRAIN_US 500000   // pause before a slow connection is closed: a full queue would drop the reason
#define REPAIR_INTERVAL_US 1000000
#define MAX_REPAIRS 64u
// Rate limit of the traces for all peers' desyncs. A trace runs up to KEPT_TICKS ticks again (match_game.c).
#define TRACES_PER_SECOND 2u
#define TRACES_BURST 8u
// Rate limit of snapshots for one machine or account: SNAPSHOT_BURST snapshots, then one per interval.
#define SNAPSHOT_BURST 4u
#define SNAPSHOT_INTERVAL_US 15000000
#define SNAPSHOT_SHARED_US 1000000 // time for which all machines that need the current state get the same snapshot
#define MAX_SNAPSHOTS 4u           // maximum number of snapshots that a peer receives without becoming live

// --- players

static void compute_digest(const uint8_t *token, uint8_t *out) {
  crypto_generichash(out, MATCH_TOKEN_BYTES, token, MATCH_TOKEN_BYTES, NULL, 0);
}

static void make_token(match_o *m, uint8_t *out) {
  ++m->token_count;
  crypto_generichash(out, MATCH_TOKEN_BYTES, (const uint8_t *)&m->token_count, sizeof m->token_count, m->secret,
                     SEAL_KEY_BYTES);
}

player_mask_t match_host_get_staying(const match_o *m) {
  return m->inputs.present & ~m->removed;
}

static player_mask_t get_used_players(const match_o *m) {
  player_mask_t used = match_host_get_staying(m) | m->joining | m->players;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    used |= m->connections[i].players;
  return used;
}

// Returns a mask of `count` free players, or 0 if fewer are free.
static player_mask_t find_free_players(const match_o *m, uint32_t count) {
  player_mask_t used = get_used_players(m), found = 0;
  for (uint32_t i = 0; i < m->desc.max_players && count > 0; ++i) {
    if (used >> i & 1)
      continue;
    found |= player_mask_of(i);
    --count;
  }
  return count == 0 ? found : 0;
}

static player_mask_t find_players_of(const match_o *m, const uint8_t *digest) {
  player_mask_t players = 0, staying = match_host_get_staying(m);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((staying >> i & 1) && sodium_memcmp(m->digests[i], digest, MATCH_TOKEN_BYTES) == 0)
      players |= player_mask_of(i);
  return players & ~m->players;
}

// Returns a mask of the players who take part with this token, or 0 if the token is unknown.
static player_mask_t find_players_of_token(const match_o *m, const uint8_t *token) {
  uint8_t digest[MATCH_TOKEN_BYTES];
  compute_digest(token, digest);
  return sodium_is_zero(token, MATCH_TOKEN_BYTES) ? 0 : find_players_of(m, digest);
}

void match_host_make_key(match_o *m) {
  uint8_t text[16] = "shoal match"; // differs in length from the 8 bytes that make_token hashes with the same secret
  ++m->key_count;
  memcpy(text + 12, &m->key_count, sizeof m->key_count);
  crypto_generichash(m->key, sizeof m->key, text, sizeof text, m->secret, SEAL_KEY_BYTES);
  m->has_key = true;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    m->connections[i].needs_key = m->connections[i].state != CONNECTION_NONE;
}

void match_host_start(match_o *m, int64_t now_us, const uint8_t *secret) {
  m->role = MATCH_HOST;
  m->due_us = now_us + m->desc.tick_us;
  m->coder = (record_coder_t){0};
  m->large = 0;
  match_share_reset(m);
  memcpy(m->secret, secret, SEAL_KEY_BYTES);
  if (!m->has_token && m->desc.local_players > 0) {
    make_token(m, m->token);
    m->has_token = true;
  }
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    m->absent_until_us[i] = (m->inputs.present >> i & 1) && !(m->players >> i & 1) ? now_us + MATCH_REJOIN_US : 0;
}

// --- connections

static connection_t *find_free_connection(const match_o *m) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (m->connections[i].state == CONNECTION_NONE)
      return (connection_t *)&m->connections[i];
  return NULL;
}

static bool has_space(const match_o *m, uint32_t players) {
  return find_free_connection(m) && (players == 0 || find_free_players(m, players) != 0);
}

// Closes the previous connection of a machine that joins again, because it may not have timed out yet.
static void close_previous(match_o *m, const uint8_t *digest) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    connection_t *c = &m->connections[i];
    if (c->state != CONNECTION_NONE && c->players != 0 && memcmp(c->digest, digest, MATCH_TOKEN_BYTES) == 0)
      match_close_connection(m, c);
  }
}

static connection_t *find_connection_of(match_o *m, uint32_t player) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (m->connections[i].players >> player & 1)
      return &m->connections[i];
  return NULL;
}

player_mask_t match_host_remove(match_o *m, int64_t now_us, uint32_t player, bool keeps_connection, uint32_t *peer) {
  connection_t *c = find_connection_of(m, player);
  bool is_present = match_host_get_staying(m) >> player & 1;
  if ((m->players >> player & 1) || (!c && !is_present))
    return 0;
  player_mask_t players = c ? c->players : find_players_of(m, m->digests[player]);
  if (c) {
    *peer = c->peer;
    if (keeps_connection)
      c->players = c->queue.players = 0;
    else
      match_close_connection(m, c);
  }
  m->joining &= ~players;
  m->removed |= players & m->inputs.present;
  m->leaving |= m->removed;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (m->removed >> i & 1)
      m->absent_until_us[i] = now_us; // the player leaves later if the match is paused
  if (!keeps_connection)
    match_host_make_key(m);
  return players;
}

// Returns the player who lost the connection first, except those in `chosen`, or PLAYER_MAX if no further player is
// lost.
static uint32_t find_lost_player(const match_o *m, player_mask_t chosen) {
  uint32_t found = PLAYER_MAX;
  player_mask_t lost = match_host_get_staying(m) & ~(m->players | chosen);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((lost >> i & 1) && m->absent_until_us[i] != 0 &&
        (found == PLAYER_MAX || m->absent_until_us[i] < m->absent_until_us[found]))
      found = i;
  return found;
}

// Returns the lost players whose machines must leave so that `count` players fit, or 0 if too few players are lost.
// Players who lost the connection first are chosen first.
static player_mask_t find_reserved_players(const match_o *m, uint32_t count) {
  player_mask_t chosen = 0;
  uint32_t used = (uint32_t)__builtin_popcount(get_used_players(m)), player;
  while (used - (uint32_t)__builtin_popcount(chosen) + count > m->desc.max_players) {
    if ((player = find_lost_player(m, chosen)) == PLAYER_MAX)
      return 0;
    chosen |= player_mask_of(player) | find_players_of(m, m->digests[player]);
  }
  return chosen;
}

_Static_assert(sizeof(match_visit_t) == MATCH_TOKEN_BYTES, "a visit replaces the digest of a token");

void match_rename_visitor(match_o *m, const match_visit_t *visit, const char *name) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    connection_t *c = &m->connections[i];
    if (c->state != CONNECTION_NONE && memcmp(c->digest, visit, sizeof *visit) == 0)
      player_name_clean(name, strlen(name), c->name);
  }
}

uint32_t match_find_spectator(const match_o *m, const uint8_t *account) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    const connection_t *c = &m->connections[i];
    if (c->state != CONNECTION_NONE && c->is_spectator &&
        (!account || memcmp(c->account, account, sizeof c->account) == 0))
      return c->peer;
  }
  return 0;
}

bool match_has_free_connection(const match_o *m) {
  return find_free_connection(m) != NULL;
}

// Returns true if one more spectator leaves a connection for each player of the room.
static bool has_space_for_spectator(const match_o *m) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    count += m->connections[i].state != CONNECTION_NONE && m->connections[i].is_spectator;
  return count + m->desc.max_players < MATCH_MAX_CONNECTIONS;
}

uint32_t match_host_find_visiting_peer(const match_o *m, const match_visit_t *visit) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    const connection_t *c = &m->connections[i];
    if (c->state != CONNECTION_NONE && c->players != 0 && memcmp(c->digest, visit, sizeof *visit) == 0)
      return c->peer;
  }
  return 0;
}

bool match_host_is_visited_by(const match_o *m, const match_visit_t *visit) {
  return find_players_of(m, (const uint8_t *)visit) != 0 || match_host_find_visiting_peer(m, visit) != 0;
}

bool match_read_request(const match_o *m, const uint8_t *request, size_t size, match_applicant_t *out) {
  if (size != MATCH_REQUEST_BYTES || request[0] != MATCH_VERSION || request[MATCH_REQUEST_WATCH] > 1)
    return false;
  memcpy(out->account, request + MATCH_REQUEST_ACCOUNT, sizeof out->account);
  memcpy(out->password, request + MATCH_REQUEST_PASSWORD, sizeof out->password);
  out->watches = request[MATCH_REQUEST_WATCH];
  const char *name = (const char *)request + MATCH_REQUEST_NAME;
  player_name_clean(name, strnlen(name, PLAYER_NAME_BYTES), out->name);
  out->players = request[MATCH_REQUEST_PLAYERS];
  out->is_known = !m->desc.has_accounts && find_players_of_token(m, request + MATCH_REQUEST_TOKEN) != 0;
  out->fits = has_space(m, out->players);
  out->reserved = out->fits || !find_free_connection(m) ? 0 : find_reserved_players(m, out->players);
  return true;
}

static void write_limits(const match_limits_t *limits, uint8_t *out) {
  memcpy(out, &limits->memory_mb, 4);
  memcpy(out + 4, &limits->budget_ms, 4);
  out[8] = (uint8_t)(limits->has_budget | limits->is_strict << 1);
}

// Finds the players of a machine that joins, or free players, and closes the machine's previous connection. Stores the
// digest by which its players are known and, unless it is a visit, the token.
static player_mask_t find_players_for(match_o *m, uint32_t count, const match_visit_t *visit, uint8_t *token,
                                      uint8_t *digest) {
  if (visit)
    memcpy(digest, visit, MATCH_TOKEN_BYTES);
  else
    compute_digest(token, digest);
  player_mask_t players = visit ? find_players_of(m, digest) : find_players_of_token(m, token);
  if (visit || players != 0)
    close_previous(m, digest);
  if (players != 0)
    return players;
  if (!visit) {
    make_token(m, token);
    compute_digest(token, digest);
  }
  return find_free_players(m, count);
}

bool match_host_accept(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *request, const match_visit_t *visit,
                       const char *name, uint8_t *reply, match_refusal_t *refusal) {
  uint8_t token[MATCH_TOKEN_BYTES], digest[MATCH_TOKEN_BYTES];
  match_applicant_t applicant;
  match_read_request(m, request, MATCH_REQUEST_BYTES, &applicant);
  uint32_t count = applicant.players;
  bool is_spectator = m->desc.has_accounts && !visit;
  if (is_spectator && (count > 0 || !has_space_for_spectator(m)))
    return match_refusal_set(refusal, MATCH_REFUSAL_FULL, m->desc.max_players);
  memcpy(token, request + MATCH_REQUEST_TOKEN, MATCH_TOKEN_BYTES);
  player_mask_t players = find_players_for(m, count, visit, token, digest);
  connection_t *c = find_free_connection(m);
  if (!c || (players == 0 && count > 0))
    return match_refusal_set(refusal, MATCH_REFUSAL_FULL, m->desc.max_players);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (players >> i & 1)
      match_host_drop_arrival(m, i); // drops the arrival of a machine that was accepted earlier but has not joined
  *c = (connection_t){
      .peer = peer, .state = CONNECTION_ACCEPTED, .players = players, .is_spectator = is_spectator, .heard_us = now_us};
  memcpy(c->digest, digest, MATCH_TOKEN_BYTES);
  memcpy(c->account, applicant.account, sizeof c->account);
  if (name)
    player_name_clean(name, strlen(name), c->name);
  else
    memcpy(c->name, applicant.name, sizeof c->name);
  reply[0] = MATCH_VERSION;
  memcpy(reply + MATCH_REPLY_PLAYERS, &players, sizeof players);
  memcpy(reply + MATCH_REPLY_TOKEN, token, MATCH_TOKEN_BYTES);
  memcpy(reply + MATCH_REPLY_KEY, m->key, MATCH_KEY_BYTES);
  write_limits(&m->limits, reply + MATCH_REPLY_LIMITS);
  return true;
}

// Returns the number of the first record that follows a snapshot of the current state. After the end of the match, this
// is the END record itself, because a snapshot does not contain the end.
static uint64_t get_next_number(const match_o *m) {
  return m->next_number - m->has_ended;
}

// Fills in the record for a snapshot's head, which describes the current state.
static void describe_current_state(match_o *m, record_t *state) {
  uint64_t next = get_next_number(m);
  *state = (record_t){.number = next > 1 ? next - 1 : 1, .kind = RECORD_TICK, .tick = m->tick};
  state->inputs = m->inputs;
  state->hash = m->hash;
}

// Writes the state after a traced tick, which the peer compares with its own state. Returns the size, or 0 if the state
// is not kept.
static size_t write_traced(match_o *m, uint64_t tick, const uint8_t **bytes, record_t *state) {
  size_t size =
      tick > 0 && m->desc.world.write_traced ? m->desc.world.write_traced(m->desc.world.context, tick, bytes) : 0;
  if (size == 0 || !match_find_record(m, tick, state))
    return 0;
  state->item_count = 0;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    player_input_clear_edges(&state->inputs.players[i]);
  return size;
}

static uint32_t get_first_player(const connection_t *c) {
  return c->players ? (uint32_t)__builtin_ctz(c->players) : 0;
}

// Writes the head of a snapshot of `size` bytes, whose first following record is `next`. Returns the size of the head.
static size_t write_head(const match_o *m, const record_t *state, uint64_t next, size_t size, bool is_paused,
                         uint8_t *head) {
  record_coder_t coder = {0};
  size_t at = varint_write(next, head);
  at += varint_write(size, head + at);
  head[at++] = is_paused;
  memcpy(head + at, m->digests, sizeof m->digests);
  at += sizeof m->digests;
  return at + record_write(&coder, state, head + at, MATCH_HEAD_BYTES - at);
}

static void push_snapshot(connection_t *c, int64_t now_us, uint64_t next, const uint8_t *head, size_t head_bytes) {
  if (c->state == CONNECTION_BEHIND && ++c->snapshots > MAX_SNAPSHOTS)
    c->failure = MATCH_CLOSE_SLOW;
  match_push(c, MATCH_MESSAGE_SNAPSHOT, head, head_bytes);
  c->snapshot_us = now_us;
  c->snapshot_bytes = stream_get_status(c->stream).acknowledged_bytes;
  c->acked = c->streamed = c->first = next;
  c->has_state = false;
}

// Writes a snapshot of the current state to m->kept.
static void keep_snapshot(match_o *m, int64_t now_us) {
  const uint8_t *bytes;
  record_t *state = &m->record;
  size_t size = m->desc.world.write_snapshot(m->desc.world.context, &bytes);
  describe_current_state(m, state);
  m->kept_next = get_next_number(m);
  m->kept_head_bytes = write_head(m, state, m->kept_next, size, m->is_paused, m->kept_head);
  m->kept_us = now_us;
  match_begin_transfer(m, &m->kept, bytes, size);
}

void match_note_changed_world(match_o *m) {
  m->hash = 0;
  match_free_transfer(m, &m->kept);
}

void match_take_snapshot(match_o *m, match_snapshot_t *out) {
  const match_world_t *world = &m->desc.world;
  record_t *state = &m->record;
  out->state_bytes = (world->copy_snapshot ? world->copy_snapshot : world->write_snapshot)(world->context, &out->state);
  describe_current_state(m, state);
  out->next = get_next_number(m);
  out->tick = m->tick;
  out->head_bytes = write_head(m, state, out->next, out->state_bytes, m->is_paused, out->head);
}

// Begins to send the current state, or the kept snapshot if a different peer needed one within the last second.
static void begin_snapshot(match_o *m, connection_t *c, int64_t now_us) {
  match_share_send_code(m, c);
  if (!m->kept.bytes)
    keep_snapshot(m, now_us);
  push_snapshot(c, now_us, m->kept_next, m->kept_head, m->kept_head_bytes);
  match_share_transfer(m, &c->snapshot, &m->kept);
  c->restarted = 0;
}

// Begins to send the state after a traced tick or, if that state is not kept, the current state.
static void begin_traced_snapshot(match_o *m, connection_t *c, int64_t now_us) {
  const uint8_t *bytes;
  uint8_t head[MATCH_HEAD_BYTES];
  record_t *state = &m->record;
  size_t size = write_traced(m, c->traced, &bytes, state);
  if (size == 0) {
    begin_snapshot(m, c, now_us);
    return;
  }
  uint64_t next = state->number + 1;
  match_share_send_code(m, c);
  push_snapshot(c, now_us, next, head, write_head(m, state, next, size, false, head));
  match_begin_transfer(m, &c->snapshot, bytes, size);
}

// Returns true if the stream has space for the heads of a snapshot and of changed code.
static bool has_space_for_head(const connection_t *c) {
  return stream_get_free_bytes(c->stream) >= 2 * (size_t)MATCH_HEAD_BYTES;
}

// Returns an account's snapshot limit. A new account replaces the account whose limit ends first. Unused entries have
// the account 0. No machine in a room has this account: the database contains no digest of 0, so it refuses claims of
// the account.
static rate_limit_t *find_account_limit(match_o *m, const uint8_t *account) {
  shoal_assert(!sodium_is_zero(account, MATCH_ACCOUNT_BYTES), "a machine without an account is in a room");
  account_limit_t *first = &m->account_limits[0];
  for (uint32_t i = 0; i < MATCH_ACCOUNT_LIMITS; ++i) {
    account_limit_t *a = &m->account_limits[i];
    if (memcmp(a->account, account, sizeof a->account) == 0)
      return &a->limit;
    if (a->limit.due_us < first->limit.due_us)
      first = a;
  }
  memcpy(first->account, account, sizeof first->account);
  first->limit = (rate_limit_t){0};
  return &first->limit;
}

static rate_limit_t *find_snapshot_limit(match_o *m, const connection_t *c) {
  if (m->desc.has_accounts)
    return find_account_limit(m, c->account);
  return &m->snapshot_limits[c->players ? get_first_player(c) : PLAYER_MAX];
}

// Returns true if the connection has space for a snapshot, and its machine may receive one now. Otherwise, the peer
// waits.
static bool take_snapshot(match_o *m, connection_t *c, int64_t now_us) {
  rate_limit_t *limit = find_snapshot_limit(m, c);
  if (!has_space_for_head(c))
    return false;
  if (rate_limit_take_interval(limit, now_us, SNAPSHOT_INTERVAL_US, SNAPSHOT_BURST))
    return true;
  c->progress_us = now_us;
  return false;
}

void match_host_connect(match_o *m, connection_t *c, int64_t now_us) {
  match_open_connection(m, c, now_us);
  input_queue_init(&c->queue, &m->memory, c->players);
  c->state = CONNECTION_BEHIND;
  c->acked = c->streamed = 0;                   // 0: match_host_update sends a snapshot
  c->repaired_us = now_us - REPAIR_INTERVAL_US; // the first repair need not wait
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(c->players & match_host_get_staying(m) & player_mask_of(i)))
      continue;
    m->absent_until_us[i] = 0;
    m->leaving &= ~player_mask_of(i);
    match_add_event(m, (match_event_t){.kind = MATCH_EVENT_REJOINED, .player = i, .tick = m->tick});
  }
}

void match_host_disconnect(match_o *m, connection_t *c, int64_t now_us, bool keep) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    player_mask_t player = c->players & player_mask_of(i);
    m->joining &= ~player;
    if (!(player & match_host_get_staying(m)))
      continue;
    m->absent_until_us[i] = keep ? now_us + MATCH_REJOIN_US : now_us;
    match_add_event(m, (match_event_t){.kind = MATCH_EVENT_LOST, .player = i, .reason = c->failure, .tick = m->tick});
  }
  match_close_connection(m, c);
}

// --- ticks

static void add_item(record_t *record, record_item_kind_t kind, uint32_t player, const uint8_t *bytes, size_t size) {
  record->items[record->item_count++] = (record_item_t){kind, (uint8_t)player, (uint16_t)size, bytes};
}

// Adds a JOIN item: the digest of the player's token or, in a room, the visit, then the player's name.
static void add_join(match_o *m, record_t *record, uint32_t player) {
  uint8_t *bytes = m->join_items[player];
  player_mask_t players = m->players;
  const char *first_name = m->name;
  char name[PLAYER_NAME_BYTES];
  memset(bytes, 0, MATCH_TOKEN_BYTES);
  if (m->has_token && (m->players >> player & 1))
    compute_digest(m->token, bytes);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    const connection_t *c = &m->connections[i];
    if (!(c->players >> player & 1))
      continue;
    memcpy(bytes, c->digest, MATCH_TOKEN_BYTES);
    players = c->players;
    first_name = c->name;
  }
  size_t length =
      player_name_number(first_name, (uint32_t)__builtin_popcount(players & player_mask_first(player)), name);
  memcpy(bytes + MATCH_TOKEN_BYTES, name, length);
  add_item(record, RECORD_ITEM_JOIN, player, bytes, MATCH_TOKEN_BYTES + length);
}

void match_host_drop_arrival(match_o *m, uint32_t player) {
  alloc_resize(&m->memory, m->arrivals[player].bytes, m->arrivals[player].size, 0);
  m->arrivals[player].bytes = NULL;
  m->arrivals[player].size = m->arrivals[player].sent = 0;
}

void match_set_arrival(match_o *m, uint32_t player, const void *bytes, size_t size) {
  shoal_assert(player < PLAYER_MAX, "player %u is out of range [0, %u)", player, PLAYER_MAX);
  match_host_drop_arrival(m, player);
  if (size == 0 || (match_host_get_staying(m) >> player & 1))
    return;
  m->arrivals[player].bytes = alloc_resize(&m->memory, NULL, 0, size);
  m->arrivals[player].size = size;
  memcpy(m->arrivals[player].bytes, bytes, size);
}

// Drops the arrivals of the players who have joined.
static void drop_used_arrivals(match_o *m) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (m->arrivals[i].bytes && (m->inputs.present >> i & 1))
      match_host_drop_arrival(m, i);
}

// Returns the players whose arrival or JOIN is in the next record: one player with an arrival or, if no player has an
// arrival, all joining players. An arrival in parts is completed before the next one begins.
static player_mask_t find_joining(const match_o *m) {
  player_mask_t joining = m->joining & ~m->removed; // a removed player's place is free after this record
  uint32_t found = PLAYER_MAX;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((joining >> i & 1) && m->arrivals[i].bytes && (found == PLAYER_MAX || m->arrivals[i].sent > 0))
      found = i;
  return found < PLAYER_MAX ? player_mask_of(found) : joining;
}

// Adds the rows that a player brings, or their next part. Returns true once the records contain all rows, so the JOIN
// can follow.
static bool add_arrival(match_o *m, record_t *record, uint32_t player) {
  const uint8_t *bytes = m->arrivals[player].bytes;
  size_t size = m->arrivals[player].size, sent = m->arrivals[player].sent, part = size - sent;
  if (!bytes)
    return true;
  if (sent == 0 && size <= ITEM_ROWS_MAX_BYTES) {
    add_item(record, RECORD_ITEM_ARRIVAL, player, bytes, size);
    return true;
  }
  part = part < ITEM_ROWS_MAX_BYTES ? part : ITEM_ROWS_MAX_BYTES - 1;
  m->arrival_item[0] = sent == 0 ? ITEM_ROWS_FIRST_PART : ITEM_ROWS_NEXT_PART;
  memcpy(m->arrival_item + 1, bytes + sent, part);
  add_item(record, RECORD_ITEM_ARRIVAL, player, m->arrival_item, 1 + part);
  m->arrivals[player].sent += part;
  return sent + part == size;
}

static void add_joins(match_o *m, record_t *record) {
  player_mask_t leaving = m->leaving & record->inputs.present, joining = find_joining(m);
  if (leaving != 0 && m->desc.leaves)
    m->desc.leaves(m->desc.leave_context, leaving);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (m->leaving >> i & record->inputs.present >> i & 1) {
      add_item(record, RECORD_ITEM_LEAVE, i, NULL, 0);
      record->inputs.present &= ~player_mask_of(i);
      m->absent_until_us[i] = 0;
    } else if (joining >> i & 1) {
      if (!add_arrival(m, record, i)) {
        joining &= ~player_mask_of(i); // the next record contains the next part
        continue;
      }
      add_join(m, record, i);
      record->inputs.present |= player_mask_of(i);
    }
  }
  m->joining &= ~joining;
  m->leaving = m->removed = 0;
}

static void finish_record(match_o *m, record_t *record) {
  uint8_t bytes[RECORD_MAX_BYTES];
  size_t size = record_write(&m->coder, record, bytes, sizeof bytes);
  m->sizes[record->number & (m->desc.log_records - 1)] = (uint16_t)size;
  if (size > MATCH_LARGE_RECORD)
    m->large = record->number;
  record_log_add(m->log, record);
  match_note_record(m, record);
}

static bool is_taken_from(const connection_t *c, const record_t *record) {
  return c->state == CONNECTION_LIVE && c->players != 0 && (record->inputs.present & c->players) == c->players;
}

// Adds the inputs of the local players.
static void take_local_inputs(match_o *m, item_limits_t end, record_t *record) {
  end = input_queue_limit(record, end);
  local_input_take(&m->local, m->players & record->inputs.present, end.items - record->item_count,
                   end.bytes - (uint32_t)record_get_item_bytes(record), record);
}

// Adds the inputs of all machines. Each tick begins with the next machine, so that each machine's commands find space
// in some record, even if all machines send more commands than fit.
static void take_inputs(match_o *m, record_t *record) {
  uint32_t used = (uint32_t)record_get_item_bytes(record), bytes = RECORD_MAX_ITEM_BYTES - MATCH_TICK_ITEM_BYTES;
  const item_limits_t end = {RECORD_MAX_ITEMS - MATCH_TICK_ITEMS, used < bytes ? bytes : used};
  uint64_t max_age = (uint64_t)(MATCH_NEUTRAL_US / m->desc.tick_us);
  connection_t *machines[MATCH_MAX_CONNECTIONS + 1] = {NULL}; // NULL: this machine
  uint32_t count = 1;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (is_taken_from(&m->connections[i], record))
      machines[count++] = &m->connections[i];
  for (uint32_t i = 0; i < count; ++i) {
    connection_t *c = machines[(record->tick + i) % count];
    if (c)
      input_queue_take(&c->queue, max_age, m->started, end, record);
    else
      take_local_inputs(m, end, record);
  }
}

static void run_tick(match_o *m) {
  record_t *record = &m->record;
  record->number = m->next_number;
  record->kind = RECORD_TICK;
  record->tick = m->tick + 1;
  record->item_count = 0;
  memset(&record->inputs, 0, sizeof record->inputs);
  record->inputs.present = m->inputs.present;
  add_joins(m, record);
  take_inputs(m, record);
  uint64_t hash;
  m->desc.world.run(m->desc.world.context, record, MATCH_RUN_HOST, &hash);
  record->hash = match_fold_hash(hash);
  finish_record(m, record);
  drop_used_arrivals(m);
  if (m->desc.world.confirm)
    m->desc.world.confirm(m->desc.world.context, record->tick, hash);
}

void match_host_add_record(match_o *m, int64_t now_us, record_kind_t kind, uint64_t hash) {
  record_t *record = &m->record;
  *record = (record_t){.number = m->next_number, .kind = kind, .hash = hash};
  m->due_us = now_us + m->desc.tick_us;
  bool is_start = kind == RECORD_RESTART || kind == RECORD_SWITCH;
  if (is_start)
    m->desc.world.apply(m->desc.world.context, record);
  finish_record(m, record);
  for (uint32_t i = 0; is_start && i < MATCH_MAX_CONNECTIONS; ++i)
    m->connections[i].restarted = m->next_number;
}

void match_add_reload(match_o *m, int64_t now_us, uint64_t hash) {
  match_host_add_record(m, now_us, RECORD_RELOAD, hash);
}

static void end_absences(match_o *m, int64_t now_us) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (m->absent_until_us[i] != 0 && now_us >= m->absent_until_us[i])
      m->leaving |= player_mask_of(i);
}

static void run_due_ticks(match_o *m, int64_t now_us) {
  if (m->is_paused || m->has_ended)
    m->due_us = now_us + m->desc.tick_us;
  uint32_t max_ticks = m->max_ticks > 0 ? m->max_ticks : MATCH_MAX_TICKS_PER_UPDATE;
  for (uint32_t i = 0; i < max_ticks && now_us >= m->due_us && !m->has_ended; ++i) {
    run_tick(m);
    m->due_us += m->desc.tick_us;
    if (m->desc.last_tick > 0 && m->tick >= m->desc.last_tick)
      match_host_add_record(m, now_us, RECORD_END, 0);
  }
  if (now_us - m->due_us > MAX_LATE_US)
    m->due_us = now_us;
}

// --- the stream

// Writes the records in [*from, to) as a block, at most MATCH_BLOCK_RECORDS, and advances *from past them. Returns the
// size.
static size_t write_block(match_o *m, record_coder_t coder, uint64_t *from, uint64_t to, uint8_t *out,
                          size_t capacity) {
  size_t at = 0;
  to = to < *from + MATCH_BLOCK_RECORDS ? to : *from + MATCH_BLOCK_RECORDS;
  for (size_t size; *from < to && record_log_get(m->log, *from, &m->record); ++*from, at += size)
    if ((size = record_write(&coder, &m->record, out + at, capacity - at)) == 0)
      break;
  return at;
}

static uint64_t get_recent_records(const match_o *m, const connection_t *c) {
  return RECENT_RECORDS + 2 * (uint64_t)(stream_get_status(c->stream).round_trip_us / m->desc.tick_us);
}

// Returns the end of the records that the stream must carry. For a peer that is behind, the stream carries all records.
// For any other peer, it carries records that are too large for a datagram, or that many datagrams have carried without
// an acknowledgement.
static uint64_t find_stream_end(const match_o *m, const connection_t *c) {
  uint64_t age = get_recent_records(m, c), end = m->next_number > age ? m->next_number - age : 0;
  if (c->state == CONNECTION_BEHIND)
    return m->next_number;
  return m->large + 1 > end ? m->large + 1 : end;
}

static void push_records(match_o *m, connection_t *c) {
  uint8_t block[RECORD_MAX_BYTES + VARINT_BYTES];
  c->streamed = c->acked > c->streamed ? c->acked : c->streamed;
  for (uint64_t end = find_stream_end(m, c); c->streamed < end;) {
    uint64_t from = c->streamed;
    size_t size = write_block(m, (record_coder_t){0}, &from, end, block, sizeof block);
    if (size == 0 || stream_get_free_bytes(c->stream) < size + 1 || !match_push(c, MATCH_MESSAGE_RECORDS, block, size))
      return;
    c->streamed = from;
  }
}

static void note_progress(const match_o *m, connection_t *c, int64_t now_us) {
  uint64_t streamed_bytes = stream_get_status(c->stream).acknowledged_bytes;
  if (c->has_state && !c->snapshot.bytes ? c->acked >= m->next_number : streamed_bytes > c->streamed_bytes)
    c->progress_us = now_us;
  c->streamed_bytes = streamed_bytes;
}

// Returns true if a joining peer will not receive the state in time at its rate so far.
static bool is_too_slow(const connection_t *c, int64_t now_us) {
  double elapsed_us = (double)(now_us - c->snapshot_us);
  if (c->state != CONNECTION_BEHIND || !c->snapshot.bytes || elapsed_us <= MATCH_JUDGING_US)
    return false;
  double received_bytes = (double)(stream_get_status(c->stream).acknowledged_bytes - c->snapshot_bytes);
  return elapsed_us * (double)c->snapshot.size > MATCH_MAX_LOADING_US * received_bytes;
}

static void update_connection(match_o *m, connection_t *c, int64_t now_us) {
  if (c->state < CONNECTION_BEHIND)
    return;
  match_share_push(m, c);
  if (c->needs_key)
    c->needs_key = !match_push(c, MATCH_MESSAGE_KEY, m->key, sizeof m->key);
  if (!c->code_out.bytes)
    match_push_transfer(m, c, &c->snapshot, MATCH_MESSAGE_PART);
  if (!c->snapshot.bytes && (c->acked == 0 || (c->acked < m->next_number && !record_log_has(m->log, c->acked)))) {
    c->state = CONNECTION_BEHIND;
    if (take_snapshot(m, c, now_us))
      begin_snapshot(m, c, now_us);
  } else if (!c->snapshot.bytes && c->restarted != 0 && c->acked >= c->restarted && m->hash != 0) {
    // Sends the state after a restart only once m->hash is set: the first tick has then run the start functions.
    if (has_space_for_head(c))
      begin_snapshot(m, c, now_us);
  }
  if (!c->snapshot.bytes && c->acked > 0)
    push_records(m, c);
  note_progress(m, c, now_us);
  if (c->failure || now_us - c->heard_us > MATCH_SILENT_US)
    return; // the seal closes the connection of a machine that stays silent
  if (is_too_slow(c, now_us)) {
    c->failure = MATCH_CLOSE_SLOW;
    c->close_us = now_us + DRAIN_US;
  } else if (now_us - c->progress_us > STALL_US) {
    c->failure = MATCH_CLOSE_STALLED;
  }
}

// Returns true while the connection's machine may be loading a restarted game and therefore sends nothing.
static bool may_be_loading(const connection_t *c) {
  return c->restarted != 0 && c->acked < c->restarted;
}

// Updates the masks of players whose machine is silent or lost, and notifies the peers of changes. Each screen
// therefore shows a lost player long before the connection times out.
static void update_silence(match_o *m, int64_t now_us) {
  m->silent = m->lost = 0;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    m->lost |= m->absent_until_us[i] != 0 ? player_mask_of(i) : 0;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (m->connections[i].stream && !may_be_loading(&m->connections[i]) &&
        now_us - m->connections[i].heard_us > MATCH_SILENT_US)
      m->silent |= m->connections[i].players;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    connection_t *c = &m->connections[i];
    player_mask_t message[] = {m->silent, m->lost};
    if (!c->stream || (c->told_silent == m->silent && c->told_lost == m->lost) ||
        !match_push(c, MATCH_MESSAGE_SILENT, message, sizeof message))
      continue;
    c->told_silent = m->silent;
    c->told_lost = m->lost;
  }
}

void match_host_update(match_o *m, int64_t now_us) {
  if (now_us - m->kept_us >= SNAPSHOT_SHARED_US)
    match_free_transfer(m, &m->kept);
  end_absences(m, now_us);
  run_due_ticks(m, now_us);
  match_share_update_host(m, now_us);
  update_silence(m, now_us);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    update_connection(m, &m->connections[i], now_us);
}

// --- messages from a peer

static void go_live(match_o *m, connection_t *c) {
  if (c->state != CONNECTION_BEHIND || !c->has_state || c->acked + get_recent_records(m, c) < m->next_number)
    return;
  c->state = CONNECTION_LIVE;
  c->snapshots = 0;
  m->joining |= c->players & ~match_host_get_staying(m);
}

// Runs the traced tick again, and sends the report. Sends an empty report if the tick's record is no longer kept, or
// the rate limit is exceeded.
static void push_report(match_o *m, connection_t *c, int64_t now_us, const uint8_t *other, size_t other_size) {
  uint8_t out[VARINT_BYTES + MATCH_MAX_REPORT_BYTES];
  record_t record;
  size_t at = varint_write(c->traced, out), size = 0;
  if (m->desc.world.trace && match_find_record(m, c->traced, &record) &&
      rate_limit_take(&m->trace_limit, now_us, TRACES_PER_SECOND, TRACES_BURST))
    size = m->desc.world.trace(m->desc.world.context, m, c->traced, record.hash, other, other_size, out + at);
  match_push(c, MATCH_MESSAGE_REPORT, out, at + size);
}

static void read_desync(match_o *m, connection_t *c, int64_t now_us, const uint8_t *bytes, size_t size) {
  uint64_t tick, hash;
  size_t at = 0;
  if (!match_message_read(bytes, size, &at, &tick) || !match_message_read(bytes, size, &at, &hash) || tick > m->tick ||
      hash > UINT32_MAX || size - at > MATCH_MAX_REPORT_BYTES) {
    c->failure = MATCH_CLOSE_MALFORMED;
    return;
  }
  if (++c->repairs > MAX_REPAIRS) {
    c->failure = MATCH_CLOSE_DESYNCS;
    return;
  }
  if (now_us - c->repaired_us < REPAIR_INTERVAL_US || c->snapshot.bytes || !take_snapshot(m, c, now_us))
    return;
  c->repaired_us = now_us;
  c->traced = tick;
  c->traced_hash = hash;
  match_add_event(m, (match_event_t){.kind = MATCH_EVENT_DESYNC, .player = get_first_player(c), .tick = tick});
  push_report(m, c, now_us, bytes + at, size - at);
  begin_traced_snapshot(m, c, now_us);
}

static void read_finding(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  uint64_t tick;
  size_t at = 0;
  record_t record;
  bool ok = match_message_read(bytes, size, &at, &tick) && size - at <= MATCH_MAX_FINDING_BYTES;
  if (ok && (tick == 0 || tick != c->traced))
    return; // the message is from an earlier connection, or a repetition
  c->traced = 0;
  match_event_t event = {.player = get_first_player(c), .tick = tick, .own_hash = c->traced_hash};
  if (ok && match_find_record(m, tick, &record))
    event.host_hash = record.hash;
  if (!ok || (size > at && !m->desc.world.describe) || !match_add_named(m, event, bytes + at, size - at))
    c->failure = MATCH_CLOSE_MALFORMED;
}

static void read_messages(match_o *m, connection_t *c, int64_t now_us) {
  size_t size;
  for (const uint8_t *message; (message = stream_pop(c->stream, &size)) != NULL && !c->failure;) {
    if (message[0] == MATCH_MESSAGE_DESYNC) {
      read_desync(m, c, now_us, message + 1, size - 1);
    } else if (message[0] == MATCH_MESSAGE_FINDING) {
      read_finding(m, c, message + 1, size - 1);
    } else if (message[0] == MATCH_MESSAGE_DROPPED && size == 1) {
      if (!c->snapshot.bytes && now_us - c->repaired_us >= REPAIR_INTERVAL_US)
        c->acked = 0; // match_host_update sends a snapshot
      c->repaired_us = now_us;
    } else if (message[0] == MATCH_MESSAGE_CHAT) {
      if (!match_chat_read_host(m, c, now_us, message + 1, size - 1))
        c->failure = MATCH_CLOSE_MALFORMED;
    } else if (message[0] == MATCH_MESSAGE_LEAVE && size == 1) {
      m->leaving |= c->players & m->inputs.present;
      m->joining &= ~c->players;
      c->players = c->queue.players = 0;
      c->is_spectator = m->desc.has_accounts;
    } else if (!match_share_read_host(m, c, message, size)) {
      c->failure = MATCH_CLOSE_MALFORMED;
    }
  }
}

// --- datagrams

static void read_acknowledgement(match_o *m, connection_t *c, int64_t now_us, uint64_t next) {
  if (c->acked == 0 || next < c->acked)
    return;
  c->has_state = true;
  c->progress_us = next > c->acked ? now_us : c->progress_us;
  c->acked = next;
  go_live(m, c);
}

static bool read_inputs(match_o *m, connection_t *c, int64_t now_us, const uint8_t *bytes, size_t size) {
  record_coder_t coder;
  record_t *record = &m->record;
  size_t at = 0;
  if (!match_message_read_base(bytes, size, &at, c->queue.log, &coder))
    return false;
  for (size_t read; at < size; at += read) {
    if ((read = record_read(&coder, bytes + at, size - at, record)) == 0)
      return false;
    bool is_newest = record->number > c->measured && record->number > c->queue.newest;
    if (c->players != 0 && !input_queue_add(&c->queue, record, m->tick))
      return false;
    if (!is_newest)
      continue;
    c->measured = record->number;
    // Clamps the value, because a hostile peer can send any tick number, and an honest peer rejects values that are too
    // large.
    double early_us =
        ((double)record->tick - (double)m->tick - 1) * (double)m->desc.tick_us + (double)(m->due_us - now_us);
    c->early_us = (int64_t)fmin(fmax(early_us, -(double)MATCH_LOST_US), (double)MATCH_LOST_US);
  }
  return true;
}

bool match_host_read(match_o *m, connection_t *c, int64_t now_us, const uint8_t *bytes, size_t size) {
  uint64_t next;
  size_t at = 0;
  read_messages(m, c, now_us);
  if (size == 0)
    return true;
  if (!match_message_read(bytes, size, &at, &next) || next > m->next_number ||
      !read_inputs(m, c, now_us, bytes + at, size - at))
    return false;
  read_acknowledgement(m, c, now_us, next);
  return true;
}

// Returns the approximate extra size of a block's first record, which is complete. The result is at most half of a
// block, so that newer records fit in a match of many players, too.
static size_t estimate_complete_record(const match_o *m) {
  size_t bytes = 20 + 20 * (size_t)__builtin_popcount(m->inputs.present);
  return bytes < MATCH_BLOCK_BYTES / 2 ? bytes : MATCH_BLOCK_BYTES / 2;
}

// Returns the number of the first record in the longest sequence of recent, unacknowledged records that fits into a
// datagram.
static uint64_t find_first_record(const match_o *m, const connection_t *c) {
  uint64_t from = m->next_number;
  for (size_t bytes = estimate_complete_record(m); from > c->acked && from > 1; --from) {
    size_t size = m->sizes[(from - 1) & (m->desc.log_records - 1)];
    if (size > MATCH_LARGE_RECORD || (bytes += size) > MATCH_BLOCK_BYTES || !record_log_has(m->log, from - 1))
      break;
  }
  return from;
}

size_t match_host_write(match_o *m, connection_t *c, uint8_t *out) {
  size_t at = varint_write(c->queue.received, out);
  at += varint_write(m->next_number - 1, out + at);
  at += varint_write(c->measured, out + at);
  at += varint_write(match_message_zigzag(c->early_us), out + at);
  if (c->state != CONNECTION_LIVE)
    return at;
  uint64_t from = find_first_record(m, c);
  bool has_base = from == c->acked && from > c->first;
  record_coder_t coder;
  at += match_message_write_base(m->log, has_base ? from - 1 : 0, out + at, &coder);
  return at + write_block(m, coder, &from, m->next_number, out + at, MATCH_BLOCK_BYTES);
}
