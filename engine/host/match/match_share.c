// Transfers, trials and decisions of shared reloads.
#include "match/match_share.h"

#include "match/match_host.h"
#include "match/match_message.h"
#include "match/match_peer.h"

#include <stdio.h>
#include <string.h>

#define ANSWER_US (MATCH_TRIAL_US + 2000000) // time in which a peer must answer after it has received all changes
#define JOIN_US 10000000                     // time for which a proposal waits for joining machines to catch up
#define NO_PLAYER PLAYER_MAX
#define HEAD_BYTES (2 * VARINT_BYTES + 17)

static const match_code_t *get_code(const match_o *m) {
  return &m->desc.world.code;
}

static uint64_t get_hash(const match_o *m) {
  return get_code(m)->get_hash ? get_code(m)->get_hash(get_code(m)->context) : 0;
}

static uint32_t get_first_player(player_mask_t players) {
  return players ? (uint32_t)__builtin_ctz(players) : NO_PLAYER;
}

// Stores a reason for refusing changes. `text` may be untrusted, and may overlap the stored reason.
static void set_reason(match_o *m, const char *text, size_t size) {
  char copy[MATCH_REASON_BYTES];
  (void)snprintf(copy, sizeof copy, "%.*s", (int)size, text);
  error_strip_controls(copy);
  memcpy(m->share.reason, copy, sizeof copy);
}

const char *match_get_refusal(const match_o *m) {
  return m->share.reason;
}

// --- transfers

void match_share_push(match_o *m, connection_t *c) {
  match_push_transfer(m, c, &c->code_out, MATCH_MESSAGE_CODE_PART);
}

static bool begin_receiving(match_o *m, transfer_t *t, uint64_t size) {
  match_free_transfer(m, t);
  if (size == 0 || size > MATCH_MAX_CODE_BYTES)
    return false;
  match_begin_transfer(m, t, NULL, (size_t)size);
  return true;
}

// Reads a part of a transfer. Ignores it if the transfer was dropped. Returns true on success, or false if the part is
// empty or too large.
static bool read_part(transfer_t *t, const uint8_t *bytes, size_t size) {
  return !t->bytes || (size > 0 && match_read_part(t, bytes, size));
}

// --- trials

static void end_trial(match_o *m) {
  if (m->share.is_trying || m->share.has_passed)
    get_code(m)->end_trial(get_code(m)->context);
  m->share.is_trying = m->share.has_passed = false;
}

// Returns true if the trial has begun, or false with the reason if this machine refuses the changes immediately.
static bool begin_trial(match_o *m, const transfer_t *t, bool complete, int64_t now_us, error_info_t *reason) {
  const match_code_t *code = get_code(m);
  end_trial(m);
  if (!code->begin_trial)
    return error_set(reason, "This machine does not accept changed code.\nstart it with --share-code");
  m->share.is_trying = code->begin_trial(code->context, t->bytes, t->size, complete, m->share.proposer, reason);
  m->share.began_us = now_us;
  return m->share.is_trying;
}

static match_trial_t poll_trial(match_o *m, int64_t now_us, error_info_t *reason) {
  const match_code_t *code = get_code(m);
  if (m->share.has_passed)
    return MATCH_TRIAL_PASSED;
  m->share.hash = m->share.is_complete ? m->share.expected : 0;
  match_trial_t result = code->poll_trial(code->context, &m->share.hash, reason);
  int64_t limit_us = m->desc.owns_code ? MATCH_OWNED_TRIAL_US : MATCH_TRIAL_US;
  m->share.is_late = m->desc.owns_code && result == MATCH_TRIAL_RUNNING && now_us - m->share.began_us > limit_us;
  if (m->share.is_late) {
    error_set(reason, "The changed code was not tried.\nthe machine was too slow: try again");
    result = MATCH_TRIAL_FAILED;
  } else if (result == MATCH_TRIAL_RUNNING && now_us - m->share.began_us > limit_us) {
    error_set(reason, "The changed code does not start.\nits trial took longer than %u s: look for an endless loop",
              MATCH_TRIAL_US / 1000000u);
    result = MATCH_TRIAL_FAILED;
  }
  m->share.has_passed = result == MATCH_TRIAL_PASSED;
  m->share.is_trying = result == MATCH_TRIAL_RUNNING;
  if (result == MATCH_TRIAL_FAILED)
    code->end_trial(code->context);
  return result;
}

