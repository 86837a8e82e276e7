// Peer of a match. The world has the state after tick m->predicted, which is at least the confirmed m->tick. Slots
// contain the states of all ticks since the confirmed tick.
#include "match/match_peer.h"

#include "base/assert.h"
#include "match/match_chat.h"
#include "match/match_message.h"
#include "match/match_share.h"

#include <string.h>

#define PLAYING_RECORDS 15u  // a peer that lacks fewer records counts as caught up
#define BEHIND_RECORDS 120u  // a peer that lacks more records catches up before it predicts again
#define CATCH_UP_RECORDS 32u // maximum number of records confirmed per update
#define AHEAD_TICKS 8u       // maximum number of predicted ticks before inputs are delayed
#define DELAY_TICKS 60u      // minimum number of ticks between changes of the delay
#define REPAIR_US 2000000    // time after which a desync is reported again

static uint32_t get_slot(uint64_t tick) {
  return (uint32_t)(tick % MATCH_SLOTS);
}

static void save(match_o *m) {
  m->desc.world.save(m->desc.world.context, get_slot(m->predicted));
}

void match_peer_drop_predictions(match_o *m) {
  if (m->predicted != m->tick)
    m->desc.world.restore(m->desc.world.context, get_slot(m->tick));
  m->predicted = m->tick;
}

// --- inputs of this machine

static void start_own_inputs(match_o *m) {
  record_log_clear(m->own.log);
  m->own.next = m->own.acked = 1;
  m->own.reported = 0;
  memset(m->own.ticks, 0, sizeof m->own.ticks);
  memset(m->own.moved, 0, sizeof m->own.moved);
}

static uint64_t get_own_tick(const match_o *m, uint64_t number) {
  return m->own.ticks[number % INPUT_QUEUE_RECORDS];
}

// Returns the number of this machine's latest input for a tick up to `tick`, or 0 if no such input is kept.
static uint64_t find_own_input(const match_o *m, uint64_t tick) {
  for (uint64_t number = m->own.next - 1; number > 0 && number + INPUT_QUEUE_RECORDS > m->own.next; --number)
    if (get_own_tick(m, number) <= tick)
      return number;
  return 0;
}

// Replaces the movements in an input of this machine with the sums of all movements so far.
static void sum_movements(match_o *m, player_inputs_t *inputs) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    player_input_t *input = &inputs->players[i], *moved = &m->own.moved[i];
    player_input_add_motion(moved, input->motion_x, input->motion_y);
    input->motion_x = moved->motion_x;
    input->motion_y = moved->motion_y;
  }
}

// Creates this machine's input for a tick. Does nothing if the delay has just decreased, or if the host lacks too many
// inputs. Edges and commands then wait for the next input.
static void make_own_input(match_o *m, int64_t now_us, uint64_t tick) {
  record_t *record = &m->record;
  // The limit is one below the host's queue size, because the queue also holds the last acknowledged input.
  if (m->own.next - m->own.acked >= INPUT_QUEUE_RECORDS - 1 ||
      (m->own.next > 1 && tick <= get_own_tick(m, m->own.next - 1)))
    return;
  record->number = m->own.next++;
  record->kind = RECORD_TICK;
  record->tick = tick;
  record->hash = 0;
  record->item_count = 0;
  memset(&record->inputs, 0, sizeof record->inputs);
  record->inputs.present = m->players;
  local_input_take(&m->local, m->players, INPUT_QUEUE_MAX_ITEMS, INPUT_QUEUE_MAX_ITEM_BYTES, record);
  sum_movements(m, &record->inputs);
  record->hash = record->item_count > 0 ? m->next_number : 0;
  record_log_add(m->own.log, record);
  m->own.ticks[record->number % INPUT_QUEUE_RECORDS] = tick;
  m->own.made_us[record->number % INPUT_QUEUE_RECORDS] = now_us;
}

// --- prediction

static void load_own_input(const match_o *m, uint64_t number, record_t *record) {
  record->item_count = 0;
  memset(&record->inputs, 0, sizeof record->inputs);
  if (number > 0)
    record_log_get(m->own.log, number, record);
}

