// Handles the seal's events, and sends datagrams once per tick.
#include "match/match_link.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/log.h"
#include "link/refusal_log.h"
#include "match/match_account.h"
#include "match/match_message.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ACCOUNT_REQUESTS 3u // room: maximum number of waiting requests of one account
#define RETRY_S 1u              // time after which a machine may try again if its account exceeds this limit
#define MAX_DATAGRAMS 50u       // maximum number of datagrams sent to a peer per frame
#define MACHINE_BYTES (PLAYER_NAME_BYTES + 32u)
#define REQUEST_BYTES (MATCH_REQUEST_BYTES + MATCH_IDENTITY_BYTES)

_Static_assert(REQUEST_BYTES <= SEAL_REQUEST_BYTES, "the request is too large");

// The machine of a player, for bans of players who have lost their connection.
typedef struct member_t {
  uint8_t account[MATCH_ACCOUNT_BYTES];
  link_address_t address;
  char name[PLAYER_NAME_BYTES];
} member_t;

// A request that waits for the user's decision.
typedef struct waiting_t {
  uint32_t peer; // peer number of the machine (link/seal.h); 0: unused
  link_address_t address;
  uint8_t bytes[MATCH_REQUEST_BYTES];
} waiting_t;

struct match_link_o {
  match_link_desc_t desc;
  match_identity_t identity;
  uint8_t account_secret[SEAL_KEY_BYTES];
  char password[MATCH_MAX_PASSWORD_BYTES + 1];
  bool has_kept_password;
  seal_o *seal;
  match_link_state_t state;
  match_end_t end;
  uint32_t host; // joiner: the seal's number of the host
  uint32_t peers[MATCH_MAX_CONNECTIONS];
  member_t members[PLAYER_MAX];        // host: machines that have connected, by player
  waiting_t waiting[SEAL_MAX_WAITING]; // requests in order of arrival
  uint32_t waiting_count;
  int64_t sent_us;
  refusal_log_t refusals, closes;
  uint64_t sent_tick; // tick of the world when datagrams were last sent
};

// Adds the account and, if the host is trusted, the password hash to the request. Returns true on success, or false if
// desc.check_host rejects the host's key.
static bool check_host(void *context, const link_address_t *address, const uint8_t *key, uint8_t *request) {
  match_link_o *l = context;
  bool is_trusted = false;
  if (l->desc.check_host && !l->desc.check_host(l->desc.check_context, address, key, &is_trusted))
    return false;
  l->has_kept_password = l->password[0] && !is_trusted;
  if (l->password[0] && is_trusted)
    match_account_hash_password(l->password, key, request + MATCH_REQUEST_PASSWORD);
  if (l->desc.account_secret)
    match_account_compute(l->account_secret, key, request + MATCH_REQUEST_ACCOUNT);
  return true;
}

match_link_o *match_link_create(const match_link_desc_t *desc, error_info_t *error) {
  match_link_o *l = alloc_object(sizeof *l);
  seal_o *seal = seal_create(&(seal_desc_t){.link = desc->link,
                                            .max_peers = MATCH_MAX_CONNECTIONS + SEAL_MAX_WAITING,
                                            .is_host = desc->is_host,
                                            .secret_seed = desc->secret_seed,
                                            .check_host = check_host,
                                            .check_context = l},
                             error);
  if (!seal) {
    free(l);
    return NULL;
  }
  l->desc = *desc;
  if (desc->account_secret)
    memcpy(l->account_secret, desc->account_secret, sizeof l->account_secret);
  if (desc->password)
    (void)snprintf(l->password, sizeof l->password, "%s", desc->password);
  l->identity = *desc->identity;
  l->seal = seal;
  return l;
}

void match_link_destroy(match_link_o *l) {
  if (!l)
    return;
  seal_destroy(l->seal);
  sodium_memzero(l->account_secret, sizeof l->account_secret);
  sodium_memzero(l->password, sizeof l->password);
  free(l);
}

// --- joining

static void set_state(match_link_o *l, match_link_state_t state, const match_end_t *end) {
  l->state = state;
  l->end = end ? *end : (match_end_t){0};
}