// Replaces the running code with the code of the passed trial, and ends the trial. Returns true on success. Returns
// false, and stores the reason, if no trial has passed or the state cannot be converted.
static bool replace_code(match_o *m) {
  error_info_t reason = {0};
  bool ok = m->share.has_passed && get_code(m)->replace(get_code(m)->context, &reason);
  if (!ok)
    set_reason(m, reason.text, strlen(reason.text));
  end_trial(m);
  return ok;
}

void match_share_reset(match_o *m) {
  end_trial(m);
  match_free_transfer(m, &m->share.own);
  m->share = (match_share_t){.number = m->share.number};
}

// --- proposals of this machine

bool match_propose_code(match_o *m, const uint8_t *bytes, size_t size) {
  match_share_t *s = &m->share;
  connection_t *c = &m->connections[0];
  uint8_t head[VARINT_BYTES];
  if (s->is_proposing || size == 0 || size > MATCH_MAX_CODE_BYTES || m->has_ended)
    return false;
  if (m->role == MATCH_HOST) {
    match_begin_transfer(m, &s->own, bytes, size);
    s->own_order = ++s->order;
  } else {
    if (!c->stream || !m->has_state || m->is_lost || c->code_out.bytes ||
        !match_push(c, MATCH_MESSAGE_PROPOSE, head, varint_write(size, head)))
      return false;
    match_begin_transfer(m, &c->code_out, bytes, size);
  }
  s->is_proposing = true;
  return true;
}

static void add_result(match_o *m, match_event_kind_t kind, uint32_t refuser) {
  match_share_t *s = &m->share;
  match_add_event(m, (match_event_t){.kind = kind,
                                     .player = s->proposer,
                                     .refuser = refuser,
                                     .is_own = s->is_own,
                                     .is_late = s->is_late,
                                     .tick = m->tick});
  s->is_late = false;
  s->is_proposing &= !s->is_own;
  s->is_own = false;
}

// --- host: proposals

static void refuse(match_o *m, uint32_t refuser, const char *reason) {
  uint8_t message[VARINT_BYTES + 2 + MATCH_REASON_BYTES];
  match_share_t *s = &m->share;
  set_reason(m, reason, strlen(reason));
  size_t at = varint_write(s->number, message), size = strlen(s->reason);
  message[at++] = (uint8_t)s->proposer;
  message[at++] = (uint8_t)refuser;
  memcpy(message + at, s->reason, size);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    connection_t *c = &m->connections[i];
    if (c->stream && c->tried == s->number)
      match_free_transfer(m, &c->code_out);
    if (c->stream)
      match_push(c, MATCH_MESSAGE_REFUSED, message, at + size);
  }
  end_trial(m);
  s->is_active = false;
  add_result(m, MATCH_EVENT_REFUSED, refuser);
}

static void send_proposal(match_o *m, connection_t *c, const transfer_t *changes, int64_t now_us) {
  uint8_t head[HEAD_BYTES];
  uint64_t hash = get_hash(m);
  size_t at = varint_write(m->share.number, head);
  head[at++] = (uint8_t)m->share.proposer;
  memcpy(head + at, &hash, sizeof hash);
  at += sizeof hash;
  at += varint_write(changes->size, head + at);
  if (c->state != CONNECTION_LIVE || c->snapshot.bytes || c->code_out.bytes ||
      !match_push(c, MATCH_MESSAGE_TRY, head, at))
    return; // the peer receives all changes if the proposal is accepted
  match_begin_transfer(m, &c->code_out, changes->bytes, changes->size);
  c->tried = m->share.number;
  c->answer = CODE_ANSWER_NONE;
  c->trial_us = now_us;
}