// Predicts the record of the next tick: the remote players keep their held values, and do not move their mice.
static void predict_record(match_o *m, record_t *record) {
  uint64_t tick = m->predicted + 1, number = find_own_input(m, tick);
  player_inputs_t inputs = m->inputs, earlier;
  load_own_input(m, number > 0 ? number - 1 : 0, record);
  earlier = record->inputs;
  load_own_input(m, number, record);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(m->players >> i & 1))
      continue;
    inputs.players[i] = record->inputs.players[i];
    player_input_set_motion(&inputs.players[i], &earlier.players[i], &record->inputs.players[i]);
    if (get_own_tick(m, number) != tick)
      player_input_clear_edges(&inputs.players[i]);
  }
  if (get_own_tick(m, number) != tick || record->hash < m->started)
    record->item_count = 0;
  record->inputs = inputs;
  record->number = 0;
  record->kind = RECORD_TICK;
  record->tick = tick;
  record->hash = 0;
}

// Runs the next tick with a predicted record. Returns true on success. Returns false, and restores the previous state,
// if the tick needs the host's record.
static bool predict_tick(match_o *m) {
  record_t *record = &m->record;
  prediction_t *prediction = &m->predictions[get_slot(m->predicted + 1)];
  predict_record(m, record);
  prediction->inputs = record->inputs;
  prediction->item_hash = record_hash_items(record);
  if (!m->desc.world.run(m->desc.world.context, record, MATCH_RUN_PREDICTED, &prediction->hash)) {
    m->desc.world.restore(m->desc.world.context, get_slot(m->predicted));
    m->blocked_tick = m->predicted + 1;
    return false;
  }
  ++m->predicted;
  save(m);
  return true;
}

static uint64_t get_round_trip_ticks(const match_o *m) {
  return (uint64_t)(stream_get_status(m->connections[0].stream).round_trip_us / m->desc.tick_us);
}

// Delays the inputs if the lead over the confirmed tick would otherwise need many predicted ticks. Changes the delay by
// one tick at a time, because players notice each change.
static void update_delay(match_o *m) {
  m->lead += ((int64_t)((m->frontier + m->delay - m->tick) * 16) - m->lead) / 16;
  if (m->frontier < m->delay_checked + DELAY_TICKS)
    return;
  m->delay_checked = m->frontier;
  int64_t wanted = m->lead / 16 - AHEAD_TICKS;
  if (wanted > m->delay && m->delay < MATCH_MAX_DELAY)
    ++m->delay;
  else if (wanted < (int64_t)m->delay - 1 && m->delay > 0)
    --m->delay;
}

// Resets the clock so that inputs reach the host in time: the latest record arrived a round trip after the time at
// which the inputs for its tick should have been created.
static void reset_clock(match_o *m, int64_t now_us) {
  uint64_t tick = m->tick + get_round_trip_ticks(m) + MATCH_CLOCK_EARLY_TICKS;
  m->frontier = m->tick;
  match_clock_reset(&m->clock, now_us, m->desc.tick_us, tick);
}

// Creates the inputs for the ticks that are due, even if a missing external result prevents their prediction.
static void make_due_inputs(match_o *m, int64_t now_us) {
  while (match_clock_is_due(&m->clock, now_us, m->frontier + 1 + m->delay)) {
    if (m->frontier + 1 - m->tick > MATCH_MAX_PREDICTED) {
      m->counts.is_waiting = true;
      ++m->counts.waits;
      return;
    }
    ++m->frontier;
    m->waiting_since_us = now_us;
    make_own_input(m, now_us, m->frontier + m->delay);
    update_delay(m);
  }
}