void match_link_join(match_link_o *l, int64_t now_us, const link_address_t *host) {
  uint8_t request[REQUEST_BYTES];
  error_info_t error = {0};
  match_write_request(l->desc.match, request);
  size_t size = MATCH_REQUEST_BYTES + match_identity_write(&l->identity, request + MATCH_REQUEST_BYTES);
  l->host = seal_join(l->seal, now_us, host, NULL, request, size, &error);
  set_state(l, l->host ? MATCH_LINK_JOINING : MATCH_LINK_NO_ANSWER, NULL);
}

// Refuses a machine's request with a reason, and logs `details` unless too many refusals were logged.
static void refuse(match_link_o *l, int64_t now_us, uint32_t peer, const link_address_t *address,
                   const match_refusal_t *refusal, const char *details) {
  char text[LINK_ADDRESS_TEXT_BYTES];
  uint8_t bytes[MATCH_REFUSAL_BYTES];
  if (refusal_log_take(&l->refusals, now_us))
    log_info(l->desc.log, "match: refused %s: %s", link_address_format(address, text), details);
  seal_refuse(l->seal, now_us, peer, bytes, match_refusal_write(refusal, bytes));
}

// Refuses a machine for a reason without strings. `value`: argument of the reason, or 0.
static void refuse_for(match_link_o *l, int64_t now_us, uint32_t peer, const link_address_t *address,
                       match_refusal_kind_t kind, uint32_t value) {
  match_refusal_t refusal;
  match_refusal_set(&refusal, kind, value);
  refuse(l, now_us, peer, address, &refusal, match_refusal_get_details(kind));
}

// Accepts a request (MATCH_REQUEST_BYTES), or refuses it for the reason that match_accept stores. `visit` and the
// account's name belong to the visitor of a room; NULL in other matches. Returns true on success.
static bool accept(match_link_o *l, int64_t now_us, uint32_t peer, const link_address_t *address,
                   const uint8_t *request, const match_visit_t *visit, const char *name) {
  uint8_t reply[MATCH_REPLY_BYTES];
  match_refusal_t refusal;
  bool ok = match_accept_visit(l->desc.match, now_us, peer, request, MATCH_REQUEST_BYTES, visit, name, reply, &refusal);
  if (ok)
    seal_accept(l->seal, now_us, peer, reply, sizeof reply);
  else
    refuse(l, now_us, peer, address, &refusal, match_refusal_get_details((match_refusal_kind_t)refusal.number));
  return ok;
}

static void block(match_link_o *l, match_block_kind_t kind, const uint8_t *account, const link_address_t *address,
                  const char *name) {
  match_block_t b = {.kind = kind, .address = *address};
  memcpy(b.account, account, sizeof b.account);
  (void)snprintf(b.name, sizeof b.name, "%s", name);
  match_guard_block(l->desc.guard, &b);
}

static void add_waiting(match_link_o *l, const seal_event_t *event) {
  shoal_assert(l->waiting_count < SEAL_MAX_WAITING, "the seal passes at most %u requests", SEAL_MAX_WAITING);
  waiting_t *w = &l->waiting[l->waiting_count++];
  *w = (waiting_t){.peer = event->peer, .address = event->address};
  memcpy(w->bytes, event->bytes, sizeof w->bytes);
}

// Returns true if one more request of the account may wait. The limit is above 1, because a machine that has restarted
// leaves its previous request behind.
static bool may_wait(const match_link_o *l, const uint8_t *account) {
  uint32_t count = 0;
  match_request_t request;
  for (uint32_t i = 0; match_link_get_request_at(l, i, &request); ++i)
    count += memcmp(request.applicant.account, account, MATCH_ACCOUNT_BYTES) == 0;
  return count < MAX_ACCOUNT_REQUESTS;
}

static waiting_t *find_waiting(match_link_o *l, uint32_t peer) {
  for (uint32_t i = 0; i < l->waiting_count; ++i)
    if (l->waiting[i].peer == peer)
      return &l->waiting[i];
  return NULL;
}