// Moves the oldest pending proposal to `out`, makes it the current proposal, and returns true. Returns false if no
// proposal is pending.
static bool take_proposal(match_o *m, transfer_t *out) {
  match_share_t *s = &m->share;
  uint64_t first = s->own_order;
  connection_t *source = NULL;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    connection_t *c = &m->connections[i];
    if (c->proposal_order == 0 || (first != 0 && c->proposal_order > first))
      continue;
    first = c->proposal_order;
    source = c;
  }
  if (first == 0)
    return false;
  transfer_t *t = source ? &source->code_in : &s->own;
  *out = *t;
  *t = (transfer_t){0};
  *(source ? &source->proposal_order : &s->own_order) = 0;
  ++s->number;
  s->proposer = get_first_player(source ? source->players : m->players);
  s->is_own = source == NULL;
  return true;
}

// Returns true if proposals must wait for machines that are joining. Each reload sends the state to these machines
// again, so frequent reloads would keep them from joining.
static bool must_wait(match_o *m, int64_t now_us) {
  match_share_t *s = &m->share;
  bool is_waiting = s->own_order != 0, is_joining = false;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    is_waiting |= m->connections[i].proposal_order != 0;
    is_joining |= m->connections[i].state == CONNECTION_BEHIND;
  }
  if (!is_waiting || !is_joining)
    s->wait_until_us = 0;
  else if (s->wait_until_us == 0)
    s->wait_until_us = now_us + JOIN_US;
  return now_us < s->wait_until_us;
}

static void begin_proposal(match_o *m, int64_t now_us) {
  transfer_t changes;
  error_info_t reason = {0};
  if ((!m->desc.owns_code && must_wait(m, now_us)) || !take_proposal(m, &changes))
    return;
  m->share.wait_until_us = 0;
  m->share.is_active = true;
  if (begin_trial(m, &changes, false, now_us, &reason)) {
    for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
      send_proposal(m, &m->connections[i], &changes, now_us);
  } else {
    refuse(m, get_first_player(m->players), reason.text);
  }
  match_free_transfer(m, &changes);
}

// Drops the transfers to a peer, so that the next update sends the running code and a new snapshot to the peer.
static void send_state_again(match_o *m, connection_t *c) {
  match_free_transfer(m, &c->snapshot);
  match_free_transfer(m, &c->code_out);
  c->state = CONNECTION_BEHIND;
  c->has_state = false;
  c->snapshots = 0;
  c->acked = 0;
}

static void accept(match_o *m, int64_t now_us) {
  match_share_t *s = &m->share;
  uint64_t hash = s->hash;
  if (!replace_code(m)) {
    refuse(m, get_first_player(m->players), s->reason);
    return;
  }
  s->is_active = false;
  match_host_add_record(m, now_us, RECORD_RELOAD, hash);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    connection_t *c = &m->connections[i];
    if (c->stream && (c->tried != s->number || c->snapshot.bytes))
      send_state_again(m, c);
  }
  add_result(m, MATCH_EVENT_RELOADED, NO_PLAYER);
}

// Stops waiting for a peer, which then receives the code and the state again.
static void skip_peer(match_o *m, connection_t *c) {
  c->tried = 0;
  match_free_transfer(m, &c->code_out);
}

// Checks one peer's answer to the proposal. Returns true unless the proposal has failed, and clears *all if the peer
// has not accepted the proposal yet. Returns false, and refuses the proposal, if the peer does not answer in time or
// its changed code has a different hash. A host that owns the code skips such a peer.
static bool check_answer(match_o *m, connection_t *c, int64_t now_us, bool has_hash, bool *all) {
  uint32_t player = get_first_player(c->players);
  if (!c->stream || c->tried != m->share.number)
    return true;
  bool differs = c->answer == CODE_ANSWER_ACCEPTED && has_hash && c->answer_hash != m->share.hash;
  bool is_late = c->answer == CODE_ANSWER_NONE && now_us - m->share.began_us > MATCH_CODE_US;
  if (m->desc.owns_code && (differs || is_late)) {
    skip_peer(m, c);
    return true;
  }
  uint64_t sent_bytes = stream_get_status(c->stream).acknowledged_bytes;
  if (sent_bytes > c->trial_bytes)
    c->trial_us = now_us;
  c->trial_bytes = sent_bytes;
  if (c->answer == CODE_ANSWER_NONE && now_us - c->trial_us > ANSWER_US) {
    refuse(m, player, "A machine does not answer.\nit has not tried the changes in time");
    return false;
  }
  if (differs) {
    refuse(m, player, "A machine has different files.\nthe hash of its changed code differs from the host's");
    return false;
  }
  *all &= c->answer == CODE_ANSWER_ACCEPTED;
  return true;
}