static void predict(match_o *m, int64_t now_us) {
  bool has_joined = (m->inputs.present & m->players) == m->players;
  if (m->players == 0 || !has_joined || m->is_paused || m->has_ended)
    return;
  ++m->counts.frames;
  match_clock_update(&m->clock, now_us);
  while (m->delay > 0 && !match_clock_is_due(&m->clock, now_us, m->tick + 1 + m->delay))
    --m->delay; // the latency has decreased: the confirmed tick would overtake the inputs
  if (m->frontier < m->tick)
    reset_clock(m, now_us);
  make_due_inputs(m, now_us);
  bool is_late = m->next_number < m->received; // a late peer does not predict: it needs the time to confirm records
  while (!is_late && m->predicted < m->frontier && m->predicted - m->tick < MATCH_MAX_PREDICTED &&
         m->predicted + 1 != m->blocked_tick && predict_tick(m)) {
  }
}

// --- confirmation

static void push_desync(match_o *m) {
  uint8_t message[2 * VARINT_BYTES + MATCH_MAX_REPORT_BYTES];
  size_t at = varint_write(m->desync.tick, message);
  at += varint_write(m->desync.own_hash, message + at);
  memcpy(message + at, m->desync.own, m->desync.own_size);
  match_push(&m->connections[0], MATCH_MESSAGE_DESYNC, message, at + m->desync.own_size);
}

static void report_desync(match_o *m, uint64_t tick, uint64_t host_hash, uint64_t own_hash) {
  if (m->is_repairing || m->is_starting)
    return;
  m->is_repairing = true;
  m->connections[0].repaired_us = m->updated_us;
  ++m->counts.desyncs;
  match_add_event(
      m, (match_event_t){.kind = MATCH_EVENT_DESYNC, .tick = tick, .host_hash = host_hash, .own_hash = own_hash});
  m->desync.tick = tick;
  m->desync.host_hash = host_hash;
  m->desync.own_hash = own_hash;
  m->desync.host_size = 0;
  m->desync.own_size =
      m->desc.world.trace ? m->desc.world.trace(m->desc.world.context, m, tick, own_hash, NULL, 0, m->desync.own) : 0;
  push_desync(m);
}

static void repeat_desync(match_o *m, int64_t now_us) {
  if (!m->is_repairing || m->connections[0].snapshot.bytes || now_us - m->connections[0].repaired_us < REPAIR_US)
    return;
  m->connections[0].repaired_us = now_us;
  push_desync(m);
}

static bool is_predicted(const match_o *m, const record_t *record) {
  const prediction_t *prediction = &m->predictions[get_slot(record->tick)];
  return m->predicted >= record->tick && player_inputs_equal(&prediction->inputs, &record->inputs) &&
         prediction->item_hash == record_hash_items(record);
}

static void confirm_tick(match_o *m, record_t *record) {
  uint64_t hash = m->predictions[get_slot(record->tick)].hash;
  if (!is_predicted(m, record)) {
    uint64_t depth = m->predicted - m->tick;
    m->counts.rollbacks += depth > 0;
    m->counts.rerun_ticks += depth;
    m->counts.max_depth = depth > m->counts.max_depth ? depth : m->counts.max_depth;
    match_peer_drop_predictions(m);
    if (!m->desc.world.run(m->desc.world.context, record, MATCH_RUN_CONFIRMED, &hash))
      hash = 0;
    m->predicted = record->tick;
    save(m);
  }
  if (m->desc.world.confirm)
    m->desc.world.confirm(m->desc.world.context, record->tick, hash);
  if (match_fold_hash(hash) != record->hash)
    report_desync(m, record->tick, record->hash, match_fold_hash(hash));
}

static void confirm(match_o *m, int64_t now_us, record_t *record) {
  if (record->kind == RECORD_TICK) {
    confirm_tick(m, record);
    match_note_record(m, record);
    return;
  }
  match_peer_drop_predictions(m);
  if (record->kind == RECORD_RELOAD && !match_share_reload(m, record))
    return;
  bool is_applied = record->kind == RECORD_RESTART || record->kind == RECORD_SWITCH;
  if (is_applied)
    m->desc.world.apply(m->desc.world.context, record);
  if (is_applied || record->kind == RECORD_RELOAD)
    save(m);
  match_note_record(m, record);
  m->is_starting |= is_applied;
  if (record->kind == RECORD_RESUME)
    reset_clock(m, now_us);
}