static void remove_waiting(match_link_o *l, uint32_t peer) {
  waiting_t *w = find_waiting(l, peer);
  if (w)
    memmove(w, w + 1, (size_t)(l->waiting + l->waiting_count-- - w - 1) * sizeof *w);
}

bool match_link_get_request(const match_link_o *l, match_request_t *out) {
  return match_link_get_request_at(l, 0, out);
}

bool match_link_get_request_at(const match_link_o *l, uint32_t index, match_request_t *out) {
  const waiting_t *w = &l->waiting[index];
  if (index >= l->waiting_count)
    return false;
  *out = (match_request_t){.peer = w->peer, .address = w->address};
  return match_read_request(l->desc.match, w->bytes, sizeof w->bytes, &out->applicant);
}

// Removes the lost players whose places the waiting machine needs.
static void give_places_away(match_link_o *l, int64_t now_us, const waiting_t *w) {
  match_applicant_t applicant;
  if (!match_read_request(l->desc.match, w->bytes, sizeof w->bytes, &applicant))
    return;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (applicant.reserved >> i & 1)
      match_link_remove_player(l, now_us, i, MATCH_CLOSE_NONE);
}

void match_link_decide(match_link_o *l, int64_t now_us, uint32_t peer, bool accepts) {
  const waiting_t *w = find_waiting(l, peer);
  if (!w)
    return;
  if (accepts) {
    give_places_away(l, now_us, w);
    accept(l, now_us, peer, &w->address, w->bytes, NULL, NULL);
  } else {
    refuse_for(l, now_us, peer, &w->address, MATCH_REFUSAL_DECLINED, 0);
  }
  remove_waiting(l, peer);
}

void match_link_refuse_always(match_link_o *l, int64_t now_us, uint32_t peer) {
  match_applicant_t applicant;
  const waiting_t *w = find_waiting(l, peer);
  if (!w || !match_read_request(l->desc.match, w->bytes, sizeof w->bytes, &applicant))
    return;
  block(l, MATCH_BLOCK_UNWANTED, applicant.account, &w->address, applicant.name);
  for (uint32_t i = l->waiting_count; i-- > 0;) {
    w = &l->waiting[i];
    if (match_read_request(l->desc.match, w->bytes, sizeof w->bytes, &applicant) &&
        match_guard_find_block(l->desc.guard, applicant.account, &w->address) != MATCH_REFUSAL_NONE)
      match_link_decide(l, now_us, w->peer, false);
  }
  // match_guard_find_block never reports a machine without an account at a local address, so the loop may have skipped
  // this peer.
  match_link_decide(l, now_us, peer, false);
}

// Compares the password of a request. Returns MATCH_REFUSAL_NONE if it is correct, otherwise the reason for refusing
// the machine. After too many tries, stores the seconds until the next try in `delay_s`.
static match_refusal_kind_t check_password(match_link_o *l, int64_t now_us, const seal_event_t *event,
                                           const match_applicant_t *a, uint32_t *delay_s) {
  uint8_t expected[MATCH_PASSWORD_HASH_BYTES];
  if (sodium_is_zero(a->password, sizeof a->password))
    return MATCH_REFUSAL_PASSWORD;
  *delay_s = match_guard_get_password_delay(l->desc.guard, now_us, &event->address);
  if (*delay_s > 0)
    return MATCH_REFUSAL_TOO_MANY_TRIES;
  match_account_hash_password(l->password, seal_get_key(l->seal), expected);
  if (sodium_memcmp(a->password, expected, sizeof expected) == 0)
    return MATCH_REFUSAL_NONE;
  match_guard_note_wrong_password(l->desc.guard, now_us, &event->address);
  return MATCH_REFUSAL_PASSWORD;
}

// Returns true if the host's user must be asked about a machine. A machine that fits causes a question unless the match
// has a password. A machine that needs the places of lost players always causes a question.
static bool must_ask(const match_link_o *l, const match_applicant_t *a) {
  return l->desc.asks && !a->is_known && ((a->fits && !l->password[0]) || a->reserved != 0);
}