void match_share_update_host(match_o *m, int64_t now_us) {
  error_info_t reason = {0};
  if (!m->share.is_active && !m->has_ended)
    begin_proposal(m, now_us);
  if (!m->share.is_active)
    return;
  match_trial_t own = poll_trial(m, now_us, &reason);
  bool all = own == MATCH_TRIAL_PASSED;
  if (own == MATCH_TRIAL_FAILED) {
    refuse(m, get_first_player(m->players), reason.text);
    return;
  }
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (!check_answer(m, &m->connections[i], now_us, own == MATCH_TRIAL_PASSED, &all))
      return;
  if (all)
    accept(m, now_us);
}

void match_share_send_code(match_o *m, connection_t *c) {
  const match_code_t *code = get_code(m);
  uint8_t head[HEAD_BYTES];
  const uint8_t *bytes;
  uint64_t hash = get_hash(m);
  c->tried = 0; // the changes of the tried proposal might not reach the peer
  match_free_transfer(m, &c->code_out);
  if (!code->get_hash || !code->begin_trial) // the code cannot change
    return;
  size_t size = code->write_changes(code->context, &bytes);
  memcpy(head, &hash, sizeof hash);
  match_push(c, MATCH_MESSAGE_CODE, head, sizeof hash + varint_write(size, head + sizeof hash));
  match_begin_transfer(m, &c->code_out, bytes, size);
}

// --- host: messages from a peer

// Reads the size of a peer's proposal and begins to receive it. Drops the peer's pending proposal.
static bool read_proposal(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  uint64_t total;
  size_t at = 0;
  c->proposal_order = 0;
  return match_message_read(bytes, size, &at, &total) && at == size && begin_receiving(m, &c->code_in, total);
}

static bool read_proposal_part(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  if (!c->code_in.bytes || c->proposal_order != 0 || !read_part(&c->code_in, bytes, size))
    return false;
  if (match_is_transferred(&c->code_in))
    c->proposal_order = ++m->share.order;
  return true;
}

static bool read_answer(match_o *m, connection_t *c, bool accepts, const uint8_t *bytes, size_t size) {
  uint64_t number;
  size_t at = 0;
  if (!match_message_read(bytes, size, &at, &number) ||
      (accepts && (!match_message_read_hash(bytes, size, &at, &c->answer_hash) || at != size)))
    return false;
  if (!m->share.is_active || number != m->share.number || c->tried != number || c->answer != CODE_ANSWER_NONE)
    return true; // the proposal has already been decided
  c->answer = accepts ? CODE_ANSWER_ACCEPTED : CODE_ANSWER_REFUSED;
  if (accepts)
    return true;
  if (m->desc.owns_code) {
    skip_peer(m, c);
    return true;
  }
  set_reason(m, (const char *)bytes + at, size - at);
  refuse(m, get_first_player(c->players), m->share.reason);
  return true;
}

bool match_share_read_host(match_o *m, connection_t *c, const uint8_t *message, size_t size) {
  bool ok;
  if (m->desc.owns_code && message[0] == MATCH_MESSAGE_PROPOSE)
    return false;
  switch (message[0]) {
  case MATCH_MESSAGE_PROPOSE: ok = read_proposal(m, c, message + 1, size - 1); break;
  case MATCH_MESSAGE_CODE_PART: ok = read_proposal_part(m, c, message + 1, size - 1); break;
  case MATCH_MESSAGE_ACCEPT:
  case MATCH_MESSAGE_REFUSE: ok = read_answer(m, c, message[0] == MATCH_MESSAGE_ACCEPT, message + 1, size - 1); break;
  default: return false;
  }
  if (!ok)
    c->failure = MATCH_CLOSE_CODE;
  return true;
}