static bool has_time(const match_o *m, uint32_t confirmed) {
  return confirmed == 0 ||
         (confirmed < CATCH_UP_RECORDS && (!m->desc.has_time || m->desc.has_time(m->desc.time_context)));
}

static void confirm_records(match_o *m, int64_t now_us) {
  record_t record;
  bool has_failed = m->connections[0].failure != MATCH_CLOSE_NONE;
  for (uint32_t i = 0; m->next_number < m->received && !has_failed && has_time(m, i); ++i) {
    bool is_next =
        record_log_get(m->log, m->next_number, &record) && (record.kind != RECORD_TICK || record.tick == m->tick + 1);
    if (!is_next) {
      m->connections[0].failure = MATCH_CLOSE_RECORDS;
      return;
    }
    confirm(m, now_us, &record);
    has_failed = m->connections[0].failure != MATCH_CLOSE_NONE;
  }
}

void match_peer_confirm_received(match_o *m, int64_t now_us) {
  uint64_t next = 0;
  while (m->has_state && m->next_number != next && m->next_number < m->received) {
    next = m->next_number;
    confirm_records(m, now_us);
  }
}

// --- messages from the host

// Returns true if the record is new, and fits into the log without overwriting acknowledged records that are not
// confirmed. The host repeats unacknowledged records.
static bool can_add_record(const match_o *m, const record_t *record) {
  return m->has_state && record->number >= m->received &&
         record->number < m->next_number + 2 * match_get_late_records(m) && !record_log_has(m->log, record->number) &&
         (record->item_count == 0 ||
          record_log_has_room(m->log, m->next_number, m->received, record_get_item_bytes(record)));
}

static bool add_records(match_o *m, record_coder_t coder, const uint8_t *bytes, size_t size) {
  record_t *record = &m->record;
  for (size_t at = 0, read; at < size; at += read) {
    if ((read = record_read(&coder, bytes + at, size - at, record)) == 0 || !record_is_of_match(record) ||
        !match_allows_players(m, record->inputs.present))
      return false;
    if (can_add_record(m, record))
      record_log_add(m->log, record);
  }
  while (m->has_state && record_log_has(m->log, m->received))
    ++m->received;
  m->newest = m->received - 1 > m->newest ? m->received - 1 : m->newest;
  return true;
}

static bool read_snapshot_head(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  record_coder_t coder = {0};
  uint64_t next, total;
  size_t at = 0;
  match_free_transfer(m, &c->snapshot);
  if (!match_message_read(bytes, size, &at, &next) || !match_message_read(bytes, size, &at, &total) || next == 0 ||
      next > RECORD_MAX_NUMBER || total == 0 || total > m->desc.max_snapshot_bytes ||
      size - at < 1 + sizeof m->snapshot_digests)
    return false;
  m->snapshot_is_paused = bytes[at++] != 0;
  memcpy(m->snapshot_digests, bytes + at, sizeof m->snapshot_digests);
  at += sizeof m->snapshot_digests;
  if (record_read(&coder, bytes + at, size - at, &m->snapshot_record) != size - at ||
      m->snapshot_record.kind != RECORD_TICK || m->snapshot_record.item_count != 0 ||
      !match_allows_players(m, m->snapshot_record.inputs.present))
    return false;
  m->snapshot_record.number = next - 1;
  match_begin_transfer(m, &c->snapshot, NULL, total);
  return true;
}

// Finds and describes the difference that caused a desync, and sends the finding to the host, which logs the same line.
static void name_desync(match_o *m, connection_t *c) {
  const match_world_t *world = &m->desc.world;
  uint8_t finding[VARINT_BYTES + MATCH_MAX_FINDING_BYTES];
  bool is_same_tick = m->snapshot_record.tick == m->desync.tick;
  size_t at = varint_write(m->desync.tick, finding), size = 0;
  if (world->find && m->desync.host_size > 0)
    size = world->find(world->context, m, m->desync.tick, m->desync.host, m->desync.host_size, c->snapshot.bytes,
                       is_same_tick ? c->snapshot.size : 0, finding + at);
  match_event_t event = {.tick = m->desync.tick, .host_hash = m->desync.host_hash, .own_hash = m->desync.own_hash};
  if (!match_add_named(m, event, finding + at, size))
    match_add_named(m, event, NULL, size = 0);
  match_push(c, MATCH_MESSAGE_FINDING, finding, at + size);
}