// Checks blocks, the password and the rate limit of requests. Returns true if the machine may join or wait for the
// user's decision. Otherwise, refuses it and returns false.
static bool check_applicant(match_link_o *l, int64_t now_us, const seal_event_t *event, const match_applicant_t *a) {
  match_refusal_kind_t kind = match_guard_find_block(l->desc.guard, a->account, &event->address);
  uint32_t delay_s = 0;
  if (kind == MATCH_REFUSAL_NONE && l->password[0])
    kind = check_password(l, now_us, event, a, &delay_s);
  if (kind == MATCH_REFUSAL_NONE && must_ask(l, a))
    delay_s = match_guard_take_question(l->desc.guard, now_us, a->account, &event->address);
  kind = delay_s > 0 ? MATCH_REFUSAL_TOO_MANY_TRIES : kind;
  if (kind != MATCH_REFUSAL_NONE)
    refuse_for(l, now_us, event->peer, &event->address, kind, delay_s);
  return kind == MATCH_REFUSAL_NONE;
}

// Refuses a machine whose identity differs from the host's.
static void refuse_joiner(match_link_o *l, int64_t now_us, const seal_event_t *event, const match_identity_t *joiner,
                          const match_refusal_t *refusal) {
  const match_identity_t *host = &l->identity;
  char details[256] = "the joiner does not share code";
  if (!match_identity_explain(refusal, joiner, match_host_title(l->desc.is_world), details, sizeof details) &&
      refusal->number == MATCH_REFUSAL_FILES)
    (void)snprintf(details, sizeof details,
                   "files: %s has %016llx (code and data files) and %016llx (assets), the joiner %016llx and %016llx",
                   match_host_title(l->desc.is_world), (unsigned long long)host->sources,
                   (unsigned long long)host->assets, (unsigned long long)joiner->sources,
                   (unsigned long long)joiner->assets);
  refuse(l, now_us, event->peer, &event->address, refusal, details);
}

static void answer(match_link_o *l, int64_t now_us, const seal_event_t *event) {
  match_identity_t identity;
  match_applicant_t applicant;
  match_refusal_t refusal;
  bool is_readable =
      event->size > MATCH_REQUEST_BYTES &&
      match_read_request(l->desc.match, event->bytes, MATCH_REQUEST_BYTES, &applicant) &&
      match_identity_read(event->bytes + MATCH_REQUEST_BYTES, event->size - MATCH_REQUEST_BYTES, &identity);
  if (!is_readable)
    refuse_for(l, now_us, event->peer, &event->address, MATCH_REFUSAL_VERSION, 0);
  else if (!match_identity_compare(&l->identity, &identity, l->desc.files, &refusal))
    refuse_joiner(l, now_us, event, &identity, &refusal);
  else if (!applicant.is_known && !check_applicant(l, now_us, event, &applicant))
    return;
  else if (l->desc.claims && !may_wait(l, applicant.account))
    refuse_for(l, now_us, event->peer, &event->address, MATCH_REFUSAL_TOO_MANY_TRIES, RETRY_S);
  else if (must_ask(l, &applicant) || l->desc.claims)
    add_waiting(l, event);
  else if (!applicant.is_known && applicant.reserved != 0)
    refuse_for(l, now_us, event->peer, &event->address, MATCH_REFUSAL_RESERVED, 0);
  else
    accept(l, now_us, event->peer, &event->address, event->bytes, NULL, NULL);
}

// --- sessions

static void add_peer(match_link_o *l, uint32_t peer) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    if (l->peers[i] == 0) {
      l->peers[i] = peer;
      return;
    }
  }
}

static void remove_peer(match_link_o *l, int64_t now_us, uint32_t peer, match_link_state_t state,
                        const match_end_t *end) {
  remove_waiting(l, peer);
  match_disconnect(l->desc.match, now_us, peer, true);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    l->peers[i] = l->peers[i] == peer ? 0 : l->peers[i];
  if (peer != l->host)
    return;
  l->host = 0;
  set_state(l, state, end);
}