// --- peer

static void answer(match_o *m, connection_t *c, const char *reason) {
  uint8_t message[VARINT_BYTES + MATCH_REASON_BYTES];
  size_t at = varint_write(m->share.number, message), size = strlen(reason);
  if (!m->share.has_passed) {
    size = size < MATCH_REASON_BYTES ? size : MATCH_REASON_BYTES;
    memcpy(message + at, reason, size);
    match_push(c, MATCH_MESSAGE_REFUSE, message, at + size);
    return;
  }
  memcpy(message + at, &m->share.hash, sizeof m->share.hash);
  match_push(c, MATCH_MESSAGE_ACCEPT, message, at + sizeof m->share.hash);
}

// Marks the connection to be closed, because the machine cannot take part without the code.
static void fail(match_o *m, connection_t *c, const char *reason) {
  set_reason(m, reason, strlen(reason));
  c->failure = MATCH_CLOSE_UNABLE;
}

// Loads the code after the trial of all changes has passed, so that the snapshot can be read. Marks the connection to
// be closed if the code differs from the host's, or cannot be loaded.
static void load_code(match_o *m, connection_t *c) {
  match_share_t *s = &m->share;
  s->is_complete = false;
  if (s->hash != s->expected)
    fail(m, c,
         "This machine has a different version of this game: install the same version.\nthe files differ also with all "
         "changes of the match");
  else if (!replace_code(m))
    fail(m, c, s->reason);
}

static bool is_own(const match_o *m, uint32_t proposer) {
  return m->share.is_proposing && proposer == get_first_player(m->players);
}

// Begins the trial of received changes. Changes to code that this machine does not run yet wait for the record that
// replaces its code.
static void begin_incoming(match_o *m, connection_t *c, int64_t now_us) {
  match_share_t *s = &m->share;
  error_info_t reason = {0};
  if (!s->has_incoming || !match_is_transferred(&c->code_in) ||
      (!s->incoming.is_complete && get_hash(m) != s->incoming.hash))
    return;
  s->has_incoming = false;
  s->number = s->incoming.number;
  s->proposer = s->incoming.proposer;
  s->is_own = !s->incoming.is_complete && is_own(m, s->proposer);
  s->is_complete = s->incoming.is_complete;
  s->expected = s->incoming.hash;
  bool begun = begin_trial(m, &c->code_in, s->is_complete, now_us, &reason);
  match_free_transfer(m, &c->code_in);
  if (begun)
    return;
  if (s->is_complete)
    fail(m, c, reason.text);
  else
    answer(m, c, reason.text);
}

static void continue_trial(match_o *m, connection_t *c, int64_t now_us) {
  match_share_t *s = &m->share;
  error_info_t reason = {0};
  match_trial_t result = s->is_trying ? poll_trial(m, now_us, &reason) : MATCH_TRIAL_RUNNING;
  if (result == MATCH_TRIAL_RUNNING)
    return;
  if (!s->is_complete)
    answer(m, c, reason.text);
  else if (result == MATCH_TRIAL_PASSED)
    load_code(m, c);
  else
    fail(m, c, reason.text);
}

void match_share_update_peer(match_o *m, int64_t now_us) {
  connection_t *c = &m->connections[0];
  match_share_push(m, c);
  begin_incoming(m, c, now_us);
  continue_trial(m, c, now_us);
}

bool match_share_is_loading(const match_o *m) {
  const match_share_t *s = &m->share;
  return (s->is_complete && s->is_trying) ||
         (s->has_incoming && s->incoming.is_complete && match_is_transferred(&m->connections[0].code_in));
}

void match_recover_code(match_o *m, uint64_t hash) {
  m->share.has_passed = true;
  m->share.is_complete = false;
  m->share.hash = hash;
}