// Makes the host's snapshot the confirmed state. Records that have already arrived are confirmed again. Returns true on
// success. Returns false with a message if the snapshot is malformed, its hash differs, or records since an earlier
// state are no longer kept.
static bool adopt_snapshot(match_o *m, connection_t *c, error_info_t *error) {
  const record_t *state = &m->snapshot_record;
  uint64_t hash = state->hash, received = m->has_state ? m->received : 0;
  if (m->is_repairing)
    name_desync(m, c);
  bool ok = m->desc.world.read_snapshot(m->desc.world.context, c->snapshot.bytes, c->snapshot.size, &hash, error);
  match_free_transfer(m, &c->snapshot);
  if (!ok || (state->hash != 0 && match_fold_hash(hash) != state->hash)) {
    if (m->has_state) // the failed read has made the current state undefined
      m->desc.world.restore(m->desc.world.context, get_slot(m->tick));
    m->predicted = m->tick;
    return !ok ? false
               : error_set(error, "the state of tick %llu has the hash %06llx instead of %06llx",
                           (unsigned long long)state->tick, (unsigned long long)match_fold_hash(hash),
                           (unsigned long long)state->hash);
  }
  if (!m->has_state)
    record_log_clear(m->log);
  if (state->tick > m->tick && state->hash != 0 && m->desc.world.confirm)
    m->desc.world.confirm(m->desc.world.context, state->tick, hash);
  memcpy(m->digests, m->snapshot_digests, sizeof m->digests);
  match_note_record(m, state);
  m->is_paused = m->snapshot_is_paused;
  m->predicted = m->tick;
  m->blocked_tick = 0;
  m->frontier = m->frontier > m->tick ? m->frontier : m->tick;
  m->has_state = true;
  m->received = m->next_number;
  save(m);
  if (m->is_repairing)
    match_add_event(m, (match_event_t){.kind = MATCH_EVENT_REPAIRED, .tick = m->tick});
  m->is_repairing = m->is_starting = false;
  // Succeeds only if the records since an earlier state are still kept, because the host does not repeat acknowledged
  // records.
  return (add_records(m, (record_coder_t){0}, NULL, 0) && m->received >= received) ||
         error_set(error, "the records after the snapshot are no longer kept");
}

static bool read_part(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  if (!match_read_part(&c->snapshot, bytes, size))
    return false;
  if (match_is_transferred(&c->snapshot) && !adopt_snapshot(m, c, NULL))
    c->failure = MATCH_CLOSE_SNAPSHOT;
  return true;
}

static bool read_report_of_host(match_o *m, const uint8_t *bytes, size_t size) {
  uint64_t tick;
  size_t at = 0;
  if (!match_message_read(bytes, size, &at, &tick) || size - at > MATCH_MAX_REPORT_BYTES)
    return false;
  if (!m->is_repairing || tick != m->desync.tick)
    return true;
  memcpy(m->desync.host, bytes + at, size - at);
  m->desync.host_size = size - at;
  return true;
}

static bool read_key(match_o *m, const uint8_t *bytes, size_t size) {
  if (size != sizeof m->key)
    return false;
  memcpy(m->key, bytes, size);
  return true;
}

static bool read_silence(match_o *m, const uint8_t *bytes, size_t size) {
  if (size != sizeof m->silent + sizeof m->lost)
    return false;
  memcpy(&m->silent, bytes, sizeof m->silent);
  memcpy(&m->lost, bytes + sizeof m->silent, sizeof m->lost);
  return true;
}