void match_link_close_peer(match_link_o *l, int64_t now_us, uint32_t peer, match_close_t reason) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    if (l->peers[i] != peer || peer == 0)
      continue;
    seal_close(l->seal, now_us, peer, (uint8_t)reason);
    remove_peer(l, now_us, peer, MATCH_LINK_IDLE, NULL);
  }
}

// Ends the session of a machine that may have been accepted without having connected yet. Does nothing if `peer` is 0.
static void drop_peer(match_link_o *l, int64_t now_us, uint32_t peer, match_close_t reason) {
  if (peer == 0)
    return;
  seal_close(l->seal, now_us, peer, (uint8_t)reason);
  remove_peer(l, now_us, peer, MATCH_LINK_IDLE, NULL);
}

// Closes the user's previous connection. If a player then has no free connection, also closes a spectator's.
static void free_connection(match_link_o *l, int64_t now_us, const waiting_t *w, const match_visit_t *visit) {
  match_applicant_t applicant;
  if (visit) {
    match_link_close_peer(l, now_us, match_find_visiting_peer(l->desc.match, visit), MATCH_CLOSE_ELSEWHERE);
    if (!match_has_free_connection(l->desc.match))
      drop_peer(l, now_us, match_find_spectator(l->desc.match, NULL), MATCH_CLOSE_NONE);
  } else if (match_read_request(l->desc.match, w->bytes, sizeof w->bytes, &applicant)) {
    drop_peer(l, now_us, match_find_spectator(l->desc.match, applicant.account), MATCH_CLOSE_ELSEWHERE);
  }
}

bool match_link_admit(match_link_o *l, int64_t now_us, uint32_t peer, const match_visit_t *visit, const char *name) {
  const waiting_t *w = find_waiting(l, peer);
  if (!w)
    return false;
  free_connection(l, now_us, w, visit);
  bool ok = accept(l, now_us, peer, &w->address, w->bytes, visit, name);
  remove_waiting(l, peer);
  return ok;
}

void match_link_refuse(match_link_o *l, int64_t now_us, uint32_t peer, const match_refusal_t *refusal) {
  const waiting_t *w = find_waiting(l, peer);
  if (!w)
    return;
  refuse(l, now_us, peer, &w->address, refusal, match_refusal_get_details((match_refusal_kind_t)refusal->number));
  remove_waiting(l, peer);
}

// Formats a machine as "the host", "the room", "player 2 (Ada)" or "a machine without players".
static const char *format_machine(const match_link_o *l, uint32_t peer, char out[MACHINE_BYTES]) {
  match_connection_t c = {.name = ""};
  if (peer == l->host)
    (void)snprintf(out, MACHINE_BYTES, "%s", match_host_title(l->desc.is_world));
  else if (!match_get_connection(l->desc.match, peer, &c) || c.players == 0)
    (void)snprintf(out, MACHINE_BYTES, "a machine without players");
  else
    (void)snprintf(out, MACHINE_BYTES, "player %d%s%s%s", __builtin_ctz(c.players) + 1, c.name[0] ? " (" : "", c.name,
                   c.name[0] ? ")" : "");
  return out;
}

// Closes the session of a peer that violates the protocol. `details`: a line for developers or, if the code of the
// match cannot run on this machine, two lines.
static void close_peer(match_link_o *l, int64_t now_us, uint32_t peer, match_close_t reason, const char *details) {
  char machine[MACHINE_BYTES];
  match_end_t end = {.close = reason};
  const char *second_line = strchr(details, '\n');
  if (refusal_log_take(&l->closes, now_us))
    log_warn(l->desc.log, "match: closed the connection to %s: %s", format_machine(l, peer, machine),
             second_line ? second_line + 1 : details);
  (void)snprintf(end.details, sizeof end.details, "%s", details);
  seal_close(l->seal, now_us, peer, (uint8_t)reason);
  remove_peer(l, now_us, peer, MATCH_LINK_CLOSED, &end);
}