bool match_share_reload(match_o *m, const record_t *record) {
  match_share_t *s = &m->share;
  connection_t *c = &m->connections[0];
  if (!s->has_passed || s->is_complete || s->hash != record->hash)
    fail(m, c, "The host has replaced the code without a trial.\nrecord of a reload with an unknown hash");
  else if (!replace_code(m))
    fail(m, c, s->reason);
  else
    add_result(m, MATCH_EVENT_RELOADED, NO_PLAYER);
  return !c->failure;
}

// --- peer: messages from the host

static bool begin_incoming_transfer(match_o *m, connection_t *c, match_incoming_t incoming, uint64_t size) {
  m->share.incoming = incoming;
  m->share.has_incoming = begin_receiving(m, &c->code_in, size);
  return m->share.has_incoming;
}

static bool read_code(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  uint64_t hash, total;
  size_t at = 0;
  if (!match_message_read_hash(bytes, size, &at, &hash) || !match_message_read(bytes, size, &at, &total) || at != size)
    return false;
  end_trial(m);
  match_free_transfer(m, &c->code_in);
  m->share.has_incoming = m->share.is_complete = false;
  m->share.is_proposing = false; // the proposal may have been decided without this machine
  if (hash == get_hash(m))
    return true; // this machine already runs the code: ignores the parts
  if (!get_code(m)->begin_trial) {
    fail(m, c, "The players have changed the game during the match.\nstart this machine with --share-code");
    return true;
  }
  if (m->has_state)
    match_peer_drop_predictions(m);
  m->has_state = m->is_playing = false;
  return begin_incoming_transfer(m, c, (match_incoming_t){.is_complete = true, .hash = hash}, total);
}

static bool read_try(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  match_incoming_t incoming = {0};
  uint64_t total;
  size_t at = 0;
  if (!match_message_read(bytes, size, &at, &incoming.number) || at == size)
    return false;
  incoming.proposer = bytes[at] < PLAYER_MAX ? bytes[at] : NO_PLAYER;
  ++at;
  return match_message_read_hash(bytes, size, &at, &incoming.hash) && match_message_read(bytes, size, &at, &total) &&
         at == size && !m->share.has_incoming && begin_incoming_transfer(m, c, incoming, total);
}

static bool read_refusal(match_o *m, connection_t *c, const uint8_t *bytes, size_t size) {
  match_share_t *s = &m->share;
  uint64_t number;
  size_t at = 0;
  if (!match_message_read(bytes, size, &at, &number) || size - at < 2)
    return false;
  uint32_t proposer = bytes[at] < PLAYER_MAX ? bytes[at] : NO_PLAYER;
  uint32_t refuser = bytes[at + 1] < PLAYER_MAX ? bytes[at + 1] : NO_PLAYER;
  at += 2;
  set_reason(m, (const char *)bytes + at, size - at);
  if (s->has_incoming && !s->incoming.is_complete && s->incoming.number == number) {
    match_free_transfer(m, &c->code_in);
    s->has_incoming = false;
  } else if (s->number == number && !s->is_complete) {
    end_trial(m);
  }
  s->proposer = proposer;
  s->is_own = is_own(m, proposer);
  add_result(m, MATCH_EVENT_REFUSED, refuser);
  return true;
}

bool match_share_read_peer(match_o *m, connection_t *c, const uint8_t *message, size_t size) {
  bool ok;
  switch (message[0]) {
  case MATCH_MESSAGE_CODE: ok = read_code(m, c, message + 1, size - 1); break;
  case MATCH_MESSAGE_TRY: ok = read_try(m, c, message + 1, size - 1); break;
  case MATCH_MESSAGE_REFUSED: ok = read_refusal(m, c, message + 1, size - 1); break;
  case MATCH_MESSAGE_CODE_PART: ok = read_part(&c->code_in, message + 1, size - 1); break;
  default: return false;
  }
  if (!ok)
    c->failure = MATCH_CLOSE_CODE;
  return true;
}