static bool read_message(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  switch (bytes[0]) {
  case MATCH_MESSAGE_SNAPSHOT: return read_snapshot_head(m, c, bytes + 1, size - 1);
  case MATCH_MESSAGE_PART: return read_part(m, c, bytes + 1, size - 1);
  case MATCH_MESSAGE_RECORDS: return add_records(m, (record_coder_t){0}, bytes + 1, size - 1);
  case MATCH_MESSAGE_SILENT: return read_silence(m, bytes + 1, size - 1);
  case MATCH_MESSAGE_REPORT: return read_report_of_host(m, bytes + 1, size - 1);
  case MATCH_MESSAGE_KEY: return read_key(m, bytes + 1, size - 1);
  case MATCH_MESSAGE_CHAT: return match_chat_read_peer(m, bytes + 1, size - 1);
  default: return match_share_read_peer(m, c, bytes, size);
  }
}

// Returns true if the next message can be read, because no code is loading, and few records wait for confirmation.
// Otherwise, the host's stream stops.
static bool can_read_message(const match_o *m) {
  bool has_room = m->received - m->next_number < match_get_late_records(m) &&
                  record_log_has_room(m->log, m->next_number, m->received, 2 * STREAM_MESSAGE_BYTES);
  return !match_share_is_loading(m) && (has_room || !m->has_state);
}

// Drops the state and the records of a machine that is too slow for the ticks, so that the host sends its current
// state. This does not affect a machine that catches up after joining, because its stream stops before so many records
// arrive.
static void drop_late_state(match_o *m, connection_t *c) {
  if (m->has_state && !c->snapshot.bytes &&
      m->received - m->next_number >= match_get_late_records(m) + 2 * MATCH_BLOCK_RECORDS) {
    match_peer_drop_predictions(m);
    m->has_state = m->is_playing = false;
    m->has_dropped = true;
  }
  if (m->has_dropped)
    m->has_dropped = !match_push(c, MATCH_MESSAGE_DROPPED, NULL, 0);
}

static void read_messages(match_o *m, connection_t *c) {
  size_t size;
  while (!c->failure && can_read_message(m)) {
    const uint8_t *message = stream_pop(c->stream, &size);
    if (!message)
      return;
    if (!read_message(m, c, message, size) && !c->failure)
      c->failure = MATCH_CLOSE_MALFORMED;
  }
}

// --- recovery from a store

bool match_recover_begin(match_o *m, int64_t now_us, const uint8_t *head, size_t head_bytes, const uint8_t *state,
                         size_t state_bytes, error_info_t *error) {
  connection_t *c = &m->connections[0];
  shoal_assert(m->role == MATCH_PEER && c->state == CONNECTION_NONE, "only a new peer recovers a match");
  match_peer_connect(m, c, now_us);
  m->limits = m->desc.limits;
  if (!read_snapshot_head(m, c, head, head_bytes))
    return error_set(error, "the head of the snapshot is malformed");
  if (c->snapshot.size != state_bytes)
    return error_set(error, "the snapshot has %zu bytes, but its head requires %zu", state_bytes, c->snapshot.size);
  match_read_part(&c->snapshot, state, state_bytes);
  return adopt_snapshot(m, c, error);
}

bool match_recover_block(match_o *m, int64_t now_us, const uint8_t *block, size_t size, error_info_t *error) {
  connection_t *c = &m->connections[0];
  record_coder_t coder = {0};
  record_t *record = &m->record;
  shoal_assert(m->role == MATCH_PEER && m->has_state, "the recovery has not begun");
  for (size_t at = 0, read; at < size; at += read) {
    unsigned long long expected = m->next_number;
    read = record_read(&coder, block + at, size - at, record);
    if (read == 0 || !record_is_of_match(record) || !match_allows_players(m, record->inputs.present))
      return error_set(error, "record %llu is malformed", expected);
    if (record->number != expected)
      return error_set(error, "expected record %llu, got record %llu", expected, (unsigned long long)record->number);
    record_log_add(m->log, record);
    m->newest = record->number;
    m->received = record->number + 1;
    match_peer_confirm_received(m, now_us);
    if (c->failure)
      return error_set(error, "record %llu cannot run: %s", expected, match_close_get_details(c->failure));
  }
  return true;
}