// Handles a session that the other machine has closed.
static void handle_close(match_link_o *l, int64_t now_us, uint32_t peer, uint8_t reason) {
  char machine[MACHINE_BYTES];
  match_end_t end = {.close = (match_close_t)reason, .is_by_host = true};
  bool has_reason = reason > MATCH_CLOSE_NONE && reason < MATCH_CLOSE_COUNT;
  if (!has_reason) {
    remove_peer(l, now_us, peer, MATCH_LINK_LEFT, NULL);
    return;
  }
  const char *details = match_close_get_details(end.close);
  log_warn(l->desc.log, "match: %s has closed the connection: %s", format_machine(l, peer, machine), details);
  (void)snprintf(end.details, sizeof end.details, "%s: %s", match_host_title(l->desc.is_world), details);
  remove_peer(l, now_us, peer, MATCH_LINK_CLOSED, &end);
}

player_mask_t match_link_remove_player(match_link_o *l, int64_t now_us, uint32_t player, match_close_t reason) {
  uint32_t peer;
  player_mask_t players = match_remove_player(l->desc.match, now_us, player, &peer);
  if (players == 0)
    return 0;
  if (match_close_is_removal(reason))
    block(l, reason == MATCH_CLOSE_BANNED ? MATCH_BLOCK_BANNED : MATCH_BLOCK_REMOVED, l->members[player].account,
          &l->members[player].address, l->members[player].name);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (players >> i & 1)
      l->members[i] = (member_t){0};
  if (peer == 0)
    return players;
  seal_close(l->seal, now_us, peer, (uint8_t)reason);
  remove_peer(l, now_us, peer, MATCH_LINK_IDLE, NULL);
  return players;
}

// Host: stores the account, address and name for each player of a connected machine, for later bans.
static void note_members(match_link_o *l, const seal_event_t *event) {
  match_connection_t c;
  if (!match_get_connection(l->desc.match, event->peer, &c))
    return;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(c.players >> i & 1))
      continue;
    memcpy(l->members[i].account, c.account, sizeof c.account);
    l->members[i].address = event->address;
    (void)snprintf(l->members[i].name, sizeof l->members[i].name, "%s", c.name);
  }
}

static void connect_peer(match_link_o *l, int64_t now_us, const seal_event_t *event) {
  error_info_t error = {0};
  if (!match_connect(l->desc.match, now_us, event->peer, event->bytes, event->size, &error)) {
    close_peer(l, now_us, event->peer, MATCH_CLOSE_MALFORMED, error.text);
    return;
  }
  add_peer(l, event->peer);
  note_members(l, event);
  if (event->peer == l->host)
    set_state(l, MATCH_LINK_CONNECTED, NULL);
}

static void read_data(match_link_o *l, int64_t now_us, const seal_event_t *event) {
  error_info_t error = {0};
  if (!match_read(l->desc.match, now_us, event->peer, event->sequence, event->bytes, event->size, &error))
    close_peer(l, now_us, event->peer, match_get_close_reason(l->desc.match, event->peer), error.text);
}

// Handles a refusal, also if this machine has rejected the host's key. An answer that this machine cannot read comes
// from a different version of Shoal.
static void end_join(match_link_o *l, const seal_event_t *event) {
  match_end_t end = {0};
  if (!match_refusal_read(event->bytes, event->size, &end.refusal)) {
    match_refusal_set(&end.refusal, MATCH_REFUSAL_VERSION, 0);
    (void)snprintf(end.details, sizeof end.details, "%.*s", (int)event->size, (const char *)event->bytes);
    error_strip_controls(end.details);
  }
  l->host = 0;
  set_state(l, MATCH_LINK_REFUSED, &end);
}

static void handle_timeout(match_link_o *l, int64_t now_us, uint32_t peer) {
  if (peer == l->host && l->state == MATCH_LINK_JOINING) {
    l->host = 0;
    set_state(l, MATCH_LINK_NO_ANSWER, NULL);
    return;
  }
  remove_peer(l, now_us, peer, MATCH_LINK_LOST, NULL);
}

static void handle(match_link_o *l, int64_t now_us, const seal_event_t *event) {
  switch (event->kind) {
  case SEAL_EVENT_REQUEST: answer(l, now_us, event); return;
  case SEAL_EVENT_CONNECTED: connect_peer(l, now_us, event); return;
  case SEAL_EVENT_DATA: read_data(l, now_us, event); return;
  case SEAL_EVENT_REFUSED: end_join(l, event); return;
  case SEAL_EVENT_CLOSED: handle_close(l, now_us, event->peer, event->bytes[0]); return;
  case SEAL_EVENT_TIMEOUT: handle_timeout(l, now_us, event->peer); return;
  default: return;
  }
}

void match_link_receive(match_link_o *l, int64_t now_us) {
  seal_event_t event;
  while (seal_poll(l->seal, now_us, &event))
    handle(l, now_us, &event);
  uint32_t refused = refusal_log_take_omitted(&l->refusals, now_us);
  uint32_t closed = refusal_log_take_omitted(&l->closes, now_us);
  if (refused > 0)
    log_info(l->desc.log, "match: refused %u further requests", refused);
  if (closed > 0)
    log_warn(l->desc.log, "match: closed %u further connections", closed);
}

static void send_to(match_link_o *l, int64_t now_us, uint32_t peer) {
  uint8_t out[SEAL_PAYLOAD_BYTES];
  for (uint32_t i = 0; i < MAX_DATAGRAMS; ++i) {
    uint64_t number = seal_get_next_sequence(l->seal, peer);
    size_t size = number ? match_write(l->desc.match, now_us, peer, number, out) : 0;
    if (size == 0 || !seal_send(l->seal, now_us, peer, out, size) || !match_has_work(l->desc.match, now_us, peer))
      return;
  }
}

// Returns true if the datagrams of a tick are due. Datagrams carry the record or inputs of a tick, so they are sent
// soon after each tick. While no tick runs, they are sent at the tick rate.
static bool is_due(match_link_o *l, int64_t now_us) {
  match_status_t status = match_get_status(l->desc.match, now_us);
  int64_t age_us = now_us - l->sent_us;
  bool due = age_us >= l->desc.tick_us || (status.predicted_tick != l->sent_tick && age_us >= l->desc.tick_us / 2);
  if (due) {
    l->sent_us = now_us;
    l->sent_tick = status.predicted_tick;
  }
  return due;
}

void match_link_send(match_link_o *l, int64_t now_us) {
  bool due = is_due(l, now_us);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (l->peers[i] != 0 && (due || match_has_work(l->desc.match, now_us, l->peers[i])))
      send_to(l, now_us, l->peers[i]);
}

void match_link_close(match_link_o *l, int64_t now_us) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    if (l->peers[i] == 0)
      continue;
    seal_close(l->seal, now_us, l->peers[i], MATCH_CLOSE_NONE);
    match_disconnect(l->desc.match, now_us, l->peers[i], true);
    l->peers[i] = 0;
  }
  if (l->host != 0)
    seal_close(l->seal, now_us, l->host, MATCH_CLOSE_NONE);
  l->host = 0;
  set_state(l, MATCH_LINK_IDLE, NULL);
}

void match_link_set_shares_code(match_link_o *l, bool shares_code) {
  l->identity.shares_code = shares_code;
}

bool match_link_lacks_trust(const match_link_o *l) {
  return l->state == MATCH_LINK_REFUSED && l->has_kept_password && l->end.refusal.number == MATCH_REFUSAL_PASSWORD;
}

match_link_state_t match_link_get_state(const match_link_o *l) {
  return l->state;
}

const match_end_t *match_link_get_end(const match_link_o *l) {
  return &l->end;
}

uint32_t match_link_list_machines(const match_link_o *l, match_link_machine_t *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (l->peers[i] != 0 && match_get_connection(l->desc.match, l->peers[i], &out[count].connection) &&
        seal_get_session_counts(l->seal, l->peers[i], &out[count].counts) &&
        seal_get_address(l->seal, l->peers[i], &out[count].address))
      ++count;
  return count;
}

uint32_t match_link_count_peers(const match_link_o *l) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    count += l->peers[i] != 0;
  return count;
}

const uint8_t *match_link_get_key(const match_link_o *l) {
  return seal_get_key(l->seal);
}

seal_o *match_link_get_seal(const match_link_o *l) {
  return l->seal;
}