// --- frames

void match_peer_connect(match_o *m, connection_t *c, int64_t now_us) {
  match_open_connection(m, c, now_us);
  c->state = CONNECTION_LIVE;
  m->has_state = m->has_dropped = m->is_playing = m->is_repairing = m->is_starting = m->is_lost = false;
  m->newest = m->started = 0;            // the records may belong to a different match
  memset(&m->local, 0, sizeof m->local); // drops edges from before the connection
  m->lead = 0;
  m->delay = 0;
  match_share_reset(m);
  start_own_inputs(m);
}

void match_peer_update(match_o *m, int64_t now_us) {
  connection_t *c = &m->connections[0];
  if (!m->counts.is_waiting)
    m->waiting_since_us = now_us;
  m->counts.is_waiting = false;
  if (c->state == CONNECTION_NONE || m->is_lost)
    return;
  read_messages(m, c);
  match_share_update_peer(m, now_us);
  repeat_desync(m, now_us);
  drop_late_state(m, c);
  if (now_us - c->heard_us > MATCH_LOST_US) {
    m->is_lost = true;
    match_add_event(m, (match_event_t){.kind = MATCH_EVENT_LOST, .tick = m->tick});
  }
  if (!m->has_state || c->failure)
    return;
  confirm_records(m, now_us);
  uint64_t missing = m->newest + 1 > m->next_number ? m->newest + 1 - m->next_number : 0;
  if (!m->is_playing && missing < PLAYING_RECORDS)
    reset_clock(m, now_us);
  m->is_playing = missing < (m->is_playing ? BEHIND_RECORDS : PLAYING_RECORDS);
  if (m->is_playing)
    predict(m, now_us);
}

// --- datagrams

static void read_report(match_o *m, uint64_t number, int64_t early_us) {
  uint32_t i = (uint32_t)(number % INPUT_QUEUE_RECORDS);
  if (number <= m->own.reported || number >= m->own.next || number + INPUT_QUEUE_RECORDS <= m->own.next)
    return;
  m->own.reported = number;
  match_clock_report(&m->clock, m->own.ticks[i], m->own.made_us[i], early_us);
}

bool match_peer_read(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  uint64_t next, newest, measured, early;
  record_coder_t coder;
  size_t at = 0;
  (void)c;
  if (size == 0)
    return true;
  if (!match_message_read(bytes, size, &at, &next) || !match_message_read(bytes, size, &at, &newest) ||
      !match_message_read(bytes, size, &at, &measured) || !match_message_read(bytes, size, &at, &early))
    return false;
  int64_t early_us = match_message_unzigzag(early);
  if (next > m->own.next || newest > RECORD_MAX_NUMBER || early_us > MATCH_LOST_US || early_us < -MATCH_LOST_US)
    return false;
  m->own.acked = next > m->own.acked ? next : m->own.acked;
  m->newest = newest > m->newest ? newest : m->newest;
  read_report(m, measured, early_us);
  if (!m->has_state) // the log contains records that belong to an earlier state
    return true;
  return match_message_read_base(bytes, size, &at, m->log, &coder) && add_records(m, coder, bytes + at, size - at);
}

size_t match_peer_write(match_o *m, uint8_t *out) {
  record_coder_t coder;
  size_t at = varint_write(m->has_state ? m->received : 0, out), end = at + MATCH_BLOCK_BYTES;
  if (m->own.acked == m->own.next)
    return at;
  at += match_message_write_base(m->own.log, m->own.acked - 1, out + at, &coder);
  for (uint64_t number = m->own.acked; number < m->own.next; ++number) {
    if (!record_log_get(m->own.log, number, &m->record))
      break;
    size_t size = record_write(&coder, &m->record, out + at, end - at);
    if (size == 0)
      break;
    at += size;
  }
  return at;
}
